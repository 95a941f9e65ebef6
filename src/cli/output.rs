//! Ways of writing that several commands share.

use std::io::{self, Write};

use redoubt::expr::Type;
use redoubt::program::Program;

/// An input as RERS writes it: A for 1, B for 2 and so on; other numbers stay numbers.
pub fn letter(input: i32) -> String {
    match u8::try_from(input) {
        Ok(number @ 1..=26) => char::from(b'A' + number - 1).to_string(),
        _ => input.to_string(),
    }
}

/// A value as the source would write it: a pointer by the name of its table.
pub fn value(program: &Program, ty: Type, value: i32) -> String {
    match ty {
        Type::Int => value.to_string(),
        Type::Bool => (value != 0).to_string(),
        Type::Pointer => program.tables[value as usize].name.clone(),
    }
}

/// `1 step`, `2 steps`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Writes to standard error, without a word about it if nobody reads that.
pub fn message(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
