//! Binary decision diagrams (Bryant 1986), reduced and ordered, with complemented edges (Brace, Rudell and Bryant 1990).
//!
//! A package of our own, small and without reordering, for one reason: every operation may be ended from outside at any
//! time, and none takes more nodes than it was allowed. The caller gets a [`Stop`] then, and all earlier results remain
//! valid. Operations recur as deep as there are variables, on a stack that grows with them.
//!
//! Nodes are kept until [`Diagrams::collect`] is told which functions are still needed; no operation collects by
//! itself, so intermediate results need not be protected.

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;

/// A function: a node, perhaps complemented. Equal functions are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(u32);

impl Function {
    pub const TRUE: Function = Function(0);
    pub const FALSE: Function = Function(1);

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    fn complement_if(self, flip: bool) -> Function {
        Function(self.0 ^ u32::from(flip))
    }

    pub fn is_constant(self) -> bool {
        self.node() == 0
    }
}

impl std::ops::Not for Function {
    type Output = Function;

    fn not(self) -> Function {
        Function(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}b{}", if self.is_complemented() { "!" } else { "" }, self.node())
    }
}

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Interrupted,
    /// There are as many nodes as there may be, or as fit into the memory that is left.
    Full,
    /// As many steps were taken as may be.
    Spent,
}

/// The bounds of their size and work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Nodes at a time; a node takes about 40 bytes, with its place in the tables.
    pub nodes: usize,
    /// Steps of operations in all. Unlike time they are the same in every run.
    pub steps: u64,
}

impl Bounds {
    /// No more nodes than these, however long it takes.
    pub fn nodes(nodes: usize) -> Bounds {
        Bounds { nodes, steps: u64::MAX }
    }
}

/// The level of constants: below all variables.
const BOTTOM: u32 = u32::MAX;
/// Ends a chain of the unique table, and the list of free nodes.
const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    level: u32,
    /// The cofactors: the function where the variable of its level is false, and where it is true. The latter is not
    /// complemented, so that no function has two forms.
    low: Function,
    high: Function,
    /// The next in its chain of the unique table, or the next free one.
    next: u32,
}

/// A result of an operation that was computed before.
#[derive(Clone, Copy)]
struct Known {
    key: [u32; 4],
    result: Function,
}

const NOTHING: Known = Known { key: [u32::MAX; 4], result: Function::TRUE };

/// The keys of the cache of results.
#[derive(Clone, Copy)]
enum Operation {
    And = 1,
    Xor,
    Ite,
    AndExists,
    Shift,
    Restrict,
}

/// The nodes of all functions, over variables that are tested in the order of their numbers.
pub struct Diagrams {
    nodes: Vec<Node>,
    /// Heads of chains, by hash.
    unique: Vec<u32>,
    free: u32,
    used: usize,
    bounds: Bounds,
    cache: Vec<Known>,
    interrupt: Interrupt,
    steps: u64,
}

/// Steps between two looks at the clock.
const BETWEEN_LOOKS: u64 = 4096;
const LEAST_CACHE: usize = 1 << 12;
const MOST_CACHE: usize = 1 << 22;

impl Diagrams {
    pub fn new(bounds: Bounds, interrupt: &Interrupt) -> Diagrams {
        let terminal = Node { level: BOTTOM, low: Function::TRUE, high: Function::TRUE, next: NOBODY };
        Diagrams {
            nodes: vec![terminal],
            unique: vec![NOBODY; 1 << 10],
            free: NOBODY,
            used: 1,
            bounds,
            cache: vec![NOTHING; LEAST_CACHE],
            interrupt: interrupt.clone(),
            steps: 0,
        }
    }

    /// The number of steps that its operations have taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Allows as many steps more, and no others.
    pub fn allow(&mut self, steps: u64) {
        self.bounds.steps = self.steps.saturating_add(steps);
    }

    /// The number of nodes, needed or not.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The function that is true where a variable is.
    pub fn variable(&mut self, level: u32) -> Result<Function, Stop> {
        self.make(level, Function::FALSE, Function::TRUE)
    }

    /// The variable that a function tests first, and its cofactors where that is false and true.
    pub fn branch(&self, f: Function) -> Option<(u32, Function, Function)> {
        let node = self.nodes[f.node()];
        let flip = f.is_complemented();
        (node.level != BOTTOM).then(|| (node.level, node.low.complement_if(flip), node.high.complement_if(flip)))
    }

    fn level(&self, f: Function) -> u32 {
        self.nodes[f.node()].level
    }

    /// The cofactors of a function where a variable, not below its first one, is false and true.
    fn cofactors(&self, f: Function, level: u32) -> (Function, Function) {
        let node = self.nodes[f.node()];
        match node.level == level {
            true => (node.low.complement_if(f.is_complemented()), node.high.complement_if(f.is_complemented())),
            false => (f, f),
        }
    }

    fn make(&mut self, level: u32, low: Function, high: Function) -> Result<Function, Stop> {
        if low == high {
            return Ok(low);
        }
        let flip = high.is_complemented();
        let (low, high) = (low.complement_if(flip), high.complement_if(flip));
        let place = self.chain(level, low, high);
        let mut index = self.unique[place];
        while index != NOBODY {
            let node = &self.nodes[index as usize];
            if node.level == level && node.low == low && node.high == high {
                return Ok(Function(index << 1).complement_if(flip));
            }
            index = node.next;
        }
        if self.used >= self.bounds.nodes {
            return Err(Stop::Full);
        }
        if self.used >= self.unique.len() {
            self.grow()?;
            // It has other places now.
            return self.make(level, low, high).map(|made| made.complement_if(flip));
        }
        let node = Node { level, low, high, next: self.unique[place] };
        let index = match self.free {
            NOBODY => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
            index => {
                self.free = self.nodes[index as usize].next;
                self.nodes[index as usize] = node;
                index
            }
        };
        self.unique[place] = index;
        self.used += 1;
        Ok(Function(index << 1).complement_if(flip))
    }

    fn chain(&self, level: u32, low: Function, high: Function) -> usize {
        hash([level, low.0, high.0, 0]) & (self.unique.len() - 1)
    }

    /// Twice as many chains, room for as many nodes, and a larger cache. All that is taken at once, too fast for a
    /// watcher of the process's memory; so it is asked for.
    fn grow(&mut self) -> Result<(), Stop> {
        let chains = 2 * self.unique.len();
        let has_larger_cache = self.cache.len() < MOST_CACHE.min(chains);
        let known = if has_larger_cache { 2 * self.cache.len() * size_of::<Known>() } else { 0 };
        let nodes = (chains - self.used).saturating_mul(size_of::<Node>());
        if !self.interrupt.has_room(chains * size_of::<u32>() + known + nodes) {
            return Err(Stop::Full);
        }
        self.unique = vec![NOBODY; chains];
        self.relink(|_| true);
        if has_larger_cache {
            let known = std::mem::take(&mut self.cache);
            self.cache = vec![NOTHING; 2 * known.len()];
            for known in known.into_iter().filter(|known| known.key != NOTHING.key) {
                let place = hash(known.key) & (self.cache.len() - 1);
                self.cache[place] = known;
            }
        }
        Ok(())
    }

    /// Chains the nodes that are in use and to be kept anew; the others become free.
    fn relink(&mut self, keep: impl Fn(usize) -> bool) {
        self.unique.fill(NOBODY);
        (self.free, self.used) = (NOBODY, 1);
        for index in 1..self.nodes.len() {
            let Node { level, low, high, .. } = self.nodes[index];
            // Free nodes have the level of constants.
            let head = if level != BOTTOM && keep(index) {
                let place = self.chain(level, low, high);
                self.used += 1;
                &mut self.unique[place]
            } else {
                self.nodes[index].level = BOTTOM;
                &mut self.free
            };
            self.nodes[index].next = std::mem::replace(head, index as u32);
        }
    }

    /// Frees all nodes but those of these functions.
    pub fn collect(&mut self, needed: impl IntoIterator<Item = Function>) {
        let mut marked = vec![false; self.nodes.len()];
        let mut pending: Vec<usize> = needed.into_iter().map(Function::node).collect();
        while let Some(index) = pending.pop() {
            if index != 0 && !std::mem::replace(&mut marked[index], true) {
                pending.extend([self.nodes[index].low.node(), self.nodes[index].high.node()]);
            }
        }
        self.relink(|index| marked[index]);
        self.cache.fill(NOTHING);
    }

    /// One more step of an operation.
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > self.bounds.steps {
            return Err(Stop::Spent);
        }
        if self.steps.is_multiple_of(BETWEEN_LOOKS) && self.interrupt.is_raised() {
            return Err(Stop::Interrupted);
        }
        Ok(())
    }

    fn recall(&self, key: [u32; 4]) -> Option<Function> {
        let known = &self.cache[hash(key) & (self.cache.len() - 1)];
        (known.key == key).then_some(known.result)
    }

    fn remember(&mut self, key: [u32; 4], result: Function) {
        let place = hash(key) & (self.cache.len() - 1);
        self.cache[place] = Known { key, result };
    }

    pub fn and(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        match (f, g) {
            (Function::TRUE, other) => return Ok(other),
            (Function::FALSE, _) => return Ok(Function::FALSE),
            _ if f == g => return Ok(f),
            _ if f == !g => return Ok(Function::FALSE),
            _ => {}
        }
        let key = [Operation::And as u32, f.0, g.0, 0];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let low = grow(|| self.and(f0, g0))?;
        let high = grow(|| self.and(f1, g1))?;
        let result = self.make(level, low, high)?;
        self.remember(key, result);
        Ok(result)
    }

    pub fn or(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        Ok(!self.and(!f, !g)?)
    }

    pub fn xor(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        let flip = f.is_complemented() ^ g.is_complemented();
        let (f, g) = (f.complement_if(f.is_complemented()), g.complement_if(g.is_complemented()));
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        if f == Function::TRUE {
            return Ok((!g).complement_if(flip));
        }
        if f == g {
            return Ok(Function::FALSE.complement_if(flip));
        }
        let key = [Operation::Xor as u32, f.0, g.0, 0];
        if let Some(known) = self.recall(key) {
            return Ok(known.complement_if(flip));
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let low = grow(|| self.xor(f0, g0))?;
        let high = grow(|| self.xor(f1, g1))?;
        let result = self.make(level, low, high)?;
        self.remember(key, result);
        Ok(result.complement_if(flip))
    }

    /// `condition ? then : otherwise`.
    pub fn ite(&mut self, condition: Function, then: Function, otherwise: Function) -> Result<Function, Stop> {
        if condition.is_complemented() {
            return self.ite(!condition, otherwise, then);
        }
        match (then, otherwise) {
            _ if condition == Function::TRUE => return Ok(then),
            _ if then == otherwise => return Ok(then),
            (Function::TRUE, _) => return self.or(condition, otherwise),
            (Function::FALSE, _) => return self.and(!condition, otherwise),
            (_, Function::FALSE) => return self.and(condition, then),
            (_, Function::TRUE) => return self.or(!condition, then),
            _ if then == !otherwise => return Ok(!self.xor(condition, then)?),
            _ => {}
        }
        let key = [Operation::Ite as u32 | condition.0 << 3, then.0, otherwise.0, condition.0 >> 29];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(condition).min(self.level(then)).min(self.level(otherwise));
        let (c, t, o) =
            (self.cofactors(condition, level), self.cofactors(then, level), self.cofactors(otherwise, level));
        let low = grow(|| self.ite(c.0, t.0, o.0))?;
        let high = grow(|| self.ite(c.1, t.1, o.1))?;
        let result = self.make(level, low, high)?;
        self.remember(key, result);
        Ok(result)
    }

    /// The conjunction of variables, for quantification.
    pub fn cube(&mut self, levels: impl IntoIterator<Item = u32>) -> Result<Function, Stop> {
        let mut levels: Vec<u32> = levels.into_iter().collect();
        levels.sort_unstable();
        levels.iter().rev().try_fold(Function::TRUE, |cube, &level| self.make(level, Function::FALSE, cube))
    }

    /// Whether some values of a cube's variables make a function true.
    pub fn exists(&mut self, f: Function, cube: Function) -> Result<Function, Stop> {
        self.and_exists(f, Function::TRUE, cube)
    }

    /// Whether some values of a cube's variables make both functions true.
    pub fn and_exists(&mut self, f: Function, g: Function, cube: Function) -> Result<Function, Stop> {
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        if f == Function::FALSE || g == Function::FALSE || f == !g {
            return Ok(Function::FALSE);
        }
        let f = if f == g { Function::TRUE } else { f };
        if f == Function::TRUE && g == Function::TRUE {
            return Ok(Function::TRUE);
        }
        let level = self.level(f).min(self.level(g));
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.nodes[cube.node()].high;
        }
        if cube == Function::TRUE {
            return self.and(f, g);
        }
        let key = [Operation::AndExists as u32, f.0, g.0, cube.0];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let result = if self.level(cube) == level {
            let rest = self.nodes[cube.node()].high;
            match grow(|| self.and_exists(f1, g1, rest))? {
                Function::TRUE => Function::TRUE,
                high => {
                    let low = grow(|| self.and_exists(f0, g0, rest))?;
                    self.or(low, high)?
                }
            }
        } else {
            let low = grow(|| self.and_exists(f0, g0, cube))?;
            let high = grow(|| self.and_exists(f1, g1, cube))?;
            self.make(level, low, high)?
        };
        self.remember(key, result);
        Ok(result)
    }

    /// A function of other variables: each one's number is changed by as much.
    pub fn shift(&mut self, f: Function, by: i32) -> Result<Function, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let (f, flip) = (f.complement_if(f.is_complemented()), f.is_complemented());
        let key = [Operation::Shift as u32, f.0, by as u32, 0];
        if let Some(known) = self.recall(key) {
            return Ok(known.complement_if(flip));
        }
        self.step()?;
        let Node { level, low, high, .. } = self.nodes[f.node()];
        let low = grow(|| self.shift(low, by))?;
        let high = grow(|| self.shift(high, by))?;
        let result = self.make(level.wrapping_add_signed(by), low, high)?;
        self.remember(key, result);
        Ok(result.complement_if(flip))
    }

    /// A function that is the same where `care` is true, and hopefully smaller (Coudert and Madre 1990).
    pub fn restrict(&mut self, f: Function, care: Function) -> Result<Function, Stop> {
        if care == Function::FALSE || f == care {
            return Ok(if f == care { Function::TRUE } else { f });
        }
        if care == Function::TRUE || f.is_constant() {
            return Ok(f);
        }
        if f == !care {
            return Ok(Function::FALSE);
        }
        let (f, flip) = (f.complement_if(f.is_complemented()), f.is_complemented());
        let key = [Operation::Restrict as u32, f.0, care.0, 0];
        if let Some(known) = self.recall(key) {
            return Ok(known.complement_if(flip));
        }
        self.step()?;
        let (top, level) = (self.level(f), self.level(care));
        let result = if level < top {
            let (low, high) = self.cofactors(care, level);
            let either = self.or(low, high)?;
            grow(|| self.restrict(f, either))?
        } else {
            let ((f0, f1), (c0, c1)) = (self.cofactors(f, top), self.cofactors(care, top));
            match (c0, c1) {
                (Function::FALSE, _) => grow(|| self.restrict(f1, c1))?,
                (_, Function::FALSE) => grow(|| self.restrict(f0, c0))?,
                _ => {
                    let low = grow(|| self.restrict(f0, c0))?;
                    let high = grow(|| self.restrict(f1, c1))?;
                    self.make(top, low, high)?
                }
            }
        };
        self.remember(key, result);
        Ok(result.complement_if(flip))
    }

    /// The number of nodes of a function.
    pub fn size(&self, f: Function) -> usize {
        self.reachable(f).len()
    }

    /// The nodes of a function as plain functions, operands first.
    pub fn reachable(&self, f: Function) -> Vec<Function> {
        let mut nodes = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = vec![(f.node(), false)];
        while let Some((index, is_done)) = pending.pop() {
            if is_done {
                nodes.push(Function((index as u32) << 1));
            } else if index != 0 && seen.insert(index) {
                pending.push((index, true));
                pending.extend([(self.nodes[index].low.node(), false), (self.nodes[index].high.node(), false)]);
            }
        }
        nodes
    }

    /// The variables that a function depends on, ascending.
    pub fn support(&self, f: Function) -> Vec<u32> {
        let mut levels: Vec<u32> = self.reachable(f).into_iter().map(|node| self.level(node)).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Some values that make a function true, by level; variables that are not listed do not matter.
    pub fn pick(&self, mut f: Function) -> Option<Vec<(u32, bool)>> {
        if f == Function::FALSE {
            return None;
        }
        let mut values = Vec::new();
        while let Some((level, low, high)) = self.branch(f) {
            let value = low == Function::FALSE;
            values.push((level, value));
            f = if value { high } else { low };
        }
        Some(values)
    }
}

fn hash(key: [u32; 4]) -> usize {
    let mix = |hash: u64, word: u32| (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    let hash = key.into_iter().fold(0, mix);
    (hash ^ hash >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;

    const VARIABLES: u32 = 6;

    /// The truth table of a function.
    fn table(diagrams: &Diagrams, f: Function) -> u64 {
        let value = |row: u64| {
            let mut at = f;
            while let Some((level, low, high)) = diagrams.branch(at) {
                at = if row >> level & 1 == 1 { high } else { low };
            }
            u64::from(at == Function::TRUE) << row
        };
        (0..1 << VARIABLES).map(value).fold(0, |all, one| all | one)
    }

    /// Some function with this variable, quantified away, of a table.
    fn quantified(table: u64, variable: u32) -> u64 {
        let has = |row: u64| table >> (row & !(1 << variable)) & 1 | table >> (row | 1 << variable) & 1;
        (0..1 << VARIABLES).map(|row| has(row) << row).fold(0, |all, one| all | one)
    }

    /// Random operations, with nodes collected in between: each result has the table that it should have, and functions
    /// with equal tables are equal.
    #[test]
    fn operations_are_those_of_tables() {
        for seed in 0..60 {
            println!("seed {seed}");
            let random = &mut Random::new(seed);
            let mut diagrams = Diagrams::new(Bounds::nodes(1 << 20), &Interrupt::default());
            let mut pool: Vec<(Function, u64)> = Vec::new();
            for level in 0..VARIABLES {
                let variable = diagrams.variable(level).expect("room");
                pool.push((variable, table(&diagrams, variable)));
            }
            for _ in 0..200 {
                let mut pick = || pool[random.below(pool.len())];
                {
                    let ((f, tf), (care, where_)) = (pick(), pick());
                    let restricted = diagrams.restrict(f, care).expect("room");
                    assert_eq!(table(&diagrams, restricted) & where_, tf & where_, "equal where it matters");
                }
                let ((f, tf), (g, tg), (h, th)) = (pick(), pick(), pick());
                let (result, expected) = match random.below(6) {
                    0 => (diagrams.and(f, !g), tf & !tg),
                    1 => (diagrams.or(f, g), tf | tg),
                    2 => (diagrams.xor(f, g), tf ^ tg),
                    3 => (diagrams.ite(f, g, !h), tf & tg | !tf & !th),
                    _ => {
                        let (a, b) = (random.below(6) as u32, random.below(6) as u32);
                        let cube = diagrams.cube([a, b].into_iter().collect::<std::collections::BTreeSet<_>>());
                        let result = diagrams.and_exists(f, g, cube.expect("room"));
                        (result, quantified(quantified(tf & tg, a), b))
                    }
                };
                let result = result.expect("room");
                assert_eq!(table(&diagrams, result), expected);
                for &(other, known) in &pool {
                    assert_eq!(other == result, known == expected);
                    assert_eq!(other == !result, known == !expected);
                }
                pool.push((result, expected));
                if random.below(20) == 0 {
                    pool.drain(VARIABLES as usize..pool.len() / 2 + 3);
                    diagrams.collect(pool.iter().map(|&(f, _)| f));
                }
                for &(f, expected) in &pool {
                    assert_eq!(table(&diagrams, f), expected);
                }
            }
        }
    }

    /// Parity of products needs many nodes: the package stops, and goes on with smaller functions.
    #[test]
    fn limits_stop_it_and_break_nothing() {
        let mut diagrams = Diagrams::new(Bounds::nodes(200), &Interrupt::default());
        let products = |diagrams: &mut Diagrams, pairs: u32| {
            let mut sum = Function::FALSE;
            for pair in 0..pairs {
                let (a, b) = (diagrams.variable(pair)?, diagrams.variable(pair + pairs)?);
                let both = diagrams.and(a, b)?;
                sum = diagrams.xor(sum, both)?;
            }
            Ok(sum)
        };
        assert_eq!(products(&mut diagrams, 8), Err(Stop::Full));
        diagrams.collect([]);
        let (a, b) = (diagrams.variable(0).expect("room"), diagrams.variable(1).expect("room"));
        assert_ne!(diagrams.and(a, b).expect("room"), Function::FALSE);
        let interrupt = Interrupt::default();
        interrupt.raise();
        let mut diagrams = Diagrams::new(Bounds::nodes(1 << 20), &interrupt);
        // The clock is looked at now and then only.
        diagrams.steps = BETWEEN_LOOKS - 1;
        assert_eq!(products(&mut diagrams, 8), Err(Stop::Interrupted));
    }

    /// Where there is no memory for larger tables the package stops, and goes on when there is some.
    #[test]
    fn memory_is_asked_for() {
        let interrupt = Interrupt::default();
        let mut diagrams = Diagrams::new(Bounds::nodes(1 << 20), &interrupt);
        interrupt.set_room(0);
        let mut sums = vec![Function::FALSE];
        let mut add = |diagrams: &mut Diagrams, pair: u32| {
            let (a, b) = (diagrams.variable(pair)?, diagrams.variable(pair + 12)?);
            let both = diagrams.and(a, b)?;
            sums.push(diagrams.xor(sums[sums.len() - 1], both)?);
            Ok(())
        };
        let fitting = (0..12).take_while(|&pair| add(&mut diagrams, pair).is_ok()).count() as u32;
        assert!((2..12).contains(&fitting) && diagrams.used() == 1 << 10, "{fitting} pairs, {}", diagrams.used());
        assert!(interrupt.was_refused() && !interrupt.is_raised());
        assert_eq!(add(&mut diagrams, fitting), Err(Stop::Full));
        interrupt.set_room(usize::MAX);
        assert_eq!((fitting..12).map(|pair| add(&mut diagrams, pair)).find(Result::is_err), None);
        let sum = sums[sums.len() - 1];
        for row in [0, 0b1011, 0xabc_def, 0xfff_fff, 0x801_801u32] {
            let mut at = sum;
            while let Some((level, low, high)) = diagrams.branch(at) {
                at = if row >> level & 1 == 1 { high } else { low };
            }
            assert_eq!(at == Function::TRUE, (row & row >> 12 & 0xfff).count_ones() % 2 == 1, "{row:x}");
        }
    }

    /// A function of very many variables is as deep as they are many.
    #[test]
    fn deep_functions_do_not_overflow_the_stack() {
        const DEEP: u32 = 300_000;
        let mut diagrams = Diagrams::new(Bounds::nodes(1 << 21), &Interrupt::default());
        let all = diagrams.cube(0..DEEP).expect("room");
        let even = diagrams.cube((0..DEEP).filter(|level| level % 2 == 0)).expect("room");
        let some = diagrams.cube((0..DEEP).filter(|level| level % 3 == 0)).expect("room");
        assert_eq!(diagrams.and(all, even), Ok(all));
        assert_eq!(diagrams.and_exists(all, even, some).map(|f| diagrams.size(f)), Ok(DEEP as usize * 2 / 3));
        let shifted = diagrams.shift(even, 1).expect("room");
        assert_eq!(diagrams.and(shifted, even), Ok(all));
        let differ = diagrams.xor(all, even).expect("room");
        assert_eq!(diagrams.ite(even, differ, shifted).map(Function::is_constant), Ok(false));
    }
}
