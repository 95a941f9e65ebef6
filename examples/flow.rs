use std::sync::Arc;
use redoubt::source::{SourceFile, Sources, rers_c};
fn main() {
    let files: Vec<_> = std::env::args().skip(1).map(|p| SourceFile::new(p.clone(), std::fs::read_to_string(&p).unwrap())).collect();
    let program = rers_c::load(Arc::new(Sources::new(files))).unwrap_or_else(|_| panic!());
    let t = std::time::Instant::now();
    let flow = redoubt::analysis::flow::analyse(&program).unwrap();
    println!("{} rounds {:?}", flow.rounds, t.elapsed());
    for (i, v) in program.variables.iter().enumerate() {
        if v.scope == redoubt::program::Scope::Global {
            println!("{} {:?} head {:?} any {:?}", v.name, v.ty, flow.head.get(redoubt::expr::VarId::new(i)), flow.anywhere[i]);
        }
    }
}
