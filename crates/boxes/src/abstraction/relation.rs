//! One expression over regions: for each combination of the regions that it reads, the regions that it can give.
//!
//! Interval arithmetic bounds the result; where that is more than one region, the combination is split into smaller
//! boxes until each gives one, or the budget is spent. The result is written as a decision tree over the region
//! numbers. Where several regions remain possible, a fresh *choice* picks one of them.

use crate::analysis::{Env, Values};
use crate::base::Interrupt;
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, InputId, Type, VarId};

use super::regions::Partition;

/// A source of an expression's value: a variable, or an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Variable(VarId),
    Input(InputId),
}

/// The most leaves of a decision tree.
const MOST_LEAVES: usize = 1024;

/// The most boxes that a leaf is split into.
const MOST_BOXES: usize = 192;

/// The most boxes that all leaves of a program together are split into.
const MOST_BOXES_IN_ALL: usize = 20_000_000;

/// The encoding of an expression's result: regions of a variable, or a truth value.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    Regions(&'a Partition),
    Truth,
}

impl Target<'_> {
    pub fn touched(&self, values: &Values) -> Vec<usize> {
        match self {
            Target::Regions(partition) => partition.touched(values),
            Target::Truth => values.iter().map(|value| value as usize).collect(),
        }
    }
}

/// Writes the abstract counterparts of expressions.
pub struct Tabulator<'t, 'e, 'p> {
    pub env: &'t mut Env<'p>,
    pub partitions: &'t [Partition],
    pub exprs: &'e mut Exprs,
    pub target: Target<'t>,
    /// The choice to use where several results are possible.
    pub choice: InputId,
    /// Among how many results it had to choose so far; one or none if never.
    pub options: usize,
    pub effort: &'t mut Effort,
}

/// The effort that may still be spent on being exact. Without it, the results are coarser and come at once.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Boxes that may still be evaluated.
    boxes: usize,
    interrupt: Interrupt,
}

impl Effort {
    pub fn new(interrupt: &Interrupt) -> Effort {
        Effort { boxes: MOST_BOXES_IN_ALL, interrupt: interrupt.clone() }
    }

    fn is_spent(&self) -> bool {
        self.boxes == 0
    }

    fn spend(&mut self, boxes: usize) {
        self.boxes = if self.interrupt.is_raised() { 0 } else { self.boxes.saturating_sub(boxes) };
    }
}

impl Tabulator<'_, '_, '_> {
    /// The abstract counterpart of an expression of the program, under the values of the environment.
    pub fn tabulate(&mut self, id: ExprId) -> ExprId {
        let mut sources = sources(self.env, id);
        sources.retain(|&source| self.count(source) <= MOST_LEAVES);
        // Those with few regions first: they are worth most. The regions of those that do not fit are not
        // distinguished.
        sources.sort_by_key(|&source| (self.count(source), source));
        let mut leaves = 1;
        sources.retain(|&source| {
            leaves *= self.count(source);
            leaves <= if self.effort.is_spent() { 1 } else { MOST_LEAVES }
        });
        self.tree(id, &sources)
    }

    /// In how many regions a source can be here.
    fn count(&self, source: Source) -> usize {
        match source {
            Source::Variable(variable) => self.partitions[variable.index()].touched(self.env.get(variable)).len(),
            Source::Input(input) => usize::try_from(self.env.input(input).count()).unwrap_or(usize::MAX),
        }
    }

    /// The regions that a source can be in here, with its values there.
    fn options(&self, source: Source) -> Vec<(i32, Values)> {
        match source {
            Source::Variable(variable) => {
                let (values, partition) = (self.env.get(variable), &self.partitions[variable.index()]);
                let within = |index| {
                    let (low, high) = partition.region(index);
                    (index as i32, values.within(low, high))
                };
                partition.touched(values).into_iter().map(within).collect()
            }
            Source::Input(input) => self.env.input(input).iter().map(|v| (v, Values::one(v))).collect(),
        }
    }

    fn tree(&mut self, id: ExprId, sources: &[Source]) -> ExprId {
        let Some((&source, rest)) = sources.split_last() else { return self.leaf(id) };
        let options = self.options(source);
        let mut runs: Vec<(i32, ExprId)> = vec![];
        for (region, values) in options {
            let mark = self.env.mark();
            let old = self.fix(source, values);
            let below = self.tree(id, rest);
            self.release(source, old);
            self.env.undo(mark);
            match runs.last_mut() {
                Some((last, value)) if *value == below => *last = region,
                _ => runs.push((region, below)),
            }
        }
        let number = match source {
            Source::Variable(variable) => {
                let ty = self.env.program.variable(variable).ty;
                self.exprs.var(variable, abstract_type(ty))
            }
            Source::Input(input) => self.exprs.input(input, Type::Int),
        };
        if runs.is_empty() {
            // No run comes here.
            return self.some_result();
        }
        decide(self.exprs, number, &runs)
    }

    fn fix(&mut self, source: Source, values: Values) -> Option<Values> {
        match source {
            Source::Variable(variable) => {
                self.env.set(variable, values);
                None
            }
            Source::Input(input) => Some(self.env.fix_input(input, values)),
        }
    }

    fn release(&mut self, source: Source, old: Option<Values>) {
        if let (Source::Input(input), Some(old)) = (source, old) {
            self.env.fix_input(input, old);
        }
    }

    fn some_result(&mut self) -> ExprId {
        match self.target {
            Target::Regions(_) => self.exprs.int(0),
            Target::Truth => self.exprs.bool(false),
        }
    }

    fn leaf(&mut self, id: ExprId) -> ExprId {
        let results = possible(self.env, id, &self.target, self.effort);
        self.options = self.options.max(results.len());
        match self.target {
            Target::Truth => match results[..] {
                [] | [0] => self.exprs.bool(false),
                [1] => self.exprs.bool(true),
                _ => {
                    let (choice, zero) = (self.exprs.input(self.choice, Type::Int), self.exprs.int(0));
                    let none = self.exprs.eq(choice, zero);
                    self.exprs.not(none)
                }
            },
            Target::Regions(_) => match results[..] {
                [] => self.some_result(),
                [only] => self.exprs.int(only as i32),
                _ => {
                    let choice = self.exprs.input(self.choice, Type::Int);
                    let options = results.iter().enumerate();
                    let runs: Vec<(i32, ExprId)> =
                        options.map(|(option, &region)| (option as i32, self.exprs.int(region as i32))).collect();
                    decide(self.exprs, choice, &runs)
                }
            },
        }
    }
}

/// The type of a variable's region number: a truth value stays one.
pub fn abstract_type(ty: Type) -> Type {
    match ty {
        Type::Bool => Type::Bool,
        Type::Int | Type::Pointer => Type::Int,
    }
}

/// The expression that has the value of the first run that a number does not exceed; the last one beyond them.
fn decide(exprs: &mut Exprs, number: ExprId, runs: &[(i32, ExprId)]) -> ExprId {
    if let [(_, only)] = runs {
        return *only;
    }
    if exprs.type_of(number) == Type::Bool {
        return exprs.ite(number, runs[1].1, runs[0].1);
    }
    // A condition that holds in one region only is an equation.
    if let [(before, outside), (at, inside), (_, after)] = runs
        && *at == before + 1
        && outside == after
    {
        let at = exprs.int(*at);
        let is = exprs.eq(number, at);
        return exprs.ite(is, *inside, *outside);
    }
    let middle = runs.len() / 2;
    let limit = exprs.int(runs[middle - 1].0);
    let low = decide(exprs, number, &runs[..middle]);
    let high = decide(exprs, number, &runs[middle..]);
    let is_low = exprs.binary(BinaryOp::LessEq, number, limit);
    exprs.ite(is_low, low, high)
}

/// The variables and inputs that an expression reads and that have more than one value here.
pub fn sources(env: &Env, id: ExprId) -> Vec<Source> {
    let mut found = vec![];
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let expr = env.program.exprs.get(id);
        match expr {
            Expr::Var(variable) if env.get(variable).count() > 1 => found.push(Source::Variable(variable)),
            Expr::Input(input) => found.push(Source::Input(input)),
            _ => {}
        }
        pending.extend(expr.operands().filter(|&operand| seen.insert(operand)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The results that an expression can have under the values of an environment, ascending.
fn possible(env: &mut Env, id: ExprId, target: &Target, effort: &mut Effort) -> Vec<usize> {
    let first = target.touched(&env.evaluate(id));
    effort.spend(1);
    if first.len() < 2 || effort.is_spent() {
        return first;
    }
    let variables: Vec<VarId> = sources(env, id)
        .into_iter()
        .filter_map(|source| match source {
            Source::Variable(variable) => Some(variable),
            Source::Input(_) => None,
        })
        .collect();
    let mut found: Vec<usize> = vec![];
    let mut boxes =
        std::collections::VecDeque::from([variables.iter().map(|&v| env.get(v).clone()).collect::<Vec<_>>()]);
    let mut evaluations = 0;
    while let Some(values) = boxes.pop_front() {
        evaluations += 1;
        let mark = env.mark();
        variables.iter().zip(&values).for_each(|(&variable, values)| env.set(variable, values.clone()));
        let results = target.touched(&env.evaluate(id));
        env.undo(mark);
        if results.iter().all(|result| found.contains(result)) {
            continue;
        }
        let widest = (0..values.len()).max_by_key(|&index| values[index].count());
        match widest.filter(|&index| results.len() > 1 && values[index].count() > 1) {
            Some(index) if evaluations < MOST_BOXES => {
                let (low, high) = values[index].bounds().expect("more than one value");
                let middle = (i64::from(low) + i64::from(high)).div_euclid(2) as i32;
                for half in [values[index].within(low, middle), values[index].within(middle + 1, high)] {
                    let mut smaller = values.clone();
                    smaller[index] = half;
                    boxes.push_back(smaller);
                }
            }
            _ => found.extend(results.iter().filter(|result| !found.contains(result)).collect::<Vec<_>>()),
        }
        if found.len() == first.len() {
            break;
        }
    }
    effort.spend(evaluations);
    found.sort_unstable();
    found
}
