//! Runs the trees of `make`, cycle by cycle. Values are numbers, variables are found by their whole names, time is counted in
//! milliseconds; nothing here is shared with the front end.

use std::collections::HashMap;

use super::make::{Block, Expr, INT, Judged, Kind, Place, Source, Stmt, Ty, Unit, Var};

type Store = HashMap<String, i64>;

/// How a statement ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Normal,
    Exit,
    Continue,
    Return,
}

/// The name of the property that ends the run.
type Stop<T> = Result<T, String>;

pub struct Interpreter<'s> {
    source: &'s Source,
    store: Store,
    /// The values before the first cycle, and at the ends of all cycles.
    history: Vec<Store>,
    ranges: HashMap<String, (i64, i64, String)>,
    timers: HashMap<String, i64>,
    now: i64,
    asserted: HashMap<String, bool>,
}

/// A unit that runs.
#[derive(Clone, Default)]
struct Frame {
    prefix: String,
    aliases: HashMap<String, String>,
    locals: Store,
}

fn wrap(ty: Ty, value: i64) -> i64 {
    match ty {
        Ty::Bool => i64::from(value != 0),
        Ty::Mode => value,
        Ty::Int(bits, true) => (value << (64 - bits)) >> (64 - bits),
        Ty::Time => i64::from(value as i32),
        Ty::Int(bits, false) | Ty::Bits(bits) => value & ((1 << bits) - 1),
    }
}

fn first(var: &Var) -> i64 {
    var.start.unwrap_or_else(|| var.range.map_or(0, |(low, high)| 0_i64.clamp(low, high)))
}

impl<'s> Interpreter<'s> {
    pub fn new(source: &'s Source) -> Interpreter<'s> {
        let mut this = Interpreter {
            source,
            store: Store::new(),
            history: vec![],
            ranges: HashMap::new(),
            timers: HashMap::new(),
            now: 0,
            asserted: HashMap::new(),
        };
        for var in &source.globals {
            this.declare("", var);
        }
        this.declare_unit("", &source.main);
        this.history.push(this.store.clone());
        this
    }

    pub fn value(&self, name: &str) -> Option<i64> {
        self.store.get(name).copied()
    }

    fn declare(&mut self, prefix: &str, var: &Var) {
        let names: Vec<String> = match var.array {
            Some((low, high)) => (low..=high).map(|index| format!("{}[{index}]", var.name)).collect(),
            None => vec![var.name.clone()],
        };
        for name in names {
            let name = format!("{prefix}{name}").to_lowercase();
            if let Some((low, high)) = var.range {
                self.ranges.insert(name.clone(), (low, high, format!("range({})", var.name)));
            }
            self.store.insert(name, first(var));
        }
    }

    fn declare_unit(&mut self, prefix: &str, unit: &'s Unit) {
        for var in unit.inputs.iter().chain(&unit.outputs).chain(&unit.vars) {
            self.declare(prefix, var);
        }
        for (name, kind, array) in &unit.instances {
            let names: Vec<String> = match array {
                Some(count) => (0..*count).map(|index| format!("{prefix}{name}[{index}].")).collect(),
                None => vec![format!("{prefix}{name}.")],
            };
            for name in names {
                let name = name.to_lowercase();
                if *kind == Block::Own {
                    self.declare_unit(&name, &self.source.block);
                    continue;
                }
                for (part, _) in kind.inputs().iter().chain(kind.outputs()) {
                    self.store.insert(format!("{name}{}", part.to_lowercase()), 0);
                }
                for hidden in ["m", "mu", "md", "u", "d"] {
                    self.store.insert(format!("{name}{hidden}"), 0);
                }
            }
        }
    }

    /// Runs a cycle: which properties it reaches, or which one ends it.
    pub fn cycle(&mut self, inputs: &HashMap<String, i64>) -> Stop<HashMap<String, bool>> {
        for (name, value) in inputs {
            let ty =
                self.source.main.inputs.iter().find(|var| var.name.to_lowercase() == *name).map_or(INT, |var| var.ty);
            self.store.insert(name.clone(), wrap(ty, *value));
        }
        self.asserted.clear();
        let mut frame = Frame::default();
        for var in &self.source.main.temps {
            frame.locals.insert(var.name.clone(), first(var));
            if let Some((low, high)) = var.range {
                self.ranges.insert(var.name.clone(), (low, high, format!("range({})", var.name)));
            }
        }
        self.body(&self.source.main.body, &mut frame)?;
        // Properties see the last value of a temporary variable.
        for (name, value) in &frame.locals {
            self.store.insert(name.clone(), *value);
        }
        self.history.push(self.store.clone());
        if self.history.len() == 2 {
            for var in &self.source.main.temps {
                self.history[0].insert(var.name.clone(), first(var));
            }
        }
        self.now += self.source.cycle;
        let mut reached: HashMap<String, bool> = self.asserted.clone();
        for (name, judged) in &self.source.properties {
            let now = self.history.len() - 1;
            let hit = match judged {
                Judged::Always(condition) => self.at(condition, now) == 0,
                Judged::Never(condition) | Judged::Reach(condition) => self.at(condition, now) != 0,
                Judged::Within(trigger, answer, cycles) => {
                    let open: Vec<usize> =
                        (1..=now).filter(|&then| (then..=now).all(|later| self.at(answer, later) == 0)).collect();
                    open.into_iter().any(|then| now - then >= *cycles as usize && self.at(trigger, then) != 0)
                }
            };
            reached.insert(name.clone(), hit);
        }
        Ok(reached)
    }

    /// A condition of a property at the end of a cycle, or before the first one.
    fn at(&mut self, expr: &Expr, cycle: usize) -> i64 {
        match &expr.kind {
            Kind::Prev(inner) => self.at(inner, cycle.saturating_sub(1)),
            Kind::Once(inner) => i64::from((1..=cycle).any(|cycle| self.at(inner, cycle) != 0)),
            Kind::Historically(inner) => i64::from((1..=cycle).all(|cycle| self.at(inner, cycle) != 0)),
            Kind::Since(left, right) => {
                let begins = |this: &mut Self, begin: usize| {
                    this.at(right, begin) != 0 && (begin + 1..=cycle).all(|later| this.at(left, later) != 0)
                };
                i64::from((1..=cycle).any(|begin| begins(self, begin)))
            }
            Kind::Binary(op, a, b) => {
                let (a_value, b_value) = (self.at(a, cycle), self.at(b, cycle));
                binary(op, a.ty, a_value, b_value).unwrap_or(0)
            }
            Kind::Unary(op, a) => {
                let value = self.at(a, cycle);
                unary(op, expr.ty, value)
            }
            _ => {
                std::mem::swap(&mut self.store, &mut self.history[cycle]);
                let value = self.eval(expr, &mut Frame::default()).expect("properties are safe");
                std::mem::swap(&mut self.store, &mut self.history[cycle]);
                value
            }
        }
    }

    fn full(&self, name: &str, frame: &Frame) -> String {
        match frame.aliases.get(name) {
            Some(alias) => alias.clone(),
            None if name == "glob" => "glob".into(),
            None => format!("{}{name}", frame.prefix).to_lowercase(),
        }
    }

    fn read(&mut self, name: &str, frame: &Frame) -> i64 {
        if let Some(value) = frame.locals.get(name) {
            return *value;
        }
        let full = self.full(name, frame);
        *self.store.get(&full).unwrap_or_else(|| panic!("no variable {full}"))
    }

    fn place(&mut self, place: &Place, frame: &mut Frame) -> Stop<String> {
        Ok(match place {
            Place::Var(name) => name.clone(),
            Place::Cell(name, low, high, index) => {
                let index = self.checked(name, *low, *high, index, frame)?;
                format!("{name}[{index}]")
            }
            Place::Part(name, low, high, index, part) => {
                let index = self.checked(name, *low, *high, index, frame)?;
                format!("{name}[{index}].{part}")
            }
        })
    }

    fn checked(&mut self, name: &str, low: i64, high: i64, index: &Expr, frame: &mut Frame) -> Stop<i64> {
        let index = self.eval(index, frame)?;
        if (low..=high).contains(&index) { Ok(index) } else { Err(format!("index({name})")) }
    }

    fn write(&mut self, name: &str, value: i64, frame: &mut Frame) -> Stop<()> {
        if let Some(local) = frame.locals.get_mut(name) {
            if let Some((low, high, property)) = self.ranges.get(name)
                && !(*low..=*high).contains(&value)
            {
                return Err(property.clone());
            }
            *local = value;
            return Ok(());
        }
        let full = self.full(name, frame);
        if let Some((low, high, property)) = self.ranges.get(&full)
            && !(*low..=*high).contains(&value)
        {
            return Err(property.clone());
        }
        self.store.insert(full, value);
        Ok(())
    }

    fn eval(&mut self, expr: &Expr, frame: &mut Frame) -> Stop<i64> {
        match &expr.kind {
            Kind::Literal(value) => Ok(*value),
            Kind::Place(place) => {
                let name = self.place(place, frame)?;
                Ok(self.read(&name, frame))
            }
            Kind::Unary(op, a) => {
                let value = self.eval(a, frame)?;
                Ok(unary(op, expr.ty, value))
            }
            Kind::Binary(op @ ("AND_THEN" | "OR_ELSE"), a, b) => {
                let first = self.eval(a, frame)?;
                if (first != 0) == (*op == "AND_THEN") { self.eval(b, frame) } else { Ok(first) }
            }
            Kind::Binary(op, a, b) => {
                let first = self.eval(a, frame)?;
                let second = self.eval(b, frame)?;
                binary(op, a.ty, first, second)
            }
            Kind::Convert(a) => {
                let value = self.eval(a, frame)?;
                Ok(wrap(expr.ty, value))
            }
            Kind::Function(name, values) => {
                let mut given = vec![];
                for value in values {
                    given.push(self.eval(value, frame)?);
                }
                Ok(function(name, expr.ty, &given))
            }
            Kind::Own(values) => {
                let mut inner = Frame::default();
                for var in self.source.function.inputs.iter().chain(&self.source.function.vars) {
                    inner.locals.insert(var.name.clone(), first(var));
                    if let Some((low, high)) = var.range {
                        self.ranges.insert(var.name.clone(), (low, high, format!("range({})", var.name)));
                    }
                }
                inner.locals.insert("Fun".into(), 0);
                for (var, value) in self.source.function.inputs.iter().zip(values) {
                    let value = self.eval(value, frame)?;
                    inner.locals.insert(var.name.clone(), value);
                }
                self.body(&self.source.function.body, &mut inner)?;
                Ok(inner.locals["Fun"])
            }
            Kind::Prev(_) | Kind::Once(_) | Kind::Historically(_) | Kind::Since(..) => {
                panic!("these stand in properties alone")
            }
        }
    }

    fn body(&mut self, list: &[Stmt], frame: &mut Frame) -> Stop<End> {
        for stmt in list {
            let end = self.stmt(stmt, frame)?;
            if end != End::Normal {
                return Ok(end);
            }
        }
        Ok(End::Normal)
    }

    fn stmt(&mut self, stmt: &Stmt, frame: &mut Frame) -> Stop<End> {
        match stmt {
            Stmt::Assign(place, value) => {
                let name = self.place(place, frame)?;
                let value = self.eval(value, frame)?;
                self.write(&name, value, frame)?;
            }
            Stmt::If(branches, otherwise) => {
                for (condition, body) in branches {
                    if self.eval(condition, frame)? != 0 {
                        return self.body(body, frame);
                    }
                }
                if let Some(body) = otherwise {
                    return self.body(body, frame);
                }
            }
            Stmt::Case(selector, arms, otherwise) => {
                let value = self.eval(selector, frame)?;
                let arm =
                    arms.iter().find(|(labels, _)| labels.iter().any(|(low, high)| (*low..=*high).contains(&value)));
                if let Some(body) = arm.map(|(_, body)| body).or(otherwise.as_ref()) {
                    return self.body(body, frame);
                }
            }
            Stmt::For(counter, from, to, by, body) => {
                let start = self.eval(from, frame)?;
                self.write(counter, start, frame)?;
                loop {
                    let value = self.read(counter, frame);
                    if (*by > 0 && value > *to) || (*by < 0 && value < *to) {
                        break;
                    }
                    match self.body(body, frame)? {
                        End::Exit => break,
                        End::Return => return Ok(End::Return),
                        End::Normal | End::Continue => {}
                    }
                    let value = self.read(counter, frame);
                    self.write(counter, value + by, frame)?;
                }
            }
            Stmt::While(counter, count, condition, body) => {
                self.write(counter, 0, frame)?;
                loop {
                    let value = self.read(counter, frame);
                    // Both sides are evaluated.
                    let goes_on = self.eval(condition, frame)? != 0;
                    if value >= *count || !goes_on {
                        break;
                    }
                    match self.body(body, frame)? {
                        End::Exit => break,
                        End::Return => return Ok(End::Return),
                        End::Normal | End::Continue => {}
                    }
                    let value = self.read(counter, frame);
                    self.write(counter, value + 1, frame)?;
                }
            }
            Stmt::Repeat(counter, count, condition, body) => {
                self.write(counter, 0, frame)?;
                loop {
                    match self.body(body, frame)? {
                        End::Exit => break,
                        End::Return => return Ok(End::Return),
                        End::Normal | End::Continue => {}
                    }
                    let value = self.read(counter, frame) + 1;
                    self.write(counter, value, frame)?;
                    let is_done = self.eval(condition, frame)? != 0;
                    if value >= *count || is_done {
                        break;
                    }
                }
            }
            Stmt::Exit => return Ok(End::Exit),
            Stmt::Continue => return Ok(End::Continue),
            Stmt::Return => return Ok(End::Return),
            Stmt::Assert(name, condition) => {
                let fails = self.eval(condition, frame)? == 0;
                *self.asserted.entry(name.clone()).or_insert(false) |= fails;
            }
            Stmt::Call(kind, instance, inputs, references, outputs) => {
                let name = match &instance.index {
                    None => instance.name.clone(),
                    Some(index) => {
                        let index = self.checked(&instance.name, 0, 1, index, frame)?;
                        format!("{}[{index}]", instance.name)
                    }
                };
                let full = self.full(&format!("{name}."), frame);
                for (input, value) in inputs {
                    let value = self.eval(value, frame)?;
                    let place = format!("{full}{}", input.to_lowercase());
                    self.store.insert(place, value);
                }
                if *kind == Block::Own {
                    let mut inner = Frame { prefix: full.clone(), ..Frame::default() };
                    for (reference, variable) in references {
                        inner.aliases.insert(reference.clone(), self.full(variable, frame));
                    }
                    for var in &self.source.block.temps {
                        inner.locals.insert(var.name.clone(), first(var));
                        if let Some((low, high)) = var.range {
                            self.ranges.insert(var.name.clone(), (low, high, format!("range({})", var.name)));
                        }
                    }
                    self.body(&self.source.block.body, &mut inner)?;
                } else {
                    self.standard(*kind, &full);
                }
                for (output, place) in outputs {
                    let value = self.store[&format!("{full}{}", output.to_lowercase())];
                    let name = self.place(place, frame)?;
                    self.write(&name, value, frame)?;
                }
            }
        }
        Ok(End::Normal)
    }

    fn standard(&mut self, kind: Block, full: &str) {
        let now = self.now;
        let store = &mut self.store;
        let get = |store: &Store, part: &str| store[&format!("{full}{part}")];
        let set = |store: &mut Store, part: &str, value: i64| {
            store.insert(format!("{full}{part}"), value);
        };
        let is = |store: &Store, part: &str| store[&format!("{full}{part}")] != 0;
        match kind {
            Block::RTrig => {
                let rises = is(store, "clk") && !is(store, "m");
                set(store, "q", i64::from(rises));
                let clk = get(store, "clk");
                set(store, "m", clk);
            }
            Block::FTrig => {
                let falls = !is(store, "clk") && !is(store, "m");
                set(store, "q", i64::from(falls));
                let clk = is(store, "clk");
                set(store, "m", i64::from(!clk));
            }
            Block::Sr => {
                if is(store, "s1") {
                    set(store, "q1", 1);
                } else if is(store, "r") {
                    set(store, "q1", 0);
                }
            }
            Block::Rs => {
                if is(store, "r1") {
                    set(store, "q1", 0);
                } else if is(store, "s") {
                    set(store, "q1", 1);
                }
            }
            Block::Ctu => {
                let rises = is(store, "cu") && !is(store, "m");
                let mut count = get(store, "cv");
                if is(store, "r") {
                    count = 0;
                } else if rises {
                    count = (count + 1).min(32767);
                }
                let (cu, over) = (get(store, "cu"), count >= get(store, "pv"));
                set(store, "cv", count);
                set(store, "m", cu);
                set(store, "q", i64::from(over));
            }
            Block::Ctd => {
                let rises = is(store, "cd") && !is(store, "m");
                let mut count = get(store, "cv");
                if is(store, "ld") {
                    count = get(store, "pv");
                } else if rises {
                    count = (count - 1).max(-32768);
                }
                let cd = get(store, "cd");
                set(store, "cv", count);
                set(store, "m", cd);
                set(store, "q", i64::from(count <= 0));
            }
            Block::Ctud => {
                let up = is(store, "cu") && !is(store, "mu");
                let down = is(store, "cd") && !is(store, "md");
                let mut count = get(store, "cv");
                if is(store, "r") {
                    count = 0;
                } else if is(store, "ld") {
                    count = get(store, "pv");
                } else if up != down {
                    count = (count + if up { 1 } else { -1 }).clamp(-32768, 32767);
                }
                let (cu, cd, pv) = (get(store, "cu"), get(store, "cd"), get(store, "pv"));
                for (part, value) in
                    [("mu", cu), ("md", cd), ("u", i64::from(up)), ("d", i64::from(down)), ("cv", count)]
                {
                    set(store, part, value);
                }
                set(store, "qu", i64::from(count >= pv));
                set(store, "qd", i64::from(count <= 0));
            }
            Block::Ton | Block::Tof | Block::Tp => {
                let (on, pt) = (is(store, "in"), get(store, "pt"));
                let (mut q, mut et) = (is(store, "q"), get(store, "et"));
                let before = store.get(&format!("{full}@before")).copied().unwrap_or(0) != 0;
                let mut start = self.timers.get(full).copied().unwrap_or(0);
                match kind {
                    Block::Ton => {
                        if !on {
                            (q, et) = (false, 0);
                        } else {
                            if !before {
                                (start, et) = (now, 0);
                            }
                            if !q {
                                let elapsed = now - start;
                                q = elapsed >= pt;
                                et = elapsed.min(pt);
                            }
                        }
                    }
                    Block::Tof => {
                        if on {
                            (q, et) = (true, 0);
                        } else if q {
                            if before {
                                start = now;
                            }
                            let elapsed = now - start;
                            q = elapsed < pt;
                            et = elapsed.min(pt);
                        }
                    }
                    _ => {
                        if !q && on && !before {
                            (q, start) = (true, now);
                        }
                        if q {
                            let elapsed = now - start;
                            q = elapsed < pt;
                            et = elapsed.min(pt);
                        }
                        if !q && !on {
                            et = 0;
                        }
                    }
                }
                self.timers.insert(full.to_string(), start);
                set(store, "q", i64::from(q));
                set(store, "et", et);
                set(store, "@before", i64::from(on));
            }
            Block::Own => {}
        }
    }
}

fn unary(op: &str, ty: Ty, value: i64) -> i64 {
    match (op, ty) {
        ("NOT", Ty::Bool) => i64::from(value == 0),
        ("NOT", _) => wrap(ty, !value),
        _ => wrap(ty, -value),
    }
}

/// An operator on operands of a type.
fn binary(op: &str, ty: Ty, a: i64, b: i64) -> Stop<i64> {
    let truth = |value: bool| Ok(i64::from(value));
    match op {
        "=" => truth(a == b),
        "<>" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "AND" | "AND_THEN" => Ok(a & b),
        "OR" | "OR_ELSE" => Ok(a | b),
        "XOR" => Ok(a ^ b),
        "+" => Ok(wrap(ty, a + b)),
        "-" => Ok(wrap(ty, a - b)),
        "*" => Ok(wrap(ty, a.wrapping_mul(b))),
        "/" | "MOD" if b == 0 => Err("division_by_zero".into()),
        "/" => Ok(wrap(ty, a / b)),
        "MOD" => Ok(wrap(ty, a % b)),
        other => panic!("no operator {other}"),
    }
}

fn function(name: &str, ty: Ty, given: &[i64]) -> i64 {
    let bits = match ty {
        Ty::Bits(bits) => i64::from(bits),
        _ => 32,
    };
    match name {
        "ABS" => wrap(ty, given[0].abs()),
        "MIN" => given.iter().copied().min().expect("some"),
        "MAX" => given.iter().copied().max().expect("some"),
        "LIMIT" => given[1].max(given[0]).min(given[2]),
        "SEL" => given[if given[0] != 0 { 2 } else { 1 }],
        "MUX" => given[1 + given[0] as usize],
        "SHL" => {
            if given[1] >= bits {
                0
            } else {
                wrap(ty, given[0] << given[1])
            }
        }
        "SHR" => {
            if given[1] >= bits {
                0
            } else {
                given[0] >> given[1]
            }
        }
        "ROL" | "ROR" => {
            let by = given[1] % bits;
            let by = if name == "ROL" { by } else { (bits - by) % bits };
            wrap(ty, (given[0] << by) | (given[0] >> (bits - by)))
        }
        other => panic!("no function {other}"),
    }
}
