//! Properties of whole runs in a ledger: how violations are repeated, and certificates judged and written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::branching::Evidence;
use super::lasso::Lasso;
use super::loops::Loops;
use super::parts::parts;
use super::positions::atoms;
use crate::analysis::Facts;
use crate::base::hash::sha256;
use crate::base::{Interrupt, Limits};
use crate::certificate::temporal::states::{self, States};
use crate::certificate::temporal::{self, Question, Ranking};
use crate::certificate::{self, Certificate, Checked, Judgement};
use crate::check::shortest;
use crate::ledger::Subject;
use crate::program::{Program, PropertyId, Timed};
use crate::witness::stamp;

/// A model and properties of its whole runs.
pub struct WholeRuns<'w, 'p> {
    pub facts: &'w Facts<'p>,
    pub list: &'w [Timed],
}

/// Why a property of whole runs is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// One run that never ends.
    Lasso(Lasso),
    /// Runs that lead to where it is seen.
    Tree(Evidence),
}

/// Why a property of whole runs holds.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The states that decide about it, and their ranks.
    States { states: Arc<States>, ranking: Ranking },
    /// For each of its parts a program in which a run that violates the part would end with an error, and why none does.
    Loops(Vec<(Loops, Arc<Certificate>)>),
    /// Something about the circuit of the model; that it is the model's has to be believed.
    Circuit,
}

/// The results of strategies besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Further notes, a line each.
    pub notes: Vec<String>,
    /// Why a property is not known, in more words.
    pub reasons: BTreeMap<PropertyId, String>,
}

/// A certificate that takes more bytes than this is too long for a journal; its formulas are proved anew.
const MOST_BYTES: usize = 1 << 20;

/// The separator between the certificates of a property's parts.
const NEXT_PART: &str = "next part\n";

impl WholeRuns<'_, '_> {
    pub fn get(&self, property: PropertyId) -> &Timed {
        &self.list[property.index()]
    }
}

/// The atoms that a property is about, with those of fairness, each once.
pub fn atoms_of<'t>(program: &Program, list: impl IntoIterator<Item = &'t Timed>) -> Vec<PropertyId> {
    let mut all: Vec<PropertyId> = list.into_iter().flat_map(|timed| atoms(program, timed)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The checker's judgement on ranks of listed states.
pub fn judge_ranks(
    program: &Program,
    timed: &Timed,
    states: &States,
    ranking: &Ranking,
    interrupt: &Interrupt,
) -> Judgement {
    let (graph, starts) = match states::graph(program, &atoms_of(program, [timed]), states, interrupt) {
        Ok(found) => found,
        Err(judgement) => return judgement,
    };
    match Question::of_model(&graph, starts, program, timed) {
        Some(question) => temporal::confirm(&graph, &question, ranking, interrupt),
        None => Judgement::Undecided("it is about many runs at a time".into()),
    }
}

impl Subject for WholeRuns<'_, '_> {
    type Run = Violation;
    type Certificate = Reason;
    type Account = Account;

    const NOUN: &'static str = "model";
    const BELIEVES_BARE_PROOFS: bool = false;

    fn properties(&self) -> usize {
        self.list.len()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.get(property).name
    }

    fn stamp(&self) -> String {
        let questions: Vec<String> =
            self.list.iter().map(|timed| format!("{} {:?}", timed.name, timed.question)).collect();
        sha256((stamp::program(self.facts.program) + &questions.join("\n")).as_bytes())
    }

    fn replay(&self, property: PropertyId, run: &Violation) -> Option<Violation> {
        let (program, timed) = (self.facts.program, self.get(property));
        match run {
            Violation::Lasso(lasso) => {
                let lasso = lasso.closed(program, timed).ok()?;
                lasso.violates(program, timed).ok()?;
                Some(Violation::Lasso(lasso))
            }
            Violation::Tree(evidence) => evidence.clone().replayed(program, timed).ok().map(Violation::Tree),
        }
    }

    /// Properties of one part are looked at again, on the program of their loops.
    fn shortest(
        &self,
        known: &[(PropertyId, Violation)],
        memory: usize,
        limits: &Limits,
        report: &mut dyn FnMut(PropertyId, Violation),
    ) {
        for (number, (property, run)) in known.iter().enumerate() {
            let (Violation::Lasso(lasso), [part]) = (run, &parts(self.get(*property))[..]) else { continue };
            let limits = limits.share(known.len() - number);
            let Ok(loops) = Loops::new(self.facts.program, part, &limits.interrupt) else { continue };
            // Only its length is looked at.
            let known = [(Loops::closed(), vec![vec![]; loops.length_of(lasso)])];
            let facts = Facts::new(&loops.program);
            shortest::runs(&facts, &known, memory, &limits.interrupt, |_, run| {
                report(*property, Violation::Lasso(loops.lasso(&run)));
            });
        }
    }

    fn excludes(&self, certificate: &Reason, property: PropertyId) -> bool {
        match certificate {
            Reason::States { .. } => true,
            Reason::Loops(list) => {
                let parts = parts(self.get(property));
                let name =
                    |(loops, _): &(Loops, Arc<Certificate>)| loops.program.property(Loops::closed()).name.clone();
                list.iter().map(name).eq(parts.iter().map(|part| part.name.clone()))
            }
            Reason::Circuit => false,
        }
    }

    fn judge(&self, certificate: &Reason, properties: &[PropertyId], interrupt: &Interrupt) -> Judgement {
        let program = self.facts.program;
        let judgements: Vec<Judgement> = match certificate {
            Reason::States { states, ranking } => {
                let judge =
                    |&property: &PropertyId| judge_ranks(program, self.get(property), states, ranking, interrupt);
                properties.iter().map(judge).collect()
            }
            Reason::Loops(list) => {
                list.iter().map(|(loops, why)| certificate::confirm(&loops.program, why, interrupt).1).collect()
            }
            Reason::Circuit => vec![Judgement::Undecided(ONLY_CIRCUIT.into())],
        };
        judgements.into_iter().find(|judgement| *judgement != Judgement::Confirmed).unwrap_or(Judgement::Confirmed)
    }

    /// Where the loop begins, then all steps. Trees are not written down: they are found anew.
    fn run_to_numbers(&self, run: &Violation) -> Vec<Vec<i32>> {
        let Violation::Lasso(Lasso { run, loop_start }) = run else { return vec![] };
        let start = vec![i32::try_from(*loop_start).unwrap_or(i32::MAX)];
        std::iter::once(start).chain(run.iter().cloned()).collect()
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Violation> {
        let (start, run) = numbers.split_first()?;
        let loop_start = usize::try_from(*start.first()?).ok()?;
        Some(Violation::Lasso(Lasso { run: run.to_vec(), loop_start }))
    }

    fn certificate_to_text(&self, property: PropertyId, certificate: &Reason) -> Option<String> {
        let texts = certificate.texts(self.facts.program, self.get(property));
        let text = texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(NEXT_PART);
        (!text.is_empty() && text.len() <= MOST_BYTES).then_some(text)
    }

    fn certificate_of_text(&self, text: &str) -> Option<Reason> {
        let program = self.facts.program;
        if temporal::text::lists_states(text) {
            let (states, mut rankings) = temporal::text::read_states(program, text).ok()?;
            let (_, ranking) = rankings.pop()?;
            return Some(Reason::States { states: Arc::new(states), ranking });
        }
        let read = |text: &str| {
            let all = self.list.iter().flat_map(parts);
            all.into_iter().find_map(|part| {
                let loops = Loops::new(program, &part, &Interrupt::default()).ok()?;
                let why = certificate::text::read(&loops.program, text).ok()?.pop()?;
                Some((loops, Arc::new(why)))
            })
        };
        text.split(NEXT_PART).map(read).collect::<Option<Vec<_>>>().map(Reason::Loops)
    }
}

impl Reason {
    /// The certificates as text, each with its subject: the property or one of its parts.
    pub fn texts(&self, program: &Program, timed: &Timed) -> Vec<(String, String)> {
        match self {
            Reason::States { states, ranking } => {
                let text = temporal::text::write_states(program, states, [(&*timed.name, ranking)]);
                vec![(timed.name.clone(), text)]
            }
            Reason::Loops(list) => {
                let text = |(loops, why): &(Loops, Arc<Certificate>)| {
                    let name = loops.program.property(Loops::closed()).name.clone();
                    (name, certificate::text::write(&loops.program, [&**why]))
                };
                list.iter().map(text).collect()
            }
            Reason::Circuit => vec![],
        }
    }
}

/// The remark about verdicts that only the circuit of a model confirms.
pub(super) const ONLY_CIRCUIT: &str = "only its circuit has a certificate";

/// The certificates of all parts as one; `None` if one has none.
pub(super) fn together(parts: Vec<(Loops, Option<Checked>)>) -> Option<Checked<Reason>> {
    let mut judgement = Judgement::Confirmed;
    let mut list = vec![];
    for (loops, checked) in parts {
        let Checked { certificate, judgement: of_part } = checked?;
        if judgement == Judgement::Confirmed {
            judgement = of_part;
        }
        list.push((loops, certificate));
    }
    Some(Checked { certificate: Arc::new(Reason::Loops(list)), judgement })
}
