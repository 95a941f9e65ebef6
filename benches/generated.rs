//! The growth of our time with the size and kind of generated programs: `cargo bench --bench generated`.
//!
//! Three programs of each size and kind, in the form of 2019, with all engines; seconds and undecided properties are sums.
//! Then large ones with less and more garbage and copies than usual.
//! A number behind `--` is the limit in seconds for one program, 20 if there is none.

use std::sync::Arc;
use std::time::{Duration, Instant};

use redoubt::check;
use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_generate::{self as generate, Dialect, GenerateOptions, Kind, Size};
use redoubt_languages::rers;
use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};

const PROGRAMS: u64 = 3;
const MEMORY: usize = 500 << 20;

fn main() {
    let limit = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(20);
    println!(
        "{:8} {:12} {:>7} {:>7} {:>7} {:>7} {:>10} {:>9} {:>9} {:>9}",
        "size", "kind", "garbage", "copies", "lines", "states", "properties", "longest", "undecided", "seconds"
    );
    let limit = Duration::from_secs(limit);
    for size in Size::ALL {
        Kind::ALL.into_iter().for_each(|kind| measure(size, kind, None, limit));
    }
    for (garbage, copies) in [(0, 0), (0, 24), (48, 0), (96, 48)] {
        Kind::ALL.into_iter().for_each(|kind| measure(Size::Large, kind, Some([garbage, copies]), limit));
    }
}

fn measure(size: Size, kind: Kind, more: Option<[usize; 2]>, limit: Duration) {
    let [garbage, copies] = more.map_or([None, None], |more| more.map(Some));
    let (mut lines, mut states, mut properties, mut longest) = (0, 0, 0, 0);
    let (mut undecided, mut time) = (0, Duration::ZERO);
    for seed in 1..=PROGRAMS {
        let options = GenerateOptions { garbage, copies, ..GenerateOptions::new(seed, size, kind, Dialect::Y2019) };
        let problem = generate::generate(&options).expect("a good program");
        lines += problem.text.lines().count();
        states += problem.machine.states;
        properties += problem.answers.len();
        let lengths = problem.answers.iter().filter_map(|(_, witness)| Some(witness.as_ref()?.len()));
        longest = lengths.max().unwrap_or(0).max(longest);
        let program = load(&problem.file, &problem.text);
        let start = Instant::now();
        let limits = Limits { interrupt: Interrupt::after(limit), ..Limits::default() };
        let options = check::CheckOptions { limits, memory: MEMORY, ..check::CheckOptions::default() };
        let report = check::check_together(&program, &options, |_| {});
        time += start.elapsed();
        undecided += report.map_or(problem.answers.len(), |report| {
            report.findings.iter().filter(|finding| finding.answer.is_unknown()).count()
        });
    }
    let [garbage, copies] = [garbage, copies].map(|number| number.map_or("usual".into(), |number| number.to_string()));
    println!(
        "{:8} {:12} {garbage:>7} {copies:>7} {lines:>7} {states:>7} {properties:>10} {longest:>9} {undecided:>9} {:>9.2}",
        size.name(),
        kind.name(),
        time.as_secs_f64()
    );
}

fn load(name: &str, text: &str) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new(name, text)]));
    match rers::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}
