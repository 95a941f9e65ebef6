//! Random programs in the style of RERS, the same one for the same seed.
//!
//! They use everything that the front end reads: all operators, chains of `else if`, statements without braces, early
//! returns, calls in conditions, tables that are read and written, pointers, locals, labels. Undefined behaviour of C,
//! and behaviour that gcc's folding may hide, are kept out: a division or an index that may fail stands alone in its
//! statement, where both sides must trap.

pub mod arithmetic;
mod expression;
pub mod model;
mod statement;

use redoubt_base::Random;

/// The kind of programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Whether divisions and indices may fail.
    pub partial: bool,
    /// Whether every step ends by cutting the variables down to a few values, so that the set of states is
    /// finite and small.
    pub bounded: bool,
    /// The numbers of variables, tables, helper functions and functions with rules.
    pub variables: usize,
    pub tables: usize,
    pub helpers: usize,
    pub rules: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { partial: true, bounded: false, variables: 5, tables: 3, helpers: 4, rules: 4 }
    }
}

/// All tables have this many cells, so that `index & 3` is always inside.
const CELLS: usize = 4;
const POINTERS: usize = 2;

/// The text of the program that belongs to a seed.
pub fn program(seed: u64, options: Shape) -> String {
    let mut generator = Generator::new(seed, options);
    generator.declarations();
    for index in 0..options.helpers {
        generator.helper(index);
    }
    for index in 0..options.rules {
        generator.rule(index);
    }
    generator.step();
    generator.out
}

struct Generator {
    random: Random,
    options: Shape,
    out: String,
    indent: usize,
    /// The number of helpers that may be called from here: only earlier ones, so that nothing recurses.
    callable: usize,
    /// The `int` parameters and locals in scope.
    locals: Vec<String>,
    /// The early returns of the function that is being written.
    returns: Returns,
    next_error: usize,
    next_local: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Returns {
    Nothing,
    Number,
}

impl Generator {
    fn new(seed: u64, options: Shape) -> Generator {
        Generator {
            random: Random::new(seed),
            options,
            out: String::new(),
            indent: 0,
            callable: 0,
            locals: vec![],
            returns: Returns::Nothing,
            next_error: 0,
            next_local: 0,
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&"    ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn declarations(&mut self) {
        self.lines("#include <stdio.h>\n#include <assert.h>\nextern void __VERIFIER_error(int);\n");
        self.lines("// inputs\nint inputs[] = {3,1,2,4};\nconst int limit = 12;\nint cf = 1;");
        for index in 0..self.options.variables {
            let value = self.constant();
            self.line(&format!("int a{index} = {value};"));
        }
        for index in 0..self.options.tables {
            let cells: Vec<String> = (0..CELLS).map(|_| self.constant()).collect();
            self.line(&format!("int t{index}[{CELLS}] = {{{}}};", cells.join(", ")));
        }
        for index in 0..POINTERS {
            let table = self.random.below(self.options.tables);
            self.line(&format!("int *p{index} = t{table};"));
        }
    }

    /// A function whose value is used; some are a single `return`, which the front end puts in place of the
    /// call.
    fn helper(&mut self, index: usize) {
        self.callable = index;
        self.locals = vec!["x".into(), "y".into()];
        self.returns = Returns::Number;
        self.line(&format!("int helper{index}(int x, int y) {{"));
        self.indent += 1;
        if !self.one_in(3) {
            self.statements(2, 3);
        }
        let value = self.expression(3);
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("}");
    }

    fn rule(&mut self, index: usize) {
        self.callable = self.options.helpers;
        self.locals = vec!["input".into()];
        self.returns = Returns::Nothing;
        self.line(&format!("void rule{index}(int input) {{"));
        self.indent += 1;
        self.statements(3, 4);
        self.indent -= 1;
        self.line("}");
    }

    fn step(&mut self) {
        self.line("void calculate_output(int input) {");
        self.indent += 1;
        self.line("cf = 1;");
        for index in 0..self.options.rules {
            let condition = self.condition(2);
            let letter = self.random.below(5);
            self.line(&format!("if ((input != {letter} && {condition}) || cf == 1) rule{index}(input);"));
        }
        for _ in 0..3 {
            self.error();
        }
        if self.options.bounded {
            for index in 0..self.options.variables {
                self.line(&format!("a{index} = a{index} % 3;"));
            }
            for table in 0..self.options.tables {
                (0..CELLS).for_each(|cell| self.line(&format!("t{table}[{cell}] %= 2;")));
            }
        }
        let state: Vec<String> = (0..self.options.variables).map(|index| format!("a{index}")).collect();
        let format = vec!["%d"; state.len()].join(" ");
        self.line(&format!("printf(\"{format}\\n\", {});", state.join(", ")));
        self.line("if (cf == 1)");
        self.line("    fprintf(stderr, \"Invalid input: %d\\n\", input);");
        self.indent -= 1;
        self.lines("}\nint main() {\n    while (1) {\n        int input;\n        scanf(\"%d\", &input);");
        self.line("        if (input > 100) return -2;");
        self.lines("        calculate_output(input);\n    }\n}");
    }
}
