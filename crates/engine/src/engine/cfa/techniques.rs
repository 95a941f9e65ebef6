//! The techniques of the engine beside asking for predecessors. Each can be left out to measure its worth.

/// A part of the algorithm that verdicts do not depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Edges have clauses of their own, in which facts implied by the edge are constants.
    Edges,
    /// A location is known to be empty in frames before the first that it can be reached in.
    Distance,
    /// A predecessor is a cube of states, not one state.
    Lifting,
    /// Blocked cubes lose literals.
    Generalization,
    /// A literal is dropped if all edges can do without it; otherwise edge by edge, as in the original.
    Jointly,
    /// Edge by edge: literals that one edge needs are not tried on the next.
    Carrying,
    /// Findings for a cube and an edge are remembered.
    Cache,
    /// Counterexamples to generalization are blocked.
    Counterexamples,
    /// Lemmas move to higher frames when one is opened.
    Pushing,
    /// Lemmas that are inductive together move to the infinite frame, though the frames around them differ.
    Infinite,
}

impl Technique {
    pub const ALL: [Technique; 10] = [
        Technique::Edges,
        Technique::Distance,
        Technique::Lifting,
        Technique::Generalization,
        Technique::Jointly,
        Technique::Carrying,
        Technique::Cache,
        Technique::Counterexamples,
        Technique::Pushing,
        Technique::Infinite,
    ];

    /// As it is written and read.
    pub fn name(self) -> &'static str {
        match self {
            Technique::Edges => "edges",
            Technique::Distance => "distance",
            Technique::Lifting => "lifting",
            Technique::Generalization => "generalization",
            Technique::Jointly => "jointly",
            Technique::Carrying => "carrying",
            Technique::Cache => "cache",
            Technique::Counterexamples => "counterexamples",
            Technique::Pushing => "pushing",
            Technique::Infinite => "infinite",
        }
    }

    pub fn by_name(name: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

/// The techniques to use: by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Techniques {
    without: Vec<Technique>,
}

impl Techniques {
    pub fn without(list: &[Technique]) -> Techniques {
        Techniques { without: list.to_vec() }
    }

    pub fn has(&self, technique: Technique) -> bool {
        !self.without.contains(&technique)
    }
}
