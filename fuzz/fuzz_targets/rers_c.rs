//! Arbitrary text through the front end, the simulator and the printer.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use redoubt::program::print;
use redoubt::simulate::Simulator;
use redoubt::languages::rers;
use redoubt::text::{SourceFile, Sources};

fuzz_target!(|text: &str| {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("fuzz.c", text)]));
    match rers::load(Arc::clone(&sources)) {
        Ok(program) => {
            let mut simulator = Simulator::new(&program).trace();
            for input in program.inputs[0].alphabet.iter().take(10) {
                simulator.step(&[input]);
            }
            print::print(&program);
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            errors.render(&sources, false);
        }
    }
});
