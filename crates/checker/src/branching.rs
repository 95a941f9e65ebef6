//! Certificates of formulas of branching time about circuits, checked one step at a time by a fresh solver on clauses of its own.
//!
//! A *state* is a position of a run: values of all latches, and of all inputs but those that are *free*, which a step chooses for itself.
//! For each part of the formula, in terms of EX, EU and EG ([`basis`](redoubt_formula::basis)), the certificate has sets of states. In
//! some of them the part holds, in others it does not:
//!
//! ```text
//! E[f U g]  holds    g holds, or f does and these inputs lead into an earlier set
//!           fails    g fails, and f fails or every step leads into this set or an earlier one
//! EG f      holds    f holds, and these inputs lead into one of the sets
//!           fails    f fails, or every step leads into an earlier set
//! EX f      holds    these inputs lead to where f holds
//!           fails    every step leads to where f fails
//! ```
//!
//! Where f holds is at least where the sets of f say so, and no set of "fails" may be counted on before it was checked: parts come after
//! those that they consist of. At last, every first state must be in sets in which the formula holds.
//!
//! Steps lead to states at which the constraints hold and the run goes on. If a run goes on from every such state, which some inputs
//! show, all of them count; otherwise those do in which EG true holds, and that is a part like others.
//!
//! Free inputs must be of no matter: nothing depends on them; or the formula is `AG EF m` and neither m nor the constraints depend on
//! them. Then each state that a run reaches must have a way to m, whatever is chosen in it, and the choice of the inputs is free.

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;
use redoubt_circuit::liveness::watched;
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_formula::Branching;
use redoubt_formula::basis::{Basis, Id, Kind};

use crate::Judgement;
use crate::circuit::{Copy, Query};
use crate::encode::{Gates, Lit};
use crate::search::Found;

/// States in which a part of the formula holds, and the inputs with which a run goes on; without them nothing is left to show.
#[derive(Clone, Debug)]
pub struct Holds {
    pub states: Signal,
    pub inputs: Option<Vec<bool>>,
}

/// The claims about a part of the formula.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub holds: Vec<Holds>,
    pub fails: Vec<Signal>,
}

#[derive(Clone, Debug)]
pub struct Certificate {
    /// Inputs and latches as in the model; its signals are sets of states.
    pub sets: Circuit,
    /// By the number of the part.
    pub parts: Vec<Part>,
    /// By input: whether it is part of the state.
    pub remembers: Vec<bool>,
    /// Inputs of which one leads on from each state; `None` if some states have no successor.
    pub total: Option<Vec<Vec<bool>>>,
}

/// Whether a certificate shows that a formula holds at all first positions from which a run goes on for ever.
pub fn confirm(
    model: &Circuit,
    formula: &Branching<Signal>,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Judgement {
    if let Some(why) = malformed(model, formula, certificate) {
        return Judgement::Refuted(why);
    }
    let mut basis = Basis::new(certificate.total.is_some());
    let root = basis.root(formula);
    let mut check = Check { model, certificate, basis, query: Query { gates: Gates::default(), interrupt } };
    match check.all(root) {
        Ok(()) => Judgement::Confirmed,
        Err(judgement) => judgement,
    }
}

fn malformed(model: &Circuit, formula: &Branching<Signal>, certificate: &Certificate) -> Option<String> {
    let Certificate { sets, remembers, total, parts } = certificate;
    if sets.inputs.len() != model.inputs.len() || sets.latches.len() != model.latches.len() {
        return Some("the inputs and latches are not those of the model".into());
    }
    let choices = parts.iter().flat_map(|part| part.holds.iter().filter_map(|holds| holds.inputs.as_ref()));
    let mut choices = choices.chain(total.iter().flatten());
    if remembers.len() != model.inputs.len() || choices.any(|inputs| inputs.len() != model.inputs.len()) {
        return Some("the inputs are not those of the model".into());
    }
    let atoms: Vec<Signal> = formula.atoms().into_iter().copied().collect();
    let mut roots: Vec<Signal> = atoms.iter().copied().chain(model.constraints.iter().copied()).collect();
    roots.push(model.stop);
    if !formula.is_resettable() {
        let live = watched(model, &atoms);
        roots.extend(model.latches.iter().zip(live).filter(|(_, live)| *live).map(|(latch, _)| latch.next));
    }
    let of_model = model.gates.mark_cone(roots);
    let of_sets = sets.gates.mark_cone(parts.iter().flat_map(|part| {
        part.holds.iter().map(|holds| holds.states).chain(part.fails.iter().copied()).collect::<Vec<_>>()
    }));
    let matters =
        |input: usize| of_model[model.inputs[input].signal.node()] || of_sets[sets.inputs[input].signal.node()];
    let free = (0..remembers.len()).find(|&input| !remembers[input] && matters(input));
    free.map(|input| format!("input {input} is not part of the state, and matters"))
}

struct Check<'c> {
    model: &'c Circuit,
    certificate: &'c Certificate,
    basis: Basis<Signal>,
    query: Query<'c>,
}

/// A state in terms of literals: the model and the sets there.
struct State {
    model: Copy,
    sets: Copy,
    /// The constraints hold and the run goes on.
    ok: Lit,
    inputs: Vec<Lit>,
    latches: Vec<Lit>,
}

impl Check<'_> {
    fn state(&mut self, inputs: Vec<Lit>, latches: Vec<Lit>) -> State {
        let gates = &mut self.query.gates;
        let model = Copy::new(gates, self.model, &inputs, &latches);
        let sets = Copy::new(gates, &self.certificate.sets, &inputs, &latches);
        let mut goes_on: Vec<Lit> = self.model.constraints.iter().map(|&signal| model.lit(signal)).collect();
        goes_on.push(!model.lit(self.model.stop));
        let ok = gates.all(&goes_on);
        State { model, sets, ok, inputs, latches }
    }

    /// The state after a step; with given inputs if there are some.
    fn after(&mut self, state: &State, inputs: Option<&[bool]>) -> State {
        let remembers = &self.certificate.remembers;
        let here: Vec<Lit> = match inputs {
            // Values that are not part of the state are chosen by the step.
            Some(chosen) => {
                let lits = state.inputs.iter().zip(chosen).zip(remembers);
                lits.map(|((&lit, &value), &remembers)| if remembers { lit } else { Lit::constant(value) }).collect()
            }
            None => state.inputs.clone(),
        };
        let next: Vec<Lit> = if here == state.inputs {
            self.model.latches.iter().map(|latch| state.model.lit(latch.next)).collect()
        } else {
            let copy = Copy::new(&mut self.query.gates, self.model, &here, &state.latches);
            self.model.latches.iter().map(|latch| copy.lit(latch.next)).collect()
        };
        let later = (0..self.model.inputs.len()).map(|input| match inputs {
            Some(chosen) if remembers[input] => Lit::constant(chosen[input]),
            _ => self.query.gates.fresh(),
        });
        let later = later.collect();
        self.state(later, next)
    }

    fn any_state(&mut self) -> State {
        let (inputs, latches) = (self.model.inputs.len(), self.model.latches.len());
        let mut leaves = |count: usize| (0..count).map(|_| self.query.gates.fresh()).collect::<Vec<Lit>>();
        let (inputs, latches) = (leaves(inputs), leaves(latches));
        self.state(inputs, latches)
    }

    /// Nothing of this kind exists, or the check fails for this reason.
    fn refute(&mut self, wrong: &[Lit], what: &str) -> Result<(), Judgement> {
        match self.query.solve(wrong) {
            Found::Nothing => Ok(()),
            Found::Something => Err(Judgement::Refuted(format!("it is not true that {what}"))),
            Found::NotYet => Err(Judgement::Undecided("time is up".into())),
        }
    }

    /// Where a part is known to hold, and where it is known not to.
    fn bounds(&mut self, of: Id, at: &State) -> (Lit, Lit) {
        grow(|| match self.basis.parts[of] {
            Kind::Constant(value) => (Lit::constant(value), Lit::constant(!value)),
            Kind::Atom(signal) => (at.model.lit(signal), !at.model.lit(signal)),
            Kind::Not(inner) => {
                let (yes, no) = self.bounds(inner, at);
                (no, yes)
            }
            Kind::And(a, b) => {
                let (a, b) = (self.bounds(a, at), self.bounds(b, at));
                (self.query.gates.and(a.0, b.0), self.query.gates.or(a.1, b.1))
            }
            Kind::Or(a, b) => {
                let (a, b) = (self.bounds(a, at), self.bounds(b, at));
                (self.query.gates.or(a.0, b.0), self.query.gates.and(a.1, b.1))
            }
            Kind::Next(_) | Kind::Until(..) | Kind::Globally(_) => {
                (self.holding(of, usize::MAX, at), self.failing(of, usize::MAX, at))
            }
        })
    }

    /// The first sets in which a part holds, as many as are asked for.
    fn holding(&mut self, part: Id, first: usize, at: &State) -> Lit {
        let sets = self.certificate.parts.get(part).map_or(&[][..], |part| &part.holds);
        let lits: Vec<Lit> = sets.iter().take(first).map(|holds| at.sets.lit(holds.states)).collect();
        self.query.gates.any(&lits)
    }

    fn failing(&mut self, part: Id, first: usize, at: &State) -> Lit {
        let sets = self.certificate.parts.get(part).map_or(&[][..], |part| &part.fails);
        let lits: Vec<Lit> = sets.iter().take(first).map(|&states| at.sets.lit(states)).collect();
        self.query.gates.any(&lits)
    }

    fn all(&mut self, root: Id) -> Result<(), Judgement> {
        let state = self.any_state();
        // Where everything is allowed, every step leads on.
        let is_free = self.query.solve(&[!state.ok]) == Found::Nothing;
        if let (Some(choices), false) = (&self.certificate.total, is_free) {
            let mut stuck = vec![state.ok];
            for inputs in choices {
                let after = self.after(&state, Some(inputs));
                stuck.push(!after.ok);
            }
            self.refute(&stuck, "every run goes on")?;
        }
        for part in 0..self.basis.parts.len().min(self.certificate.parts.len()) {
            self.holds(part, &state)?;
            self.fails(part, &state)?;
        }
        let mut wrong = vec![state.ok];
        for (latch, &lit) in self.model.latches.iter().zip(&state.latches) {
            match latch.reset {
                Reset::Zero => wrong.push(!lit),
                Reset::One => wrong.push(lit),
                Reset::Free => {}
            }
        }
        let (holds, _) = self.bounds(root, &state);
        wrong.push(!holds);
        self.refute(&wrong, "the formula holds in every first state")
    }

    fn holds(&mut self, part: Id, state: &State) -> Result<(), Judgement> {
        let certificate = self.certificate;
        for (number, Holds { states, inputs }) in certificate.parts[part].holds.iter().enumerate() {
            let inside = state.sets.lit(*states);
            let after = inputs.as_ref().map(|inputs| self.after(state, Some(inputs)));
            let shown = match (self.basis.parts[part], &after) {
                (Kind::Until(_, g), None) => self.bounds(g, state).0,
                (Kind::Until(f, _), Some(after)) => {
                    let parts = [self.bounds(f, state).0, after.ok, self.holding(part, number, after)];
                    self.query.gates.all(&parts)
                }
                (Kind::Globally(f), Some(after)) => {
                    let parts = [self.bounds(f, state).0, after.ok, self.holding(part, usize::MAX, after)];
                    self.query.gates.all(&parts)
                }
                (Kind::Next(f), Some(after)) => {
                    let parts = [after.ok, self.bounds(f, after).0];
                    self.query.gates.all(&parts)
                }
                _ => Lit::FALSE,
            };
            self.refute(&[state.ok, inside, !shown], &format!("part {part} holds in its set {number}"))?;
        }
        Ok(())
    }

    fn fails(&mut self, part: Id, state: &State) -> Result<(), Judgement> {
        let certificate = self.certificate;
        let fails = &certificate.parts[part].fails;
        if fails.is_empty() {
            return Ok(());
        }
        let after = self.after(state, None);
        for (number, &states) in fails.iter().enumerate() {
            let what = format!("part {part} fails in its set {number}");
            let (inside, earlier) = (state.sets.lit(states), self.failing(part, number, state));
            let here = [state.ok, inside, !earlier];
            let left = match self.basis.parts[part] {
                Kind::Until(f, g) => {
                    let maybe = !self.bounds(g, state).1;
                    self.refute(&[&here[..], &[maybe]].concat(), &what)?;
                    [!self.bounds(f, state).1, !self.failing(part, number + 1, &after)]
                }
                Kind::Globally(f) => [!self.bounds(f, state).1, !self.failing(part, number, &after)],
                Kind::Next(f) => [Lit::constant(true), !self.bounds(f, &after).1],
                _ => return Err(Judgement::Refuted(what)),
            };
            self.refute(&[&here[..], &left, &[after.ok]].concat(), &what)?;
        }
        Ok(())
    }
}
