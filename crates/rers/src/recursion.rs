//! Refuses recursion: a step must end, and parameters have one place each.

use redoubt_program::program::{FunctionId, Program, StmtId, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::{Diagnostic, Diagnostics};

/// Reports each function that can call itself, at the call that closes the circle.
pub fn check(program: &Program, diagnostics: &mut Diagnostics) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; program.functions.len()];
    for root in 0..program.functions.len() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        let mut path = vec![(FunctionId::new(root), calls(program, FunctionId::new(root)))];
        while let Some((function, pending)) = path.last_mut() {
            let Some((callee, span)) = pending.pop() else {
                marks[function.index()] = Mark::Done;
                path.pop();
                continue;
            };
            match marks[callee.index()] {
                Mark::Done => {}
                Mark::New => {
                    marks[callee.index()] = Mark::Open;
                    path.push((callee, calls(program, callee)));
                }
                Mark::Open => {
                    let circle = path.iter().map(|(function, _)| *function).skip_while(|&function| function != callee);
                    let names: Vec<&str> =
                        circle.chain([callee]).map(|function| program.function(function).name.as_str()).collect();
                    let message = format!("recursion is not supported: {}", names.join(" calls "));
                    diagnostics.push(Diagnostic::new(span, message, "this call closes the circle"));
                }
            }
        }
    }
}

/// The calls in a function's body, the first one last.
fn calls(program: &Program, function: FunctionId) -> Vec<(FunctionId, Span)> {
    let mut found = vec![];
    let mut pending: Vec<StmtId> = vec![program.function(function).body];
    while let Some(id) = pending.pop() {
        let stmt = program.stmt(id);
        if let StmtKind::Call(callee) = stmt.kind {
            found.push((callee, stmt.span));
        }
        pending.extend(stmt.kind.children());
    }
    found.sort_by_key(|&(_, span)| std::cmp::Reverse(span));
    found
}
