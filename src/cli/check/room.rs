//! How much room a program gets for what has no bound of its own: allocated memory, and calls within each other.
//!
//! It is read with little room first. Where a run is found that needs more, it is read again with more: proofs count only where no run does.

use redoubt_base::Limits;
use redoubt_driver::check::{self, Answer, CheckOptions, Means};
use redoubt_driver::ledger::Terms;
use redoubt_languages::c::{LEAST_ROOM, MOST_ROOM};
use redoubt_program::program::{Program, PropertyId, PropertyKind};

use super::super::Failure;

/// The program with as much room as its runs are found to need; `read` reads it again with more.
pub fn enough(
    mut program: Program,
    limits: &Limits,
    read: impl Fn(u32) -> Result<Program, Failure>,
) -> Result<Program, Failure> {
    let mut room = LEAST_ROOM;
    loop {
        let bounds: Vec<PropertyId> = (0..program.properties.len())
            .map(PropertyId::new)
            .filter(|&property| {
                matches!(
                    program.property(property).kind,
                    PropertyKind::OutOfMemoryModel | PropertyKind::RecursionTooDeep
                )
            })
            .collect();
        if bounds.is_empty() || room >= MOST_ROOM {
            return Ok(program);
        }
        let options = CheckOptions {
            limits: limits.share(PARTS),
            properties: Some(bounds),
            confirm: false,
            ..CheckOptions::default()
        };
        let report = check::decide(&program, Means::Together, &options, &Terms::default(), &mut |_| {});
        let is_reached = |report: check::Report| {
            report.findings.iter().any(|finding| matches!(finding.answer, Answer::Reachable { .. }))
        };
        if !report.is_ok_and(is_reached) {
            return Ok(program);
        }
        room = (room * 4).min(MOST_ROOM);
        program = read(room)?;
    }
}

/// Looking for runs that need more room takes this part of what is left of the time.
const PARTS: usize = 8;
