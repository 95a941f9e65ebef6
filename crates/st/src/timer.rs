//! `TON`, `TOF` and `TP`.
//!
//! The clock of a timer counts cycles, up to the longest time that it is asked for, so that its states are few. All
//! blocks of a cycle see the same time. A timer that is called once in every cycle (which lowering has found out the time
//! before) counts in its call; one that is not counts at the beginning of each cycle, whether it is called or not. If such a
//! regular timer always has the same `PT`, its outputs follow from the clock and need not be kept.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::flow::Bounds;
use crate::lower::{Lowered, Lowering};
use crate::storage::{At, Followed, Instance, Located, Node, Output, Timer};
use crate::types::Ty;
use crate::value::Value;
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::text::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    On,
    Off,
    Pulse,
}

impl TimerKind {
    pub fn named(key: &str) -> Option<TimerKind> {
        match key {
            "ton" => Some(TimerKind::On),
            "tof" => Some(TimerKind::Off),
            "tp" => Some(TimerKind::Pulse),
            _ => None,
        }
    }
}

/// A timer that is being called, or whose clock goes on.
struct Called {
    clock: Located,
    memory: Located,
    q: Located,
    elapsed: Located,
}

impl<'m> Lowering<'m> {
    /// The most cycles that a timer counts.
    fn most(&self, timer: usize) -> i64 {
        let duration = self.facts.timers.get(&timer).map_or(i64::from(i32::MAX), |facts| facts.duration.1);
        let most = duration.max(0).div_euclid(self.cycle) + i64::from(duration.max(0) % self.cycle != 0);
        // Beyond that the milliseconds do not fit.
        most.min(i64::from(i32::MAX) / self.cycle)
    }

    pub fn clock_range(&self, timer: usize) -> Option<Bounds> {
        Some((0, self.most(timer)))
    }

    fn is_regular(&self, timer: usize) -> bool {
        self.facts.timers.get(&timer).is_some_and(|facts| facts.is_regular)
    }

    /// The time of a timer whose outputs follow from its clock.
    fn duration(&self, timer: usize) -> Option<i64> {
        let facts = self.facts.timers.get(&timer)?;
        let fits = facts.duration.1 <= i64::from(i32::MAX) - self.cycle;
        (facts.is_regular && facts.duration.0 == facts.duration.1 && fits).then_some(facts.duration.0)
    }

    /// Makes outputs of a timer follow from its clock, if they do. They are written all the same, for those who look at runs.
    pub fn derive_outputs(&mut self, timer: &Timer, members: &mut FxHashMap<String, Rc<Node>>) {
        let (Some(clock), Some(memory)) = (members.get("@clock").cloned(), members.get("@memory").cloned()) else {
            return;
        };
        let duration = self.duration(timer.number);
        for (name, output) in [("q", Output::Q), ("et", Output::Elapsed)] {
            let Some(Node::Slot(slot)) = members.get_mut(name).and_then(Rc::get_mut) else { continue };
            slot.is_clockwork = true;
            if output == Output::Elapsed || timer.kind == TimerKind::On {
                let (clock, memory) = (Rc::clone(&clock), Rc::clone(&memory));
                slot.output = duration.map(|duration| Followed { output, clock, memory, duration });
            }
        }
    }

    fn member_at(instance: &Instance, name: &str, at: At) -> Option<Located> {
        instance.members.get(name).map(|node| Located { node: Rc::clone(node), at })
    }

    /// The output of a timer, as it follows from the clock.
    pub fn followed(&mut self, followed: &Followed, at: At, span: Span) -> Lowered<Value> {
        let clock = self.read(&Located { node: Rc::clone(&followed.clock), at }, span)?;
        Ok(match followed.output {
            Output::Elapsed => self.elapsed(clock, followed.duration),
            Output::Q => {
                let memory = self.read(&Located { node: Rc::clone(&followed.memory), at }, span)?;
                let over = self.reached(clock, followed.duration);
                self.truth(BinaryOp::And, memory.expr, over)
            }
        })
    }

    /// The time that the clock has run, up to a known time.
    fn elapsed(&mut self, clock: Value, duration: i64) -> Value {
        let cycle = self.make.int(self.cycle);
        let run = self.make.op(BinaryOp::Mul, clock.expr, cycle);
        let (low, high) = (clock.low * self.cycle, clock.high * self.cycle);
        let expr = match high > duration {
            true => {
                let all = self.make.int(duration);
                let over = self.make.op(BinaryOp::Less, all, run);
                self.make.ite(over, all, run)
            }
            false => run,
        };
        let mut value = Value::new(expr, Ty::Time, low.min(duration), high.min(duration));
        value.clock = (high <= duration).then_some(clock.expr);
        value
    }

    /// Whether the clock has come to a known time.
    fn reached(&mut self, clock: Value, duration: i64) -> ExprId {
        let cycles = duration.max(0).div_euclid(self.cycle) + i64::from(duration.max(0) % self.cycle != 0);
        if clock.low >= cycles {
            return self.make.exprs().bool(true);
        }
        if clock.high < cycles {
            return self.make.exprs().bool(false);
        }
        let cycles = self.make.int(cycles);
        self.make.op(BinaryOp::LessEq, cycles, clock.expr)
    }

    /// Goes on with the clocks that count at the beginning of each cycle.
    pub fn tick_all(&mut self, node: &Rc<Node>, span: Span) -> Lowered {
        match node.as_ref() {
            Node::Slot(_) | Node::Unsupported(_) => Ok(()),
            Node::Array { element, .. } => self.tick_all(element, span),
            Node::Record { fields, .. } => fields.iter().try_for_each(|(_, field)| self.tick_all(field, span)),
            Node::Block(instance) => match &instance.timer {
                Some(timer) if self.is_regular(timer.number) => Ok(()),
                Some(timer) => {
                    for cell in 0..timer.cells {
                        let expr = self.make.int(cell as i64);
                        self.tick(instance, At { expr, low: cell as i64, high: cell as i64 }, span)?;
                    }
                    Ok(())
                }
                None => {
                    let mut members: Vec<_> = instance.members.iter().collect();
                    members.sort_by_key(|(name, _)| name.as_str());
                    members.into_iter().try_for_each(|(_, member)| self.tick_all(member, span))
                }
            },
        }
    }

    fn called(instance: &Instance, at: At) -> Option<Called> {
        Some(Called {
            clock: Self::member_at(instance, "@clock", at)?,
            memory: Self::member_at(instance, "@memory", at)?,
            q: Self::member_at(instance, "q", at)?,
            elapsed: Self::member_at(instance, "et", at)?,
        })
    }

    fn tick(&mut self, instance: &Instance, at: At, span: Span) -> Lowered {
        let (Some(timer), Some(parts)) = (&instance.timer, Self::called(instance, at)) else { return Ok(()) };
        let (q, memory) = (self.read(&parts.q, span)?.expr, self.read(&parts.memory, span)?.expr);
        let running = match timer.kind {
            TimerKind::On => {
                let open = self.make.exprs().not(q);
                self.make.op(BinaryOp::And, memory, open)
            }
            TimerKind::Off => {
                let gone = self.make.exprs().not(memory);
                self.make.op(BinaryOp::And, q, gone)
            }
            TimerKind::Pulse => q,
        };
        let clock = self.read(&parts.clock, span)?;
        let next = self.one_more(clock, timer.number);
        let expr = self.make.ite(running, next.expr, clock.expr);
        let value = Value::new(expr, Ty::DINT, clock.low, next.high.max(clock.high));
        self.write(&parts.clock, value, span)
    }

    /// The clock a cycle later.
    fn one_more(&mut self, clock: Value, timer: usize) -> Value {
        let most = self.most(timer);
        let one = self.make.int(1);
        let next = self.make.op(BinaryOp::Add, clock.expr, one);
        let limit = self.make.int(most);
        let less = self.make.op(BinaryOp::Less, clock.expr, limit);
        let expr = self.make.ite(less, next, limit);
        Value::new(expr, Ty::DINT, (clock.low + 1).min(most), (clock.high + 1).min(most))
    }

    /// The effect of calling a timer once its inputs have their values.
    pub fn call_timer(&mut self, instance: &Instance, at: At, span: Span) -> Lowered {
        let is_clockwork = std::mem::replace(&mut self.is_clockwork, true);
        let called = self.call_timer_inside(instance, at, span);
        self.is_clockwork = is_clockwork;
        called
    }

    fn call_timer_inside(&mut self, instance: &Instance, at: At, span: Span) -> Lowered {
        let (Some(timer), Some(parts)) = (&instance.timer, Self::called(instance, at)) else { return Ok(()) };
        self.note_timer(timer, at);
        let (Some(input), Some(duration)) = (Self::member_at(instance, "in", at), Self::member_at(instance, "pt", at))
        else {
            return Ok(());
        };
        let (input, duration) = (self.read(&input, span)?, self.read(&duration, span)?);
        self.note_duration(timer, (duration.low, duration.high));
        let (clock, memory) = (self.read(&parts.clock, span)?, self.read(&parts.memory, span)?);
        let q = self.read(&parts.q, span)?;
        let old_elapsed = self.read(&parts.elapsed, span)?;
        let on = self.snapshot(input, span);
        let counted = match self.is_regular(timer.number) {
            true => self.one_more(clock, timer.number),
            false => clock,
        };
        let (before, zero) = (memory.expr, self.make.int(0));
        let not = |this: &mut Self, expr| this.make.exprs().not(expr);
        let and = |this: &mut Self, a, b| this.make.op(BinaryOp::And, a, b);
        let (is_off, was_off) = (not(self, on.expr), not(self, before));
        // Whether the clock starts in this call, and whether it runs.
        let (starts, runs) = match timer.kind {
            TimerKind::On => {
                let open = not(self, q.expr);
                let on_before = and(self, on.expr, before);
                // Where `Q` follows from the clock, a clock that has come to its end stays there.
                (and(self, on.expr, was_off), and(self, on_before, open))
            }
            TimerKind::Off => {
                let running = and(self, is_off, q.expr);
                (and(self, running, before), and(self, running, was_off))
            }
            TimerKind::Pulse => {
                let edge = and(self, on.expr, was_off);
                let idle = not(self, q.expr);
                (and(self, edge, idle), q.expr)
            }
        };
        let starts = self.snapshot(Value::truth(starts), span).expr;
        let runs = self.snapshot(Value::truth(runs), span).expr;
        let moves = self.make.op(BinaryOp::Or, starts, runs);
        let clock_now = self.make.ite(runs, counted.expr, zero);
        let most = self.most(timer.number);
        let now = Value::new(clock_now, Ty::DINT, 0, most);
        let now = self.snapshot(now, span);
        let over = self.is_over(now, duration);
        let over = self.snapshot(Value::truth(over), span).expr;
        let over_now = and(self, moves, over);
        // Whether everything is as if the timer had never run.
        let (clears, q_now) = match timer.kind {
            TimerKind::On => {
                let holds = and(self, on.expr, q.expr);
                (is_off, self.make.op(BinaryOp::Or, over_now, holds))
            }
            TimerKind::Off => {
                let goes = not(self, over);
                let still = and(self, moves, goes);
                (on.expr, self.make.op(BinaryOp::Or, on.expr, still))
            }
            TimerKind::Pulse => {
                let goes = not(self, over);
                let still = and(self, moves, goes);
                let rests = not(self, still);
                (and(self, is_off, rests), still)
            }
        };
        let q_now = self.snapshot(Value::truth(q_now), span);
        let clears = self.snapshot(Value::truth(clears), span).expr;
        let limited = self.limited(now, duration);
        let kept = self.make.ite(moves, limited.expr, old_elapsed.expr);
        let elapsed = self.make.ite(clears, zero, kept);
        let low = limited.low.min(old_elapsed.low).min(0);
        let elapsed = Value::new(elapsed, Ty::Time, low, limited.high.max(old_elapsed.high).max(0));
        let kept = self.make.ite(moves, now.expr, clock.expr);
        let clock_after = self.make.ite(clears, zero, kept);
        let clock_after = Value::new(clock_after, Ty::DINT, 0, most);
        self.write(&parts.elapsed, elapsed, span)?;
        self.write(&parts.clock, clock_after, span)?;
        self.write(&parts.memory, on, span)?;
        self.write(&parts.q, q_now, span)
    }

    /// Whether the clock has come to the time.
    fn is_over(&mut self, clock: Value, duration: Value) -> ExprId {
        if duration.low == duration.high {
            return self.reached(clock, duration.low);
        }
        let cycle = self.make.int(self.cycle);
        let run = self.make.op(BinaryOp::Mul, clock.expr, cycle);
        self.make.op(BinaryOp::LessEq, duration.expr, run)
    }

    /// The time that the clock shows, which is at most the time it was set to.
    fn limited(&mut self, clock: Value, duration: Value) -> Value {
        if duration.low == duration.high {
            return self.elapsed(clock, duration.low);
        }
        let cycle = self.make.int(self.cycle);
        let run = self.make.op(BinaryOp::Mul, clock.expr, cycle);
        let over = self.make.op(BinaryOp::Less, duration.expr, run);
        let expr = self.make.ite(over, duration.expr, run);
        Value::new(expr, Ty::Time, duration.low.min(0), (clock.high * self.cycle).min(duration.high))
    }

    fn note_timer(&mut self, timer: &Timer, at: At) {
        match (at.known(), &mut self.flow) {
            (Some(cell), Some(flow)) => flow.call(timer.number, cell),
            (None, Some(_)) => {
                self.irregular.insert(timer.number);
            }
            (_, None) => return,
        }
        self.timer_cells.insert(timer.number, timer.cells);
    }

    fn note_duration(&mut self, timer: &Timer, bounds: Bounds) {
        if self.flow.is_none() {
            return;
        }
        self.durations
            .entry(timer.number)
            .and_modify(|known| *known = crate::flow::join(*known, bounds))
            .or_insert(bounds);
    }
}
