//! Every operator and conversion on every pair of integer types, at the edges of these types, against gcc.
//!
//! The result of each goes through 64 bits into a sum, so that its type shows, too: a number below zero is another one if it
//! has lost its sign. A mistake anywhere changes the sum; `REDOUBT_OPERATOR=17` asks for one operator only.

use std::fmt::Write;

use super::super::common::gcc;
use super::super::common::seeds::number;
use super::harness::{Summing, compile};

struct Kind {
    name: &'static str,
    ask: &'static str,
    bits: u32,
    signed: bool,
}

const KINDS: [Kind; 9] = [
    Kind { name: "_Bool", ask: "bool", bits: 1, signed: false },
    Kind { name: "signed char", ask: "char", bits: 8, signed: true },
    Kind { name: "unsigned char", ask: "uchar", bits: 8, signed: false },
    Kind { name: "short", ask: "short", bits: 16, signed: true },
    Kind { name: "unsigned short", ask: "ushort", bits: 16, signed: false },
    Kind { name: "int", ask: "int", bits: 32, signed: true },
    Kind { name: "unsigned", ask: "uint", bits: 32, signed: false },
    Kind { name: "long long", ask: "longlong", bits: 64, signed: true },
    Kind { name: "unsigned long long", ask: "ulonglong", bits: 64, signed: false },
];

impl Kind {
    /// The numbers at the edges, as what a run is told.
    fn edges(&self) -> Vec<Vec<i32>> {
        let (half, one) = (1i128 << (self.bits - 1), 1i128);
        let mut list = if self.bits == 1 {
            vec![0, 1]
        } else if self.signed {
            vec![-half, -half + 1, -one, 0, one, 3, half - 1]
        } else {
            vec![0, one, 3, half - 1, half, 2 * half - 1]
        };
        if self.bits == 64 {
            list.extend([1 << 31, (1 << 32) - 1, 1 << 32, 0x1234_5678_9abc]);
        }
        let words = |number: &i128| vec![*number as i32, (number >> 32) as i32];
        list.iter().map(|number| if self.bits == 64 { words(number) } else { vec![*number as i32] }).collect()
    }

    /// The width in which it is computed.
    fn promoted(&self) -> u32 {
        self.bits.max(32)
    }

    /// Whether dividing by a number of another type can overflow: the lowest number by -1.
    fn can_overflow(&self, by: &Kind) -> bool {
        self.signed && self.bits >= 32 && by.signed && by.bits <= self.bits
    }
}

/// Computations with `a` and `b`, each as statements that leave something in `r`.
fn operations(a: &Kind, b: &Kind, right: &str, is_number: bool) -> Vec<String> {
    let mut list = vec![];
    for op in ["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"] {
        list.push(format!("r = a {op} {right};"));
    }
    // The divisor is -1 only where that cannot overflow.
    let lowest = if a.promoted() == 64 { "(-9223372036854775807LL - 1)" } else { "(-2147483647 - 1)" };
    let guard = if a.can_overflow(b) {
        format!("{right} != 0 && (a != {lowest} || {right} != -1)")
    } else {
        format!("{right} != 0")
    };
    let most = a.promoted() - 1;
    if is_number {
        list.push(format!("if ({guard}) r = a / {right};"));
        list.push(format!("if ({guard}) r = a % {right};"));
        return list;
    }
    for op in ["/", "%"] {
        list.push(format!("if ({guard}) r = a {op} {right};"));
        list.push(format!("if ({guard}) {{ t = a; t {op}= {right}; r = t; }}"));
    }
    for op in ["<<", ">>"] {
        list.push(format!("r = a {op} ({right} & {most});"));
        list.push(format!("t = a; t {op}= ({right} & {most}); r = t;"));
    }
    for op in ["+", "-", "*", "&", "|", "^"] {
        list.push(format!("t = a; t {op}= {right}; r = t;"));
    }
    list.push(format!("r = ({right} & 1) ? a : {right};"));
    list.push(format!("r = ({right} & 1) ? {right} : a;"));
    list.push(format!("r = (a, {right});"));
    list.push(format!("t = {right}; r = t;"));
    list
}

/// Computations with `a` alone.
fn of_one() -> Vec<String> {
    let mut list: Vec<String> = ["-a", "~a", "!a", "+a"].iter().map(|value| format!("r = {value};")).collect();
    list.extend(KINDS.iter().map(|kind| format!("r = ({})a;", kind.name)));
    list.extend(["t = a; r = t++;", "t = a; t++; r = t;", "t = a; r = --t;", "t = a; r = t--;"].map(String::from));
    list
}

fn program(a: &Kind, b: Option<&Kind>, operations: &[String]) -> String {
    let mut text = format!("int @main(void) {{\n  unsigned @sum = 17; unsigned long long r = 0; {} t;\n", a.name);
    for (name, kind) in [("a", Some(a)), ("b", b)] {
        if let Some(Kind { name: ty, ask, .. }) = kind {
            writeln!(text, "  {ty} {name} = __VERIFIER_nondet_{ask}();").expect("a string");
        }
    }
    let only: Option<usize> = number("REDOUBT_OPERATOR");
    for (index, operation) in operations.iter().enumerate() {
        if only.is_none_or(|only| only == index) {
            writeln!(text, "  {operation} @sum = @sum * 31 + (unsigned)r; @sum = @sum * 31 + (unsigned)(r >> 32);")
                .expect("a string");
        }
    }
    text.push_str("  END(@sum)\n  return 0;\n}\n");
    text
}

/// Programs, and what they are told: all must come to what gcc says.
fn compare(cases: &[(String, Vec<Vec<i32>>)]) {
    let programs: Vec<String> = cases.iter().map(|(text, _)| text.clone()).collect();
    let runs: Vec<(usize, Vec<i32>)> = cases
        .iter()
        .enumerate()
        .flat_map(|(number, (_, list))| list.iter().map(move |answers| (number, answers.clone())))
        .collect();
    let mut expected = compile(&programs).run(&runs).into_iter();
    for (text, list) in cases {
        let program = Summing::new(text);
        for answers in list {
            let expected = expected.next().expect("one for each");
            assert_eq!(program.run(answers), expected, "on {answers:?}\n{text}");
        }
    }
    println!("{} programs, {} runs", programs.len(), runs.len());
}

#[test]
fn operands_of_all_types_meet_as_gcc_says() {
    if !gcc::available() {
        return;
    }
    let mut cases = vec![];
    for a in &KINDS {
        for b in &KINDS {
            let both = |x: &Vec<i32>| b.edges().into_iter().map(|y| [x.clone(), y].concat()).collect::<Vec<_>>();
            let answers = a.edges().iter().flat_map(both).collect();
            cases.push((program(a, Some(b), &operations(a, b, "b", false)), answers));
        }
        cases.push((program(a, None, &of_one()), a.edges()));
    }
    compare(&cases);
}

/// Constants are converted beforehand, and divided by in other ways.
#[test]
fn constants_of_all_types_meet_variables_as_gcc_says() {
    let constants = [
        ("0", 5),
        ("1", 5),
        ("-1", 5),
        ("3", 5),
        ("10", 5),
        ("'\\xff'", 5),
        ("255", 5),
        ("65536", 5),
        ("0x7fffffff", 5),
        ("(-2147483647 - 1)", 5),
        ("1U", 6),
        ("7U", 6),
        ("0x80000000", 6),
        ("4294967295U", 6),
        ("2147483648", 7),
        ("1000003LL", 7),
        ("-1LL", 7),
        ("4294967295", 7),
        ("4294967297", 7),
        ("(-9223372036854775807LL - 1)", 7),
        ("9ULL", 8),
        ("0x8000000000000000", 8),
        ("0xffffffffffffffffULL", 8),
        ("0x123456789ULL", 8),
    ];
    if !gcc::available() {
        return;
    }
    let mut cases = vec![];
    for a in &KINDS {
        for part in constants.chunks(8) {
            let all = part.iter().flat_map(|&(text, kind)| operations(a, &KINDS[kind], text, true));
            cases.push((program(a, None, &all.collect::<Vec<_>>()), a.edges()));
        }
    }
    compare(&cases);
}
