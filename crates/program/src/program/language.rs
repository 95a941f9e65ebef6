//! The languages that programs are written in, and the consequences for texts about a program.

/// A language whose texts become programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C of the RERS challenge: one loop around one step.
    RersC,
    /// Java of the RERS challenge, in the same form.
    RersJava,
    /// C with loops, jumps and calls anywhere.
    C,
    /// Models of controllers in guarded commands.
    Gcl,
    /// Mealy machines.
    Mealy,
    /// PLC programs.
    StructuredText,
}

impl Language {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::RersC => "C of the RERS challenge",
            Language::RersJava => "Java of the RERS challenge",
            Language::C => "sequential C",
            Language::Gcl => "a model of a controller",
            Language::Mealy => "a Mealy machine",
            Language::StructuredText => "a PLC program in Structured Text",
        }
    }

    /// Whether C compilers and tools for C understand its programs.
    pub fn is_c(self) -> bool {
        matches!(self, Language::RersC | Language::C)
    }

    /// Who compiles its programs, to run them.
    pub fn compiler(self) -> &'static str {
        if self == Language::RersJava { "java" } else { "gcc" }
    }

    /// Whether its programs are models: their properties hold or are violated, and a legend has the words of their authors. Of
    /// other programs, labels are reached or not, and a compiler can be asked.
    pub fn is_model(self) -> bool {
        match self {
            Language::Gcl | Language::StructuredText => true,
            Language::RersC | Language::RersJava | Language::C | Language::Mealy => false,
        }
    }
}
