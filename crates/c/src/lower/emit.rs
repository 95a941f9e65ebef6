//! The automaton under construction, with the block that its next actions go to.
//!
//! Nothing here knows what the names of the text stand for, and of types only which numbers they have.

use rustc_hash::FxHashMap;

use super::memory::Memory;
use super::order::{Since, Store};
use super::{How, high_table, high_word, is_wide};
use crate::ast::StmtId;
use crate::types::{Integer, Model};
use redoubt_program::expr::{ExprId, Exprs, TableId, VarId};
use redoubt_program::flow::{Action, ActionKind, Automaton, Block, BlockId, End};
use redoubt_program::program::{Builder, Domain, Property, PropertyId, PropertyKind, Scope, Table, Variable};
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, Refused};
use redoubt_reading::{Diagnostic, Diagnostics};

/// The refusal of blocks that have no end yet, and of those that will never have one, since they are parts of something
/// that was refused.
const UNFINISHED: End = End::Refuse(0);

/// A function, by its body.
pub type Routine = StmtId;

/// Builds the automaton, block after block.
pub struct Emitter {
    pub automaton: Automaton,
    pub builder: Builder,
    /// Where actions are added.
    pub current: BlockId,
    /// The refusals, if a run can get there, by the number of [`End::Refuse`].
    pub refusals: Vec<Diagnostics>,
    /// The calls that the run is in.
    running: Vec<Running>,
    /// The blocks that the run is in, those of the callers too: their variables are there.
    pub living: Vec<StmtId>,
    /// By function, number and whether they take two words.
    temporaries: FxHashMap<(Routine, usize, bool), VarId>,
    /// By what only one function uses: that function.
    owners: FxHashMap<Store, Routine>,
    /// Objects, and what pointers point to.
    pub memory: Memory,
    /// How large types are.
    pub model: Model,
    /// How much room what has no bound gets: so many cells, or calls within each other.
    pub room: u32,
    /// Whether short loops are written out.
    pub unroll: bool,
    /// By variables that calls within each other have one each of: where those of the outer ones are kept.
    pub stacks: FxHashMap<VarId, TableId>,
    /// How many calls are under way, if anybody counts them.
    pub depth: Option<VarId>,
    /// By functions that may call themselves: how much they had for themselves when the program was lowered before.
    pub owned_before: FxHashMap<Routine, usize>,
}

struct Running {
    routine: Routine,
    /// The number of variables of its own that lowering has needed for this call.
    temporaries: usize,
}

impl Emitter {
    pub fn new(builder: Builder, how: How) -> Emitter {
        let mut emitter = Emitter {
            automaton: Automaton::default(),
            builder,
            current: BlockId::new(0),
            refusals: vec![unfinished().into()],
            running: vec![],
            living: vec![],
            temporaries: FxHashMap::default(),
            owners: FxHashMap::default(),
            memory: Memory::new(),
            model: how.reading.model,
            room: how.reading.room,
            unroll: how.unroll,
            stacks: FxHashMap::default(),
            depth: None,
            owned_before: FxHashMap::default(),
        };
        emitter.begin_again();
        emitter
    }

    /// Forgets the blocks, and keeps what has been found out about names and objects.
    pub fn begin_again(&mut self) {
        self.automaton.blocks.clear();
        self.refusals.truncate(1);
        self.running.clear();
        self.living.clear();
        self.memory.has_grown = false;
        self.current = self.new_block();
    }

    /// Begins a call of a function, to which the following blocks belong.
    pub fn enter(&mut self, routine: Routine) {
        self.running.push(Running { routine, temporaries: 0 });
    }

    pub fn leave(&mut self) {
        self.running.pop();
    }

    /// The function that runs now, if one does.
    pub fn routine(&self) -> Option<Routine> {
        self.running.last().map(|call| call.routine)
    }

    pub fn is_running(&self, routine: Routine) -> bool {
        self.running.iter().any(|call| call.routine == routine)
    }

    /// A function keeps something for itself while it runs: no call of it sees what another had there.
    pub fn own(&mut self, variable: VarId, ty: Integer, routine: Routine) {
        self.owners.insert(Store::Variable(variable), routine);
        if is_wide(ty) {
            self.owners.insert(Store::Variable(high_word(variable)), routine);
        }
    }

    pub fn own_table(&mut self, table: TableId, ty: Integer, routine: Routine) {
        self.owners.insert(Store::Table(table), routine);
        if is_wide(ty) {
            self.owners.insert(Store::Table(high_table(table)), routine);
        }
    }

    /// What functions keep for themselves, in a fixed order.
    pub fn owned_by(&self, routines: &[Routine]) -> Vec<Store> {
        let mut list: Vec<Store> =
            self.owners.iter().filter(|(_, owner)| routines.contains(owner)).map(|(&store, _)| store).collect();
        list.sort_unstable();
        list
    }

    /// The functions that have begun since one of them did, and that one.
    pub fn running_since(&self, routine: Routine) -> Vec<Routine> {
        let from = self.running.iter().rposition(|call| call.routine == routine).unwrap_or(0);
        self.running[from..].iter().map(|call| call.routine).collect()
    }

    /// Whether only one function uses something, and it is not running now.
    pub fn is_unseen(&self, store: &Store) -> bool {
        self.owners.get(store).is_some_and(|&owner| !self.is_running(owner))
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        self.builder.exprs_mut()
    }

    pub fn new_block(&mut self) -> BlockId {
        self.automaton.blocks.push(Block { actions: vec![], end: UNFINISHED });
        BlockId::new(self.automaton.blocks.len() - 1)
    }

    /// The block that will be made next.
    pub fn next_block(&self) -> BlockId {
        BlockId::new(self.automaton.blocks.len())
    }

    pub fn action(&mut self, kind: ActionKind, span: Span) {
        self.automaton.blocks[self.current.index()].actions.push(Action { kind, span });
    }

    /// Ends the current block and goes on with another one.
    pub fn end(&mut self, end: End, next: BlockId) {
        self.automaton.blocks[self.current.index()].end = end;
        self.current = next;
    }

    pub fn jump(&mut self, to: BlockId, next: BlockId) {
        self.end(End::Jump(to), next);
    }

    /// A block that begins here.
    pub fn begin_block(&mut self) -> BlockId {
        let block = self.new_block();
        self.jump(block, block);
        block
    }

    /// Ends the current block for good; what follows is unreachable unless a label stands before it.
    pub fn finish(&mut self, end: End) {
        let next = self.new_block();
        self.end(end, next);
    }

    pub fn branch(&mut self, condition: ExprId, then: BlockId, otherwise: BlockId, span: Span, next: BlockId) {
        self.end(End::Branch { condition, then, otherwise, span }, next);
    }

    pub fn assign(&mut self, variable: VarId, value: ExprId, span: Span) {
        self.action(ActionKind::Assign { variable, value }, span);
    }

    pub fn variable(&mut self, name: &str, initial: i32, span: Span) -> VarId {
        let (name, ty, scope) = (name.to_string(), redoubt_program::expr::Type::Int, Scope::Global);
        self.automaton.variables.push(Variable { name, ty, scope, initial, domain: None, span });
        VarId::new(self.automaton.variables.len() - 1)
    }

    /// A variable for numbers of a type: one of 64 bits takes two, the low word and behind it the high one.
    pub fn variable_of(&mut self, name: &str, ty: Integer, initial: i128, span: Span) -> VarId {
        let variable = self.variable(name, initial as i32, span);
        if is_wide(ty) {
            self.variable(&format!("{name}.high"), (initial >> 32) as i32, span);
        }
        variable
    }

    /// A variable that only lowering knows, of one word.
    pub fn temporary(&mut self, span: Span) -> VarId {
        self.temporary_of(Integer::INT, span)
    }

    /// The same for a type. No call of a function sees the temporaries of another one, so all calls have the same: then
    /// the blocks of these calls are the same, too, and may become one.
    pub fn temporary_of(&mut self, ty: Integer, span: Span) -> VarId {
        let Some(call) = self.running.last_mut() else { return self.variable_of("value", ty, 0, span) };
        let routine = call.routine;
        let key = (routine, call.temporaries, is_wide(ty));
        call.temporaries += 1;
        if let Some(&known) = self.temporaries.get(&key) {
            return known;
        }
        let variable = self.variable_of("value", ty, 0, span);
        self.own(variable, ty, routine);
        self.temporaries.insert(key, variable);
        variable
    }

    /// The table of an array; one of 64-bit numbers takes two, that of the low words and behind it that of the high ones.
    pub fn table(&mut self, name: &str, cells: &[i128], element: Integer, span: Span) -> TableId {
        let mut add = |name: String, amount: u32| {
            let cells = cells.iter().map(|cell| (cell >> amount) as i32).collect();
            self.builder.add_table(Table { name, cells, written: false, domain: None, span })
        };
        let table = add(name.into(), 0);
        if is_wide(element) {
            add(format!("{name}.high"), 32);
        }
        table
    }

    pub fn read(&mut self, variable: VarId) -> ExprId {
        self.exprs().var(variable, redoubt_program::expr::Type::Int)
    }

    /// Gives a variable any value of a type.
    pub fn choose(&mut self, variable: VarId, ty: Integer, name: Option<&'static str>, span: Span) {
        let domain = if ty.bits < 32 { Domain::Range(ty.low() as i32, ty.high() as i32) } else { Domain::ANY };
        self.action(ActionKind::Choose { variable, domain: domain.clone(), name }, span);
        if is_wide(ty) {
            self.action(ActionKind::Choose { variable: high_word(variable), domain, name }, span);
        }
    }

    /// Gives a variable one of the numbers between two.
    pub fn choose_between(&mut self, variable: VarId, low: i32, high: i32, span: Span) {
        self.action(ActionKind::Choose { variable, domain: Domain::Range(low, high), name: None }, span);
    }

    pub fn store(&mut self, table: TableId, index: ExprId, value: ExprId, span: Span) {
        self.action(ActionKind::Store { table, index, value }, span);
    }

    /// Gives the cells of an array any values of their type.
    pub fn undefine_cells(&mut self, table: TableId, element: Integer, span: Span) {
        for index in 0..self.builder.table(table).cells.len() {
            let value = self.temporary_of(element, span);
            self.choose(value, element, None, span);
            let (index, low) = (self.exprs().int(index as i32), self.read(value));
            self.store(table, index, low, span);
            if is_wide(element) {
                let high = self.read(high_word(value));
                self.store(high_table(table), index, high, span);
            }
        }
    }

    /// Takes back all that was made since then.
    pub fn rewind(&mut self, since: Since) {
        self.automaton.blocks.truncate(since.blocks);
        self.current = since.current;
        let block = &mut self.automaton.blocks[since.current.index()];
        block.actions.truncate(since.actions);
        block.end = UNFINISHED;
    }

    /// Whether nothing was made since then.
    pub fn is_same(&self, since: Since) -> bool {
        let actions = self.automaton.blocks[self.current.index()].actions.len();
        (self.automaton.blocks.len(), self.current, actions) == (since.blocks, since.current, since.actions)
    }

    /// The property of a kind.
    pub fn property(&mut self, kind: PropertyKind, span: Span) -> PropertyId {
        let name = match kind {
            PropertyKind::DivisionByZero => "division_by_zero",
            PropertyKind::DivisionOverflow => "division_overflow",
            PropertyKind::IndexOutOfBounds => "index_out_of_bounds",
            PropertyKind::ShiftOutOfRange => "shift_out_of_range",
            PropertyKind::InvalidDereference => "invalid_dereference",
            PropertyKind::OutOfMemoryModel => "out_of_memory_model",
            PropertyKind::RecursionTooDeep => "recursion_too_deep",
            PropertyKind::InvalidFree => "invalid_free",
            PropertyKind::FloatConversionRange => "float_conversion_range",
            _ => "reach_error",
        };
        self.builder.add_property(Property { name: name.into(), kind, span, expected: None })
    }

    /// Ends the run in an error where a condition holds.
    pub fn check(&mut self, is_wrong: ExprId, kind: PropertyKind, span: Span) {
        if self.builder.exprs.as_bool(is_wrong) == Some(false) {
            return;
        }
        let (error, next) = (self.new_block(), self.new_block());
        let property = self.property(kind, span);
        self.automaton.blocks[error.index()].end = End::Error(property, span);
        self.branch(is_wrong, error, next, span, next);
    }

    /// The end of blocks that are refused for these reasons.
    pub fn refusal(&mut self, mistakes: Diagnostics) -> End {
        self.refusals.push(mistakes);
        End::Refuse(self.refusals.len() - 1)
    }

    /// A part without meaning here ends the reading only if a run gets here, or to one of the blocks, from this one on,
    /// that it left without an end.
    pub fn tolerate(&mut self, lowered: Lowered, first: BlockId) -> Lowered {
        match lowered {
            Err(Refused::Mistakes(mistakes)) => {
                let refuse = self.refusal(mistakes);
                let left = self.automaton.blocks[first.index()..].iter_mut().filter(|block| block.end == UNFINISHED);
                left.for_each(|block| block.end = refuse.clone());
                self.finish(refuse);
                Ok(())
            }
            other => other,
        }
    }
}

/// The message about a block without an end, if no other one says more.
fn unfinished() -> Diagnostic {
    Diagnostic::new(Span::default(), "a part of the program was not understood", "a run can come there")
}
