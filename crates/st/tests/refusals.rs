//! Programs that are not understood are refused, with file, line and column, the source line and what was expected; and
//! no text, however broken, makes the front end panic or loop.

mod common;

use std::sync::Arc;

use common::make;
use common::random::Random;
use redoubt_program::text::{SourceFile, Sources};

/// The messages about a text.
fn messages(text: &str) -> String {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("bad.st", text)]));
    match redoubt_st::load(Arc::clone(&sources)) {
        Ok(_) => String::new(),
        Err(mistakes) => mistakes.render(&sources, false),
    }
}

/// A program with these variables and this body.
fn program(vars: &str, body: &str) -> String {
    format!("PROGRAM P\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n")
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    let cases: Vec<(String, &str, &str)> = vec![
        (program("r : REAL; x : INT;", "r := 1.5;"), "REAL is not supported: use integers of a smaller unit", "bad.st:3:"),
        (program("x : INT;", "x := 1.5;"), "REAL is not supported", "bad.st:3:6"),
        (program("s : STRING[20]; t : STRING;", "s := t;"), "STRING, pointers and references are not supported", "bad.st:3:"),
        (program("p : POINTER TO INT; x : INT;", "x := p^;"), "references are not supported", "bad.st:3:"),
        (program("p : REF_TO INT; x : INT;", "x := p;"), "references are not supported", "bad.st:3:"),
        (program("d : DATE; x : INT;", "d := D#2020;"), "dates are not supported", "bad.st:3:"),
        (program("x : LINT;", "x := 1;"), "64 bits", "bad.st:3:"),
        (program("x : INT;", "INITIAL_STEP"), "SFC is not supported yet: INITIAL_STEP", "bad.st:3:1"),
        (program("x : INT;", "END_TRANSITION"), "SFC is not supported yet", "bad.st:3:1"),
        ("FUNCTION_BLOCK F EXTENDS G\nEND_FUNCTION_BLOCK".into(), "methods and inheritance are not supported", "bad.st:1:18"),
        ("FUNCTION_BLOCK F\nMETHOD m\nEND_FUNCTION_BLOCK".into(), "methods and inheritance", "bad.st:2:1"),
        ("FUNCTION_BLOCK F\nVAR f : F; END_VAR\nEND_FUNCTION_BLOCK\nPROGRAM P VAR g : F; END_VAR\nEND_PROGRAM".into(), "block F calls itself", "bad.st:1:"),
        ("FUNCTION F : INT\nF := F();\nEND_FUNCTION\nPROGRAM P VAR x : INT; END_VAR x := F();\nEND_PROGRAM".into(), "block F calls itself", "bad.st:2:6"),
        (program("a : INT; b : UINT;", "a := b;"), "signed and unsigned numbers do not mix: write UINT_TO_INT", "bad.st:3:6"),
        (program("a : INT; b : UINT;", "a := a + b;"), "signed and unsigned numbers do not mix", "bad.st:3:"),
        (program("a : INT; b : SINT;", "b := a;"), "INT does not fit SINT: write INT_TO_SINT", "bad.st:3:6"),
        (program("a : INT; w : WORD;", "a := w;"), "WORD does not fit INT: write WORD_TO_INT", "bad.st:3:6"),
        (program("a : INT; b : BOOL;", "b := a;"), "INT does not fit BOOL", "bad.st:3:6"),
        (program("a : INT;", "IF a THEN a := 1; END_IF;"), "INT does not fit BOOL", "bad.st:3:4"),
        (program("a : SINT;", "a := 200;"), "200 does not fit SINT", "bad.st:3:6"),
        (program("t : TIME;", "t := 5;"), "a number does not fit TIME", "bad.st:3:6"),
        (program("w : WORD;", "w := w + 1;"), "WORD has no arithmetic", "bad.st:3:6"),
        (program("t : TIME;", "t := T#30d;"), "T#30d is longer than 24 days", "bad.st:3:6"),
        (program("t : TIME;", "t := T#5x;"), "is not a time", "bad.st:3:6"),
        (program("x : INT;", "x := 2#12;"), "`2#12` is not a number", "bad.st:3:6"),
        (program("x : INT;", "x := 3#12;"), "base 2, 8, 10 or 16", "bad.st:3:6"),
        ("PROGRAM A END_PROGRAM\nPROGRAM B END_PROGRAM".into(), "which of A and B is the program?", "bad.st:2:9"),
        ("FUNCTION_BLOCK A END_FUNCTION_BLOCK\nFUNCTION_BLOCK B END_FUNCTION_BLOCK".into(), "write (*@ main A @*)", "bad.st:2:16"),
        ("FUNCTION F : INT F := 1; END_FUNCTION".into(), "there is no program to check", "bad.st:1:1"),
        (program("x : INT;", "x := LIMITT(0, x, 1);"), "did you mean `LIMIT`?", "bad.st:3:6"),
        (program("x : INT;", "x := foo(1);"), "function `foo` is not known", "bad.st:3:6"),
        (program("count : INT;", "x := coumt;"), "`x` is not declared", "bad.st:3:1"),
        (program("count : INT;", "count := coumt;"), "did you mean `count`?", "bad.st:3:10"),
        (program("x : INTT;", ""), "the type `INTT` is not known", "bad.st:2:9"),
        (program("x, i : INT;", "WHILE x < 10 DO i := i + 1; END_WHILE;"), "this loop has no bound that could be found", "bad.st:3:1"),
        (program("i : USINT;", "FOR i := 0 TO 255 DO ; END_FOR;"), "this loop may never end", "bad.st:3:1"),
        (program("i, n : INT;", "FOR i := 0 TO 5 BY n DO ; END_FOR;"), "bad.st", "bad.st:3:"),
        (program("t : TON; x : BOOL;", "t(INN := x, PT := T#1s);"), "`TON` has no input `INN`", "bad.st:3:3"),
        (program("t : TON; x : BOOL;", "t(IN := x, QQ => x);"), "`TON` has no output `QQ`", "bad.st:3:12"),
        (program("t : TON; x : BOOL;", "t.Q := x;"), "only the timer writes it", "bad.st:3:"),
        (program("t : TON; x : BOOL;", "x := t;"), "this is a block and has no value", "bad.st:3:6"),
        (program("a : ARRAY[0..3] OF INT; x : INT;", "x := a;"), "this is an array", "bad.st:3:6"),
        (program("x : INT;", "x[1] := 2;"), "this is not an array", "bad.st:3:2"),
        (program("x : INT;", "x;"), "this does nothing", "bad.st:3:1"),
        (program("x : INT; X : BOOL;", ""), "`X` is declared twice", "bad.st:2:14"),
        ("TYPE T : (Open, Shut); END_TYPE\nPROGRAM P VAR open : BOOL; END_VAR\nEND_PROGRAM".into(), "`open` is also a value of an enumeration", "bad.st:2:15"),
        (program("x : INT;", "EXIT;"), "`EXIT` outside of a loop", "bad.st:3:1"),
        ("PROGRAM P\nVAR CONSTANT c : INT := 3; END_VAR\nc := 4;\nEND_PROGRAM".into(), "`c` is a constant", "bad.st:3:1"),
        ("FUNCTION_BLOCK F VAR_IN_OUT a, b : INT; END_VAR a := b; END_FUNCTION_BLOCK\nPROGRAM P VAR f : F; x : INT; END_VAR\nf(a := x, b := x);\nEND_PROGRAM".into(), "stand for one variable", "bad.st:3:1"),
        ("FUNCTION_BLOCK F VAR_IN_OUT a : INT; END_VAR a := 1; END_FUNCTION_BLOCK\nPROGRAM P VAR f : F; END_VAR\nf();\nEND_PROGRAM".into(), "`F` needs a variable for `a`", "bad.st:3:1"),
        (program("x : INT;", "(*@ assume always x > 1 @*)"), "`x` is no input", "bad.st:3:19"),
        (program("x : INT;", "(*@ property p: x > 1 @*)"), "when should this be true?", "bad.st:3:17"),
        (program("x : INT;", "(*@ property p: always x > @*)"), "bad.st", "bad.st:3:"),
        (program("x : INT;", "(*@ property p: always y > 1 @*)"), "`y` is not declared", "bad.st:3:24"),
        (program("x : INT;", "(*@ property p: always x > 1\nproperty p: always x > 2 @*)"), "`p` is declared twice", "bad.st:4:10"),
        (program("x : INT;", "(*@ expect q holds @*)"), "there is no property `q`", "bad.st:3:12"),
        (program("x : INT;", "(*@ cycle T#0ms @*)"), "a cycle takes some time", "bad.st:3:11"),
        (program("x : BOOL;", "x := prev(x);"), "bad.st", "bad.st:3:"),
        (program("x : INT;", "x := 1"), "unexpected `END_PROGRAM`", "bad.st:4:1"),
        (program("x : INT;", "x := ?;"), "does not belong to the language", "bad.st:3:6"),
        ("PROGRAM P\nEND_FUNCTION_BLOCK".into(), "a `PROGRAM` does not end with `END_FUNCTION_BLOCK`", "bad.st:2:1"),
        ("PROGRAM P (* never".into(), "this comment is never closed", "bad.st:1:11"),
    ];
    let mut wrong = vec![];
    for (text, message, place) in &cases {
        let found = messages(text);
        if !found.contains(message) || !found.contains(place) || !found.contains("  |") {
            wrong.push(format!("wanted {message:?} at {place}\n{text}\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n---\n"));
}

/// An unused declaration may be of a type that is not supported.
#[test]
fn what_nothing_uses_is_let_pass() {
    assert_eq!(messages(&program("r : REAL; s : STRING; p : POINTER TO INT; x : INT;", "x := 1;")), "");
}

#[test]
fn names_ignore_case_and_keywords_of_other_tools_are_names() {
    let vars = "step, at, left, move, limit, Task, on : INT;";
    assert_eq!(messages(&program(vars, "STEP := At + LEFT; move := limit; task := ON;")), "");
}

#[test]
fn broken_files_neither_panic_nor_loop() {
    let mut random = Random::new(7);
    let mut refused = 0;
    for seed in 0..400 {
        let text = make::program(seed % 40).text();
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(chars.len());
            match random.below(5) {
                0 => chars.truncate(at),
                1 => drop(chars.remove(at)),
                2 => {
                    let end = (at + random.below(60)).min(chars.len());
                    chars.drain(at..end);
                }
                3 => {
                    let end = (at + random.below(60)).min(chars.len());
                    let piece: Vec<char> = chars[at..end].to_vec();
                    let to = random.below(chars.len());
                    chars.splice(to..to, piece);
                }
                _ => {
                    chars[at] =
                        random.pick(&['(', ')', ';', ':', '=', '#', '"', '\'', '{', '*', '@', '0', 'x', '.', '\u{e9}'])
                }
            }
            if chars.is_empty() {
                break;
            }
        }
        let broken: String = chars.into_iter().collect();
        refused += usize::from(!messages(&broken).is_empty());
    }
    assert!(refused > 200, "{refused} of 400 files are refused");
}
