//! The syntax tree: modules with their sections, and expressions in an arena, so that none is too deep to be dropped.

use redoubt_program::text::Span;
use redoubt_words::Bits;
use std::sync::Arc;

pub type Name = Arc<str>;

/// The place of an expression in [`Text::expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(pub u32);

#[derive(Clone, Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Boolean(bool),
    Number(i64),
    Word {
        signed: bool,
        bits: Bits,
    },
    Name(Name),
    Myself,
    Dot(ExprId, Name),
    Index(ExprId, ExprId),
    /// `w[high:low]`.
    Slice(ExprId, ExprId, ExprId),
    Not(ExprId),
    Minus(ExprId),
    Binary(Binary, ExprId, ExprId),
    Ite(ExprId, ExprId, ExprId),
    Case(Vec<(ExprId, ExprId)>),
    Set(Vec<ExprId>),
    Next(ExprId),
    Call(Function, Vec<ExprId>),
    /// `CONSTARRAY(typeof(x), value)`: the expression is x.
    Filled(ExprId, ExprId),
    /// Of one operand, of linear time.
    Linear(Linear, Option<(i64, i64)>, ExprId),
    /// Of two operands, of linear time.
    LinearPair(LinearPair, ExprId, ExprId),
    /// Of one operand, of branching time; `true` is "on all runs".
    Branching(bool, Branch, Option<(i64, i64)>, ExprId),
    /// `A [p U q]`, perhaps within bounds.
    BranchingUntil(bool, Option<(i64, i64)>, ExprId, ExprId),
    /// It parses, but has no meaning here.
    Foreign(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Times,
    Divide,
    Mod,
    Plus,
    Minus,
    ShiftLeft,
    ShiftRight,
    Concat,
    Range,
    Union,
    In,
    Equal,
    Unequal,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    And,
    Or,
    Xor,
    Xnor,
    Iff,
    Implies,
}

impl Binary {
    pub fn text(self) -> &'static str {
        match self {
            Binary::Times => "*",
            Binary::Divide => "/",
            Binary::Mod => "mod",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Concat => "::",
            Binary::Range => "..",
            Binary::Union => "union",
            Binary::In => "in",
            Binary::Equal => "=",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::Greater => ">",
            Binary::LessEqual => "<=",
            Binary::GreaterEqual => ">=",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "xor",
            Binary::Xnor => "xnor",
            Binary::Iff => "<->",
            Binary::Implies => "->",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linear {
    Next,
    Previous,
    /// Previous, true at the start.
    WeakPrevious,
    Finally,
    Globally,
    Once,
    Historically,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinearPair {
    Until,
    Releases,
    Since,
    Triggered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branch {
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Bool,
    Word1,
    ToInt,
    Count,
    Abs,
    Max,
    Min,
    Extend,
    Resize,
    SizeOf,
    Signed,
    Unsigned,
    UnsignedConstant,
    SignedConstant,
    Read,
    Write,
}

#[derive(Clone, Debug)]
pub struct Text {
    pub expressions: Vec<Expr>,
    pub modules: Vec<Module>,
}

impl Text {
    pub fn kind(&self, id: ExprId) -> &Kind {
        &self.expressions[id.0 as usize].kind
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.expressions[id.0 as usize].span
    }

    pub fn add(&mut self, span: Span, kind: Kind) -> ExprId {
        self.expressions.push(Expr { span, kind });
        ExprId(self.expressions.len() as u32 - 1)
    }
}

#[derive(Clone, Debug)]
pub struct Ident {
    pub text: Name,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Variable,
    Input,
    Frozen,
}

#[derive(Clone, Debug)]
pub enum Item {
    Declaration(Storage, Ident, TypeSpec),
    Constants(Vec<Ident>),
    Definition(Ident, Definition),
    Assignment(When, ExprId, ExprId, Span),
    Init(ExprId),
    Trans(ExprId),
    Invar(ExprId),
    Justice(ExprId),
    Compassion(ExprId, ExprId),
    Isa(Ident),
    Specification(Specification),
}

#[derive(Clone, Debug)]
pub enum Definition {
    Value(ExprId),
    Array(Vec<Definition>),
}

/// The moment of the variable on the left of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    Always,
    Initially,
    Next,
}

#[derive(Clone, Debug)]
pub struct TypeSpec {
    pub span: Span,
    pub kind: TypeKind,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Boolean,
    Enumeration(Vec<(Constant, Span)>),
    /// Any expression: `low..high`.
    Range(ExprId),
    Word(bool, ExprId),
    Array(ExprId, Box<TypeSpec>),
    WordArray(ExprId, Box<TypeSpec>),
    Instance {
        module: Ident,
        arguments: Vec<ExprId>,
        is_process: bool,
    },
    /// A type of another dialect.
    Foreign(&'static str),
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    Number(i64),
    Symbol(Name),
    Boolean(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecKind {
    Ctl,
    Ltl,
    Invariant,
    Minimum,
    Maximum,
    Psl,
}

#[derive(Clone, Debug)]
pub struct Specification {
    pub kind: SpecKind,
    pub name: Option<Ident>,
    pub span: Span,
    /// One formula; two for `COMPUTE`; none if the text is no formula.
    pub formulas: Vec<ExprId>,
}
