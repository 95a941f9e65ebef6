//! The infinite runs of a model, from its text, by visiting all states and all inputs.

use crate::common::aiger::File;

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|index| number >> index & 1 == 1).collect()
}

fn number(bits: &[bool]) -> usize {
    bits.iter().enumerate().map(|(index, &bit)| usize::from(bit) << index).sum()
}

/// The literals that a run which violates a justice property has infinitely often.
pub fn recurring(file: &File, property: usize) -> Vec<usize> {
    [&file.justice[property][..], &file.fairness].concat()
}

/// The states that a model can begin in.
fn first_states(file: &File) -> Vec<usize> {
    let is_first = |&state: &usize| is_reset(file, &bits(state, file.latches.len()));
    (0..1 << file.latches.len()).filter(is_first).collect()
}

fn is_reset(file: &File, state: &[bool]) -> bool {
    let resets = file.latches.iter().zip(file.inputs + 1..);
    state.len() == file.latches.len()
        && resets
            .zip(state)
            .all(|((&[_, reset], variable), &value)| reset == 2 * variable || reset == usize::from(value))
}

/// A step that the constraints allow.
struct Edge {
    from: usize,
    to: usize,
    /// By literal of the property: whether it is true in the step.
    seen: Vec<bool>,
}

/// Whether some run has each literal of a justice property and of fairness infinitely often: whether a set of states that can
/// be reached, and in which each can be reached from each other, has steps with all of them.
pub fn is_violated(file: &File, property: usize) -> bool {
    let literals = recurring(file, property);
    let states = 1 << file.latches.len();
    let mut edges = Vec::new();
    for from in 0..states {
        for inputs in 0..1 << file.inputs {
            let (state, inputs) = (bits(from, file.latches.len()), bits(inputs, file.inputs));
            let step = file.step(&state, &inputs);
            if step.constraints {
                let values = file.values(&state, &inputs);
                let seen = literals.iter().map(|&literal| values(literal)).collect();
                edges.push(Edge { from, to: number(&step.next), seen });
            }
        }
    }
    // By state: the states that can be reached from it, itself included.
    let mut reach: Vec<Vec<bool>> = (0..states).map(|from| (0..states).map(|to| from == to).collect()).collect();
    loop {
        let mut grows = false;
        for edge in &edges {
            let further = reach[edge.to].clone();
            for (known, new) in reach[edge.from].iter_mut().zip(further) {
                grows |= new && !*known;
                *known |= new;
            }
        }
        if !grows {
            break;
        }
    }
    let can_be_reached = |state: usize| first_states(file).into_iter().any(|first| reach[first][state]);
    (0..states).filter(|&state| can_be_reached(state)).any(|state| {
        let is_inside = |other: usize| reach[state][other] && reach[other][state];
        let inside: Vec<&Edge> = edges.iter().filter(|edge| is_inside(edge.from) && is_inside(edge.to)).collect();
        !inside.is_empty() && (0..literals.len()).all(|place| inside.iter().any(|edge| edge.seen[place]))
    })
}

/// Whether a run that begins in a state, makes some steps and then others for ever has all literals infinitely often.
pub fn is_run(file: &File, property: usize, initial: &[bool], stem: &[Vec<bool>], cycle: &[Vec<bool>]) -> bool {
    if !is_reset(file, initial) || cycle.is_empty() {
        return false;
    }
    let mut state = initial.to_vec();
    let mut walk = |steps: &[Vec<bool>]| {
        let mut seen = vec![false; recurring(file, property).len()];
        for inputs in steps {
            let step = file.step(&state, inputs);
            if !step.constraints {
                return None;
            }
            let values = file.values(&state, inputs);
            seen.iter_mut().zip(recurring(file, property)).for_each(|(seen, literal)| *seen |= values(literal));
            state = step.next;
        }
        Some(seen)
    };
    // After as many rounds as there are states, every further one is one of those that come again and again; within as many
    // more, all of these come.
    let rounds = 1 << file.latches.len();
    let mut often = vec![false; recurring(file, property).len()];
    for (round, steps) in std::iter::once(stem).chain(std::iter::repeat_n(cycle, 2 * rounds)).enumerate() {
        let Some(seen) = walk(steps) else { return false };
        if round > rounds {
            often.iter_mut().zip(seen).for_each(|(often, seen)| *often |= seen);
        }
    }
    often.into_iter().all(|often| often)
}

/// The mistake in the AIGER witness of a justice property, if there is one, by the rules of `aigsim`: after the last
/// step the state is an earlier one, and each literal was true since.
pub fn flaw_of_lasso(file: &File, witness: &str) -> Option<String> {
    let lines: Vec<&str> = witness.lines().collect();
    let ["1", property, initial, ref steps @ .., "."] = lines[..] else { return Some("it is not a witness".into()) };
    let property = property.strip_prefix('j').and_then(|number| number.parse::<usize>().ok());
    let Some(property) = property.filter(|&property| property < file.justice.len()) else {
        return Some("it has no justice property of the model".into());
    };
    let values = |line: &str| -> Vec<bool> { line.chars().map(|bit| bit == '1').collect() };
    let mut states = vec![values(initial)];
    if !is_reset(file, &states[0]) {
        return Some("the first state is not a reset state".into());
    }
    let literals = recurring(file, property);
    let mut last_seen = vec![0; literals.len()];
    for (position, line) in steps.iter().enumerate() {
        let inputs = values(line);
        if inputs.len() != file.inputs {
            return Some(format!("step {position} has {} inputs", inputs.len()));
        }
        let step = file.step(&states[position], &inputs);
        if !step.constraints {
            return Some(format!("step {position} violates a constraint"));
        }
        let at = file.values(&states[position], &inputs);
        for (last_seen, &literal) in last_seen.iter_mut().zip(&literals) {
            if at(literal) {
                *last_seen = position + 1;
            }
        }
        states.push(step.next);
    }
    let last = states.pop().expect("there is a first state");
    let Some(start) = states.iter().position(|state| *state == last) else {
        return Some("the last state is none of those before".into());
    };
    let unseen = last_seen.iter().position(|&seen| seen <= start)?;
    Some(format!("literal {} is not seen in the loop", literals[unseen]))
}

/// The mistake in a certificate of layers, if there is one, at every position and for every step from it.
pub fn flaw_of_layers(model: &File, property: usize, certificate: &File) -> Option<&'static str> {
    let literals = recurring(model, property);
    let own = model.latches.len();
    let all = |count: usize| (0..1 << count).map(move |number| bits(number, count));
    // The first layer, from 1 on, that a position is in.
    let rank = |state: &[bool], inputs: &[bool]| certificate.step(state, inputs).bad.iter().position(|&bad| !bad);
    let layer = |place: usize, state: &[bool], inputs: &[bool]| !certificate.step(state, inputs).bad[place];
    for state in all(certificate.latches.len()) {
        for inputs in all(model.inputs) {
            let step = model.step(&state[..own], &inputs);
            if !step.constraints {
                continue;
            }
            let values = model.values(&state[..own], &inputs);
            let mut next = step.next.clone();
            let seen = match literals[..] {
                [literal] => values(literal),
                _ => {
                    let ever: Vec<bool> = literals
                        .iter()
                        .zip(&state[own..])
                        .map(|(&literal, &before)| before || values(literal))
                        .collect();
                    let seen = ever.iter().all(|&ever| ever);
                    next.extend(ever.into_iter().map(|ever| ever && !seen));
                    seen
                }
            };
            let theirs = certificate.step(&state, &inputs);
            if theirs.next != next || !theirs.constraints {
                return Some("it does not step as the model does");
            }
            let now = rank(&state, &inputs);
            let is_first = is_reset(model, &state[..own]) && state[own..].iter().all(|&value| !value);
            if is_first && now.is_none() {
                return Some("a first position is in no layer");
            }
            let Some(now) = now else { continue };
            for later in all(model.inputs).filter(|later| model.step(&next[..own], later).constraints) {
                let stays = layer(now, &next, &later);
                let descends = rank(&next, &later).is_some_and(|rank| rank < now);
                if seen && !descends || !seen && !stays {
                    return Some("a step leads out of a layer");
                }
            }
        }
    }
    None
}
