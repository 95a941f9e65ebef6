//! The variables that a step must leave alone so that the state stays the same: those that a step may read before it
//! assigns them. No step can depend on the others.

use std::collections::BTreeSet;

use redoubt_base::stack::grow;
use redoubt_program::expr::VarId;
use redoubt_program::program::usage::callees_first;
use redoubt_program::program::{Program, StmtId, StmtKind};

/// Per variable: whether some step may read its value from before the step.
pub fn read_first(program: &Program) -> Vec<bool> {
    let mut search = Search { program, functions: vec![Summary::default(); program.functions.len()] };
    for function in callees_first(program) {
        search.functions[function.index()] = search.summary(program.function(function).body);
    }
    let read = search.summary(program.step).read;
    (0..program.variables.len()).map(|index| read.contains(&VarId::new(index))).collect()
}

/// Variables that are surely assigned; `None` where nothing goes on.
type Assigned = Option<BTreeSet<VarId>>;

/// The effect of a function's body.
#[derive(Clone, Debug, Default)]
struct Summary {
    /// The variables that it may read before it assigns them.
    read: BTreeSet<VarId>,
    /// Those that are assigned when it is left.
    assigned: Assigned,
}

struct Search<'p> {
    program: &'p Program,
    functions: Vec<Summary>,
}

impl Search<'_> {
    fn summary(&self, body: StmtId) -> Summary {
        let (mut read, mut returned) = (BTreeSet::new(), None);
        let end = self.statement(body, Some(BTreeSet::new()), &mut read, &mut returned);
        Summary { read, assigned: join(end, returned) }
    }

    /// The variables assigned behind a statement.
    fn statement(&self, id: StmtId, before: Assigned, read: &mut BTreeSet<VarId>, returned: &mut Assigned) -> Assigned {
        let mut assigned = before?;
        let kind = &self.program.stmt(id).kind;
        let variables = kind.expressions().into_iter().flat_map(|expr| self.program.exprs.variables(expr));
        read.extend(variables.filter(|variable| !assigned.contains(variable)));
        match kind {
            StmtKind::Assign { variable, .. } => {
                assigned.insert(*variable);
                Some(assigned)
            }
            StmtKind::Sequence(list) => {
                list.iter().try_fold(assigned, |before, &inner| self.statement(inner, Some(before), read, returned))
            }
            StmtKind::Choice(arms) => {
                let none_taken = Some(assigned.clone());
                arms.iter().fold(none_taken, |after, arm| {
                    let end = grow(|| self.statement(arm.body, Some(assigned.clone()), read, returned));
                    join(after, end)
                })
            }
            StmtKind::Call(callee) => {
                let callee = &self.functions[callee.index()];
                read.extend(callee.read.difference(&assigned));
                assigned.extend(callee.assigned.as_ref()?);
                Some(assigned)
            }
            StmtKind::Return => {
                *returned = join(returned.take(), Some(assigned));
                None
            }
            StmtKind::Error(_) | StmtKind::Halt(_) => None,
            StmtKind::Store { .. } | StmtKind::Assume(_) | StmtKind::Reach(_) | StmtKind::Print { .. } => {
                Some(assigned)
            }
        }
    }
}

/// The variables assigned on every path.
fn join(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}
