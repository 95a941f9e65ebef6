//! The part of a folder of sequential C programs that is read, and the reasons for refusing the rest:
//! `cargo bench --bench census -- FOLDER...`.
//!
//! A line for each reason with how many programs have it, the most frequent first, and an example. A program with several
//! reasons is counted at each. Of those that are read, how many locations they have.

#[path = "common/folders.rs"]
mod folders;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use redoubt_languages::c;
use redoubt_program::program::Domain;
use redoubt_program::text::{SourceFile, Sources};

fn main() {
    let folders = std::env::args().skip(1).filter(|word| word != "--bench").map(PathBuf::from).collect();
    let files = folders::programs(folders);
    let (mut read, mut locations) = (0, vec![]);
    let mut reasons: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let sources = Arc::new(Sources::new(vec![SourceFile::new(path.display().to_string(), text)]));
        match c::load(Arc::clone(&sources)) {
            Ok(program) => {
                read += 1;
                let domain = program.location.and_then(|location| program.variable(location).domain.clone());
                if let Some(Domain::Range(low, high)) = domain {
                    locations.push(high - low + 1);
                }
            }
            Err(errors) => {
                let shown = errors.render(&sources, false);
                let mut list: Vec<String> = shown.lines().filter_map(reason).collect();
                list.sort_unstable();
                list.dedup();
                list.into_iter().for_each(|reason| reasons.entry(reason).or_default().push(path));
            }
        }
    }
    locations.sort_unstable();
    println!("{read} of {} programs are read", files.len());
    if let (Some(middle), Some(most)) = (locations.get(locations.len() / 2), locations.last()) {
        println!("locations: {middle} in the median, {most} at most");
    }
    let mut list: Vec<_> = reasons.into_iter().collect();
    list.sort_by_key(|(reason, paths)| (std::cmp::Reverse(paths.len()), reason.clone()));
    for (reason, paths) in list {
        println!("{:>6}  {reason} ({})", paths.len(), paths[0].display());
    }
}

/// The reason that a line of a message gives, without the names in it.
fn reason(line: &str) -> Option<String> {
    let text = line.strip_prefix("error: ").or_else(|| line.strip_prefix("error["))?;
    let parts = text.split('`').enumerate();
    Some(parts.map(|(index, part)| if index % 2 == 0 { part } else { "`_`" }).collect())
}
