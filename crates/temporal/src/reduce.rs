//! Automata to smaller ones that accept the same words.
//!
//! States from which nothing is accepted go, and acceptance is asked for only where a run can stay; sets that all
//! transitions of a component belong to, or that follow from others, are not asked for at all; states with the same
//! transitions become one.

use crate::automaton::{Automaton, Marks, Transition};
use crate::scc::Graph;
use redoubt_base::partition::bisimilarity;

/// A smaller automaton that accepts the same words.
pub fn reduce(mut automaton: Automaton) -> Automaton {
    loop {
        let before = (automaton.states.len(), automaton.transitions(), automaton.sets);
        let components = Components::of(&automaton);
        automaton = prune(automaton, &components);
        automaton = simplify_acceptance(automaton);
        automaton = merge(automaton);
        if (automaton.states.len(), automaton.transitions(), automaton.sets) == before {
            return automaton;
        }
    }
}

struct Components {
    /// By state.
    of: Vec<usize>,
    /// Whether some word is accepted from a state on.
    is_useful: Vec<bool>,
    /// By component: whether a run that stays there can be accepted.
    is_accepting: Vec<bool>,
}

impl Components {
    fn of(automaton: &Automaton) -> Components {
        let number = automaton.states.len();
        let graph = Graph {
            nodes: number,
            successors: |state: usize, out: &mut Vec<(usize, Marks)>| {
                out.extend(automaton.states[state].iter().map(|way| (way.target, way.marks)));
            },
        };
        let found = graph.components((number > 0).then_some(0));
        let (mut of, mut is_useful) = (vec![usize::MAX; number], vec![false; number]);
        let mut is_accepting = vec![false; found.len()];
        // A component comes after those that it leads to.
        for (index, one) in found.iter().enumerate() {
            is_accepting[index] = one.is_cyclic && one.has(automaton.all_marks());
            let leads_on = |&state: &usize| automaton.states[state].iter().any(|way| is_useful[way.target]);
            let useful = is_accepting[index] || one.nodes.iter().any(leads_on);
            for &state in &one.nodes {
                (of[state], is_useful[state]) = (index, useful);
            }
        }
        Components { of, is_useful, is_accepting }
    }
}

/// Without states that cannot be reached or lead nowhere, and without marks where no accepted run stays.
fn prune(automaton: Automaton, components: &Components) -> Automaton {
    let mut numbers = vec![usize::MAX; automaton.states.len()];
    let kept: Vec<usize> = (0..automaton.states.len()).filter(|&state| components.is_useful[state]).collect();
    for (number, &state) in kept.iter().enumerate() {
        numbers[state] = number;
    }
    if kept.first() != Some(&0) {
        return Automaton { states: vec![], sets: 0, ..automaton };
    }
    let kept_way = |state: usize, way: &Transition| {
        let stays = components.of[state] == components.of[way.target];
        let counts = stays && components.is_accepting[components.of[state]];
        Transition { target: numbers[way.target], marks: if counts { way.marks } else { 0 }, ..*way }
    };
    let ways = |&state: &usize| {
        let useful = automaton.states[state].iter().filter(|way| components.is_useful[way.target]);
        useful.map(|way| kept_way(state, way)).collect()
    };
    Automaton { states: kept.iter().map(ways).collect(), ..automaton }
}

/// Drops sets that say nothing that others do not: if every transition of one that can be taken for ever is in another,
/// runs that visit the one visit the other.
fn simplify_acceptance(automaton: Automaton) -> Automaton {
    let components = Components::of(&automaton);
    // The transitions that can be taken for ever, also by runs that are not accepted: these must stay so.
    let mut inside = vec![];
    for (state, ways) in automaton.states.iter().enumerate() {
        let component = components.of[state];
        inside.extend(ways.iter().filter(|way| components.of[way.target] == component).map(|way| way.marks));
    }
    inside.sort_unstable();
    inside.dedup();
    let is_in = |set: usize, marks: Marks| marks >> set & 1 == 1;
    let implied = |set: usize, by: usize| inside.iter().all(|&marks| is_in(set, marks) || !is_in(by, marks));
    let mut kept: Vec<usize> = vec![];
    for set in 0..automaton.sets {
        let is_everywhere = inside.iter().all(|&marks| is_in(set, marks));
        let later = (set + 1..automaton.sets).any(|by| implied(set, by));
        if !is_everywhere && !later && !kept.iter().any(|&by| implied(set, by)) {
            kept.push(set);
        }
    }
    let renumber = |marks: Marks| {
        let bits = kept.iter().enumerate().filter(|(_, set)| is_in(**set, marks)).map(|(number, _)| 1 << number);
        bits.fold(0, |marks, bit: Marks| marks | bit)
    };
    let renumbered = |way: &Transition| Transition { marks: renumber(way.marks), ..*way };
    let states = automaton.states.iter().map(|ways| ways.iter().map(renumbered).collect()).collect();
    Automaton { states, sets: kept.len(), ..automaton }
}

/// States with the same transitions become one, and transitions that others cover go.
fn merge(automaton: Automaton) -> Automaton {
    let edges: Vec<Vec<_>> = automaton
        .states
        .iter()
        .map(|ways| ways.iter().map(|way| ((way.cube, way.marks), way.target)).collect())
        .collect();
    let blocks = bisimilarity(&edges, |_| false);
    let number = blocks.iter().max().map_or(0, |&last| last + 1);
    let mut states = vec![vec![]; number];
    for (ways, &block) in automaton.states.iter().zip(&blocks).rev() {
        states[block] = ways.iter().map(|way| Transition { target: blocks[way.target], ..*way }).collect();
    }
    let covers = |one: &Transition, other: &Transition| {
        one.target == other.target && other.marks & !one.marks == 0 && one.cube.covers(other.cube, automaton.alphabet)
    };
    for ways in &mut states {
        ways.sort_unstable();
        ways.dedup();
        let mut kept: Vec<Transition> = vec![];
        for way in std::mem::take(ways) {
            if !kept.iter().any(|known| covers(known, &way)) {
                kept.retain(|known| !covers(&way, known));
                kept.push(way);
            }
        }
        *ways = kept;
    }
    Automaton { states, ..automaton }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Alphabet;
    use crate::normal::Arena;
    use crate::tableau::translate;
    use redoubt_base::Interrupt;

    fn size(text: &str) -> (usize, usize, usize) {
        let formula = crate::parse(text).expect("a formula");
        let mut arena = Arena::default();
        let root = arena.normalise(&formula.root, true);
        let automaton = translate(&arena, root, Alphabet::Free, &Interrupt::default()).expect("it is small");
        let reduced = reduce(automaton);
        (reduced.states.len(), reduced.transitions(), reduced.sets)
    }

    #[test]
    fn automata_are_as_small_as_they_should_be() {
        assert_eq!(size("true"), (1, 1, 0));
        assert_eq!(size("false"), (0, 0, 0));
        assert_eq!(size("a & X !a & X a"), (0, 0, 0));
        assert_eq!(size("G a"), (1, 1, 0));
        assert_eq!(size("G F a & G F b").0, 1);
        assert_eq!(size("G (a -> F b)").0, 2);
        assert_eq!(size("F (a & F b)").0, 3);
        assert_eq!(size("F G a").0, 2);
    }
}
