//! Small systems for the tests of passes and analyses.

use std::sync::Arc;

use super::{TransitionSystem, build};
use crate::text::{SourceFile, Sources};
use redoubt_rers as rers;

/// The system of a program with these globals and this step; inputs are 1 and 2.
pub fn system(globals: &str, step: &str) -> TransitionSystem {
    let step = step.replace("error(", "__VERIFIER_error(");
    let text = format!(
        "extern void __VERIFIER_error(int); extern void exit(int);
         {globals}
         void calculate_output(int input) {{ {step} }}
         int main() {{
             while (1) {{
                 int input;
                 scanf(\"%d\", &input);
                 if (input != 1 && input != 2) return -2;
                 calculate_output(input);
             }}
         }}"
    );
    let sources = Arc::new(Sources::new(vec![SourceFile::new("sample.c", text)]));
    match rers::load(Arc::clone(&sources)) {
        Ok(program) => build(&program).expect("a small program"),
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

pub fn names(system: &TransitionSystem) -> Vec<&str> {
    system.states.iter().map(|state| state.name.as_str()).collect()
}
