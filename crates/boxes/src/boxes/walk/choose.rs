//! Choices: the arm that the representative takes, and those that others may.

use super::{Context, FORKS, Fork, Frame, Truth, Walk};
use crate::base::stack::grow;
use crate::boxes::guards::TestId;
use crate::boxes::preimage::{Demand, Source};
use crate::program::Arm;

impl<'p> Walk<'_, 'p> {
    /// Executes a choice; whether the walk goes on with the context.
    pub(super) fn choose(&mut self, context: &mut Context<'p>, arms: &'p [Arm]) -> bool {
        for (at, arm) in arms.iter().enumerate() {
            if self.found.is_dead.is_some() {
                return false;
            }
            let test = self.step.tests.of(&mut self.step.sets, arm.guard, true);
            let frame = Frame { list: std::slice::from_ref(&arm.body), next: 0, is_call: false };
            match self.test(context, test) {
                Truth::False => self.pass_by(context, arm, test, frame),
                Truth::True => {
                    let against = self.against(context, test, true);
                    if self.is_sure(context, arm, &against) {
                        self.meet_demands(&against);
                        self.narrow(test, true);
                        context.frames.push(frame);
                        return true;
                    }
                    let mut taken = context.clone();
                    taken.frames.push(frame);
                    self.follow(taken, test);
                    self.narrow(test, false);
                    context.real = None;
                    context.forks.push(Fork { inputs: None, against, is_soft: false });
                }
                Truth::Depends => {
                    let Some((input, set)) = self.input_set(context, test) else {
                        let (input, rest) = (self.first_input(context, test), &arms[at..]);
                        self.for_each_value(context, input, |walk, mut context| {
                            if walk.choose(&mut context, rest) {
                                walk.go(context);
                            }
                        });
                        return false;
                    };
                    let against = self.against(context, test, true);
                    let is_sure = self.is_sure(context, arm, &against);
                    if is_sure {
                        self.meet_demands(&against);
                    }
                    let mut taken = context.clone();
                    taken.frames.push(frame);
                    self.restrict(&mut taken, input, set);
                    self.follow(taken, test);
                    let rest = self.step.sets.complement(set);
                    if is_sure {
                        self.restrict(context, input, rest);
                        if self.step.sets.is_empty(context.inputs[input]) {
                            return false;
                        }
                    } else {
                        self.restrict_real(context, input, rest);
                        context.forks.push(Fork { inputs: Some((input, set)), against, is_soft: false });
                    }
                }
            }
        }
        self.found.is_dead.is_none()
    }

    /// Follows a way to its ends and comes back.
    fn follow(&mut self, context: Context<'p>, test: TestId) {
        let mark = self.mark();
        self.narrow(test, true);
        grow(|| self.go(context));
        self.undo(&mark);
    }

    /// Whether a guard that holds for the representative shall hold for all others: if it does anyway, or if it is that of a
    /// label, behind which nothing goes on.
    fn is_sure(&mut self, context: &Context, arm: &Arm, against: &[Demand]) -> bool {
        if self.are_met(against) {
            return true;
        }
        let is_simple = !self.step.uses_counter(against) && !self.is_computed(against);
        is_simple && (self.step.label_of(arm.body).is_some() || context.forks.len() >= FORKS)
    }

    /// Whether demands are about values that the step has computed.
    fn is_computed(&self, demands: &[Demand]) -> bool {
        demands.iter().any(|demand| match demand {
            Demand::In(_, 0, _) => false,
            Demand::In(_, version, _) => {
                !matches!(self.trace[*version as usize - 1].source, Source::Constant | Source::Input(_))
            }
            Demand::Is(..) => true,
        })
    }

    /// An arm that the representative does not take: the others do not either, or that is another way to go.
    fn pass_by(&mut self, context: &mut Context<'p>, arm: &'p Arm, test: TestId, frame: Frame<'p>) {
        let label = self.step.label_of(arm.body);
        if label.is_some_and(|label| !self.step.is_excluded(label)) || self.fails_anyway(context, test) {
            return;
        }
        if label.is_some() {
            return self.blame(context, test, label);
        }
        let is_inner = self.assigned > 0;
        let is_soft = !is_inner && self.step.is_rule(arm.body) && context.forks.iter().all(|fork| !fork.is_soft);
        let counts = self.only_counters(context, test);
        if !(is_soft || counts || is_inner && context.forks.len() < FORKS) {
            return self.blame(context, test, None);
        }
        let against = self.against(context, test, false);
        let mut other = context.clone();
        other.real = None;
        if let Some((input, set)) = self.input_set(context, test) {
            self.restrict(&mut other, input, set);
        }
        other.forks.push(Fork { inputs: None, against, is_soft: is_soft && !counts });
        other.frames.push(frame);
        self.follow(other, test);
    }
}
