//! Sizes and speed of the encodings, for random programs and for the challenge problems that may lie beside the
//! project. Times include building the system from the program, but not reading it.

// A part of the tools that the tests share.
#[allow(dead_code)]
#[path = "../tests/it/common/mod.rs"]
mod common;

use std::time::Instant;

use common::generate::{self, Shape};
use common::{load_text, problems};
use redoubt_bits::blast::{Width, blast, blast_with_writes};
use redoubt_bits::system::passes::{self, Passes};
use redoubt_bits::system::{self, TransitionSystem};
use redoubt_clauses::cnf::{Cnf, Encoding, Transition, Uses};
use redoubt_program::program::Program;

/// The gates of a program in a plain bit-blaster at 32 bits.
const NAIVE_GATES: [(&str, usize); 4] = [
    ("2012/Problem10.c", 350_760),
    ("2012/Problem11.c", 933_164),
    ("2012/Problem14.c", 461_188),
    ("2014/Problem2.c", 274_927),
];

fn main() {
    println!(
        "{:18} {:>7} {:>6} {:>9} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "program",
        "width",
        "bits",
        "gates",
        "naive",
        "gates/s",
        "full",
        "compact",
        "frame",
        "variables",
        "full/s",
        "comp/s"
    );
    for seed in 0..3 {
        let options = Shape { rules: 40, helpers: 10, variables: 20, ..Shape::default() };
        let program = load_text("random.c", &generate::program(seed, options));
        measure(&format!("random {seed}"), &program);
    }
    for year in ["2012", "2013", "2014", "2015", "2016", "2017", "2018", "2019", "2020"] {
        for problem in problems::collection(year).iter().flat_map(|folder| problems::in_folder(folder)) {
            measure(&format!("{year}/{}", problem.name()), &problem.load());
        }
    }
}

fn measure(name: &str, program: &Program) {
    for (width, passes) in [(Width::Full, Passes::NONE), (Width::Reduced, Passes::ALL)] {
        match system::build(program) {
            Ok(_) => row(name, program, width, passes),
            Err(error) => println!("{name:18} {error}"),
        }
    }
}

fn row(name: &str, program: &Program, width: Width, passes: Passes) {
    let start = Instant::now();
    let system = build(program, passes);
    let blasted = blast(&system, width);
    let seconds = start.elapsed().as_secs_f64();
    let gates = blasted.circuit.live_gates();
    let (full, full_speed) = timed(|| Transition::new(&blasted.circuit, Encoding::Tseitin, Uses::ANY).cnf);
    let (compact, compact_speed) = timed(|| Transition::new(&blasted.circuit, Encoding::Compact, Uses::ANY).cnf);
    let frame = blast_with_writes(&system, width).frame(Encoding::Compact, Uses::ANY).transition.cnf;
    let naive = NAIVE_GATES.iter().find(|(known, _)| *known == name && width == Width::Full);
    let naive = naive.map_or(String::new(), |(_, gates)| gates.to_string());
    println!(
        "{name:18} {:>7} {:>6} {gates:>9} {naive:>9} {:>10.0} {:>9} {:>9} {:>9} {:>9} {:>7.1}M {:>7.1}M",
        format!("{width:?}"),
        blasted.circuit.latches.len(),
        gates as f64 / seconds,
        full.len(),
        compact.len(),
        frame.len(),
        compact.variables(),
        full_speed / 1e6,
        compact_speed / 1e6,
    );
}

fn build(program: &Program, passes: Passes) -> TransitionSystem {
    passes::run(system::build(program).expect("it was built before"), passes, &redoubt_base::Interrupt::default())
        .system
}

/// Clauses, and how many of them are made in a second.
fn timed(encode: impl FnOnce() -> Cnf) -> (Cnf, f64) {
    let start = Instant::now();
    let cnf = encode();
    let speed = cnf.len() as f64 / start.elapsed().as_secs_f64();
    (cnf, speed)
}
