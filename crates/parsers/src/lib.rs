//! The lexers and parsers of `grammar/*.g4`, as `cargo run -p redoubt-grammar` writes them.
//!
//! A crate of their own, since they take long to compile and change with nothing but their grammars.

/// Sequential C: `grammar/C.g4`.
pub mod c {
    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod lexer {
        include!("generated/c_lexer.rs");
    }

    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod parser {
        include!("generated/c_parser.rs");
    }
}

/// C of the RERS challenge: `grammar/RersC.g4`.
pub mod rers_c {
    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod lexer {
        include!("generated/rers_c_lexer.rs");
    }

    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod parser {
        include!("generated/rers_c_parser.rs");
    }
}

/// Models of controllers: `grammar/Gcl.g4`.
pub mod gcl {
    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod lexer {
        include!("generated/gcl_lexer.rs");
    }

    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod parser {
        include!("generated/gcl_parser.rs");
    }
}

/// Formulas of linear temporal logic: `grammar/Ltl.g4`.
pub mod ltl {
    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod lexer {
        include!("generated/ltl_lexer.rs");
    }

    #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
    #[rustfmt::skip]
    pub mod parser {
        include!("generated/ltl_parser.rs");
    }
}
