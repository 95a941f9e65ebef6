//! Names of files and folders to the problems that they stand for.
//!
//! Every model and every complete program is a problem of its own. A file that is only a part of a program (C without
//! `main`, a model without `step`) belongs to the complete file in the same folder with whose name its own begins, as
//! `Problem4External.c` belongs to `Problem4.c`; else to the only complete one that there is.

use std::cmp::Ordering;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use redoubt_base::hash::sha256;
use redoubt_languages::Setting;
use redoubt_languages::gcl::import;

use super::super::load;
use super::options::Sweep;
use super::shard::Share;
use super::task::{self, Task};

/// The files of one program or model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub files: Vec<PathBuf>,
    /// The values that constants of the model get.
    pub set: Vec<Setting>,
    /// Why there is nothing to decide, where a folder stands in the place of files.
    pub flaw: Option<String>,
    /// Which of its properties are wanted.
    pub share: Share,
}

impl Problem {
    fn of(files: Vec<PathBuf>) -> Problem {
        Problem { files, set: vec![], flaw: None, share: Share::whole() }
    }

    fn flawed(folder: PathBuf, reason: String) -> Problem {
        Problem { flaw: Some(reason), ..Problem::of(vec![folder]) }
    }

    /// The name of the main file, as it was given, and the constants that have been set.
    pub fn name(&self) -> String {
        let file = match &self.files[0] {
            path if path == Path::new("-") => "standard input".into(),
            path => path.to_string_lossy().into_owned(),
        };
        self.set.iter().fold(file, |name, Setting { name: constant, value }| format!("{name} {constant}={value}"))
    }

    /// The number of bytes of its files; 0 if that cannot be found out.
    pub fn size(&self) -> u64 {
        let sizes = self.files.iter().filter_map(|file| fs::metadata(file).ok());
        sizes.filter(fs::Metadata::is_file).map(|file| file.len()).sum()
    }

    /// A fingerprint of the contents of its files, and of their imports, if they can be read.
    pub fn sha256(&self) -> Option<String> {
        let mut files = self.files.clone();
        let mut next = 0;
        while let Some(file) = files.get(next) {
            let more: Vec<PathBuf> = imported(file).into_iter().filter(|file| !files.contains(file)).collect();
            files.extend(more);
            next += 1;
        }
        let contents = files.iter().map(fs::read).collect::<io::Result<Vec<_>>>().ok()?;
        Some(sha256(&contents.concat()))
    }
}

/// The problems that these names stand for: first those of named files, then those of folders, each in its order. A
/// folder that cannot be read is a problem too, one that cannot be decided: it must not hide the others.
pub fn problems(paths: &[PathBuf]) -> Vec<Problem> {
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| path.is_dir());
    let (tasks, files): (Vec<&PathBuf>, Vec<&PathBuf>) = files.into_iter().partition(|path| task::is_task(path));
    let files: Vec<PathBuf> = files.into_iter().cloned().collect();
    let mut problems = grouped(&files, Alone::Together);
    problems.extend(tasks.into_iter().map(|path| match task::read(path) {
        Ok(Task { files, set }) => Problem { set, ..Problem::of(files) },
        Err(reason) => Problem::flawed(path.clone(), reason),
    }));
    for folder in folders {
        let (mut found, mut flawed) = (vec![], vec![]);
        collect(folder, &mut found, &mut flawed);
        if found.is_empty() && flawed.is_empty() {
            let reason =
                "no programs (.c, .java), machines (.dot), models (.gcl) or circuits (.aig, .aag, .btor2) in this folder".into();
            flawed.push(Problem::flawed(folder.clone(), reason));
        }
        let imported: Vec<PathBuf> = found.iter().flat_map(|path| imported(path)).collect();
        if found.iter().any(|path| !imported.contains(path)) {
            found.retain(|path| !imported.contains(path));
        }
        found.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
        problems.extend(grouped(&found, Alone::Apart));
        flawed.sort_by(|a, b| natural_order(&a.name(), &b.name()));
        problems.extend(flawed);
    }
    for problem in problems.iter_mut().filter(|problem| problem.set.is_empty()) {
        problem.set = task::beside(&problem.files[0]);
    }
    problems
}

/// The files of a folder and of those in it that can be checked, and the folders that cannot be read to their end.
fn collect(folder: &Path, found: &mut Vec<PathBuf>, flawed: &mut Vec<Problem>) {
    if let Err(error) = try_to_collect(folder, found, flawed) {
        flawed.push(Problem::flawed(folder.into(), error.to_string()));
    }
}

fn try_to_collect(folder: &Path, found: &mut Vec<PathBuf>, flawed: &mut Vec<Problem>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed: they may lead in a circle.
        if entry.file_type()?.is_dir() {
            collect(&path, found, flawed);
        } else if load::is_source(&path.to_string_lossy()) || load::is_circuit(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// The treatment of parts if there is nothing complete that they could belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    /// They are one program, whose reader says which part is missing.
    Together,
    /// Each is read alone.
    Apart,
}

fn grouped(files: &[PathBuf], alone: Alone) -> Vec<Problem> {
    if let [file] = files {
        return vec![Problem::of(vec![file.clone()])];
    }
    let is_part: Vec<bool> = files.iter().map(|file| is_part(file)).collect();
    let whole = |index: &usize| !is_part[*index];
    let can_be_part = |name: &str| load::is_source(name) && !load::is_smv(name);
    let same_language = |a: &Path, b: &Path| can_be_part(&a.to_string_lossy()) && a.extension() == b.extension();
    let mut members: Vec<Vec<PathBuf>> = files.iter().map(|file| vec![file.clone()]).collect();
    for (part, file) in files.iter().enumerate().filter(|(part, _)| is_part[*part]) {
        let wholes: Vec<usize> =
            (0..files.len()).filter(whole).filter(|&other| same_language(&files[other], file)).collect();
        let named = wholes.iter().copied().filter(|&other| begins_with(file, &files[other]));
        let first_part = (0..part).find(|&other| is_part[other] && same_language(&files[other], file));
        let home = match (named.max_by_key(|&other| files[other].as_os_str().len()), &wholes[..]) {
            (Some(other), _) => Some(other),
            (None, &[only]) => Some(only),
            (None, []) if alone == Alone::Together => first_part,
            (None, _) => None,
        };
        if let Some(home) = home {
            let moved = std::mem::take(&mut members[part]);
            members[home].extend(moved);
        }
    }
    members.into_iter().filter(|files| !files.is_empty()).map(Problem::of).collect()
}

/// Whether a name is another one with something behind it, in the same folder.
fn begins_with(file: &Path, other: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    file.parent() == other.parent() && stem(file).starts_with(&stem(other))
}

/// The files that a model imports: they are parts of it.
fn imported(path: &Path) -> Vec<PathBuf> {
    if !load::is_model(&path.to_string_lossy()) {
        return vec![];
    }
    let file = load::read(path);
    file.map_or(vec![], |file| import::imports(&file).into_iter().map(PathBuf::from).collect())
}

/// The same problems once for each combination of the values that are asked for.
pub fn swept(problems: Vec<Problem>, sweeps: &[Sweep]) -> Vec<Problem> {
    sweeps.iter().fold(problems, |problems, sweep| {
        let with = |problem: &Problem, value: &String| {
            let mut problem = problem.clone();
            problem.set.retain(|known| known.name != sweep.name);
            problem.set.push(Setting { name: sweep.name.clone(), value: value.clone() });
            problem
        };
        problems.iter().flat_map(|problem| sweep.values.iter().map(|value| with(problem, value))).collect()
    })
}

/// Whether a file is no program by itself. An unreadable file counts as whole; its reader will say why.
fn is_part(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if !load::is_source(&name) || load::is_smv(&name) {
        return false;
    }
    if name.ends_with(".dot") {
        return false;
    }
    let main = if load::is_model(&name) { "step" } else { "main" };
    load::read(path).is_ok_and(|file| !defines(&file.text, main))
}

/// Whether a text has a block of this name: `name {`, `name (...) {` or `name (...) throws ... {`, outside comments and strings.
fn defines(text: &str, name: &str) -> bool {
    let mut words = Words { rest: text };
    let mut word = words.next();
    while let Some(current) = word {
        word = words.next();
        if current != name {
            continue;
        }
        if word == Some("(") {
            word = words.by_ref().skip_while(|word| *word != ")").nth(1);
            // In Java: `throws Exception`.
            if word == Some("throws") {
                word = words.find(|word| matches!(*word, "{" | ";"));
            }
        }
        if word == Some("{") {
            return true;
        }
    }
    false
}

/// The words and signs of a text in C's manner, without comments and strings.
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            if self.rest.starts_with("//") {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
            } else if self.rest.starts_with("/*") {
                self.rest = self.rest.find("*/").map_or("", |end| &self.rest[end + 2..]);
            } else if first == '"' || first == '\'' {
                self.skip_quoted(first);
            } else {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let end = match is_word(first) {
                    true => self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()),
                    false => first.len_utf8(),
                };
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(word);
            }
        }
    }
}

impl Words<'_> {
    fn skip_quoted(&mut self, quote: char) {
        let mut escaped = false;
        let end = self.rest[1..].find(|c| {
            let is_end = !escaped && c == quote;
            escaped = !escaped && c == '\\';
            is_end
        });
        self.rest = end.map_or("", |end| &self.rest[end + 2..]);
    }
}

/// Compares names so that `Problem9.c` comes before `Problem10.c`.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let is_digit = |c: char| c.is_ascii_digit();
        match (a.chars().next(), b.chars().next()) {
            (Some(x), Some(y)) if is_digit(x) && is_digit(y) => {
                let [(x, rest_a), (y, rest_b)] =
                    [a, b].map(|text| text.split_at(text.find(|c| !is_digit(c)).unwrap_or(text.len())));
                let [short_x, short_y] = [x, y].map(|number| number.trim_start_matches('0'));
                let by_number = short_x.len().cmp(&short_y.len()).then(short_x.cmp(short_y)).then(x.cmp(y));
                if by_number != Ordering::Equal {
                    return by_number;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]),
            (x, y) => return x.cmp(&y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_mention() {
        for text in [
            "int main() {",
            "int main(void)\n{",
            "/* } */ int\nmain ( ) // here\n {",
            "char c = '\"'; main(){",
            "static void main(String[] a) throws A, B {",
        ] {
            assert!(defines(text, "main"), "{text}");
        }
        for text in ["int main();", "// int main() {", "\"main() {\"", "int domain() {", "main", "/* main() {", "'"] {
            assert!(!defines(text, "main"), "{text}");
        }
        assert!(defines("var x: bool\nstep {\n", "step") && !defines("var step: bool", "step"));
    }

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = ["P10.c", "Q.c", "P9.c", "P09.c", "P.c", "P1x.c"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["P.c", "P1x.c", "P09.c", "P9.c", "P10.c", "Q.c"]);
    }
}
