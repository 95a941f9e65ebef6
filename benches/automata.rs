//! IC3 with frames for each location, without each of its parts, and beside IC3 with one sequence of frames:
//! `cargo bench --bench automata`, for the project's sequential programs, or `-- SECONDS FOLDER...` for others.
//!
//! A line for each variant: the verdicts on `reach_error` within the limit, questions to solvers, obligations, lemmas,
//! literals in lemmas, and seconds of processor time. A question that takes longer than the limit is cut off, so counts
//! are of the work until then; those of programs that all variants decide are given apart.

#[path = "common/folders.rs"]
mod folders;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use redoubt_base::{Interrupt, Limits};
use redoubt_driver::check::{self, CheckOptions, Means};
use redoubt_driver::ledger::Terms;
use redoubt_engine::engine::Statistics;
use redoubt_engine::engine::cfa::{Technique, Techniques};
use redoubt_languages::c;
use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};

fn main() {
    let mut seconds = 5;
    let mut folders = vec![];
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        match word.parse() {
            Ok(number) => seconds = number,
            Err(_) => folders.push(PathBuf::from(word)),
        }
    }
    let files = folders::programs(folders);
    let programs: Vec<Program> = files.iter().filter_map(|path| load(path)).collect();

    let mut variants: Vec<Variant> = vec![
        Variant { name: "ic3".into(), means: Means::Circuit, without: vec![], relations: false },
        Variant { name: "relations".into(), means: Means::Relations, without: vec![], relations: true },
        Variant { name: "cfa".into(), means: Means::Cfa, without: vec![], relations: true },
        Variant { name: "without relations".into(), means: Means::Cfa, without: vec![], relations: false },
    ];
    for technique in Technique::ALL {
        let name = format!("... and without {}", technique.name());
        variants.push(Variant { name, means: Means::Cfa, without: vec![technique], relations: false });
    }
    let results: Vec<Vec<Tried>> = variants
        .iter()
        .map(|variant| programs.iter().map(|program| tried(program, variant, seconds)).collect())
        .collect();
    let by_all: Vec<usize> =
        (0..programs.len()).filter(|&index| results.iter().all(|list| list[index].is_decided)).collect();
    println!("{} programs, {seconds} s each; {} are decided by all", programs.len(), by_all.len());
    println!(
        "{:<26}{:>8}{:>9} | by all: {:>8}{:>12}{:>8}{:>10}",
        "", "decided", "s", "solves", "obligations", "lemmas", "literals"
    );
    for (Variant { name, .. }, list) in variants.iter().zip(&results) {
        let decided = list.iter().filter(|tried| tried.is_decided).count();
        let time: f64 = list.iter().map(|tried| tried.seconds).sum();
        let mut common = Statistics::default();
        by_all.iter().for_each(|&index| common.add(&list[index].statistics));
        println!(
            "{name:<26}{decided:>8}{time:>9.1} |         {:>8}{:>12}{:>8}{:>10}",
            common.solves, common.obligations, common.lemmas, common.lemma_literals
        );
    }
}

struct Variant {
    name: String,
    means: Means,
    without: Vec<Technique>,
    relations: bool,
}

struct Tried {
    is_decided: bool,
    seconds: f64,
    statistics: Statistics,
}

fn tried(program: &Program, variant: &Variant, seconds: u64) -> Tried {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(seconds)), ..Limits::default() };
    let wanted = program.properties.iter().position(|property| property.name == "reach_error");
    let properties = wanted.map(|index| vec![redoubt_program::program::PropertyId::new(index)]);
    let techniques = Techniques::without(&variant.without);
    let options =
        CheckOptions { limits, properties, techniques, relations: variant.relations, ..CheckOptions::default() };
    let report = check::decide(program, variant.means, &options, &Terms::default(), &mut |_| {}).expect("no journal");
    Tried {
        is_decided: report.findings.iter().all(|finding| !finding.answer.is_unknown()),
        seconds: report.elapsed.as_secs_f64(),
        statistics: report.statistics,
    }
}

fn load(path: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(path).ok()?;
    c::load(Arc::new(Sources::new(vec![SourceFile::new(path.display().to_string(), text)]))).ok()
}
