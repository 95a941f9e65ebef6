//! The statements of a step, along every path that a box may take.
//!
//! Where a guard is undecided, the path forks: one way narrows what the guard reads; on the other one the guard fails,
//! which is kept as a condition on the path, and not taken apart before an end calls for it. One path is followed at a
//! time; on the way back to a fork all that was done is undone.
//!
//! A path through an arm that assigns nothing meets the path past it again. The two go on as one, with the facts from
//! before the fork: otherwise the number of paths would double with each function that is called and finds nothing to
//! do. If these facts are too weak, the box is walked again with all paths apart.

use std::cell::Cell;
use std::rc::Rc;

use redoubt_base::stack::grow;
use redoubt_program::expr::{Expr, ExprId, VarId};
use redoubt_program::program::{Arm, Piece, StmtId, StmtKind, Stream};

use super::Executor;
use super::path::{Definition, Time, VersionId};
use super::propagate::Truth;
use super::prove::Goal;
use super::sources::Sources;
use crate::NumberSet;

/// The statements that remain to be executed.
pub enum Rest<'p> {
    End,
    /// These statements, and then more.
    Then(&'p [StmtId], Rc<Rest<'p>>),
    /// The end of a function's body.
    Leave(Rc<Rest<'p>>),
    /// The end of an arm.
    Join(Rc<Join>, Rc<Rest<'p>>),
}

/// Where the ways through the arms of a choice meet.
pub struct Join {
    /// When the choice was made, and whether a property had been reached then, and how often something written.
    since: Time,
    claimed: bool,
    writes: usize,
    /// A way has come here that did nothing.
    passed: Cell<bool>,
}

/// Where a choice leads on the current path, the arms behind it being left out.
enum Chosen<'p> {
    /// Into an arm.
    Arm(&'p Arm),
    /// Past all arms.
    None,
    /// Nowhere: no state fails all guards that were left behind.
    Nowhere,
    /// Some way fails.
    Failed,
}

impl<'p> Executor<'_, 'p> {
    /// Whether all paths from here end as the certificate claims. `claimed`: a property that should not be was reached,
    /// which is no harm if the run turns out not to exist.
    pub fn walk(&mut self, mut rest: Rc<Rest<'p>>, mut claimed: bool) -> bool {
        let program = self.program;
        // The statements that come next; `rest` is behind them.
        let mut list: &'p [StmtId] = &[];
        loop {
            let Some((&id, behind)) = list.split_first() else {
                rest = match &*rest {
                    Rest::End => return self.end(claimed),
                    Rest::Leave(outer) => Rc::clone(outer),
                    Rest::Join(join, outer) => {
                        let is_same = claimed == join.claimed && self.path.writes() == join.writes;
                        if is_same && self.path.now() == join.since {
                            join.passed.set(true);
                            return true;
                        }
                        Rc::clone(outer)
                    }
                    Rest::Then(next, outer) => {
                        list = next;
                        Rc::clone(outer)
                    }
                };
                continue;
            };
            list = behind;
            if self.is_interrupted() {
                return false;
            }
            match &program.stmt(id).kind {
                StmtKind::Sequence(inner) => {
                    rest = Rc::new(Rest::Then(list, rest));
                    list = inner;
                }
                StmtKind::Call(function) => {
                    rest = Rc::new(Rest::Leave(Rc::new(Rest::Then(list, rest))));
                    list = std::slice::from_ref(&program.function(*function).body);
                }
                StmtKind::Return => {
                    rest = behind_function(&rest);
                    list = &[];
                }
                StmtKind::Error(_) | StmtKind::Halt(_) if self.must_go_on => {
                    return self.prove(Goal::Never, |_| "a run may end".into());
                }
                StmtKind::Error(property) => {
                    self.record_end(Some(*property));
                    let is_wrong = claimed || self.excluded[property.index()];
                    let name = &program.property(*property).name;
                    return !is_wrong || self.prove(Goal::Never, |_| format!("{name} may be reached"));
                }
                StmtKind::Halt(_) => {
                    self.record_end(None);
                    return !claimed || self.end(true);
                }
                StmtKind::Reach(property) => claimed |= self.excluded[property.index()],
                StmtKind::Assume(condition) => {
                    let condition = self.condition(*condition, true);
                    self.record_end(None);
                    if self.must_go_on && self.truth(condition, self.path.now()) != Truth::Yes {
                        self.reason = "a run may be impossible".into();
                        return false;
                    }
                    if !self.assume(condition) {
                        return true;
                    }
                }
                StmtKind::Choice(arms) => match self.choose(arms, (list, &rest), claimed) {
                    Chosen::Failed => return false,
                    Chosen::Nowhere => return true,
                    Chosen::None => {}
                    Chosen::Arm(arm) => {
                        rest = Rc::new(Rest::Then(list, rest));
                        list = std::slice::from_ref(&arm.body);
                    }
                },
                StmtKind::Assign { variable, value } => self.assign(*variable, *value),
                StmtKind::Store { pointer, value, .. } => {
                    if !self.store(*pointer, *value) {
                        return false;
                    }
                }
                StmtKind::Print { stream, text } => {
                    if self.records.is_some() && !self.print(*stream, text) {
                        return false;
                    }
                }
            }
        }
    }

    /// Follows all arms that may be taken or not, and leaves the last way to the caller.
    fn choose(&mut self, arms: &'p [Arm], behind: (&'p [StmtId], &Rc<Rest<'p>>), claimed: bool) -> Chosen<'p> {
        let start = self.path.mark();
        let (since, writes) = (self.path.now(), self.path.writes());
        let join = Rc::new(Join { since, claimed, writes, passed: Cell::new(false) });
        let mut last = Chosen::None;
        for arm in arms {
            let guard = self.condition(arm.guard, true);
            let truth = self.truth(guard, self.path.now());
            match truth {
                Truth::No => continue,
                Truth::Yes if !join.passed.get() => return Chosen::Arm(arm),
                Truth::Yes | Truth::Open => {}
            }
            let mark = self.path.mark();
            if self.assume(guard) {
                let mut rest = Rc::new(Rest::Then(behind.0, Rc::clone(behind.1)));
                if self.joins {
                    rest = Rc::new(Rest::Join(Rc::clone(&join), rest));
                }
                if !grow(|| self.walk(Rc::new(Rest::Then(std::slice::from_ref(&arm.body), rest)), claimed)) {
                    return Chosen::Failed;
                }
            }
            self.path.back_to(mark);
            let guard = self.condition(arm.guard, false);
            if truth == Truth::Yes || !self.assume(guard) {
                last = Chosen::Nowhere;
                break;
            }
        }
        if join.passed.get() {
            self.joined = true;
            self.path.back_to(start);
            last = Chosen::None;
        }
        last
    }

    fn assign(&mut self, variable: VarId, value: ExprId) {
        if self.relevant[variable.index()] {
            let version = self.version_of(value);
            self.path.assign(Sources::of_variable(variable), version);
        }
    }

    /// A version with the current value of an expression.
    fn version_of(&mut self, value: ExprId) -> VersionId {
        let expr = self.program.exprs.get(value);
        if let Some(source) = self.sources.of_expr(expr) {
            return self.path.current(source);
        }
        if let Expr::Int(number) = expr {
            return self.path.make(Rc::new(NumberSet::one(number)), None);
        }
        let reads = self.images.reads(&self.sources, value);
        let reads = reads.iter().map(|&source| (source, self.path.current(source))).collect();
        let definition = Definition { value, reads };
        let values = self.image(&definition);
        let is_settled = values.count() == 1 || definition.reads.is_empty();
        self.path.make(values, (!is_settled).then_some(definition))
    }

    /// Whether a stored value is among the claimed numbers of the tables that it may be stored in.
    fn store(&mut self, pointer: ExprId, value: ExprId) -> bool {
        let tables = self.targets(pointer);
        let version = self.version_of(value);
        let failure = |_: &Self| "a table may get a number that the facts exclude".to_string();
        tables.into_iter().all(|table| {
            let cells = self.images.arithmetic.cells(table).clone();
            self.prove(Goal::Among(version, &cells), failure)
        })
    }

    /// Notes output, which must be known.
    fn print(&mut self, stream: Stream, text: &[Piece]) -> bool {
        let mut written = self.path.written().clone();
        if stream == Stream::Diagnostic {
            written.complains = true;
            self.path.write(written);
            return true;
        }
        for piece in text {
            match piece {
                Piece::Text(text) => written.output.push_str(text),
                Piece::Number(value) => {
                    let version = self.version_of(*value);
                    let Some(number) = self.path.values(version).single() else {
                        self.reason = "a step may print one of several numbers".into();
                        return false;
                    };
                    written.output.push_str(&number.to_string());
                }
            }
        }
        self.path.write(written);
        true
    }

    fn end(&mut self, claimed: bool) -> bool {
        match claimed {
            true => self.prove(Goal::Never, |_| "a property may be reached".into()),
            false => self.prove(Goal::Covered, Self::what_is_left),
        }
    }
}

/// The statements behind the call of the innermost function.
fn behind_function<'p>(rest: &Rc<Rest<'p>>) -> Rc<Rest<'p>> {
    let mut rest = Rc::clone(rest);
    loop {
        rest = match &*rest {
            Rest::End => return rest,
            Rest::Leave(behind) => return Rc::clone(behind),
            Rest::Then(_, behind) | Rest::Join(_, behind) => Rc::clone(behind),
        };
    }
}
