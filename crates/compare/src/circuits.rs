//! Two circuits to one with one bad signal: that they differ in an output, a bad state or the steps that their
//! constraints allow.
//!
//! Inputs are the same for both, by their names if all have one, else by their order; so are outputs and bad states.
//! Latches that start uninitialised start alike if they belong together. A step that only one of them allows is a
//! difference, one that neither allows does not exist. A program takes part as the circuit that `encode` writes.

use rustc_hash::FxHashMap;

use super::Likeness;
use super::matching::{Mismatch, Side, Wanted};
use super::observe::{Scene, Seen};
use crate::base::Interrupt;
use crate::blast::Width;
use crate::circuit::aiger::Model;
use crate::circuit::{Bad, Circuit, Node, Reset, Signal, Simulator};
use crate::encode::{self, Simplified};
use crate::engine::Trace;
use crate::hardware::{self, Answer, Finding};
use crate::ledger::Terms;
use crate::program::Program;
use crate::system::passes::Passes;

/// Two circuits in one.
#[derive(Clone, Debug)]
pub struct Miter {
    /// With a single property: they differ.
    pub model: Model,
    /// Per input of the miter: its name, and the corresponding input of each.
    pub inputs: Vec<(String, Option<usize>, Option<usize>)>,
    /// The compared outputs: their names, and the signals of both.
    pub outputs: Vec<(String, Signal, Signal)>,
    pub only: Vec<(Side, String)>,
}

/// The name of the condition that the constraints of a circuit hold.
const ALLOWED: &str = "constraints";

/// The miter of two circuits.
pub fn miter(old: &Model, new: &Model, wanted: &Wanted) -> Result<Miter, Mismatch> {
    let pairs =
        paired(&names(&old.circuit.inputs, |input| &input.name), &names(&new.circuit.inputs, |input| &input.name));
    let mut inputs = vec![];
    for (name, one, other) in pairs {
        if !wanted.common_inputs && (one.is_none() || other.is_none()) {
            let side = if other.is_none() { Side::Old } else { Side::New };
            return Err(Mismatch::Input { side, name });
        }
        inputs.push((name, one, other));
    }
    let (mine, theirs) = (outputs(old), outputs(new));
    let own = |list: &[(String, Signal)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (mut compared, mut only) = (vec![], vec![]);
    for (name, one, other) in paired(&own(&mine), &own(&theirs)) {
        match (one, other) {
            (Some(one), Some(other)) => compared.push((name, mine[one].1, theirs[other].1)),
            (Some(_), None) => only.push((Side::Old, name)),
            _ => only.push((Side::New, name)),
        }
    }
    if !wanted.outputs.is_empty() {
        let known: Vec<&str> = compared.iter().map(|(name, ..)| name.as_str()).collect();
        if let Some(name) = wanted.outputs.iter().find(|name| !known.contains(&name.as_str())) {
            let nearest = crate::base::suggest::nearest(name, known.into_iter());
            let meant = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
            return Err(Mismatch::Output { name: name.clone(), meant });
        }
        compared.retain(|(name, ..)| wanted.outputs.contains(name));
        only.clear();
    }
    if compared.is_empty() {
        return Err(Mismatch::Nothing);
    }
    let circuit = join(&old.circuit, &new.circuit, &inputs, &compared);
    let literals = |first: usize, number: usize| (first..first + number).map(|index| 2 * (index as u32 + 1)).collect();
    let model = Model {
        properties: vec!["b0".into()],
        outputs: vec![],
        justice: vec![],
        fairness: vec![],
        input_literals: literals(0, circuit.inputs.len()),
        latch_literals: literals(circuit.inputs.len(), circuit.latches.len()),
        circuit,
    };
    Ok(Miter { model, inputs, outputs: compared, only })
}

fn names<T>(list: &[T], name: impl Fn(&T) -> &String) -> Vec<String> {
    list.iter().map(|item| name(item).clone()).collect()
}

/// The visible signals of a circuit: outputs and bad states, by symbol or else by number.
fn outputs(model: &Model) -> Vec<(String, Signal)> {
    let named = |number: String, bad: &Bad| (if bad.name.is_empty() { number } else { bad.name.clone() }, bad.signal);
    let bad = model.properties.iter().zip(&model.circuit.bad).map(|(number, bad)| named(number.clone(), bad));
    let others = model.outputs.iter().enumerate().map(|(index, output)| named(format!("o{index}"), output));
    bad.chain(others).collect()
}

/// Things with one name, in the order of the first list; by their places, if not all have names of their own.
fn paired(old: &[String], new: &[String]) -> Vec<(String, Option<usize>, Option<usize>)> {
    let places = |list: &[String]| {
        let places: FxHashMap<String, usize> = list.iter().cloned().enumerate().map(|(at, name)| (name, at)).collect();
        (places.len() == list.len() && !places.contains_key("")).then_some(places)
    };
    let (Some(mine), Some(theirs)) = (places(old), places(new)) else {
        let name = |index: usize| {
            let name = old.get(index).or(new.get(index)).filter(|name| !name.is_empty());
            name.cloned().unwrap_or_else(|| index.to_string())
        };
        let at = |list: &[String], index: usize| (index < list.len()).then_some(index);
        return (0..old.len().max(new.len())).map(|index| (name(index), at(old, index), at(new, index))).collect();
    };
    let both = old.iter().enumerate().map(|(index, name)| (name.clone(), Some(index), theirs.get(name).copied()));
    let rest = new.iter().enumerate().filter(|(_, name)| !mine.contains_key(*name));
    both.chain(rest.map(|(index, name)| (name.clone(), None, Some(index)))).collect()
}

/// A circuit in another one: the counterparts of its signals.
struct Copy(Vec<Signal>);

impl Copy {
    fn at(&self, signal: Signal) -> Signal {
        self.0[signal.node()].complement_if(signal.is_complemented())
    }
}

/// Puts a circuit into another one, over the given inputs.
fn copy(into: &mut Circuit, circuit: &Circuit, side: Side, inputs: &[Signal]) -> Copy {
    let mut copy = Copy(vec![Signal::FALSE; circuit.gates.nodes().len()]);
    for (input, &signal) in circuit.inputs.iter().zip(inputs) {
        copy.0[input.signal.node()] = signal;
    }
    let first = into.latches.len();
    for latch in &circuit.latches {
        copy.0[latch.signal.node()] = into.add_latch(format!("{side}.{}", latch.name), latch.reset);
    }
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            copy.0[index] = into.gates.and(copy.at(a), copy.at(b));
        }
    }
    for (index, latch) in circuit.latches.iter().enumerate() {
        into.latches[first + index].next = copy.at(latch.next);
    }
    copy
}

fn join(
    old: &Circuit,
    new: &Circuit,
    inputs: &[(String, Option<usize>, Option<usize>)],
    outputs: &[(String, Signal, Signal)],
) -> Circuit {
    let mut joint = Circuit::default();
    let (mut mine, mut theirs) = (vec![Signal::FALSE; old.inputs.len()], vec![Signal::FALSE; new.inputs.len()]);
    for (name, one, other) in inputs {
        let signal = joint.add_input(name.clone());
        one.iter().for_each(|&place| mine[place] = signal);
        other.iter().for_each(|&place| theirs[place] = signal);
    }
    let old_copy = copy(&mut joint, old, Side::Old, &mine);
    let new_copy = copy(&mut joint, new, Side::New, &theirs);
    start_alike(&mut joint, old, new, &old_copy, &new_copy);
    let gates = &mut joint.gates;
    let allowed = |gates: &mut crate::circuit::Aig, circuit: &Circuit, copy: &Copy| {
        circuit.constraints.iter().fold(Signal::TRUE, |all, &signal| gates.and(all, copy.at(signal)))
    };
    let (one, other) = (allowed(gates, old, &old_copy), allowed(gates, new, &new_copy));
    let mut any = Signal::FALSE;
    for &(_, mine, theirs) in outputs {
        let differs = gates.xor(old_copy.at(mine), new_copy.at(theirs));
        any = gates.or(any, differs);
    }
    let both = gates.and(one, other);
    let seen = gates.and(both, any);
    let by_one = gates.xor(one, other);
    let differs = gates.or(seen, by_one);
    let either = gates.or(one, other);
    joint.constraints.push(either);
    joint.add_bad("differs", differs);
    joint
}

/// Lets latches that start uninitialised, and belong together, start with the same value.
fn start_alike(joint: &mut Circuit, old: &Circuit, new: &Circuit, old_copy: &Copy, new_copy: &Copy) {
    let free = |circuit: &Circuit| {
        let latches = circuit.latches.iter().filter(|latch| latch.reset == Reset::Free);
        latches.map(|latch| (latch.name.clone(), latch.signal)).collect::<Vec<_>>()
    };
    let (mine, theirs) = (free(old), free(new));
    let own = |list: &[(String, Signal)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut same = Signal::TRUE;
    for (_, one, other) in paired(&own(&mine), &own(&theirs)) {
        let (Some(one), Some(other)) = (one, other) else { continue };
        let differs = joint.gates.xor(old_copy.at(mine[one].1), new_copy.at(theirs[other].1));
        same = joint.gates.and(same, !differs);
    }
    if same != Signal::TRUE {
        let begun = joint.add_latch("begun", Reset::Zero);
        if let Some(latch) = joint.latches.last_mut() {
            latch.next = Signal::TRUE;
        }
        let alike = joint.gates.or(begun, same);
        joint.constraints.push(alike);
    }
}

/// Decides whether two circuits behave alike.
pub fn decide(miter: &Miter, old: &Model, new: &Model, options: &hardware::ModelOptions) -> (Likeness<Trace>, Finding) {
    let memory = || 0;
    let terms = Terms { shortest: Some(&memory), ..Terms::default() };
    let report = hardware::decide(&miter.model, options, &terms, &mut |_| {}).expect("there is no journal");
    let finding = report.findings[0].clone();
    let verdict = match &finding.answer {
        Answer::Reachable { run } => {
            if replay(miter, old, new, run).last().is_some_and(Scene::differs) {
                Likeness::Different { run: run.clone(), is_shortest: finding.is_shortest }
            } else {
                Likeness::Unknown("the two do not differ on the run that was found".into())
            }
        }
        Answer::Unreachable { .. } => Likeness::Equal { is_confirmed: finding.is_confirmed() },
        Answer::Unknown(why) => Likeness::Unknown(why.to_string()),
        Answer::Withdrawn { reason, .. } => {
            Likeness::Unknown(format!("an engine was wrong, and withdrew it: {reason}"))
        }
    };
    (verdict, finding)
}

/// The visible signals of both circuits on a run of the miter, each run by itself.
pub fn replay(miter: &Miter, old: &Model, new: &Model, trace: &Trace) -> Vec<Scene> {
    let word = |&value: &bool| u64::from(value);
    let mut both = [(old, Side::Old), (new, Side::New)].map(|(model, side)| {
        let first = side.of((0, old.circuit.latches.len()));
        let state = &trace.initial[first..first + model.circuit.latches.len()];
        let mut simulator = Simulator::new(&model.circuit, |_| 0);
        simulator.set_state(&state.iter().map(word).collect::<Vec<_>>());
        (simulator, model, side)
    });
    let mut scenes = vec![];
    for (position, values) in trace.inputs.iter().enumerate() {
        for (simulator, model, side) in &mut both {
            if position > 0 {
                simulator.advance();
            }
            let mut inputs = vec![0; model.circuit.inputs.len()];
            for ((_, one, other), value) in miter.inputs.iter().zip(values) {
                if let Some(place) = side.of((one, other)) {
                    inputs[*place] = word(value);
                }
            }
            simulator.evaluate(&inputs);
        }
        let allowed = both.each_ref().map(|(simulator, ..)| simulator.constraints() & 1 == 1);
        let bit = |value: bool| if value { "1" } else { "0" }.to_string();
        let mut seen: Vec<Seen> = miter
            .outputs
            .iter()
            .map(|(name, mine, theirs)| {
                let (one, other) = (both[0].0.values().bit(*mine), both[1].0.values().bit(*theirs));
                Seen {
                    name: name.clone(),
                    old: bit(one),
                    new: bit(other),
                    differs: one != other && allowed == [true; 2],
                }
            })
            .collect();
        if allowed != [true; 2] {
            let shown = |value: bool| if value { "hold" } else { "fail" }.to_string();
            let (name, differs) = (ALLOWED.to_string(), allowed[0] != allowed[1]);
            seen.push(Seen { name, old: shown(allowed[0]), new: shown(allowed[1]), differs });
        }
        let scene = Scene { inputs: values.iter().map(|&value| i32::from(value)).collect(), seen };
        let is_over = scene.differs();
        scenes.push(scene);
        if is_over {
            break;
        }
    }
    scenes
}

/// A program as a circuit that has the inputs of another one, if one of the ways to write it has.
pub fn of_program(program: &Program, other: &Model) -> Result<Model, crate::base::Ended> {
    let full = encode::EncodeOptions::default();
    let reduced = encode::EncodeOptions { width: Width::Reduced, passes: Passes::ALL, ..full };
    let wanted: Vec<&String> = other.circuit.inputs.iter().map(|input| &input.name).collect();
    let mut last = None;
    for options in [full, reduced] {
        let circuit = circuit(program, &options)?;
        let fits = circuit.inputs.iter().map(|input| &input.name).eq(wanted.iter().copied());
        last = Some(circuit);
        if fits {
            break;
        }
    }
    let circuit = last.unwrap_or_default();
    Ok(Model {
        properties: (0..circuit.bad.len()).map(|index| format!("b{index}")).collect(),
        outputs: vec![],
        justice: vec![],
        fairness: vec![],
        input_literals: (0..circuit.inputs.len() as u32).map(|index| 2 * (index + 1)).collect(),
        latch_literals: vec![],
        circuit,
    })
}

fn circuit(program: &Program, options: &encode::EncodeOptions) -> Result<Circuit, crate::base::Ended> {
    let simplified = Simplified::new(program, options)?;
    let blasted = crate::blast::blast_within(&simplified.system, options.width, &Interrupt::default())?;
    Ok(if blasted.circuit.stop == Signal::FALSE { blasted.circuit } else { blasted.circuit.stuttering() })
}
