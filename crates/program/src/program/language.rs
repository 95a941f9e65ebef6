//! The languages that programs are written in, and the consequences for texts about a program.

/// A language whose texts become programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C of the RERS challenge: one loop around one step.
    RersC,
    /// C with loops, jumps and calls anywhere.
    C,
    /// Models of controllers in guarded commands.
    Gcl,
    /// PLC programs.
    StructuredText,
}

impl Language {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::RersC => "C of the RERS challenge",
            Language::C => "sequential C",
            Language::Gcl => "a model of a controller",
            Language::StructuredText => "a PLC program in Structured Text",
        }
    }

    /// Whether its programs are models: their properties hold or are violated, and a legend has the words of their authors. Of C
    /// programs, labels are reached or not, and gcc can be asked.
    pub fn is_model(self) -> bool {
        match self {
            Language::Gcl | Language::StructuredText => true,
            Language::RersC | Language::C => false,
        }
    }
}
