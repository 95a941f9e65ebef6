//! One step from a part: all ways that its states may go, on what is known of them.
//!
//! Guards that hold for some states and fail for others make the way fork. Inputs are followed as sets, too, which guards
//! narrow. A way ends in values for all variables, unless it ends the run.
//!
//! If a way may end in a label that is to be excluded, and may as well not, then the walk asks what that depends on: if it is a
//! variable of which states with different numbers have come together in this part, the part is to be told apart by it.

use rustc_hash::FxHashMap;

use super::super::guards::{Slot, Test, TestId, Tests};
use super::super::sets::{SetId, Sets};
use super::super::step::Label;
use super::State;
use super::part::Part;
use super::tree::Tree;
use crate::analysis::slice::Slice;
use crate::analysis::{Env, Values};
use crate::base::stack::grow;
use crate::expr::{ExprId, InputId, VarId};
use crate::program::{Arm, Program, PropertyId, Scope, StmtId, StmtKind};

/// A walk follows at most so many ways. If there are more, ways that meet again go on as one from then on.
const MOST_WAYS: usize = 20_000;

/// A variable with more cells than this in a part is not told apart.
const MOST_CELLS: usize = 32;

/// What walks have in common.
pub struct Ground<'p> {
    pub program: &'p Program,
    pub slice: &'p Slice,
    pub state: State,
    pub sets: Sets,
    pub tests: Tests<'p>,
    /// What is known of all states; what is known of a part is put on top of it.
    pub env: Env<'p>,
    /// Per property: what is to become of it.
    pub labels: Vec<Label>,
    /// Whether a way through an arm that changes nothing goes on as one with the way past it, on what both have in common. Else
    /// their number doubles with each function that is called and may find nothing to do.
    pub joins: bool,
    /// By the body of an arm: the label that it reaches.
    pub label_of: FxHashMap<StmtId, PropertyId>,
}

/// What a walk leads to.
pub enum Outcome {
    /// The values at the end of each way, and the labels that may be reached.
    Ends(Vec<Vec<Values>>, Vec<PropertyId>),
    /// The part is to be told apart by this variable, given by its position in the state.
    Split(usize),
    TooMany,
}

/// Where execution goes on.
#[derive(Clone)]
struct Frame<'p> {
    list: &'p [StmtId],
    next: usize,
    is_call: bool,
    /// Below an arm that may be passed by: how many assignments there were before it.
    before: Option<usize>,
}

impl<'p> Frame<'p> {
    fn new(list: &'p [StmtId], is_call: bool) -> Frame<'p> {
        Frame { list, next: 0, is_call, before: None }
    }
}

struct Walk<'w, 'p> {
    ground: &'w mut Ground<'p>,
    part: &'w Part,
    tree: &'w Tree,
    ends: Vec<Vec<Values>>,
    ways: usize,
    /// The assignments on the way.
    trace: Vec<(VarId, ExprId)>,
    inputs_trail: Vec<(InputId, Values)>,
    /// Labels that are asked for, and may be reached.
    touched: Vec<PropertyId>,
    wish: Option<usize>,
    /// How many assignments there were to what outlives its function.
    assigned: usize,
    /// Whether a way has come to the end of the arm that was entered last, and changed nothing.
    has_met: bool,
}

/// Where a way may come back to.
struct Mark {
    env: crate::analysis::env::Mark,
    trace: usize,
    inputs: usize,
    assigned: usize,
}

/// Takes a step from a part.
pub fn walk(ground: &mut Ground, part: &Part, tree: &Tree) -> Outcome {
    match walk_once(ground, part, tree) {
        Outcome::TooMany if !ground.joins => {
            ground.joins = true;
            walk_once(ground, part, tree)
        }
        outcome => outcome,
    }
}

fn walk_once(ground: &mut Ground, part: &Part, tree: &Tree) -> Outcome {
    let mark = ground.env.mark();
    for (position, values) in part.values.iter().enumerate() {
        ground.env.set(ground.state.variables[position], values.clone());
    }
    let frames = vec![Frame::new(std::slice::from_ref(&ground.program.step), true)];
    let mut walk = Walk {
        ground,
        part,
        tree,
        ends: vec![],
        ways: 0,
        trace: vec![],
        inputs_trail: vec![],
        touched: vec![],
        wish: None,
        assigned: 0,
        has_met: false,
    };
    let start = walk.mark();
    walk.go(frames);
    walk.undo(&start);
    let Walk { ends, ways, touched, wish, .. } = walk;
    ground.env.undo(mark);
    match wish {
        Some(position) => Outcome::Split(position),
        None if ways > MOST_WAYS => Outcome::TooMany,
        None => {
            touched.iter().for_each(|label| ground.labels[label.index()] = Label::Suspended);
            Outcome::Ends(ends, touched)
        }
    }
}

impl<'p> Walk<'_, 'p> {
    fn mark(&self) -> Mark {
        Mark {
            env: self.ground.env.mark(),
            trace: self.trace.len(),
            inputs: self.inputs_trail.len(),
            assigned: self.assigned,
        }
    }

    fn undo(&mut self, mark: &Mark) {
        self.ground.env.undo(mark.env);
        self.trace.truncate(mark.trace);
        self.assigned = mark.assigned;
        for (input, values) in self.inputs_trail.drain(mark.inputs..).rev() {
            self.ground.env.fix_input(input, values);
        }
    }

    fn is_over(&self) -> bool {
        self.wish.is_some() || self.ways > MOST_WAYS
    }

    /// Executes what is left of the step.
    fn go(&mut self, mut frames: Vec<Frame<'p>>) {
        let program = self.ground.program;
        while !self.is_over() {
            let Some(frame) = frames.last_mut() else { return self.end() };
            let Some(&id) = frame.list.get(frame.next) else {
                if frame.before == Some(self.assigned) {
                    self.has_met = true;
                    return;
                }
                frames.pop();
                continue;
            };
            frame.next += 1;
            if !self.ground.slice.keeps(id) {
                continue;
            }
            match &program.stmt(id).kind {
                StmtKind::Sequence(list) => frames.push(Frame::new(list, false)),
                StmtKind::Call(function) => {
                    frames.push(Frame::new(std::slice::from_ref(&program.function(*function).body), true));
                }
                StmtKind::Return => while frames.pop().is_some_and(|frame| !frame.is_call) {},
                StmtKind::Assign { variable, value } => {
                    let values = self.ground.env.evaluate(*value);
                    self.ground.env.set(*variable, values);
                    self.trace.push((*variable, *value));
                    // What is local to a function does not outlive it.
                    self.assigned += usize::from(program.variable(*variable).scope == Scope::Global);
                }
                StmtKind::Choice(arms) => {
                    if !self.choose(&mut frames, arms) {
                        return;
                    }
                }
                StmtKind::Error(property) => return self.reach(*property),
                StmtKind::Reach(property) => self.reach(*property),
                StmtKind::Halt(_) => return,
                StmtKind::Assume(condition) => {
                    let test = self.test(*condition, true);
                    if !self.refine(test) {
                        return;
                    }
                }
                StmtKind::Print { .. } => {}
                StmtKind::Store { .. } => unreachable!("programs that write tables are left to others"),
            }
        }
    }

    /// Goes into every arm that may be taken; whether there is a way that goes on with these frames.
    fn choose(&mut self, frames: &mut Vec<Frame<'p>>, arms: &'p [Arm]) -> bool {
        let mut has_met = false;
        for arm in arms {
            let (holds, fails) = (self.test(arm.guard, true), self.test(arm.guard, false));
            if !self.may_hold(holds) {
                continue;
            }
            let into = Frame::new(std::slice::from_ref(&arm.body), false);
            if !self.may_hold(fails) {
                if has_met {
                    self.go_past(frames.clone());
                }
                frames.push(into);
                return !self.is_over() && self.refine(holds);
            }
            let mark = self.mark();
            if self.refine(holds) {
                self.doubt(arm);
                let mut inside = frames.clone();
                inside.push(Frame { before: self.ground.joins.then_some(self.assigned), ..into });
                let outside = std::mem::take(&mut self.has_met);
                grow(|| self.go(inside));
                has_met |= std::mem::replace(&mut self.has_met, outside);
            }
            self.undo(&mark);
            if self.is_over() || !has_met && !self.refine(fails) {
                return false;
            }
        }
        true
    }

    /// Follows the way of those who were in an arm, changed nothing, and do not come to the others.
    fn go_past(&mut self, frames: Vec<Frame<'p>>) {
        let mark = self.mark();
        grow(|| self.go(frames));
        self.undo(&mark);
    }

    /// A way may go into an arm, or not: if that leads to a label that is to be excluded, the reason is looked for.
    fn doubt(&mut self, arm: &Arm) {
        let label = self.ground.label_of.get(&arm.body);
        if label.is_some_and(|label| self.ground.labels[label.index()] == Label::Excluded) {
            self.wish = self.reason(arm.guard);
        }
    }

    fn reach(&mut self, property: PropertyId) {
        if self.ground.labels[property.index()] != Label::Allowed && !self.touched.contains(&property) {
            self.touched.push(property);
        }
    }

    fn end(&mut self) {
        self.ways += 1;
        let state = &self.ground.state;
        let values: Vec<Values> =
            state.variables.iter().map(|&variable| self.ground.env.get(variable).clone()).collect();
        self.ends.push(values);
    }

    /// The variable by which the part had better be told apart, so that it is known whether a guard holds: one of whose cells,
    /// each by itself, more say so.
    fn reason(&mut self, guard: ExprId) -> Option<usize> {
        let program = self.ground.program;
        let mut wanted: Vec<VarId> = program.exprs.variables(guard).into_iter().collect();
        let mut steps = vec![];
        for &(variable, value) in self.trace.iter().rev() {
            if let Some(place) = wanted.iter().position(|&one| one == variable) {
                wanted.swap_remove(place);
                for read in program.exprs.variables(value) {
                    if !wanted.contains(&read) {
                        wanted.push(read);
                    }
                }
                steps.push((variable, value));
            }
        }
        steps.reverse();
        let mark = self.ground.env.mark();
        let mut places: Vec<usize> =
            wanted.iter().filter_map(|&variable| self.ground.state.position(variable)).collect();
        places.sort_unstable();
        for &place in &places {
            self.ground.env.set(self.ground.state.variables[place], self.part.values[place].clone());
        }
        let mut best: Option<(f64, usize, usize)> = None;
        for place in places {
            let values = &self.part.values[place];
            let cells: Vec<_> = self.ground.state.cells_of(place, values).take(MOST_CELLS + 1).collect();
            if cells.len() < 2 || cells.len() > MOST_CELLS || self.tree.asked(self.part.node).contains(&place) {
                continue;
            }
            let mut open = 0;
            for &(low, high) in &cells {
                let here = self.ground.env.mark();
                self.ground.env.set(self.ground.state.variables[place], values.within(low, high));
                open += usize::from(self.is_open(&steps, guard));
                self.ground.env.undo(here);
            }
            let candidate = (open as f64 / cells.len() as f64, cells.len(), place);
            if open < cells.len() && best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        self.ground.env.undo(mark);
        best.map(|(_, _, place)| place)
    }

    /// Whether a guard may hold and may fail after some assignments.
    fn is_open(&mut self, steps: &[(VarId, ExprId)], guard: ExprId) -> bool {
        let mark = self.ground.env.mark();
        for &(variable, value) in steps {
            let values = self.ground.env.evaluate(value);
            self.ground.env.set(variable, values);
        }
        let (holds, fails) = (self.test(guard, true), self.test(guard, false));
        let is_open = self.may_hold(holds) && self.may_hold(fails);
        self.ground.env.undo(mark);
        is_open
    }

    fn test(&mut self, condition: ExprId, truth: bool) -> TestId {
        self.ground.tests.of(&mut self.ground.sets, condition, truth)
    }

    /// The variable or input of a slot.
    fn place(&self, slot: Slot) -> Result<VarId, InputId> {
        let variables = self.ground.program.variables.len();
        match slot.index().checked_sub(variables) {
            None => Ok(VarId::new(slot.index())),
            Some(input) => Err(InputId::new(input)),
        }
    }

    fn values(&self, slot: Slot) -> &Values {
        match self.place(slot) {
            Ok(variable) => self.ground.env.get(variable),
            Err(input) => self.ground.env.input(input),
        }
    }

    /// Whether some state may pass a test.
    fn may_hold(&mut self, id: TestId) -> bool {
        match self.ground.tests.get(id) {
            Test::Always(truth) => *truth,
            Test::In(slot, set) => self.meets(self.values(*slot), *set),
            Test::All(parts) => {
                let parts = parts.clone();
                parts.iter().all(|&part| self.may_hold(part))
            }
            Test::Any(parts) => {
                let parts = parts.clone();
                parts.iter().any(|&part| self.may_hold(part))
            }
            &Test::Is(condition, truth) => {
                let mark = self.ground.env.mark();
                let possible = self.ground.env.refine(condition, truth);
                self.ground.env.undo(mark);
                possible
            }
        }
    }

    fn meets(&self, values: &Values, set: SetId) -> bool {
        match values {
            Values::Set(list) => list.iter().any(|&value| self.ground.sets.contains(set, value)),
            Values::Range(_) => {
                let intervals = self.ground.sets.intervals(set);
                intervals.iter().any(|&(low, high)| !values.within(low, high).is_empty())
            }
        }
    }

    /// Keeps the states that may pass a test; whether there are any.
    fn refine(&mut self, id: TestId) -> bool {
        match self.ground.tests.get(id).clone() {
            Test::Always(truth) => truth,
            Test::In(slot, set) => {
                let kept = self.ground.sets.values(set, self.values(slot));
                if kept.is_empty() {
                    return false;
                }
                match self.place(slot) {
                    Ok(variable) => self.ground.env.set(variable, kept),
                    Err(input) => {
                        let before = self.ground.env.fix_input(input, kept);
                        self.inputs_trail.push((input, before));
                    }
                }
                true
            }
            Test::All(parts) => parts.iter().all(|&part| self.refine(part)),
            Test::Any(parts) => {
                let possible: Vec<TestId> = parts.iter().copied().filter(|&part| self.may_hold(part)).collect();
                match possible[..] {
                    [] => false,
                    [only] => self.refine(only),
                    _ => true,
                }
            }
            Test::Is(condition, truth) => self.ground.env.refine(condition, truth),
        }
    }
}
