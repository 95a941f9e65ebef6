//! Bit-blasting: word-level transition systems to circuits.
//!
//! Every used expression becomes a signal (a truth value) or a word of signals, in the order of the arena. The number
//! of latches of a state variable depends on its [`Code`]: 32 bits in the reference encoding, fewer where the value
//! analysis bounds the variable.

mod code;
mod table;

pub use code::Code;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Ended, Interrupt};
use crate::circuit::WrittenBits;
use crate::circuit::word::{self, Word};
use crate::circuit::{Circuit, Reset, Signal};
use crate::cnf::{Encoding, Frame, Uses};
use crate::expr::{BinaryOp, Expr, ExprId, Fold, Type, UnaryOp};
use crate::program::Domain;
use crate::system::TransitionSystem;
use crate::system::values::{self, Values};

/// The number of bits of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32, whatever they hold.
    Full,
    /// As many as their possible values need.
    Reduced,
}

/// A circuit together with the meaning of its latches and inputs.
#[derive(Clone, Debug)]
pub struct Blasted {
    pub circuit: Circuit,
    /// Per state variable, in order: its latches are consecutive, and so are those of all of them.
    pub states: Vec<Code>,
    /// The same for the inputs.
    pub inputs: Vec<Code>,
    /// The number of gates of each kind of expression; see [`Blasted::gates_by_operator`].
    gates: FxHashMap<&'static str, usize>,
    /// Per state variable its writes, if they were asked for.
    pub writes: Vec<Vec<WrittenBits>>,
    /// Per state variable the values on which its code relies.
    pub values: Vec<Values>,
}

/// The number of expressions turned into gates between two looks at the clock.
const BETWEEN_LOOKS: usize = 64;

/// The bits of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bits {
    Truth(Signal),
    /// A 32-bit integer, or the number of a table.
    Word(Word),
}

/// The width of an integer in expressions; words know which of their bits are significant.
const WORD: usize = 32;

pub fn blast(system: &TransitionSystem, width: Width) -> Blasted {
    blast_within(system, width, &Interrupt::default()).expect("nobody raises it")
}

/// Like [`blast`], for as long as it may.
pub fn blast_within(system: &TransitionSystem, width: Width, interrupt: &Interrupt) -> Result<Blasted, Ended> {
    let mut blaster = Blaster::new(system, width, interrupt);
    blaster.declare();
    blaster.expressions(system.used(system.roots()), interrupt)?;
    Ok(blaster.finish())
}

/// Like [`blast`], with signals for the conditions and values of all writes too: the frame encoding needs them.
pub fn blast_with_writes(system: &TransitionSystem, width: Width) -> Blasted {
    let interrupt = Interrupt::default();
    let mut blaster = Blaster::new(system, width, &interrupt);
    blaster.declare();
    let used = system.used(system.roots().chain(system.write_roots()));
    blaster.expressions(used, &interrupt).expect("nobody raises it");
    blaster.encode_writes();
    blaster.finish()
}

impl Blasted {
    /// The clauses of one step in the frame encoding; the writes must have been asked for.
    pub fn frame(&self, encoding: Encoding, uses: Uses) -> Frame {
        let widths: Vec<usize> = self.states.iter().map(Code::bits).collect();
        Frame::new(&self.circuit, &widths, &self.writes, encoding, uses)
    }

    /// The number of gates of each kind of expression, most first.
    pub fn gates_by_operator(&self) -> Vec<(&'static str, usize)> {
        let mut list: Vec<_> = self.gates.iter().map(|(&name, &count)| (name, count)).collect();
        list.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        list
    }

    /// The value of each state variable, given those of the latches.
    pub fn decode_states(&self, latches: &[bool]) -> Vec<i32> {
        decode(&self.states, latches)
    }

    pub fn decode_inputs(&self, inputs: &[bool]) -> Vec<i32> {
        decode(&self.inputs, inputs)
    }

    /// The values of the latches in a state; a state variable must have a value that its code knows.
    pub fn encode_states(&self, states: &[i32]) -> Option<Vec<bool>> {
        encode(&self.states, states)
    }

    pub fn encode_inputs(&self, inputs: &[i32]) -> Option<Vec<bool>> {
        encode(&self.inputs, inputs)
    }
}

fn decode(codes: &[Code], mut bits: &[bool]) -> Vec<i32> {
    codes
        .iter()
        .map(|code| {
            let (own, rest) = bits.split_at(code.bits());
            bits = rest;
            code.decode(own)
        })
        .collect()
}

fn encode(codes: &[Code], values: &[i32]) -> Option<Vec<bool>> {
    let lists = codes.iter().zip(values).map(|(code, &value)| code.encode(value));
    lists.collect::<Option<Vec<_>>>().map(|lists| lists.concat())
}

struct Blaster<'s> {
    system: &'s TransitionSystem,
    circuit: Circuit,
    states: Vec<Code>,
    inputs: Vec<Code>,
    state_bits: Vec<Word>,
    input_bits: Vec<Word>,
    bits: Vec<Option<Bits>>,
    gates: FxHashMap<&'static str, usize>,
    writes: Vec<Vec<WrittenBits>>,
    /// The tables that each pointer expression may be.
    targets: Vec<Vec<i32>>,
    /// Next values of the state variable that is being encoded, as indices of its values.
    fold: Fold<Word>,
    /// Operands of which both the quotient and the remainder are used: one circuit computes the two.
    divisions: FxHashMap<(ExprId, ExprId), Option<(Word, Word)>>,
    values: Vec<Values>,
}

impl<'s> Blaster<'s> {
    fn new(system: &'s TransitionSystem, width: Width, interrupt: &Interrupt) -> Blaster<'s> {
        let known = match width {
            Width::Full => vec![Values::ANY; system.states.len()],
            Width::Reduced => values::analyse(system, interrupt),
        };
        let states = system.states.iter().zip(&known).map(|(state, values)| Code::of_state(state, values)).collect();
        let inputs = system
            .inputs
            .iter()
            .map(|input| match width {
                Width::Full => Code::Binary { width: WORD },
                Width::Reduced => Code::of_input(&input.alphabet),
            })
            .collect();
        Blaster {
            system,
            circuit: Circuit::default(),
            states,
            inputs,
            state_bits: vec![],
            input_bits: vec![],
            bits: vec![None; system.exprs.len()],
            gates: FxHashMap::default(),
            writes: vec![],
            targets: vec![vec![]; system.exprs.len()],
            fold: Fold::default(),
            divisions: FxHashMap::default(),
            values: known,
        }
    }

    fn declare(&mut self) {
        for (input, code) in self.system.inputs.iter().zip(&self.inputs) {
            let word: Word =
                (0..code.bits()).map(|bit| self.circuit.add_input(bit_name(&input.name, bit, code.bits()))).collect();
            self.input_bits.push(word);
        }
        for (state, code) in self.system.states.iter().zip(&self.states) {
            let initial = code.encode(state.initial).expect("the possible values include the initial one");
            let latches = initial.iter().enumerate().map(|(bit, &value)| {
                let reset = if value { Reset::One } else { Reset::Zero };
                self.circuit.add_latch(bit_name(&state.name, bit, code.bits()), reset)
            });
            self.state_bits.push(latches.collect());
        }
        for (index, input) in self.system.inputs.iter().enumerate() {
            if let Code::Binary { .. } = self.inputs[index] {
                let word = self.input_bits[index].clone();
                let is_letter = self.is_of(&word, &input.alphabet);
                if is_letter != Signal::TRUE {
                    self.circuit.constraints.push(is_letter);
                }
            }
        }
    }

    /// The condition that a word is one of an alphabet.
    fn is_of(&mut self, word: &Word, alphabet: &Domain) -> Signal {
        let gates = &mut self.circuit.gates;
        let constant = |value: i32| word::constant(i64::from(value), word.len());
        match alphabet {
            Domain::List(list) => {
                let letters: Vec<Signal> =
                    list.iter().map(|&letter| word::eq(gates, word, &constant(letter))).collect();
                gates.or_all(&letters)
            }
            Domain::Range(low, high) => {
                let above = word::signed_le(gates, &constant(*low), word);
                let below = word::signed_le(gates, word, &constant(*high));
                gates.and(above, below)
            }
        }
    }

    fn expressions(&mut self, used: Vec<bool>, interrupt: &Interrupt) -> Result<(), Ended> {
        self.find_divisions(&used);
        for (id, expr) in self.system.exprs.iter() {
            if used[id.index()] {
                if id.index().is_multiple_of(BETWEEN_LOOKS) {
                    interrupt.check()?;
                }
                let before = self.circuit.gates.gate_count();
                self.find_targets(id, expr);
                let bits = self.expression(id, expr);
                self.bits[id.index()] = Some(bits);
                let made = self.circuit.gates.gate_count() - before;
                if made > 0 {
                    *self.gates.entry(kind(expr)).or_default() += made;
                }
            }
        }
        Ok(())
    }

    fn find_divisions(&mut self, used: &[bool]) {
        let exprs = self.system.exprs.iter().filter(|(id, _)| used[id.index()]).map(|(_, expr)| expr);
        let mut operators: FxHashMap<(ExprId, ExprId), FxHashSet<BinaryOp>> = FxHashMap::default();
        for expr in exprs {
            if let Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) = expr {
                operators.entry((a, b)).or_default().insert(op);
            }
        }
        let both = operators.into_iter().filter(|(_, operators)| operators.len() == 2);
        self.divisions = both.map(|(operands, _)| (operands, None)).collect();
    }

    fn finish(mut self) -> Blasted {
        let before = self.circuit.gates.gate_count();
        let mut latch = 0;
        for (index, state) in self.system.states.iter().enumerate() {
            let next = self.encode_next(index, state.next);
            for signal in next {
                self.circuit.latches[latch].next = signal;
                latch += 1;
            }
        }
        *self.gates.entry("next state").or_default() += self.circuit.gates.gate_count() - before;
        for &constraint in &self.system.constraints {
            let signal = self.truth(constraint);
            self.circuit.constraints.push(signal);
        }
        self.circuit.stop = self.truth(self.system.stop);
        for property in &self.system.properties {
            let signal = self.truth(property.condition);
            self.circuit.add_bad(property.name.clone(), signal);
        }
        Blasted {
            circuit: self.circuit,
            states: self.states,
            inputs: self.inputs,
            gates: self.gates,
            writes: self.writes,
            values: self.values,
        }
    }

    fn encode_writes(&mut self) {
        let system = self.system;
        for (index, state) in system.states.iter().enumerate() {
            let list = state.writes.iter().map(|write| WrittenBits {
                condition: self.truth(write.condition),
                value: self.encode_next(index, write.value),
            });
            let list = list.collect();
            self.writes.push(list);
        }
    }

    fn truth(&self, id: ExprId) -> Signal {
        match &self.bits[id.index()] {
            Some(Bits::Truth(signal)) => *signal,
            other => unreachable!("{id:?} is a truth value, not {other:?}"),
        }
    }

    fn word(&self, id: ExprId) -> &Word {
        match &self.bits[id.index()] {
            Some(Bits::Word(word)) => word,
            other => unreachable!("{id:?} is a word, not {other:?}"),
        }
    }

    fn expression(&mut self, id: ExprId, expr: Expr) -> Bits {
        match expr {
            Expr::Bool(value) => Bits::Truth(Signal::constant(value)),
            Expr::Int(value) => Bits::Word(word::constant(i64::from(value), WORD)),
            Expr::Table(table) => Bits::Word(word::constant(table.index() as i64, WORD)),
            Expr::Input(input) => {
                let (code, bits) = (&self.inputs[input.index()], &self.input_bits[input.index()]);
                Bits::Word(code.decode_bits(&mut self.circuit.gates, bits))
            }
            Expr::Var(var) => {
                let (code, bits) = (&self.states[var.index()], &self.state_bits[var.index()]);
                match self.system.exprs.type_of(id) {
                    Type::Bool => Bits::Truth(bits.first().copied().unwrap_or(self.initial_truth(var.index()))),
                    _ => Bits::Word(code.decode_bits(&mut self.circuit.gates, bits)),
                }
            }
            Expr::Unary(op, a) => self.unary(op, a),
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::Ite(condition, then, otherwise) => self.ite(condition, then, otherwise),
            Expr::Cell(pointer, index) => Bits::Word(self.cell(pointer, index)),
            Expr::Length(pointer) => Bits::Word(self.length(pointer)),
        }
    }

    /// The value of a truth variable that has no latch because it never changes.
    fn initial_truth(&self, state: usize) -> Signal {
        Signal::constant(self.system.states[state].initial != 0)
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> Bits {
        match op {
            UnaryOp::Not => Bits::Truth(!self.truth(a)),
            UnaryOp::ToInt => Bits::Word(word::zero_extend(&[self.truth(a)], WORD)),
            UnaryOp::BitNot => Bits::Word(word::not(self.word(a))),
            UnaryOp::Negate => {
                let a = self.word(a).clone();
                Bits::Word(word::neg(&mut self.circuit.gates, &a))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Bits {
        if self.system.exprs.type_of(a) == Type::Bool {
            let (a, b) = (self.truth(a), self.truth(b));
            let gates = &mut self.circuit.gates;
            return Bits::Truth(match op {
                BinaryOp::And => gates.and(a, b),
                BinaryOp::Or => gates.or(a, b),
                BinaryOp::Eq => gates.iff(a, b),
                other => unreachable!("{other:?} takes integers"),
            });
        }
        if op == BinaryOp::Eq
            && let Some(equal) = self.equals_constant(a, b)
        {
            return Bits::Truth(equal);
        }
        let (x, y) = (self.word(a).clone(), self.word(b).clone());
        let gates = &mut self.circuit.gates;
        Bits::Word(match op {
            BinaryOp::Eq => return Bits::Truth(word::eq(gates, &x, &y)),
            BinaryOp::Less => return Bits::Truth(word::signed_lt(gates, &x, &y)),
            BinaryOp::LessEq => return Bits::Truth(word::signed_le(gates, &x, &y)),
            BinaryOp::Add => word::add(gates, &x, &y),
            BinaryOp::Sub => word::sub(gates, &x, &y),
            BinaryOp::Mul => word::mul(gates, &x, &y),
            BinaryOp::BitAnd => word::and(gates, &x, &y),
            BinaryOp::BitOr => word::or(gates, &x, &y),
            BinaryOp::BitXor => word::xor(gates, &x, &y),
            // The amount's low five bits count.
            BinaryOp::ShiftLeft => word::shl(gates, &x, &word::zero_extend(&y[..5], WORD)),
            BinaryOp::ShiftRight => word::ashr(gates, &x, &word::zero_extend(&y[..5], WORD)),
            BinaryOp::Div | BinaryOp::Rem => match self.divisions.get_mut(&(a, b)) {
                Some(both) => {
                    let (quotient, remainder) = both.get_or_insert_with(|| word::divrem(gates, &x, &y)).clone();
                    if op == BinaryOp::Div { quotient } else { remainder }
                }
                None if op == BinaryOp::Div => word::div(gates, &x, &y),
                None => word::rem(gates, &x, &y),
            },
            BinaryOp::And | BinaryOp::Or => unreachable!("{op:?} takes truth values"),
        })
    }

    /// A variable of enumerated values is tested for one of them by its code alone.
    fn equals_constant(&mut self, a: ExprId, b: ExprId) -> Option<Signal> {
        let (Expr::Var(var), Some(value)) = (self.system.exprs.get(a), self.system.exprs.constant(b)) else {
            return None;
        };
        let (code, bits) = (&self.states[var.index()], &self.state_bits[var.index()]);
        code.is_value(&mut self.circuit.gates, bits, value)
    }

    fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Bits {
        let condition = self.truth(condition);
        if self.system.exprs.type_of(then) == Type::Bool {
            let (then, otherwise) = (self.truth(then), self.truth(otherwise));
            return Bits::Truth(self.circuit.gates.mux(condition, then, otherwise));
        }
        let (then, otherwise) = (self.word(then).clone(), self.word(otherwise).clone());
        Bits::Word(word::mux(&mut self.circuit.gates, condition, &then, &otherwise))
    }
}

fn bit_name(name: &str, bit: usize, width: usize) -> String {
    if width == 1 { name.to_string() } else { format!("{name}[{bit}]") }
}

fn kind(expr: Expr) -> &'static str {
    match expr {
        Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) => "constant",
        Expr::Input(_) | Expr::Var(_) => "decoding",
        Expr::Unary(UnaryOp::Negate, _) => "negation",
        Expr::Unary(..) => "conversion",
        Expr::Binary(op, ..) => match op {
            BinaryOp::Add => "addition",
            BinaryOp::Sub => "subtraction",
            BinaryOp::Mul => "multiplication",
            BinaryOp::Div => "division",
            BinaryOp::Rem => "remainder",
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => "shift",
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => "bitwise",
            BinaryOp::Eq => "equality",
            BinaryOp::Less | BinaryOp::LessEq => "order",
            BinaryOp::And | BinaryOp::Or => "condition",
        },
        Expr::Ite(..) => "if-then-else",
        Expr::Cell(..) | Expr::Length(_) => "table",
    }
}
