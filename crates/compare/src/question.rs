//! Two encodings of a step to a solver that is asked where they differ, and to an answer in words of the program.

use std::collections::BTreeMap;

use super::snapshot::Change;
use crate::base::Interrupt;
use crate::blast::Code;
use crate::circuit::{Aig, Circuit, Node, Reset, Signal};
use crate::cnf::{Cnf, Lit, Literals, Polarity, compact};
use crate::sat::{Answer, Backend, Solver};

/// The codes of variables' bits, by name.
#[derive(Clone, Debug, Default)]
pub struct Meanings(BTreeMap<String, (Code, Option<i32>)>);

impl Meanings {
    /// A variable, or an input, with its value at the start if it has one.
    pub fn add(&mut self, name: &str, code: Code, initial: Option<i32>) {
        self.0.insert(name.into(), (code, initial));
    }

    /// The variable that a bit belongs to, and its index.
    pub fn variable<'n>(&self, name: &'n str) -> (&'n str, usize) {
        if self.0.contains_key(name) {
            return (name, 0);
        }
        let split = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        match split.and_then(|(variable, bit)| Some((variable, bit.parse().ok()?))) {
            Some((variable, bit)) if self.0.contains_key(variable) => (variable, bit),
            _ => (name, 0),
        }
    }

    fn read(&self, variable: &str, bits: &[bool]) -> String {
        match self.0.get(variable) {
            Some((code, _)) if code.bits() == bits.len() => code.decode(bits).to_string(),
            _ => bits.iter().rev().map(|&bit| if bit { '1' } else { '0' }).collect(),
        }
    }

    /// The bits of a variable at the start.
    fn initial(&self, variable: &str) -> Option<Vec<bool>> {
        let (code, initial) = self.0.get(variable)?;
        code.encode((*initial)?)
    }
}

/// One bit of the next state, or a property, on both sides.
pub struct Item {
    /// The variable, or the property.
    pub name: String,
    pub bit: usize,
    pub old: Lit,
    pub new: Lit,
    /// The literal that they differ where it counts.
    pub differs: Lit,
}

/// Two encodings in one solver.
pub struct Question {
    pub solver: Box<dyn Solver>,
    /// The bits of states and inputs: the name, the index, and the literal.
    pub leaves: Vec<(String, usize, Lit)>,
    pub items: Vec<Item>,
}

/// The most differing variables that are named.
const FEW: usize = 8;

impl Question {
    /// Where the two differ.
    pub fn ask(mut self, meanings: &Meanings) -> Change {
        let all: Vec<Lit> = self.items.iter().map(|item| item.differs).collect();
        match self.solver.solve_with(&[], Some(&all)) {
            Answer::Unsatisfiable => return Change::Equivalent,
            Answer::Unknown => return Change::Unknown("time was up".into()),
            Answer::Satisfiable => {}
        }
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, item) in self.items.iter().enumerate() {
            groups.entry(item.name.clone()).or_default().push(index);
        }
        let mut lines = vec![];
        let mut more = 0;
        for (name, items) in groups {
            let differs: Vec<Lit> = items.iter().map(|&index| self.items[index].differs).collect();
            if self.solver.solve_with(&[], Some(&differs)) != Answer::Satisfiable {
                continue;
            }
            match lines.len() < FEW {
                true => lines.push(self.example(&name, &items, &differs, meanings)),
                false => more += 1,
            }
        }
        if more > 0 {
            lines.push(format!("... and {more} more"));
        }
        Change::Different(lines)
    }

    /// An example in which as much as possible is as at the start, and nothing is said that need not be.
    fn example(&mut self, name: &str, items: &[usize], differs: &[Lit], meanings: &Meanings) -> String {
        let mut variables: BTreeMap<&str, Vec<(usize, Lit)>> = BTreeMap::new();
        for (variable, bit, lit) in &self.leaves {
            variables.entry(variable).or_default().push((*bit, *lit));
        }
        let mut fixed: Vec<Lit> = vec![];
        let mut usual: Vec<&str> = vec![];
        for (variable, bits) in &variables {
            let Some(initial) = meanings.initial(variable) else { continue };
            let value = |bit: usize| initial.get(bit).copied().unwrap_or(false);
            let assumed = bits.iter().map(|&(bit, lit)| if value(bit) { lit } else { !lit });
            let tried: Vec<Lit> = fixed.iter().copied().chain(assumed).collect();
            if self.solver.solve_with(&tried, Some(differs)) == Answer::Satisfiable {
                fixed = tried;
                usual.push(variable);
            }
        }
        if self.solver.solve_with(&fixed, Some(differs)) != Answer::Satisfiable {
            return format!("`{name}` differs");
        }
        let word = |list: &[(usize, Lit)], solver: &dyn Solver| {
            let mut list = list.to_vec();
            list.sort_unstable_by_key(|(bit, _)| *bit);
            list.iter().map(|(_, lit)| solver.value(*lit).unwrap_or(false)).collect::<Vec<bool>>()
        };
        let bits = |of: fn(&Item) -> Lit| {
            items.iter().map(|&at| (self.items[at].bit, of(&self.items[at]))).collect::<Vec<_>>()
        };
        let solver = &*self.solver;
        let (old, new) = (word(&bits(|item| item.old), solver), word(&bits(|item| item.new), solver));
        let unusual = variables.iter().filter(|(variable, _)| !usual.contains(variable));
        let state: Vec<String> = unusual
            .map(|(variable, bits)| format!("{variable} = {}", meanings.read(variable, &word(bits, solver))))
            .collect();
        let place = match (state.is_empty(), usual.is_empty()) {
            (true, _) => "in the initial state".to_string(),
            (false, true) => format!("where {}", state.join(", ")),
            (false, false) => format!("where {}, and else as at the start", state.join(", ")),
        };
        let (old, new) = (meanings.read(name, &old), meanings.read(name, &new));
        format!("`{name}` becomes {new}, in the snapshot {old}, {place}")
    }
}

/// The names that only one list has.
fn only(names: &[String], others: &[String], meanings: &Meanings) -> Vec<String> {
    let mut list: Vec<String> =
        names.iter().filter(|name| !others.contains(name)).map(|name| meanings.variable(name).0.to_string()).collect();
    list.dedup();
    list
}

/// The differences in structure: a line for each name that only one side has.
pub fn structure(what: &str, old: &[String], new: &[String], meanings: &Meanings) -> Vec<String> {
    let (before, now) = (only(old, new, meanings), only(new, old, meanings));
    let changed = |name: &String| before.contains(name) && now.contains(name);
    let gone =
        before.iter().filter(|name| !changed(name)).map(|name| format!("{what} `{name}` is only in the snapshot"));
    let added = now.iter().filter(|name| !changed(name)).map(|name| format!("{what} `{name}` is not in the snapshot"));
    let resized =
        before.iter().filter(|name| changed(name)).map(|name| format!("{what} `{name}` has another number of bits"));
    gone.chain(added).chain(resized).collect()
}

/// Where two circuits say something else of a step.
pub fn circuits(old: &Circuit, new: &Circuit, meanings: &Meanings, interrupt: &Interrupt) -> Change {
    let names = |circuit: &Circuit| {
        let inputs: Vec<String> = circuit.inputs.iter().map(|input| input.name.clone()).collect();
        let latches: Vec<String> = circuit.latches.iter().map(|latch| latch.name.clone()).collect();
        let bad: Vec<String> = circuit.bad.iter().map(|bad| bad.name.clone()).collect();
        (inputs, latches, bad)
    };
    let (mine, theirs) = (names(old), names(new));
    let mut lines = structure("the input", &mine.0, &theirs.0, meanings);
    lines.extend(structure("the variable", &mine.1, &theirs.1, meanings));
    lines.extend(structure("the property", &mine.2, &theirs.2, meanings));
    lines.extend(starts(old, new, meanings));
    if !lines.is_empty() {
        return Change::Different(lines);
    }
    let is_unique = |names: &[String]| names.iter().collect::<std::collections::BTreeSet<_>>().len() == names.len();
    if ![&mine.0, &mine.1, &mine.2].into_iter().all(|names| is_unique(names)) {
        return Change::Unknown("not all of its variables have names".into());
    }
    joined(old, new, meanings, interrupt).ask(meanings)
}

fn starts(old: &Circuit, new: &Circuit, meanings: &Meanings) -> Vec<String> {
    let mut values: BTreeMap<&str, BTreeMap<usize, (Reset, Reset)>> = BTreeMap::new();
    for latch in &new.latches {
        if let Some(before) = old.latches.iter().find(|other| other.name == latch.name) {
            let (variable, bit) = meanings.variable(&latch.name);
            values.entry(variable).or_default().insert(bit, (before.reset, latch.reset));
        }
    }
    let word = |bits: Vec<Reset>, variable: &str| {
        if bits.contains(&Reset::Free) {
            return "any value".to_string();
        }
        meanings.read(variable, &bits.iter().map(|&bit| bit == Reset::One).collect::<Vec<_>>())
    };
    let differing = values.into_iter().filter(|(_, bits)| bits.values().any(|(before, now)| before != now));
    let line = |(variable, bits): (&str, BTreeMap<usize, (Reset, Reset)>)| {
        let before = word(bits.values().map(|(before, _)| *before).collect(), variable);
        let now = word(bits.values().map(|(_, now)| *now).collect(), variable);
        format!("`{variable}` starts with {now}, in the snapshot with {before}")
    };
    differing.map(line).collect()
}

/// The signals of a circuit about a step, by name.
struct Gates<'c> {
    next: BTreeMap<&'c str, Signal>,
    bad: BTreeMap<&'c str, Signal>,
    /// The literal that its constraints hold.
    allowed: Signal,
}

/// Copies the gates of a circuit, over leaves that are given by name.
fn copy<'c>(gates: &mut Aig, leaves: &BTreeMap<&str, Signal>, circuit: &'c Circuit) -> Gates<'c> {
    let mut map = vec![Signal::FALSE; circuit.gates.nodes().len()];
    let inputs = circuit.inputs.iter().map(|input| (input.signal, &input.name));
    for (signal, name) in inputs.chain(circuit.latches.iter().map(|latch| (latch.signal, &latch.name))) {
        map[signal.node()] = leaves[name.as_str()];
    }
    let at = |map: &[Signal], signal: Signal| map[signal.node()].complement_if(signal.is_complemented());
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            map[index] = gates.and(at(&map, a), at(&map, b));
        }
    }
    let at = |signal: Signal| at(&map, signal);
    Gates {
        next: circuit.latches.iter().map(|latch| (latch.name.as_str(), at(latch.next))).collect(),
        bad: circuit.bad.iter().map(|bad| (bad.name.as_str(), at(bad.signal))).collect(),
        allowed: circuit.constraints.iter().fold(Signal::TRUE, |all, &signal| gates.and(all, at(signal))),
    }
}

/// Both circuits over the same states and inputs.
fn joined(old: &Circuit, new: &Circuit, meanings: &Meanings, interrupt: &Interrupt) -> Question {
    let mut gates = Aig::default();
    let mut leaf_of: BTreeMap<&str, Signal> = BTreeMap::new();
    for name in new.inputs.iter().map(|input| &input.name).chain(new.latches.iter().map(|latch| &latch.name)) {
        let leaf = gates.leaf();
        leaf_of.insert(name, leaf);
    }
    let (mine, theirs) = (copy(&mut gates, &leaf_of, old), copy(&mut gates, &leaf_of, new));
    let both = gates.and(mine.allowed, theirs.allowed);
    let mut pairs: Vec<(String, usize, Signal, Signal, Signal)> = vec![];
    for (name, &now) in &theirs.next {
        let (variable, bit) = meanings.variable(name);
        pairs.push((variable.into(), bit, mine.next[name], now, both));
    }
    for (name, &now) in &theirs.bad {
        pairs.push(((*name).into(), 0, mine.bad[name], now, both));
    }
    pairs.push(("the constraints".into(), 0, mine.allowed, theirs.allowed, Signal::TRUE));
    let differs: Vec<Signal> = pairs
        .iter()
        .map(|&(_, _, a, b, counts)| {
            let unequal = gates.xor(a, b);
            gates.and(counts, unequal)
        })
        .collect();
    let mut cnf = Cnf::default();
    let mut literals = Literals::new(&gates);
    leaf_of.values().for_each(|&leaf| literals.set(leaf, cnf.new_var().positive()));
    let roots = pairs.iter().flat_map(|&(_, _, a, b, _)| [a, b]).chain(differs.iter().copied());
    let roots: Vec<(Signal, Polarity)> = roots.map(|signal| (signal, Polarity::BOTH)).collect();
    compact::encode(&gates, &roots, &mut literals, &mut cnf);
    let yes = cnf.new_var().positive();
    cnf.add_clause(&[yes]);
    let lit = |signal: Signal| match signal.as_constant() {
        Some(true) => yes,
        Some(false) => !yes,
        None => literals.get(signal).expect("roots and leaves have literals"),
    };
    let leaves = leaf_of.iter().map(|(name, &signal)| {
        let (variable, bit) = meanings.variable(name);
        (variable.to_string(), bit, lit(signal))
    });
    let leaves = leaves.collect();
    let items = pairs.into_iter().zip(differs).map(|((name, bit, old, new, _), differs)| Item {
        name,
        bit,
        old: lit(old),
        new: lit(new),
        differs: lit(differs),
    });
    let items = items.collect();
    let mut solver = Backend::Cadical.solver();
    solver.set_interrupt(interrupt.clone());
    (0..cnf.variables()).for_each(|_| _ = solver.new_var());
    cnf.clauses().for_each(|clause| solver.add_clause(clause));
    Question { solver, leaves, items }
}
