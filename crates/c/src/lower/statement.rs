//! Statements: blocks of the automaton, and where they lead.

use redoubt_base::stack::grow;

use super::emit::Emitter;
use super::memory::Key;
use super::names::Binding;
use super::scope::{Case, Cases, Scope};
use super::value::Value;
use super::{Lowerer, too_wide, unsupported};
use crate::ast::{BinaryOperator, ExprId, ExprKind, Ident, Initializer, StmtId, StmtKind};
use crate::types::Type;
use crate::words::{self, Number};
use redoubt_program::flow::{BlockId, End};
use redoubt_program::program::HeadKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};

/// Loops that run more often are not written out, nor those that become more blocks.
const MOST_ROUNDS_WRITTEN_OUT: u32 = 8;
const MOST_BLOCKS_WRITTEN_OUT: usize = 400;

impl<'s> Lowerer<'_, 's> {
    /// A statement; a mistake in it matters only where a run gets to it.
    pub fn statement(&mut self, id: StmtId) -> Lowered {
        self.enough(self.text.stmt(id).span)?;
        let first = self.out.next_block();
        let lowered = grow(|| self.any_statement(id));
        self.out.tolerate(lowered, first)
    }

    /// Goes one way or the other, as part of something else: a mistake in the condition does not concern the rest of
    /// that.
    pub fn test(&mut self, condition: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        let first = self.out.next_block();
        let lowered = self.condition(condition, yes, no);
        self.out.tolerate(lowered, first)
    }

    fn any_statement(&mut self, id: StmtId) -> Lowered {
        let stmt = self.text.stmt(id);
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Block(list) => self.block(id, list),
            StmtKind::Declaration(_) => self.declaration(id),
            StmtKind::Expression(value) => self.effect(*value),
            StmtKind::Empty => Ok(()),
            StmtKind::If { branches, otherwise } => self.choice(branches, *otherwise),
            StmtKind::While(condition, body) => {
                let (head, inside, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
                self.out.jump(head, head);
                self.mark(head, span, HeadKind::Loop);
                self.test(*condition, inside, after)?;
                self.body(*body, inside, after, head)?;
                self.out.jump(head, after);
                Ok(())
            }
            StmtKind::DoWhile(body, condition) => {
                let (inside, again, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
                self.out.jump(inside, inside);
                self.mark_body(inside, *body);
                self.body(*body, inside, after, again)?;
                self.out.jump(again, again);
                self.test(*condition, inside, after)?;
                self.out.current = after;
                Ok(())
            }
            StmtKind::For { first, condition, next, body } => self.for_loop(id, *first, *condition, *next, *body),
            StmtKind::Switch(value, body) => self.switch(*value, *body),
            StmtKind::Case(value, inner) => {
                let value = match self.declarer().constant(*value) {
                    Ok(value) => Ok(value),
                    Err(Refused::Mistakes(why)) => Err(self.out.refusal(why)),
                    Err(interrupted) => return Err(interrupted),
                };
                let (block, around) = (self.out.begin_block(), self.frame.chain());
                match (self.frame.switches.last_mut(), value) {
                    (Some(cases), Ok(value)) => cases.values.push((value, Case { block, around })),
                    (Some(cases), Err(refuse)) => cases.unclear = Some(refuse),
                    (None, _) => {
                        return refuse(Diagnostic::new(span, "a `case` outside `switch`", "expected a statement"));
                    }
                }
                self.statement(*inner)
            }
            StmtKind::Default(inner) => {
                let (block, around) = (self.out.begin_block(), self.frame.chain());
                match self.frame.switches.last_mut() {
                    Some(cases) => cases.default = Some(Case { block, around }),
                    None => {
                        return refuse(Diagnostic::new(span, "a `default` outside `switch`", "expected a statement"));
                    }
                }
                self.statement(*inner)
            }
            StmtKind::Labelled(label, inner) => {
                let block = self.label(label.text);
                self.out.jump(block, block);
                self.mark(block, span, HeadKind::Statement);
                self.statement(*inner)
            }
            StmtKind::Goto(label) => self.goto(*label),
            StmtKind::Break => {
                let target = self.frame.breaks.last().copied();
                leave(self.out, target, "`break`", span)
            }
            StmtKind::Continue => {
                let target = self.frame.continues.last().copied();
                leave(self.out, target, "`continue`", span)
            }
            StmtKind::Return(value) => self.return_statement(*value, span),
            StmtKind::Assembler => unsupported(span, "assembler"),
        }
    }

    /// Begins a scope, with a block whose variables live as long as it does; how many such blocks there are around it.
    fn open(&mut self, block: Option<StmtId>) -> usize {
        self.frame.scopes.push(Scope { block, ..Scope::default() });
        let outside = self.out.living.len();
        self.out.living.extend(block);
        outside
    }

    fn close(&mut self, outside: usize) {
        self.frame.scopes.pop();
        self.out.living.truncate(outside);
    }

    fn block(&mut self, id: StmtId, list: &[StmtId]) -> Lowered {
        let outside = self.open(Some(id));
        self.declarer().enter(id);
        let done = list.iter().try_for_each(|&inner| self.statement(inner));
        self.close(outside);
        done
    }

    /// A block in place of an expression: its value is that of its last statement, if that is an expression.
    pub fn statements(&mut self, id: StmtId) -> Lowered<Value> {
        let stmt = self.text.stmt(id);
        let span = stmt.span;
        let StmtKind::Block(list) = &stmt.kind else { return Ok(Value::Void) };
        let (inner, last) = match list.split_last() {
            Some((last, inner)) => match &self.text.stmt(*last).kind {
                StmtKind::Expression(value) => (inner, Some(*value)),
                _ => (&list[..], None),
            },
            None => return Ok(Value::Void),
        };
        let outside = self.open(Some(id));
        self.declarer().enter(id);
        let mut done = inner.iter().try_for_each(|&inner| self.statement(inner)).map(|()| Value::Void);
        if let (Ok(_), Some(last)) = (&done, last) {
            // Its declarations are gone when the value is used.
            done = self.value(last).and_then(|value| self.out.settle(value, span));
        }
        self.close(outside);
        done
    }

    fn choice(&mut self, branches: &[(ExprId, StmtId)], otherwise: Option<StmtId>) -> Lowered {
        let after = self.out.new_block();
        for &(condition, body) in branches {
            let (yes, no) = (self.out.new_block(), self.out.new_block());
            self.test(condition, yes, no)?;
            self.out.current = yes;
            self.statement(body)?;
            self.out.jump(after, no);
        }
        if let Some(body) = otherwise {
            self.statement(body)?;
        }
        self.out.jump(after, after);
        Ok(())
    }

    /// The body of a loop, in a block of its own.
    fn body(&mut self, body: StmtId, inside: BlockId, after: BlockId, again: BlockId) -> Lowered {
        self.out.current = inside;
        self.frame.breaks.push(after);
        self.frame.continues.push(again);
        let done = self.statement(body);
        self.frame.breaks.pop();
        self.frame.continues.pop();
        done
    }

    fn for_loop(
        &mut self,
        id: StmtId,
        first: Option<StmtId>,
        condition: Option<ExprId>,
        next: Option<ExprId>,
        body: StmtId,
    ) -> Lowered {
        let outside = self.open(first.map(|_| id));
        self.declarer().enter(id);
        if let Some(first) = first {
            self.statement(first)?;
        }
        let span = self.text.stmt(id).span;
        if self.out.unroll
            && !self.text.is_jumped_into(span)
            && let Some(rounds) = self.rounds(first, condition, next, body)?
            && self.written_out(rounds, next, body)?
        {
            self.close(outside);
            return Ok(());
        }
        let (head, inside) = (self.out.new_block(), self.out.new_block());
        let (again, after) = (self.out.new_block(), self.out.new_block());
        self.out.jump(head, head);
        self.mark(head, self.text.stmt(id).span, HeadKind::Loop);
        match condition {
            Some(condition) => self.test(condition, inside, after)?,
            None => self.out.jump(inside, inside),
        }
        self.body(body, inside, after, again)?;
        self.out.jump(again, again);
        if let Some(next) = next {
            let first = self.out.next_block();
            let lowered = self.effect(next);
            self.out.tolerate(lowered, first)?;
        }
        self.out.jump(head, after);
        self.close(outside);
        Ok(())
    }

    /// How often a loop runs, if it only counts from a number to another one, and not far.
    fn rounds(
        &mut self,
        first: Option<StmtId>,
        condition: Option<ExprId>,
        next: Option<ExprId>,
        body: StmtId,
    ) -> Lowered<Option<u32>> {
        let (Some(first), Some(condition), Some(next)) = (first, condition, next) else { return Ok(None) };
        let ExprKind::Binary(op, left, right) = self.text.expr(condition).kind else { return Ok(None) };
        let ExprKind::Name(name) = self.text.expr(left).kind else { return Ok(None) };
        let is_it = |this: &Self, id: ExprId| matches!(this.text.expr(id).kind, ExprKind::Name(other) if other == name);
        let begin = match &self.text.stmt(first).kind {
            StmtKind::Declaration(declaration) => match &declaration.declarators[..] {
                [(declarator, Some(Initializer::Value(value)))]
                    if declarator.name.is_some_and(|declared| declared.text == name) =>
                {
                    *value
                }
                _ => return Ok(None),
            },
            StmtKind::Expression(effect) => match self.text.expr(*effect).kind {
                ExprKind::Assign(place, None, value) if is_it(self, place) => value,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let step = match self.text.expr(next).kind {
            ExprKind::Step(place, BinaryOperator::Add, _) if is_it(self, place) => 1,
            ExprKind::Step(place, BinaryOperator::Subtract, _) if is_it(self, place) => -1,
            _ => return Ok(None),
        };
        let Some(Binding::Object(object)) = self.declarer().find(name) else { return Ok(None) };
        let Type::Integer(ty) = self.out.memory.object(object).ty else { return Ok(None) };
        let is_watched = self.out.memory.points_to(|other| other.key == self.out.memory.object(object).key);
        let is_local = matches!(self.out.memory.object(object).key, Key::Local(..));
        if is_watched || !is_local || self.text.is_changed(name, self.text.stmt(body).span) {
            return Ok(None);
        }
        let known = |this: &mut Self, id| match this.declarer().constant(id) {
            Ok(number) => Ok(Some(number)),
            Err(Refused::Mistakes(_)) => Ok(None),
            Err(interrupted) => Err(interrupted),
        };
        let (Some(begin), Some(end)) = (known(self, begin)?, known(self, right)?) else { return Ok(None) };
        // What is compared stays far from the ends of all types.
        if !(0..=1000).contains(&begin) || !(0..=1000).contains(&end) || ty.bits < 8 {
            return Ok(None);
        }
        let holds = |number: i128| match op {
            BinaryOperator::Less => number < end,
            BinaryOperator::LessEqual => number <= end,
            BinaryOperator::Greater => number > end,
            BinaryOperator::GreaterEqual => number >= end,
            BinaryOperator::NotEqual => number != end,
            _ => false,
        };
        let (mut number, mut rounds) = (begin, 0);
        while holds(number) && rounds <= MOST_ROUNDS_WRITTEN_OUT {
            number += step;
            rounds += 1;
        }
        let is_in_range = ty.low() <= number && number <= ty.high() && begin <= ty.high();
        Ok((rounds <= MOST_ROUNDS_WRITTEN_OUT && is_in_range).then_some(rounds))
    }

    /// Writes out the rounds of a loop, unless that takes too many blocks; whether it is done.
    fn written_out(&mut self, rounds: u32, next: Option<ExprId>, body: StmtId) -> Lowered<bool> {
        let (since, marks) = (self.out.since_now(), self.marks.len());
        let blocks = self.out.next_block().index();
        let after = self.out.new_block();
        for round in 0..rounds {
            let (inside, again) = (self.out.new_block(), self.out.new_block());
            self.out.jump(inside, inside);
            self.body(body, inside, after, again)?;
            self.out.jump(again, again);
            if let Some(next) = next {
                let first = self.out.next_block();
                let lowered = self.effect(next);
                self.out.tolerate(lowered, first)?;
            }
            let made = self.out.next_block().index() - blocks;
            if made * rounds as usize > MOST_BLOCKS_WRITTEN_OUT * (round as usize + 1) {
                self.out.rewind(since);
                self.marks.truncate(marks);
                // What jumps out of it, or calls what is under way, is lowered again.
                let is_left = |block: &BlockId| block.index() < blocks;
                self.frame.labels.retain(|_, block| is_left(block));
                self.active.iter_mut().for_each(|active| active.sites.retain(|(_, back)| is_left(back)));
                return Ok(false);
            }
        }
        self.out.jump(after, after);
        Ok(true)
    }

    fn switch(&mut self, value: ExprId, body: StmtId) -> Lowered {
        let span = self.text.expr(value).span;
        let number = self.number(value)?;
        let number = number.convert(number.ty.promoted(), self.out.exprs());
        let Value::Number(number) = self.out.settle(Value::Number(number), span)? else {
            return unsupported(span, "a `switch` over this");
        };
        let (mut test, inside, after) = (self.out.current, self.out.new_block(), self.out.new_block());
        self.out.current = inside;
        self.frame.breaks.push(after);
        self.frame.switches.push(Cases::default());
        let done = self.statement(body);
        self.frame.breaks.pop();
        let cases = self.frame.switches.pop().unwrap_or_default();
        done?;
        self.out.jump(after, after);
        for (value, case) in cases.values {
            let block = self.way_to(&case);
            self.out.current = test;
            test = self.out.new_block();
            let known = Number::known(value, number.ty);
            let equal = words::binary(BinaryOperator::Equal, number, known, self.out.exprs());
            let condition = equal.map_err(too_wide(span))?.to_truth(self.out.exprs());
            self.out.branch(condition, block, test, span, test);
        }
        let default = cases.default.map_or(after, |case| self.way_to(&case));
        self.out.current = test;
        self.out.end(cases.unclear.unwrap_or(End::Jump(default)), after);
        Ok(())
    }

    /// The block that leads to a case of the current `switch`: the blocks that are entered on the way begin their lives.
    fn way_to(&mut self, case: &Case) -> BlockId {
        let (way, here) = (self.out.new_block(), self.frame.chain().len());
        self.out.current = way;
        case.around[here..].iter().for_each(|&block| self.declarer().enter(block));
        self.out.jump(case.block, way);
        way
    }

    fn label(&mut self, name: &'s str) -> BlockId {
        match self.frame.labels.get(name) {
            Some(&block) => block,
            None => {
                let block = self.out.new_block();
                self.frame.labels.insert(name, block);
                block
            }
        }
    }

    /// Jumps to a label. The blocks that are entered on the way begin their lives.
    fn goto(&mut self, label: Ident<'s>) -> Lowered {
        let (name, function) = (self.frame.name, self.frame.function);
        let Some(target) = self.names.label_chain(self.text, name, function, label.text) else {
            let message = format!("there is no label `{}` in this function", label.text);
            return refuse(Diagnostic::new(label.span, message, "expected a label"));
        };
        let here = self.frame.chain();
        let common = target.iter().zip(&here).take_while(|(a, b)| a == b).count();
        target[common..].iter().for_each(|&block| self.declarer().enter(block));
        let block = self.label(label.text);
        let next = self.out.new_block();
        self.out.jump(block, next);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) -> Lowered {
        let (result, exit) = (self.frame.result, self.frame.exit);
        match (value, result) {
            (Some(value), Some(object)) => {
                let value = self.value(value)?;
                let place = self.declarer().place_of(object);
                self.out.write_place(&place, value, span)?;
            }
            (Some(value), None) => self.effect(value)?,
            (None, Some(object)) => self.out.undefine_object(object, span),
            (None, None) => {}
        }
        self.out.finish(End::Jump(exit));
        Ok(())
    }
}

/// Jumps out of the enclosing statement of that kind, if there is one.
fn leave(out: &mut Emitter, target: Option<BlockId>, what: &str, span: Span) -> Lowered {
    match target {
        Some(target) => {
            out.finish(End::Jump(target));
            Ok(())
        }
        None => refuse(Diagnostic::new(span, format!("{what} outside a loop"), "expected a loop around it")),
    }
}
