//! Parts to a program: every maker of programs adds variables, expressions and statements here and gets a program
//! that has been verified.
//!
//! No two things of a kind have one name, so that a name identifies one thing. A variable, a table or an input whose
//! name is taken is numbered: the second `x` is called `x#2`, the third `x#3`, and a number that is taken too is
//! skipped. So names depend on nothing but the order in which the parts are added.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    Fairness, Function, FunctionId, Input, Language, Legend, LoopHead, Malformed, Program, Property, PropertyId,
    Status, Stmt, StmtId, StmtKind, Table, Timed, Variable, Words,
};
use crate::expr::{BinaryOp, ExprId, Exprs, InputId, TableId, VarId};
use crate::text::{Sources, Span};

/// A program under construction. It can be read like a finished one.
#[derive(Clone, Debug)]
pub struct Builder {
    program: Program,
    places: Names,
    inputs: Names,
    properties: FxHashMap<String, PropertyId>,
    /// Per function: whether it has its body.
    defined: Vec<bool>,
    has_step: bool,
}

impl Deref for Builder {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl Builder {
    /// A program that does nothing yet.
    pub fn new(name: impl Into<String>, sources: Arc<Sources>) -> Builder {
        let nothing = Stmt { kind: StmtKind::Sequence(vec![]), span: Span::default() };
        let program = Program {
            name: name.into(),
            language: Language::RersC,
            sources,
            constants: BTreeMap::new(),
            exprs: Exprs::default(),
            stmts: vec![nothing],
            inputs: vec![],
            variables: vec![],
            tables: vec![],
            functions: vec![],
            properties: vec![],
            setup: StmtId::new(0),
            step: StmtId::new(0),
            words: Words::default(),
            legend: None,
            heads: vec![],
            location: None,
            timed: vec![],
            fairness: vec![],
        };
        Builder {
            program,
            places: Names::default(),
            inputs: Names::default(),
            properties: FxHashMap::default(),
            defined: vec![],
            has_step: false,
        }
    }

    /// The same for a program in this language, instead of C of the challenge.
    pub fn in_language(mut self, language: Language) -> Builder {
        self.program.language = language;
        self
    }

    /// Goes on with a program. Properties of its whole runs, and the meaning of its numbers, need not fit the result,
    /// and are left behind.
    pub fn of(program: Program) -> Builder {
        let program = Program { legend: None, heads: vec![], timed: vec![], fairness: vec![], ..program };
        let taken = |names: Vec<&String>| Names { taken: names.into_iter().map(|name| (name.clone(), 1)).collect() };
        let variables = program.variables.iter().map(|variable| &variable.name);
        let places = taken(variables.chain(program.tables.iter().map(|table| &table.name)).collect());
        let inputs = taken(program.inputs.iter().map(|input| &input.name).collect());
        let named = program.properties.iter().enumerate();
        let properties = named.map(|(index, property)| (property.name.clone(), PropertyId::new(index))).collect();
        let defined = vec![true; program.functions.len()];
        Builder { places, inputs, properties, defined, has_step: true, program }
    }

    /// The arena, to make expressions in.
    pub fn exprs_mut(&mut self) -> &mut Exprs {
        &mut self.program.exprs
    }

    pub fn add_input(&mut self, input: Input) -> InputId {
        let name = self.inputs.unique(input.name);
        self.program.inputs.push(Input { name, ..input });
        InputId::new(self.program.inputs.len() - 1)
    }

    pub fn add_variable(&mut self, mut variable: Variable) -> VarId {
        variable.name = self.places.unique(variable.name);
        self.program.variables.push(variable);
        VarId::new(self.program.variables.len() - 1)
    }

    pub fn add_table(&mut self, table: Table) -> TableId {
        let name = self.places.unique(table.name);
        self.program.tables.push(Table { name, ..table });
        TableId::new(self.program.tables.len() - 1)
    }

    /// Gives a table other cells to start with.
    pub fn set_cells(&mut self, table: TableId, cells: Vec<i32>) {
        self.program.tables[table.index()].cells = cells;
    }

    /// Declares that some statement may write a table. A store through a pointer has to be declared for every table
    /// that the pointer may point to.
    pub fn mark_written(&mut self, table: TableId) {
        self.program.tables[table.index()].written = true;
    }

    /// The property of this name, made when it is first asked for.
    pub fn add_property(&mut self, property: Property) -> PropertyId {
        if let Some(known) = self.find_property(&property.name) {
            return known;
        }
        let id = PropertyId::new(self.program.properties.len());
        self.properties.insert(property.name.clone(), id);
        self.program.properties.push(property);
        id
    }

    /// Says which verdict a property should have.
    pub fn expect(&mut self, property: PropertyId, expected: Status) {
        self.program.properties[property.index()].expected = Some(expected);
    }

    pub fn find_property(&self, name: &str) -> Option<PropertyId> {
        self.properties.get(name).copied()
    }

    /// Lets the arms of a choice be taken only where a condition holds as well.
    pub fn guard(&mut self, choice: StmtId, condition: ExprId) {
        let Program { stmts, exprs, .. } = &mut self.program;
        if let StmtKind::Choice(arms) = &mut stmts[choice.index()].kind {
            arms.iter_mut().for_each(|arm| arm.guard = exprs.binary(BinaryOp::And, condition, arm.guard));
        }
    }

    /// A function that can be called from now on, and gets its body later.
    pub fn declare_function(
        &mut self,
        name: impl Into<String>,
        parameters: Vec<VarId>,
        result: Option<VarId>,
        span: Span,
    ) -> FunctionId {
        let body = self.program.setup;
        self.program.functions.push(Function { name: name.into(), parameters, result, body, span });
        self.defined.push(false);
        FunctionId::new(self.defined.len() - 1)
    }

    pub fn define_function(&mut self, function: FunctionId, body: StmtId) {
        self.program.functions[function.index()].body = body;
        self.defined[function.index()] = true;
    }

    /// A statement; those inside it have been added before and stand nowhere else.
    pub fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.program.stmts.push(Stmt { kind, span });
        StmtId::new(self.program.stmts.len() - 1)
    }

    /// One statement for several in a row. It is found where the first of them is.
    pub fn add_sequence(&mut self, mut list: Vec<StmtId>) -> StmtId {
        if let [only] = list.as_slice() {
            return *only;
        }
        list.shrink_to_fit();
        let span = list.first().map_or(Span::default(), |&first| self.stmt(first).span);
        self.add_stmt(StmtKind::Sequence(list), span)
    }

    /// The statement that runs once, before the first step; without it there is no setup.
    pub fn set_setup(&mut self, setup: StmtId) {
        self.program.setup = setup;
    }

    pub fn set_step(&mut self, step: StmtId) {
        self.program.step = step;
        self.has_step = true;
    }

    /// Puts another statement in the place of one.
    pub fn replace_stmt(&mut self, stmt: StmtId, kind: StmtKind) {
        self.program.stmts[stmt.index()].kind = kind;
    }

    /// Asks something about whole runs.
    pub fn add_timed(&mut self, timed: Timed) {
        self.program.timed.push(timed);
    }

    /// Adds a condition that recurs.
    pub fn add_fairness(&mut self, fairness: Fairness) {
        self.program.fairness.push(fairness);
    }

    pub fn set_heads(&mut self, heads: Vec<LoopHead>) {
        self.program.heads = heads;
    }

    /// Says which words numbers stand for.
    pub fn set_words(&mut self, words: Words) {
        self.program.words = words;
    }

    pub fn set_location(&mut self, location: VarId) {
        self.program.location = Some(location);
    }

    pub fn set_legend(&mut self, legend: Legend) {
        self.program.legend = Some(legend);
    }

    /// The program, if it is well-formed.
    pub fn finish(mut self) -> Result<Program, Malformed> {
        if let Some(index) = self.defined.iter().position(|defined| !defined) {
            return Err(Malformed::NoBody(self.program.functions[index].name.clone()));
        }
        if !self.has_step {
            self.program.step = self.add_stmt(StmtKind::Sequence(vec![]), Span::default());
        }
        self.program.verify()?;
        Ok(self.program)
    }
}

/// The names that are taken, with how often each was asked for.
#[derive(Clone, Debug, Default)]
struct Names {
    taken: FxHashMap<String, usize>,
}

impl Names {
    fn unique(&mut self, name: String) -> String {
        let Some(&before) = self.taken.get(&name) else {
            self.taken.insert(name.clone(), 1);
            return name;
        };
        let free = (before + 1..).find(|number| !self.taken.contains_key(&format!("{name}#{number}")));
        let number = free.expect("fewer names than numbers are taken");
        let numbered = format!("{name}#{number}");
        self.taken.insert(numbered.clone(), 1);
        self.taken.insert(name, number);
        numbered
    }
}
