//! One tiny broken program per error.

use std::sync::Arc;

use super::{Malformed, Part};
use crate::expr::{BinaryOp, ExprId, InputId, TableId, Type, UnaryOp, VarId};
use crate::program::legend::{Legend, Lint, LintKind, Meaning, Role};
use crate::program::{
    Arm, AtHead, Builder, Domain, Function, FunctionId, HeadKind, Input, LoopHead, Piece, Program, Property,
    PropertyId, PropertyKind, Scope, Stmt, StmtId, StmtKind, Stream, Table, Variable,
};
use crate::text::{Sources, Span};

const HERE: Span = Span { file: 0, start: 0, end: 0 };

fn variable(name: &str, ty: Type, scope: Scope) -> Variable {
    Variable { name: name.into(), ty, scope, initial: 0, domain: None, span: HERE }
}

fn table(name: &str, written: bool) -> Table {
    Table { name: name.into(), cells: vec![7, 8], written, domain: None, span: HERE }
}

/// A program with something of everything. Its variables are the number `x`, the truth value `b`, the pointer `p` to
/// the written table `t`, and `f.a` and `f.result` of its only function `f`; `k` is a table that nothing writes.
fn everything() -> Builder {
    let mut builder = Builder::new("everything", Arc::new(Sources::default()));
    builder.add_input(Input { name: "in".into(), alphabet: Domain::List(vec![1, 4]) });
    let t = builder.add_table(table("t", true));
    builder.add_table(table("k", false));
    let x = builder.add_variable(variable("x", Type::Int, Scope::Global));
    let b = builder.add_variable(variable("b", Type::Bool, Scope::Global));
    let p = builder.add_variable(variable("p", Type::Pointer, Scope::Global));
    let a = builder.add_variable(variable("f.a", Type::Int, Scope::Local));
    let result = builder.add_variable(variable("f.result", Type::Int, Scope::Local));
    let property = Property { name: "error_0".into(), kind: PropertyKind::Label, span: HERE, expected: None };
    let property = builder.add_property(property);

    let exprs = builder.exprs_mut();
    let (input, address) = (exprs.input(InputId::new(0), Type::Int), exprs.table(t));
    let (zero, number, truth) = (exprs.int(0), exprs.var(x, Type::Int), exprs.var(b, Type::Bool));
    let (pointer, argument) = (exprs.var(p, Type::Pointer), exprs.var(a, Type::Int));
    let is_smaller = exprs.binary(BinaryOp::Less, number, input);
    let (cell, length) = (exprs.cell(pointer, number), exprs.length(pointer));
    let sum = exprs.binary(BinaryOp::Add, cell, length);
    let chosen = exprs.ite(truth, pointer, address);

    let f = builder.declare_function("f", vec![a], Some(result), HERE);
    let assign = builder.add_stmt(StmtKind::Assign { variable: result, value: argument }, HERE);
    let leave = builder.add_stmt(StmtKind::Return, HERE);
    let body = builder.add_sequence(vec![assign, leave]);
    builder.define_function(f, body);

    let setup = builder.add_stmt(StmtKind::Assign { variable: a, value: zero }, HERE);
    let call = builder.add_stmt(StmtKind::Call(f), HERE);
    let setup = builder.add_sequence(vec![setup, call]);
    builder.set_setup(setup);

    let error = builder.add_stmt(StmtKind::Error(property), HERE);
    let halt = builder.add_stmt(StmtKind::Halt(number), HERE);
    let kinds = [
        StmtKind::Assume(is_smaller),
        StmtKind::Assign { variable: x, value: sum },
        StmtKind::Assign { variable: p, value: chosen },
        StmtKind::Store { pointer, index: number, value: input },
        StmtKind::Choice(vec![
            Arm { guard: truth, body: error, span: HERE },
            Arm { guard: is_smaller, body: halt, span: HERE },
        ]),
        StmtKind::Reach(property),
        StmtKind::Print { stream: Stream::Output, text: vec![Piece::Text("x".into()), Piece::Number(number)] },
    ];
    let list = kinds.map(|kind| builder.add_stmt(kind, HERE)).to_vec();
    let step = builder.add_sequence(list);
    builder.set_step(step);
    builder
}

fn sound() -> Program {
    everything().finish().expect("it is well-formed")
}

/// The mistake after a change.
fn broken(change: impl FnOnce(&mut Program)) -> Malformed {
    let mut program = sound();
    change(&mut program);
    program.verify().expect_err("the change breaks it")
}

/// The mistake if the setup, which so far is fine, is this statement.
fn broken_setup(kind: StmtKind) -> Malformed {
    broken(|program| program.setup = add(program, kind))
}

fn add(program: &mut Program, kind: StmtKind) -> StmtId {
    program.stmts.push(Stmt { kind, span: HERE });
    StmtId::new(program.stmts.len() - 1)
}

fn no_such(part: Part, index: usize) -> Malformed {
    Malformed::NoSuch { part, index }
}

fn var(program: &mut Program, name: &str) -> ExprId {
    let index = program.variables.iter().position(|variable| variable.name == name).expect("there is such a variable");
    let ty = program.variables[index].ty;
    program.exprs.var(VarId::new(index), ty)
}

#[test]
fn a_program_with_something_of_everything_is_well_formed() {
    assert_eq!(sound().verify(), Ok(()));
    let nothing = Builder::new("nothing", Arc::new(Sources::default())).finish().expect("it is well-formed");
    assert_ne!(nothing.setup, nothing.step, "each has a statement of its own");
}

#[test]
fn names_of_places_inputs_properties_and_functions_are_unique() {
    let same = |part, name: &str| Malformed::SameName { part, name: name.into() };
    assert_eq!(broken(|program| program.variables[1].name = "x".into()), same(Part::Place, "x"));
    assert_eq!(broken(|program| program.variables[1].name = "k".into()), same(Part::Place, "k"));
    assert_eq!(broken(|program| program.variables[1].name = "t[1]".into()), same(Part::Place, "t[1]"));
    assert_eq!(broken(|program| program.inputs.push(program.inputs[0].clone())), same(Part::Input, "in"));
    let twice = broken(|program| program.properties.push(program.properties[0].clone()));
    assert_eq!(twice, same(Part::Property, "error_0"));
    let twice = broken(|program| program.functions.push(program.functions[0].clone()));
    assert_eq!(twice, same(Part::Function, "f"));

    assert_eq!(broken(|program| program.variables[3].name = "x".into()), same(Part::Place, "x"));

    let mut outside = sound();
    outside.variables[1].name = "t[2]".into();
    assert_eq!(outside.verify(), Ok(()), "`t` has two cells");
}

#[test]
fn domains_are_ascending_and_not_empty() {
    let of = |name: &str| Malformed::Domain(name.into());
    assert_eq!(broken(|program| program.inputs[0].alphabet = Domain::List(vec![])), of("in"));
    assert_eq!(broken(|program| program.inputs[0].alphabet = Domain::List(vec![2, 2])), of("in"));
    assert_eq!(broken(|program| program.variables[0].domain = Some(Domain::Range(1, 0))), of("x"));
    assert_eq!(broken(|program| program.tables[1].domain = Some(Domain::List(vec![8, 7]))), of("k"));
}

#[test]
fn starts_are_values_of_their_type_and_domain() {
    let of = |name: &str| Malformed::Start(name.into());
    assert_eq!(broken(|program| program.variables[1].initial = 2), of("b"));
    assert_eq!(broken(|program| program.variables[2].initial = 2), of("p"));
    assert_eq!(broken(|program| program.variables[2].initial = -1), of("p"));
    assert_eq!(broken(|program| program.variables[0].domain = Some(Domain::Range(1, 5))), of("x"));
    assert_eq!(broken(|program| program.tables[1].domain = Some(Domain::Range(7, 7))), of("k"));
    assert_eq!(broken(|program| program.tables[1].cells.clear()), Malformed::Length("k".into()));
}

#[test]
fn parameters_and_results_are_locals_of_one_function() {
    let foreign =
        |function: &str, variable: &str| Malformed::Foreign { function: function.into(), variable: variable.into() };
    assert_eq!(broken(|program| program.functions[0].parameters[0] = VarId::new(0)), foreign("f", "x"));
    let both = |program: &mut Program| {
        let body = add(program, StmtKind::Sequence(vec![]));
        let result = program.functions[0].result;
        program.functions.push(Function { name: "g".into(), parameters: vec![], result, body, span: HERE });
    };
    assert_eq!(broken(both), foreign("g", "f.result"));
    assert_eq!(broken(|program| program.functions[0].result = Some(VarId::new(9))), no_such(Part::Variable, 9));
}

#[test]
fn what_is_referred_to_exists() {
    assert_eq!(broken_setup(StmtKind::Halt(ExprId::new(99))), no_such(Part::Expression, 99));
    assert_eq!(broken_setup(StmtKind::Call(FunctionId::new(1))), no_such(Part::Function, 1));
    assert_eq!(broken_setup(StmtKind::Error(PropertyId::new(1))), no_such(Part::Property, 1));
    assert_eq!(broken_setup(StmtKind::Reach(PropertyId::new(2))), no_such(Part::Property, 2));
    let assign = StmtKind::Assign { variable: VarId::new(7), value: ExprId::new(0) };
    assert_eq!(broken_setup(assign), no_such(Part::Variable, 7));
    assert_eq!(broken(|program| program.step = StmtId::new(99)), no_such(Part::Statement, 99));
    assert_eq!(broken(|program| _ = program.exprs.var(VarId::new(5), Type::Int)), no_such(Part::Variable, 5));
    assert_eq!(broken(|program| _ = program.exprs.input(InputId::new(1), Type::Int)), no_such(Part::Input, 1));
    assert_eq!(broken(|program| _ = program.exprs.table(TableId::new(2))), no_such(Part::Table, 2));
}

/// The constructors assert these conditions, but only where they are compiled to do so.
#[test]
fn expressions_have_one_type() {
    let wrong = broken(|program| {
        program.inputs.push(Input { name: "other".into(), alphabet: Domain::TRUTH });
        program.exprs.input(InputId::new(1), Type::Bool);
    });
    assert!(matches!(wrong, Malformed::ExprType(_)), "{wrong}");
    let wrong = broken(|program| program.variables[0].ty = Type::Bool);
    assert!(matches!(wrong, Malformed::ExprType(_)), "{wrong}");
    let wrong = broken(|program| {
        let (one, two) = (var(program, "x"), var(program, "f.a"));
        program.exprs.binary(BinaryOp::And, one, two);
    });
    assert!(matches!(wrong, Malformed::Operands(_)), "{wrong}");
    let wrong = broken(|program| {
        let truth = var(program, "b");
        let not = program.exprs.unary(UnaryOp::Not, truth);
        program.exprs.binary(BinaryOp::Add, truth, not);
    });
    assert!(matches!(wrong, Malformed::Operands(_)), "{wrong}");
}

#[test]
fn statements_are_given_expressions_of_the_right_type() {
    let kinds: [fn(ExprId, ExprId, ExprId) -> StmtKind; 8] = [
        |_, truth, _| StmtKind::Assign { variable: VarId::new(0), value: truth },
        |number, _, _| StmtKind::Store { pointer: number, index: number, value: number },
        |number, truth, pointer| StmtKind::Store { pointer, index: truth, value: number },
        |number, _, pointer| StmtKind::Store { pointer, index: number, value: pointer },
        |number, _, _| StmtKind::Assume(number),
        |_, truth, _| StmtKind::Halt(truth),
        |number, _, _| StmtKind::Choice(vec![Arm { guard: number, body: StmtId::new(0), span: HERE }]),
        |_, truth, _| StmtKind::Print { stream: Stream::Output, text: vec![Piece::Number(truth)] },
    ];
    for kind in kinds {
        let wrong = broken(|program| {
            let (number, truth, pointer) = (var(program, "x"), var(program, "b"), var(program, "p"));
            program.setup = add(program, kind(number, truth, pointer));
        });
        assert!(matches!(wrong, Malformed::StmtType(_)), "{wrong}");
    }
}

#[test]
fn statements_are_trees() {
    let wrong = broken(|program| program.setup = program.step);
    assert!(matches!(wrong, Malformed::Shared(_)), "{wrong}");
    assert_eq!(
        broken_setup(StmtKind::Sequence(vec![StmtId::new(0), StmtId::new(0)])),
        Malformed::Shared(StmtId::new(0))
    );
    let wrong = broken(|program| {
        let own = StmtId::new(program.stmts.len());
        add(program, StmtKind::Sequence(vec![own]));
    });
    assert!(matches!(wrong, Malformed::StmtOrder(_)), "{wrong}");
    assert!(matches!(broken_setup(StmtKind::Return), Malformed::ReturnOutside(_)));
}

#[test]
fn only_tables_that_are_marked_are_written() {
    let directly = broken(|program| {
        let (pointer, number) = (program.exprs.table(TableId::new(1)), program.exprs.int(0));
        program.setup = add(program, StmtKind::Store { pointer, index: number, value: number });
    });
    assert!(matches!(directly, Malformed::Constant { table, .. } if table == TableId::new(1)), "{directly}");
    let through_a_pointer = broken(|program| {
        let value = program.exprs.table(TableId::new(1));
        program.setup = add(program, StmtKind::Assign { variable: VarId::new(2), value });
    });
    assert!(matches!(through_a_pointer, Malformed::Constant { .. }), "{through_a_pointer}");
}

#[test]
fn nothing_recurses() {
    let wrong = broken(|program| {
        let (body, call) = (program.functions[0].body, add(program, StmtKind::Call(FunctionId::new(1))));
        program.functions[0].body = add(program, StmtKind::Sequence(vec![body, call]));
        let body = add(program, StmtKind::Call(FunctionId::new(0)));
        program.functions.push(Function { name: "g".into(), parameters: vec![], result: None, body, span: HERE });
    });
    assert!(matches!(wrong, Malformed::Recursion(_)), "{wrong}");
}

#[test]
fn the_setup_reads_no_input_not_even_in_a_function() {
    let input = |program: &mut Program| {
        let value = program.exprs.input(InputId::new(0), Type::Int);
        add(program, StmtKind::Assign { variable: VarId::new(0), value })
    };
    assert_eq!(broken(|program| program.setup = input(program)), Malformed::SetupInput);
    let called = broken(|program| {
        let (body, read) = (program.functions[0].body, input(program));
        program.functions[0].body = add(program, StmtKind::Sequence(vec![body, read]));
    });
    assert_eq!(called, Malformed::SetupInput);
}

#[test]
fn a_legend_says_something_of_each_part() {
    let fitting = |program: &Program| Legend {
        enumerations: vec![],
        variables: vec![None; program.variables.len()],
        tables: vec![None; program.tables.len()],
        dimensions: program.tables.iter().map(|table| vec![(Meaning::Number, table.cells.len())]).collect(),
        inputs: vec![Role::Input(Meaning::Number); program.inputs.len()],
        started: None,
        lints: vec![],
        rounds: std::collections::BTreeMap::new(),
        constants: vec![],
        unused: vec![],
        cycle: None,
    };
    let wrong = |change: fn(&mut Legend)| {
        broken(|program| {
            program.legend = Some(fitting(program));
            assert_eq!(program.verify(), Ok(()));
            change(program.legend.as_mut().expect("it was set"));
        })
    };
    assert_eq!(wrong(|legend| legend.variables.push(None)), Malformed::Legend(Part::Variable));
    assert_eq!(wrong(|legend| legend.dimensions.push(vec![])), Malformed::Legend(Part::Table));
    assert_eq!(wrong(|legend| legend.dimensions[0].push((Meaning::Number, 2))), Malformed::Legend(Part::Table));
    assert_eq!(wrong(|legend| legend.tables.clear()), Malformed::Legend(Part::Table));
    assert_eq!(wrong(|legend| legend.inputs.clear()), Malformed::Legend(Part::Input));
    assert_eq!(wrong(|legend| legend.variables[0] = Some(Meaning::Name(0))), no_such(Part::Enumeration, 0));
    assert_eq!(wrong(|legend| legend.started = Some(VarId::new(5))), no_such(Part::Variable, 5));
    let lint = |legend: &mut Legend| {
        let property = PropertyId::new(1);
        legend.lints.push(Lint { property, kind: LintKind::Branch, span: HERE, after: None });
    };
    assert_eq!(wrong(lint), no_such(Part::Property, 1));
}

#[test]
fn the_head_of_the_loop_says_something_of_each_place() {
    let wrong = |change: fn(&mut LoopHead)| {
        broken(|program| {
            let variables = vec![AtHead::Hidden; program.variables.len()];
            let tables = vec![AtHead::Hidden; program.tables.len()];
            let (kind, function, location) = (HeadKind::Loop, "main".into(), None);
            program.heads = vec![LoopHead { span: HERE, kind, function, location, variables, tables }];
            assert_eq!(program.verify(), Ok(()));
            change(&mut program.heads[0]);
        })
    };
    assert_eq!(wrong(|head| head.variables.push(AtHead::Dead)), Malformed::Head(Part::Variable));
    assert_eq!(wrong(|head| head.tables.clear()), Malformed::Head(Part::Table));
}

#[test]
fn builders_number_names_that_are_taken() {
    let mut builder = Builder::new("names", Arc::new(Sources::default()));
    let mut global = |name: &str| {
        let id = builder.add_variable(variable(name, Type::Int, Scope::Global));
        builder.variable(id).name.clone()
    };
    let names = ["x", "x#3", "x", "x", "x", "y"].map(&mut global);
    assert_eq!(names, ["x", "x#3", "x#2", "x#4", "x#5", "y"]);
    let t = builder.add_table(table("y", false));
    assert_eq!(builder.table(t).name, "y#2", "globals and tables are places alike");
    let local = builder.add_variable(variable("x", Type::Int, Scope::Local));
    assert_eq!(builder.variable(local).name, "x#6", "locals are told apart too");
    let input = Input { name: "x".into(), alphabet: Domain::TRUTH };
    let inputs = [input.clone(), input].map(|input| builder.add_input(input));
    assert_eq!(inputs.map(|id| builder.input(id).name.clone()), ["x", "x#2"]);
    assert!(builder.finish().is_ok());
}

#[test]
fn a_function_needs_its_body() {
    let mut builder = everything();
    builder.declare_function("g", vec![], None, HERE);
    assert_eq!(builder.finish().err(), Some(Malformed::NoBody("g".into())));
}
