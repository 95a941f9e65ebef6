//! The program as text: for people who want to see how it was understood, and for snapshots.

use redoubt_base::stack::grow;
use std::fmt::Write;

use super::{FunctionId, Piece, Program, Scope, StmtId, StmtKind, Stream};
use crate::expr::{ExprId, InputId, Names, TableId, Type, VarId};

impl Names for Program {
    fn var(&self, var: VarId) -> String {
        self.variable(var).name.clone()
    }

    fn input(&self, input: InputId) -> String {
        format!("<{}>", Program::input(self, input).name)
    }

    fn table(&self, table: TableId) -> String {
        Program::table(self, table).name.clone()
    }
}

/// The whole program, every declaration and statement on a line of its own.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new(), indent: 0 };
    printer.declarations();
    for index in 0..program.functions.len() {
        printer.function(FunctionId::new(index));
    }
    printer.part("setup", program.setup);
    printer.part("step", program.step);
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let written = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }

    fn expr(&self, id: ExprId) -> String {
        self.program.exprs.print(id, self.program)
    }

    fn declarations(&mut self) {
        let program = self.program;
        self.line(&format!("program {}", program.name));
        for input in &program.inputs {
            self.line(&format!("input {} in {}", input.name, input.alphabet));
        }
        for table in &program.tables {
            let cells: Vec<String> = table.cells.iter().map(i32::to_string).collect();
            let kind = if table.written { "table" } else { "constant table" };
            self.line(&format!("{kind} {} = {{{}}}", table.name, cells.join(", ")));
        }
        for variable in program.variables.iter().filter(|variable| variable.scope == Scope::Global) {
            self.line(&format!("var {} = {}", variable.name, self.value(variable.ty, variable.initial)));
        }
        for property in &program.properties {
            self.line(&format!("property {}", property.name));
        }
    }

    fn value(&self, ty: Type, value: i32) -> String {
        match ty {
            Type::Int => value.to_string(),
            Type::Bool => (value != 0).to_string(),
            Type::Pointer => format!("&{}", self.program.tables[value as usize].name),
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let parameters: Vec<String> =
            function.parameters.iter().map(|&parameter| self.program.var(parameter)).collect();
        let result = function.result.map_or(String::new(), |result| format!(" -> {}", self.program.var(result)));
        self.part(&format!("function {}({}){result}", function.name, parameters.join(", ")), function.body);
    }

    fn part(&mut self, head: &str, body: StmtId) {
        self.line("");
        self.line(&format!("{head} {{"));
        self.block(body);
        self.line("}");
    }

    /// The statements of a body, one level further in.
    fn block(&mut self, body: StmtId) {
        self.indent += 1;
        grow(|| self.statement(body));
        self.indent -= 1;
    }

    fn statement(&mut self, id: StmtId) {
        match &self.program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                self.line(&format!("{} := {}", self.program.var(*variable), self.expr(*value)));
            }
            StmtKind::Store { pointer, index, value } => {
                let (pointer, index, value) = (self.expr(*pointer), self.expr(*index), self.expr(*value));
                self.line(&format!("{pointer}[{index}] := {value}"));
            }
            StmtKind::Assume(condition) => self.line(&format!("assume {}", self.expr(*condition))),
            StmtKind::Sequence(list) => list.iter().for_each(|&inner| self.statement(inner)),
            StmtKind::Choice(arms) => {
                for (index, arm) in arms.iter().enumerate() {
                    let word = if index == 0 { "if" } else { "[]" };
                    self.line(&format!("{word} {} ->", self.expr(arm.guard)));
                    self.block(arm.body);
                }
                self.line("fi");
            }
            StmtKind::Call(function) => self.line(&format!("call {}", self.program.function(*function).name)),
            StmtKind::Return => self.line("return"),
            StmtKind::Error(property) => self.line(&format!("error {}", self.program.property(*property).name)),
            StmtKind::Reach(property) => self.line(&format!("reach {}", self.program.property(*property).name)),
            StmtKind::Halt(code) => self.line(&format!("halt {}", self.expr(*code))),
            StmtKind::Print { stream, text } => self.print_statement(*stream, text),
        }
    }

    fn print_statement(&mut self, stream: Stream, text: &[Piece]) {
        let pieces: Vec<String> = text
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => format!("{text:?}"),
                Piece::Number(value) => self.expr(*value),
            })
            .collect();
        let word = match stream {
            Stream::Output => "print",
            Stream::Diagnostic => "complain",
        };
        self.line(&format!("{word} {}", pieces.join(", ")));
    }
}
