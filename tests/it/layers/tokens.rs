//! The text of a Rust file as words and signs with their lines, without comments and literals.
//!
//! It knows no more of the language than it takes to skip these.

/// A word (an identifier, a keyword or a number), `::`, or a single other character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t str,
    /// From 1.
    pub line: usize,
}

pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut scanner = Scanner { text, at: 0, line: 1 };
    let mut tokens = vec![];
    while let Some(token) = scanner.token() {
        tokens.push(token);
    }
    tokens
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes over `length` bytes.
    fn pass(&mut self, length: usize) -> &'t str {
        let passed = &self.rest()[..length];
        self.line += passed.matches('\n').count();
        self.at += length;
        passed
    }

    /// The next token, behind whatever is none.
    fn token(&mut self) -> Option<Token<'t>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.pass(first.len_utf8());
            } else if rest.starts_with("//") {
                self.pass(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.pass(comment(rest));
            } else if let Some(length) = literal(rest) {
                self.pass(length);
            } else {
                let line = self.line;
                let word = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
                let length = if word > 0 {
                    word
                } else if rest.starts_with("::") {
                    2
                } else {
                    first.len_utf8()
                };
                return Some(Token { text: self.pass(length), line });
            }
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a comment in `/*` and `*/`, which may have others inside.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < text.len() {
        let rest = &text.as_bytes()[at..];
        let step = if rest.starts_with(b"/*") {
            depth += 1;
            2
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        at += step;
    }
    at
}

/// The length of the text or character that begins here, if one does.
fn literal(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let begins = |rest: &str| rest.starts_with(['"', '\'']) || prefix.ends_with('r') && rest.starts_with('#');
        text.strip_prefix(prefix).is_some_and(begins)
    })?;
    let rest = &text[prefix.len()..];
    let length = if prefix.ends_with('r') {
        raw(rest)?
    } else if rest.starts_with('"') {
        quoted(rest, '"')
    } else {
        character(rest)?
    };
    Some(prefix.len() + length)
}

/// A text that ends with as many `#` as it begins with; `r#name` is none.
fn raw(text: &str) -> Option<usize> {
    let marks = text.find(|c| c != '#')?;
    let inside = text[marks..].strip_prefix('"')?;
    let end = format!("\"{}", &text[..marks]);
    Some(marks + 1 + inside.find(&end).map_or(inside.len(), |at| at + end.len()))
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// A character; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let mut inside = text.chars().skip(1);
    let is_character = inside.next()? == '\\' || inside.next() == Some('\'');
    is_character.then(|| quoted(text, '\''))
}

#[test]
fn only_words_and_signs_are_left() {
    let text = "use a::b; // crate::c\n/* /* crate::d */ crate::e */ fn f<'t>(x: &'t str) -> char {\n\
                \"crate::g \\\" {\"; r#\"crate::\"h\"#; b'\\''; '\"'; 'i'; r#type\n}";
    let words: Vec<(&str, usize)> = tokens(text)
        .into_iter()
        .filter(|token| token.text.chars().all(is_of_word) || token.text == "::")
        .map(|token| (token.text, token.line))
        .collect();
    let expected = [
        ("use", 1),
        ("a", 1),
        ("::", 1),
        ("b", 1),
        ("fn", 2),
        ("f", 2),
        ("t", 2),
        ("x", 2),
        ("t", 2),
        ("str", 2),
        ("char", 2),
        ("r", 3),
        ("type", 3),
    ];
    assert_eq!(words, expected);
}
