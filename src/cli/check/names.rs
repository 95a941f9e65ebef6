//! Problems to the names of the files about them: short ones, and none twice.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

/// The names of a run's problems in the names of files.
#[derive(Clone, Debug, Default)]
pub struct Names(HashMap<String, String>);

impl Names {
    /// A problem is called like its file without the ending. Where that is not enough, the ending is added or as many of
    /// its folders as are needed, and where nothing else helps, a number.
    pub fn new(problems: &[String]) -> Names {
        let mut problems: Vec<&String> = problems.iter().collect();
        // A file that is given twice is one problem, and so are the files about it.
        let mut seen = HashSet::new();
        problems.retain(|problem| seen.insert(*problem));
        let whole = occurrences(problems.iter().map(|problem| without_endings(problem)));
        let parts: Vec<Vec<String>> =
            problems.iter().map(|problem| parts(problem, whole[without_endings(problem)] == 1)).collect();
        let mut lengths = vec![1; parts.len()];
        let names = loop {
            let shown = |(parts, &length): (&Vec<String>, &usize)| parts[parts.len() - length..].join("_");
            let names: Vec<String> = parts.iter().zip(&lengths).map(shown).collect();
            let shared = occurrences(names.iter().map(String::as_str));
            let can_grow = |index: &usize| shared[&*names[*index]] > 1 && lengths[*index] < parts[*index].len();
            let grown: Vec<usize> = (0..names.len()).filter(can_grow).collect();
            if grown.is_empty() {
                break names;
            }
            grown.into_iter().for_each(|index| lengths[index] += 1);
        };
        Names(problems.into_iter().cloned().zip(numbered(names)).collect())
    }

    /// The name of a problem.
    pub fn of(&self, problem: &str) -> String {
        self.0.get(problem).cloned().unwrap_or_else(|| plain(without_endings(problem)))
    }

    /// `problem.rest`, in letters that every file system takes.
    pub fn file(&self, problem: &str, rest: &str) -> String {
        format!("{}.{}", self.of(problem), plain(rest))
    }
}

fn occurrences<'t>(texts: impl Iterator<Item = &'t str>) -> HashMap<&'t str, usize> {
    let mut occurrences = HashMap::new();
    texts.for_each(|text| *occurrences.entry(text).or_insert(0) += 1);
    occurrences
}

/// The folders of a problem and its file, the latter without its ending if that is not needed.
fn parts(problem: &str, is_short: bool) -> Vec<String> {
    let path = Path::new(if is_short { without_endings(problem) } else { problem });
    let named = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(plain(&name.to_string_lossy())),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    let parts: Vec<String> = named.collect();
    if parts.is_empty() { vec!["problem".into()] } else { parts }
}

/// A path without the ending that tells the kind of file.
fn without_endings(path: &str) -> &str {
    let cut =
        |path, endings: &[&str]| endings.iter().find_map(|ending| str::strip_suffix(path, ending)).unwrap_or(path);
    cut(
        cut(path, &[".gz", ".xz"]),
        &[".c", ".i", ".java", ".dot", ".gcl", ".st", ".scl", ".aig", ".aag", ".btor2", ".btor"],
    )
}

/// Letters that every file system takes.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.()[]".contains(c);
    text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// Names that are still the same get numbers.
fn numbered(names: Vec<String>) -> Vec<String> {
    let given: HashSet<String> = names.iter().cloned().collect();
    let mut taken = HashSet::new();
    let free = |name: String| {
        let numbers = (2..).map(|number| format!("{name}-{number}")).filter(|other| !given.contains(other));
        let mut candidates = std::iter::once(name.clone()).chain(numbers);
        candidates.find(|name| taken.insert(name.clone())).unwrap_or(name)
    };
    names.into_iter().map(free).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(problems: &[&str]) -> Vec<String> {
        let names = Names::new(&problems.iter().map(|problem| problem.to_string()).collect::<Vec<_>>());
        problems.iter().map(|problem| names.of(problem)).collect()
    }

    #[test]
    fn a_problem_is_called_like_its_file() {
        assert_eq!(named(&["a/b.c", "x.aig.gz", "y.z.gcl", "standard input"]), ["b", "x", "y.z", "standard_input"]);
        assert_eq!(Names::new(&["P.c".into()]).file("P.c", "lock@1.json"), "P.lock_1.json");
    }

    #[test]
    fn as_much_is_added_as_tells_problems_apart() {
        assert_eq!(named(&["/t/a/P.c", "/t/b/P.c", "/t/b/Q.c"]), ["a_P", "b_P", "Q"]);
        assert_eq!(named(&["P.c", "P.gcl"]), ["P.c", "P.gcl"]);
        assert_eq!(named(&["a/x/P.c", "b/x/P.c", "P.c"]), ["a_x_P", "b_x_P", "P"]);
        assert_eq!(named(&["a/P.c", "b/P.c", "a_P.c"]), ["a_P", "b_P", "a_P-2"]);
        assert_eq!(named(&["P.c", "../P.c", "./P.c", "P-2.c"]), ["P", "P-3", "P-4", "P-2"]);
        assert_eq!(named(&["P.c", "Q.c", "P.c"]), ["P", "Q", "P"]);
    }
}
