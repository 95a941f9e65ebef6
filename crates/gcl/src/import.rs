//! `import "file.gcl"`: the other files of a model. The reader of files asks for them, and reads these, too; all files
//! of a model are one text, whatever imports what.

use std::path::{Component, Path, PathBuf};

use antlr4_runtime::Token;

use redoubt_parsers::gcl::{self, names};
use redoubt_parsers::run::Tokens;
use redoubt_program::text::SourceFile;

/// The files that a file imports, by the names under which they are to be read.
pub fn imports(file: &SourceFile) -> Vec<String> {
    let tokens = Tokens::new(gcl::lex(&file.text));
    let mut names = vec![];
    let mut is_import = false;
    for token in tokens.tokens().filter(|token| token.channel() == 0) {
        if is_import && token.token_type() == names::TEXT {
            names.push(path(&file.name, token.text_or_empty().trim_matches('"')));
        }
        is_import = token.text_or_empty() == "import";
    }
    names
}

/// The name of a file that another one imports: names are relative to the folder of the importing file.
pub fn path(importer: &str, name: &str) -> String {
    let folder = Path::new(importer).parent().unwrap_or(Path::new(""));
    let mut plain = PathBuf::new();
    for component in folder.join(name).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_importer() {
        let text = "import \"a.gcl\"\n// import \"no.gcl\"\nimport\n \"../b/./c.gcl\" var import: int = 0";
        assert_eq!(imports(&SourceFile::new("x/y.gcl", text)), ["x/a.gcl", "b/c.gcl"]);
        assert_eq!(imports(&SourceFile::new("y.gcl", text)), ["a.gcl", "../b/c.gcl"]);
    }
}
