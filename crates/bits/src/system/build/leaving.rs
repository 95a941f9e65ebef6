//! The variables that are dead on a path that has left its function.
//!
//! Locals are like that, except for those in which a function hands something to its caller: a value that a path put
//! there before it returned is read behind the call. The statements tell which ones these are, whatever a function
//! declares: a caller reads variables that a function that it may call assigns.

use crate::expr::VarId;
use crate::program::usage::{callees_first, statements};
use crate::program::{Program, Scope, StmtId, StmtKind};

/// Per variable of a program.
pub fn die(program: &Program) -> Vec<bool> {
    let mut bodies: Vec<StmtId> = callees_first(program).iter().map(|&id| program.function(id).body).collect();
    bodies.extend([program.setup, program.step]);
    // The last body that reads a variable must not come behind the first that assigns it: callers come behind.
    let mut first_assigned = vec![usize::MAX; program.variables.len()];
    let mut last_read = vec![0; program.variables.len()];
    for (index, &body) in bodies.iter().enumerate() {
        for id in statements(program, std::iter::once(body)) {
            let kind = &program.stmt(id).kind;
            for expr in kind.expressions() {
                program.exprs.variables(expr).into_iter().for_each(|read| last_read[read.index()] = index);
            }
            if let StmtKind::Assign { variable, .. } = kind {
                let first = &mut first_assigned[variable.index()];
                *first = index.min(*first);
            }
        }
    }
    let dies = |variable: VarId| {
        let is_local = program.variable(variable).scope == Scope::Local;
        is_local && last_read[variable.index()] <= first_assigned[variable.index()]
    };
    (0..program.variables.len()).map(|index| dies(VarId::new(index))).collect()
}
