//! The programs in a folder.

use std::path::{Path, PathBuf};

/// The sequential programs in some folders and below, sorted; by default those of the project.
pub fn programs(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    if folders.is_empty() {
        folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/c"));
    }
    let mut files = vec![];
    folders.iter().for_each(|folder| collect(folder, &mut files));
    files.sort_unstable();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            files.push(path);
        }
    }
}
