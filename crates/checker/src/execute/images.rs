//! The images of expressions, remembered: rules compute the same from the same sets over and over.

use std::cell::RefCell;
use std::rc::Rc;

use redoubt_program::expr::ExprId;
use redoubt_program::program::Program;
use rustc_hash::FxHashMap;

use super::sources::{SourceId, Sources};
use crate::NumberSet;
use crate::interval::Arithmetic;

/// The most images that are remembered.
const MOST_REMEMBERED: usize = 1 << 16;

/// An expression, and the numbers of each of its sources.
type Key = (ExprId, Vec<Rc<NumberSet>>);

pub struct Images<'p> {
    program: &'p Program,
    pub arithmetic: Arithmetic<'p>,
    known: RefCell<FxHashMap<Key, Rc<NumberSet>>>,
    /// Per expression: the sources that it reads.
    reads: RefCell<FxHashMap<ExprId, Rc<[SourceId]>>>,
}

impl<'p> Images<'p> {
    pub fn new(program: &'p Program, arithmetic: Arithmetic<'p>) -> Images<'p> {
        Images { program, arithmetic, known: RefCell::default(), reads: RefCell::default() }
    }

    /// The sources that an expression reads, ascending.
    pub fn reads(&self, sources: &Sources, id: ExprId) -> Rc<[SourceId]> {
        let mut reads = self.reads.borrow_mut();
        Rc::clone(reads.entry(id).or_insert_with(|| sources.read_by(self.program, id).into()))
    }

    /// All that an expression can be where its sources have these numbers, in the order in which [`Images::reads`] lists
    /// them.
    pub fn image(&self, sources: &Sources, id: ExprId, numbers: Vec<Rc<NumberSet>>) -> Rc<NumberSet> {
        let key = (id, numbers);
        if let Some(image) = self.known.borrow().get(&key) {
            return Rc::clone(image);
        }
        let reads = self.reads(sources, id);
        let environment =
            reads.iter().zip(&key.1).map(|(&source, numbers)| (sources.name(source), (**numbers).clone()));
        let image = Rc::new(self.arithmetic.evaluate(id, &environment.collect()));
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(key, Rc::clone(&image));
        image
    }
}
