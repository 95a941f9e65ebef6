use redoubt_base::{Interrupt, Limits};
use redoubt_engine::engine::{Engine, Verdict};
fn main() {
    let mut args = std::env::args().skip(1);
    let engine = match args.next().unwrap().as_str() {
        "ic3" => Engine::Ic3,
        "bmc" => Engine::Bmc,
        "kind" => Engine::KInduction,
        _ => Engine::Portfolio,
    };
    let seconds: u64 = args.next().unwrap().parse().unwrap();
    for path in args {
        let model = redoubt_circuit::aiger::read(&std::fs::read(&path).unwrap()).unwrap();
        let limits =
            Limits { interrupt: Interrupt::after(std::time::Duration::from_secs(seconds)), ..Limits::default() };
        let t = std::time::Instant::now();
        let outcome = engine.check(&model.circuit, engine.backend(), &limits, &mut |_| {});
        let v = match &outcome.verdicts[0] {
            Verdict::Open => "open",
            Verdict::Reachable(_) => "reachable",
            Verdict::Unreachable(_) => "unreachable",
        };
        let s = &outcome.statistics;
        println!(
            "{:50} {v:12} {:7.2} depth {} lemmas {} lits {} obl {} solves {} conf {} prop {}M ctgs {}",
            path.rsplit('/').next().unwrap(),
            t.elapsed().as_secs_f64(),
            s.depth,
            s.lemmas,
            s.lemma_literals,
            s.obligations,
            s.solves,
            s.conflicts,
            s.propagations / 1000000,
            s.ctgs
        );
        if std::env::var("STATS").is_ok() {
            println!("{s}");
        }
    }
}
