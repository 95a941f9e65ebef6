//! Random programs: a tree that is written out as text, and that the interpreter walks over.

use std::fmt::Write;

use super::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    Int(u8, bool),
    Bits(u8),
    Time,
    Mode,
}

pub const TYPES: [Ty; 12] = [
    Ty::Bool,
    Ty::Int(8, true),
    Ty::Int(16, true),
    Ty::Int(32, true),
    Ty::Int(8, false),
    Ty::Int(16, false),
    Ty::Int(32, false),
    Ty::Bits(8),
    Ty::Bits(16),
    Ty::Bits(32),
    Ty::Time,
    Ty::Mode,
];

pub const INT: Ty = Ty::Int(16, true);
pub const MODES: [&str; 3] = ["Red", "Amber", "Green"];

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "BOOL",
            Ty::Int(8, true) => "SINT",
            Ty::Int(16, true) => "INT",
            Ty::Int(_, true) => "DINT",
            Ty::Int(8, false) => "USINT",
            Ty::Int(16, false) => "UINT",
            Ty::Int(_, false) => "UDINT",
            Ty::Bits(8) => "BYTE",
            Ty::Bits(16) => "WORD",
            Ty::Bits(_) => "DWORD",
            Ty::Time => "TIME",
            Ty::Mode => "Mode",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Ty::Int(..))
    }
}

/// Labels, as ranges, and a body.
pub type Arm = (Vec<(i64, i64)>, Vec<Stmt>);

/// A variable: its name, and for a part of an instance in an array, which one.
#[derive(Clone, Debug)]
pub enum Place {
    Var(String),
    /// A cell of an array with these bounds.
    Cell(String, i64, i64, Box<Expr>),
    /// A part of an instance in an array.
    Part(String, i64, i64, Box<Expr>, String),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Ty,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Literal(i64),
    Place(Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// A function of the standard.
    Function(&'static str, Vec<Expr>),
    Convert(Box<Expr>),
    /// The function of the program.
    Own(Vec<Expr>),
    Prev(Box<Expr>),
    Once(Box<Expr>),
    Historically(Box<Expr>),
    Since(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(Place, Expr),
    If(Vec<(Expr, Vec<Stmt>)>, Option<Vec<Stmt>>),
    Case(Expr, Vec<Arm>, Option<Vec<Stmt>>),
    For(String, Expr, i64, i64, Vec<Stmt>),
    /// A counter, how far it goes, a further condition, the body.
    While(String, i64, Expr, Vec<Stmt>),
    Repeat(String, i64, Expr, Vec<Stmt>),
    Exit,
    Continue,
    Return,
    /// A block: what it is, where it is, its inputs, its references, its outputs.
    Call(Block, Instance, Vec<(String, Expr)>, Vec<(String, String)>, Vec<(String, Place)>),
    Assert(String, Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    RTrig,
    FTrig,
    Sr,
    Rs,
    Ctu,
    Ctd,
    Ctud,
    Ton,
    Tof,
    Tp,
    Own,
}

impl Block {
    pub fn name(self) -> &'static str {
        match self {
            Block::RTrig => "R_TRIG",
            Block::FTrig => "F_TRIG",
            Block::Sr => "SR",
            Block::Rs => "RS",
            Block::Ctu => "CTU",
            Block::Ctd => "CTD",
            Block::Ctud => "CTUD",
            Block::Ton => "TON",
            Block::Tof => "TOF",
            Block::Tp => "TP",
            Block::Own => "Own",
        }
    }

    pub fn inputs(self) -> &'static [(&'static str, Ty)] {
        match self {
            Block::RTrig | Block::FTrig => &[("CLK", Ty::Bool)],
            Block::Sr => &[("S1", Ty::Bool), ("R", Ty::Bool)],
            Block::Rs => &[("S", Ty::Bool), ("R1", Ty::Bool)],
            Block::Ctu => &[("CU", Ty::Bool), ("R", Ty::Bool), ("PV", INT)],
            Block::Ctd => &[("CD", Ty::Bool), ("LD", Ty::Bool), ("PV", INT)],
            Block::Ctud => &[("CU", Ty::Bool), ("CD", Ty::Bool), ("R", Ty::Bool), ("LD", Ty::Bool), ("PV", INT)],
            Block::Ton | Block::Tof | Block::Tp => &[("IN", Ty::Bool), ("PT", Ty::Time)],
            Block::Own => &[],
        }
    }

    pub fn outputs(self) -> &'static [(&'static str, Ty)] {
        match self {
            Block::RTrig | Block::FTrig => &[("Q", Ty::Bool)],
            Block::Sr | Block::Rs => &[("Q1", Ty::Bool)],
            Block::Ctu | Block::Ctd => &[("Q", Ty::Bool), ("CV", INT)],
            Block::Ctud => &[("QU", Ty::Bool), ("QD", Ty::Bool), ("CV", INT)],
            Block::Ton | Block::Tof | Block::Tp => &[("Q", Ty::Bool), ("ET", Ty::Time)],
            Block::Own => &[],
        }
    }
}

/// An instance by its name, perhaps in an array from 0 to 1.
#[derive(Clone, Debug)]
pub struct Instance {
    pub name: String,
    pub index: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Ty,
    pub range: Option<(i64, i64)>,
    pub start: Option<i64>,
    /// The bounds of an array.
    pub array: Option<(i64, i64)>,
}

/// A program, a block or a function.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub inputs: Vec<Var>,
    pub outputs: Vec<Var>,
    /// `VAR_IN_OUT`, of type `INT`.
    pub references: Vec<String>,
    pub vars: Vec<Var>,
    pub temps: Vec<Var>,
    /// With the number of those in an array of them, from 0 on.
    pub instances: Vec<(String, Block, Option<usize>)>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub enum Judged {
    Always(Expr),
    Never(Expr),
    Reach(Expr),
    Within(Expr, Expr, i64),
}

#[derive(Clone, Debug)]
pub struct Source {
    pub globals: Vec<Var>,
    pub function: Unit,
    pub block: Unit,
    pub main: Unit,
    pub properties: Vec<(String, Judged)>,
    pub cycle: i64,
}

/// The names at some place.
#[derive(Clone, Default)]
struct Scope {
    /// Readable and, if the flag is set, assignable.
    vars: Vec<(Place, Ty, bool)>,
    arrays: Vec<(String, i64, i64, Ty)>,
    instances: Vec<(String, Block, Option<usize>)>,
    counters: Vec<String>,
    references: Vec<String>,
    in_loop: bool,
    may_return: bool,
    is_main: bool,
    has_function: bool,
}

struct Maker {
    random: Random,
    asserts: usize,
    /// Whether nothing may end the run, as in properties.
    safe: bool,
    budget: usize,
}

pub fn program(seed: u64) -> Source {
    let mut maker = Maker { random: Random::new(seed), asserts: 0, safe: false, budget: 0 };
    maker.source()
}

impl Maker {
    fn var(&mut self, name: String) -> Var {
        let ty = self.random.pick(&TYPES);
        let start = self.random.chance(40).then(|| self.literal(ty));
        let range = (ty == INT && self.random.chance(20)).then_some((-3, 5));
        let start = start.map(|start| range.map_or(start, |(low, high): (i64, i64)| start.clamp(low, high)));
        Var { name, ty, range, start, array: None }
    }

    fn vars(&mut self, prefix: &str, count: usize) -> Vec<Var> {
        (0..count).map(|index| self.var(format!("{prefix}{index}"))).collect()
    }

    fn plain(name: &str, ty: Ty) -> Var {
        Var { name: name.into(), ty, range: None, start: None, array: None }
    }

    fn source(&mut self) -> Source {
        let cycle = self.random.pick(&[100, 100, 10, 30]);
        let mut glob = Self::plain("glob", INT);
        glob.start = Some(3);
        let mut function =
            Unit { inputs: vec![Self::plain("fx", INT), Self::plain("fy", Ty::Bool)], ..Unit::default() };
        function.inputs[0].start = Some(4);
        function.vars = self.vars("fv", 2);
        let mut block = Unit { inputs: self.vars("ba", 2), outputs: self.vars("bo", 2), ..Unit::default() };
        block.inputs.push(Self::plain("bb", Ty::Bool));
        block.references = vec!["br".into()];
        block.vars = self.vars("bv", 2);
        block.vars.push(Self::plain("bk", INT));
        block.temps = self.vars("bt", 1);
        let kinds = [Block::RTrig, Block::Ton, Block::Tof, Block::Tp, Block::Ctu, Block::Sr];
        block.instances = vec![("bi".into(), self.random.pick(&kinds), None)];
        let mut main = Unit { inputs: self.vars("in", 3), outputs: self.vars("out", 2), ..Unit::default() };
        main.inputs.iter_mut().for_each(|var| var.start = None);
        main.inputs.push(Self::plain("press", Ty::Bool));
        main.inputs.push(Self::plain("hold", Ty::Bool));
        main.vars = self.vars("v", 4);
        main.vars.extend([
            Self::plain("ref0", INT),
            Self::plain("ref1", INT),
            Self::plain("i", INT),
            Self::plain("k", INT),
        ]);
        let mut arr = self.var("arr".into());
        arr.array = Some((-1, 2));
        arr.start = None;
        main.vars.push(arr);
        main.temps = self.vars("tmp", 1);
        let all = [
            Block::RTrig,
            Block::FTrig,
            Block::Sr,
            Block::Rs,
            Block::Ctu,
            Block::Ctd,
            Block::Ctud,
            Block::Ton,
            Block::Tof,
            Block::Tp,
        ];
        for index in 0..3 {
            let array = self.random.chance(20).then_some(2);
            main.instances.push((format!("s{index}"), self.random.pick(&all), array));
        }
        main.instances.push(("own".into(), Block::Own, None));
        if self.random.chance(40) {
            main.instances.push(("owns".into(), Block::Own, Some(2)));
        }
        let scope = self.scope(&function, &block, false);
        self.budget = 6;
        let mut body = self.body(&Scope { may_return: true, ..scope.clone() }, 2);
        let result = self.expr(INT, &scope, 2);
        body.push(Stmt::Assign(Place::Var("Fun".into()), result));
        function.body = body;
        let mut scope = self.scope(&block, &block, true);
        scope.counters = vec!["bk".into()];
        scope.may_return = true;
        self.budget = 10;
        block.body = self.body(&scope, 2);
        let mut scope = self.scope(&main, &block, true);
        scope.counters = vec!["i".into(), "k".into()];
        scope.references = vec!["ref0".into(), "ref1".into()];
        (scope.is_main, scope.may_return) = (true, self.random.chance(20));
        self.budget = 25;
        main.body = self.body(&scope, 3);
        // Blocks that nothing calls are dull.
        for (name, kind, array) in main.instances.clone() {
            if self.random.chance(70) {
                let call = self.call(&scope, &name, kind, array);
                main.body.push(call);
            }
        }
        self.safe = true;
        let mut properties = vec![];
        for index in 0..4 {
            let condition = self.judged(&scope, 2);
            let judged = match self.random.below(4) {
                0 => Judged::Always(condition),
                1 => Judged::Never(condition),
                2 => Judged::Reach(condition),
                _ => Judged::Within(condition, self.judged(&scope, 1), self.random.below(4) as i64),
            };
            properties.push((format!("p{index}"), judged));
        }
        Source { globals: vec![glob], function, block, main, properties, cycle }
    }

    fn scope(&mut self, unit: &Unit, own: &Unit, has_function: bool) -> Scope {
        let mut scope = Scope { has_function, ..Scope::default() };
        let place = |name: &str| Place::Var(name.to_string());
        for var in &unit.inputs {
            scope.vars.push((place(&var.name), var.ty, false));
        }
        for var in unit.outputs.iter().chain(&unit.vars).chain(&unit.temps) {
            match var.array {
                Some((low, high)) => scope.arrays.push((var.name.clone(), low, high, var.ty)),
                None => {
                    let counts = ["i", "k", "bk"].contains(&var.name.as_str());
                    scope.vars.push((place(&var.name), var.ty, !counts));
                }
            }
        }
        for name in &unit.references {
            scope.vars.push((place(name), INT, true));
        }
        if has_function {
            scope.vars.push((place("glob"), INT, true));
        }
        for (name, kind, array) in &unit.instances {
            let outputs: Vec<(String, Ty)> = match kind {
                Block::Own => own.outputs.iter().map(|var| (var.name.clone(), var.ty)).collect(),
                kind => kind.outputs().iter().map(|(name, ty)| ((*name).to_string(), *ty)).collect(),
            };
            for (output, ty) in outputs {
                let place = match array {
                    None => Place::Var(format!("{name}.{output}")),
                    Some(_) => {
                        let index = Expr { ty: INT, kind: Kind::Literal(self.random.below(2) as i64) };
                        Place::Part(name.clone(), 0, 1, Box::new(index), output)
                    }
                };
                scope.vars.push((place, ty, false));
            }
        }
        scope.instances.clone_from(&unit.instances);
        scope
    }

    pub fn literal(&mut self, ty: Ty) -> i64 {
        match ty {
            Ty::Bool => self.random.below(2) as i64,
            Ty::Mode => self.random.below(3) as i64,
            Ty::Time => self.random.pick(&[0, 100, 200, 250, 300, 1000]),
            Ty::Int(bits, true) => {
                let most = (1_i64 << (bits - 1)) - 1;
                self.random.pick(&[0, 1, 2, 3, 5, -1, -2, -7, most, -most - 1, most / 3])
            }
            Ty::Int(bits, false) | Ty::Bits(bits) => {
                let most = (1_i64 << bits) - 1;
                self.random.pick(&[0, 1, 2, 3, 5, 7, most, most / 2, most / 2 + 1])
            }
        }
    }

    fn leaf(&mut self, ty: Ty, scope: &Scope) -> Expr {
        let fitting: Vec<Place> =
            scope.vars.iter().filter(|(_, other, _)| *other == ty).map(|(place, ..)| place.clone()).collect();
        if !fitting.is_empty() && self.random.chance(75) {
            return Expr { ty, kind: Kind::Place(self.random.pick(&fitting)) };
        }
        Expr { ty, kind: Kind::Literal(self.literal(ty)) }
    }

    fn expr(&mut self, ty: Ty, scope: &Scope, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(20) {
            return self.leaf(ty, scope);
        }
        let depth = depth - 1;
        let cells: Vec<_> = scope.arrays.iter().filter(|(.., other)| *other == ty).cloned().collect();
        if !self.safe && !cells.is_empty() && self.random.chance(20) {
            let (name, low, high, _) = self.random.pick(&cells);
            let index = self.index(scope, low, high, depth);
            return Expr { ty, kind: Kind::Place(Place::Cell(name, low, high, Box::new(index))) };
        }
        if self.random.chance(8) {
            return self.select(ty, scope, depth);
        }
        if !matches!(ty, Ty::Mode | Ty::Time) && self.random.chance(15) {
            let from = self.random.pick(&TYPES);
            if from != ty && from != Ty::Mode {
                return Expr { ty, kind: Kind::Convert(Box::new(self.expr(from, scope, depth))) };
            }
        }
        let binary = |op, a: Expr, b: Expr| Expr { ty, kind: Kind::Binary(op, Box::new(a), Box::new(b)) };
        match ty {
            Ty::Bool => match self.random.below(6) {
                0 => Expr { ty, kind: Kind::Unary("NOT", Box::new(self.expr(ty, scope, depth))) },
                1 | 2 => {
                    let op = self.random.pick(&["AND", "OR", "XOR", "AND_THEN", "OR_ELSE", "=", "<>"]);
                    binary(op, self.expr(ty, scope, depth), self.expr(ty, scope, depth))
                }
                _ => {
                    let of = self.random.pick(&TYPES[1..]);
                    let op = self.random.pick(&["=", "<>", "<", "<=", ">", ">="]);
                    binary(op, self.expr(of, scope, depth), self.expr(of, scope, depth))
                }
            },
            Ty::Int(..) => match self.random.below(10) {
                0 if ty == INT && scope.has_function && !self.safe => {
                    let mut given = vec![self.expr(INT, scope, depth)];
                    if self.random.chance(60) {
                        given.push(self.expr(Ty::Bool, scope, depth));
                    }
                    Expr { ty, kind: Kind::Own(given) }
                }
                1 => Expr { ty, kind: Kind::Function("ABS", vec![self.expr(ty, scope, depth)]) },
                2 => {
                    let name = self.random.pick(&["MIN", "MAX"]);
                    let count = 2 + self.random.below(2);
                    let values = (0..count).map(|_| self.expr(ty, scope, depth)).collect();
                    Expr { ty, kind: Kind::Function(name, values) }
                }
                3 => {
                    let values = (0..3).map(|_| self.expr(ty, scope, depth)).collect();
                    Expr { ty, kind: Kind::Function("LIMIT", values) }
                }
                4 if matches!(ty, Ty::Int(_, true)) => {
                    Expr { ty, kind: Kind::Unary("-", Box::new(self.expr(ty, scope, depth))) }
                }
                5 => {
                    let op = self.random.pick(&["/", "MOD"]);
                    let right = match self.safe || self.random.chance(90) {
                        true => {
                            let all =
                                if matches!(ty, Ty::Int(_, true)) { vec![2, 3, -3, 7, -1] } else { vec![2, 3, 7, 100] };
                            Expr { ty, kind: Kind::Literal(self.random.pick(&all)) }
                        }
                        false => self.expr(ty, scope, depth),
                    };
                    binary(op, self.expr(ty, scope, depth), right)
                }
                _ => {
                    let op = self.random.pick(&["+", "-", "*"]);
                    binary(op, self.expr(ty, scope, depth), self.expr(ty, scope, depth))
                }
            },
            Ty::Bits(bits) => match self.random.below(4) {
                0 => Expr { ty, kind: Kind::Unary("NOT", Box::new(self.expr(ty, scope, depth))) },
                1 => {
                    let name = self.random.pick(&["SHL", "SHR", "ROL", "ROR"]);
                    let amount = match self.random.chance(70) {
                        true => {
                            let most = u64::from(bits) as usize + 2;
                            Expr { ty: Ty::Int(8, false), kind: Kind::Literal(self.random.below(most) as i64) }
                        }
                        false => self.expr(Ty::Int(8, false), scope, depth),
                    };
                    Expr { ty, kind: Kind::Function(name, vec![self.expr(ty, scope, depth), amount]) }
                }
                _ => {
                    let op = self.random.pick(&["AND", "OR", "XOR"]);
                    binary(op, self.expr(ty, scope, depth), self.expr(ty, scope, depth))
                }
            },
            Ty::Time => {
                let op = self.random.pick(&["+", "-"]);
                binary(op, self.expr(ty, scope, depth), self.expr(ty, scope, depth))
            }
            Ty::Mode => self.leaf(ty, scope),
        }
    }

    fn select(&mut self, ty: Ty, scope: &Scope, depth: usize) -> Expr {
        let choice = self.expr(Ty::Bool, scope, depth);
        if self.random.chance(70) {
            let values = vec![choice, self.expr(ty, scope, depth), self.expr(ty, scope, depth)];
            return Expr { ty, kind: Kind::Function("SEL", values) };
        }
        let values = (0..3).map(|_| self.expr(ty, scope, depth)).collect::<Vec<_>>();
        let literal = |value| Expr { ty: INT, kind: Kind::Literal(value) };
        let number = Expr { ty: INT, kind: Kind::Function("SEL", vec![choice, literal(0), literal(2)]) };
        Expr { ty, kind: Kind::Function("MUX", [vec![number], values].concat()) }
    }

    /// An index that mostly fits.
    fn index(&mut self, scope: &Scope, low: i64, high: i64, depth: usize) -> Expr {
        if self.random.chance(90) || depth == 0 {
            let value = low + self.random.below((high - low + 1) as usize) as i64;
            return match self.random.chance(50) {
                true => Expr { ty: INT, kind: Kind::Literal(value) },
                false => {
                    let literal = |value| Expr { ty: INT, kind: Kind::Literal(value) };
                    let inner = self.expr(INT, scope, depth);
                    Expr { ty: INT, kind: Kind::Function("LIMIT", vec![literal(low), inner, literal(high)]) }
                }
            };
        }
        self.expr(INT, scope, depth)
    }

    /// A condition of a property.
    fn judged(&mut self, scope: &Scope, depth: usize) -> Expr {
        let ty = Ty::Bool;
        if depth == 0 {
            return self.expr(ty, scope, 2);
        }
        let inner = |this: &mut Self| Box::new(this.judged(scope, depth - 1));
        let kind = match self.random.below(8) {
            0 => Kind::Once(inner(self)),
            1 => Kind::Historically(inner(self)),
            2 => Kind::Since(inner(self), inner(self)),
            3 => Kind::Prev(inner(self)),
            4 => Kind::Binary("AND", inner(self), inner(self)),
            5 => Kind::Binary("OR", inner(self), inner(self)),
            6 => {
                let of = self.random.pick(&TYPES[1..]);
                let leaf = self.leaf(of, scope);
                let previous = Expr { ty: of, kind: Kind::Prev(Box::new(leaf.clone())) };
                Kind::Binary("=", Box::new(leaf), Box::new(previous))
            }
            _ => return self.expr(ty, scope, 2),
        };
        Expr { ty, kind }
    }

    fn body(&mut self, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let count = 1 + self.random.below(4);
        let mut list = vec![];
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let stmt = self.stmt(scope, depth);
            list.push(stmt);
        }
        list
    }

    fn stmt(&mut self, scope: &Scope, depth: usize) -> Stmt {
        let choice = self.random.below(if depth == 0 { 8 } else { 20 });
        match choice {
            6 if !scope.instances.is_empty() => {
                let (name, kind, array) = self.random.pick(&scope.instances);
                self.call(scope, &name, kind, array)
            }
            7 if scope.is_main => {
                self.asserts += 1;
                let name = format!("a{}", self.asserts);
                self.safe = true;
                let condition = self.expr(Ty::Bool, scope, 2);
                self.safe = false;
                Stmt::Assert(name, condition)
            }
            8..=12 => {
                let mut branches = vec![];
                for _ in 0..1 + self.random.below(3) {
                    branches.push((self.expr(Ty::Bool, scope, 2), self.branch(scope, depth - 1)));
                }
                let otherwise = self.random.chance(40).then(|| self.branch(scope, depth - 1));
                Stmt::If(branches, otherwise)
            }
            13 | 14 => {
                let selector = self.expr(INT, scope, 2);
                let mut arms = vec![];
                for _ in 0..1 + self.random.below(3) {
                    let mut labels = vec![];
                    for _ in 0..1 + self.random.below(2) {
                        let low = self.random.below(9) as i64 - 4;
                        labels.push((low, low + [0, 0, 2][self.random.below(3)]));
                    }
                    arms.push((labels, self.branch(scope, depth - 1)));
                }
                let otherwise = self.random.chance(50).then(|| self.branch(scope, depth - 1));
                Stmt::Case(selector, arms, otherwise)
            }
            15..=17 if !scope.counters.is_empty() => {
                let mut inner = scope.clone();
                let counter = inner.counters.remove(0);
                inner.in_loop = true;
                let condition = self.expr(Ty::Bool, scope, 1);
                let count = self.random.below(4) as i64;
                match choice {
                    15 => {
                        let body = self.branch(&inner, depth - 1);
                        let by = self.random.pick(&[1, 1, 2, -1]);
                        let (first, last) = if by < 0 { (count, 0) } else { (0, count) };
                        let mut from = Expr { ty: INT, kind: Kind::Literal(first) };
                        if self.random.chance(30) {
                            let literal = |value| Expr { ty: INT, kind: Kind::Literal(value) };
                            let any = self.leaf(INT, scope);
                            from = Expr { ty: INT, kind: Kind::Function("LIMIT", vec![literal(0), any, literal(3)]) };
                        }
                        Stmt::For(counter, from, last, by, body)
                    }
                    16 => Stmt::While(counter, count, condition, self.loop_body(&inner, depth - 1)),
                    _ => Stmt::Repeat(counter, count, condition, self.loop_body(&inner, depth - 1)),
                }
            }
            18 if scope.in_loop => {
                let leave = self.random.pick(&[Stmt::Exit, Stmt::Continue]);
                // Where `CONTINUE` would jump over the counting of a `WHILE`, the loop would have no end.
                Stmt::If(vec![(self.expr(Ty::Bool, scope, 1), vec![leave])], None)
            }
            19 if scope.may_return => Stmt::If(vec![(self.expr(Ty::Bool, scope, 1), vec![Stmt::Return])], None),
            _ => self.assign(scope, depth),
        }
    }

    /// A body of a loop that counts by itself: nothing may jump over that.
    fn loop_body(&mut self, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let scope = Scope { in_loop: false, ..scope.clone() };
        self.branch(&scope, depth)
    }

    fn branch(&mut self, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let body = self.body(scope, depth);
        if body.is_empty() { vec![self.assign(scope, 0)] } else { body }
    }

    fn assign(&mut self, scope: &Scope, depth: usize) -> Stmt {
        if !scope.arrays.is_empty() && self.random.chance(20) {
            let (name, low, high, ty) = self.random.pick(&scope.arrays);
            let index = self.index(scope, low, high, depth.min(1));
            return Stmt::Assign(Place::Cell(name, low, high, Box::new(index)), self.expr(ty, scope, 2));
        }
        let targets: Vec<(Place, Ty)> =
            scope.vars.iter().filter(|(.., free)| *free).map(|(place, ty, _)| (place.clone(), *ty)).collect();
        let (place, ty) = self.random.pick(&targets);
        Stmt::Assign(place, self.expr(ty, scope, 3))
    }

    fn call(&mut self, scope: &Scope, name: &str, kind: Block, array: Option<usize>) -> Stmt {
        let index = array.map(|_| self.index(scope, 0, 1, 1));
        let instance = Instance { name: name.into(), index };
        let mut inputs = vec![];
        let mut references = vec![];
        if kind == Block::Own {
            inputs.push(("bb".to_string(), self.expr(Ty::Bool, scope, 2)));
            references.push(("br".to_string(), self.random.pick(&scope.references)));
        }
        for (input, ty) in kind.inputs() {
            if self.random.chance(85) {
                let value = match *ty {
                    Ty::Time if self.random.chance(70) => Expr { ty: *ty, kind: Kind::Literal(self.literal(*ty)) },
                    Ty::Time => {
                        // Times are not negative.
                        let literal = |value| Expr { ty: Ty::Time, kind: Kind::Literal(value) };
                        let choice = self.expr(Ty::Bool, scope, 1);
                        let values = vec![choice, literal(self.literal(*ty)), literal(self.literal(*ty))];
                        Expr { ty: *ty, kind: Kind::Function("SEL", values) }
                    }
                    INT => Expr { ty: INT, kind: Kind::Literal(self.random.below(4) as i64) },
                    ty => self.expr(ty, scope, 2),
                };
                inputs.push(((*input).to_string(), value));
            }
        }
        let mut outputs = vec![];
        for (output, ty) in kind.outputs() {
            let fitting: Vec<Place> = scope
                .vars
                .iter()
                .filter(|(_, other, free)| other == ty && *free)
                .map(|(place, ..)| place.clone())
                .collect();
            if !fitting.is_empty() && self.random.chance(20) {
                outputs.push(((*output).to_string(), self.random.pick(&fitting)));
            }
        }
        Stmt::Call(kind, instance, inputs, references, outputs)
    }
}

// As text.

impl Source {
    pub fn text(&self) -> String {
        let mut text = format!("TYPE Mode : ({}); END_TYPE\n", MODES.join(", "));
        block_of(&mut text, "VAR_GLOBAL", &self.globals);
        text += "FUNCTION Fun : INT\n";
        unit(&mut text, &self.function);
        text += "END_FUNCTION\nFUNCTION_BLOCK Own\n";
        unit(&mut text, &self.block);
        text += "END_FUNCTION_BLOCK\nPROGRAM Main\n";
        unit(&mut text, &self.main);
        let _ = writeln!(text, "(*@ cycle T#{}ms", self.cycle);
        for (name, judged) in &self.properties {
            let said = match judged {
                Judged::Always(condition) => format!("always {}", condition.text()),
                Judged::Never(condition) => format!("never {}", condition.text()),
                Judged::Reach(condition) => format!("reach {}", condition.text()),
                Judged::Within(a, b, cycles) => format!("{} ~> {} within {cycles}", a.text(), b.text()),
            };
            let _ = writeln!(text, "property {name}: {said}");
        }
        text + "@*)\nEND_PROGRAM\n"
    }
}

fn block_of(text: &mut String, word: &str, vars: &[Var]) {
    if vars.is_empty() {
        return;
    }
    let _ = writeln!(text, "{word}");
    for var in vars {
        let start = var.start.map_or(String::new(), |start| format!(" := {}", literal(var.ty, start)));
        let range = var.range.map_or(String::new(), |(low, high)| format!(" ({low}..{high})"));
        let array = var.array.map_or(String::new(), |(low, high)| format!("ARRAY[{low}..{high}] OF "));
        let _ = writeln!(text, "  {} : {array}{}{range}{start};", var.name, var.ty.name());
    }
    *text += "END_VAR\n";
}

fn unit(text: &mut String, unit: &Unit) {
    block_of(text, "VAR_INPUT", &unit.inputs);
    block_of(text, "VAR_OUTPUT", &unit.outputs);
    let references: Vec<Var> = unit.references.iter().map(|name| Maker::plain(name, INT)).collect();
    block_of(text, "VAR_IN_OUT", &references);
    block_of(text, "VAR", &unit.vars);
    block_of(text, "VAR_TEMP", &unit.temps);
    if !unit.instances.is_empty() {
        *text += "VAR\n";
        for (name, kind, array) in &unit.instances {
            let array = array.map_or(String::new(), |count| format!("ARRAY[0..{}] OF ", count - 1));
            let _ = writeln!(text, "  {name} : {array}{};", kind.name());
        }
        *text += "END_VAR\n";
    }
    body(text, &unit.body, 0);
}

fn body(text: &mut String, list: &[Stmt], depth: usize) {
    let pad = "  ".repeat(depth);
    for stmt in list {
        match stmt {
            Stmt::Assign(place, value) => {
                let _ = writeln!(text, "{pad}{} := {};", place.text(), value.text());
            }
            Stmt::If(branches, otherwise) => {
                for (index, (condition, inner)) in branches.iter().enumerate() {
                    let word = if index == 0 { "IF" } else { "ELSIF" };
                    let _ = writeln!(text, "{pad}{word} {} THEN", condition.text());
                    body(text, inner, depth + 1);
                }
                if let Some(inner) = otherwise {
                    let _ = writeln!(text, "{pad}ELSE");
                    body(text, inner, depth + 1);
                }
                let _ = writeln!(text, "{pad}END_IF;");
            }
            Stmt::Case(selector, arms, otherwise) => {
                let _ = writeln!(text, "{pad}CASE {} OF", selector.text());
                for (labels, inner) in arms {
                    let labels: Vec<String> = labels
                        .iter()
                        .map(|(low, high)| if low == high { low.to_string() } else { format!("{low}..{high}") })
                        .collect();
                    let _ = writeln!(text, "{pad}  {}:", labels.join(", "));
                    body(text, inner, depth + 2);
                }
                if let Some(inner) = otherwise {
                    let _ = writeln!(text, "{pad}ELSE");
                    body(text, inner, depth + 1);
                }
                let _ = writeln!(text, "{pad}END_CASE;");
            }
            Stmt::For(counter, from, to, by, inner) => {
                let by = if *by == 1 { String::new() } else { format!(" BY {by}") };
                let _ = writeln!(text, "{pad}FOR {counter} := {} TO {to}{by} DO", from.text());
                body(text, inner, depth + 1);
                let _ = writeln!(text, "{pad}END_FOR;");
            }
            Stmt::While(counter, count, condition, inner) => {
                let _ = writeln!(text, "{pad}{counter} := 0;");
                let _ = writeln!(text, "{pad}WHILE {counter} < {count} AND {} DO", condition.text());
                body(text, inner, depth + 1);
                let _ = writeln!(text, "{pad}  {counter} := {counter} + 1;\n{pad}END_WHILE;");
            }
            Stmt::Repeat(counter, count, condition, inner) => {
                let _ = writeln!(text, "{pad}{counter} := 0;\n{pad}REPEAT");
                body(text, inner, depth + 1);
                let _ = writeln!(text, "{pad}  {counter} := {counter} + 1;");
                let _ = writeln!(text, "{pad}UNTIL {counter} >= {count} OR {} END_REPEAT;", condition.text());
            }
            Stmt::Exit => *text += &format!("{pad}EXIT;\n"),
            Stmt::Continue => *text += &format!("{pad}CONTINUE;\n"),
            Stmt::Return => *text += &format!("{pad}RETURN;\n"),
            Stmt::Call(_, instance, inputs, references, outputs) => {
                let mut given: Vec<String> =
                    inputs.iter().map(|(name, value)| format!("{name} := {}", value.text())).collect();
                given.extend(references.iter().map(|(name, place)| format!("{name} := {place}")));
                given.extend(outputs.iter().map(|(name, place)| format!("{name} => {}", place.text())));
                let index = instance.index.as_ref().map_or(String::new(), |index| format!("[{}]", index.text()));
                let _ = writeln!(text, "{pad}{}{index}({});", instance.name, given.join(", "));
            }
            Stmt::Assert(name, condition) => {
                let _ = writeln!(text, "{pad}//#ASSERT {} : {name}", condition.text());
            }
        }
    }
}

impl Place {
    fn text(&self) -> String {
        match self {
            Place::Var(name) => name.clone(),
            Place::Cell(name, _, _, index) => format!("{name}[{}]", index.text()),
            Place::Part(name, _, _, index, part) => format!("{name}[{}].{part}", index.text()),
        }
    }
}

fn literal(ty: Ty, value: i64) -> String {
    match ty {
        Ty::Bool => if value != 0 { "TRUE" } else { "FALSE" }.into(),
        Ty::Mode => format!("Mode#{}", MODES[value as usize]),
        Ty::Time => format!("T#{value}ms"),
        Ty::Bits(_) => format!("{}#16#{value:X}", ty.name()),
        Ty::Int(..) => format!("{}#{value}", ty.name()),
    }
}

impl Expr {
    pub fn text(&self) -> String {
        let list = |values: &[Expr]| values.iter().map(Expr::text).collect::<Vec<_>>().join(", ");
        match &self.kind {
            Kind::Literal(value) => literal(self.ty, *value),
            Kind::Place(place) => place.text(),
            Kind::Unary(op, a) => format!("({op} ({}))", a.text()),
            Kind::Binary(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Kind::Function(name, values) => format!("{name}({})", list(values)),
            Kind::Convert(a) => format!("{}_TO_{}({})", a.ty.name(), self.ty.name(), a.text()),
            Kind::Own(values) => match values.as_slice() {
                [x] => format!("Fun(fx := {})", x.text()),
                _ => format!("Fun({})", list(values)),
            },
            Kind::Prev(a) => format!("prev({})", a.text()),
            Kind::Once(a) => format!("(once {})", a.text()),
            Kind::Historically(a) => format!("(historically {})", a.text()),
            Kind::Since(a, b) => format!("({} since {})", a.text(), b.text()),
        }
    }
}
