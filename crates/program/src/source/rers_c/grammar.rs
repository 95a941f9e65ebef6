//! The lexer and parser of `grammar/RersC.g4`, as `cargo run -p redoubt-grammar` writes them.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod lexer {
    include!("../generated/rers_c_lexer.rs");
}

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod parser {
    include!("../generated/rers_c_parser.rs");
}
