//! Structured Text as its author wrote it: the syntax tree.
//!
//! Names ignore case: they are looked up by their [`Ident::key`], and shown by their text.

use redoubt_program::program::Status;
use redoubt_program::text::Span;

#[derive(Clone, Debug)]
pub struct Ident {
    pub text: String,
    pub span: Span,
}

impl Ident {
    pub fn key(&self) -> String {
        key(&self.text)
    }
}

/// The form of a name for looking it up.
pub fn key(name: &str) -> String {
    name.to_lowercase()
}

/// All files together.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub types: Vec<TypeDeclaration>,
    pub globals: Vec<VarBlock>,
    pub units: Vec<Unit>,
    pub remarks: Vec<Remark>,
}

#[derive(Clone, Debug)]
pub struct TypeDeclaration {
    pub name: Ident,
    pub spec: TypeSpec,
    pub start: Option<Start>,
}

#[derive(Clone, Debug)]
pub struct TypeSpec {
    pub kind: TypeKind,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Enumeration(Vec<(Ident, Option<Expr>)>),
    Structure(Vec<Declaration>),
    Array(Vec<(Expr, Expr)>, Box<TypeSpec>),
    Subrange(Ident, Box<(Expr, Expr)>),
    Named(Ident),
    /// Something that is not supported, with the message that says so.
    Unsupported(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    Static,
    Input,
    Output,
    InOut,
    Temp,
    Global,
    External,
}

#[derive(Clone, Debug)]
pub struct VarBlock {
    pub kind: VarKind,
    pub is_constant: bool,
    pub declarations: Vec<Declaration>,
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub names: Vec<Declared>,
    pub spec: TypeSpec,
    pub start: Option<Start>,
}

#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Ident,
    /// The location behind `AT`, such as `%IX0.0`.
    pub location: Option<Ident>,
}

/// The initial value of a variable.
#[derive(Clone, Debug)]
pub enum Start {
    Value(Expr),
    /// Values of an array, each with a number of repetitions.
    List(Vec<(usize, Start)>, Span),
    Fields(Vec<(Ident, Start)>, Span),
}

impl Start {
    pub fn span(&self) -> Span {
        match self {
            Start::Value(value) => value.span,
            Start::List(_, span) | Start::Fields(_, span) => *span,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    Program,
    Block,
    Function,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    pub name: Ident,
    pub result: Option<TypeSpec>,
    pub blocks: Vec<VarBlock>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Assign(Place, Expr),
    Call(Place),
    If(Vec<Branch>),
    Case(Expr, Vec<Arm>),
    For(Box<Counting>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Repeat(Vec<Stmt>, Expr),
    Exit,
    Continue,
    Return,
    Assert(Option<Ident>, Expr),
}

/// The range of a `FOR`.
#[derive(Clone, Debug)]
pub struct Counting {
    pub variable: Place,
    pub from: Expr,
    pub to: Expr,
    pub by: Option<Expr>,
}

/// A branch of an `IF`; one without a condition is the last.
#[derive(Clone, Debug)]
pub struct Branch {
    pub condition: Option<Expr>,
    pub body: Vec<Stmt>,
    /// From its first word to the end of its condition.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Arm {
    /// Values, or ranges of them; empty for `ELSE`.
    pub labels: Vec<(Expr, Option<Expr>)>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// A name, and the way from there to the object.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: Ident,
    pub suffixes: Vec<Suffix>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Suffix {
    Field(Ident),
    /// A bit of a number.
    Bit(u32, Span),
    Index(Vec<Expr>, Span),
    Call(Vec<Argument>, Span),
    Pointer(Span),
}

#[derive(Clone, Debug)]
pub enum Argument {
    In(Option<Ident>, Expr),
    /// `name => place`, perhaps negated; without a place nothing is copied.
    Out {
        name: Ident,
        place: Option<Place>,
        negated: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Truth(bool),
    Number(i64),
    /// `INT#5`, `WORD#16#FF`.
    Typed(Ident, i64),
    /// `Phase#Open`, `BOOL#TRUE`.
    Qualified(Ident, Ident),
    /// In milliseconds.
    Duration(i64),
    /// A literal of a kind that is not supported, with the message that says so.
    Unsupported(&'static str),
    Place(Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Negate,
    Plus,
    Not,
    Prev,
    Once,
    Historically,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Iff,
    Implies,
    Since,
    Or,
    OrElse,
    Xor,
    And,
    AndThen,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

/// A remark to the verifier in a comment.
#[derive(Clone, Debug)]
pub enum Remark {
    /// The duration of a cycle, in milliseconds.
    Cycle(i64, Span),
    Main(Ident),
    Assume(Expr, Span),
    Property(Property),
    /// The expected verdict of a property that has no declaration of its own.
    Expect(Ident, Status),
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: Ident,
    pub judgement: Option<Judgement>,
    pub condition: Expr,
    /// Behind `~>`.
    pub response: Option<Expr>,
    pub within: Option<Bound>,
    pub expected: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Always,
    Never,
    Reach,
    Resettable,
}

#[derive(Clone, Copy, Debug)]
pub enum Bound {
    Cycles(i64, Span),
    Milliseconds(i64, Span),
}
