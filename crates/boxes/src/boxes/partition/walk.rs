//! One step from a part: all paths that its states may take, with the facts about them.
//!
//! Guards that hold for some states and fail for others make the way fork. Inputs are followed as sets, too, which guards
//! narrow. A way ends in values for all variables, unless it ends the run.
//!
//! If a path may end in a label that is to be excluded, and may as well not, then the walk asks what that depends on:
//! if it is a variable of which states with different numbers have come together in this part, the part is to be
//! divided by it.

mod reason;
mod test;

use rustc_hash::FxHashMap;

use super::super::guards::Tests;
use super::super::sets::Sets;
use super::super::step::Label;
use super::State;
use super::part::Part;
use super::reliance::{Reads, Reliance};
use super::tree::Tree;
use crate::analysis::slice::Slice;
use crate::analysis::{Env, Values};
use crate::base::stack::grow;
use crate::expr::{ExprId, InputId, VarId};
use crate::program::{Arm, Piece, Program, PropertyId, Scope, StmtId, StmtKind, Stream};

/// The most paths that a walk follows. If there are more, paths that meet again go on as one from then on.
const MOST_WAYS: usize = 20_000;

/// A variable with more cells than this in a part is not told apart.
const MOST_CELLS: usize = 32;

/// The common ground of walks.
pub struct Ground<'p> {
    pub program: &'p Program,
    pub slice: &'p Slice,
    pub state: State,
    pub sets: Sets,
    pub tests: Tests<'p>,
    /// The facts about all states; those about a part are put on top of them.
    pub env: Env<'p>,
    /// Per property: the plan for it.
    pub labels: Vec<Label>,
    /// Whether a path through an arm that changes nothing goes on as one with the path past it, on their common facts.
    /// Otherwise their number doubles with each function that is called and may find nothing to do.
    pub joins: bool,
    /// By the body of an arm: the label that it reaches.
    pub label_of: FxHashMap<StmtId, PropertyId>,
    pub reads: Reads,
    /// Whether the output of a step matters.
    pub listens: bool,
    /// Whether a part is to be told apart wherever its states may go different ways.
    pub doubts_all: bool,
}

/// A way through a step.
#[derive(Debug)]
pub struct Way {
    /// The new values of some variables, by position. All others keep theirs.
    pub changes: Vec<(usize, Values)>,
    pub seen: Seen,
}

/// The visible behaviour of a path, if that matters.
#[derive(Debug)]
pub struct Seen {
    /// The possible values of the first input.
    pub inputs: Option<Values>,
    /// The output, number by number.
    pub printed: Vec<Values>,
    /// Whether something was written to standard error.
    pub complains: bool,
}

/// The outcome of a walk.
pub enum Outcome {
    Ends(Ends),
    /// The part is to be told apart by this variable, given by its position in the state.
    Split(usize),
    TooMany,
}

#[derive(Debug, Default)]
pub struct Ends {
    pub ways: Vec<Way>,
    /// By position: whether the values of the part matter to this. If others grow, it stays as it is.
    pub relies_on: Vec<bool>,
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
    ways: Vec<Way>,
    reliance: Reliance,
    printed: Vec<Values>,
    complaints: usize,
    /// The assignments on the way.
    trace: Vec<(VarId, ExprId)>,
    inputs_trail: Vec<(InputId, Values)>,
    /// The variables of which guards on the way let pass some values of the part only, as positions.
    narrowed: Vec<usize>,
    /// The variables that began or ceased on the path to hold the first input, if that matters. The last word counts.
    copies: Vec<(VarId, bool)>,
    /// Labels that are asked for, and may be reached.
    touched: Vec<PropertyId>,
    wish: Option<usize>,
    /// The number of assignments to variables that outlive their function, and of prints, if these matter.
    assigned: usize,
    /// Whether a way has come to the end of the arm that was entered last, and changed nothing.
    has_met: bool,
}

/// Where a way may come back to.
struct Mark {
    env: crate::analysis::env::Mark,
    trace: usize,
    inputs: usize,
    narrowed: usize,
    copies: usize,
    assigned: usize,
    printed: usize,
    complaints: usize,
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
    // Of the variables that tell parts apart a part has one cell, and mostly one number: nothing new arrives there.
    let reliance = Reliance::new(&ground.state, tree.asked(part.node));
    let mut walk = Walk {
        ground,
        part,
        tree,
        ways: vec![],
        reliance,
        printed: vec![],
        complaints: 0,
        trace: vec![],
        inputs_trail: vec![],
        narrowed: vec![],
        copies: vec![],
        touched: vec![],
        wish: None,
        assigned: 0,
        has_met: false,
    };
    let start = walk.mark();
    walk.go(frames);
    walk.undo(&start);
    let Walk { ways, reliance, touched, wish, .. } = walk;
    ground.env.undo(mark);
    match wish {
        Some(position) => Outcome::Split(position),
        None if ways.len() > MOST_WAYS => Outcome::TooMany,
        None => {
            touched.iter().for_each(|label| ground.labels[label.index()] = Label::Suspended);
            Outcome::Ends(Ends { ways, relies_on: reliance.finish() })
        }
    }
}

impl<'p> Walk<'_, 'p> {
    fn mark(&self) -> Mark {
        Mark {
            env: self.ground.env.mark(),
            trace: self.trace.len(),
            inputs: self.inputs_trail.len(),
            narrowed: self.narrowed.len(),
            copies: self.copies.len(),
            assigned: self.assigned,
            printed: self.printed.len(),
            complaints: self.complaints,
        }
    }

    fn undo(&mut self, mark: &Mark) {
        self.ground.env.undo(mark.env);
        for (variable, _) in self.trace.drain(mark.trace..) {
            self.ground.state.position(variable).into_iter().for_each(|position| self.reliance.take_back(position));
        }
        (self.assigned, self.complaints) = (mark.assigned, mark.complaints);
        self.printed.truncate(mark.printed);
        self.narrowed.truncate(mark.narrowed);
        self.copies.truncate(mark.copies);
        for (input, values) in self.inputs_trail.drain(mark.inputs..).rev() {
            self.ground.env.fix_input(input, values);
        }
    }

    fn is_over(&self) -> bool {
        self.wish.is_some() || self.ways.len() > MOST_WAYS
    }

    /// Executes the rest of the step.
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
                    self.rely_on(*value);
                    self.note_copy(*variable, *value);
                    let values = self.ground.env.evaluate(*value);
                    self.ground.env.set(*variable, values);
                    self.trace.push((*variable, *value));
                    let position = self.ground.state.position(*variable);
                    position.into_iter().for_each(|position| self.reliance.assign(position));
                    // A local variable does not outlive its function, but the result may be printed.
                    let is_global = program.variable(*variable).scope == Scope::Global;
                    self.assigned += usize::from(is_global || self.ground.listens);
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
                StmtKind::Print { stream, text } if self.ground.listens => self.print(*stream, text),
                StmtKind::Print { .. } => {}
                StmtKind::Store { .. } => unreachable!("programs that write tables are left to others"),
            }
        }
    }

    fn print(&mut self, stream: Stream, text: &[Piece]) {
        self.assigned += 1;
        if stream == Stream::Diagnostic {
            self.complaints += 1;
            return;
        }
        for piece in text {
            if let Piece::Number(value) = piece {
                self.rely_on(*value);
                let values = self.ground.env.evaluate(*value);
                self.printed.push(values);
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

    /// Follows the path of the states that were in an arm, changed nothing, and do not come to the others.
    fn go_past(&mut self, frames: Vec<Frame<'p>>) {
        let mark = self.mark();
        grow(|| self.go(frames));
        self.undo(&mark);
    }

    /// A way may go into an arm, or not: if that leads to a label that is to be excluded, or all is doubted, the reason is
    /// looked for.
    fn doubt(&mut self, arm: &Arm) {
        if self.ground.doubts_all {
            self.wish = self.reason(arm.guard);
            return;
        }
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
        self.wish = self.mixture();
        if self.wish.is_some() {
            return;
        }
        let Ground { state, env, .. } = &self.ground;
        let mut changed: Vec<usize> = self.trace.iter().filter_map(|&(variable, _)| state.position(variable)).collect();
        let narrowed = |position: &usize| *env.get(state.variables[*position]) != self.part.values[*position];
        changed.extend((0..state.variables.len()).filter(narrowed));
        changed.sort_unstable();
        changed.dedup();
        let changes =
            changed.into_iter().map(|position| (position, env.get(state.variables[position]).clone())).collect();
        let inputs = self.ground.program.inputs.first().filter(|_| self.ground.listens);
        let seen = Seen {
            inputs: inputs.map(|_| env.input(InputId::new(0)).clone()),
            printed: self.printed.clone(),
            complains: self.complaints > 0,
        };
        self.ways.push(Way { changes, seen });
    }
}
