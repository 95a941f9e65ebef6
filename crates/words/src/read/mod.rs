//! BTOR2 text in, a [`Model`] out.
//!
//! Every line defines something by a number and refers to what lines before it define. `line` takes lines apart, `build`
//! makes expressions of them and sees to it that sorts fit. Every message says where the mistake is.

mod build;
mod line;

use redoubt_circuit::aiger::ReadError;

use crate::model::Model;
use build::Builder;
use line::Line;

/// Reads a whole file.
pub fn read(bytes: &[u8]) -> Result<Model, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ReadError::in_text(bytes, error.valid_up_to(), "this is not UTF-8 text".into()))?;
    let mut builder = Builder::default();
    let mut start = 0;
    for text_line in text.split_inclusive('\n') {
        let failed = |mistake: line::Mistake| ReadError::in_text(bytes, start + mistake.at, mistake.message);
        if let Some(line) = Line::new(text_line) {
            builder.line(line).map_err(failed)?;
        }
        start += text_line.len();
    }
    builder.finish().map_err(|message| ReadError::in_text(bytes, bytes.len(), message))
}

/// Whether the first line that is not a comment could be one of this format.
pub fn looks_like_btor2(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b";"));
    let Some(first) = lines.next() else { return false };
    let mut words = first.split(|&byte| byte == b' ');
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    words.next().is_some_and(is_number) && words.next().is_some_and(|word| word.iter().all(u8::is_ascii_lowercase))
}

#[cfg(test)]
mod tests;
