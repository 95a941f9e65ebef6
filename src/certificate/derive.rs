//! Invariants of circuits to certificates of the program that they came from.
//!
//! An engine proves clauses over the latches of a circuit from which passes have removed what is constant, equal to
//! something else, or without influence, and whose latches hold as few bits as the values need. What the passes and
//! the value analysis used is part of the reason, so it becomes facts; each latch is a bit of a variable, or says which
//! of a list of numbers the variable has.

use rustc_hash::FxHashMap;

use super::{Certificate, Fact, Literal, NumberSet, Place};
use crate::circuit::blast::{Blasted, Code};
use crate::engine::{Invariant, StateLit};
use crate::expr::{TableId, Type, VarId};
use crate::program::{Program, PropertyId, Scope};
use crate::system::passes::{Passes, constants, copies};
use crate::system::rewrite::Fate;
use crate::system::{TransitionSystem, values};

/// Turns invariants of one circuit into certificates.
pub struct Deriver {
    facts: Vec<Fact>,
    /// Per latch: what it says when it is true, and when it is not.
    literals: Vec<[Literal; 2]>,
}

impl Deriver {
    /// For the circuit of a system that passes made of another. `None` if a name stands for two things.
    pub fn new(
        program: &Program,
        original: &TransitionSystem,
        passes: Passes,
        system: &TransitionSystem,
        blasted: &Blasted,
    ) -> Option<Deriver> {
        let places = places(program)?;
        let place = |name: &str| places.get(name).copied();
        let mut facts = vec![];
        let mut current = None;
        if passes.constants {
            for (state, fate) in original.states.iter().zip(constants::fates(original)) {
                if let Fate::Constant(value) = fate {
                    let set = NumberSet::of_intervals([(value, value)].into_iter());
                    facts.push(Fact::In(place(&state.name)?, set));
                }
            }
            current = Some(constants::run(original));
        }
        let current = current.as_ref().unwrap_or(original);
        if passes.copies {
            for (state, fate) in current.states.iter().zip(copies::fates(current)) {
                if let Fate::SameAs(other) = fate {
                    facts.push(Fact::Equal(place(&state.name)?, place(&current.states[other.index()].name)?));
                }
            }
        }
        let mut literals = vec![];
        for ((state, values), code) in system.states.iter().zip(values::analyse(system)).zip(&blasted.states) {
            let place = place(&state.name)?;
            if state.ty != Type::Bool {
                facts.push(Fact::In(place, NumberSet::of(&values)));
            }
            literals.extend(
                (0..code.bits()).map(|bit| [true, false].map(|value| literal(place, state.ty, code, bit, value))),
            );
        }
        Some(Deriver { facts, literals })
    }

    pub fn certificate(&self, excluded: Vec<PropertyId>, invariant: &Invariant) -> Certificate {
        let literal = |literal: &StateLit| self.literals[literal.latch()][usize::from(!literal.value())].clone();
        let clauses = invariant.clauses.iter().map(|clause| clause.iter().map(literal).collect());
        Certificate { excluded, facts: self.facts.clone(), clauses: clauses.collect(), ..Certificate::default() }
    }
}

/// What it means that a bit of a variable's code has a value.
fn literal(place: Place, ty: Type, code: &Code, bit: usize, value: bool) -> Literal {
    let one_of = |numbers: &mut dyn Iterator<Item = i32>| {
        Literal::In(place, NumberSet::of_intervals(numbers.map(|number| (number, number))))
    };
    match code {
        Code::Enumerated { values } => {
            let has = |number: &i32| code.encode(*number).is_some_and(|bits| bits[bit] == value);
            one_of(&mut values.iter().copied().filter(has))
        }
        Code::Binary { .. } if ty == Type::Bool => one_of(&mut std::iter::once(i32::from(value))),
        Code::Binary { .. } => Literal::Bit(place, bit as u32, value),
    }
}

/// What the names of a system's states stand for.
fn places(program: &Program) -> Option<FxHashMap<String, Place>> {
    let mut places = FxHashMap::default();
    let mut add = |name: String, place| places.insert(name, place).is_none();
    for (index, variable) in program.variables.iter().enumerate().filter(|(_, one)| one.scope == Scope::Global) {
        add(variable.name.clone(), Place::Variable(VarId::new(index))).then_some(())?;
    }
    for (index, table) in program.tables.iter().enumerate().filter(|(_, table)| table.written) {
        for cell in 0..table.cells.len() {
            add(format!("{}[{cell}]", table.name), Place::Cell(TableId::new(index), cell)).then_some(())?;
        }
    }
    Some(places)
}
