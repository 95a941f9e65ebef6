//! Tasks of the software verification competition: a `.yml` file to the files of its program and how these are to be read.
//!
//! A task names its files, the data model of the machine and the properties that are asked for. It is read when it is given in place of a
//! program, and when it lies beside one: what `program.yml` says about `program.c` holds without asking.

use std::fs;
use std::path::{Path, PathBuf};

use redoubt_languages::Setting;
use yaml_rust2::{Yaml, YamlLoader};

/// A task, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub struct Task {
    pub files: Vec<PathBuf>,
    /// The data model, where it is not the default.
    pub set: Vec<Setting>,
}

pub fn is_task(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml")
}

/// Reads a task; or why it is none.
pub fn read(path: &Path) -> Result<Task, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let documents = YamlLoader::load_from_str(&text).map_err(|error| error.to_string())?;
    let task = documents.first().ok_or("an empty file; expected a task with `input_files`")?;
    let names: Vec<&str> = match &task["input_files"] {
        Yaml::String(name) => vec![name],
        Yaml::Array(names) => names.iter().filter_map(Yaml::as_str).collect(),
        _ => vec![],
    };
    if names.is_empty() {
        return Err("no `input_files`; expected a task that names the files of a program".into());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = names.into_iter().map(|name| folder.join(name)).collect();
    let model = task["options"]["data_model"].as_str().unwrap_or("ILP32").to_ascii_lowercase();
    let set = match model.as_str() {
        "ilp32" => vec![],
        "lp64" => vec![Setting { name: "data_model".into(), value: model }],
        other => return Err(format!("the data model is `{other}`; expected ILP32 or LP64")),
    };
    Ok(Task { files, set })
}

/// What the task beside a program says, if there is one that is about this file.
pub fn beside(program: &Path) -> Vec<Setting> {
    let is_c = program.extension().is_some_and(|extension| extension == "c" || extension == "i");
    let task = is_c.then(|| read(&program.with_extension("yml")).ok()).flatten();
    task.filter(|task| task.files.iter().any(|file| file == program)).map(|task| task.set).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_name_files_and_a_data_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let task = |text: &str| {
            let path = folder.path().join("p.yml");
            fs::write(&path, text).expect("it can be written");
            read(&path)
        };
        let wide = task("input_files: 'p.c'\noptions:\n  language: C\n  data_model: LP64\n").expect("a task");
        assert_eq!(wide.files, [folder.path().join("p.c")]);
        assert_eq!(wide.set, [Setting { name: "data_model".into(), value: "lp64".into() }]);
        assert_eq!(beside(&folder.path().join("p.c")), wide.set);
        assert_eq!(beside(&folder.path().join("q.c")), []);
        let plain = task("format_version: '2.0'\ninput_files: [a.c, b.c]\n").expect("a task");
        assert_eq!((plain.files.len(), plain.set.len()), (2, 0));
        for broken in ["", "properties: []\n", "input_files: a.c\noptions: {data_model: P16}\n", "a: [\n"] {
            assert!(task(broken).is_err(), "{broken}");
        }
    }
}
