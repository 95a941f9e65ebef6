//! Ways of writing that several commands share.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use console::Term;
use redoubt_base::suggest;
use redoubt_program::expr::Type;
use redoubt_program::program::Program;
pub use redoubt_program::program::words::letter;

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

/// The width of lists where the width of the reader's window is unknown.
const WIDTH: usize = 100;

/// Narrower than this nothing can be read.
const LEAST_WIDTH: usize = 40;

/// The number of columns: those of the terminal, those that the shell tells, or [`WIDTH`].
pub fn width() -> usize {
    static KNOWN: OnceLock<usize> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let terminal = || Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
        let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let known = told.or_else(|| terminal().filter(|_| FILE.get().is_none()));
        known.map_or(WIDTH, |columns: usize| columns.max(LEAST_WIDTH))
    })
}

/// Lines that are wider than the reader's window, if its width is known, broken between words; what follows is indented.
pub fn wrapped(text: &str) -> String {
    let is_known = std::env::var_os("COLUMNS").is_some() || FILE.get().is_none() && console::user_attended();
    if is_known { wrapped_to(width(), text) } else { text.into() }
}

const INDENTATION: &str = "    ";

fn wrapped_to(width: usize, text: &str) -> String {
    let mut lines = vec![];
    for line in text.split('\n') {
        if console::measure_text_width(line) <= width {
            lines.push(line.to_string());
            continue;
        }
        let mut current = String::new();
        // Columns are kept apart by several spaces, which stay with the word before them.
        for word in line.split_inclusive(' ') {
            let wide = console::measure_text_width(&current) + console::measure_text_width(word.trim_end());
            if wide > width && !current.trim().is_empty() && !word.trim().is_empty() {
                lines.push(current.trim_end().to_string());
                current = INDENTATION.into();
            }
            current += word;
        }
        lines.push(current);
    }
    lines.join("\n")
}

/// `; did you mean ...?` after a name that is not known, if a known one is like it.
pub fn meant<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    suggest::nearest(name, known).map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"))
}

/// Standard output, or the file that takes its place. When a reader closes the pipe, further output goes nowhere, and
/// the exit code is still that of the work.
pub enum Stdout {
    Pipe(StdoutLock<'static>),
    File(&'static File),
}

static IS_CLOSED: AtomicBool = AtomicBool::new(false);
static FILE: OnceLock<File> = OnceLock::new();

pub fn stdout() -> Stdout {
    FILE.get().map_or_else(|| Stdout::Pipe(io::stdout().lock()), Stdout::File)
}

/// From now on the result goes to a file.
pub fn redirect(path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    USES_COLOUR.store(false, Ordering::Relaxed);
    FILE.set(file).map_err(|_| io::Error::other("the result goes to a file already"))
}

static USES_COLOUR: AtomicBool = AtomicBool::new(false);

/// Says whether results have colours.
pub fn use_colour(is_wanted: bool) {
    USES_COLOUR.store(is_wanted, Ordering::Relaxed);
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Good,
    Bad,
    Open,
}

/// A word of a result in colour, where there are colours.
pub fn paint(word: &str, paint: Paint) -> String {
    let code = match paint {
        _ if !USES_COLOUR.load(Ordering::Relaxed) => return word.into(),
        Paint::Good => "32",
        Paint::Bad => "1;31",
        Paint::Open => "33",
    };
    format!("\x1b[{code}m{word}\x1b[0m")
}

/// Whether standard output is no longer read, as far as that has been noticed.
pub fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stdout::Pipe(pipe) => unless_closed(pipe.write(bytes), bytes.len()),
            Stdout::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stdout::Pipe(pipe) => unless_closed(pipe.flush(), ()),
            Stdout::File(file) => file.flush(),
        }
    }
}

fn unless_closed<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_CLOSED.store(true, Ordering::Relaxed);
            Ok(all)
        }
        written => written,
    }
}

/// Writes to standard error, silently if that is not read.
pub fn message(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes a file as a whole or not at all, whatever happens meanwhile and whoever else writes it. A special file (a
/// device, a pipe) is written directly.
pub fn write_file(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut fill = |file: &File| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    };
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return File::options().write(true).open(path).and_then(|file| fill(&file)).map_err(named);
    }
    // Where the name is a link, the file behind it is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As for any new file, the user's mask decides.
    let builder = builder.prefix(".redoubt-").permissions(Permissions::from_mode(0o666));
    let file = builder.tempfile_in(folder).map_err(|error| named(plain(error)))?;
    if let Ok(metadata) = target.metadata() {
        // A file that is replaced keeps its own.
        file.as_file().set_permissions(metadata.permissions()).map_err(named)?;
    }
    fill(file.as_file()).map_err(named)?;
    file.persist(&target).map(|_| ()).map_err(|error| named(error.error))
}

/// The same for existing content.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_file(path, &mut |out| out.write_all(content.as_ref()))
}

/// Without the name of the temporary file, which means nothing to readers.
fn plain(error: io::Error) -> io::Error {
    io::Error::from(error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let line = "a_name          holds (as expected), by 3 steps and then 2 for ever\n\nshort  line";
        let expected = "a_name          holds (as expected), by\n    3 steps and then 2 for ever\n\nshort  line";
        assert_eq!(wrapped_to(40, line), expected);
        assert_eq!(wrapped_to(20, &"x".repeat(30)), "x".repeat(30));
        assert_eq!(wrapped_to(80, line), line);
    }
}
