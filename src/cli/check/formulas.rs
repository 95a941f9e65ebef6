//! Temporal formulas about a program: their files, the verdicts on them, and the messages about these.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redoubt_base::Limits;
use redoubt_driver::ledger::{SecondOpinion, Terms};
use redoubt_driver::ltl::{self, Answer, Exact, Explicit, Explorer, Finding, Gcc, Lasso, News, Specification};
use redoubt_facts::analysis::Facts;
use redoubt_languages::{Diagnostic, Diagnostics};
use redoubt_program::program::{Program, PropertyId, PropertyKind, Status};
use redoubt_program::text::{SourceFile, Sources, Span};
use redoubt_temporal::Mistake;
use redoubt_temporal::properties::{self, Mapping, Reading};
use redoubt_witness::compiled::Compiled;

use super::super::Failure;
use super::CheckArgs;
use super::program::words;
use super::record::{Part, PropertyRecord, Temporal, Verdict, doubt};
use super::run::Teller;
use super::runs::Files;

/// Where states are few, visiting them is faster than anything else; the number of bytes that counts as few.
const FEW: usize = 32 << 20;

/// The formulas about a program.
pub struct Formulas<'p> {
    program: &'p Program,
    specification: Specification,
    sources: Arc<Sources>,
    /// Whether the file was found, not named.
    is_found: bool,
    /// Formulas that cannot be read, and why.
    refused: Vec<(String, Mistake)>,
    /// Mistakes and oddities in the file.
    complaints: String,
}

/// The means of deciding.
pub struct Work<'w> {
    pub options: &'w CheckArgs,
    pub limits: &'w Limits,
    /// The program compiled by gcc, if gcc is to be asked.
    pub compiled: Option<&'w Compiled>,
    pub teller: &'w Teller,
}

impl<'p> Formulas<'p> {
    /// Those of the file that was named, or of the one beside the program.
    pub fn of(program: &'p Program, options: &CheckArgs, color: bool) -> Result<Option<Formulas<'p>>, Failure> {
        let main = PathBuf::from(&program.sources.files()[0].name);
        if program.language.is_model() {
            let refused = Failure::Usage("--ltl is for C programs".into());
            return if options.ltl.is_some() { Err(refused) } else { Ok(None) };
        }
        let Some(path) = file(&main, options) else { return Ok(None) };
        let sources = Arc::new(Sources::new(vec![read(&path)?]));
        let Reading { properties, refused, mistakes, strangers } = properties::read_leniently(&sources.files()[0].text);
        let all = refused.iter().map(|(_, mistake)| mistake).chain(&mistakes).cloned().collect();
        let complaints =
            diagnostics(all).render(&sources, color) + &diagnostics(strangers).render_warnings(&sources, color);
        let numbered = refused.into_iter().map(|(number, mistake)| (format!("ltl_{number}"), mistake));
        // Whatever a line was meant to say, it stays open.
        let others = mistakes.into_iter().map(|mistake| {
            let start = mistake.place.start as u32;
            let line = sources.position(Span { file: 0, start, end: start }).line;
            (format!("ltl in line {line}"), mistake)
        });
        let refused = numbered.chain(others).collect();
        let specification = Specification::new(properties, mapping(program, color)?);
        let is_found = options.ltl.is_none();
        Ok(Some(Formulas { program, specification, sources, is_found, refused, complaints }))
    }

    /// The records of formulas that cannot be read.
    pub fn unreadable(&self) -> impl Iterator<Item = PropertyRecord> {
        self.refused.iter().map(|(name, mistake)| {
            let mut record = PropertyRecord::unknown(&self.program.name, name);
            record.reason = Some(format!("cannot be read: {}", mistake.message));
            self.place(&mut record, &mistake.place);
            record
        })
    }

    fn place(&self, record: &mut PropertyRecord, place: &Range<usize>) {
        let span = Span { file: 0, start: place.start as u32, end: place.end as u32 };
        let position = self.sources.position(span);
        record.shown.place = Some((self.sources.files()[0].name.clone(), position.line, position.column));
        record.shown.kind = Some(PropertyKind::Invariant);
        record.shown.temporal = Some(Temporal::Formula);
    }

    /// Mistakes and oddities in the file.
    pub fn complaints(&self) -> &str {
        &self.complaints
    }

    /// `ltl_0` and so on.
    pub fn names(&self) -> &[String] {
        self.specification.names()
    }

    /// The record of a formula about which nothing is known yet.
    pub fn unknown(&self, property: PropertyId) -> PropertyRecord {
        let formula = self.specification.get(property);
        let mut record = PropertyRecord::unknown(&self.program.name, &self.names()[property.index()]);
        record.formula = Some(formula.formula.to_string());
        self.place(&mut record, &formula.place);
        record
    }

    /// Decides formulas; if there is something else to decide, in a part of the time that is left: half of it where
    /// there are labels, and most of it where there are only implicit properties. The result is the list of further
    /// messages.
    pub fn decide(
        &self,
        wanted: &[PropertyId],
        work: &Work,
        others: &[PropertyId],
        files: &mut Files,
    ) -> Result<String, Failure> {
        if wanted.is_empty() {
            return Ok(String::new());
        }
        let Work { options, limits, teller, .. } = work;
        let facts = Facts::new(self.program);
        let mut limits = (*limits).clone();
        if !others.is_empty() {
            let is_label = |property: &PropertyId| self.program.property(*property).kind == PropertyKind::Label;
            let of = if others.iter().any(is_label) { 2 } else { 10 };
            limits.interrupt = limits.interrupt.share(of - 1, of);
        }
        let gcc = work.compiled.map(|compiled| Gcc::new(self.program, compiled, &limits.interrupt));
        let terms = Terms {
            journal: options.open_journal.as_ref(),
            resume: options.resume.is_some(),
            second_opinion: gcc.as_ref().map(|gcc| gcc as &dyn SecondOpinion<Lasso>),
            shortest: None,
        };
        let memory = options.watch.for_states();
        // Where something is written into tables there are only states, however many.
        let (few, exact, all) = (Explicit { memory: memory.min(FEW) }, Exact { memory }, Explicit { memory });
        let explorers: [&dyn Explorer; 3] = [&few, &exact, &all];
        let explorers = if memory > FEW { &explorers[..] } else { &explorers[..2] };
        let mut hear = |news: News| match news {
            News::Provisional(finding) | News::Settled(finding) => {
                let record = self.finding(&facts, finding);
                files.settled_formula(self.program, &record, finding);
                teller.property(record);
            }
        };
        let formulas =
            ltl::Formulas { facts: &facts, specification: &self.specification, certify: !options.no_certify };
        let report = ltl::decide(&formulas, wanted, explorers, memory, &limits, &terms, &mut hear)?;
        let open = report.findings.iter().filter(|finding| finding.answer.is_unknown());
        open.for_each(|finding| teller.property(self.finding(&facts, finding)));
        files.write_rankings(self.program, &report);
        Ok(self.messages(&report, options))
    }

    fn messages(&self, report: &ltl::Report, options: &CheckArgs) -> String {
        let mut messages = String::new();
        let file = &self.sources.files()[0].name;
        // Writing to a string does not fail.
        if self.is_found {
            let _ = writeln!(messages, "note: the formulas are those of {file} (--no-ltl leaves them out)");
        }
        if options.shortest {
            let _ = writeln!(messages, "note: --shortest changes nothing about runs that violate formulas");
        }
        let account = &report.account;
        for note in report.notes.iter().cloned().chain(account.notes.iter().map(|note| format!("note: {note}"))) {
            let _ = writeln!(messages, "{note}");
        }
        if let (true, Some((by, seconds)), Some(found), Some(reduced)) =
            (options.stats, account.explorer, account.found, account.reduced)
        {
            let ((nodes, edges), (few, fewer)) = (found, reduced);
            let found = format!("{nodes} nodes and {edges} edges, reduced to {few} and {fewer}");
            let _ = writeln!(messages, "machine by {by}: {found} ({seconds:.2} s)");
        }
        messages
    }

    fn finding(&self, facts: &Facts, finding: &Finding) -> PropertyRecord {
        let mut record = self.unknown(finding.property);
        record.take(finding);
        match &finding.answer {
            Answer::Reachable { run } => {
                record.verdict = Verdict::Reachable;
                record.status = Some(Status::Violated);
                record.steps = Some(run.stem.len() + run.cycle.len());
                record.inputs = Some(run.unrolled(1).concat());
                record.words = words(self.program, &run.unrolled(1));
                if let Some((run, word)) = run.replay(facts, &self.specification.mapping) {
                    record.words = words(self.program, &run.unrolled(1));
                    record.stem = Some(Part { inputs: run.stem.concat(), symbols: word.stem });
                    record.cycle = Some(Part { inputs: run.cycle.concat(), symbols: word.cycle });
                }
            }
            Answer::Unreachable { .. } => {
                record.verdict = Verdict::Unreachable;
                record.status = Some(Status::Holds);
                record.reason = doubt(finding);
            }
            Answer::Unknown(_) | Answer::Withdrawn { .. } => {}
        }
        record.shown.word = record.status.map_or(Verdict::Unknown.word(), Status::word);
        record
    }
}

/// The formulas in a file, with the names that symbols have beside the program.
pub fn specification(program: &Program, path: &Path, color: bool) -> Result<(Specification, Arc<Sources>), Failure> {
    let sources = Arc::new(Sources::new(vec![read(path)?]));
    let refused =
        |sources: &Sources, mistakes: Vec<Mistake>| Failure::Source(diagnostics(mistakes).render(sources, color));
    let list = properties::read(&sources.files()[0].text).map_err(|mistakes| refused(&sources, mistakes))?;
    Ok((Specification::new(list, mapping(program, color)?), sources))
}

/// The names of symbols: the words of a program, or what is said beside it, or those that they have if nothing is said.
pub fn mapping(program: &Program, color: bool) -> Result<Mapping, Failure> {
    if !program.words.is_empty() {
        return Ok(Mapping::of_words(&program.words.inputs, &program.words.outputs));
    }
    let Some(path) = mapping_beside(Path::new(&program.sources.files()[0].name)) else { return Ok(Mapping::default()) };
    let sources = Sources::new(vec![read(&path)?]);
    let refused = |mistakes: Vec<Mistake>| Failure::Source(diagnostics(mistakes).render(&sources, color));
    Mapping::read(&sources.files()[0].text).map_err(refused)
}

fn read(path: &Path) -> Result<SourceFile, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(SourceFile::new(path.to_string_lossy(), text))
}

pub fn diagnostics(mistakes: Vec<Mistake>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for Mistake { place, message } in mistakes {
        let span = Span { file: 0, start: place.start as u32, end: place.end as u32 };
        diagnostics.push(Diagnostic::new(span, message, "here"));
    }
    diagnostics
}

/// The file of formulas about a program: the one that was named, or else the one beside it.
pub fn file(program: &Path, options: &CheckArgs) -> Option<PathBuf> {
    options.ltl.clone().or_else(|| if options.no_ltl { None } else { beside(program) })
}

/// The file of formulas beside a program: `constraints-Problem1.txt` (with anything before the name of the program) since
/// 2014, `properties1.txt` in 2012, and `Problem1.ltl` for formulas of one's own.
pub fn beside(program: &Path) -> Option<PathBuf> {
    let stem = program.file_stem()?.to_str()?;
    let own = program.with_extension("ltl");
    if own.is_file() {
        return Some(own);
    }
    let folder = program.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_it = |name: &str| {
        let is_of_2012 =
            || Some(name.strip_prefix("properties")?.strip_suffix(".txt")? == stem.strip_prefix("Problem")?);
        let before = name.strip_prefix("constraints-").and_then(|rest| rest.strip_suffix(".txt")?.strip_suffix(stem));
        // `constraints-MyProblem1.txt` is about another problem than `Problem1.c`.
        let is_later =
            before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric()) || before.starts_with("RERS"));
        is_later || is_of_2012() == Some(true)
    };
    let names = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<String> = names.filter(|name| is_it(name)).collect();
    found.sort();
    found.into_iter().next().map(|name| program.with_file_name(name))
}

/// The mapping that 2020 has beside its programs.
fn mapping_beside(program: &Path) -> Option<PathBuf> {
    let stem = program.file_stem()?.to_str()?;
    Some(program.with_file_name(format!("{stem}_alphabet_mapping_C_version.txt"))).filter(|path| path.is_file())
}
