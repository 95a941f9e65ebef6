//! Words of 32 bits: the program as it is.

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, TableId, Type, UnaryOp, VarId};
use redoubt_program::program::{self, Place, Program, Scope};
use redoubt_program::simulate::Simulator;

use super::sums::Sums;
use super::{Domain, EncodedStep, Gates, Lit, Memo, Memory, Store, When, Word, words};
use crate::{Certificate, Fact, Judgement, Literal, NumberSet, Relation, Sum};

pub struct Bits<'p> {
    program: &'p Program,
    pub gates: Gates,
    pub inputs: Vec<Word>,
    known: Memo<Word>,
    sums: Sums,
}

impl<'p> Bits<'p> {
    /// The words of any state, and inputs that have values of their alphabets.
    pub fn any(program: &'p Program) -> (Bits<'p>, Memory<Word>) {
        let mut gates = Gates::default();
        let mut before = Memory { slots: vec![], tables: vec![] };
        for variable in &program.variables {
            let word = match variable.ty {
                Type::Bool => words::truth(gates.fresh()),
                Type::Int => words::fresh(&mut gates),
                Type::Pointer => {
                    let word = words::fresh(&mut gates);
                    let inside = words::between(&mut gates, &word, 0, program.tables.len() as i32 - 1);
                    gates.require(&[inside]);
                    word
                }
            };
            before.slots.push(word);
        }
        for table in &program.tables {
            before.tables.push(before.slots.len());
            let cell = |&cell: &i32| if table.written { words::fresh(&mut gates) } else { words::constant(cell) };
            before.slots.extend(table.cells.iter().map(cell));
        }
        let mut bits = Bits { program, gates, inputs: vec![], known: Memo::default(), sums: Sums::default() };
        bits.renew_inputs();
        (bits, before)
    }

    /// The type of a place that may hold any word before a step; none for a cell that is never written.
    fn kind(&self, place: Place) -> Option<Type> {
        match place {
            Place::Variable(variable) => Some(self.program.variable(variable).ty),
            Place::Cell(table, _) => self.program.table(table).written.then_some(Type::Int),
        }
    }

    /// Other inputs, for another step.
    pub fn renew_inputs(&mut self) {
        let gates = &mut self.gates;
        self.inputs = self.program.inputs.iter().map(|_| words::fresh(gates)).collect();
        for (word, input) in self.inputs.iter().zip(&self.program.inputs) {
            let inside = match &input.alphabet {
                program::Domain::List(list) => {
                    let equal: Vec<Lit> =
                        list.iter().map(|&value| words::equal(gates, word, &words::constant(value))).collect();
                    gates.any(&equal)
                }
                program::Domain::Range(low, high) => words::between(gates, word, *low, *high),
            };
            gates.require(&[inside]);
        }
        self.known.clear();
    }

    /// The words of the state that a simulator is in, in the place of those of any state.
    pub fn state(&mut self, any: &Memory<Word>, simulator: &Simulator) -> Memory<Word> {
        let variables = (0..self.program.variables.len()).map(|index| Place::Variable(VarId::new(index)));
        let cells = (self.program.tables.iter().enumerate())
            .flat_map(|(table, cells)| (0..cells.cells.len()).map(move |cell| Place::Cell(TableId::new(table), cell)));
        let slots = variables.chain(cells).map(|place| words::constant(simulator.at(place))).collect();
        Memory { slots, tables: any.tables.clone() }
    }

    fn truth_of(&mut self, memory: &Memory<Word>, id: ExprId) -> Lit {
        self.evaluate(memory, id).bit(0)
    }

    fn evaluate(&mut self, memory: &Memory<Word>, id: ExprId) -> Word {
        if let Some(word) = self.known.get(id) {
            return word;
        }
        let word = grow(|| self.evaluate_here(memory, id));
        self.known.insert(id, word.clone());
        word
    }

    fn evaluate_here(&mut self, memory: &Memory<Word>, id: ExprId) -> Word {
        let exprs = &self.program.exprs;
        match exprs.get(id) {
            Expr::Bool(value) => words::constant(i32::from(value)),
            Expr::Int(value) => words::constant(value),
            Expr::Table(table) => words::constant(table.index() as i32),
            Expr::Input(input) => self.inputs[input.index()].clone(),
            Expr::Var(variable) => memory.variable(variable).clone(),
            Expr::Unary(op, a) => {
                let a = self.evaluate(memory, a);
                match op {
                    UnaryOp::Negate => self.sums.subtract(&mut self.gates, &words::constant(0), &a),
                    UnaryOp::BitNot => words::not(&a),
                    UnaryOp::Not => words::truth(!a.bit(0)),
                    UnaryOp::ToInt => a,
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(memory, a), self.evaluate(memory, b));
                self.binary(op, &a, &b)
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.truth_of(memory, condition);
                let (then, otherwise) = (self.evaluate(memory, then), self.evaluate(memory, otherwise));
                words::choose(&mut self.gates, condition, &then, &otherwise)
            }
            Expr::Cell(pointer, index) => {
                let (pointer, index) = (self.evaluate(memory, pointer), self.evaluate(memory, index));
                let mut result = words::constant(0);
                for table in 0..self.program.tables.len() {
                    let here = words::equal(&mut self.gates, &pointer, &words::constant(table as i32));
                    for cell in 0..self.program.tables[table].cells.len() {
                        let at = words::equal(&mut self.gates, &index, &words::constant(cell as i32));
                        let hit = self.gates.and(here, at);
                        let value = memory.cell(TableId::new(table), cell).clone();
                        result = words::choose(&mut self.gates, hit, &value, &result);
                    }
                }
                result
            }
            Expr::Length(pointer) => {
                let pointer = self.evaluate(memory, pointer);
                let mut result = words::constant(0);
                for (table, cells) in self.program.tables.iter().enumerate() {
                    let here = words::equal(&mut self.gates, &pointer, &words::constant(table as i32));
                    result = words::choose(&mut self.gates, here, &words::constant(cells.cells.len() as i32), &result);
                }
                result
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Word, b: &Word) -> Word {
        let gates = &mut self.gates;
        match op {
            BinaryOp::Add => self.sums.add(gates, a, b),
            BinaryOp::Sub => self.sums.subtract(gates, a, b),
            BinaryOp::Mul => self.sums.multiply(gates, a, b),
            BinaryOp::Div => words::divide(gates, a, b).0,
            BinaryOp::Rem => words::divide(gates, a, b).1,
            BinaryOp::ShiftLeft => words::shift_left(gates, a, b),
            BinaryOp::ShiftRight => words::shift_right(gates, a, b),
            BinaryOp::BitAnd => words::bitwise(a, b, |a, b| gates.and(a, b)),
            BinaryOp::BitOr => words::bitwise(a, b, |a, b| gates.or(a, b)),
            BinaryOp::BitXor => words::bitwise(a, b, |a, b| gates.xor(a, b)),
            BinaryOp::Eq => words::truth(self.sums.equal(gates, a, b)),
            BinaryOp::Less => words::truth(words::less(gates, a, b)),
            BinaryOp::LessEq => words::truth(!words::less(gates, b, a)),
            BinaryOp::And => words::truth(gates.and(a.bit(0), b.bit(0))),
            BinaryOp::Or => words::truth(gates.or(a.bit(0), b.bit(0))),
        }
    }

    fn sum(&mut self, sum: &Sum, memory: &Memory<Word>) -> Word {
        let start = words::constant(sum.constant);
        sum.terms.iter().fold(start, |total, &(factor, place)| {
            // A negative multiple is subtracted: its bits would be many, and each of them an adder.
            let term = self.sums.multiply(&mut self.gates, memory.at(place), &words::constant(factor.wrapping_abs()));
            match factor < 0 {
                true => self.sums.subtract(&mut self.gates, &total, &term),
                false => self.sums.add(&mut self.gates, &total, &term),
            }
        })
    }

    fn member(&mut self, word: &Word, set: &NumberSet) -> Lit {
        let mut inside = vec![];
        for run in set.runs() {
            if run.low == run.high {
                inside.push(words::equal(&mut self.gates, word, &words::constant(run.low)));
                continue;
            }
            let mut lit = words::between(&mut self.gates, word, run.low, run.high);
            if run.step > 1 {
                let fits = words::fits_step(&mut self.gates, word, run.low, run.step);
                lit = self.gates.and(lit, fits);
            }
            inside.push(lit);
        }
        self.gates.any(&inside)
    }
}

impl<'p> Domain<'p> for Bits<'p> {
    type Word = Word;

    /// A place that has one number by a fact is that number before the step, and places that are equal by a fact share a word. So gates
    /// that two places go through alike are the same gates, and no solver has to find that out.
    fn new(program: &'p Program, certificate: &Certificate, _: &Interrupt) -> Option<(Bits<'p>, Memory<Word>)> {
        let (bits, mut before) = Bits::any(program);
        for fact in &certificate.facts {
            match fact {
                Fact::In(place, set) if bits.kind(*place).is_some() => {
                    if let Some(number) = set.single() {
                        let slot = before.slot(*place);
                        before.slots[slot] = words::constant(number);
                    }
                }
                Fact::Equal(a, b) if bits.kind(*a).is_some() && bits.kind(*a) == bits.kind(*b) => {
                    let (kept, given_up) = (before.slot(*a).min(before.slot(*b)), before.slot(*a).max(before.slot(*b)));
                    before.slots[given_up] = before.slots[kept].clone();
                }
                _ => {}
            }
        }
        Some((bits, before))
    }

    fn fits(&self, _: &Certificate) -> bool {
        true
    }

    fn gates(&mut self) -> &mut Gates {
        &mut self.gates
    }

    fn truth(&mut self, memory: &Memory<Word>, id: ExprId) -> Lit {
        self.truth_of(memory, id)
    }

    fn value(&mut self, memory: &Memory<Word>, _: VarId, id: ExprId) -> Word {
        self.evaluate(memory, id)
    }

    fn store(&mut self, memory: &Memory<Word>, store: Store, active: Lit) -> Vec<(usize, Lit, Word)> {
        let [pointer, index, value] = [store.pointer, store.index, store.value].map(|id| self.evaluate(memory, id));
        let mut written = vec![];
        for table in (0..self.program.tables.len()).filter(|&table| self.program.tables[table].written) {
            let here = words::equal(&mut self.gates, &pointer, &words::constant(table as i32));
            let here = self.gates.and(active, here);
            for cell in 0..self.program.tables[table].cells.len() {
                let at = words::equal(&mut self.gates, &index, &words::constant(cell as i32));
                let hit = self.gates.and(here, at);
                written.push((memory.tables[table] + cell, hit, value.clone()));
            }
        }
        written
    }

    fn choose(&mut self, condition: Lit, then: &Word, otherwise: &Word) -> Word {
        words::choose(&mut self.gates, condition, then, otherwise)
    }

    fn forget(&mut self) {
        self.known.clear();
    }

    fn enter(&mut self) {
        self.known.enter();
    }

    fn leave(&mut self) {
        self.known.leave();
    }

    fn fact(&mut self, fact: &Fact, memory: &Memory<Word>, _: When) -> Lit {
        match fact {
            Fact::In(place, set) => self.member(memory.at(*place), set),
            Fact::Cells(table, set) => {
                let cells = 0..self.program.table(*table).cells.len();
                let lits: Vec<Lit> = cells.map(|index| self.member(memory.cell(*table, index), set)).collect();
                self.gates.all(&lits)
            }
            Fact::Equal(a, b) => words::equal(&mut self.gates, memory.at(*a), memory.at(*b)),
        }
    }

    fn literal(&mut self, literal: &Literal, memory: &Memory<Word>) -> Lit {
        match literal {
            Literal::In(place, set) => self.member(memory.at(*place), set),
            Literal::Bit(place, bit, true) => memory.at(*place).bit(*bit as usize),
            Literal::Bit(place, bit, false) => !memory.at(*place).bit(*bit as usize),
            Literal::Compare(comparison, value) => {
                let (left, right) = (self.sum(&comparison.left, memory), self.sum(&comparison.right, memory));
                let holds = match comparison.relation {
                    Relation::Equal => self.sums.equal(&mut self.gates, &left, &right),
                    Relation::LessEqual => !words::less(&mut self.gates, &right, &left),
                };
                if *value { holds } else { !holds }
            }
        }
    }

    fn unseen(&self) -> &[Lit] {
        &[]
    }

    fn has_time(&self) -> bool {
        true
    }

    /// Says where the step starts that is not as the certificate claims.
    fn judge(
        &self,
        program: &Program,
        certificate: &Certificate,
        step: &EncodedStep<Word>,
        holds: &mut dyn FnMut(Lit) -> bool,
    ) -> Judgement {
        let mut number = |word: &Word| (0..32).fold(0, |all, bit| all | i32::from(holds(word.bit(bit))) << bit);
        let inputs: Vec<String> = self.inputs.iter().map(|word| number(word).to_string()).collect();
        let is_shown = |index: &usize| program.variables[*index].scope == Scope::Global;
        let shown = (0..program.variables.len()).filter(is_shown).take(40);
        let state: Vec<String> = shown
            .map(|index| {
                let name = &program.variables[index].name;
                format!("{name} = {}", number(step.before.variable(VarId::new(index))))
            })
            .collect();
        let reached = certificate.excluded.iter().find(|property| holds(step.reached[property.index()]));
        let what = match reached {
            Some(property) => format!("reaches {}", program.property(*property).name),
            None => "leaves the invariant".to_string(),
        };
        Judgement::Refuted(format!("from {} the input {} {what}", state.join(", "), inputs.join(" ")))
    }
}
