//! One small bad file per message of the front end, its rendering locked by a snapshot.

use std::sync::Arc;

use redoubt_languages::rers;
use redoubt_program::text::{SourceFile, Sources};

#[test]
fn renderings() {
    insta::glob!("../diagnostics", "*.c", |path| {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        let sources = Arc::new(Sources::new(vec![SourceFile::new(name.clone(), text)]));
        let errors = match rers::load(Arc::clone(&sources)) {
            Ok(_) => panic!("{name} was read without a message"),
            Err(errors) => errors,
        };
        // The messages alone: where the file lies is no part of them.
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(errors.render(&sources, false));
        });
    });
}
