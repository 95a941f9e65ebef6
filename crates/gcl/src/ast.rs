//! A model as its author wrote it: the syntax tree. `elaborate` turns it into one without modules, records and whole
//! arrays, which type checking and lowering walk over; constructs that it removes are marked here.

use redoubt_program::program::Status;
use redoubt_program::text::Span;

#[derive(Clone, Debug)]
pub struct Ident {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    System(Ident),
    /// Another file, by the name it is given; the files have been put together before anything else happens.
    Import(Ident),
    Const {
        name: Ident,
        value: Expr,
    },
    Enum {
        name: Ident,
        values: Vec<Ident>,
    },
    Type {
        name: Ident,
        ty: TypeName,
    },
    /// Elaborated away.
    Record {
        name: Ident,
        fields: Vec<Field>,
    },
    Input {
        name: Ident,
        ty: TypeName,
        /// Whether each of its values comes again and again.
        fair: bool,
    },
    Var {
        name: Ident,
        ty: TypeName,
        start: Option<Start>,
    },
    Define(Define),
    Proc(Proc),
    Step(Vec<Stmt>),
    Property(Property),
    /// The expected verdict of a property that has no declaration of its own.
    Expect(Ident, Status),
    Assume(Expr),
    /// The first is true again and again; with a second one, if that is.
    Fair(Expr, Option<Expr>),
    /// Elaborated away.
    Module(Module),
    /// Elaborated away.
    Instance(Instance),
}

/// A field of a record, and its initial value unless a variable sets another.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Ident,
    pub ty: TypeName,
    pub start: Option<Expr>,
}

/// An expression with a name, and perhaps with parameters.
#[derive(Clone, Debug)]
pub struct Define {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Ident,
    pub ty: TypeName,
    /// Whether a module may write the variable that is connected to it.
    pub is_var: bool,
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub struct Instance {
    pub name: Ident,
    /// The name of the index and its values, if there are many of them.
    pub index: Option<(Ident, Range)>,
    pub module: Ident,
    pub arguments: Vec<Argument>,
}

/// A value that is handed over, by name or by its place.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: Option<Ident>,
    pub value: Expr,
}

/// The range of an index.
#[derive(Clone, Debug)]
pub enum Range {
    Between(Box<Expr>, Box<Expr>),
    /// All values of a type.
    Of(Ident),
}

#[derive(Clone, Debug)]
pub struct Proc {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: Ident,
    pub judgement: Judgement,
    pub condition: Expr,
    pub expected: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Always,
    Never,
    Reach,
    /// No word before the condition, which names its own subject.
    Holds,
    /// A formula of branching time.
    Ctl,
    /// From everywhere it can be reached.
    Resettable,
}

/// The start of a variable.
#[derive(Clone, Debug)]
pub enum Start {
    /// This value, in every cell of an array; a list is cell by cell.
    Value(Expr),
    /// Any of these values.
    OneOf(Vec<Expr>),
}

#[derive(Clone, Debug)]
pub struct TypeName {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Range(Expr, Expr),
    /// An enumeration or a type of the model, if it is one.
    Named(Ident),
    Array(Box<TypeName>, Expr),
    /// Something else that stands where a type should.
    Other,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Block(Vec<Stmt>),
    /// The branches in order; one without a condition is the last.
    If(Vec<Branch>),
    Choose(Vec<Branch>),
    Match(Expr, Vec<Case>),
    For {
        name: Ident,
        range: Range,
        body: Vec<Stmt>,
    },
    /// A name for a value, until the block ends.
    Let(Ident, Expr),
    Assume(Expr),
    Assert(Option<Ident>, Expr),
    Error(Ident),
    Havoc(Lvalue),
    Call(Ident, Vec<Expr>),
    Assign(Lvalue, Expr),
    /// A procedure of something that is reached by a path. Elaborated away.
    CallAt(Path, Vec<Argument>),
    /// The run ends if this value does not fit the parameter of an instance.
    Fits(Ident, Box<TypeName>, Expr),
    /// Of several statements the one with this number, in an array of instances with this name.
    Select(Ident, Expr, Vec<Stmt>),
    /// A mistake that has been reported.
    Broken,
}

/// A branch of an `if`, or an alternative of a `choose`.
#[derive(Clone, Debug)]
pub struct Branch {
    /// `None` for `else` and `otherwise`.
    pub guard: Option<Expr>,
    /// Whether it is taken again and again, if it could be.
    pub fair: bool,
    pub body: Vec<Stmt>,
    /// From its first word to the end of its guard.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Empty for `otherwise`.
    pub patterns: Vec<Pattern>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// A value, or a range of values.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub low: Expr,
    pub high: Option<Expr>,
}

/// A place that can be assigned to.
#[derive(Clone, Debug)]
pub struct Lvalue {
    pub path: Path,
    pub span: Span,
}

/// A name, and the way from there to the object.
#[derive(Clone, Debug)]
pub struct Path {
    pub name: Ident,
    pub suffixes: Vec<Suffix>,
}

#[derive(Clone, Debug)]
pub enum Suffix {
    Index(Expr),
    /// Elaborated away.
    Field(Ident),
}

impl Path {
    /// The indices, one for each dimension once the model is elaborated.
    pub fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.suffixes.iter().filter_map(|suffix| match suffix {
            Suffix::Index(index) => Some(index),
            Suffix::Field(_) => None,
        })
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Truth(bool),
    Number(String),
    Name(String),
    /// A cell of an array, one index for each of its dimensions.
    Cell(Ident, Vec<Expr>),
    Previous(Box<Expr>),
    /// The operator as it is written.
    Unary(String, Box<Expr>),
    Binary(Box<Expr>, String, Box<Expr>),
    Within(Box<Expr>, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function of the language or of the model, and its arguments.
    Call(Ident, Vec<Expr>),
    /// `all`, `any`, `count` or `sum`, if it is one of them.
    Quantified {
        word: Ident,
        name: Ident,
        range: Range,
        body: Box<Expr>,
    },
    /// The values of an array, in the start of a variable or a constant; elsewhere elaborated away.
    List(Vec<Expr>),
    /// An object reached by fields and indices. Elaborated away.
    At(Path),
    /// A record, or a function of something that is reached by a path. Elaborated away.
    CallAt(Path, Vec<Argument>),
    /// Of several expressions the one with this number, in an array of instances with this name.
    Select(Ident, Box<Expr>, Vec<Expr>),
    /// A mistake that has been reported.
    Broken,
}
