//! Random statements.

use super::{Generator, Returns};

impl Generator {
    /// Up to `most` statements that nest up to `depth` levels, in a scope of their own.
    pub fn statements(&mut self, depth: usize, most: usize) {
        let outer = self.locals.len();
        for _ in 0..1 + self.random.below(most) {
            self.statement(depth);
        }
        self.locals.truncate(outer);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(16) {
            0..=4 if depth > 0 => self.conditional(depth),
            5 => self.local(),
            6 | 7 => self.store(),
            8 => self.pointer_assignment(),
            9 if self.callable > 0 => self.call_statement(),
            10 => {
                let value = self.expression(2);
                self.line(&format!("printf(\"%d\\n\", {value});"));
            }
            11 if self.options.partial && self.one_in(3) => {
                let (target, value) = (self.global(), self.partial());
                self.line(&format!("{target} = {value};"));
            }
            12 => {
                let (target, step) = (self.variable(), self.random.choose(&["++", "--"]));
                self.line(&format!("{target}{step};"));
            }
            13 => self.line("cf = 0;"),
            14 if self.one_in(4) => self.line(";"),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let target = self.variable();
        let operator = self.random.choose(&["=", "=", "=", "+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>="]);
        let value = match operator {
            "<<=" | ">>=" => self.random.below(32).to_string(),
            _ => self.expression(3),
        };
        self.line(&format!("{target} {operator} {value};"));
    }

    fn local(&mut self) {
        let name = format!("local{}", self.next_local);
        self.next_local += 1;
        let value = self.expression(2);
        self.line(&format!("int {name} = {value};"));
        self.locals.push(name);
    }

    fn store(&mut self) {
        let (target, value) = (self.cell(1), self.expression(2));
        let operator = self.random.choose(&["=", "=", "+=", "-=", "^="]);
        self.line(&format!("{target} {operator} {value};"));
    }

    fn pointer_assignment(&mut self) {
        let target = self.pointer();
        let value = match self.random.below(3) {
            0 => self.pointer(),
            1 => self.table(),
            _ => {
                let condition = self.condition(1);
                format!("({condition}) ? {} : {}", self.table(), self.pointer())
            }
        };
        self.line(&format!("{target} = {value};"));
    }

    fn call_statement(&mut self) {
        let call = self.call();
        match self.random.below(3) {
            0 => self.line(&format!("{call};")),
            _ => {
                let target = self.variable();
                self.line(&format!("{target} = {call};"));
            }
        }
    }

    /// `if ... else if ... else`, with and without braces.
    fn conditional(&mut self, depth: usize) {
        let arms = 1 + self.random.below(3);
        for arm in 0..arms {
            let condition = if self.one_in(3) { self.active_condition() } else { self.condition(2) };
            let word = if arm == 0 { "if" } else { "else if" };
            self.line(&format!("{word} ({condition})"));
            self.branch(depth - 1);
        }
        if self.one_in(2) {
            self.line("else");
            self.branch(depth - 1);
        }
    }

    fn branch(&mut self, depth: usize) {
        // A declaration needs braces around it; so does an early return with what stands before it.
        if depth > 0 && self.one_in(4) {
            self.indent += 1;
            self.conditional(depth);
            self.indent -= 1;
            return;
        }
        self.line("{");
        self.indent += 1;
        self.statements(depth, 3);
        if self.one_in(6) {
            self.early_return();
        }
        self.indent -= 1;
        self.line("}");
    }

    fn early_return(&mut self) {
        match self.returns {
            Returns::Nothing => self.line("return;"),
            Returns::Number => {
                let value = if self.callable > 0 && self.one_in(2) { self.call() } else { self.expression(2) };
                self.line(&format!("return {value};"));
            }
        }
    }

    /// An error of one of the kinds that the dialects have, under a condition.
    pub fn error(&mut self) {
        let (condition, global) = (self.condition(1), self.global());
        let (wanted, number) = (self.random.below(5), self.next_error);
        self.next_error += 1;
        self.line(&format!("if ({global} == {wanted} && {condition}) {{"));
        self.line("    cf = 0;");
        match self.random.below(3) {
            0 => self.line(&format!("    __VERIFIER_error({number});")),
            1 => self.line(&format!("    error_{number}: assert(0);")),
            _ => self.line(&format!("    error_{number}: assert(!limit);")),
        }
        self.line("}");
    }
}
