//! Seeds to models with properties of whole runs, together with what these mean: the formula as a tree.

use redoubt_base::Random;

/// A model, and what it says.
pub struct Model {
    pub text: String,
    pub properties: Vec<(String, Formula)>,
    /// The conditions that recur, and when.
    pub fairness: Vec<(Atom, Option<Atom>)>,
}

/// A condition on one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A truth value of the state: `x`, `y`, `t` (a fair alternative was taken) or `e` (it could have been).
    Truth(&'static str),
    /// The value of `x` or `y` before the step.
    Before(&'static str),
    /// `n` has this value.
    Number(i32),
    /// An input is true.
    Input(&'static str),
    /// An input is false.
    NoInput(&'static str),
}

/// A formula with all the operators of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Atom(Atom),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Never(Box<Formula>),
    Eventually(Box<Formula>),
    InfinitelyOften(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    LeadsTo(Box<Formula>, Box<Formula>),
    Within(Box<Formula>, usize),
    UntilWithin(Box<Formula>, Box<Formula>, usize),
    LeadsToWithin(Box<Formula>, Box<Formula>, usize),
}

impl Atom {
    pub fn text(self) -> String {
        match self {
            Atom::Truth(name) | Atom::Input(name) => name.into(),
            Atom::Before(name) => format!("prev({name})"),
            Atom::Number(value) => format!("n == {value}"),
            Atom::NoInput(name) => format!("!{name}"),
        }
    }

    pub fn is_of_a_step(self) -> bool {
        matches!(self, Atom::Before(_) | Atom::Input(_) | Atom::NoInput(_))
    }
}

impl Formula {
    /// With brackets around everything that has parts.
    fn text(&self) -> String {
        match self {
            Formula::Atom(atom) => format!("({})", atom.text()),
            Formula::Not(a) => format!("!{}", a.text()),
            Formula::And(a, b) => format!("({} && {})", a.text(), b.text()),
            Formula::Or(a, b) => format!("({} || {})", a.text(), b.text()),
            Formula::Implies(a, b) => format!("({} -> {})", a.text(), b.text()),
            Formula::Iff(a, b) => format!("({} <-> {})", a.text(), b.text()),
            Formula::Next(a) => format!("next({})", a.text()),
            Formula::Always(a) => format!("(always {})", a.text()),
            Formula::Never(a) => format!("(never {})", a.text()),
            Formula::Eventually(a) => format!("(eventually {})", a.text()),
            Formula::InfinitelyOften(a) => format!("(infinitely often {})", a.text()),
            Formula::Until(a, b) => format!("({} until {})", a.text(), b.text()),
            Formula::LeadsTo(a, b) => format!("({} ~> {})", a.text(), b.text()),
            Formula::Within(a, steps) => format!("(eventually {} within {steps})", a.text()),
            Formula::UntilWithin(a, b, steps) => format!("(({} until {}) within {steps})", a.text(), b.text()),
            Formula::LeadsToWithin(a, b, steps) => format!("({} ~> {} within {steps})", a.text(), b.text()),
        }
    }

    /// Whether it says something that only a step has, so that the initial state is no position.
    pub fn is_of_steps(&self) -> bool {
        match self {
            Formula::Atom(atom) => atom.is_of_a_step(),
            Formula::Not(a)
            | Formula::Next(a)
            | Formula::Always(a)
            | Formula::Never(a)
            | Formula::Eventually(a)
            | Formula::InfinitelyOften(a)
            | Formula::Within(a, _) => a.is_of_steps(),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(a, b)
            | Formula::LeadsTo(a, b)
            | Formula::UntilWithin(a, b, _)
            | Formula::LeadsToWithin(a, b, _) => a.is_of_steps() || b.is_of_steps(),
        }
    }

    /// Whether it looks ahead.
    fn looks_ahead(&self) -> bool {
        match self {
            Formula::Atom(_) => false,
            Formula::Not(a) => a.looks_ahead(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
                a.looks_ahead() || b.looks_ahead()
            }
            _ => true,
        }
    }
}

pub fn model(seed: u64) -> Model {
    let mut random = Random::new(seed.wrapping_mul(7_919) + 1);
    let r = &mut random;
    let (fair_input, fair_choice, open) = (r.below(4) == 0, r.below(3) == 0, r.below(4) == 0);
    let mut fairness = vec![];
    let mut text = format!("{}input i: bool\ninput j: bool\n", if fair_input { "fair " } else { "" });
    if fair_input {
        fairness.extend([(Atom::Input("i"), None), (Atom::NoInput("i"), None)]);
    }
    text += "var t: bool = false\nvar e: bool = false\n";
    text += &format!(
        "var x: bool{}\nvar y: bool = {}\nvar n: 0..2 = 0\n",
        if open { "" } else { " = false" },
        r.below(2) == 0
    );
    let guard = condition(r);
    text += &format!("step {{\n  t = false\n  e = {guard}\n");
    let marks = if fair_choice { "fair " } else { "" };
    let (one, other) = (statement(r), statement(r));
    text += &format!(
        "  choose {{\n    {marks}when {guard} => {{ t = true; {one} }}\n    when {} => {{ {other} }}\n  }}\n",
        condition(r)
    );
    if fair_choice {
        fairness.push((Atom::Truth("t"), Some(Atom::Truth("e"))));
    }
    for _ in 0..1 + r.below(3) {
        text += &format!("  if {} {{ {} }}\n", condition(r), statement(r));
    }
    if r.below(6) == 0 {
        text += &format!("  assume {}\n", condition(r));
    }
    text += "}\n";
    for _ in 0..r.below(3) {
        let (recurs, when) = (atom(r, true), (r.below(2) == 0).then(|| atom(r, true)));
        text += &format!(
            "assume fair {}{}\n",
            recurs.text(),
            when.map(|when| format!(" when {}", when.text())).unwrap_or_default()
        );
        fairness.push((recurs, when));
    }
    let mut properties = vec![];
    for number in 0..3 {
        let with_steps = r.below(2) == 0;
        let formula = loop {
            let formula = formula(r, 3, with_steps);
            if formula.looks_ahead() {
                break formula;
            }
        };
        text += &format!("property p{number}: {}\n", formula.text());
        properties.push((format!("p{number}"), formula));
    }
    Model { text, properties, fairness }
}

fn condition(r: &mut Random) -> String {
    let one = ["i", "j", "x", "y", "n == 0", "n < 2", "prev(x)", "!i", "!j", "!y", "n == 2"];
    match r.below(4) {
        0 => format!("{} && {}", r.choose(&one), r.choose(&one)),
        1 => format!("({} || {})", r.choose(&one), r.choose(&one)),
        _ => r.choose(&one).into(),
    }
}

fn statement(r: &mut Random) -> &'static str {
    r.choose(&[
        "x = !x",
        "y = i",
        "n = (n + 1) % 3",
        "n = 0",
        "x = y; y = j",
        "if n < 2 { n = n + 1 }",
        "y = !y",
        "n = n + 1",
        "x = true",
        "{}",
    ])
}

pub fn atom(r: &mut Random, with_steps: bool) -> Atom {
    let of_states = [Atom::Truth("x"), Atom::Truth("y"), Atom::Truth("t"), Atom::Number(0), Atom::Number(2)];
    let of_steps = [Atom::Input("i"), Atom::Before("x"), Atom::NoInput("j"), Atom::Truth("x"), Atom::Number(1)];
    if with_steps { r.choose(&of_steps) } else { r.choose(&of_states) }
}

fn formula(r: &mut Random, depth: usize, with_steps: bool) -> Formula {
    if depth == 0 || r.below(5) == 0 {
        return Formula::Atom(atom(r, with_steps));
    }
    let kind = r.below(15);
    let part = |r: &mut Random| Box::new(formula(r, depth - 1, with_steps));
    let steps = r.below(3);
    let a = part(r);
    match kind {
        0 => Formula::Not(a),
        1 => Formula::And(a, part(r)),
        2 => Formula::Or(a, part(r)),
        3 => Formula::Implies(a, part(r)),
        4 => Formula::Iff(a, part(r)),
        5 => Formula::Next(a),
        6 => Formula::Always(a),
        7 => Formula::Never(a),
        8 => Formula::Eventually(a),
        9 => Formula::InfinitelyOften(a),
        10 => Formula::Until(a, part(r)),
        11 => Formula::LeadsTo(a, part(r)),
        12 => Formula::Within(a, steps),
        13 => Formula::UntilWithin(a, part(r), steps),
        _ => Formula::LeadsToWithin(a, part(r), steps),
    }
}
