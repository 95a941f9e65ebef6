//! IC3 with frames for each location: on random circuits, split by random latches, with and without each of its parts.

use redoubt_base::Limits;
use redoubt_circuit::Circuit;
use redoubt_clauses::sat::Backend;
use redoubt_engine::engine::StateLit;
use redoubt_engine::engine::cfa::{self, Partition, Technique, Techniques};

use super::random::{Random, circuit};
use super::{Context, check_verdict, explicit};

/// Cubes of a few latches, split one after the other.
pub fn partition(circuit: &Circuit, random: &mut Random) -> Partition {
    let mut cubes: Vec<Vec<StateLit>> = vec![vec![]];
    for _ in 0..random.below(5) {
        let split = cubes.swap_remove(random.below(cubes.len()));
        let latch = random.below(circuit.latches.len().max(1));
        if circuit.latches.is_empty() || split.iter().any(|lit| lit.latch() == latch) {
            cubes.push(split);
            continue;
        }
        for value in [true, false] {
            cubes.push(split.iter().copied().chain([StateLit::new(latch, value)]).collect());
        }
    }
    Partition::new(cubes).expect("cubes that were split cover everything")
}

fn agrees(techniques: &Techniques, backend: Backend, seeds: std::ops::Range<u64>, most_latches: usize) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let circuit = circuit(&mut random, most_latches);
        let partition = partition(&circuit, &mut random);
        let context = Context(format!("{techniques:?}, {backend:?}, seed {seed}, {partition:?}, {circuit:?}"));
        let outcome = cfa::check(&circuit, &partition, techniques, backend, &Limits::default(), &mut |_| {});
        for (property, truth) in explicit::shortest(&circuit).into_iter().enumerate() {
            let verdict = &outcome.verdicts[property];
            check_verdict(&circuit, property, verdict, truth);
            assert!(!verdict.is_open(), "property {property} with shortest trace {truth:?} is open");
        }
        drop(context);
    }
}

#[test]
fn frames_for_each_location_decide_small_circuits() {
    agrees(&Techniques::default(), Backend::Cone, 140_000..140_900, 8);
    agrees(&Techniques::default(), Backend::Cadical, 141_000..141_300, 6);
    agrees(&Techniques::default(), Backend::Cone, 142_000..142_200, 12);
}

#[test]
fn every_part_of_it_can_be_left_out() {
    for (number, technique) in Technique::ALL.into_iter().enumerate() {
        let first = 150_000 + 1_000 * number as u64;
        agrees(&Techniques::without(&[technique]), Backend::Cone, first..first + 150, 7);
        assert_eq!(Technique::by_name(technique.name()), Some(technique));
    }
    agrees(&Techniques::without(&[Technique::Jointly, Technique::Carrying]), Backend::Cone, 148_000..148_300, 8);
    agrees(&Techniques::without(&Technique::ALL), Backend::Cone, 149_000..149_150, 5);
}
