//! Words of regions: where a number lies, not which one it is.
//!
//! A 32-bit product or remainder is hard for a solver, but which regions it can lead to from which is a matter of
//! interval arithmetic. So a number is written by the regions of its variable, in the order encoding (Crawford and
//! Baker, "Experimental results on the application of satisfiability algorithms to scheduling problems", 1994): for each
//! region a literal that says that the number lies in it or below. An expression becomes a fresh word, with a clause
//! for each combination of regions that it reads. The clauses allow all that the program can do and perhaps more, so a
//! claim that no step breaks here is broken by no step of the program.

mod relation;
mod word;

use std::rc::Rc;

use redoubt_base::stack::grow;
use redoubt_base::{BitSet, Interrupt};
use redoubt_program::expr::{BinaryOp, Expr, ExprId, InputId, Type, UnaryOp, VarId};
use redoubt_program::program::{Place, Program, Scope};
use rustc_hash::FxHashMap;

use super::{Domain, EncodedStep, Gates, Lit, Memory, Store, When};
use crate::columns::{Column, ColumnId};
use crate::evaluate::Evaluator;
use crate::interval::{Environment, Source};
use crate::relevant::relevant;
use crate::{Certificate, Fact, Judgement, Literal, NumberSet, Progression};
use relation::Target;
pub use word::RegionWord;
use word::runs;

pub struct Regions<'p> {
    program: &'p Program,
    gates: Gates,
    evaluator: Evaluator<'p>,
    inputs: Vec<RegionWord>,
    /// Per variable: whether anything depends on it.
    relevant: Vec<bool>,
    /// The values of conditions, by the names of the versions that they read.
    known: FxHashMap<(ExprId, Vec<u32>), Lit>,
    names: u32,
    unseen: Vec<Lit>,
    interrupt: Interrupt,
}

impl Regions<'_> {
    /// Whether assignments to the variable are followed: only where something depends on it.
    pub fn follows(&self, variable: VarId) -> bool {
        self.relevant[variable.index()]
    }

    /// The literal that a variable lies in the region of a number.
    pub fn at(&mut self, memory: &Memory<RegionWord>, variable: VarId, number: i32) -> Lit {
        let region = self.of_variable(variable).region_of(number);
        self.between(memory.variable(variable), region, region)
    }

    /// The literal that an input lies in the region of a number.
    pub fn input_at(&mut self, input: InputId, number: i32) -> Lit {
        let region = self.column(self.evaluator.columns.of_input(input)).region_of(number);
        let word = self.inputs[input.index()].clone();
        self.between(&word, region, region)
    }

    fn between(&mut self, word: &RegionWord, first: usize, last: usize) -> Lit {
        let (above, below) = (!word.below(first), word.upto(last));
        self.gates.and(above, below)
    }

    fn column(&self, id: ColumnId) -> &Column {
        self.evaluator.columns.get(id)
    }

    fn of_variable(&self, variable: VarId) -> &Column {
        self.column(self.evaluator.columns.of_variable(variable))
    }

    /// A word that may lie in any region.
    fn fresh(&mut self, regions: usize, hull: NumberSet) -> RegionWord {
        let upto: Rc<[Lit]> = (1..regions).map(|_| self.gates.fresh()).collect();
        upto.windows(2).for_each(|pair| self.gates.require(&[!pair[0], pair[1]]));
        RegionWord { upto, hull, name: self.name() }
    }

    fn name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    /// A word of a column that has some of its values.
    fn any(&mut self, id: ColumnId) -> RegionWord {
        let (regions, known) = (self.column(id).regions(), self.column(id).known.clone());
        let touched = self.column(id).touched(&known);
        let word = self.fresh(regions, known);
        let inside = self.among(&word, &touched);
        self.gates.require(&[inside]);
        word
    }

    /// The literal that a number lies in one of some regions.
    fn among(&mut self, word: &RegionWord, regions: &BitSet) -> Lit {
        let lits: Vec<Lit> = runs(regions).into_iter().map(|(first, last)| self.between(word, first, last)).collect();
        self.gates.any(&lits)
    }

    fn word_of(&self, memory: &Memory<RegionWord>, column: ColumnId) -> RegionWord {
        match self.evaluator.columns.source(column) {
            Source::Variable(variable) => memory.variable(variable).clone(),
            Source::Input(input) => self.inputs[input.index()].clone(),
        }
    }

    fn constant_of(&mut self, variable: VarId, number: i32) -> RegionWord {
        let column = self.of_variable(variable);
        let region = column.region_of(number);
        let upto = (0..column.regions() - 1).map(|other| Lit::constant(region <= other)).collect();
        RegionWord { upto, hull: NumberSet::one(number), name: self.name() }
    }

    /// The same number by the regions of another column, where those are no finer.
    fn recut(&self, word: &RegionWord, from: &Column, to: &Column) -> Option<RegionWord> {
        let start = |region: usize| to.bounds(region).0;
        let upto = (1..to.regions())
            .map(|region| from.is_cut_at(start(region)).then(|| word.below(from.region_of(start(region)))));
        Some(RegionWord { upto: upto.collect::<Option<_>>()?, hull: word.hull.clone(), name: word.name })
    }
}

impl<'p> Domain<'p> for Regions<'p> {
    type Word = RegionWord;

    fn new(
        program: &'p Program,
        certificate: &Certificate,
        interrupt: &Interrupt,
    ) -> Option<(Regions<'p>, Memory<RegionWord>)> {
        let is_truth = |place: &Place| matches!(place, Place::Variable(one) if program.variable(*one).ty == Type::Bool);
        let can_say = |fact: &Fact| match fact {
            Fact::In(place, _) => place.variable().is_some(),
            Fact::Cells(..) => true,
            Fact::Equal(a, b) => is_truth(a) && is_truth(b),
        };
        if !certificate.facts.iter().all(can_say) {
            return None;
        }
        let mut domain = Regions {
            program,
            gates: Gates::default(),
            evaluator: Evaluator::new(program, certificate)?,
            inputs: vec![],
            relevant: relevant(program, certificate, false),
            known: FxHashMap::default(),
            names: 0,
            unseen: vec![],
            interrupt: interrupt.clone(),
        };
        let columns = |index: usize| domain.evaluator.columns.of_variable(VarId::new(index));
        let columns: Vec<ColumnId> = (0..program.variables.len()).map(columns).collect();
        let slots = columns.into_iter().map(|column| domain.any(column)).collect();
        for index in 0..program.inputs.len() {
            let word = domain.any(domain.evaluator.columns.of_input(InputId::new(index)));
            domain.inputs.push(word);
        }
        Some((domain, Memory { slots, tables: vec![] }))
    }

    fn fits(&self, certificate: &Certificate) -> bool {
        let is_cut = |literal: &Literal| match literal {
            Literal::In(Place::Variable(variable), numbers) => {
                let column = self.of_variable(*variable);
                let ends = |run: &Progression| {
                    column.is_cut_at(run.low) && run.high.checked_add(1).is_none_or(|next| column.is_cut_at(next))
                };
                self.follows(*variable) && numbers.is_without_steps() && numbers.runs().iter().all(ends)
            }
            _ => false,
        };
        certificate.clauses.iter().flatten().all(is_cut)
    }

    fn gates(&mut self) -> &mut Gates {
        &mut self.gates
    }

    fn truth(&mut self, memory: &Memory<RegionWord>, id: ExprId) -> Lit {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => Lit::constant(value),
            Expr::Unary(UnaryOp::Not, inner) => !grow(|| self.truth(memory, inner)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (a, b) = grow(|| (self.truth(memory, a), self.truth(memory, b)));
                if op == BinaryOp::And { self.gates.and(a, b) } else { self.gates.or(a, b) }
            }
            Expr::Var(variable) => memory.variable(variable).truth(self.of_variable(variable)),
            _ => self.atom(memory, id),
        }
    }

    fn value(&mut self, memory: &Memory<RegionWord>, variable: VarId, id: ExprId) -> RegionWord {
        if !self.follows(variable) {
            return memory.variable(variable).clone();
        }
        let target = self.of_variable(variable);
        if self.program.variable(variable).ty == Type::Bool {
            let one = target.region_of(1);
            let regions = target.regions();
            let truth = self.truth(memory, id);
            let upto = |region: usize| if region >= one { Lit::TRUE } else { !truth };
            // No truth value is below 0.
            let zero = self.of_variable(variable).region_of(0);
            let upto = (0..regions - 1).map(|region| if region < zero { Lit::FALSE } else { upto(region) }).collect();
            return RegionWord { upto, hull: NumberSet::truth(), name: self.name() };
        }
        let columns = self.evaluator.columns.read_by(self.program, id);
        if columns.is_empty()
            && let Some(number) = self.evaluator.arithmetic.evaluate(id, &Environment::default()).single()
        {
            return self.constant_of(variable, number);
        }
        if let ([column], Expr::Var(_) | Expr::Input(_)) = (&columns[..], self.program.exprs.get(id)) {
            let word = self.word_of(memory, *column);
            if let Some(word) = self.recut(&word, self.column(*column), self.of_variable(variable)) {
                return word;
            }
        }
        let mut word = self.fresh(self.of_variable(variable).regions(), NumberSet::NONE);
        let sources = self.sources(memory, id);
        word.hull = self.tabulate(sources, id, Target::Word(variable, &word));
        word
    }

    /// The contents of tables are a fact, so nothing is written; but the value must be among them.
    fn store(&mut self, memory: &Memory<RegionWord>, store: Store, active: Lit) -> Vec<(usize, Lit, RegionWord)> {
        let [of_pointer, of_value] = [store.pointer, store.value].map(|id| {
            let columns = self.evaluator.columns.read_by(self.program, id);
            let hulls = columns.into_iter().map(|column| (column, self.word_of(memory, column).hull));
            self.evaluator.environment(hulls)
        });
        let arithmetic = &self.evaluator.arithmetic;
        let values = arithmetic.evaluate(store.value, &of_value);
        let tables = arithmetic.targets(store.pointer, &of_pointer);
        if !tables.into_iter().all(|table| values.is_subset(arithmetic.cells(table))) {
            self.unseen.push(active);
        }
        vec![]
    }

    fn choose(&mut self, condition: Lit, then: &RegionWord, otherwise: &RegionWord) -> RegionWord {
        match condition {
            Lit::TRUE => then.clone(),
            Lit::FALSE => otherwise.clone(),
            _ if then.name == otherwise.name => then.clone(),
            _ => RegionWord {
                upto: then
                    .upto
                    .iter()
                    .zip(&*otherwise.upto)
                    .map(|(&then, &otherwise)| self.gates.choose(condition, then, otherwise))
                    .collect(),
                hull: then.hull.join(&otherwise.hull),
                name: self.name(),
            },
        }
    }

    // Known values go by names, which do not change.

    fn forget(&mut self) {}

    fn enter(&mut self) {}

    fn leave(&mut self) {}

    fn fact(&mut self, fact: &Fact, memory: &Memory<RegionWord>, when: When) -> Lit {
        match fact {
            Fact::In(Place::Variable(variable), numbers) => {
                let (word, column) = (memory.variable(*variable), self.of_variable(*variable));
                let mut regions = column.touched(numbers);
                if when == When::After {
                    for region in regions.clone().iter() {
                        let (low, high) = column.bounds(region);
                        if !word.hull.within(low, high).is_subset(numbers) {
                            regions.remove(region);
                        }
                    }
                }
                self.among(word, &regions)
            }
            // Cells are kept by every store; facts about single ones are refused at the start.
            Fact::In(..) | Fact::Cells(..) => Lit::TRUE,
            Fact::Equal(a, b) => {
                let lits = [a, b].map(|place| {
                    let variable = place.variable()?;
                    Some(memory.variable(variable).truth(self.of_variable(variable)))
                });
                match lits {
                    [Some(a), Some(b)] => !self.gates.xor(a, b),
                    _ => Lit::constant(when == When::Before),
                }
            }
        }
    }

    fn literal(&mut self, literal: &Literal, memory: &Memory<RegionWord>) -> Lit {
        match literal {
            Literal::In(Place::Variable(variable), numbers) => {
                let regions = self.of_variable(*variable).inside(numbers);
                self.among(memory.variable(*variable), &regions)
            }
            // Such claims are refused at the start.
            _ => unreachable!("a claim that is not about the regions of a variable"),
        }
    }

    fn unseen(&self) -> &[Lit] {
        &self.unseen
    }

    fn has_time(&self) -> bool {
        !self.interrupt.is_raised()
    }

    /// Says between which regions the step leads that may not be as the certificate claims.
    fn judge(
        &self,
        program: &Program,
        certificate: &Certificate,
        step: &EncodedStep<RegionWord>,
        holds: &mut dyn FnMut(Lit) -> bool,
    ) -> Judgement {
        let reached = certificate.excluded.iter().find(|property| holds(step.reached[property.index()]));
        let what = match reached {
            Some(property) => format!("reaches {}", program.property(*property).name),
            None => "leaves the invariant".to_string(),
        };
        let mut region = |word: &RegionWord, column: &Column| {
            let region = word.upto.iter().position(|&upto| holds(upto)).unwrap_or(word.upto.len());
            match column.bounds(region) {
                (low, high) if low == high => format!("{low}"),
                (low, high) => format!("{low}..{high}"),
            }
        };
        let globals = program.variables.iter().enumerate().filter(|(_, variable)| variable.scope == Scope::Global);
        let mut state = vec![];
        for (index, variable) in globals.filter(|(index, _)| self.follows(VarId::new(*index))).take(40) {
            let column = self.of_variable(VarId::new(index));
            let before = region(step.before.variable(VarId::new(index)), column);
            state.push(format!("{} in {before}", variable.name));
        }
        let columns = (0..self.inputs.len()).map(|index| self.evaluator.columns.of_input(InputId::new(index)));
        let inputs = self.inputs.iter().zip(columns).map(|(word, column)| region(word, self.column(column)));
        let inputs: Vec<String> = inputs.collect();
        let (state, inputs) = (state.join(", "), inputs.join(" "));
        Judgement::Undecided(format!("over regions, from {state} the input {inputs} {what}"))
    }
}
