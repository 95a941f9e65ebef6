//! The lexer and parser that `build.rs` generates from `grammar/Gcl.g4`.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod lexer {
    include!(concat!(env!("OUT_DIR"), "/gcl_lexer.rs"));
}

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod parser {
    include!(concat!(env!("OUT_DIR"), "/gcl_parser.rs"));
}
