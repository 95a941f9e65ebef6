//! Guards on parts: whether they may hold or fail, and the smaller parts where they do.

use std::ops::Range;
use std::rc::Rc;

use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, UnaryOp};

use super::Executor;
use super::part::Part;
use crate::columns::ColumnId;
use crate::evaluate::MOST_COMBINATIONS;
use crate::interval::Environment;

/// A condition that is not made of others.
pub enum Atom {
    /// It reads nothing: the truth values that it may have.
    Constant([bool; 2]),
    /// It reads one column: the regions where it may be false, those where it may be true, and the words of a cube
    /// that hold them.
    Single(ColumnId, [Vec<u64>; 2], Range<usize>),
    /// It reads several.
    Joint(Rc<[ColumnId]>),
}

impl Executor<'_, '_> {
    /// Whether a condition may be false on a part, and whether it may be true. Either may be said in vain.
    pub fn may(&mut self, part: &Part, id: ExprId) -> [bool; 2] {
        match self.program.exprs.get(id) {
            Expr::Unary(UnaryOp::Not, inner) => {
                let [no, yes] = grow(|| self.may(part, inner));
                [yes, no]
            }
            Expr::Binary(BinaryOp::And, a, b) => grow(|| match self.may(part, a) {
                [_, false] => [true, false],
                [no, true] => {
                    let [second_no, second_yes] = self.may(part, b);
                    [no || second_no, second_yes]
                }
            }),
            Expr::Binary(BinaryOp::Or, a, b) => grow(|| match self.may(part, a) {
                [false, _] => [false, true],
                [true, yes] => {
                    let [second_no, second_yes] = self.may(part, b);
                    [second_no, yes || second_yes]
                }
            }),
            _ => match self.known_atom(id) {
                Atom::Constant(may) => *may,
                Atom::Single(_, may, words) => {
                    let regions = &part.cube[words.clone()];
                    [0, 1].map(|truth| regions.iter().zip(&may[truth]).any(|(regions, may)| regions & may != 0))
                }
                Atom::Joint(_) => [true, true],
            },
        }
    }

    /// Parts that do not overlap and hold all states of a part where a condition may have a truth value.
    pub fn refine(&mut self, part: Part, id: ExprId, truth: bool) -> Vec<Part> {
        match self.program.exprs.get(id) {
            Expr::Unary(UnaryOp::Not, inner) => grow(|| self.refine(part, inner, !truth)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => grow(|| {
                // The truth value that the first operand needs for the second to count.
                let goes_on = op == BinaryOp::And;
                let mut parts = vec![];
                if truth != goes_on {
                    parts = self.refine(part.clone(), a, truth);
                }
                for part in self.refine(part, a, goes_on) {
                    parts.extend(self.refine(part, b, truth));
                }
                parts
            }),
            _ => match &*self.atom(id) {
                Atom::Constant(may) if may[usize::from(truth)] => vec![part],
                Atom::Constant(_) => vec![],
                Atom::Single(column, may, _) => self.refine_single(part, id, *column, may, truth),
                Atom::Joint(columns) => self.refine_jointly(part, id, columns, truth),
            },
        }
    }

    fn refine_single(
        &mut self,
        mut part: Part,
        id: ExprId,
        column: ColumnId,
        may: &[Vec<u64>; 2],
        truth: bool,
    ) -> Vec<Part> {
        let regions = self.evaluator.columns.get(column);
        let words = &mut part.cube[regions.from..regions.to];
        words.iter_mut().zip(&may[usize::from(truth)]).for_each(|(word, may)| *word &= may);
        if words.iter().all(|&word| word == 0) {
            return vec![];
        }
        let vague = words.iter().zip(&may[usize::from(!truth)]).any(|(word, may)| word & may != 0);
        if vague {
            return self.refine_jointly(part, id, &[column], truth);
        }
        vec![part]
    }

    /// Tells the combinations of regions apart, and narrows the columns where those do not decide.
    fn refine_jointly(&mut self, part: Part, id: ExprId, columns: &[ColumnId], truth: bool) -> Vec<Part> {
        let groups = self.split(part, id, columns, None);
        let mut parts = vec![];
        for (mut part, image) in groups {
            let may = |truth: bool| image.mask[0] >> u32::from(truth) & 1 == 1;
            if may(truth) && (!may(!truth) || self.narrow(&mut part, id, columns, truth)) {
                parts.push(part);
            }
        }
        parts
    }

    /// Notes what a condition says about the columns that it reads; whether it can have the truth value at all.
    fn narrow(&mut self, part: &mut Part, id: ExprId, columns: &[ColumnId], truth: bool) -> bool {
        let environment = self.environment(part, columns);
        let Some(narrowed) = self.evaluator.arithmetic.refine(id, truth, environment) else { return false };
        for (&column, (_, values)) in columns.iter().zip(narrowed.iter()) {
            let regions = self.evaluator.columns.get(column);
            let touched = regions.touched(values);
            let words = &mut part.cube[regions.from..regions.to];
            words.iter_mut().zip(touched).for_each(|(word, touched)| *word &= touched);
            if words.iter().all(|&word| word == 0) {
                return false;
            }
            self.tell(part, column, values);
        }
        true
    }

    fn known_atom(&mut self, id: ExprId) -> &Atom {
        if self.images.atoms[id.index()].is_none() {
            self.atom(id);
        }
        self.images.atoms[id.index()].as_deref().expect("it was made just now")
    }

    fn atom(&mut self, id: ExprId) -> Rc<Atom> {
        if let Some(atom) = &self.images.atoms[id.index()] {
            return Rc::clone(atom);
        }
        let columns = self.evaluator.columns.read_by(self.program, id);
        let atom = match columns[..] {
            [] => {
                let values = self.evaluator.arithmetic.evaluate(id, &Environment::default());
                Atom::Constant([0, 1].map(|truth| values.contains(truth)))
            }
            [column] if self.evaluator.columns.get(column).regions() <= MOST_COMBINATIONS => {
                let (words, count) = (self.all.len(), self.evaluator.columns.get(column).regions());
                let mut may = [vec![0; count.div_ceil(64)], vec![0; count.div_ceil(64)]];
                let nothing_told = Part::new(vec![0; words].into());
                for region in 0..count {
                    let image = self.image(&nothing_told, id, &[column], &[region], None);
                    for (truth, may) in may.iter_mut().enumerate() {
                        may[region / 64] |= (image.mask[0] >> truth & 1) << (region % 64);
                    }
                }
                let words = self.evaluator.columns.get(column).from..self.evaluator.columns.get(column).to;
                Atom::Single(column, may, words)
            }
            _ => Atom::Joint(columns.into()),
        };
        let atom = Rc::new(atom);
        self.images.atoms[id.index()] = Some(Rc::clone(&atom));
        atom
    }
}
