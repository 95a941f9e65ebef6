//! Typed expressions over 32-bit integers, truth values and tables, interned in an arena.
//!
//! Programs and transition systems share them. An expression is a small copyable handle; equal expressions
//! have equal handles, and operands always precede the expressions that use them, so a pass over all
//! expressions is a loop by index and no pass needs recursion.
//!
//! Every operator is total. Undefined behaviour of C gets a fixed meaning here (see [`ops`]), and the program checks
//! for it beforehand and ends the run with a property of its own.

mod fold;
pub mod ops;
mod print;
mod walk;

pub use ops::{BinaryOp, UnaryOp};
pub use print::Names;
pub use walk::{Done, Fold, Missing};

use redoubt_base::id;
use rustc_hash::FxHashMap;

id!(/// An expression in an [`Exprs`] arena.
    ExprId);
id!(/// A variable of a program or a transition system.
    VarId);
id!(/// A value that is fresh in every step.
    InputId);
id!(/// A table: a fixed number of integer cells.
    TableId);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    /// 32-bit two's complement.
    Int,
    /// A choice among the program's tables.
    Pointer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Bool(bool),
    Int(i32),
    /// The address of a table.
    Table(TableId),
    Input(InputId),
    Var(VarId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `condition ? then : otherwise`, the branches of one type.
    Ite(ExprId, ExprId, ExprId),
    /// The cell of the table that a pointer points to; 0 outside the table.
    Cell(ExprId, ExprId),
    /// The number of cells of the table that a pointer points to.
    Length(ExprId),
}

impl Expr {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let (a, b, c) = match self {
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) | Expr::Input(_) | Expr::Var(_) => (None, None, None),
            Expr::Unary(_, a) | Expr::Length(a) => (Some(a), None, None),
            Expr::Binary(_, a, b) | Expr::Cell(a, b) => (Some(a), Some(b), None),
            Expr::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

/// The arena. The constructors fold constants and a few identities (see `fold.rs`).
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    types: Vec<Type>,
    unique: FxHashMap<Expr, ExprId>,
}

impl Exprs {
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()]
    }

    pub fn type_of(&self, id: ExprId) -> Type {
        self.types[id.index()]
    }

    /// All expressions, operands before users.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, Expr)> + '_ {
        self.nodes.iter().enumerate().map(|(index, &node)| (ExprId::new(index), node))
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value of an integer constant.
    pub fn as_int(&self, id: ExprId) -> Option<i32> {
        match self.get(id) {
            Expr::Int(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        match self.get(id) {
            Expr::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.intern(Expr::Bool(value), Type::Bool)
    }

    pub fn int(&mut self, value: i32) -> ExprId {
        self.intern(Expr::Int(value), Type::Int)
    }

    pub fn table(&mut self, table: TableId) -> ExprId {
        self.intern(Expr::Table(table), Type::Pointer)
    }

    pub fn input(&mut self, input: InputId, ty: Type) -> ExprId {
        self.intern(Expr::Input(input), ty)
    }

    pub fn var(&mut self, var: VarId, ty: Type) -> ExprId {
        self.intern(Expr::Var(var), ty)
    }

    /// The cell of a table that is not a known constant; see [`Expr::Cell`].
    pub fn cell(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        debug_assert_eq!((self.type_of(pointer), self.type_of(index)), (Type::Pointer, Type::Int));
        self.intern(Expr::Cell(pointer, index), Type::Int)
    }

    pub fn length(&mut self, pointer: ExprId) -> ExprId {
        debug_assert_eq!(self.type_of(pointer), Type::Pointer);
        self.intern(Expr::Length(pointer), Type::Int)
    }

    /// An expression of another arena, over the counterparts of its operands in this one.
    pub fn rebuild(&mut self, expr: Expr, ty: Type, operand: impl Fn(ExprId) -> ExprId) -> ExprId {
        match expr {
            Expr::Bool(value) => self.bool(value),
            Expr::Int(value) => self.int(value),
            Expr::Table(table) => self.table(table),
            Expr::Input(input) => self.input(input, ty),
            Expr::Var(var) => self.var(var, ty),
            Expr::Unary(op, a) => self.unary(op, operand(a)),
            Expr::Binary(op, a, b) => self.binary(op, operand(a), operand(b)),
            Expr::Ite(condition, then, otherwise) => self.ite(operand(condition), operand(then), operand(otherwise)),
            Expr::Cell(pointer, index) => self.cell(operand(pointer), operand(index)),
            Expr::Length(pointer) => self.length(operand(pointer)),
        }
    }

    fn intern(&mut self, expr: Expr, ty: Type) -> ExprId {
        let next = ExprId::new(self.nodes.len());
        let id = *self.unique.entry(expr).or_insert(next);
        if id == next {
            self.nodes.push(expr);
            self.types.push(ty);
        }
        debug_assert_eq!(self.types[id.index()], ty, "{expr:?} has one type");
        id
    }
}

impl Exprs {
    /// If one of two operands is a variable, and the other has one value or another by a condition: that condition. So counters
    /// are written that stop somewhere: `a + (a < 9 ? 2 : 0)`.
    pub fn condition_of_amount(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let amount = match (self.get(a), self.get(b)) {
            (Expr::Var(_), amount) | (amount, Expr::Var(_)) => amount,
            _ => return None,
        };
        match amount {
            Expr::Ite(condition, ..) | Expr::Unary(UnaryOp::ToInt, condition) => Some(condition),
            _ => None,
        }
    }

    /// The variables that an expression reads, ascending.
    pub fn variables(&self, id: ExprId) -> Vec<VarId> {
        let variable = |expr| if let Expr::Var(variable) = expr { Some(variable) } else { None };
        let mut found: Vec<VarId> = self.parts(id).filter_map(variable).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// An expression and all that it is made of, each once.
    pub fn parts(&self, id: ExprId) -> impl Iterator<Item = Expr> + '_ {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = vec![id];
        std::iter::from_fn(move || {
            let expr = self.get(pending.pop()?);
            pending.extend(expr.operands().filter(|&operand| seen.insert(operand)));
            Some(expr)
        })
    }
}
