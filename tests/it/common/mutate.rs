//! Broken programs: good ones with tokens and characters deleted, doubled, swapped or put in.

use proptest::prelude::*;

/// One change of a text. Places are fractions of its length in 65536ths, so that they fit every text.
#[derive(Clone, Debug)]
pub enum Mutation {
    DeleteTokens(u16, usize),
    DoubleToken(u16),
    SwapTokens(u16, u16),
    /// One token in the place of another.
    Overwrite(u16, u16),
    DeleteCharacter(u16),
    InsertCharacter(u16, char),
    InsertText(u16, &'static str),
    Cut(u16),
}

/// Texts that the grammar or the lowering treats specially.
const SPECIAL: &[&str] = &[
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "\\\n",
    "#define",
    "{",
    "}",
    "((",
    "))",
    "[",
    "]",
    ";",
    "= =",
    "++",
    "else",
    "if",
    "while(1)",
    "return",
    "return 1;",
    "goto",
    "float",
    "const",
    "extern",
    "static",
    "void",
    "int",
    "&",
    "*",
    "!",
    "-",
    "? 1 :",
    "0x",
    "09",
    "99999999999",
    "2147483647",
    "/ 0",
    "% 0",
    "<< 40",
    "input",
    "inputs",
    "main",
    "scanf",
    "error_1:",
    "assert(0);",
    "__VERIFIER_error(3);",
    "__attribute__((x))",
    "printf(\"%d\")",
    "\u{0}",
    "\u{feff}",
    "é",
];

pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    use Mutation::*;
    let place = any::<u16>;
    let one = prop_oneof![
        (place(), 1..6usize).prop_map(|(at, count)| DeleteTokens(at, count)),
        place().prop_map(DoubleToken),
        (place(), place()).prop_map(|(a, b)| SwapTokens(a, b)),
        (place(), place()).prop_map(|(a, b)| Overwrite(a, b)),
        place().prop_map(DeleteCharacter),
        (place(), any::<char>()).prop_map(|(at, c)| InsertCharacter(at, c)),
        (place(), proptest::sample::select(SPECIAL)).prop_map(|(at, text)| InsertText(at, text)),
        place().prop_map(Cut),
    ];
    proptest::collection::vec(one, 1..4)
}

pub fn apply(text: &str, mutations: &[Mutation]) -> String {
    mutations.iter().fold(text.to_string(), |text, mutation| apply_one(&text, mutation))
}

fn apply_one(text: &str, mutation: &Mutation) -> String {
    let mut tokens = tokens(text);
    let mut chars: Vec<char> = text.chars().collect();
    let token = |place: u16| scaled(place, tokens.len());
    let character = |place: u16| scaled(place, chars.len());
    if tokens.is_empty() {
        return String::new();
    }
    match *mutation {
        Mutation::DeleteTokens(place, count) => {
            let at = token(place);
            tokens.drain(at..(at + count).min(tokens.len()));
        }
        Mutation::DoubleToken(place) => tokens.insert(token(place), tokens[token(place)]),
        Mutation::SwapTokens(a, b) => {
            let (a, b) = (token(a), token(b));
            tokens.swap(a, b);
        }
        Mutation::Overwrite(a, b) => {
            let (a, b) = (token(a), token(b));
            tokens[a] = tokens[b];
        }
        Mutation::InsertText(place, special) => tokens.insert(token(place), special),
        Mutation::DeleteCharacter(place) => {
            chars.remove(character(place));
            return chars.into_iter().collect();
        }
        Mutation::InsertCharacter(place, c) => {
            chars.insert(character(place), c);
            return chars.into_iter().collect();
        }
        Mutation::Cut(place) => {
            chars.truncate(character(place));
            return chars.into_iter().collect();
        }
    }
    tokens.concat()
}

fn scaled(place: u16, length: usize) -> usize {
    usize::from(place) * length / (usize::from(u16::MAX) + 1)
}

/// Words, runs of blanks, and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = vec![];
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c) || last == 2) {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}
