//! The inputs of a step, tried one after the other; only those that the step reads.
//!
//! A step notes which inputs it read. Another value of an input that it did not read leads nowhere else, so only those
//! read are changed, the last one fastest, until all their combinations are through: one value of an input may have
//! the step read others. Programs with many inputs of which a step reads few are searched as fast as any.

use super::layout::{GROUP, Layout};
use super::machine::Machine;
use crate::analysis::slice::Slice;
use crate::base::Interrupt;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, VarId};
use crate::program::{Domain, Program, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// More values of one input than this are too many to try in every state.
pub const MOST_VALUES: usize = 1 << 16;

/// The number of steps after which a search looks whether it is still wanted: a single state may take billions of them.
pub(super) const LOOK_AROUND: u64 = 512;

/// The most combinations of inputs that a step from one state might be tried on: the product of the sizes of all
/// alphabets from which the slice reads. A step that reads few of its inputs is tried on fewer.
pub fn combinations(program: &Program, slice: &Slice) -> u64 {
    let reductions = reductions(program);
    let read = (0..program.inputs.len()).filter(|&index| slice.inputs[index]);
    read.fold(1, |product: u64, index| {
        let alphabet = &program.inputs[index].alphabet;
        let size = reductions[index].and_then(|reduction| reduction.of(alphabet)).map(|list| list.len() as u64);
        product.saturating_mul(size.unwrap_or_else(|| alphabet.size()))
    })
}

/// What becomes of an input wherever it is used: `& number`, or the remainder by a number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Reduction {
    op: BinaryOp,
    by: i32,
}

impl Reduction {
    /// Values of an alphabet, one for each result that any of its values has; `None` if these are not small numbers.
    fn of(self, alphabet: &Domain) -> Option<Vec<i32>> {
        let (least, most) = match self.op {
            BinaryOp::BitAnd if self.by >= 0 => (0, self.by),
            // The remainder has the sign of the value.
            BinaryOp::Rem if self.by > 0 => (1 - self.by, self.by - 1),
            _ => return None,
        };
        if i64::from(most) - i64::from(least) >= MOST_VALUES as i64 {
            return None;
        }
        let is_own_result = |value: &i32| self.op.apply(*value, self.by) == *value;
        let list: Vec<i32> = (least..=most).filter(is_own_result).filter(|&value| alphabet.contains(value)).collect();
        // Whatever else the alphabet has must come to one of these.
        let comes_to = |value: i32| list.binary_search(&self.op.apply(value, self.by)).is_ok();
        let is_complete = match alphabet.list(MOST_VALUES) {
            Some(all) => all.into_iter().all(comes_to),
            None => *alphabet == Domain::ANY,
        };
        is_complete.then_some(list)
    }
}

/// Per input: its reduction, if nothing but one is made of it. Sequential C keeps an answer in a variable of its own first.
fn reductions(program: &Program) -> Vec<Option<Reduction>> {
    if program.location.is_none() {
        // Formulas may speak of inputs, too.
        return vec![None; program.inputs.len()];
    }
    let mut holders: FxHashMap<VarId, Vec<InputId>> = FxHashMap::default();
    let mut others = FxHashSet::default();
    for stmt in &program.stmts {
        if let StmtKind::Assign { variable, value } = stmt.kind {
            match program.exprs.get(value) {
                Expr::Input(input) => holders.entry(variable).or_default().push(input),
                _ => drop(others.insert(variable)),
            }
        }
    }
    holders.retain(|variable, _| !others.contains(variable));
    let source = |id: ExprId| match program.exprs.get(id) {
        Expr::Input(input) => vec![input],
        Expr::Var(variable) => holders.get(&variable).cloned().unwrap_or_default(),
        _ => vec![],
    };
    // What is made of each input: one thing, or several.
    let mut found: Vec<Option<Result<Reduction, ()>>> = vec![None; program.inputs.len()];
    let mut note = |inputs: Vec<InputId>, reduction: Result<Reduction, ()>| {
        for input in inputs {
            let known = &mut found[input.index()];
            *known = Some(match known {
                None => reduction,
                Some(known) if *known == reduction => reduction,
                Some(_) => Err(()),
            });
        }
    };
    let mut seen = FxHashSet::default();
    let mut pending = vec![];
    for stmt in &program.stmts {
        let is_kept = matches!(stmt.kind, StmtKind::Assign { variable, value }
            if holders.contains_key(&variable) && matches!(program.exprs.get(value), Expr::Input(_)));
        for root in stmt.kind.expressions().into_iter().filter(|_| !is_kept) {
            note(source(root), Err(()));
            pending.push(root);
        }
    }
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = program.exprs.get(id);
        if let Expr::Binary(op @ (BinaryOp::BitAnd | BinaryOp::Rem), a, b) = expr
            && let Some(by) = program.exprs.as_int(b)
        {
            note(source(a), Ok(Reduction { op, by }));
            pending.push(a);
            continue;
        }
        for operand in expr.operands() {
            note(source(operand), Err(()));
            pending.push(operand);
        }
    }
    found.into_iter().map(|found| found.and_then(Result::ok)).collect()
}

/// The inputs of the next step.
#[derive(Clone, Debug)]
pub struct Tape {
    alphabets: Vec<Vec<i32>>,
    /// No input is without values.
    is_possible: bool,
    /// Where the inputs are in the frame, where it is noted that they were read, and of which group one was.
    inputs: usize,
    marks: usize,
    groups: usize,
    /// Whether steps note the inputs that they read; where they do not, all count as read.
    is_marked: bool,
    /// The inputs that were read, in the order in which that was noticed, each with the position of its value.
    fixed: Vec<(usize, usize)>,
    is_fixed: Vec<bool>,
    /// The frame has the first values and no marks.
    is_rewound: bool,
}

impl Tape {
    /// The inputs of a program, with one value for those that no part of the slice reads; `None` if one has too many.
    pub fn of(program: &Program, slice: &Slice, layout: &Layout) -> Option<Tape> {
        let reductions = reductions(program);
        let alphabets = program.inputs.iter().enumerate().map(|(index, input)| {
            if !slice.inputs[index] {
                return Some(input.alphabet.iter().take(1).collect());
            }
            let reduced = reductions[index].and_then(|reduction| reduction.of(&input.alphabet));
            reduced.or_else(|| input.alphabet.list(MOST_VALUES))
        });
        let alphabets: Vec<Vec<i32>> = alphabets.collect::<Option<_>>()?;
        Some(Tape {
            is_possible: alphabets.iter().all(|alphabet| !alphabet.is_empty()),
            inputs: layout.input(InputId::new(0)),
            marks: layout.marks(),
            groups: layout.groups(),
            is_marked: layout.mark(InputId::new(0)).is_some(),
            fixed: vec![],
            is_fixed: vec![false; alphabets.len()],
            is_rewound: false,
            alphabets,
        })
    }

    /// Whether there is any step at all: an input without values has none.
    pub fn is_possible(&self) -> bool {
        self.is_possible
    }

    /// Puts the first value of each input into a frame; always the same frame, or a copy of it.
    pub fn start(&mut self, frame: &mut [i32]) {
        if !std::mem::replace(&mut self.is_rewound, false) {
            self.fixed.clear();
            self.is_fixed.fill(false);
            for (index, alphabet) in self.alphabets.iter().enumerate() {
                frame[self.inputs + index] = alphabet[0];
            }
            frame[self.marks..self.marks + self.alphabets.len()].fill(0);
            frame[self.groups..self.groups + self.number_of_groups()].fill(0);
        }
    }

    /// Puts the next values into a frame on which a step was executed; false, and the first values, if that was the
    /// last.
    pub fn advance(&mut self, frame: &mut [i32]) -> bool {
        if self.is_marked {
            self.take_marks(frame);
        } else {
            (0..self.alphabets.len()).for_each(|index| self.fix(index));
        }
        while let Some((index, position)) = self.fixed.last_mut() {
            *position += 1;
            if let Some(&value) = self.alphabets[*index].get(*position) {
                frame[self.inputs + *index] = value;
                return true;
            }
            frame[self.inputs + *index] = self.alphabets[*index][0];
            self.is_fixed[*index] = false;
            self.fixed.pop();
        }
        self.is_rewound = true;
        false
    }

    /// The first inputs that lead from one state to another, which some are known to do; `None` if the work is to end.
    pub(super) fn between(
        &mut self,
        from: &[i32],
        to: &[i32],
        machine: &Machine,
        frame: &mut [i32],
        interrupt: &Interrupt,
    ) -> Option<Vec<i32>> {
        self.start(frame);
        for step in 1_u64.. {
            frame[..from.len()].copy_from_slice(from);
            if machine.run(frame) == 0 && frame[..to.len()] == *to {
                break;
            }
            if step.is_multiple_of(LOOK_AROUND) && interrupt.is_raised() {
                return None;
            }
            assert!(self.advance(frame), "the step was made before");
        }
        Some(self.values(frame).to_vec())
    }

    /// Takes note of the inputs that a step read, and clears its marks. Of many inputs most are not read: only groups
    /// with a mark are looked at.
    fn take_marks(&mut self, frame: &mut [i32]) {
        for group in 0..self.number_of_groups() {
            if std::mem::take(&mut frame[self.groups + group]) == 0 {
                continue;
            }
            for index in group * GROUP..self.alphabets.len().min((group + 1) * GROUP) {
                if std::mem::take(&mut frame[self.marks + index]) != 0 {
                    self.fix(index);
                }
            }
        }
    }

    fn fix(&mut self, index: usize) {
        if !std::mem::replace(&mut self.is_fixed[index], true) {
            self.fixed.push((index, 0));
        }
    }

    fn number_of_groups(&self) -> usize {
        self.alphabets.len().div_ceil(GROUP)
    }

    /// The values that the last step got.
    pub fn values<'f>(&self, frame: &'f [i32]) -> &'f [i32] {
        &frame[self.inputs..self.inputs + self.alphabets.len()]
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.alphabets.len()
    }

    /// Puts any values into a frame.
    pub fn choose(&mut self, frame: &mut [i32], mut below: impl FnMut(usize) -> usize) {
        self.is_rewound = false;
        for (index, alphabet) in self.alphabets.iter().enumerate() {
            frame[self.inputs + index] = alphabet[below(alphabet.len())];
        }
    }
}
