//! Macros and conditional parts of C, by the preprocessor of gcc if there is one.
//!
//! Headers of the system are left as they stand, since the front end knows what they declare. What is left of a line stays in that
//! line, so that messages name the right one; what an included file of the program has stands in the line that includes it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use redoubt_languages as languages;
use redoubt_program::program::Language;
use redoubt_program::text::SourceFile;

/// In the place of a header of the system while the preprocessor is at work.
const HEADER: &str = "__redoubt_header__";

/// The file as it is after preprocessing; the same one if there is nothing to do, or nobody to do it.
pub fn preprocessed(file: SourceFile, path: &Path) -> SourceFile {
    let is_c = path.extension().is_some_and(|extension| extension == "c");
    let is_general = || languages::language_of(std::slice::from_ref(&file)) == Language::C;
    if !is_c || !file.text.lines().any(needs_preprocessing) || !is_general() {
        return file;
    }
    match run(&file.text, path) {
        Some(text) => SourceFile::new(file.name.clone(), text),
        None => file,
    }
}

/// Whether a line is a directive that the front end does not understand.
fn needs_preprocessing(line: &str) -> bool {
    let Some(directive) = line.trim_start().strip_prefix('#') else { return false };
    let directive = directive.trim_start();
    let is_own = directive.strip_prefix("include").is_some_and(|rest| rest.trim_start().starts_with('"'));
    is_own
        || ["define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"].iter().any(|word| {
            directive.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        })
}

fn run(text: &str, path: &Path) -> Option<String> {
    if text.lines().any(asks_for_what_headers_define) {
        return None;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let marked: String = text.lines().map(|line| format!("{}\n", marked(line, folder))).collect();
    let mut command = Command::new("gcc");
    // What a condition mentions has to be known, or it would count as 0 without a word.
    command.args(["-E", "-x", "c", "-m32", "-nostdinc", "-Wundef", "-Werror=undef", "-I"]).arg(folder).arg("-");
    let mut gcc = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut input = gcc.stdin.take()?;
    let writer = std::thread::spawn(move || input.write_all(marked.as_bytes()).is_ok());
    let output = gcc.wait_with_output().ok()?;
    let is_written = writer.join().unwrap_or(false);
    let text = String::from_utf8(output.stdout).ok()?;
    (is_written && output.status.success()).then(|| in_place(&text))
}

/// Headers that programs bring along as files of their own, and that may be missing: they declare what the front end knows.
const KNOWN: [&str; 9] =
    ["assert.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"];

/// A line that includes a header of the system, with a word in its place that the preprocessor does not know.
fn marked(line: &str, folder: &Path) -> String {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    let Some(name) = directive.and_then(|rest| rest.strip_prefix("include")).map(str::trim_start) else {
        return line.to_string();
    };
    if let Some((name, _)) = name.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        return format!("{HEADER} <{name}>");
    }
    let quoted = name.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
    match quoted.and_then(|path| Some((path, Path::new(path).file_name()?.to_str()?))) {
        Some((path, name)) if KNOWN.contains(&name) && !folder.join(path).is_file() => format!("{HEADER} <{name}>"),
        _ => line.to_string(),
    }
}

/// Whether a condition asks for a macro that headers of the system define, which the preprocessor does not see.
fn asks_for_what_headers_define(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
    let is_condition = ["if", "elif"].iter().any(|word| directive.starts_with(word));
    let mut words = directive.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_of_header = |word: &str| {
        let is_limit = word.ends_with("_MAX") || word.ends_with("_MIN") || word.ends_with("_BIT");
        is_limit || ["NULL", "EOF", "bool", "true", "false", "assert"].contains(&word)
    };
    is_condition && words.any(is_of_header)
}

/// What the preprocessor wrote, each line of the file where it stood there.
fn in_place(output: &str) -> String {
    let mut lines: Vec<String> = vec![];
    let (mut next, mut is_own) = (1usize, true);
    for line in output.lines() {
        if let Some((number, rest)) = line.strip_prefix("# ").and_then(|marker| marker.split_once(' '))
            && let Ok(number) = number.parse::<usize>()
        {
            is_own = rest.starts_with("\"<stdin>\"");
            if is_own {
                next = number;
            }
            continue;
        }
        if line.trim().is_empty() {
            next += usize::from(is_own);
            continue;
        }
        let at = if is_own { next } else { next.saturating_sub(1).max(1) };
        if lines.len() < at {
            lines.resize(at, String::new());
        }
        let place = &mut lines[at - 1];
        if !place.is_empty() {
            place.push(' ');
        }
        match line.trim_start().strip_prefix(HEADER) {
            // It takes all of its line.
            Some(header) => *place = format!("#include{header}"),
            None => place.push_str(line),
        }
        next += usize::from(is_own);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_they_are() {
        let text = "#include <stdint.h>\n#define N 3\n#if N > 2\nint a[N];\n#else\nint b;\n#endif\nint c = N;\n";
        let Some(found) = run(text, Path::new("test.c")) else { return };
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines, ["#include <stdint.h>", "", "", "int a[3];", "", "", "", "int c = 3;"]);
    }

    #[test]
    fn headers_that_are_missing_are_those_of_the_system() {
        let mark = |line: &str| marked(line, Path::new("no such folder"));
        assert_eq!(mark("# include \"../assert.h\" // for runs"), format!("{HEADER} <assert.h>"));
        assert_eq!(mark("#include \"../state.h\""), "#include \"../state.h\"");
        let text = "#include \"../assert.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n";
        let Some(found) = run(text, Path::new("test.c")) else { return };
        assert_eq!(found.lines().collect::<Vec<_>>(), ["#include <assert.h>", "", "", "", "int a;"]);
    }

    #[test]
    fn conditions_about_what_nobody_knows_are_left_to_the_front_end() {
        for text in ["#if WIDTH > 3\nint a;\n#endif\n", "#include <limits.h>\n#ifdef INT_MAX\nint a;\n#endif\n"] {
            assert_eq!(run(text, Path::new("test.c")), None, "{text}");
        }
    }

    #[test]
    fn what_needs_no_preprocessor_is_seen() {
        assert!(needs_preprocessing("# define X") && needs_preprocessing("#include \"a.h\""));
        assert!(!needs_preprocessing("#include <stdint.h>") && !needs_preprocessing("#pragma once"));
    }
}
