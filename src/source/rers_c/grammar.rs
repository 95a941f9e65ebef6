//! The lexer and parser that `build.rs` generates from `grammar/RersC.g4`.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod lexer {
    include!(concat!(env!("OUT_DIR"), "/rers_c_lexer.rs"));
}

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#[rustfmt::skip]
pub mod parser {
    include!(concat!(env!("OUT_DIR"), "/rers_c_parser.rs"));
}
