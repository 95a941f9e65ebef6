//! Certificates: those that are right are accepted, those that are wrong by no way of checking.
//!
//! Correctness is judged by exhaustive search of small programs and by running single steps from states of the
//! invariant. `REDOUBT_PROGRAMS=500 cargo test --release --test it certificates::` tries more programs.

use std::time::Duration;

use cadical_sys::{CaDiCal, Status};
use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_base::Random;
use redoubt_boxes::abstraction::{Found, Order, prove};
use redoubt_checker::encode::bits::Bits;
use redoubt_checker::encode::regions::Regions;
use redoubt_checker::encode::{self, Domain, Lit, Word};
use redoubt_checker::{
    Certificate, Checked, Fact, Judgement, Literal, NumberSet, Progression, StateBox, execute, solve, text,
};
use redoubt_driver::check::{self, Answer, CheckOptions, Report};
use redoubt_engine::engine::Engine;
use redoubt_facts::analysis::Facts;
use redoubt_program::expr::{InputId, VarId};
use redoubt_program::program::{Place, Program, PropertyId, Scope};
use redoubt_program::simulate::Simulator;

use crate::common::generate::{self, arithmetic};
use crate::common::seeds::seeds;
use crate::common::{load_model, load_text, problems};

fn options(seconds: u64) -> CheckOptions {
    let interrupt = Interrupt::after(Duration::from_secs(seconds));
    CheckOptions { limits: Limits { interrupt, ..Limits::default() }, ..CheckOptions::default() }
}

fn regions(program: &Program) -> Report {
    check::check_regions(program, &options(20), |_| {}).expect("the program is small")
}

fn ic3(program: &Program) -> Report {
    let options = CheckOptions { engine: Engine::Ic3, ..options(10) };
    check::check(program, &options, |_| {}).expect("the program is small")
}

/// The proofs of IC3 on the abstraction.
fn abstraction(program: &Program) -> Vec<Checked> {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(10)), ..Limits::default() };
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order = Order { wanted: &wanted, limits: &limits, settled: None, confirm: true };
    let mut proofs = vec![];
    let mut hear = |_: PropertyId, found: Found| {
        if let Found::Unreachable(_, checked) = found {
            proofs.push(checked.expect("an invariant gives a certificate"));
        }
    };
    prove::prove(&Facts::new(program), &order, &mut hear).expect("the program is small");
    proofs
}

fn by_solver(program: &Program, certificate: &Certificate) -> Judgement {
    solve::by_bits(program, certificate, &Interrupt::after(Duration::from_secs(10)))
}

fn by_execution(program: &Program, certificate: &Certificate) -> Judgement {
    execute::confirm(program, certificate, &Interrupt::after(Duration::from_secs(2)))
}

/// The checker's own encoding does what the simulator does, from any state.
#[test]
fn the_encoder_agrees_with_the_simulator() {
    for seed in seeds(16) {
        let text = match seed % 2 {
            0 => generate::program(seed, generate::Shape::default()),
            _ => arithmetic::program(seed),
        };
        let program = load_text("generated.c", &text);
        if Simulator::new(&program).end().is_some() {
            continue;
        }
        let (mut bits, any) = Bits::any(&program);
        let step = encode::step(&program, &mut bits, any).expect("the program is small");
        let mut random = Random::new(seed);
        let mut simulator = Simulator::new(&program);
        let mut solver = CaDiCal::new();
        bits.gates.clauses().for_each(|number| solver.add(number));
        for _ in 0..6 {
            let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(&mut random)).collect();
            let mut fix = |word: &Word, value: i32| {
                for bit in 0..32 {
                    let lit = word.bit(bit);
                    solver.assume(if value >> bit & 1 == 1 { lit.0 } else { -lit.0 });
                }
            };
            let state = simulator.state().clone();
            for (index, &value) in state.variables.iter().enumerate() {
                // A local has no value between steps, and here it may have any.
                if program.variables[index].scope == Scope::Global {
                    fix(step.before.variable(VarId::new(index)), value);
                }
            }
            for (table, one) in program.tables.iter().enumerate() {
                let table = redoubt_program::expr::TableId::new(table);
                for (index, &value) in simulator.cells(table).iter().enumerate().filter(|_| one.written) {
                    fix(step.before.cell(table, index), value);
                }
            }
            for (index, &value) in inputs.iter().enumerate() {
                fix(&bits.inputs[InputId::new(index).index()], value);
            }
            assert_eq!(solver.solve(), Status::SATISFIABLE, "seed {seed}");
            let mut holds = |lit: Lit| solver.val(lit.0) == lit.0;
            let done = simulator.step(&inputs);
            for property in (0..program.properties.len()).map(PropertyId::new) {
                let name = &program.property(property).name;
                assert_eq!(holds(step.reached[property.index()]), done.reaches(property), "seed {seed}: {name}");
            }
            assert_eq!(holds(step.goes_on), done.end.is_none(), "seed {seed}");
            if done.end.is_some() {
                simulator = Simulator::new(&program);
                continue;
            }
            let mut number = |word: &Word| (0..32).fold(0, |all, bit| all | i32::from(holds(word.bit(bit))) << bit);
            for (index, variable) in program.variables.iter().enumerate() {
                if variable.scope == Scope::Global {
                    let now = simulator.state().variables[index];
                    assert_eq!(number(step.after.variable(VarId::new(index))), now, "seed {seed}: {}", variable.name);
                }
            }
            for (table, one) in program.tables.iter().enumerate().filter(|(_, one)| one.written) {
                let table = redoubt_program::expr::TableId::new(table);
                for (index, &now) in simulator.cells(table).iter().enumerate() {
                    assert_eq!(number(step.after.cell(table, index)), now, "seed {seed}: {}[{index}]", one.name);
                }
            }
        }
    }
}

/// The encoding by regions allows every step that the program can take.
#[test]
fn the_encoder_of_regions_allows_what_the_simulator_does() {
    let mut steps = 0;
    for seed in seeds(24) {
        let program = match seed % 2 {
            0 => load_text("arithmetic.c", &arithmetic::program(seed + 10_000)),
            _ => load_model("model.gcl", &generate::model::model(seed)),
        };
        let interrupt = Interrupt::default();
        let certificates = regions(&program).certificates();
        let Some((mut domain, any)) =
            certificates.first().and_then(|certificate| Regions::new(&program, certificate, &interrupt))
        else {
            continue;
        };
        let step = encode::step(&program, &mut domain, any).expect("the program is small");
        let mut random = Random::new(seed);
        let mut simulator = Simulator::new(&program);
        for _ in 0..60 {
            if simulator.end().is_some() {
                simulator = Simulator::new(&program);
            }
            if simulator.end().is_some() {
                break;
            }
            let is_seen =
                |&one: &usize| program.variables[one].scope == Scope::Global && domain.follows(VarId::new(one));
            let globals: Vec<usize> = (0..program.variables.len()).filter(is_seen).collect();
            let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(&mut random)).collect();
            let mut taken: Vec<Lit> = vec![];
            for &index in &globals {
                let number = simulator.state().variables[index];
                taken.push(domain.at(&step.before, VarId::new(index), number));
            }
            for (index, &number) in inputs.iter().enumerate() {
                taken.push(domain.input_at(InputId::new(index), number));
            }
            let done = simulator.step(&inputs);
            // An assumption that fails ends a run without a step.
            for property in (0..program.properties.len()).map(PropertyId::new) {
                let reached = step.reached[property.index()];
                taken.push(if done.reaches(property) { reached } else { !reached });
            }
            taken.push(if done.end.is_none() { step.goes_on } else { !step.goes_on });
            if done.end.is_none() {
                for &index in &globals {
                    let number = simulator.state().variables[index];
                    taken.push(domain.at(&step.after, VarId::new(index), number));
                }
            }
            let mut solver = CaDiCal::new();
            domain.gates().clauses().for_each(|number| solver.add(number));
            taken.iter().for_each(|lit| solver.assume(lit.0));
            assert_eq!(solver.solve(), Status::SATISFIABLE, "seed {seed}");
            steps += 1;
        }
    }
    assert!(steps > 100, "{steps} steps");
}

/// Proofs of IC3 on the abstraction hold of the program: a solver confirms them, over regions and, where that is not
/// too hard, over bits.
#[test]
fn proofs_on_the_abstraction_are_certified() {
    let (mut confirmed, mut all, mut by_bits) = (0, 0, 0);
    for seed in seeds(16) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 50_000));
        for Checked { certificate, judgement } in abstraction(&program) {
            assert!(!matches!(judgement, Judgement::Refuted(_)), "seed {seed}: {judgement:?}");
            all += 1;
            confirmed += usize::from(judgement == Judgement::Confirmed);
            let interrupt = Interrupt::after(Duration::from_millis(500));
            let second = solve::by_bits(&program, &certificate, &interrupt);
            assert!(!matches!(second, Judgement::Refuted(_)), "seed {seed}: {second:?}");
            by_bits += usize::from(second == Judgement::Confirmed);
            let written = text::write(&program, [&*certificate]);
            assert_eq!(text::read(&program, &written).expect("our own text"), [(*certificate).clone()], "seed {seed}");
        }
    }
    println!("{confirmed} of {all} proofs confirmed, {by_bits} of them by bits too");
    assert!(all > 0 && 10 * confirmed >= 9 * all, "{confirmed} of {all} proofs confirmed");
}

/// Every proof of every engine has a certificate that survives being written and read, and both ways of checking
/// agree about it.
#[test]
fn proofs_are_certified() {
    let (mut confirmed, mut all) = (0, 0);
    for seed in seeds(20) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 30_000));
        let explicit = |program: &Program| {
            let interrupt = Interrupt::after(Duration::from_secs(2));
            let options = redoubt_states::explicit::SearchOptions { interrupt, keep: true, ..Default::default() };
            check::check_explicitly(program, &options, |_| {})
        };
        for report in [regions(&program), explicit(&program)] {
            for finding in &report.findings {
                if let Answer::Unreachable { checked, .. } = &finding.answer {
                    all += 1;
                    confirmed += usize::from(checked.as_ref().is_some_and(|checked| checked.is_confirmed()));
                }
            }
            let certificates = report.certificates();
            let written = text::write(&program, &certificates);
            if !certificates.is_empty() {
                assert_eq!(text::read(&program, &written).expect("our own text"), certificates, "seed {seed}");
            }
        }
    }
    println!("{confirmed} of {all} proofs confirmed");
    assert!(all > 0 && 10 * confirmed >= 9 * all, "{confirmed} of {all} proofs confirmed");
}

/// The models and programs of the project, small enough for the solver: it agrees with execution.
#[test]
fn both_ways_agree_on_the_projects_problems() {
    let mut compared = 0;
    for file in ["traffic_light.gcl", "airlock.gcl", "vending_machine.gcl"] {
        let path = crate::common::in_project("problems/gcl").join(file);
        let content = std::fs::read_to_string(&path).expect("a model of the project");
        let program = load_model(file, &content);
        for certificate in regions(&program).certificates() {
            assert_eq!(by_execution(&program, &certificate), Judgement::Confirmed, "{file}");
            assert!(!matches!(by_solver(&program, &certificate), Judgement::Refuted(_)), "{file}");
            compared += 1;
        }
        for certificate in ic3(&program).certificates() {
            assert_eq!(by_solver(&program, &certificate), Judgement::Confirmed, "{file}");
            compared += 1;
        }
    }
    for problem in problems::own().into_iter().take(3) {
        let program = problem.load();
        for certificate in regions(&program).certificates() {
            assert_eq!(by_execution(&program, &certificate), Judgement::Confirmed);
            assert_eq!(by_solver(&program, &certificate), Judgement::Confirmed);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

/// Whether a certificate is wrong: a property that it excludes is reached, a reachable state is not in it, or a step
/// from one of its states (found by random moves from reachable ones) leads out of it.
fn is_wrong(program: &Program, certificate: &Certificate, random: &mut Random) -> bool {
    let fails =
        |done: &redoubt_program::simulate::Step| certificate.excluded.iter().any(|&property| done.reaches(property));
    let mut simulator = Simulator::new(program);
    if fails(simulator.opening()) || (simulator.end().is_none() && !certificate.holds_in(&simulator)) {
        return true;
    }
    for _ in 0..3000 {
        if simulator.end().is_some() || random.below(40) == 0 {
            simulator = Simulator::new(program);
        }
        // Sometimes another value: the state need not be reachable, if only it is in the invariant.
        let before = simulator.state().clone();
        if random.below(3) == 0 {
            let index = random.below(program.variables.len());
            if program.variables[index].ty == redoubt_program::expr::Type::Int {
                let near = before.variables[random.below(before.variables.len())];
                simulator.assign(VarId::new(index), near.wrapping_add(random.below(5) as i32 - 2));
            }
            if !certificate.holds_in(&simulator) {
                simulator.restore(before);
            }
        }
        let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(random)).collect();
        let done = simulator.step(&inputs);
        if fails(&done) || (done.end.is_none() && !certificate.holds_in(&simulator)) {
            return true;
        }
    }
    false
}

/// Another certificate, by one small change.
fn mutated(program: &Program, certificate: &Certificate, random: &mut Random) -> Certificate {
    let mut mutant = certificate.clone();
    let shift = |set: &NumberSet, random: &mut Random| {
        let runs = set.runs().to_vec();
        let at = random.below(runs.len().max(1));
        let mut changed = runs.clone();
        if let Some(Progression { low, high, step }) = changed.get_mut(at) {
            match random.below(4) {
                0 => (*low, *high) = (low.saturating_add(1), high.saturating_add(1)),
                1 if *low < *high => *high -= *step as i32,
                2 => (*low, *high) = (low.saturating_sub(*step as i32), *high),
                _ => {
                    changed.remove(at);
                }
            }
        }
        NumberSet::new(changed).unwrap_or_default()
    };
    for _ in 0..20 {
        match random.below(7) {
            0 if !mutant.boxes.is_empty() => {
                mutant.boxes.remove(random.below(mutant.boxes.len()));
            }
            1 if !mutant.clauses.is_empty() => {
                mutant.clauses.remove(random.below(mutant.clauses.len()));
            }
            2 if !mutant.facts.is_empty() => {
                mutant.facts.remove(random.below(mutant.facts.len()));
            }
            3 if !mutant.boxes.is_empty() => {
                let at = random.below(mutant.boxes.len());
                let sides = &mut mutant.boxes[at].sides;
                let side = random.below(sides.len());
                sides[side].1 = shift(&sides[side].1, random);
            }
            4 if !mutant.facts.is_empty() => {
                let at = random.below(mutant.facts.len());
                if let Fact::In(_, set) = &mut mutant.facts[at] {
                    *set = shift(set, random);
                }
            }
            5 if !mutant.clauses.is_empty() => {
                let at = random.below(mutant.clauses.len());
                let clause = &mut mutant.clauses[at];
                let literal = random.below(clause.len().max(1));
                match clause.get_mut(literal) {
                    Some(Literal::Bit(_, _, value) | Literal::Compare(_, value)) => *value = !*value,
                    Some(Literal::In(_, set)) => *set = shift(set, random),
                    None => {}
                }
            }
            6 => mutant.excluded.push(PropertyId::new(random.below(program.properties.len()))),
            _ => continue,
        }
        break;
    }
    mutant
}

/// Of many certificates that were changed a little, none is accepted that is wrong, by any way of checking.
#[test]
fn wrong_certificates_are_refused() {
    let mut random = Random::new(1);
    let (mut mutants, mut wrong, mut accepted) = (0, 0, 0);
    for seed in seeds(1000) {
        if mutants >= 240 {
            break;
        }
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 70_000));
        let certificates = match seed % 3 {
            0 => regions(&program).certificates(),
            1 => ic3(&program).certificates(),
            _ => abstraction(&program).into_iter().map(|checked| (*checked.certificate).clone()).collect(),
        };
        for certificate in certificates.iter().take(2) {
            for _ in 0..4 {
                let mutant = mutated(&program, certificate, &mut random);
                if mutant == *certificate {
                    continue;
                }
                mutants += 1;
                let by_execution = by_execution(&program, &mutant) == Judgement::Confirmed;
                // Longer checks do not count.
                let interrupt = Interrupt::after(Duration::from_millis(300));
                let by_solver = solve::by_bits(&program, &mutant, &interrupt) == Judgement::Confirmed;
                let by_regions = solve::by_regions(&program, &mutant, &interrupt) == Judgement::Confirmed;
                let is_wrong = is_wrong(&program, &mutant, &mut random);
                wrong += usize::from(is_wrong);
                accepted += usize::from(by_execution || by_solver || by_regions);
                let shown = || text::write(&program, [&mutant]);
                assert!(!(is_wrong && by_execution), "seed {seed}: accepted by execution\n{}", shown());
                assert!(!(is_wrong && by_solver), "seed {seed}: accepted by the solver\n{}", shown());
                assert!(!(is_wrong && by_regions), "seed {seed}: accepted by regions\n{}", shown());
            }
        }
    }
    println!("{mutants} mutants, {wrong} wrong, {accepted} accepted");
    assert!(mutants >= 200 && wrong >= 50 && accepted > 0, "{mutants} mutants, {wrong} wrong, {accepted} accepted");
}

/// Threads that share the boxes come to the same judgement as one: also about which box is the first that fails.
#[test]
fn threads_change_no_judgement() {
    let program = load_text(
        "ring.c",
        "#include <stdio.h>\nint x = 0;\nint main() { while (1) { int input; scanf(\"%d\", &input);\n\
         if (input == 1) { x = x + 1; }\nif (x == 200) { x = 0; }\nif (x == 300) { error_3: ; } } }\n",
    );
    let x = program.variables.iter().position(|variable| variable.name == "x").map(VarId::new).expect("a variable");
    let boxes: Vec<StateBox> = (0..200).map(|number| StateBox { sides: vec![(x, NumberSet::one(number))] }).collect();
    let without = |missing: &[usize]| {
        let left = boxes.iter().enumerate().filter(|(place, _)| !missing.contains(place));
        let excluded = (0..program.properties.len()).map(PropertyId::new).collect();
        Certificate { excluded, boxes: left.map(|(_, one)| one.clone()).collect(), ..Certificate::default() }
    };
    for missing in [&[][..], &[57, 120], &[199], &[3, 4, 150]] {
        let certificate = without(missing);
        let judged = |threads| execute::confirm_on(threads, &program, &certificate, &Interrupt::default());
        let alone = judged(1);
        assert_eq!(alone == Judgement::Confirmed, missing.is_empty(), "{alone:?}");
        for threads in 2..5 {
            assert_eq!(judged(threads), alone, "{threads} threads, without {missing:?}");
        }
    }
}

/// A certificate of another program, and of this program with one number changed.
#[test]
fn certificates_of_other_programs_are_refused() {
    let source = |bound: i32| {
        format!(
            "#include <stdio.h>\nint x = 0;\nint main() {{ while (1) {{ int input; scanf(\"%d\", &input);\n\
             if (input == 1 && x < {bound}) {{ x = x + 1; }}\nif (x == 5) {{ error_5: ; }} }} }}\n"
        )
    };
    let safe = load_text("safe.c", &source(4));
    let certificates = regions(&safe).certificates();
    assert_eq!(certificates.len(), 1);
    let written = text::write(&safe, &certificates);
    let other = load_text("other.c", &source(9));
    let read = text::read(&other, &written).expect("the names are the same");
    assert!(by_execution(&other, &read[0]) != Judgement::Confirmed);
    assert!(matches!(by_solver(&other, &read[0]), Judgement::Refuted(_)));
    let foreign = load_text("foreign.c", &source(4).replace('x', "y"));
    let error = text::read(&foreign, &written).expect_err("there is no x");
    assert!(error.reason.contains("`x`"), "{error}");
    assert!(matches!(certificates[0].facts[..], [Fact::In(Place::Variable(_), _), ..]));
}

/// A checker of proofs checks the answers of the solver, and a proof that is cut short is refused.
#[test]
fn proofs_of_the_solver_are_checked() {
    let mut checked = 0;
    let folder = tempfile::tempdir().expect("a folder for files");
    let (cnf, proof) = (folder.path().join("question.cnf"), folder.path().join("proof.lrat"));
    for seed in seeds(6) {
        let program = load_text("generated.c", &arithmetic::program(seed + 90_000));
        for certificate in ic3(&program).certificates() {
            let interrupt = Interrupt::after(Duration::from_secs(5));
            let judgement = solve::confirm_with_proof(&program, &certificate, &interrupt, &cnf, &proof);
            match judgement.expect("the folder can be written") {
                Judgement::Confirmed => checked += 1,
                Judgement::Refuted(reason) => panic!("seed {seed}: {reason}"),
                Judgement::Undecided(_) => {}
            }
        }
    }
    assert!(checked > 0, "no proof was checked");
}

/// Texts that are no certificates are refused with a line and a reason.
#[test]
fn bad_texts_are_refused() {
    let program = load_text(
        "p.c",
        "#include <stdio.h>\nint x = 0;\nint main() { while (1) { int input; scanf(\"%d\", &input);\nif (input == 1) { x = 1; }\nif (x == 5) { error_5: ; } } }\n",
    );
    let head = "redoubt certificate 1\ninvariant\nexcludes error_5\n";
    let reason = |text: String| {
        let error = text::read(&program, &text).expect_err("this is no certificate");
        format!("{error}")
    };
    assert_eq!(reason("hello".into()), "line 1: expected `redoubt certificate 1`");
    assert_eq!(reason("redoubt certificate 1\n".into()), "line 1: there is no invariant");
    assert_eq!(reason(head.into()), "line 3: expected `end`");
    assert_eq!(reason(format!("{head}fact z in {{1}}\nend\n")), "line 4: there is no variable or written table `z`");
    assert_eq!(reason(format!("{head}fact x in {{3..1}}\nend\n")), "line 4: numbers must ascend, without overlaps");
    assert_eq!(reason(format!("{head}fact x in {{one}}\nend\n")), "line 4: expected a number, not `one`");
    assert_eq!(reason(format!("{head}clause x bit 32 = 1\nend\n")), "line 4: expected a bit from 0 to 31");
    assert_eq!(reason(format!("{head}box x in {{1}} y\nend\n")), "line 4: expected `,`");
    assert_eq!(
        reason(format!("{head}hello\nend\n")),
        "line 4: expected excludes, history, fact, clause, box, cut or end, not `hello`"
    );
    assert_eq!(
        reason("redoubt certificate 1\ninvariant\nexcludes error_6\n".into()),
        "line 3: there is no property `error_6`"
    );
}
