//! Which input of the abstract program chooses where the regions do not decide.
//!
//! Two places of which at most one is executed in a step share a choice. So do two that ask for the same condition while
//! nothing that it reads is assigned in between: the program would give the same answer twice. A chain of a thousand
//! guards that all look at a counter needs a choice for each bound that it is compared with, not for each guard.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::expr::{Expr, ExprId, VarId};
use crate::program::Program;

pub struct Choices<'p> {
    program: &'p Program,
    /// Per choice: among how many results it is made.
    sizes: Vec<usize>,
    /// The first that is unused here.
    next: usize,
    frames: Vec<Frame>,
    /// Per variable, and for the cells of all tables: another number after each assignment.
    versions: Vec<u32>,
    clock: u32,
    /// The assigned variables, with the versions before that.
    assigned: Vec<(usize, u32)>,
    /// Conditions that have a choice.
    known: FxHashMap<ExprId, Known>,
    /// Conditions that got one, with the known results before.
    got: Vec<(ExprId, Option<Known>)>,
    /// Per condition: the variables that it reads.
    reads: FxHashMap<ExprId, Rc<[usize]>>,
}

#[derive(Clone, Debug)]
struct Known {
    choice: usize,
    /// The versions of the variables that the condition reads.
    versions: Vec<u32>,
}

/// A list of alternatives that is being walked.
#[derive(Debug, Default)]
struct Frame {
    /// Where the choices of the current alternative begin, and how far those of all went.
    first: usize,
    furthest: usize,
    /// The number of assigned and known things where it begins.
    assigned: usize,
    got: usize,
    /// The variables that the alternatives so far assign.
    written: Vec<usize>,
}

impl<'p> Choices<'p> {
    pub fn new(program: &'p Program) -> Choices<'p> {
        Choices {
            program,
            sizes: vec![],
            next: 0,
            frames: vec![],
            versions: vec![0; program.variables.len() + 1],
            clock: 0,
            assigned: vec![],
            known: FxHashMap::default(),
            got: vec![],
            reads: FxHashMap::default(),
        }
    }

    /// The number of results that each choice is made among.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// A choice that is free here.
    pub fn free(&self) -> usize {
        self.next
    }

    /// The choice for a condition: the same as before if it cannot have changed.
    pub fn of_condition(&mut self, id: ExprId) -> usize {
        let versions = self.versions_of(id);
        match self.known.get(&id) {
            Some(known) if known.versions == versions => known.choice,
            _ => self.next,
        }
    }

    /// A condition needs its choice.
    pub fn keep_for_condition(&mut self, id: ExprId, choice: usize) {
        if choice == self.next {
            let versions = self.versions_of(id);
            let before = self.known.insert(id, Known { choice, versions });
            self.got.push((id, before));
        }
        self.keep(choice, 2);
    }

    /// A choice is needed, among `results` results.
    pub fn keep(&mut self, choice: usize, results: usize) {
        self.sizes.resize(self.sizes.len().max(choice + 1), 2);
        self.sizes[choice] = self.sizes[choice].max(results);
        self.next = self.next.max(choice + 1);
    }

    pub fn assign(&mut self, variable: VarId) {
        self.change(variable.index());
    }

    /// A table was written.
    pub fn store(&mut self) {
        self.change(self.program.variables.len());
    }

    fn change(&mut self, place: usize) {
        self.clock += 1;
        self.assigned.push((place, std::mem::replace(&mut self.versions[place], self.clock)));
    }

    fn versions_of(&mut self, id: ExprId) -> Vec<u32> {
        let reads = Rc::clone(self.reads.entry(id).or_insert_with(|| reads(self.program, id)));
        reads.iter().map(|&place| self.versions[place]).collect()
    }

    pub fn open(&mut self) {
        self.frames.push(Frame { first: self.next, furthest: self.next, ..Frame::default() });
    }

    /// The choices of an alternative's guard are spoken for; now comes its body.
    pub fn enter(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.first, frame.assigned, frame.got) = (self.next, self.assigned.len(), self.got.len());
        }
    }

    /// The next alternative begins where this one did.
    pub fn exit(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.furthest = frame.furthest.max(self.next);
        self.next = frame.first;
        for (place, version) in self.assigned.drain(frame.assigned..).rev() {
            self.versions[place] = version;
            frame.written.push(place);
        }
        for (id, before) in self.got.drain(frame.got..).rev() {
            match before {
                Some(before) => self.known.insert(id, before),
                None => self.known.remove(&id),
            };
        }
    }

    pub fn close(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        self.next = self.next.max(frame.furthest);
        frame.written.sort_unstable();
        frame.written.dedup();
        frame.written.into_iter().for_each(|place| self.change(place));
    }
}

/// The variables that a condition reads, and the cells of tables, which count as one.
fn reads(program: &Program, id: ExprId) -> Rc<[usize]> {
    let place = |expr| match expr {
        Expr::Var(variable) => Some(variable.index()),
        Expr::Cell(..) => Some(program.variables.len()),
        _ => None,
    };
    let mut found: Vec<usize> = program.exprs.parts(id).filter_map(place).collect();
    found.sort_unstable();
    found.dedup();
    found.into()
}
