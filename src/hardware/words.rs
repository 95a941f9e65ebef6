//! Word-level models on the way of AIGER models: a circuit of their bits to decide, and what is found as a run of their words.
//!
//! Certificates are about the circuit. Runs are about the words: each one is repeated by the simulator of the word-level
//! model, which shares no code with the circuit, before it is reported.

use std::io::{self, Write};

use crate::circuit::aiger::{Justice, Model};
use crate::circuit::liveness::Lasso;
use crate::engine::Trace;
use crate::ledger::SecondOpinion;
use crate::program::PropertyId;
use crate::witness::compiled::{Opinion, Trouble};
use crate::words::witness::{self, Claim};
use crate::words::{self, Blasted, Flaw, Places, Run, TooLarge};

/// A word-level model, and where everything is in its circuit.
#[derive(Clone, Debug)]
pub struct Words {
    pub model: words::Model,
    pub places: Places,
}

/// The circuit of a word-level model, as a model of its own. Inputs and latches are numbered as they are where it is written.
pub fn circuit(words: words::Model) -> Result<(Model, Words), TooLarge> {
    let Blasted { circuit, justice, fairness, places } = words::blast(&words)?;
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
    Ok((model, Words { model: words, places }))
}

impl Words {
    /// Writes the witness of a property.
    pub fn write(&self, out: &mut impl Write, property: usize, trace: &Trace) -> io::Result<()> {
        let run = self.places.run(&self.model, &trace.initial, &trace.inputs);
        witness::write(out, &self.model, Claim::Bad(property), &run)
    }

    /// Writes the witness of a justice property, around the loop until all states are as they were, if that is soon.
    pub fn write_lasso(&self, out: &mut impl Write, model: &Model, property: usize, lasso: &Lasso) -> io::Result<()> {
        witness::write(out, &self.model, Claim::Justice(property), &self.around(model, lasso))
    }

    fn around(&self, model: &Model, lasso: &Lasso) -> Run {
        let all = vec![true; model.circuit.latches.len()];
        let closed = lasso.closed(&model.circuit, &all);
        let lasso = closed.as_ref().unwrap_or(lasso);
        self.places.run(&self.model, &lasso.initial, &lasso.inputs)
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
        let Words { model, places } = self.words;
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
        let run = self.words.around(self.circuit, lasso);
        Ok(match run.recurs(&self.words.model, property.index()) {
            Ok(_) => Opinion::Agrees,
            // Bits that nothing depends on may come back much later than the others of their word.
            Err(Flaw::NoLoop) => Opinion::CannotTell("not all of its bits come back soon"),
            Err(flaw) => Opinion::Differs(flaw.to_string()),
        })
    }
}
