//! The tools that integration tests share: finding and loading programs, and the helpers in the modules below.

pub mod aiger;
pub mod btor2;
pub mod command;
pub mod expected;
pub mod explore;
pub mod five_checks;
pub mod gcc;
pub mod generate;
pub mod invariant;
pub mod junit;
pub mod miter;
pub mod mutate;
pub mod problems;
pub mod runs;
pub mod schema;
pub mod scratch;
pub mod seeds;
pub mod systems;
pub mod walks;

use std::path::Path;
use std::sync::Arc;

use redoubt_languages::{gcl, rers};
use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};

/// A program that counts by threes for as long as nothing wraps around, and says when it has passed ten.
pub const COUNTING: &str = "int inputs[] = {1, 2};
int a = 0;
void calculate_output(int input) {
    if (input == 1) { a += (a + 20) > a ? 3 : 0; }
    if (a > 10) { printf(\"%d\\n\", 26); } else { printf(\"%d\\n\", 25); }
}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }
";

/// A program that takes forever, next to a label that is found at once.
pub const ENDLESS: &str = "\
int inputs[] = {1, 2, 3, 4, 5};
int x = 12345;
void calculate_output(int input) {
    x = x * x + input * 2654435 + (x >> 7) * (x / 3);
    if (x == 123456789) { error_0: assert(0); }
    if (input == 2) { error_1: assert(0); }
}
int main() {
    while (1) { int input; scanf(\"%d\", &input); calculate_output(input); }
}
";

/// A directory or file of the project.
pub fn in_project(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Loads a program that is known to be good.
pub fn load_text(name: &str, text: &str) -> Program {
    load(vec![SourceFile::new(name, text)])
}

pub fn load(files: Vec<SourceFile>) -> Program {
    let sources = Arc::new(Sources::new(files));
    match rers::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

/// Loads a model in the guarded-command language that is known to be good.
pub fn load_model(name: &str, text: &str) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new(name, text)]));
    match gcl::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{text}\n{}", errors.render(&sources, false)),
    }
}
