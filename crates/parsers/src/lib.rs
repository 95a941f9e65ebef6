//! The lexers and parsers of `grammar/*.g4`, as `cargo run -p redoubt-grammar` writes them.
//!
//! A crate of their own, since they take long to compile and change only with their grammars. Generated code is
//! generic; [`run`] hides the types, so that it is compiled here, once, and not by everyone who reads a text. Much of
//! it is never used (contexts, listeners, walkers): it is private, and so not compiled at all.

pub mod run;

/// A lexer and a parser that were generated, and the two steps from a text to its parse tree.
macro_rules! language {
    ($(#[$about:meta])* $language:ident, $lexer:ident in $lexer_file:literal, $parser:ident in $parser_file:literal, $names_file:literal, $start:ident) => {
        $(#[$about])*
        pub mod $language {
            #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
            #[rustfmt::skip]
            mod lexer {
                include!($lexer_file);
            }

            #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
            #[rustfmt::skip]
            mod parser {
                include!($parser_file);
            }

            /// The numbers of its tokens and rules.
            pub mod names {
                include!($names_file);
            }

            use antlr4_runtime::{AntlrError, InputStream, ParsedFile};

            use crate::run::{Listeners, Source, Tokens};

            /// The tokens of the text.
            pub fn lex(text: &str) -> Source {
                let mut lexer = lexer::$lexer::new(InputStream::new(text));
                lexer.remove_error_listeners();
                Source::new(lexer)
            }

            /// Parses all tokens. There may be a tree even if there were errors.
            pub fn parse(tokens: Tokens, listeners: Listeners) -> Result<ParsedFile, AntlrError> {
                let mut parser = parser::$parser::new(tokens);
                parser.remove_error_listeners();
                parser.add_error_listener(listeners.errors);
                if let Some(listener) = listeners.rules {
                    parser.add_parse_listener(listener);
                }
                let root = parser.$start()?;
                Ok(parser.into_parsed_file(root))
            }
        }
    };
}

language!(
    /// Sequential C: `grammar/C.g4`.
    c, CLexer in "generated/c_lexer.rs", CParser in "generated/c_parser.rs", "generated/c_names.rs", translation_unit
);

language!(
    /// C of the RERS challenge: `grammar/RersC.g4`.
    rers_c, RersCLexer in "generated/rers_c_lexer.rs", RersCParser in "generated/rers_c_parser.rs", "generated/rers_c_names.rs", translation_unit
);

language!(
    /// Java of the RERS challenge: `grammar/RersJava.g4`.
    rers_java, RersJavaLexer in "generated/rers_java_lexer.rs", RersJavaParser in "generated/rers_java_parser.rs", "generated/rers_java_names.rs", compilation_unit
);

language!(
    /// Models of controllers: `grammar/Gcl.g4`.
    gcl, GclLexer in "generated/gcl_lexer.rs", GclParser in "generated/gcl_parser.rs", "generated/gcl_names.rs", model
);

language!(
    /// Formulas of linear temporal logic: `grammar/Ltl.g4`.
    ltl, LtlLexer in "generated/ltl_lexer.rs", LtlParser in "generated/ltl_parser.rs", "generated/ltl_names.rs", formula
);

language!(
    /// Formulas of computation tree logic: `grammar/Ctl.g4`.
    ctl, CtlLexer in "generated/ctl_lexer.rs", CtlParser in "generated/ctl_parser.rs", "generated/ctl_names.rs", formula
);

language!(
    /// Formulas of computation tree logic with modalities: `grammar/ModalCtl.g4`.
    modal_ctl, ModalCtlLexer in "generated/modal_ctl_lexer.rs", ModalCtlParser in "generated/modal_ctl_parser.rs", "generated/modal_ctl_names.rs", formula
);

language!(
    /// Mealy machines as graphs: `grammar/Dot.g4`.
    dot, DotLexer in "generated/dot_lexer.rs", DotParser in "generated/dot_parser.rs", "generated/dot_names.rs", graph
);

language!(
    /// Structured Text: `grammar/StructuredText.g4`.
    structured_text, StructuredTextLexer in "generated/structured_text_lexer.rs", StructuredTextParser in "generated/structured_text_parser.rs", "generated/structured_text_names.rs", source_file
);

language!(
    /// What comments in Structured Text say: `grammar/StProperties.g4`.
    st_properties, StPropertiesLexer in "generated/st_properties_lexer.rs", StPropertiesParser in "generated/st_properties_parser.rs", "generated/st_properties_names.rs", text
);

language!(
    /// Models of NuSMV: `grammar/Smv.g4`.
    smv, SmvLexer in "generated/smv_lexer.rs", SmvParser in "generated/smv_parser.rs", "generated/smv_names.rs", text
);
