//! The problem files that tests run over: the project's own, and a collection beside it where there is one.

use std::path::{Path, PathBuf};

use redoubt_program::program::Program;
use redoubt_program::text::SourceFile;

use super::{in_project, load};

/// One program: its main file and, where it has one, the file `...External.c` that belongs to it.
#[derive(Clone, Debug)]
pub struct Problem {
    pub files: Vec<PathBuf>,
}

impl Problem {
    pub fn new(main: PathBuf) -> Problem {
        let external = main.with_file_name(format!("{}External.c", stem(&main)));
        let files = if external.exists() { vec![main, external] } else { vec![main] };
        Problem { files }
    }

    /// The name of the main file, as `expected.csv` has it.
    pub fn name(&self) -> String {
        self.files[0].file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }

    pub fn load(&self) -> Program {
        let read = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).expect("a problem file can be read");
            SourceFile::new(path.file_name().unwrap_or_default().to_string_lossy(), text)
        };
        load(self.files.iter().map(read).collect())
    }
}

/// The project's own problems, one per dialect.
pub fn own() -> Vec<Problem> {
    let found = in_folder(&own_folder());
    assert!(!found.is_empty(), "the project has problems of its own");
    found
}

pub fn own_folder() -> PathBuf {
    in_project("problems/rers")
}

/// A folder of the collection of real challenge problems that may lie beside the project.
pub fn collection(year: &str) -> Option<PathBuf> {
    let folder = in_project("../shared/bench/rers").join(year);
    folder.is_dir().then_some(folder)
}

/// The problems of a folder, by name.
pub fn in_folder(folder: &Path) -> Vec<Problem> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.retain(|path| !stem(path).ends_with("External"));
    paths.sort();
    paths.into_iter().map(Problem::new).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}
