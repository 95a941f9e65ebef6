//! The parts of the program that lowering makes: statements, variables, inputs and properties.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::types::Ty;
use redoubt_program::expr::{BinaryOp, ExprId, Exprs, VarId};
use redoubt_program::program::legend::{Legend, Lint, LintKind, Meaning, Role};
use redoubt_program::program::{
    Arm, Builder, Domain, Input, Language, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Table, Variable,
};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::Diagnostic;

/// The most statements of a program once calls are written out and loops unrolled.
const MOST_STATEMENTS: usize = 300_000;

/// The program as it is made. It knows nothing of names.
pub struct Maker {
    pub program: Builder,
    pub legend: Legend,
    /// The statements of the body that is being built.
    pub block: Vec<StmtId>,
    /// The rounds of the loops around, the outermost first.
    pub rounds: Vec<String>,
    /// The lint that has been passed on the way here.
    pub after: Option<PropertyId>,
    lints: FxHashMap<Span, PropertyId>,
    copies: usize,
    exceeded: Option<Span>,
}

impl Maker {
    pub fn new(sources: Arc<Sources>) -> Maker {
        let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
        Maker {
            program: Builder::new(name, sources).in_language(Language::StructuredText),
            legend: Legend::default(),
            block: vec![],
            rounds: vec![],
            after: None,
            lints: FxHashMap::default(),
            copies: 0,
            exceeded: None,
        }
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        self.program.exprs_mut()
    }

    fn one(&mut self, kind: StmtKind, span: Span) -> Option<StmtId> {
        if self.program.stmts.len() >= MOST_STATEMENTS {
            self.exceeded.get_or_insert(span);
            return None;
        }
        Some(self.program.add_stmt(kind, span))
    }

    /// A statement at the end of the current body.
    pub fn push(&mut self, kind: StmtKind, span: Span) {
        let stmt = self.one(kind, span);
        self.block.extend(stmt);
    }

    pub fn assign(&mut self, variable: VarId, value: ExprId, span: Span) {
        self.push(StmtKind::Assign { variable, value }, span);
    }

    /// A statement under a condition.
    pub fn do_if(&mut self, condition: ExprId, kind: StmtKind, span: Span) {
        match self.program.exprs.as_bool(condition) {
            Some(false) => {}
            Some(true) => self.push(kind, span),
            None => {
                let Some(body) = self.one(kind, span) else { return };
                self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            }
        }
    }

    /// Whether loops and calls have been written out too often; called at every copy of a body.
    pub fn is_too_much(&mut self, span: Span) -> bool {
        self.copies += 1;
        if self.copies > MOST_STATEMENTS {
            self.exceeded.get_or_insert(span);
        }
        self.exceeded.is_some()
    }

    /// The message that there are too many statements, if there are.
    pub fn excess(&self) -> Option<Diagnostic> {
        let message = format!("more than {MOST_STATEMENTS} statements once everything is written out");
        self.exceeded.map(|span| Diagnostic::new(span, message, "this one is too many"))
    }

    /// A variable; with a meaning if it is one of the author's.
    pub fn variable(&mut self, variable: Variable, meaning: Option<Meaning>) -> VarId {
        self.legend.variables.push(meaning);
        self.program.add_variable(variable)
    }

    /// A variable that keeps its value from cycle to cycle, and is none of the author's.
    pub fn hidden(&mut self, name: String, ty: Ty, initial: i32, domain: Option<Domain>, span: Span) -> VarId {
        self.variable(Variable { name, ty: ty.machine(), scope: Scope::Global, initial, domain, span }, None)
    }

    /// A new variable that lives within the cycle.
    pub fn temporary(&mut self, ty: Ty, span: Span) -> VarId {
        let name = format!("@{}", self.program.variables.len());
        self.variable(Variable { name, ty: ty.machine(), scope: Scope::Local, initial: 0, domain: None, span }, None)
    }

    pub fn table(&mut self, table: Table, meaning: Option<Meaning>, index: Meaning) -> redoubt_program::expr::TableId {
        self.legend.tables.push(meaning);
        self.legend.dimensions.push(vec![(index, table.cells.len())]);
        self.program.add_table(table)
    }

    pub fn input(&mut self, name: String, alphabet: Domain, meaning: Meaning) -> redoubt_program::expr::InputId {
        self.legend.inputs.push(Role::Input(meaning));
        self.program.add_input(Input { name, alphabet })
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: &str, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.add_property(Property { name: name.into(), kind, span, expected: None })
    }

    /// Marks a place that some run ought to visit.
    pub fn lint(&mut self, kind: LintKind, span: Span) -> PropertyId {
        let property = match self.lints.get(&span) {
            Some(&known) => known,
            None => {
                let name = format!("visited {}", self.program.sources.place(span));
                let property = self.property(&name, PropertyKind::Lint, span);
                self.lints.insert(span, property);
                self.legend.lints.push(Lint { property, kind, span, after: self.after });
                property
            }
        };
        self.push(StmtKind::Reach(property), span);
        property
    }

    // Expressions that are needed often.

    pub fn int(&mut self, value: i64) -> ExprId {
        self.exprs().int(value as i32)
    }

    pub fn op(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.exprs().binary(op, a, b)
    }

    pub fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        self.exprs().ite(condition, then, otherwise)
    }

    /// Numbers in inputs and tables; a truth value is 1 or 0 there.
    pub fn truth_of(&mut self, number: ExprId) -> ExprId {
        let one = self.exprs().int(1);
        self.exprs().eq(number, one)
    }
}
