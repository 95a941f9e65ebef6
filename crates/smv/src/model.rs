//! Relational models: states and inputs as words, what holds at the start, in every state and in every step, and what is said of
//! runs.

use redoubt_program::text::Span;
use redoubt_reading::Diagnostics;
use redoubt_words::build::Builder;
use redoubt_words::{self as words, Bad, Justice, NodeId, Sort};

use crate::ast::Storage;
use crate::domain::Domain;
use crate::formula::Formula;

/// Something that has a name and a value in every state, or in every step.
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    pub node: NodeId,
    pub domain: Domain,
    /// None for definitions.
    pub storage: Option<Storage>,
}

/// A condition on all values of variables, before anything is known about runs.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Over the leaves of [`Obligations::words`]: it must not be true.
    pub fail: NodeId,
    pub span: Span,
    pub message: String,
    /// The specification that it is about; the whole model if none.
    pub specification: Option<usize>,
}

/// What has to be checked of the text over all values of variables.
#[derive(Clone, Debug)]
pub struct Obligations {
    pub words: words::Model,
    pub list: Vec<Obligation>,
    /// The parts of expressions that can fail, to say which one did.
    pub parts: Vec<(NodeId, Span, String)>,
    /// Words of variables stand for values.
    pub valid: Vec<NodeId>,
    /// Names and words of variables now and after the step.
    pub variables: Vec<(String, Domain, NodeId)>,
}

/// A question to the model.
#[derive(Clone, Debug)]
pub struct Specification {
    pub name: String,
    pub kind: Kind,
    pub span: Span,
    /// As it is written.
    pub text: String,
    pub meaning: Result<Meaning, Diagnostics>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Invariant,
    Linear,
    Branching,
    Minimum,
    Maximum,
}

impl Kind {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invariant => "invariant",
            Kind::Linear => "formula of linear time",
            Kind::Branching => "formula of branching time",
            Kind::Minimum => "shortest way",
            Kind::Maximum => "longest way",
        }
    }
}

#[derive(Clone, Debug)]
pub enum Meaning {
    /// It holds in all reachable states; of steps, if it is about inputs or next states.
    Invariant { holds: NodeId, is_of_steps: bool },
    /// Of linear or of branching time.
    Formula(Formula),
    /// Steps from states of the one kind to states of the other.
    Distance { from: NodeId, to: NodeId },
}

/// A relational model.
#[derive(Clone, Debug)]
pub struct Model {
    /// States and inputs, with initial and next values as far as they are functions; no constraints and no properties.
    pub words: Builder,
    /// Variables in the order of the text, and definitions.
    pub signals: Vec<Signal>,
    /// These hold in the first state,
    pub initial: Vec<NodeId>,
    /// in every state,
    pub invariants: Vec<NodeId>,
    /// Words of variables stand for values: in every state and step, too, but this leaves a successor to every state that has one.
    pub valid: Vec<NodeId>,
    /// and in every step; over inputs, which may be parts of the next state.
    pub steps: Vec<NodeId>,
    pub justice: Vec<NodeId>,
    pub compassion: Vec<(NodeId, NodeId)>,
    pub specifications: Vec<Specification>,
}

impl Model {
    /// Whether every state surely has a successor.
    pub fn is_total(&self) -> bool {
        self.steps.is_empty() && self.invariants.is_empty()
    }

    /// The model of all finite runs, with a bad state for each of these invariants. Steps that are none lead to states that
    /// are none, so that a last state needs no successor.
    pub fn of_finite_runs(&self, invariants: &[(String, NodeId, bool)]) -> words::Model {
        let mut words = self.words.clone();
        self.constrain_states(&mut words);
        let legal = words.all(self.steps.iter().copied());
        if words.as_bool(legal) != Some(true) {
            let latch = latch(&mut words, "legal", true, legal);
            words.model.constraints.push(latch);
        }
        for (name, holds, is_of_steps) in invariants {
            let bad = words.not(*holds);
            let node = if *is_of_steps { latch(&mut words, "", false, bad) } else { bad };
            words.model.bad.push(Bad { node, name: name.clone() });
        }
        words.model
    }

    /// The relation between states alone, with signals of these nodes in place of bad states. Initial states are those in which
    /// [`initial`](Model::initial) holds, and steps those in which [`steps`](Model::steps) do.
    pub fn of_states(&self, watched: impl IntoIterator<Item = NodeId>) -> words::Model {
        let mut words = self.words.clone();
        words.model.constraints.extend(self.invariants.iter().chain(&self.valid));
        words.model.bad = watched.into_iter().map(|node| Bad { node, name: String::new() }).collect();
        words.model
    }

    /// The model of all infinite runs.
    pub fn of_infinite_runs(&self) -> Builder {
        let mut words = self.words.clone();
        self.constrain_states(&mut words);
        words.model.constraints.extend(&self.steps);
        words
    }

    /// The signals that recur on fair runs, compassion included; with what is guessed about compassion.
    pub fn recurring(&self, words: &mut Builder) -> Vec<NodeId> {
        let mut all = self.justice.clone();
        for &(p, q) in &self.compassion {
            // From some time on, p never again; or else q again and again.
            let guess = words.input("", Sort::BOOL);
            let given_up = words.state("", Sort::BOOL);
            let next = words.or(given_up, guess);
            let no = words.bool(false);
            set(words, given_up, Some(no), next);
            let not = words.not(p);
            let kept = words.not(given_up);
            let kept = words.or(kept, not);
            words.model.constraints.push(kept);
            all.push(words.or(given_up, q));
        }
        all
    }

    /// The model of fair runs on which a formula of linear time is false: with one justice property, which such runs
    /// violate.
    pub fn of_violations(&self, formula: &Formula, name: &str) -> words::Model {
        let mut words = self.of_infinite_runs();
        let mut all = self.recurring(&mut words);
        all.extend(crate::tableau::add(&mut words, formula));
        if all.is_empty() {
            all.push(words.bool(true));
        }
        words.model.justice.push(Justice { nodes: all, name: name.into() });
        words.model
    }

    fn constrain_states(&self, words: &mut Builder) {
        let initial = words.all(self.initial.iter().copied());
        if words.as_bool(initial) != Some(true) {
            let no = words.bool(false);
            let first = latch(words, "first", true, no);
            let later = words.not(first);
            let constraint = words.or(later, initial);
            words.model.constraints.push(constraint);
        }
        words.model.constraints.extend(self.invariants.iter().chain(&self.valid));
    }
}

/// A state of one bit with an initial and a next value.
pub fn latch(words: &mut Builder, name: &str, init: bool, next: NodeId) -> NodeId {
    let state = words.state(name, Sort::BOOL);
    let init = words.bool(init);
    set(words, state, Some(init), next);
    state
}

/// Sets the values of a state.
pub fn set(words: &mut Builder, state: NodeId, init: Option<NodeId>, next: NodeId) {
    if let words::Node::State(index) = *words.model.node(state) {
        words.model.states[index].init = init;
        words.model.states[index].next = Some(next);
    }
}
