//! Functions that call themselves: one copy of their blocks, and a stack of tables for what the calls under way keep.
//!
//! A call of a function that is under way puts everything aside that this call and those around it keep for themselves, notes where it
//! returns to, and goes to where the function begins. A stack that is too small is a property of its own: only where that is unreachable
//! was it no restriction.

use super::emit::{Emitter, Routine};
use super::memory::{Home, Key, Leaf};
use super::order::Store;
use super::{Lowerer, unsupported};
use crate::ast::Function;
use crate::types::{Integer, Type};
use redoubt_program::expr::{BinaryOp, TableId, VarId};
use redoubt_program::flow::BlockId;
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// A function that is being put in place.
pub struct Active {
    pub routine: Routine,
    /// Where it begins, once its parameters have their values.
    pub entry: BlockId,
    /// The calls of it while it is under way: the number of each, and where it returns to.
    pub sites: Vec<(i32, BlockId)>,
}

/// How a call of such a function begins.
#[derive(Clone, Copy)]
pub enum Began {
    First,
    /// It is under way; the call has this number.
    Again {
        site: i32,
    },
}

impl<'a, 's> Lowerer<'a, 's> {
    /// Begins a call of a function that may call itself: what the calls under way keep is put aside.
    pub fn begin_call(&mut self, function: &'a Function<'s>, span: Span) -> Lowered<Began> {
        let is_again = self.active.iter().any(|active| active.routine == function.body);
        let (depth, sites) = self.out.stack(span)?;
        let depth_word = self.out.read(depth);
        let room = self.out.room;
        let exprs = self.out.exprs();
        let all = exprs.int(room as i32);
        let is_full = exprs.binary(BinaryOp::LessEq, all, depth_word);
        self.out.check(is_full, PropertyKind::RecursionTooDeep, span);
        let site = if is_again {
            self.sites += 1;
            for variable in self.kept_aside(function, span)? {
                let (table, value) = (self.out.stack_of(variable, span), self.out.read(variable));
                self.out.store(table, depth_word, value, span);
            }
            self.sites
        } else {
            0
        };
        let number = self.out.exprs().int(site);
        self.out.store(sites, depth_word, number, span);
        let one = self.out.exprs().int(1);
        let more = self.out.exprs().binary(BinaryOp::Add, depth_word, one);
        self.out.assign(depth, more, span);
        Ok(if is_again { Began::Again { site } } else { Began::First })
    }

    /// What the calls from the last one of a function on keep for themselves, but for results.
    fn kept_aside(&mut self, function: &'a Function<'s>, span: Span) -> Lowered<Vec<VarId>> {
        let routines = self.out.running_since(function.body);
        let results = self.out.result_variables();
        let mut list = vec![];
        for store in self.out.owned_by(&routines) {
            match store {
                Store::Variable(variable) if !results.contains(&variable) => list.push(variable),
                Store::Variable(_) => {}
                Store::Table(_) => return unsupported(span, "an array in a function that calls itself"),
            }
        }
        Ok(list)
    }

    /// Goes to where a function begins that is under way, and on from where it returns.
    pub fn go_again(&mut self, function: &'a Function<'s>, site: i32, span: Span) -> Lowered {
        let back = self.out.new_block();
        let variables = self.kept_aside(function, span)?;
        let Some(active) = self.active.iter_mut().rev().find(|active| active.routine == function.body) else {
            return unsupported(span, "this call");
        };
        active.sites.push((site, back));
        let entry = active.entry;
        self.out.jump(entry, back);
        let (depth, _) = self.out.stack(span)?;
        for variable in variables {
            let table = self.out.stack_of(variable, span);
            let index = self.out.read(depth);
            let value = self.out.cell(table, index);
            self.out.assign(variable, value, span);
        }
        Ok(())
    }

    /// Where a function ends: back to the call that was noted last. The first one goes on here.
    pub fn return_to_callers(&mut self, active: &Active, span: Span) -> Lowered {
        let (depth, sites) = self.out.stack(span)?;
        let (word, one) = (self.out.read(depth), self.out.exprs().int(1));
        let less = self.out.exprs().binary(BinaryOp::Sub, word, one);
        self.out.assign(depth, less, span);
        let site = self.out.cell(sites, word);
        let site = self.out.settled(site, span);
        for &(number, back) in &active.sites {
            let next = self.out.new_block();
            let number = self.out.exprs().int(number);
            let is_it = self.out.exprs().eq(site, number);
            self.out.branch(is_it, back, next, span, next);
        }
        self.out.is_deeper_than_before(&active.routine);
        Ok(())
    }
}

impl Emitter {
    /// How many calls are under way, and where they return to.
    fn stack(&mut self, span: Span) -> Lowered<(VarId, TableId)> {
        let key = Key::Global("calls within each other".into());
        let object = self.object(key, "depth", &Type::Integer(Integer::INT), None, None, span)?;
        let leaf = self.memory.object(object).leaves[0].clone();
        let Home::Variable(depth) = leaf.home else { return unsupported(span, "this call") };
        self.depth = Some(depth);
        let table = match self.stacks.get(&depth) {
            Some(&table) => table,
            None => {
                let table = self.table("return", &vec![0; self.room as usize], Integer::INT, span);
                self.stacks.insert(depth, table);
                table
            }
        };
        Ok((depth, table))
    }

    fn stack_of(&mut self, variable: VarId, span: Span) -> TableId {
        if let Some(&known) = self.stacks.get(&variable) {
            return known;
        }
        let name = format!("stack of {}", self.automaton.variables[variable.index()].name);
        let table = self.table(&name, &vec![0; self.room as usize], Integer::INT, span);
        self.stacks.insert(variable, table);
        table
    }

    /// Whether a pointer that is kept somewhere may point to what one of these functions has for itself.
    pub fn points_to_kept(&self, routines: &[Routine]) -> bool {
        if routines.is_empty() {
            return false;
        }
        let owned = self.owned_by(routines);
        let is_owned = |leaf: &Leaf| {
            let store = match leaf.home {
                Home::Variable(variable) => Store::Variable(variable),
                Home::Table(table) => Store::Table(table),
            };
            owned.binary_search(&store).is_ok()
        };
        self.memory.points_to(|object| object.leaves.iter().any(is_owned))
    }

    /// What functions leave their results in.
    fn result_variables(&self) -> Vec<VarId> {
        self.memory.results().collect()
    }

    /// The program is lowered again if a function has more for itself than was known when its calls were.
    fn is_deeper_than_before(&mut self, routine: &Routine) {
        let owned = self.owned_by(&[*routine]).len();
        if self.owned_before.insert(*routine, owned) != Some(owned) {
            self.memory.has_grown = true;
        }
    }
}
