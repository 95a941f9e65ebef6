//! How the time for the project's models grows with their size: `cargo bench --bench models`.
//!
//! Each model has a constant at its top that says how large it is; here it is turned up step by step until a check takes
//! longer than a limit.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use redoubt::base::Interrupt;
use redoubt::base::Limits;
use redoubt::check::{self, Options};
use redoubt::program::PropertyKind;
use redoubt::source::gcl;
use redoubt::text::{SourceFile, Sources};

/// A model, its constant, and the values to try.
const GROWING: &[(&str, &str, &[i32])] = &[
    ("elevator", "TOP", &[3, 5, 8, 12, 16, 24]),
    ("traffic_light", "MIN_GREEN", &[3, 6, 12, 24, 48]),
    ("railway_crossing", "GATE", &[2, 4, 8, 16, 32]),
    ("mutual_exclusion", "PROCESSES", &[2, 3, 4, 5]),
    ("bounded_buffer", "SIZE", &[2, 3, 4, 6, 8]),
    ("thermostat", "REST", &[2, 3, 4, 5, 6]),
    ("airlock", "FULL", &[3, 6, 12, 24]),
];

const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    println!("{:18} {:>10} {:>8} {:>8} {:>9}", "model", "size", "latches", "gates", "seconds");
    for (name, constant, sizes) in GROWING {
        for &size in *sizes {
            if !measure(name, constant, size) {
                break;
            }
        }
    }
}

/// Checks a model of one size; false if that took too long.
fn measure(name: &str, constant: &str, size: i32) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("problems/gcl/{name}.gcl"));
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let resized = resize(&text, constant, size);
    let sources = Arc::new(Sources::new(vec![SourceFile::new(name, resized)]));
    let program = match gcl::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    };
    let all = (0..program.properties.len()).map(redoubt::program::PropertyId::new);
    let options = Options {
        limits: Limits { interrupt: Interrupt::after(LIMIT), ..Limits::default() },
        properties: Some(all.filter(|&id| program.property(id).kind != PropertyKind::Lint).collect()),
        ..Options::default()
    };
    let report = check::check(&program, &options, |_| {}).expect("small enough");
    let open = report.findings.iter().filter(|finding| finding.answer.is_unknown()).count();
    let (sizes, seconds) = (&report.sizes, report.elapsed.as_secs_f64());
    let remark = if open > 0 { format!("  {open} open") } else { String::new() };
    let size = format!("{constant} {size}");
    println!("{name:18} {size:>10} {:>8} {:>8} {seconds:>9.2}{remark}", sizes.latches, sizes.gates);
    open == 0
}

/// The text with another value of a constant.
fn resize(text: &str, constant: &str, size: i32) -> String {
    let head = format!("const {constant} = ");
    let line = |line: &str| match line.strip_prefix(&head) {
        Some(_) => format!("{head}{size}\n"),
        None => format!("{line}\n"),
    };
    assert!(text.contains(&head), "the model has a constant {constant}");
    text.lines().map(line).collect()
}
