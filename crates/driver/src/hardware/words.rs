//! Word-level models on the way of AIGER models: a circuit of their bits to decide, and findings as runs of their
//! words.
//!
//! Certificates are about the circuit. Runs are about the words: each one is repeated by the simulator of the word-level
//! model, which shares no code with the circuit, before it is reported.

use std::io::{self, Write};
use std::sync::Arc;

use crate::circuit::aiger::{Justice, Model};
use crate::circuit::liveness::Lasso;
use crate::engine::Trace;
use crate::ledger::SecondOpinion;
use crate::program::PropertyId;
use crate::witness::compiled::{Opinion, Trouble};
use crate::words::arrays::{Abstraction, Concrete, Watch};
use crate::words::narrow::Narrowed;
use crate::words::witness::{self, Claim};
use crate::words::{self, Blasted, Flaw, Places, Run, TooLarge};

/// Arrays that take more bits are followed in some of their cells at first. Even where all cells are few, most proofs are about fewer.
pub const MOST_ARRAY_BITS: usize = 32;

/// A word-level model, and where everything is in its circuit.
#[derive(Clone, Debug)]
pub struct Words {
    pub model: words::Model,
    /// With shorter words, if that is the model that the circuit is of.
    narrowed: Option<Arc<Narrowed>>,
    /// The same with some cells of arrays only.
    abstraction: Option<Abstraction>,
    places: Places,
}

/// The circuit of a word-level model, as a model of its own. Inputs and latches are numbered as they are where it is written.
pub fn circuit(words: words::Model) -> Result<(Model, Words), TooLarge> {
    let (circuit, places) = bits(&words)?;
    Ok((circuit, Words { model: words, narrowed: None, abstraction: None, places }))
}

/// The circuit of the model, or that of a smaller model that is equivalent, for
/// [`reduced::decide`](super::reduced::decide): with shorter words where that makes no difference, and with some cells
/// of the arrays that take more bits than this.
pub fn reduced(words: words::Model, most_bits: usize) -> Result<(Model, Words), TooLarge> {
    if !words.justice.is_empty() {
        return circuit(words);
    }
    let narrowed = Narrowed::of(&words).map(Arc::new);
    let abstraction = Abstraction::of(narrowed.as_ref().map_or(&words, |narrowed| &narrowed.model), most_bits);
    of_reduced(words, narrowed, abstraction)
}

fn of_reduced(
    model: words::Model,
    narrowed: Option<Arc<Narrowed>>,
    abstraction: Option<Abstraction>,
) -> Result<(Model, Words), TooLarge> {
    let whole = narrowed.as_ref().map_or(&model, |narrowed| &narrowed.model);
    let (circuit, places) = bits(abstraction.as_ref().map_or(whole, |abstraction| &abstraction.model))?;
    Ok((circuit, Words { model, narrowed, abstraction, places }))
}

fn bits(words: &words::Model) -> Result<(Model, Places), TooLarge> {
    let Blasted { circuit, justice, fairness, places } = words::blast(words)?;
    let literals = |first: usize, number: usize| (first..first + number).map(|index| 2 * (index as u32 + 1)).collect();
    let (inputs, latches) = (circuit.inputs.len(), circuit.latches.len());
    let name = |(index, signals): (usize, Vec<_>)| {
        let symbol = words.justice[index].name.clone();
        Justice { name: format!("j{index}"), symbol, signals }
    };
    let model = Model {
        properties: (0..circuit.bad.len()).map(|index| format!("b{index}")).collect(),
        outputs: vec![],
        justice: justice.into_iter().enumerate().map(name).collect(),
        fairness,
        input_literals: literals(0, inputs),
        latch_literals: literals(inputs, latches),
        circuit,
    };
    Ok((model, places))
}

impl Words {
    /// The model that the circuit is of, if that is a smaller one.
    pub fn smaller(&self) -> Option<&words::Model> {
        let narrowed = self.narrowed.as_ref().map(|narrowed| &narrowed.model);
        self.abstraction.as_ref().map(|abstraction| &abstraction.model).or(narrowed)
    }

    /// The number of followed cells of arrays.
    pub fn watches(&self) -> usize {
        self.abstraction.as_ref().map_or(0, |abstraction| abstraction.watches().len())
    }

    /// The run of the model that a trace of the circuit to a bad state stands for.
    pub fn concrete(&self, trace: &Trace, property: usize) -> Concrete {
        let run = self.places.run(self.smaller().unwrap_or(&self.model), &trace.initial, &trace.inputs);
        let whole = self.narrowed.as_ref().map_or(&self.model, |narrowed| &narrowed.model);
        let run = match &self.abstraction {
            Some(abstraction) => match abstraction.concretize(whole, &run, property) {
                Concrete::Run(run) => run,
                other => return other,
            },
            None => run,
        };
        let run = self.narrowed.as_ref().map_or(run.clone(), |narrowed| narrowed.widen(&self.model, &run));
        if run.reaches(&self.model, property).is_ok() { Concrete::Run(run) } else { Concrete::Unclear }
    }

    /// The circuit of the abstraction that follows a cell more.
    pub(super) fn watching(&self, watch: Watch) -> Option<Result<(Model, Words), TooLarge>> {
        let whole = self.narrowed.as_ref().map_or(&self.model, |narrowed| &narrowed.model);
        let abstraction = self.abstraction.as_ref()?.refined(whole, watch);
        Some(of_reduced(self.model.clone(), self.narrowed.clone(), Some(abstraction)))
    }

    /// Writes the witness of a property.
    pub fn write(&self, out: &mut dyn Write, property: usize, trace: &Trace) -> io::Result<()> {
        match self.concrete(trace, property) {
            Concrete::Run(run) => witness::write(out, &self.model, Claim::Bad(property), &run),
            Concrete::Watch(_) | Concrete::Unclear => Err(io::Error::other("the trace is none of the model")),
        }
    }

    /// Writes the witness of a justice property, around the loop until all states are as they were, if that is soon.
    pub fn write_lasso(&self, out: &mut dyn Write, model: &Model, property: usize, lasso: &Lasso) -> io::Result<()> {
        witness::write(out, &self.model, Claim::Justice(property), &self.around(model, lasso).0)
    }

    /// The run of the words around a loop, until all states are as they were if that is soon; and where the loop begins.
    pub fn around(&self, model: &Model, lasso: &Lasso) -> (Run, usize) {
        let all = vec![true; model.circuit.latches.len()];
        let closed = lasso.closed(&model.circuit, &all);
        let lasso = closed.as_ref().unwrap_or(lasso);
        (self.places.run(&self.model, &lasso.initial, &lasso.inputs), lasso.start)
    }
}

/// The simulator of a word-level model, to be asked about runs of its circuit.
pub struct OnWords<'m> {
    pub words: &'m Words,
    pub circuit: &'m Model,
}

const NAME: &str = "the simulator of words";

impl SecondOpinion<Trace> for OnWords<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn of_run(&self, property: PropertyId, trace: &Trace) -> Result<Opinion, Trouble> {
        let Words { model, places, .. } = self.words;
        let run = places.run(model, &trace.initial, &trace.inputs);
        Ok(match run.reaches(model, property.index()) {
            Ok(()) => Opinion::Agrees,
            Err(flaw) => Opinion::Differs(flaw.to_string()),
        })
    }
}

impl SecondOpinion<Lasso> for OnWords<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn of_run(&self, property: PropertyId, lasso: &Lasso) -> Result<Opinion, Trouble> {
        let (run, _) = self.words.around(self.circuit, lasso);
        Ok(match run.recurs(&self.words.model, property.index()) {
            Ok(_) => Opinion::Agrees,
            // Bits that nothing depends on may come back much later than the others of their word.
            Err(Flaw::NoLoop) => Opinion::CannotTell("not all of its bits come back soon"),
            Err(flaw) => Opinion::Differs(flaw.to_string()),
        })
    }
}
