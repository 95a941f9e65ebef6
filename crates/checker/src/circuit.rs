//! A witness circuit checked against its model, by a fresh solver on clauses of its own.
//!
//! The witness has the model's inputs and latches, and one property. Behind these latches it may have others, which remember
//! something of the run; whatever they do, every run of the model is one of the witness. Its property is *good* while it is not bad:
//!
//! ```text
//! same        the model's latches reset and step as in the model, and so are the constraints
//! base        a first state is good
//! step        a step from a good state leads to a good one
//! property    a good state has none of the excluded properties
//! ```

use redoubt_base::Interrupt;
use redoubt_circuit::{Circuit, Node, Reset, Signal};

use crate::Judgement;
use crate::encode::{Gates, Lit};
use crate::search::{Found, Search};

/// Whether a witness circuit shows that some properties of a model cannot be reached.
pub fn confirm(model: &Circuit, witness: &Circuit, excluded: &[usize], interrupt: &Interrupt) -> Judgement {
    match Inductive::of(model, witness, interrupt) {
        Ok(mut inductive) => inductive.excludes(excluded, interrupt),
        Err(judgement) => judgement,
    }
}

/// A witness circuit that every run of the model stays good in: which properties it excludes can be asked one by one.
pub struct Inductive {
    gates: Gates,
    /// Has a state that is good.
    search: Search,
    /// By property of the model: that it is bad there.
    bad: Vec<Lit>,
}

impl Inductive {
    /// Checks all but the last part; the error is the judgement if that fails, or does not come to an end.
    pub fn of(model: &Circuit, witness: &Circuit, interrupt: &Interrupt) -> Result<Inductive, Judgement> {
        let own = model.latches.len();
        let resets =
            |circuit: &Circuit| circuit.latches.iter().take(own).map(|latch| latch.reset).collect::<Vec<Reset>>();
        if model.inputs.len() != witness.inputs.len() || resets(model) != resets(witness) {
            return Err(Judgement::Refuted("the inputs and latches are not those of the model".into()));
        }
        if witness.bad.len() != 1 || model.constraints.len() != witness.constraints.len() {
            let what = "a witness circuit has one property, and the constraints of the model";
            return Err(Judgement::Refuted(what.into()));
        }
        let mut query = Query { gates: Gates::default(), interrupt };
        let leaves = |gates: &mut Gates, count: usize| -> Vec<Lit> { (0..count).map(|_| gates.fresh()).collect() };
        let inputs = leaves(&mut query.gates, model.inputs.len());
        let latches = leaves(&mut query.gates, witness.latches.len());
        let (now, same) = (
            Copy::new(&mut query.gates, model, &inputs, &latches[..own]),
            Copy::new(&mut query.gates, witness, &inputs, &latches),
        );
        let good = !same.lit(witness.bad[0].signal);
        let constraints: Vec<Lit> = model.constraints.iter().map(|&signal| now.lit(signal)).collect();
        let next: Vec<Lit> = model.latches.iter().map(|latch| now.lit(latch.next)).collect();
        let is_good = [&constraints[..], &[good]].concat();
        let search = query.search(&is_good);

        // The same, under the constraints.
        let theirs = witness.latches[..own].iter().map(|latch| latch.next).chain(witness.constraints.iter().copied());
        let pairs: Vec<(Lit, Lit)> =
            next.iter().chain(&constraints).copied().zip(theirs.map(|signal| same.lit(signal))).collect();
        let differ: Vec<Lit> = pairs.into_iter().map(|(a, b)| query.gates.xor(a, b)).collect();
        let differ = query.gates.any(&differ);
        judged("steps as the model does", query.solve(&[&constraints[..], &[differ]].concat()))?;

        let first = witness.latches.iter().zip(&latches).filter_map(|(latch, &lit)| match latch.reset {
            Reset::Zero => Some(!lit),
            Reset::One => Some(lit),
            Reset::Free => None,
        });
        let first: Vec<Lit> = first.collect();
        judged("has a good first state", query.solve(&[&first[..], &constraints, &[!good]].concat()))?;

        let later_inputs = leaves(&mut query.gates, model.inputs.len());
        let remembered = witness.latches[own..].iter().map(|latch| same.lit(latch.next));
        let later_latches: Vec<Lit> = next.iter().copied().chain(remembered).collect();
        let later = Copy::new(&mut query.gates, witness, &later_inputs, &later_latches);
        let still: Vec<Lit> = witness.constraints.iter().map(|&signal| later.lit(signal)).collect();
        let leaves_it = later.lit(witness.bad[0].signal);
        judged("stays good", query.solve(&[is_good, still, vec![leaves_it]].concat()))?;
        let bad = model.bad.iter().map(|bad| now.lit(bad.signal)).collect();
        Ok(Inductive { gates: query.gates, search, bad })
    }

    /// Whether good states have none of these properties.
    pub fn excludes(&mut self, properties: &[usize], interrupt: &Interrupt) -> Judgement {
        let ask = |&property: &usize| match self.bad[property] {
            Lit::FALSE => Found::Nothing,
            bad => self.search.solve(&self.gates, &[bad], interrupt),
        };
        let mut answers = properties.iter().map(ask).map(|found| judged("excludes the properties", found));
        answers.find_map(Result::err).unwrap_or(Judgement::Confirmed)
    }
}

/// An error if something was found that should not be there.
fn judged(what: &str, found: Found) -> Result<(), Judgement> {
    match found {
        Found::Nothing => Ok(()),
        Found::Something => Err(Judgement::Refuted(format!("it is not true that it {what}"))),
        Found::NotYet => Err(Judgement::Undecided("time is up".into())),
    }
}

pub(crate) struct Query<'q> {
    pub gates: Gates,
    pub interrupt: &'q Interrupt,
}

impl Query<'_> {
    pub fn solve(&self, assumptions: &[Lit]) -> Found {
        if assumptions.contains(&Lit::FALSE) {
            return Found::Nothing;
        }
        self.search(assumptions).solve(&self.gates, &[], self.interrupt)
    }

    /// A search in which these literals hold.
    fn search(&self, given: &[Lit]) -> Search {
        let mut search = Search::new();
        search.require(&self.gates, given);
        search
    }
}

/// The logic of a circuit over some leaves.
pub(crate) struct Copy(Vec<Lit>);

impl Copy {
    pub fn new(gates: &mut Gates, circuit: &Circuit, inputs: &[Lit], latches: &[Lit]) -> Copy {
        let mut copy = Copy(vec![Lit::FALSE; circuit.gates.nodes().len()]);
        for (input, &lit) in circuit.inputs.iter().zip(inputs) {
            copy.0[input.signal.node()] = lit;
        }
        for (latch, &lit) in circuit.latches.iter().zip(latches) {
            copy.0[latch.signal.node()] = lit;
        }
        for (index, node) in circuit.gates.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node {
                copy.0[index] = gates.and(copy.lit(a), copy.lit(b));
            }
        }
        copy
    }

    pub fn lit(&self, signal: Signal) -> Lit {
        let lit = self.0[signal.node()];
        if signal.is_complemented() { !lit } else { lit }
    }
}
