//! Files to programs and models.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use redoubt_base::{Limits, Threads};
use redoubt_circuit::aiger::{self, Model};
use redoubt_driver::hardware::words::{self, Words};
use redoubt_languages::gcl::import;
use redoubt_languages::is_structured_text;
use redoubt_languages::{self as languages, Setting, Unread};
use redoubt_program::program::Program;
use redoubt_program::text::{MAX_FILE_BYTES, SourceFile};
use redoubt_words::{TooLarge, looks_like_btor2, read as read_btor2};

use super::Failure;
use super::output::meant;
use super::preprocess;

/// Constants of a model that get other values than their own.
#[derive(Args, Clone, Debug, Default)]
pub struct Constants {
    /// Give a constant of the model another value
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
}

impl Constants {
    /// Whether no value is another one than that which a file was made with.
    pub fn agree_with(&self, recorded: &BTreeMap<String, String>) -> bool {
        self.set.iter().all(|Setting { name, value }| recorded.get(name).is_none_or(|known| known == value))
    }

    /// These, and those that a file was made with.
    pub fn with(&self, recorded: &BTreeMap<String, String>) -> Constants {
        let recorded = recorded.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() });
        Constants { set: recorded.chain(self.set.iter().cloned()).collect() }
    }
}

/// `TOP=5, N=2`.
pub fn in_words(constants: &BTreeMap<String, String>) -> String {
    let all: Vec<String> = constants.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if all.is_empty() { "the constants of the model".into() } else { all.join(", ") }
}

pub fn setting(text: &str) -> Result<Setting, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok(Setting { name: name.trim().into(), value: value.trim().into() })
        }
        _ => Err("expected a constant and its value, such as N=5".into()),
    }
}

/// Whether a command-line argument names a source file rather than an input.
pub fn is_source(argument: &str) -> bool {
    let extension = Path::new(argument).extension();
    let is_c = extension.is_some_and(|extension| extension == "c" || extension == "i");
    is_c || is_java(argument)
        || is_machine(argument)
        || is_model(argument)
        || is_structured_text(argument)
        || is_smv(argument)
}

/// Whether it names something whose inputs have names: a model, or a PLC program.
pub fn has_names(argument: &str) -> bool {
    is_model(argument) || is_structured_text(argument)
}

/// Whether it names Java of the challenge.
fn is_java(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "java")
}

/// Whether it names a model of NuSMV.
pub fn is_smv(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "smv")
}

/// Whether it names a Mealy machine.
fn is_machine(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "dot")
}

/// Whether it names a model in the guarded-command language.
pub fn is_model(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "gcl")
}

/// Reads the files of one program.
pub fn program(paths: &[PathBuf], constants: &Constants, color: bool) -> Result<Program, Failure> {
    let limits = Limits { threads: Threads::other_cores(), ..Limits::default() };
    program_within(paths, &constants.set, color, &limits)
}

/// The same, until the interrupt is raised.
pub fn program_within(paths: &[PathBuf], set: &[Setting], color: bool, limits: &Limits) -> Result<Program, Failure> {
    if let Some(path) = paths.iter().find(|path| is_smv(&path.to_string_lossy())) {
        let reason = "models of NuSMV are not for this: they are decided, by `redoubt check` of one file".into();
        return Err(Failure::Unreadable { path: path.clone(), reason });
    }
    let mut files = vec![];
    for path in paths {
        files.push(preprocess::preprocessed(read(path)?, path));
    }
    read_imports(&mut files);
    let kind = |path: &PathBuf| {
        let name = path.to_string_lossy();
        (is_model(&name), is_structured_text(&name), is_java(&name), is_machine(&name))
    };
    if paths.iter().any(|path| kind(path) != kind(&paths[0])) {
        return Err(Failure::Usage("a program is written in one language: .c, .java, .dot, .gcl or .st files".into()));
    }
    let program = languages::parse_within(files, set, limits).map_err(|unread| match unread {
        Unread::Refused(error) => Failure::Source(error.diagnostics.render(&error.sources, color)),
        Unread::Interrupted => Failure::Unread,
    })?;
    let constants = program.legend.as_ref().map(|legend| legend.constants.as_slice()).unwrap_or_default();
    let is_known = |setting: &&Setting| {
        let is_given = program.legend.is_none() && program.constants.contains_key(&setting.name);
        let has_meaning = match (setting.name.as_str(), setting.value.to_ascii_lowercase().as_str()) {
            ("room", value) => value.parse::<u32>().is_ok_and(|room| (1..=languages::c::MOST_ROOM).contains(&room)),
            ("data_model", value) => ["ilp32", "lp64"].contains(&value),
            _ => false,
        };
        constants.contains(&setting.name) || (is_given && has_meaning)
    };
    match set.iter().find(|setting| !is_known(setting)) {
        Some(Setting { name, .. }) => {
            let meant = meant(name, constants.iter().map(String::as_str));
            Err(Failure::Usage(format!("{} has no constant `{name}`{meant}", program.name)))
        }
        None => Ok(program),
    }
}

/// Reads the imports of the models among these files, and their imports. Unreadable ones are left for the front end,
/// which knows the place that asks for them.
fn read_imports(files: &mut Vec<SourceFile>) {
    let mut next = 0;
    while let Some(file) = files.get(next).filter(|file| is_model(&file.name)) {
        for name in import::imports(file) {
            if !files.iter().any(|file| file.name == name)
                && let Ok(file) = read(Path::new(&name))
            {
                files.push(file);
            }
        }
        next += 1;
    }
}

/// A hardware model.
pub struct Hardware {
    pub name: String,
    pub circuit: Model,
    /// The words behind the circuit, if the file is about words.
    pub words: Option<Words>,
}

/// A file with those that belong to it: a C program may have a second one, recognised by its name.
pub fn with_external(path: &Path) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let external = path.with_file_name(format!("{stem}External.c"));
    let is_c = path.extension().is_some_and(|extension| extension == "c");
    if is_c && external.is_file() { vec![path.into(), external] } else { vec![path.into()] }
}

/// Reads a hardware model, if the only file is one, by its name or by its first bytes.
pub fn model(paths: &[PathBuf]) -> Result<Option<Hardware>, Failure> {
    model_with(paths, words::circuit)
}

/// The same; the circuit may be that of a smaller model that is equivalent with respect to bad states.
pub fn smaller_model(paths: &[PathBuf]) -> Result<Option<Hardware>, Failure> {
    model_with(paths, |words| words::reduced(words, words::MOST_ARRAY_BITS))
}

type Blast = fn(redoubt_words::Model) -> Result<(Model, Words), TooLarge>;

fn model_with(paths: &[PathBuf], blast: Blast) -> Result<Option<Hardware>, Failure> {
    let [path] = paths else { return Ok(None) };
    if is_source(&path.to_string_lossy()) {
        return Ok(None);
    }
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let bytes = read_bytes(path, aiger::MAX_BYTES).map_err(|error| unreadable(error.to_string()))?;
    if !aiger::looks_like_aiger(&bytes) && !looks_like_btor2(&bytes) && !is_circuit(path) {
        return Err(unreadable(UNKNOWN_KIND.into()));
    }
    if bytes.len() > aiger::MAX_BYTES {
        return Err(unreadable(format!("larger than {} bytes", aiger::MAX_BYTES)));
    }
    let bytes = aiger::unpack(bytes).map_err(|error| unreadable(error.to_string()))?;
    let name = if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy().into_owned() };
    let misread = |error: aiger::ReadError| Failure::Source(error.render(&name));
    if has_ending(path, &BTOR2) || !has_ending(path, &AIGER) && looks_like_btor2(&bytes) {
        let words = read_btor2(&bytes).map_err(misread)?;
        let (circuit, words) = blast(words).map_err(|error| unreadable(error.to_string()))?;
        return Ok(Some(Hardware { name, circuit, words: Some(words) }));
    }
    let circuit = aiger::read(&bytes).map_err(misread)?;
    Ok(Some(Hardware { name, circuit, words: None }))
}

const UNKNOWN_KIND: &str = "unknown kind of file; expected a C program (.c), a model (.gcl, .smv), a PLC program (.st) or a circuit (.aig, .aag, .btor2)";

const AIGER: [&str; 2] = [".aig", ".aag"];
const BTOR2: [&str; 2] = [".btor2", ".btor"];

/// Whether a file is called like a hardware model: `x.aig`, `x.btor2.gz` and so on.
pub fn is_circuit(path: &Path) -> bool {
    has_ending(path, &AIGER) || has_ending(path, &BTOR2)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".xz")).unwrap_or(&name);
    endings.iter().any(|ending| name.ends_with(ending))
}

/// The bytes of a file or of standard input, but no more than one beyond the limit.
pub fn read_bytes(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = limit as u64 + 1;
    if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The bytes of a source file.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(unreadable(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

pub fn read(path: &Path) -> Result<SourceFile, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    if is_circuit(path) {
        return Err(unreadable("this is a circuit; expected a C program (.c) or a model (.gcl)".into()));
    }
    if !is_source(&path.to_string_lossy()) {
        return Err(unreadable(UNKNOWN_KIND.into()));
    }
    let bytes = bytes(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(format!("not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to())))?;
    Ok(SourceFile::new(path.to_string_lossy(), text))
}
