//! A second proof, for an invariant of each loop: loops that were taken in one step have none, so their program is read
//! again with all their rounds, and decided once more.

use std::sync::Arc;
use std::time::Duration;

use super::{CheckOptions, Means, Report, decide_plainly};
use crate::base::Limits;
use crate::certificate::Certificate;
use crate::languages::c;
use crate::ledger::Answer;
use crate::program::Program;

/// No more time goes into it than this.
const LONGEST: Duration = Duration::from_secs(10);

/// A program with the rounds of all its loops, and certificates that it does not reach the properties that `report` has
/// proved unreachable; `None` if there is no loop that was taken in one step, or the proof is not found.
pub fn round_by_round(
    program: &Program,
    report: &Report,
    options: &CheckOptions,
) -> Option<(Program, Vec<Certificate>)> {
    program.location?;
    let plain = c::load_round_by_round(Arc::clone(&program.sources)).ok()?;
    let is_known = |span| program.heads.iter().any(|head| head.span == span);
    if plain.heads.iter().all(|head| is_known(head.span)) {
        return None;
    }
    let proved = report.findings.iter().filter(|finding| matches!(finding.answer, Answer::Unreachable { .. }));
    let names = proved.map(|finding| &program.property(finding.property).name);
    let same = |name: &String| plain.properties.iter().position(|property| property.name == *name);
    let mut properties =
        names.map(|name| same(name).map(crate::program::PropertyId::new)).collect::<Option<Vec<_>>>()?;
    properties.sort_unstable();
    let interrupt = options.limits.interrupt.narrowed();
    let latest = interrupt.elapsed() + LONGEST;
    interrupt.set_deadline(Some(interrupt.deadline().map_or(latest, |deadline| deadline.min(latest))));
    let limits = Limits { interrupt, ..Limits::default() };
    let options = CheckOptions { limits, properties: Some(properties), cluster: None, ..options.clone() };
    let again = decide_plainly(&plain, Means::Together, &options, |_| {}).ok()?;
    let is_proved = |answer: &super::Answer| matches!(answer, Answer::Unreachable { checked: Some(_), .. });
    let certificates = again.findings.iter().all(|finding| is_proved(&finding.answer)).then(|| again.certificates())?;
    Some((plain, certificates))
}
