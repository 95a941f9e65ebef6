//! Prints rules and labels as a C program in the dialect of a year.

mod chain;
mod functions;

use super::assign;
use super::code::Code;
use super::dice::Dice;
use super::guard::Guard;
use super::label::Label;
use super::rule::Rule;

/// The form of the challenge's programs, by year, and as collections for verifiers have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    Y2012,
    Y2013,
    Y2014,
    Y2015,
    Y2016,
    Y2017,
    Y2018,
    Y2019,
    Y2020,
    /// 2018 as redistributed: inputs from `__VERIFIER_nondet_int`, a function for each error, no output.
    Verifier,
    /// The newer copies of those: all errors are `reach_error`.
    Reach,
}

use Dialect::{Reach, Verifier, Y2012, Y2013, Y2014, Y2015, Y2016, Y2017, Y2018, Y2019, Y2020};

impl Dialect {
    pub const ALL: [Dialect; 11] = [Y2012, Y2013, Y2014, Y2015, Y2016, Y2017, Y2018, Y2019, Y2020, Verifier, Reach];

    pub fn name(self) -> &'static str {
        match self {
            Y2012 => "2012",
            Y2013 => "2013",
            Y2014 => "2014",
            Y2015 => "2015",
            Y2016 => "2016",
            Y2017 => "2017",
            Y2018 => "2018",
            Y2019 => "2019",
            Y2020 => "2020",
            Verifier => "verifier",
            Reach => "reach",
        }
    }

    pub fn has_long_names(self) -> bool {
        self >= Y2018
    }

    /// Whether labels see the state before a step rather than the one after it.
    pub fn looks_back(self) -> bool {
        self == Y2012
    }

    /// The name of the property of a label. The last one of the early years is a global error.
    pub fn property(self, number: usize, labels: usize) -> String {
        let global = matches!(self, Y2012 | Y2013) && number + 1 == labels;
        match self {
            Reach => "reach_error".into(),
            _ if global => "globalError".into(),
            _ => format!("error_{number}"),
        }
    }

    /// Whether the program prints and complains.
    pub fn prints(self) -> bool {
        self < Verifier
    }

    /// The statement at a label.
    fn error(self, label: &Label, parts: &Parts) -> String {
        let name = self.property(label.number, parts.labels.len());
        match self {
            Y2012 | Y2013 => format!("{name}: assert(0);"),
            Y2014 | Y2015 => format!("{name}: assert(!{name});"),
            Verifier => format!("__VERIFIER_error_{}();", label.number),
            Reach => "reach_error();".into(),
            _ => format!("__VERIFIER_error({});", label.number),
        }
    }
}

/// The parts of a program.
pub struct Parts<'p> {
    pub dialect: Dialect,
    pub code: &'p Code,
    pub rules: Vec<Rule>,
    pub labels: &'p [Label],
    /// The inputs, by letter.
    pub alphabet: &'p [i32],
}

impl Parts<'_> {
    /// The test of a rule's input.
    fn input_test(&self, letter: usize) -> Guard {
        let text = match self.dialect {
            Y2014 | Y2015 => format!("input == inputs[{letter}]"),
            _ => format!("input == {}", self.alphabet[letter]),
        };
        Guard::Free { text }
    }
}

pub fn program(parts: &Parts, dice: &mut Dice) -> String {
    let mut text = head(parts);
    let body = if parts.dialect == Y2012 { chain::body(parts, dice) } else { functions::body(parts, dice) };
    if parts.dialect >= Y2016 {
        text.push_str("\n\tvoid errorCheck();\n\tvoid calculate_output(int);\n");
        for number in 1..=body.functions {
            text.push_str(&format!("\tvoid calculate_outputm{number}(int);\n"));
        }
    }
    text.push('\n');
    text.push_str(&variables(parts, dice));
    text.push('\n');
    text.push_str(&body.text);
    text.push('\n');
    text.push_str(&main(parts));
    text
}

/// The functions of a program, and how many of them carry a number.
struct Body {
    text: String,
    functions: usize,
}

/// The text before the variables: includes, error functions, the alphabet.
fn head(parts: &Parts) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match parts.dialect {
        Verifier => {
            line("extern int __VERIFIER_nondet_int();");
            for label in parts.labels {
                line(&format!("extern void __VERIFIER_error_{}();", label.number));
            }
        }
        Reach => {
            line("extern void __assert_fail(const char *, const char *, unsigned int, const char *);");
            line("void reach_error() { __assert_fail(\"0\", \"problem.c\", 2, \"reach_error\"); }");
            line("extern int __VERIFIER_nondet_int();");
        }
        _ => {
            line("#include <stdio.h>");
            line("#include <assert.h>");
            line("#include <math.h>");
            if parts.dialect > Y2012 {
                line("#include <stdlib.h>");
            }
        }
    }
    line("");
    if (Y2016..=Y2020).contains(&parts.dialect) {
        line("    extern void __VERIFIER_error(int);\n");
    }
    match parts.dialect {
        Y2012 => early_alphabet(parts, &mut line),
        _ => {
            let inputs: Vec<String> = parts.alphabet.iter().map(i32::to_string).collect();
            line("\t// inputs");
            line(&format!("\tint inputs[] = {{{}}};", inputs.join(",")));
        }
    }
    if matches!(parts.dialect, Y2014 | Y2015) {
        line("");
        for label in parts.labels {
            line(&format!("\tconst int error_{} = 1;", label.number));
        }
    }
    text
}

/// Letters as variables; outputs too where the program is plain.
fn early_alphabet(parts: &Parts, line: &mut impl FnMut(&str)) {
    let name = |number: i32| char::from(b'a' + number as u8 - 1);
    line("\t// inputs");
    for &input in parts.alphabet {
        match parts.code.kind.is_plain() {
            true => line(&format!("\tint {}= {input};", name(input))),
            false => line(&format!("\tint input{} = {input};", name(input).to_ascii_uppercase())),
        }
    }
    if parts.code.kind.is_plain() {
        let mut outputs: Vec<i32> = parts.rules.iter().map(|rule| rule.output).collect();
        outputs.sort_unstable();
        outputs.dedup();
        line("\n\t// outputs");
        for output in outputs {
            line(&format!("\tint {} = {output};", name(output)));
        }
    }
}

/// Tables, then variables with their values in the state at the beginning, counters among them.
fn variables(parts: &Parts, dice: &mut Dice) -> String {
    let code = parts.code;
    let mut text = String::new();
    for table in &code.tables {
        let cells: Vec<String> = (0..table.length as i32).map(|index| (table.first + index).to_string()).collect();
        text.push_str(&format!("\t int {}[] = {{{}}};\n", table.name, cells.join(",")));
    }
    let mut lines = vec![];
    for (index, variable) in code.variables.iter().enumerate() {
        let value = code.values[0][index].unwrap_or_else(|| dice.below(variable.domain.len()));
        let star = if matches!(variable.domain, super::code::Domain::Tables(_)) { "*" } else { "" };
        lines.push(format!("\t int {star}{} = {};\n", variable.name, assign::initial(code, index, value, dice)));
    }
    for counter in code.gate.iter().chain(&code.idle) {
        lines.push(format!("\t int {} = {};\n", counter.name, counter.start));
    }
    if parts.dialect != Y2012 {
        lines.push("\t int cf = 1;\n".into());
    }
    dice.shuffle(&mut lines);
    text + &lines.concat()
}

fn main(parts: &Parts) -> String {
    let read = if parts.dialect.prints() { "scanf(\"%d\", &input);" } else { "input = __VERIFIER_nondet_int();" };
    let setup = if parts.dialect == Y2012 { "    // default output\n    int output = -1;\n\n" } else { "" };
    let filter = if parts.dialect >= Y2016 {
        let tests: Vec<String> = parts.alphabet.iter().map(|input| format!("(input != {input})")).collect();
        format!("        if({})\n          return -2;\n", tests.join(" && "))
    } else {
        String::new()
    };
    let step = if parts.dialect == Y2012 {
        "        output = calculate_output(input);
        if(output == -2)
        	fprintf(stderr, \"Invalid input: %d\\n\", input);
        else if(output != -1)
        	printf(\"%d\\n\", output);
"
    } else {
        "        calculate_output(input);\n"
    };
    format!(
        "int main()
{{
{setup}    // main i/o-loop
    while(1)
    {{
        // read input
        int input;
        {read}
        // operate eca engine
{filter}{step}    }}
}}
"
    )
}
