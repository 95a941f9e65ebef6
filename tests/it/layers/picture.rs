//! The order of the layers as `docs/architecture.md` has it, and which of them a file belongs to.

/// A part of the project: a crate (`crates/base`, or `src` for the one on top), or a module of one (`crates/program/expr`,
/// `src/check`).
pub type Part = String;

/// The parts, lowest first.
#[derive(Clone, Debug)]
pub struct Picture(Vec<Part>);

impl Picture {
    /// Reads the block that is marked `layers`: one part to a line, with a remark behind it. A crate with modules in the
    /// picture is a part too, above them: its root, which has them all in view.
    pub fn read(markdown: &str) -> Picture {
        let (_, block) = markdown.split_once("```layers\n").expect("a block of layers");
        let (block, _) = block.split_once("```").expect("the block ends");
        let listed: Vec<Part> =
            block.lines().filter_map(|line| line.split_whitespace().next()).map(Part::from).collect();
        let mut parts: Vec<Part> = vec![];
        for (index, part) in listed.iter().enumerate() {
            parts.push(part.clone());
            let root = root(part);
            let is_last = !listed[index + 1..].iter().any(|other| self::root(other) == root);
            if is_last && root != part {
                parts.push(root.to_string());
            }
        }
        Picture(parts)
    }

    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The height of a part.
    pub fn height(&self, part: &str) -> Option<usize> {
        self.0.iter().position(|other| other == part)
    }

    /// The part that a module of a crate belongs to: that of its first name, or the whole crate if the picture does
    /// not divide it.
    pub fn part(&self, root: &str, module: &[String]) -> Option<Part> {
        let is_divided = self.0.iter().any(|part| part != root && self::root(part) == root);
        let part = match module.first() {
            Some(first) if is_divided => format!("{root}/{first}"),
            _ => root.to_string(),
        };
        self.height(&part).map(|_| part)
    }
}

/// The crate of a part.
pub fn root(part: &str) -> &str {
    let slashes: Vec<usize> = part.match_indices('/').map(|(at, _)| at).collect();
    let end = if part.starts_with("crates/") { slashes.get(1) } else { slashes.first() };
    end.map_or(part, |&end| &part[..end])
}

#[test]
fn a_crate_stands_above_its_modules() {
    let text = "text\n```layers\ncrates/low   a remark\ncrates/mid/a\ncrates/mid/b  another\n\nsrc/top\n```\nsrc/no\n";
    let picture = Picture::read(text);
    assert_eq!(picture.parts(), ["crates/low", "crates/mid/a", "crates/mid/b", "crates/mid", "src/top", "src"]);
    let part = |root: &str, module: &str| picture.part(root, &[module.to_string()]);
    assert_eq!(part("crates/low", "x").as_deref(), Some("crates/low"));
    assert_eq!(part("crates/mid", "b").as_deref(), Some("crates/mid/b"));
    assert_eq!(part("crates/mid", "c"), None);
    assert_eq!(picture.part("src", &[]).as_deref(), Some("src"));
}
