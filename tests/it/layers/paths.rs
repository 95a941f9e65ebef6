//! The paths in a Rust file that leave it: those from `crate`, `self` and `super`, and those from other crates of the
//! project, made absolute.

use super::tokens::{Token, tokens};

/// A path, from the crate on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The name of another crate, or none for the crate of the file.
    pub krate: Option<String>,
    pub names: Vec<String>,
    /// The name of its end where it is imported.
    pub alias: Option<String>,
    pub line: usize,
    /// Whether it stands in code that only tests are built with.
    pub in_test: bool,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub struct Contents {
    pub paths: Vec<Path>,
    /// Modules in files of their own that only tests are built with.
    pub test_modules: Vec<String>,
}

/// Reads the file that is this module of its crate.
pub fn read(module: &[String], text: &str) -> Contents {
    let tokens = tokens(text);
    let mut reader =
        Reader { tokens: &tokens, at: 0, inside: module.to_vec(), open: vec![], contents: Contents::default() };
    while reader.at < tokens.len() {
        reader.step();
    }
    reader.contents
}

/// The owner of an open brace.
enum Brace {
    Module { for_tests: bool },
    Other,
}

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    /// The module that we are in.
    inside: Vec<String>,
    open: Vec<Brace>,
    contents: Contents,
}

impl<'t> Reader<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn step(&mut self) {
        match self.text(self.at) {
            "mod" if self.text(self.at + 2) == "{" => {
                let for_tests = self.is_for_tests();
                self.inside.push(self.text(self.at + 1).to_string());
                self.open.push(Brace::Module { for_tests });
                self.at += 3;
            }
            "mod" if self.text(self.at + 2) == ";" => {
                if self.is_for_tests() {
                    self.contents.test_modules.push(self.text(self.at + 1).to_string());
                }
                self.at += 3;
            }
            "{" => {
                self.open.push(Brace::Other);
                self.at += 1;
            }
            "}" => {
                if let Some(Brace::Module { .. }) = self.open.pop() {
                    self.inside.pop();
                }
                self.at += 1;
            }
            _ if self.begins_path() => self.path(),
            _ => self.at += 1,
        }
    }

    /// Whether `#[cfg(test)]` stands before the item here, perhaps with `pub` in between.
    fn is_for_tests(&self) -> bool {
        const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
        let before = &self.tokens[..self.at];
        let visible =
            before.iter().rev().take_while(|token| matches!(token.text, "pub" | "(" | ")" | "crate" | "super"));
        // An attribute ends with a bracket, so no parenthesis of it is passed over.
        let before = &before[..before.len() - visible.count()];
        before.iter().rev().map(|token| token.text).take(ATTRIBUTE.len()).eq(ATTRIBUTE.into_iter().rev())
    }

    /// Whether a path to another module may begin here.
    fn begins_path(&self) -> bool {
        let before = if self.at == 0 { "" } else { self.text(self.at - 1) };
        let (first, goes_on) = (self.text(self.at), self.text(self.at + 1) == "::");
        let is_crate = first == "redoubt" || first.starts_with("redoubt_");
        before != "::"
            && (goes_on && matches!(first, "crate" | "self" | "super") || is_crate && (goes_on || before == "use"))
    }

    fn path(&mut self) {
        let mut from = self.inside.clone();
        let first = self.text(self.at);
        let krate = match first {
            "self" => None,
            "super" => {
                from.pop();
                None
            }
            _ => {
                from.clear();
                (first != "crate").then(|| first.to_string())
            }
        };
        self.at += 1;
        self.tree(krate.as_deref(), from);
    }

    /// The rest of a path: names, or several paths in braces.
    fn tree(&mut self, krate: Option<&str>, mut names: Vec<String>) {
        let mut line = self.tokens[self.at - 1].line;
        while self.text(self.at) == "::" {
            self.at += 1;
            line = self.tokens.get(self.at).map_or(line, |token| token.line);
            match self.text(self.at) {
                "{" => return self.group(krate, &names),
                "super" => drop(names.pop()),
                // All names, or type arguments.
                "*" | "<" => break,
                name => names.push(name.to_string()),
            }
            self.at += 1;
        }
        let in_test = self.open.iter().any(|brace| matches!(brace, Brace::Module { for_tests: true }));
        let krate = krate.map(str::to_string);
        let alias = match self.text(self.at) {
            "as" => Some(self.text(self.at + 1).to_string()),
            _ => names.last().or(krate.as_ref()).cloned(),
        };
        self.contents.paths.push(Path { krate, names, alias, line, in_test });
    }

    fn group(&mut self, krate: Option<&str>, names: &[String]) {
        self.at += 1;
        while !matches!(self.text(self.at), "}" | "") {
            let mut names = names.to_vec();
            match self.text(self.at) {
                "," => {
                    self.at += 1;
                    continue;
                }
                "self" | "*" => {}
                "super" => drop(names.pop()),
                name => names.push(name.to_string()),
            }
            self.at += 1;
            self.tree(krate, names);
            // Its name here has been seen.
            while !matches!(self.text(self.at), "," | "}" | "") {
                self.at += 1;
            }
        }
        self.at += 1;
    }
}

fn shown(text: &str) -> Vec<String> {
    let module = ["a".to_string(), "b".to_string()];
    let show = |path: Path| {
        let names = path.krate.into_iter().chain(path.names).collect::<Vec<_>>().join("::");
        format!("{} {names}{}", path.line, if path.in_test { " in tests" } else { "" })
    };
    read(&module, text).paths.into_iter().map(show).collect()
}

#[test]
fn paths_are_absolute() {
    let text = "use crate::x::{self, y::Z as Q, w::*};\nuse super::{c, super::d};\nuse redoubt_base as base;\n\
                fn f() { self::g(); redoubt_base::id!(); super::super::h::<u8>() }\npub(crate) struct S;";
    let expected =
        ["1 x", "1 x::y::Z", "1 x::w", "2 a::c", "2 d", "3 redoubt_base", "4 a::b::g", "4 redoubt_base::id", "4 h"];
    assert_eq!(shown(text), expected);
}

#[test]
fn modules_inside_a_file_count() {
    let text = "mod in_it { use super::c; fn f() {} mod deep { use super::super::d; } }\n\
                #[cfg(test)]\nmod tests { use super::*; use crate::e; }\nuse super::f;\n#[cfg(test)]\nmod samples;\nmod g;";
    assert_eq!(shown(text), ["1 a::b::c", "1 a::b::d", "3 a::b in tests", "3 e in tests", "4 a::f"]);
    assert_eq!(read(&[], text).test_modules, ["samples"]);
}
