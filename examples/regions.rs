use std::sync::Arc;
use redoubt::source::{SourceFile, Sources, rers_c};
use redoubt::program::PropertyId;
use redoubt::abstraction::{self, Found};
fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let secs: u64 = args.remove(0).parse().unwrap();
    let files: Vec<_> = args.iter().map(|p| SourceFile::new(p.clone(), std::fs::read_to_string(p).unwrap())).collect();
    let program = rers_c::load(Arc::new(Sources::new(files))).unwrap_or_else(|_| panic!());
    let t = std::time::Instant::now();
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let limits = redoubt::engine::Limits { interrupt: redoubt::sat::Interrupt::after(std::time::Duration::from_secs(secs)), ..Default::default() };
    let (mut r, mut u) = (0, 0);
    let mut out = vec![];
    let mut hear = |p: PropertyId, f: Found| {
        match f {
            Found::Reachable(inputs) => { r += 1; out.push((p, format!("reachable {}", inputs.len()))); let e = redoubt::check::replay(&program, &inputs); 
              assert!(matches!(e, Some((redoubt::simulate::End::Error(q, _), n)) if q == p && n == inputs.len())); }
            Found::Unreachable(_) => { u += 1; out.push((p, "unreachable".into())) }
        }
    };
    let stats = if std::env::var_os("IC3").is_some() { abstraction::check(&program, &wanted, &limits, &mut hear) } else { abstraction::explore::explore(&program, &wanted, &limits, &mut hear) }.unwrap();
    println!("{} {r} reachable {u} unreachable of {} in {:?} {stats:?}", args[0], wanted.len(), t.elapsed());
    if std::env::var_os("SHOW").is_some() { for (p, s) in out { println!("{} {s}", program.property(p).name); } }
}
