//! The value of deciding all labels in one run: the time of one shared run against one run per label.
//!
//! Runs on the project's own problems, and on the plain problems of a collection of real ones where it lies
//! beside the project: `cargo bench --bench sharing`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_driver::check::{CheckOptions, check};
use redoubt_languages::rers;
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::text::{SourceFile, Sources};

/// Problems without arithmetic, which IC3 decides completely.
const PLAIN: [&str; 10] = [
    "2012/Problem1.c",
    "2012/Problem2.c",
    "2012/Problem3.c",
    "2012/Problem4.c",
    "2013/Problem28.c",
    "2014/Problem1.c",
    "2016/Problem10.c",
    "2018/Problem10.c",
    "2019/Problem11.c",
    "2020/Problem11.c",
];

const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = ["lift2012.c", "lock2012.c", "mixer2017.c", "signal2018.c"].map(|name| format!("problems/rers/{name}"));
    let collection = PLAIN.map(|name| format!("../shared/bench/rers/{name}"));
    println!("{:28} {:>6} {:>5} {:>10} {:>12} {:>6}", "problem", "labels", "open", "shared", "one by one", "ratio");
    for name in own.iter().chain(&collection) {
        let path = project.join(name);
        if path.exists() {
            compare(name, path);
        }
    }
}

fn compare(name: &str, path: PathBuf) {
    let Some(program) = load(&path) else {
        println!("{name}: cannot be read");
        return;
    };
    let (open, shared) = run(&program, None);
    let singly: Duration =
        (0..program.properties.len()).map(|index| run(&program, Some(vec![PropertyId::new(index)])).1).sum();
    let short: Vec<&str> = name.rsplit('/').take(2).collect();
    println!(
        "{:28} {:>6} {:>5} {:>8.3} s {:>10.3} s {:>6.1}",
        format!("{}/{}", short[1], short[0]),
        program.properties.len(),
        open,
        shared.as_secs_f64(),
        singly.as_secs_f64(),
        singly.as_secs_f64() / shared.as_secs_f64(),
    );
}

fn load(path: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(path).ok()?;
    rers::load(Arc::new(Sources::new(vec![SourceFile::new(path.to_string_lossy(), text)]))).ok()
}

/// The number of open properties, and the time it took.
fn run(program: &Program, properties: Option<Vec<PropertyId>>) -> (usize, Duration) {
    let limits = Limits { interrupt: Interrupt::after(LIMIT), ..Limits::default() };
    let start = Instant::now();
    let report = check(program, &CheckOptions { properties, limits, ..CheckOptions::default() }, |_| {});
    let open = report.map_or(program.properties.len(), |report| {
        report.findings.iter().filter(|finding| finding.answer.is_unknown()).count()
    });
    (open, start.elapsed())
}
