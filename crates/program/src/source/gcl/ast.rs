//! A model as its author wrote it: the syntax tree that type checking and lowering walk over.

use crate::program::Status;
use crate::text::Span;

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
    Const { name: Ident, value: Start },
    Enum { name: Ident, values: Vec<Ident> },
    Type { name: Ident, ty: TypeName },
    Input { name: Ident, ty: TypeName },
    Var { name: Ident, ty: TypeName, start: Option<Start> },
    Define { name: Ident, body: Expr },
    Proc(Proc),
    Step(Vec<Stmt>),
    Property(Property),
    Assume(Expr),
}

#[derive(Clone, Debug)]
pub struct Proc {
    pub name: Ident,
    pub parameters: Vec<(Ident, TypeName)>,
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
}

/// What a variable starts with.
#[derive(Clone, Debug)]
pub enum Start {
    /// This value, in every cell of an array.
    Value(Expr),
    /// These values, cell by cell.
    Cells(Vec<Expr>, Span),
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
        low: Expr,
        high: Expr,
        body: Vec<Stmt>,
    },
    Assume(Expr),
    Assert(Option<Ident>, Expr),
    Error(Ident),
    Havoc(Place),
    Call(Ident, Vec<Expr>),
    Assign(Place, Expr),
}

/// A branch of an `if`, or an alternative of a `choose`.
#[derive(Clone, Debug)]
pub struct Branch {
    /// `None` for `else` and `otherwise`.
    pub guard: Option<Expr>,
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

/// What can be assigned to.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: Ident,
    pub index: Option<Expr>,
    pub span: Span,
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
    Cell(Ident, Box<Expr>),
    Previous(Box<Expr>),
    /// The operator as it is written.
    Unary(String, Box<Expr>),
    Binary(Box<Expr>, String, Box<Expr>),
    Within(Box<Expr>, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function of the language and its arguments.
    Call(Ident, Vec<Expr>),
    /// `all`, `any`, `count` or `sum`, if it is one of them.
    Quantified {
        word: Ident,
        name: Ident,
        low: Box<Expr>,
        high: Box<Expr>,
        body: Box<Expr>,
    },
}
