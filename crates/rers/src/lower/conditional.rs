//! Chains `if ... else if ... else` to choices.

use super::Body;
use crate::ast::{self, Branch, Otherwise};
use redoubt_program::expr::ExprId;
use redoubt_program::program::{Arm, StmtId, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, note};

/// Branches that are one choice, with the statements that their first condition needs.
#[derive(Default)]
struct Group {
    prelude: Vec<StmtId>,
    arms: Vec<Arm>,
}

impl<'t> Body<'_, 't> {
    /// A chain of branches. A condition that needs statements of its own (a call, a check for zero) runs only if the
    /// conditions before it failed, so it opens a new choice in a last arm.
    pub fn conditional(&mut self, branches: &'t [Branch], otherwise: Option<Otherwise>, span: Span) -> Lowered {
        let mut groups = vec![Group::default()];
        for (index, branch) in branches.iter().enumerate() {
            let (prelude, guard) = self.values.aside(index > 0, |values| values.condition(branch.condition));
            let guard = note(self.diagnostics, guard)?;
            let body = self.branch_body(branch.body)?;
            let Some(guard) = guard else { continue };
            let arm = Arm { guard, body, span: self.values.syntax.expr(branch.condition).span };
            match groups.last_mut() {
                Some(group) if prelude.is_empty() => group.arms.push(arm),
                _ => groups.push(Group { prelude, arms: vec![arm] }),
            }
        }
        if let Some(Otherwise { body, span }) = otherwise {
            let body = self.branch_body(body)?;
            let guard = self.always();
            groups.last_mut().expect("there is a group").arms.push(Arm { guard, body, span });
        }
        self.push_groups(groups, span);
        Ok(())
    }

    fn branch_body(&mut self, body: ast::StmtId) -> Lowered<StmtId> {
        self.values.conditions += 1;
        self.values.scope.open_block();
        let outer = self.values.out.open();
        self.note_statement(body)?;
        let body = self.values.out.close_body(outer);
        self.values.scope.close_block();
        self.values.conditions -= 1;
        Ok(body)
    }

    fn always(&mut self) -> ExprId {
        self.values.out.exprs().bool(true)
    }

    fn push_groups(&mut self, groups: Vec<Group>, span: Span) {
        let mut rest: Option<StmtId> = None;
        for Group { prelude, mut arms } in groups.into_iter().rev() {
            if let Some(body) = rest {
                arms.push(Arm { guard: self.always(), body, span });
            }
            let out = &mut *self.values.out;
            let known = |arm: &Arm| out.program.exprs.as_bool(arm.guard);
            arms.retain(|arm| known(arm) != Some(false));
            let is_taken = arms.first().is_some_and(|arm| known(arm) == Some(true));
            let outer = out.open_with(prelude);
            if is_taken {
                out.append(vec![arms[0].body]);
            } else if !arms.is_empty() {
                out.push(StmtKind::Choice(arms), span);
            }
            rest = Some(out.close_body(outer));
        }
        self.values.out.append(rest.into_iter().collect());
    }
}
