//! Dependencies: paths in source files as arrows between the parts of the picture.

use std::collections::{BTreeMap, VecDeque};

use super::paths::{self, Contents};
use super::picture::{Part, Picture, root};

/// A file, named from the project's folder.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
}

/// A path from one part to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from: Part,
    pub to: Part,
    /// File and line.
    pub place: String,
    pub in_test: bool,
}

/// All arrows of a project.
pub struct Project {
    picture: Picture,
    arrows: Vec<Arrow>,
}

/// A file that has been read.
struct File {
    path: String,
    /// The crate: `src`, or the folder in `crates`.
    root: String,
    module: Vec<String>,
    part: Part,
    contents: Contents,
}

impl Project {
    /// Or the parts of the project that are not in the picture, or the other way round.
    pub fn new(picture: Picture, sources: Vec<Source>) -> Result<Project, String> {
        let mut files = vec![];
        for source in &sources {
            let (root, module) = place(&source.path);
            let missing = || format!("{} is in no part of the picture", source.path);
            let part = picture.part(&root, &module).ok_or_else(missing)?;
            let contents = paths::read(&module, &source.text);
            files.push(File { path: source.path.clone(), root, module, part, contents });
        }
        if let Some(part) = picture.parts().iter().find(|part| !files.iter().any(|file| file.part == **part)) {
            return Err(format!("{part} is in the picture, but there is no such module"));
        }
        let aliases = aliases(&files);
        let arrows = files.iter().flat_map(|file| arrows(&picture, &aliases, &files, file)).collect();
        Ok(Project { picture, arrows })
    }

    /// The arrows that go up. Tests may look up, but not out of their crate: higher modules are a good source of
    /// examples for lower ones.
    pub fn upwards(&self) -> Vec<Arrow> {
        let is_upwards = |arrow: &&Arrow| self.picture.height(&arrow.from) < self.picture.height(&arrow.to);
        let is_excused = |arrow: &Arrow| arrow.in_test && root(&arrow.from) == root(&arrow.to);
        self.arrows.iter().filter(is_upwards).filter(|arrow| !is_excused(arrow)).cloned().collect()
    }

    /// The arrow with its place, and the way back if there is one.
    pub fn complaint(&self, arrow: &Arrow) -> String {
        let Arrow { from, to, place, .. } = arrow;
        let back = self.way(to, from).map_or(String::new(), |way| format!(", and round again: {}", way.join(" -> ")));
        format!("{place}: {from} -> {to}{back}")
    }

    /// A shortest way along arrows, tests aside.
    fn way<'p>(&'p self, from: &'p str, to: &str) -> Option<Vec<&'p str>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut pending = VecDeque::from([from]);
        while let Some(part) = pending.pop_front() {
            if part == to {
                let mut way = vec![part];
                while *way.last()? != from {
                    way.push(before[way.last()?]);
                }
                way.reverse();
                return Some(way);
            }
            for arrow in self.arrows.iter().filter(|arrow| arrow.from == part && !arrow.in_test) {
                if arrow.to != from && !before.contains_key(&*arrow.to) {
                    before.insert(&arrow.to, part);
                    pending.push_back(&arrow.to);
                }
            }
        }
        None
    }
}

/// The crate and the module of a file: `src/a/b.rs` is `a::b` of `src`.
fn place(path: &str) -> (String, Vec<String>) {
    let (root, inside) = match path.strip_prefix("src/") {
        Some(inside) => ("src", inside),
        None => path.split_once("/src/").expect("a file lies in the sources of a crate"),
    };
    let inside = inside.trim_end_matches(".rs");
    let mut module: Vec<String> = inside.split('/').map(String::from).collect();
    let is_root = module.len() == 1 && matches!(&*module[0], "lib" | "main");
    if is_root || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    (root.to_string(), module)
}

/// The folder of a crate by its name in paths.
fn root_of(krate: &str) -> String {
    krate.strip_prefix("redoubt_").map_or("src".to_string(), |name| format!("crates/{name}"))
}

/// By crate: names that its root has from other crates, and where they come from.
type Aliases = BTreeMap<(String, String), (String, Vec<String>)>;

fn aliases(files: &[File]) -> Aliases {
    let mut aliases = Aliases::new();
    for file in files.iter().filter(|file| file.module.is_empty()) {
        for path in file.contents.paths.iter().filter(|path| !path.in_test) {
            if let (Some(krate), Some(alias)) = (&path.krate, &path.alias) {
                aliases.insert((file.root.clone(), alias.clone()), (root_of(krate), path.names.clone()));
            }
        }
    }
    aliases
}

fn arrows(picture: &Picture, aliases: &Aliases, files: &[File], file: &File) -> Vec<Arrow> {
    let is_test_file = is_for_tests(files, file);
    let mut arrows = vec![];
    for path in &file.contents.paths {
        let (mut root, mut names) = (path.krate.as_deref().map_or(file.root.clone(), root_of), path.names.clone());
        if let Some(first) = names.first()
            && let Some((other, before)) = aliases.get(&(root.clone(), first.clone()))
        {
            names = [before.as_slice(), &names[1..]].concat();
            root = other.clone();
        }
        // A name that is no module is something of the crate's root.
        let to = picture.part(&root, &names).unwrap_or(root);
        if to != file.part {
            let (from, place) = (file.part.clone(), format!("{}:{}", file.path, path.line));
            arrows.push(Arrow { from, to, place, in_test: path.in_test || is_test_file });
        }
    }
    arrows
}

/// Whether a file is, or lies in, a module that only tests are built with.
fn is_for_tests(files: &[File], file: &File) -> bool {
    let declares = |above: &File, name: &String| above.root == file.root && above.contents.test_modules.contains(name);
    (1..=file.module.len()).any(|length| {
        let (module, name) = (&file.module[..length - 1], &file.module[length - 1]);
        files.iter().any(|above| above.module == module && declares(above, name))
    })
}
