//! Arbitrary text through the front end for models, the simulator, the printer and the formatter.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use redoubt::base::Random;
use redoubt::program::print;
use redoubt::simulate::Simulator;
use redoubt::languages::gcl;
use redoubt::text::{SourceFile, Sources};

fuzz_target!(|text: &str| {
    let source = SourceFile::new("fuzz.gcl", text);
    let sources = Arc::new(Sources::new(vec![source.clone()]));
    match gcl::load(Arc::clone(&sources)) {
        Ok(program) => {
            let mut simulator = Simulator::new(&program).trace();
            let mut random = Random::new(0);
            for _ in 0..10 {
                let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(&mut random)).collect();
                simulator.step(&inputs);
            }
            print::print(&program);
            let once = gcl::format::format(&source).expect("what loads can be formatted");
            let twice = gcl::format::format(&SourceFile::new("fuzz.gcl", once.clone())).expect("and again");
            assert_eq!(once, twice);
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            errors.render(&sources, false);
        }
    }
});
