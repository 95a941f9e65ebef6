//! The promises between the stages of the front end. Elsewhere, whole programs are compared with gcc.

use super::ast::{BinaryOperator, Connective, ExprId, ExprKind, Item, StmtKind, Syntax, UnaryOperator};
use super::*;
use redoubt_base::Interrupt;
use redoubt_program::program::AtHead;
use std::time::Instant;

/// The program of these files, or all messages as they are printed.
fn parse(files: Vec<SourceFile>) -> Result<Program, String> {
    let sources = Arc::new(Sources::new(files));
    load(Arc::clone(&sources)).map_err(|diagnostics| diagnostics.render(&sources, false))
}

fn sources(text: &str) -> Sources {
    Sources::new(vec![SourceFile::new("test.c", text)])
}

/// Writes an expression with all its parentheses.
fn shape(syntax: &Syntax<'_>, id: ExprId) -> String {
    let of = |id: &ExprId| shape(syntax, *id);
    match &syntax.expr(id).kind {
        ExprKind::Name(text) | ExprKind::Number(text) | ExprKind::Character(text) => text.to_string(),
        ExprKind::Text(parts) => parts.join(" "),
        ExprKind::Truth(value) => value.to_string(),
        ExprKind::SameText(a, b) => format!("{}.equals({})", of(a), of(b)),
        ExprKind::Call(call) => {
            let arguments: Vec<String> = call.arguments.iter().map(of).collect();
            format!("{}({})", call.name, arguments.join(", "))
        }
        ExprKind::Cell(base, index) => format!("{}[{}]", of(base), of(index)),
        ExprKind::Unary(operator, a) => {
            let sign = match operator {
                UnaryOperator::Negate => "-",
                UnaryOperator::Plus => "+",
                UnaryOperator::Not => "!",
                UnaryOperator::BitNot => "~",
                UnaryOperator::Dereference => "*",
                UnaryOperator::Address => "&",
            };
            format!("({sign}{})", of(a))
        }
        ExprKind::Binary(operator, a, b) => format!("({} {} {})", of(a), sign(*operator), of(b)),
        ExprKind::Logical(Connective::And, a, b) => format!("({} && {})", of(a), of(b)),
        ExprKind::Logical(Connective::Or, a, b) => format!("({} || {})", of(a), of(b)),
        ExprKind::Conditional(a, b, c) => format!("({} ? {} : {})", of(a), of(b), of(c)),
    }
}

fn sign(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as Op;
    match operator {
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Remainder => "%",
        Op::Add => "+",
        Op::Subtract => "-",
        Op::ShiftLeft => "<<",
        Op::ShiftRight => ">>",
        Op::Less => "<",
        Op::LessEqual => "<=",
        Op::Greater => ">",
        Op::GreaterEqual => ">=",
        Op::Equal => "==",
        Op::NotEqual => "!=",
        Op::BitAnd => "&",
        Op::BitXor => "^",
        Op::BitOr => "|",
    }
}

#[test]
fn expressions_have_the_structure_that_c_gives_them() {
    let cases = [
        ("a - b - c", "((a - b) - c)"),
        ("a + b * c % d / e", "(a + (((b * c) % d) / e))"),
        ("a << b + c >> d", "((a << (b + c)) >> d)"),
        ("a < b == c <= d != e > f >= g", "(((a < b) == (c <= d)) != ((e > f) >= g))"),
        ("a | b ^ c & d == e", "(a | (b ^ (c & (d == e))))"),
        ("a || b && c | d", "(a || (b && (c | d)))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("-a * ~b + !c - +d", "((((-a) * (~b)) + (!c)) - (+d))"),
        ("*p + t[i][j] - f(a, (b), g())", "(((*p) + t[i][j]) - f(a, b, g()))"),
        ("((a)) - ((b - c))", "(a - (b - c))"),
        ("&a == 'x'", "((&a) == 'x')"),
        ("f(\"%d\" \"\\n\", 0x1F)", "f(\"%d\" \"\\n\", 0x1F)"),
    ];
    for (text, expected) in cases {
        let sources = sources(&format!("int x = {text};"));
        let syntax = syntax(&sources, &Threads::default(), &mut Watch::new(&Interrupt::default())).expect("it is C");
        let Some(Item::Declaration(declaration)) = syntax.files[0].first() else { panic!("a declaration") };
        let Some(ast::Initializer::Value(value)) = declaration.declarators[0].initializer else { panic!("a value") };
        assert_eq!(shape(&syntax, value), expected, "{text}");
        assert_eq!(sources.text(syntax.expr(value).span), text);
    }
}

#[test]
fn a_chain_of_branches_is_one_statement() {
    let chain = " else if (x == 1) x += 2;".repeat(5_000);
    let sources = sources(&format!("void f() {{ if (x) x--;{chain} else {{ ; }} }}"));
    let syntax = syntax(&sources, &Threads::default(), &mut Watch::new(&Interrupt::default())).expect("it is C");
    let body = syntax.functions().next().and_then(|function| function.body.clone()).expect("a body");
    let [only] = body.as_slice() else { panic!("{} statements", body.len()) };
    let StmtKind::If { branches, otherwise } = &syntax.stmt(*only).kind else { panic!("a chain") };
    assert_eq!((branches.len(), otherwise.is_some()), (5_001, true));
    let StmtKind::Step { operator, .. } = syntax.stmt(branches[0].body).kind else { panic!("a decrement") };
    assert_eq!(operator, BinaryOperator::Subtract);
    let StmtKind::Assign { operator, .. } = syntax.stmt(branches[1].body).kind else { panic!("an assignment") };
    assert_eq!(operator, Some(BinaryOperator::Add));
    let otherwise = otherwise.expect("it is there");
    assert_eq!(sources.text(otherwise.span), "else { ; }");
}

const LOOP: &str = "while (1) { int b = 1; scanf(\"%d\", &input); if (b == input) { shadowed_set(); } }";

/// A program whose `main` has inner blocks before the loop, a global that a local hides, and a local without a value.
fn blocks() -> String {
    format!(
        "int inputs[] = {{1, 2}};\nint seen[2];\nint x = 0;\nint shadowed = 5;\n\
         void shadowed_set() {{ int t = 6; shadowed = t; seen[1] = 2; }}\n\
         int main() {{ int shadowed = 1; int set; {{ int b = 4; x = b; }} {{ int b = 7; set = b; }} int input;\n{LOOP} }}"
    )
}

#[test]
fn variables_of_one_name_are_told_apart() {
    let program = parse(vec![SourceFile::new("blocks.c", blocks())]).expect("a program");
    let mut names: Vec<&str> = program.variables.iter().map(|variable| variable.name.as_str()).collect();
    let blocks: Vec<&str> = names.iter().copied().filter(|name| name.starts_with("main.b")).collect();
    assert_eq!(blocks, ["main.b", "main.b#2", "main.b#3"]);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), program.variables.len());
}

#[test]
fn what_the_head_of_the_loop_can_name() {
    let text = blocks();
    let program = parse(vec![SourceFile::new("blocks.c", text.as_str())]).expect("a program");
    let head = program.heads.first().expect("it has a loop");
    assert_eq!(program.sources.text(head.span), LOOP);
    let at_head = |name: &str| {
        let index = program.variables.iter().position(|variable| variable.name == name);
        &head.variables[index.unwrap_or_else(|| panic!("{name}"))]
    };
    let called = |name: &str| AtHead::Called(name.into());
    assert_eq!(*at_head("x"), called("x"));
    assert_eq!(*at_head("shadowed"), AtHead::Hidden);
    assert_eq!(*at_head("main.shadowed"), called("shadowed"));
    assert_eq!(*at_head("main.set"), called("set"), "an inner block assigns it");
    for dead in ["main.b", "main.b#2", "main.b#3", "main.input", "shadowed_set.t"] {
        assert_eq!(*at_head(dead), AtHead::Dead, "{dead}");
    }
    assert_eq!(head.tables, [called("inputs"), called("seen")]);
}

#[test]
fn what_another_file_defines_is_named_where_it_is_declared() {
    let defined = SourceFile::new("defined.c", "int a = 1; int b = 2; int step(int i) { a = i; b = i; return i; }");
    let main = "extern int a; int step(int i); int inputs[] = {1};\n\
                int main() { while (1) { int i; scanf(\"%d\", &i); i = step(i); } }\nint late = 3;";
    let program = parse(vec![SourceFile::new("main.c", main), defined]).expect("a program");
    let head = program.heads.first().expect("it has a loop");
    let named = program.variables.iter().zip(&head.variables).filter(|(_, at)| matches!(at, AtHead::Called(_)));
    assert_eq!(named.map(|(variable, _)| variable.name.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(program.sources.position(head.span).line, 2);
}

#[test]
fn headers_of_the_library_are_passed_over() {
    let program = |include: &str| {
        let text = format!("{include}\n{}", blocks());
        parse(vec![SourceFile::new("blocks.c", text)]).map(|program| program.variables.len())
    };
    let variables = program("#include <assert.h>").expect("a program");
    for include in ["#include \"assert.h\"", "# include\t\"stdio.h\" // for scanf", "#include \"math.h\"\r"] {
        assert_eq!(program(include).expect("a program"), variables, "{include}");
    }
    for own in ["#include \"state.h\"", "#include \"assert.h\" int y;", "#include \"my/assert.h\"", "#include assert.h"]
    {
        let error = program(own).expect_err(own);
        assert!(error.contains("the directive `#include` is not supported"), "{error}");
    }
}

/// Two megabytes of C.
fn large() -> String {
    let mut text = String::from("int inputs[] = {1, 2};\nint x = 0;\n");
    for function in 0..220 {
        text += &format!("void f{function}(int i) {{\n");
        for arm in 0..200 {
            text += &format!("  if (x == {arm} && i != {function}) {{ x = x + i * {arm}; }}\n");
        }
        text += "}\n";
    }
    text + "int main() { while (1) { int i; scanf(\"%d\", &i); f1(i); } }\n"
}

/// Pieces that threads have parsed come to the same program, and a mistake in one of them to the same message.
#[test]
fn threads_read_the_same() {
    let function = |number: usize| {
        let arm = |arm: usize| format!("  if (x == {arm} && i != {number}) {{ x = x + i * {arm}; }} else x++;\n");
        let arms: String = (0..30).map(arm).collect();
        format!("int t{number}[] = {{1, {number}}};\nvoid f{number}(int i) {{\n{arms}}}\n")
    };
    let functions: String = (0..300).map(function).collect();
    let good = format!("int x = 0;\n{functions}int main() {{ while (1) {{ int i; scanf(\"%d\", &i); f7(i); }} }}\n");
    let bad = good.replacen("i != 250)", "i != )", 1);
    let read = |text: &str, threads: usize| {
        let limits = Limits { threads: Threads::new(threads), ..Limits::default() };
        let sources = Arc::new(Sources::new(vec![SourceFile::new("large.c", text)]));
        match load_within(Arc::clone(&sources), Dialect::C, &limits) {
            Ok(program) => format!("{:?} {:?}", program.stmts, program.functions),
            Err(Refused::Mistakes(diagnostics)) => diagnostics.render(&sources, false),
            Err(Refused::Interrupted) => panic!("nobody else has this interrupt"),
        }
    };
    assert!(pieces::pieces(&good, 3).len() == 3 && bad != good);
    for text in [&good, &bad] {
        let alone = read(text, 0);
        assert_eq!(alone.contains("large.c"), text == &bad);
        assert!(read(text, 2) == alone, "{}", &alone[..300]);
    }
}

#[test]
fn reading_ends_soon_after_the_interrupt() {
    let text = large();
    assert!(text.len() > 2_000_000, "{}", text.len());
    let read = |interrupt: &Interrupt| {
        let begin = Instant::now();
        let limits = Limits { interrupt: interrupt.clone(), ..Limits::default() };
        let program =
            load_within(Arc::new(Sources::new(vec![SourceFile::new("large.c", text.as_str())])), Dialect::C, &limits);
        (begin.elapsed(), program)
    };
    let raised = Interrupt::default();
    raised.raise();
    for tenths in 0..7 {
        // Other programs take the processor at any moment, so one good attempt of several is enough, and how long all of it
        // takes is measured right before each.
        let attempt = || {
            let (whole, program) = read(&Interrupt::default());
            assert!(program.is_ok());
            let limit = whole * tenths / 10;
            let (taken, program) = read(&if tenths == 0 { raised.clone() } else { Interrupt::after(limit) });
            matches!(program, Err(Refused::Interrupted)) && taken < limit + whole / 4
        };
        assert!((0..10).any(|_| attempt()), "after {tenths} tenths");
    }
}

/// The competition asks whether the function is called; the challenge, which labels are reached.
#[test]
fn a_label_does_not_hide_the_call_behind_it() {
    let text = "extern void __VERIFIER_error(); extern int __VERIFIER_nondet_int(); int inputs[] = {1, 2}; int x = 0;\n\
                void calculate_output(int input) {\n\
                if (input == 1) { error_1: ; x = 1; } if (x == 1) { error_2: __VERIFIER_error(); } }\n\
                int main() { while (1) { int input = __VERIFIER_nondet_int(); if (input != 1 && input != 2) return -2;\n\
                calculate_output(input); } }\n";
    let program = parse(vec![SourceFile::new("test.c", text)]).expect("a program");
    let mut simulator = redoubt_program::simulate::Simulator::new(&program);
    let step = simulator.step(&[1]);
    let reached: Vec<&str> = (0..program.properties.len())
        .map(program::PropertyId::new)
        .filter(|&property| step.reaches(property))
        .map(|property| program.property(property).name.as_str())
        .collect();
    assert_eq!(reached, ["error_1", "error_2", "reach_error"]);
}

/// A check of something that is evaluated only sometimes asks when, and the condition around it stays whole.
#[test]
fn conditions_stay_whole_around_checks() {
    let text = "int t[] = {4, 5}; int x = 0; int y = 7;
        void calculate_output(int input) {
            if (input == 1) x = 1;
            if (x == 1 && t[y] == 5) y = 0;
            y = x != 1 || 3 / (y - 7) == 1 ? y : t[y - 1];
        }
        int main() { while(1) { int input; scanf(\"%d\", &input); calculate_output(input); } }";
    let program = parse(vec![SourceFile::new("test.c", text)]).expect("a program");
    let temporaries = program.variables.iter().filter(|variable| variable.name.starts_with('t')).count();
    assert_eq!(temporaries, 0, "{:?}", program.variables);
    let end_after = |inputs: &[i32]| {
        let mut simulator = redoubt_program::simulate::Simulator::new(&program);
        inputs.iter().find_map(|&input| simulator.step(&[input]).end)
    };
    assert_eq!(end_after(&[2, 2]), None, "nothing is read as long as x is not 1");
    let Some(redoubt_program::simulate::End::Error(property, _)) = end_after(&[2, 1]) else {
        panic!("t[7] is read then")
    };
    assert_eq!(program.property(property).name, "index_out_of_bounds");
}
