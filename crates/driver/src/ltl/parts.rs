//! Formulas on an over-approximation: the parts of a large program ([`crate::boxes::partition`]).
//!
//! A formula that holds of all runs of the parts holds of the program. A run of theirs that violates a formula is tried
//! on the program: if it is one of it, the formula is violated; otherwise a part on its way has states that do
//! different things, and is divided by the variable that decides about that. So large programs are decided that have
//! too many states, and too many exact boxes; most have few parts, since dead values do not tell these apart.

use rustc_hash::FxHashSet;

use super::acceleration::accelerated;
use super::certificate::Certifier;
use super::lasso::Lasso;
use super::strategy::Handed;
use super::subject::Formulas;
use crate::analysis::Facts;
use crate::analysis::flow::Flow;
use crate::base::{Ended, Limits};
use crate::boxes::partition::PartId;
use crate::boxes::partition::behaviour::{Behaviour, Divided};
use crate::boxes::{Doubt, Order};
use crate::certificate::{Judgement, StateBox};
use crate::engine::Proof;
use crate::explicit::behaviour::{alphabet, check_prints};
use crate::explorer::{Found, States};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;
use crate::simulate::Simulator;
use crate::temporal::machine::{Answer, Builder, Label, Machine, Symbol};
use crate::temporal::properties::Mapping;
use crate::temporal::tableau::Unfinished;
use crate::temporal::{self, Satisfaction, formula};
use crate::witness::Run;

/// Decides formulas on parts.
pub(super) struct OnParts<'d> {
    /// The number of bytes that they may take.
    pub(super) memory: usize,
    pub(super) handed: &'d Handed,
}

/// Walks through steps, in the units of [`Order`].
const EFFORT: u64 = 2_000_000;
/// Exact boxes, which come next, have the other parts of the time.
const SHARES: usize = 2;
/// The number of times that a loop is tried before its states are believed to come back.
const ROUNDS: usize = 3;

impl Strategy<Formulas<'_, '_>> for OnParts<'_> {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn run(&self, ledger: &Ledger<Formulas>, limits: &Limits) -> Result<(), Ended> {
        let Formulas { facts, .. } = ledger.subject();
        let (program, setup) = (facts.program, facts.setup());
        let Ok(alphabet) = alphabet(program) else { return Ok(()) };
        if self.handed.open(ledger).is_empty() {
            return Ok(());
        }
        if check_prints(program).is_err() || setup.end().is_some() || !setup.opening().output.is_empty() {
            return Ok(());
        }
        // Facts about values serve all; only then does a share of the time begin.
        let flow = facts.flow(&limits.interrupt)?;
        let share = limits.share(SHARES);
        let order = Order { wanted: &[], limits: &share, effort: EFFORT, memory: self.memory, doubt: Doubt::Labels };
        let refinement = match Behaviour::new(facts, &order) {
            Ok(Some(behaviour)) => {
                let (hopeless, tried_before) = Default::default();
                Refinement { ledger, handed: self.handed, order, alphabet, flow, behaviour, hopeless, tried_before }
            }
            Ok(None) => {
                ledger.account(|account| account.notes.push("parts: there are too many".into()));
                return Ok(());
            }
            Err(ended) => return if limits.interrupt.is_raised() { Err(ended) } else { Ok(()) },
        };
        refinement.run(limits)
    }
}

/// A step of a run as the machine has it: an input, and its output.
type Expected = (i32, Vec<Symbol>);

/// The result of a run of the parts.
enum Trial {
    Real(Lasso),
    /// It may be none of the program, because states of this part may do different things on an input.
    Doubtful(PartId, i32),
    /// Nothing can be said.
    Unclear,
}

struct Refinement<'r, 'f, 'p> {
    ledger: &'r Ledger<'r, Formulas<'f, 'p>>,
    handed: &'r Handed,
    order: Order<'r>,
    alphabet: Vec<i32>,
    flow: Flow<'p>,
    behaviour: Behaviour<'r>,
    /// Parts and inputs about which no variable decides.
    hopeless: FxHashSet<(PartId, i32)>,
    /// Runs that were followed until their states should have come back: the stem, then the loop, as inputs.
    tried_before: FxHashSet<(Run, Run)>,
}

impl Refinement<'_, '_, '_> {
    fn run(mut self, limits: &Limits) -> Result<(), Ended> {
        let Some(mut found) = self.found() else { return Ok(()) };
        let mut unclear = FxHashSet::default();
        let holding = loop {
            let (doubts, holding) = self.decide_all(&found, &mut unclear);
            if doubts.is_empty() {
                break holding;
            }
            match self.divide_all(doubts) {
                Ok(true) => {}
                // Earlier verdicts are still true.
                Ok(false) | Err(_) => break holding,
            }
            match self.found() {
                Some(finer) => found = finer,
                None => break holding,
            }
        };
        self.prove(&found, &holding, limits)
    }

    /// Looks at every open formula: violations are handed in; the result is where parts are to be divided, and which
    /// formulas hold, as far as time allows.
    fn decide_all(
        &mut self,
        found: &Found,
        unclear: &mut FxHashSet<PropertyId>,
    ) -> (FxHashSet<(PartId, i32)>, Vec<PropertyId>) {
        let machine = found.machine.reduced();
        let (mut doubts, mut holding) = (FxHashSet::default(), vec![]);
        for property in self.handed.open(self.ledger) {
            let formula = &self.ledger.subject().specification.get(property).formula;
            match temporal::check(&machine, formula, &self.order.limits.interrupt) {
                Ok(Satisfaction::Holds) => holding.push(property),
                Ok(Satisfaction::Violated(_)) if unclear.contains(&property) => {}
                Ok(Satisfaction::Violated(run)) => match self.tried(property, &machine, &run) {
                    Trial::Real(lasso) => {
                        self.ledger.reached("parts", property, lasso);
                        self.handed.note(property);
                    }
                    Trial::Doubtful(part, input) => _ = doubts.insert((part, input)),
                    Trial::Unclear => _ = unclear.insert(property),
                },
                Err(Unfinished::Interrupted) => return (FxHashSet::default(), holding),
                Err(Unfinished::TooLarge) => {}
            }
        }
        (doubts, holding)
    }

    /// Divides parts; whether any was, and all is closed again.
    fn divide_all(&mut self, doubts: FxHashSet<(PartId, i32)>) -> Result<bool, Ended> {
        let mut doubts: Vec<(PartId, i32)> = doubts.into_iter().collect();
        doubts.sort_unstable();
        let mut is_new = false;
        for (part, input) in doubts {
            if self.behaviour.state_box(part).is_none() {
                continue;
            }
            match self.behaviour.divide(part, input, &self.order)? {
                Divided::TooMuch => return Ok(false),
                Divided::Not => is_new |= self.hopeless.insert((part, input)),
                Divided::Yes => is_new = true,
            }
        }
        Ok(is_new)
    }

    /// Runs the program on the inputs of a run of the parts.
    fn tried(&mut self, property: PropertyId, machine: &Machine, run: &formula::Lasso<Label>) -> Trial {
        let Formulas { facts, specification, .. } = self.ledger.subject();
        // A round may begin between an input and its outputs, so the symbols after the last one belong to it.
        let rounds = std::iter::repeat_n(run.cycle(), ROUNDS + 1).flatten();
        let steps = self.expected(machine, run.stem().iter().chain(rounds));
        let inputs_of = |labels: &[Label]| labels.iter().filter(|label| machine.is_input(label.symbol())).count();
        let (stem, cycle) = (inputs_of(run.stem()), inputs_of(run.cycle()));
        let mut simulator = Simulator::new(facts.program);
        let mut path = vec![];
        let mut is_as_expected = true;
        for (input, outputs) in &steps[..stem + ROUNDS * cycle] {
            let Some(part) = self.behaviour.locate(&simulator.state().variables) else { return Trial::Unclear };
            path.push((part, *input));
            let step = simulator.step(&[*input]);
            let numbers = step.output.split_whitespace().filter_map(|word| word.parse().ok());
            let symbols = numbers.map(|number: i32| specification.mapping.symbol('o', number));
            is_as_expected = step.end.is_none() && symbols.eq(outputs.iter().map(|&symbol| machine.name(symbol)));
            if !is_as_expected {
                break;
            }
        }
        if is_as_expected {
            let inputs = |steps: &[Expected]| -> Run { steps.iter().map(|(input, _)| vec![*input]).collect() };
            let (stem, cycle) = (inputs(&steps[..stem]), inputs(&steps[stem..stem + cycle]));
            let plain = Lasso { stem, cycle, boxes: vec![] };
            // A loop through boxes is seen to close at once, or not at all; a state may take many rounds to come back. The boxes may
            // be those of later rounds only.
            let closed = Lasso { boxes: self.boxes_around(&path, plain.cycle.len()), ..plain.clone() };
            let later = Lasso { stem: plain.unrolled(ROUNDS - 1), ..closed.clone() };
            let is_real = |lasso: &Lasso| self.ledger.subject().replay(property, lasso).is_some();
            let closed = [closed, later].into_iter().filter(|lasso| !lasso.boxes.is_empty());
            let around = |values: &[i32]| self.behaviour.state_box(self.behaviour.locate(values)?);
            let counting = accelerated(facts, &self.flow, &around, &plain);
            // Most steps are taken to see that nothing repeats, so that is done once only, though other parts may lead to the same run.
            let is_new = self.tried_before.insert((plain.stem.clone(), plain.cycle.clone()));
            if let Some(lasso) = closed.chain(counting).chain(is_new.then_some(plain)).find(is_real) {
                return Trial::Real(lasso);
            }
        }
        let is_doubtful = |&&(part, input): &&(PartId, i32)| {
            let steps = self.behaviour.steps(part).unwrap_or_default();
            let of_input = steps.iter().filter(|step| step.input == input).count();
            of_input > 1 && !self.hopeless.contains(&(part, input))
        };
        let doubtful = path.iter().rev().find(is_doubtful);
        doubtful.map_or(Trial::Unclear, |&(part, input)| Trial::Doubtful(part, input))
    }

    /// The boxes of the last round, if the loop went through the same parts as in the one before; none otherwise.
    fn boxes_around(&self, path: &[(PartId, i32)], length: usize) -> Vec<StateBox> {
        let last = &path[path.len() - length..];
        if path[path.len() - 2 * length..][..length] != *last {
            return vec![];
        }
        let states = States { facts: self.behaviour.facts(), ..States::default() };
        let boxes = last.iter().map(|&(part, _)| Some(states.with_facts(self.behaviour.state_box(part)?)));
        boxes.collect::<Option<_>>().unwrap_or_default()
    }

    /// The steps of some symbols.
    fn expected<'l>(&self, machine: &Machine, labels: impl Iterator<Item = &'l Label>) -> Vec<Expected> {
        let mut steps: Vec<Expected> = vec![];
        for label in labels {
            match (machine.is_input(label.symbol()), steps.last_mut()) {
                (true, _) => steps.push((self.alphabet[label.symbol().index()], vec![])),
                (false, Some((_, outputs))) => outputs.push(label.symbol()),
                (false, None) => {}
            }
        }
        steps
    }

    /// Parts are a proposal: claims that the checker does not confirm are dropped, whether certificates are asked for
    /// or not.
    fn prove(&self, found: &Found, holding: &[PropertyId], limits: &Limits) -> Result<(), Ended> {
        let Formulas { facts, specification, certify, .. } = self.ledger.subject();
        if holding.is_empty() {
            return Ok(());
        }
        let Some(certifier) = Certifier::new(facts, specification, found, &limits.interrupt) else { return Ok(()) };
        for &property in holding {
            limits.interrupt.check()?;
            let checked = certifier.certify(specification, property, &limits.interrupt);
            if checked.judgement == Judgement::Confirmed {
                let proof = Proof::Exhausted { states: found.states.nodes.len() };
                self.ledger.proved("parts", property, proof, certify.then_some(checked));
                self.handed.note(property);
            }
        }
        Ok(())
    }

    /// The parts as a machine, which may do more than the program; `None` if that is too much to be told.
    fn found(&self) -> Option<Found> {
        let Formulas { facts, specification, .. } = self.ledger.subject();
        machine(facts, &self.behaviour, &specification.mapping, &self.alphabet)
    }
}

fn machine(facts: &Facts, behaviour: &Behaviour, mapping: &Mapping, alphabet: &[i32]) -> Option<Found> {
    let first = behaviour.locate(&facts.setup().state().variables)?;
    let others = (0..behaviour.parts()).map(PartId::new).filter(|&part| part != first);
    let boxes: Vec<_> =
        std::iter::once(first).chain(others).filter_map(|part| Some((part, behaviour.state_box(part)?))).collect();
    let mut numbers = vec![usize::MAX; behaviour.parts()];
    boxes.iter().enumerate().for_each(|(number, (part, _))| numbers[part.index()] = number);
    let mut builder = Builder::new(alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
    builder.reserve(boxes.len());
    for (number, (part, _)) in boxes.iter().enumerate() {
        for step in behaviour.steps(*part)? {
            let Some(input) = alphabet.iter().position(|&input| input == step.input) else { continue };
            let (input, next) = (Symbol::new(input), numbers[step.target.index()]);
            let outputs: Vec<Symbol> =
                step.printed.iter().map(|&output| builder.output(&mapping.symbol('o', output))).collect();
            let is_ignored = outputs.is_empty() && step.complains;
            // Whether the state stays the same, and the input is no part of the run, cannot be known of other states
            // than these.
            if is_ignored {
                builder.step(number, input, Answer::Ignores { next });
            }
            if !is_ignored || next != number {
                builder.step(number, input, Answer::Prints { outputs: &outputs, next });
            }
        }
    }
    let boxes: Vec<_> = boxes.into_iter().map(|(_, state_box)| state_box).collect();
    let is_told = boxes.iter().all(|state_box| !state_box.sides.is_empty());
    let boxes = if is_told { boxes } else { vec![] };
    let nodes = builder.nodes().to_vec();
    let states = States { facts: behaviour.facts(), boxes, nodes };
    Some(Found { machine: builder.finish(), states, is_concrete: false, is_complete: true })
}
