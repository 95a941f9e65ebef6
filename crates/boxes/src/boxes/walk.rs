//! One step from a box: all ways that its states may go, found along the run of one of them, the representative.
//!
//! Where the representative finds a guard false, the others must find it false as well, for a reason that becomes a fact of
//! the box ([`explain`]). Where it finds one true, the others may go past it: that way is followed, too, but as a *fork*, a
//! way that no state is known to go. Inputs are not chosen in advance: a guard that asks for one splits those that are left.
//!
//! Two kinds of false guards are not explained at once. A rule that the representative does not fire may as well fire,
//! if that leads into a box that is there anyway: such ways are *soft*. And guards behind the first assignment (the checks of
//! errors, in RERS programs) mostly fail for the same reason in the state that follows: they are written down with the way,
//! and the box that it leads to explains them.

mod choose;
mod explain;
mod test;

use super::guards::Slot;
use super::preimage::{Demand, Entry, Source, Version};
use super::sets::{SetId, Sets};
use super::step::{Label, StepContext};
use super::values::{evaluate, slot_of};
use crate::base::stack::grow;
use crate::expr::{Expr, ExprId};
use crate::program::{PropertyId, StmtId, StmtKind};

/// A decision that the representative takes the other way.
#[derive(Clone, Debug)]
pub struct Fork {
    /// For which values of an input it does; for all if `None`.
    pub inputs: Option<(usize, SetId)>,
    /// Demands that would exclude it.
    pub against: Vec<Demand>,
    /// A rule that may as well not fire: better excluded than followed to a new box.
    pub is_soft: bool,
}

impl Fork {
    /// Whether the representative takes the other way whatever of these inputs there are.
    pub fn applies(&self, inputs: &[SetId], sets: &mut Sets) -> bool {
        self.inputs.is_none_or(|(input, set)| sets.is_subset(inputs[input], set))
    }
}

/// The reasons for which a guard may fail, one of which is needed.
pub type Reasons = Vec<(Slot, Version, SetId)>;

/// A way through the step that goes on.
#[derive(Clone, Debug)]
pub struct Path {
    pub trace: Vec<Entry>,
    /// The state variables that were assigned, with their last version.
    pub changes: Vec<(Slot, Version)>,
    pub forks: Vec<Fork>,
    pub inputs: Vec<SetId>,
    /// The inputs with which the representative goes this way.
    pub real: Option<Vec<SetId>>,
    /// The conditions of the guards on the path on the state before the step.
    pub conditions: Vec<(Slot, SetId)>,
    /// Guards of labels behind the first assignment, which must fail.
    pub checks: Vec<(PropertyId, Reasons)>,
}

/// The findings of a walk.
#[derive(Debug, Default)]
pub struct Found {
    pub paths: Vec<Path>,
    pub reached: Vec<(PropertyId, Vec<i32>)>,
    /// The representative, which no run is known to reach, reaches this label, which is to be excluded.
    pub is_dead: Option<PropertyId>,
    /// Something went wrong: nothing may be concluded.
    pub is_stuck: bool,
    /// The number of values of inputs that were followed by themselves.
    pub told_apart: u64,
}

/// The most forks of a path; beyond that, decisions are explained.
const FORKS: usize = 5;

/// The most values of inputs that a walk follows by themselves: larger combinations are better left to others.
const MOST_TOLD_APART: u64 = 1024;

pub struct Walk<'s, 'p> {
    step: &'s mut StepContext<'p>,
    is_real: bool,
    start: &'s [i32],
    /// The box: per slot, the numbers that it may have.
    facts: &'s mut [SetId],
    found: Found,
    /// Guards that must fail, with the possible reasons.
    obligations: Vec<Vec<(Slot, SetId)>>,
    values: Vec<i32>,
    versions: Vec<Version>,
    trace: Vec<Entry>,
    /// Changes that have to be taken back.
    trail: Vec<(Slot, Version, i32)>,
    /// The number of state variables assigned so far.
    assigned: usize,
    /// Per slot: the conditions of the guards on the path on the state before the step.
    conditions: Vec<SetId>,
    conditions_trail: Vec<(Slot, SetId)>,
    checks: Vec<(PropertyId, Reasons)>,
}

/// Where execution goes on.
#[derive(Clone)]
struct Frame<'p> {
    list: &'p [StmtId],
    next: usize,
    is_call: bool,
}

#[derive(Clone)]
struct Context<'p> {
    frames: Vec<Frame<'p>>,
    inputs: Vec<SetId>,
    real: Option<Vec<SetId>>,
    forks: Vec<Fork>,
    /// The properties reached on the path; an assumption that fails later undoes it.
    passed: Vec<PropertyId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    True,
    False,
    /// On inputs that are still open.
    Depends,
}

struct Mark {
    trail: usize,
    trace: usize,
    assigned: usize,
    conditions: usize,
    checks: usize,
}

impl<'s, 'p> Walk<'s, 'p> {
    /// Walks from a state through the step, and makes its box as small as that needs.
    pub fn run(step: &'s mut StepContext<'p>, start: &'s [i32], is_real: bool, facts: &'s mut [SetId]) -> Found {
        let (slots, variables) = (step.is_state.len(), step.program.variables.len());
        let any = step.sets.any();
        let mut values = start.to_vec();
        values.resize(slots, 0);
        let mut walk = Walk {
            is_real,
            start,
            facts,
            found: Found::default(),
            obligations: vec![],
            values,
            versions: vec![0; slots],
            trace: vec![],
            trail: vec![],
            assigned: 0,
            conditions: vec![any; slots],
            conditions_trail: vec![],
            checks: vec![],
            step,
        };
        for input in 0..walk.step.inputs.len() {
            walk.trace.push(Entry { value: 0, source: Source::Input(input), within: any });
            walk.versions[variables + input] = walk.trace.len() as Version;
        }
        let body = std::slice::from_ref(&walk.step.program.step);
        let inputs = walk.step.inputs.clone();
        let frames = vec![Frame { list: body, next: 0, is_call: true }];
        walk.go(Context { frames, real: Some(inputs.clone()), inputs, forks: vec![], passed: vec![] });
        if walk.found.is_dead.is_none() {
            walk.explain();
            walk.drop_excluded();
        }
        walk.found
    }

    fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            trace: self.trace.len(),
            assigned: self.assigned,
            conditions: self.conditions_trail.len(),
            checks: self.checks.len(),
        }
    }

    fn undo(&mut self, mark: &Mark) {
        for (slot, version, value) in self.trail.drain(mark.trail..).rev() {
            self.versions[slot.index()] = version;
            self.values[slot.index()] = value;
        }
        for (slot, set) in self.conditions_trail.drain(mark.conditions..).rev() {
            self.conditions[slot.index()] = set;
        }
        self.trace.truncate(mark.trace);
        self.checks.truncate(mark.checks);
        self.assigned = mark.assigned;
    }

    fn set(&mut self, slot: Slot, value: i32, source: Source) {
        let within = self.step.sets.any();
        self.trace.push(Entry { value, source, within });
        self.trail.push((slot, self.versions[slot.index()], self.values[slot.index()]));
        self.versions[slot.index()] = self.trace.len() as Version;
        self.values[slot.index()] = value;
        self.assigned += usize::from(self.step.is_state[slot.index()]);
    }

    /// The input that a variable is a copy of, if that is still open.
    fn tied(&self, slot: Slot) -> Option<usize> {
        match self.versions[slot.index()] {
            0 => None,
            version => match self.trace[version as usize - 1].source {
                Source::Input(input) => Some(input),
                _ => None,
            },
        }
    }

    /// The variables and inputs that an expression reads.
    fn leaves(&self, expr: ExprId) -> impl Iterator<Item = Slot> + use<'p> {
        let program = self.step.program;
        let leaves = program.exprs.parts(expr).filter(|part| matches!(part, Expr::Var(_) | Expr::Input(_)));
        leaves.map(move |leaf| slot_of(program, leaf))
    }

    fn reads(&self, expr: ExprId) -> Box<[(Slot, Version)]> {
        self.leaves(expr).map(|slot| (slot, self.versions[slot.index()])).collect()
    }

    fn evaluate(&self, expr: ExprId) -> i32 {
        let program = self.step.program;
        evaluate(program, expr, &|leaf| self.values[slot_of(program, leaf).index()])
    }

    fn restrict(&mut self, context: &mut Context<'p>, input: usize, set: SetId) {
        context.inputs[input] = self.step.sets.meet(context.inputs[input], set);
        self.restrict_real(context, input, set);
    }

    fn restrict_real(&mut self, context: &mut Context<'p>, input: usize, set: SetId) {
        if let Some(real) = &mut context.real {
            real[input] = self.step.sets.meet(real[input], set);
            if self.step.sets.is_empty(real[input]) {
                context.real = None;
            }
        }
    }

    /// Goes on for each value of an input by itself.
    fn for_each_value(&mut self, context: &Context<'p>, input: usize, then: impl Fn(&mut Self, Context<'p>)) {
        let intervals = self.step.sets.intervals(context.inputs[input]).to_vec();
        for value in intervals.iter().flat_map(|&(low, high)| low..=high) {
            self.found.told_apart += 1;
            if self.found.told_apart > MOST_TOLD_APART {
                self.found.is_stuck = true;
                return;
            }
            let mark = self.mark();
            let mut context = context.clone();
            let one = self.step.sets.one(value);
            self.restrict(&mut context, input, one);
            for slot in (0..self.versions.len()).map(Slot::new) {
                if self.tied(slot) == Some(input) {
                    let assigned = self.assigned;
                    self.set(slot, value, Source::Constant);
                    self.assigned = assigned;
                }
            }
            grow(|| then(self, context));
            self.undo(&mark);
        }
    }

    /// Executes the rest of the step.
    fn go(&mut self, mut context: Context<'p>) {
        let program = self.step.program;
        while self.found.is_dead.is_none() {
            let Some(frame) = context.frames.last_mut() else { return self.end(context) };
            let Some(&id) = frame.list.get(frame.next) else {
                context.frames.pop();
                continue;
            };
            frame.next += 1;
            if !self.step.slice.keeps(id) {
                continue;
            }
            match &program.stmt(id).kind {
                StmtKind::Sequence(list) => context.frames.push(Frame { list, next: 0, is_call: false }),
                StmtKind::Call(function) => {
                    let body = std::slice::from_ref(&program.function(*function).body);
                    context.frames.push(Frame { list: body, next: 0, is_call: true });
                }
                StmtKind::Return => while context.frames.pop().is_some_and(|frame| !frame.is_call) {},
                StmtKind::Assign { variable, value } => {
                    let slot = Slot::new(variable.index());
                    if let Some(input) = self.open_input(slot, *value) {
                        context.frames.last_mut().expect("it is in one").next -= 1;
                        return self.for_each_value(&context, input, Self::go);
                    }
                    self.assign(slot, *value);
                }
                StmtKind::Choice(arms) => {
                    if !self.choose(&mut context, arms) {
                        return;
                    }
                }
                StmtKind::Error(property) => {
                    context.passed.push(*property);
                    return self.stop(&context);
                }
                StmtKind::Reach(property) => context.passed.push(*property),
                StmtKind::Halt(_) => return self.stop(&context),
                StmtKind::Assume(condition) => {
                    let test = self.step.tests.of(&mut self.step.sets, *condition, true);
                    match self.test(&context, test) {
                        // Where it fails for others, their run ends.
                        Truth::True => {}
                        Truth::False => {
                            self.blame(&context, test, None);
                            return self.settle_checks();
                        }
                        Truth::Depends => {
                            let input = self.first_input(&context, test);
                            context.frames.last_mut().expect("it is in one").next -= 1;
                            return self.for_each_value(&context, input, Self::go);
                        }
                    }
                }
                StmtKind::Print { .. } => {}
                StmtKind::Store { .. } => unreachable!("programs that write tables are left to others"),
            }
        }
    }

    /// The input that has to be told apart before an assignment.
    fn open_input(&self, slot: Slot, value: ExprId) -> Option<usize> {
        let is_copy = matches!(self.step.program.exprs.get(value), Expr::Var(_) | Expr::Input(_));
        if is_copy && !self.step.is_state[slot.index()] {
            return None;
        }
        self.leaves(value).find_map(|leaf| self.tied(leaf))
    }

    fn assign(&mut self, slot: Slot, value: ExprId) {
        let reads = self.reads(value);
        let source = |version: Version| &self.trace[version as usize - 1].source;
        let is_constant = |&(_, version): &(Slot, Version)| version > 0 && matches!(source(version), Source::Constant);
        let number = self.evaluate(value);
        let is_copy = matches!(self.step.program.exprs.get(value), Expr::Var(_) | Expr::Input(_));
        let source = match *reads {
            _ if reads.iter().all(is_constant) => Source::Constant,
            [(_, version)] if is_copy && version > 0 => source(version).clone(),
            _ => Source::Computed(value, reads),
        };
        self.set(slot, number, source);
    }

    /// A way ends the run.
    fn stop(&mut self, context: &Context) {
        context.passed.iter().for_each(|&property| self.reach(context, property));
        self.settle_checks();
    }

    /// A way has reached a label.
    fn reach(&mut self, context: &Context, property: PropertyId) {
        let label = self.step.labels[property.index()];
        if label == Label::Allowed {
            return;
        }
        match &context.real {
            Some(real) if self.is_real => {
                let inputs = real.iter().map(|&set| self.step.sets.intervals(set)[0].0).collect();
                self.found.reached.push((property, inputs));
                self.step.labels[property.index()] = Label::Allowed;
            }
            _ if label == Label::Suspended => {}
            Some(_) => self.found.is_dead = Some(property),
            None => self.exclude(context, property),
        }
    }

    fn end(&mut self, context: Context) {
        context.passed.iter().for_each(|&property| self.reach(&context, property));
        let mut changes: Vec<(Slot, Version)> = vec![];
        for (slot, _, _) in &self.trail {
            if self.step.is_state[slot.index()] {
                changes.push((*slot, self.versions[slot.index()]));
            }
        }
        changes.sort_unstable();
        changes.dedup();
        // Nothing has changed, so the state stays in its box.
        if changes.is_empty() {
            return;
        }
        let any = self.step.sets.any();
        let conditions = (0..self.conditions.len()).map(Slot::new).filter(|slot| self.conditions[slot.index()] != any);
        let conditions = conditions.map(|slot| (slot, self.conditions[slot.index()])).collect();
        let Context { inputs, real, forks, .. } = context;
        let (trace, checks) = (self.trace.clone(), self.checks.clone());
        self.found.paths.push(Path { trace, changes, forks, inputs, real, conditions, checks });
    }
}
