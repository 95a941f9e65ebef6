//! The lexer and parser of `grammar/Gcl.g4`, as `cargo run -p redoubt-grammar` writes them.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod lexer {
    include!("../generated/gcl_lexer.rs");
}

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod parser {
    include!("../generated/gcl_parser.rs");
}
