use std::sync::Arc;
use redoubt::source::{SourceFile, Sources, rers_c};
use redoubt::abstraction::{self, regions::Cuts, translate};
use redoubt::program::Scope;
use redoubt::simulate::Simulator;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let files: Vec<_> = args.iter().map(|p| SourceFile::new(p.clone(), std::fs::read_to_string(p).unwrap())).collect();
    let program = rers_c::load(Arc::new(Sources::new(files))).unwrap_or_else(|_| panic!());
    let mut flow = redoubt::analysis::flow::analyse(&program).unwrap();
    let cuts = Cuts::of(&program, &mut flow);
    let needed = abstraction::needed(&program);
    let parts = cuts.partitions(&flow); let a = translate::translate(&program, &mut flow, parts, &needed).unwrap();
    // concrete run, matching by regions
    let vars: Vec<usize> = (0..program.variables.len()).filter(|&i| needed[i] && program.variables[i].scope == Scope::Global && a.partitions[i].len() > 1).collect();
    println!("{} vars, choices {}", vars.len(), a.choices);
    let key = |s: &Simulator| -> Vec<u16> { vars.iter().map(|&i| a.partitions[i].index_of(s.state().variables[i]) as u16).collect() };
    let mut sim = Simulator::new(&program);
    let mut seen = std::collections::HashSet::new();
    seen.insert(key(&sim));
    let mut frontier = vec![sim.state().clone()];
    let mut reached = std::collections::BTreeMap::new();
    let t = std::time::Instant::now();
    let mut depth = 0; let mut steps = 0u64;
    while !frontier.is_empty() && t.elapsed().as_secs() < 20 {
        depth += 1;
        let mut next = vec![];
        for s in &frontier {
            for &i in &program.inputs[0].alphabet {
                sim.restore(s.clone());
                steps += 1;
                let r = sim.step(&[i]);
                match r.end {
                    Some(redoubt::simulate::End::Error(p, _)) => { reached.entry(p).or_insert(depth); }
                    Some(_) => {}
                    None => if seen.insert(key(&sim)) { next.push(sim.state().clone()); }
                }
            }
        }
        frontier = next;
    }
    println!("{} states {} steps depth {depth} frontier {} reached {} at {:?} in {:?}", seen.len(), steps, frontier.len(), reached.len(), reached.values().collect::<Vec<_>>(), t.elapsed());
}
