//! The construction of abstractions; that they decide as their models do is tested beside the engines.

use redoubt_circuit::random::Random;

use super::*;
use crate::bits::Bits;
use crate::model::{Node, Sort};
use crate::random::{Shape, model};
use crate::simulate::{Run, Stimulus};
use crate::{Value, read, write};

/// A cell that is never written has any value: `x` is read twice at the same place, in two steps.
const TWICE: &str = "1 sort bitvec 1\n2 sort bitvec 40\n3 sort array 2 1\n4 state 3 memory\n5 next 3 4 4\n6 input 2 at\n\
    7 read 1 4 6\n8 state 1 before\n9 next 1 8 7\n10 state 2 last\n11 next 2 10 6\n12 state 1 started\n13 zero 1\n14 one 1\n\
    15 init 1 12 13\n16 next 1 12 14\n17 eq 1 6 10\n18 neq 1 7 8\n19 and 1 17 18\n20 and 1 19 12\n21 bad 20\n";

/// Without a cell that is followed both reads find what they like; the run is refuted, and says which cell to follow.
#[test]
fn a_run_that_reads_two_values_of_a_cell_names_the_cell() {
    let model = read(TWICE.as_bytes()).expect("well-formed");
    let abstraction = Abstraction::of(&model, 32).expect("2^40 cells");
    assert!(abstraction.model.sorts.iter().all(|sort| matches!(sort, Sort::Bits(_))));
    let zero = |abstraction: &Abstraction| Stimulus {
        states: vec![None; abstraction.model.states.len()],
        inputs: vec![Value::zero(Sort::Bits(40))],
    };
    // The first state is read.
    let mut steps = vec![zero(&abstraction); 2];
    steps[1].states[0] = Some(Value::Bits(Bits::from_bool(true)));
    let run = Run { steps };
    assert_eq!(run.reaches(&abstraction.model, 0), Ok(()));
    let Concrete::Watch(watch) = abstraction.concretize(&model, &run, 0) else { panic!("it is no run of the model") };
    assert!(matches!(model.node(watch.index), Node::Input(0)));
    let finer = abstraction.refined(&model, watch);
    let mut steps = vec![zero(&finer); 2];
    steps[1].states[0] = Some(Value::Bits(Bits::from_bool(true)));
    assert!(Run { steps }.reaches(&finer.model, 0).is_err());
}

/// A single read gives the cell its value.
#[test]
fn a_run_gets_the_cells_that_it_reads() {
    let model = read(TWICE.replace("18 neq 1 7 8", "18 and 1 7 8").as_bytes()).expect("well-formed");
    let abstraction = Abstraction::of(&model, 32).expect("2^40 cells");
    let mut step =
        Stimulus { states: vec![None; abstraction.model.states.len()], inputs: vec![Value::zero(Sort::Bits(40))] };
    step.states[0] = Some(Value::Bits(Bits::from_bool(true)));
    let run = Run { steps: vec![step; 2] };
    let Concrete::Run(run) = abstraction.concretize(&model, &run, 0) else { panic!("it is a run of the model") };
    assert_eq!(run.reaches(&model, 0), Ok(()));
}

/// Initial values over states before, operands first, properties of one bit: all that the reader asks for.
#[test]
fn abstractions_are_well_formed() {
    let mut abstracted = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let shape = Shape { widest: 5, inputs: 2, states: 3, operators: 25, arrays: 2 };
        let model = model(&mut random, shape);
        let Some(mut abstraction) = Abstraction::of(&model, 0) else { continue };
        let is_needed = model.cone(model.roots());
        let reads: Vec<Watch> = (0..model.nodes.len())
            .filter_map(|place| match model.nodes[place] {
                Node::Read { array, index } if is_needed[place] && abstraction.families.is_large(array) => {
                    Some(Watch { array, index, delay: random.below(3) })
                }
                _ => None,
            })
            .collect();
        for watch in reads.into_iter().take(3) {
            abstraction = abstraction.refined(&model, watch);
        }
        let text = write(&abstraction.model);
        read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        abstracted += 1;
    }
    assert!(abstracted > 50, "{abstracted}");
}
