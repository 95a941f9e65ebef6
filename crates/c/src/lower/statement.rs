//! Statements: blocks of the automaton, and where they lead.

use redoubt_base::stack::grow;

use super::emit::Emitter;
use super::scope::{Case, Cases, Scope};
use super::value::Value;
use super::{Lowerer, integer_of, too_wide, unsupported};
use crate::ast::{BinaryOperator, ExprId, Ident, StmtId, StmtKind};
use crate::words::{self, Number};
use redoubt_program::flow::{BlockId, End};
use redoubt_program::program::HeadKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};

impl<'s> Lowerer<'_, 's> {
    /// A statement; what is wrong with it matters only where a run comes to it.
    pub fn statement(&mut self, id: StmtId) -> Lowered {
        self.enough(self.text.stmt(id).span)?;
        let first = self.out.next_block();
        let lowered = grow(|| self.any_statement(id));
        self.out.tolerate(lowered, first)
    }

    /// Goes one way or the other, as part of something else: what is wrong with the condition says nothing about the rest of that.
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

    fn block(&mut self, id: StmtId, list: &[StmtId]) -> Lowered {
        self.frame.scopes.push(Scope { block: Some(id), ..Scope::default() });
        self.declarer().enter(id);
        let done = list.iter().try_for_each(|&inner| self.statement(inner));
        self.frame.scopes.pop();
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
        self.frame.scopes.push(Scope { block: Some(id), ..Scope::default() });
        self.declarer().enter(id);
        let mut done = inner.iter().try_for_each(|&inner| self.statement(inner)).map(|()| Value::Void);
        if let (Ok(_), Some(last)) = (&done, last) {
            // What it declares is gone when the value is used.
            done = self.value(last).and_then(|value| self.out.settle(value, span));
        }
        self.frame.scopes.pop();
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
        let (head, inside) = (self.out.new_block(), self.out.new_block());
        let (again, after) = (self.out.new_block(), self.out.new_block());
        self.frame.scopes.push(Scope { block: first.map(|_| id), ..Scope::default() });
        self.declarer().enter(id);
        if let Some(first) = first {
            self.statement(first)?;
        }
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
        self.frame.scopes.pop();
        Ok(())
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
        let (result, exit) = (self.frame.result.clone(), self.frame.exit);
        match (value, result) {
            (Some(value), Some((variable, ty))) => {
                let value = self.value(value)?;
                self.out.put(variable, &ty, value, span)?;
            }
            (Some(value), None) => self.effect(value)?,
            (None, Some((variable, ty))) => self.out.choose(variable, integer_of(&ty), None, span),
            (None, None) => {}
        }
        self.out.finish(End::Jump(exit));
        Ok(())
    }
}

/// Jumps out of what stands around, if there is something of that kind.
fn leave(out: &mut Emitter, target: Option<BlockId>, what: &str, span: Span) -> Lowered {
    match target {
        Some(target) => {
            out.finish(End::Jump(target));
            Ok(())
        }
        None => refuse(Diagnostic::new(span, format!("{what} outside a loop"), "expected a loop around it")),
    }
}
