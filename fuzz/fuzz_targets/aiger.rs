//! Arbitrary bytes through the AIGER reader; what it accepts is written, read again, and decided a little.

#![no_main]

use libfuzzer_sys::fuzz_target;
use redoubt::base::Limits;
use redoubt::circuit::aiger::{self, Format};
use redoubt::hardware::{self, ModelOptions};

fuzz_target!(|bytes: &[u8]| {
    let model = match aiger::read(bytes) {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.render("fuzz.aig").is_empty());
            return;
        }
    };
    model.circuit.check().expect("what is read is well-formed");
    for format in [Format::Ascii, Format::Binary] {
        let mut written = Vec::new();
        aiger::write(&mut written, &model.circuit, format, "").expect("a vector takes all");
        let again = aiger::read(&written).expect("what is written can be read");
        assert_eq!(again.circuit.latches.len(), model.circuit.latches.len());
        assert_eq!(again.circuit.bad.len(), model.circuit.bad.len());
    }
    if model.circuit.gates.nodes().len() < 200 {
        hardware::check(&model, &ModelOptions { limits: Limits::depth(3), ..ModelOptions::default() }, |_| {});
    }
});
