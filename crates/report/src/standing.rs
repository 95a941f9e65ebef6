//! The standing of a property: pages count, colour and filter by it, and have words for it.
//!
//! Error labels are reachable or unreachable; properties of a model, a formula or a circuit hold or are violated. A
//! goal that is met holds because something can be reached, so that only the status tells good from bad.

use super::read::{Language, Problem, Property, Recorded, Verdict};
use crate::program::Status;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Violated,
    Holds,
    Unknown,
}

impl Standing {
    pub const ALL: [Standing; 3] = [Standing::Violated, Standing::Holds, Standing::Unknown];

    /// Lines of earlier versions have no status; these were about labels.
    pub fn of(property: &Property) -> Standing {
        match (property.verdict, property.status) {
            (Verdict::Unknown, _) => Standing::Unknown,
            (_, Some(Status::Violated)) | (Verdict::Reachable, None) => Standing::Violated,
            (_, Some(Status::Holds)) | (Verdict::Unreachable, None) => Standing::Holds,
        }
    }

    /// The class of its marks in the page.
    pub fn class(self) -> &'static str {
        Words::Properties.word(self)
    }
}

/// The words for standings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Labels,
    Properties,
}

impl Words {
    /// Those for a property of a problem.
    pub fn of(problem: &Problem, property: &Property) -> Words {
        let has_labels = match problem.summary.as_ref().and_then(|summary| summary.language) {
            Some(language) => matches!(language, Language::C | Language::Java | Language::Mealy),
            // It did not come to its end.
            None => [".c", ".i", ".java", ".dot"].iter().any(|ending| problem.file.ends_with(ending)),
        };
        if has_labels && property.formula.is_none() { Words::Labels } else { Words::Properties }
    }

    /// Those for a run as a whole: of labels if it is about nothing else.
    pub fn of_run(run: &Recorded) -> Words {
        let mut all = run.problems.iter().flat_map(|problem| problem.properties.iter().map(move |one| (problem, one)));
        let are_labels = all.all(|(problem, property)| Words::of(problem, property) == Words::Labels);
        if are_labels { Words::Labels } else { Words::Properties }
    }

    pub fn word(self, standing: Standing) -> &'static str {
        match (self, standing) {
            (Words::Labels, Standing::Violated) => "reachable",
            (Words::Labels, Standing::Holds) => "unreachable",
            (Words::Properties, Standing::Violated) => "violated",
            (Words::Properties, Standing::Holds) => "holds",
            (_, Standing::Unknown) => "unknown",
        }
    }
}
