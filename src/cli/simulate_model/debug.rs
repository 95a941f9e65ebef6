//! A conversation about a run of a model: steps, and questions between them.

use std::io::BufRead;
use std::time::Duration;

use redoubt_base::{Interrupt, Limits};
use redoubt_driver::check::{self, Answer, Means};
use redoubt_driver::time::{self, Lasso, Violation};
use redoubt_program::expr::InputId;
use redoubt_program::program::legend::Role;
use redoubt_program::simulate::{End, Simulator, State};
use redoubt_witness as witness;

use super::super::output::{meant, message, stdout};
use super::super::trace::Trace;
use super::super::{Failure, model};
use super::{Given, ModelSession, parse_line, unreadable};

const HELP: &str = "\
  name=value ...   make a step with these inputs; the others are chosen at random
  undo             go back by a step
  enabled          which alternatives the next step may take, for some inputs
  state            the values of all variables; `state NAME ...` of some
  watch NAME ...   show these after every step; `watch` alone shows none
  to PROPERTY      go to the run that violates or reaches a property
  q                end
";

/// So long is a run to a property looked for.
const SEARCH: Duration = Duration::from_secs(20);

/// The number of random steps tried to see which alternatives are enabled.
const TRIED: usize = 500;

impl<'p> ModelSession<'p> {
    /// Asks for the inputs and the alternative of every step, until the reader has enough.
    pub fn converse(&mut self, reader: &mut dyn BufRead) -> Result<(), Failure> {
        let named: Vec<&str> = self.named().collect();
        message(&format!("inputs: {}\n", if named.is_empty() { "none".into() } else { named.join(", ") }));
        message("give some as name=value; the others are chosen at random; `help` has more, `q` ends\n");
        // The states before the steps, to go back to.
        let mut history: Vec<(State, bool)> = vec![];
        let mut watched: Vec<String> = vec![];
        loop {
            let prompt =
                if self.is_over() { "over> ".into() } else { format!("step {}> ", self.trace.steps.len() + 1) };
            let Some(line) = ask(reader, &prompt)? else { break };
            let mut words = line.split_whitespace();
            match (words.next(), words.collect::<Vec<&str>>()) {
                (Some("q" | "quit"), _) => break,
                (Some("help"), _) => message(HELP),
                (Some("undo"), _) => match history.pop() {
                    Some((state, violated)) => {
                        self.simulator.restore(state);
                        self.trace.steps.pop();
                        self.violated = violated;
                    }
                    None => message("there is no step to go back by\n"),
                },
                (Some("state"), names) => self.tell_values(&names),
                (Some("watch"), names) => watched = names.into_iter().map(String::from).collect(),
                (Some("enabled"), _) => self.tell_enabled(),
                (Some("to"), names) => {
                    if let Some(states) = self.go_to(&names.join(" "))? {
                        history = states;
                    }
                }
                _ if self.is_over() => message("the run is over; `undo` goes back, `q` ends\n"),
                _ => {
                    let before = (self.simulator.state().clone(), self.violated);
                    if self.step_by_hand(reader, &line)? {
                        history.push(before);
                        let names: Vec<&str> = watched.iter().map(String::as_str).collect();
                        if !names.is_empty() {
                            self.tell_values(&names);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A step with the inputs of a line; false if there is none.
    fn step_by_hand(&mut self, reader: &mut dyn BufRead, line: &str) -> Result<bool, Failure> {
        let given = match parse_line(self.program, line) {
            Ok(given) => given,
            Err(failure) => {
                message(&format!("{failure}\n"));
                return Ok(false);
            }
        };
        // Random inputs are settled before the alternatives are offered, which depend on them; and again, if an
        // assumption fails.
        let mut settled = self.settled(&given);
        for _ in 0..TRIED {
            if self.is_allowed(&settled) {
                break;
            }
            settled = self.settled(&given);
        }
        self.choose_alternatives(reader, &mut settled)?;
        let is_made = self.step(&settled)?;
        if !is_made {
            let why = self.obstacle().map_or(String::new(), |obstacle| format!(" ({obstacle})"));
            message(&format!("an assumption rules this step out{why}; try other inputs\n"));
        }
        Ok(is_made)
    }

    /// The inputs of a step except its choices; those that are not given are random.
    fn settled(&mut self, given: &Given) -> Given {
        let (mut settled, inputs) = (given.clone(), self.inputs(given));
        for (index, role) in self.legend.inputs.iter().enumerate() {
            let id = InputId::new(index);
            if !matches!(role, Role::Choice(_)) && !given.iter().any(|(other, _)| *other == id) {
                settled.push((id, inputs[index]));
            }
        }
        settled
    }

    /// Whether some choices lead through a step with these inputs.
    fn is_allowed(&mut self, settled: &Given) -> bool {
        let (before, random) = (self.simulator.state().clone(), self.random.clone());
        let is_open = self.legend.inputs.iter().any(|role| matches!(role, Role::Choice(_)));
        let is_allowed = (0..if is_open { 20 } else { 1 }).any(|_| {
            let inputs = self.inputs(settled);
            let step = self.simulator.step(&inputs);
            self.simulator.restore(before.clone());
            !matches!(step.end, Some(End::Blocked(_)))
        });
        self.random = random;
        is_allowed
    }

    /// The values of some variables, or of all.
    fn tell_values(&self, names: &[&str]) {
        let values = self.trace.steps.last().map_or(&self.trace.start, |step| &step.values);
        let signals = || self.trace.variables.iter().zip(values);
        let is_wanted = |name: &str| {
            let base = name.split('[').next().unwrap_or(name);
            names.is_empty() || names.iter().any(|wanted| *wanted == name || *wanted == base)
        };
        for (signal, &value) in signals().filter(|(signal, _)| is_wanted(&signal.name)) {
            message(&format!("  {} = {}\n", signal.name, self.legend.value(signal.meaning, value)));
        }
        let is_known = |name: &str| {
            signals().any(|(signal, _)| signal.name == name || signal.name.split('[').next() == Some(name))
        };
        for name in names.iter().filter(|name| !is_known(name)) {
            let meant = meant(name, self.trace.variables.iter().map(|signal| signal.name.as_str()));
            message(&format!("no variable `{name}`{meant}\n"));
        }
    }

    /// The alternatives and branches that the next step may take: those that some random steps took.
    fn tell_enabled(&mut self) {
        let (before, random) = (self.simulator.state().clone(), self.random.clone());
        let mut taken = vec![];
        for _ in 0..TRIED {
            let inputs = self.inputs(&[]);
            let step = self.simulator.step(&inputs);
            self.simulator.restore(before.clone());
            if !matches!(step.end, Some(End::Blocked(_))) {
                taken.extend(step.rules.iter().map(|rule| rule.span).filter(|span| self.trace.is_branch(*span)));
            }
        }
        self.random = random;
        taken.sort_unstable();
        taken.dedup();
        if taken.is_empty() {
            message("no alternative and no branch, as far as random steps show\n");
        }
        for span in taken {
            let text = self.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
            message(&format!("  line {} {text}\n", self.program.line(span)));
        }
    }

    /// Starts again with a run to a property; the result is the states before its steps.
    fn go_to(&mut self, name: &str) -> Result<Option<Vec<(State, bool)>>, Failure> {
        let Some((run, loop_start)) = self.run_to(name)? else { return Ok(None) };
        self.simulator = Simulator::new(self.program).trace();
        self.trace = Trace::new(self.program, self.legend, &self.simulator);
        self.violated = ModelSession::is_violated(self.program, self.simulator.opening());
        let mut history = vec![];
        for (place, inputs) in run.iter().enumerate() {
            let before = (self.simulator.state().clone(), self.violated);
            let step = self.simulator.step(inputs);
            self.violated |= ModelSession::is_violated(self.program, &step);
            self.trace.record(inputs, step, &self.simulator);
            if place > 0 || self.legend.started.is_none() {
                history.push(before);
            }
        }
        let loop_start = loop_start.map(|start| model::steps(self.legend, &run[..start]));
        Trace::of(self.program, self.legend, &run).with_loop(loop_start).write_folded(&mut stdout())?;
        Ok(Some(history))
    }

    /// A run that violates or reaches a property, and where its loop begins if it is one of whole runs; `None` and a message if there
    /// is none.
    fn run_to(&self, name: &str) -> Result<Option<(witness::Run, Option<usize>)>, Failure> {
        let limits = Limits { interrupt: Interrupt::after(SEARCH), ..Limits::default() };
        let options = check::CheckOptions { limits, ..check::CheckOptions::default() };
        let mut moments = self.program.questions().into_iter();
        let moment = moments.find(|&id| self.program.property(id).name == name);
        let run = if let Some(property) = moment {
            let options = check::CheckOptions { properties: Some(vec![property]), ..options };
            let report = check::check_together(self.program, &options, |_| {})?;
            report.findings.into_iter().find_map(|finding| match finding.answer {
                Answer::Reachable { run } => Some((run, None)),
                _ => None,
            })
        } else if let Some(timed) = self.program.timed.iter().find(|timed| timed.name == name) {
            match time::decide_one(self.program, timed, Means::Together, &options).0.answer {
                time::Answer::Reachable { run: Violation::Lasso(Lasso { run, loop_start }) } => {
                    Some((run, Some(loop_start)))
                }
                time::Answer::Reachable { run: Violation::Tree(evidence) } => evidence.ways().into_iter().next(),
                _ => None,
            }
        } else {
            let moments = self.program.questions().into_iter().map(|id| self.program.property(id).name.as_str());
            let known = moments.chain(self.program.timed.iter().map(|timed| timed.name.as_str()));
            message(&format!("no property `{name}`{}\n", meant(name, known)));
            return Ok(None);
        };
        if run.is_none() {
            message(&format!("no run to `{name}` was found; it may be that there is none\n"));
        }
        Ok(run)
    }

    fn named(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let inputs = self.program.inputs.iter().zip(&self.legend.inputs);
        inputs.filter(|(_, role)| matches!(role, Role::Input(_))).map(|(input, _)| input.name.as_str())
    }

    /// Offers the enabled alternatives of every `choose` that the step gets to.
    fn choose_alternatives(&mut self, reader: &mut dyn BufRead, given: &mut Given) -> Result<(), Failure> {
        for (index, role) in self.legend.inputs.iter().enumerate() {
            let id = InputId::new(index);
            let Role::Choice(alternatives) = role else { continue };
            if given.iter().any(|(other, _)| *other == id) {
                continue;
            }
            let before = self.simulator.state().clone();
            let enabled: Vec<usize> =
                (0..alternatives.len()).filter(|&which| self.takes(&before, given, id, which)).collect();
            if enabled.len() < 2 {
                continue;
            }
            for (number, &which) in enabled.iter().enumerate() {
                let span = alternatives[which];
                let text = self.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
                message(&format!("  {}) line {} {text}\n", number + 1, self.program.line(span)));
            }
            let answer = ask(reader, "  which? ")?.unwrap_or_default();
            let by_number = answer.parse::<usize>().ok().and_then(|number| enabled.get(number.wrapping_sub(1)));
            let is_named = |which: &&usize| self.program.sources.text(alternatives[**which]).contains(&answer);
            let by_name = || enabled.iter().find(is_named).filter(|_| !answer.is_empty());
            let chosen = by_number.or_else(by_name);
            given.push((id, *chosen.unwrap_or(&self.random.choose(&enabled)) as i32));
        }
        Ok(())
    }

    /// Whether a step takes one alternative if it is told to.
    fn takes(&mut self, before: &State, given: &Given, choice: InputId, which: usize) -> bool {
        let Role::Choice(alternatives) = self.legend.role(choice) else { return false };
        let mut inputs: Vec<i32> = self.program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
        given.iter().for_each(|(id, value)| inputs[id.index()] = *value);
        inputs[choice.index()] = which as i32;
        let step = self.simulator.step(&inputs);
        self.simulator.restore(before.clone());
        step.rules.iter().any(|rule| rule.span == alternatives[which])
    }
}

/// The next line, without its end; `None` at the end of the input.
fn ask(reader: &mut dyn BufRead, prompt: &str) -> Result<Option<String>, Failure> {
    message(prompt);
    let mut line = String::new();
    let read = reader.read_line(&mut line).map_err(unreadable)?;
    Ok((read > 0).then(|| line.trim().to_string()))
}
