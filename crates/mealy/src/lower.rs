//! States and transitions to a program.

use std::collections::BTreeMap;
use std::sync::Arc;

use redoubt_program::expr::{ExprId, InputId, Type, VarId};
use redoubt_program::program::words::number_of_letter;
use redoubt_program::program::{
    Arm, Builder, Domain, Input, Language, Piece, Program, Property, PropertyKind, Scope, StmtId, StmtKind, Stream,
    Variable, Words,
};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::Diagnostics;
use redoubt_reading::refused::Lowered;
use rustc_hash::FxHashMap;

use super::read::{Machine, Transition};
use super::{AND, INVALID, NOTHING, is_label};

pub fn lower(machine: &Machine, sources: &Arc<Sources>) -> Lowered<Program> {
    let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
    let mut builder = Builder::new(name, Arc::clone(sources)).in_language(Language::Mealy);
    let state = builder.add_variable(Variable {
        name: "state".into(),
        ty: Type::Int,
        scope: Scope::Global,
        initial: machine.start as i32,
        domain: Some(Domain::Range(0, machine.states.len() as i32 - 1)),
        span: machine.span,
    });
    let (mut inputs, mut outputs) = (Numbers::default(), Numbers::default());
    let mut numbers: Vec<i32> = machine.inputs.iter().map(|input| inputs.number(input)).collect();
    let mut maker = Maker { builder, state, inputs: numbers.clone(), outputs: &mut outputs };
    let mut arms = vec![];
    for (from, transitions) in machine.transitions.iter().enumerate() {
        let guard = maker.is(from as i32, true);
        let body = maker.state(from, transitions, machine.span);
        arms.push(Arm { guard, body, span: machine.span });
    }
    let step = maker.add(StmtKind::Choice(arms), machine.span);
    let mut builder = maker.builder;
    builder.set_step(step);
    numbers.sort_unstable();
    builder.add_input(Input { name: "input".into(), alphabet: Domain::List(numbers) });
    builder.set_words(Words { inputs: inputs.names, outputs: outputs.names });
    let mut program = builder.finish().map_err(Diagnostics::from)?;
    program.sort_properties();
    Ok(program)
}

/// The numbers of words: of a letter its place in the alphabet, of others as they are met.
#[derive(Default)]
struct Numbers {
    known: FxHashMap<String, i32>,
    names: BTreeMap<i32, String>,
}

/// Words that are no letters begin here.
const FIRST: i32 = 101;

impl Numbers {
    fn number(&mut self, word: &str) -> i32 {
        if let Some(&number) = self.known.get(word) {
            return number;
        }
        let letter = number_of_letter(word).filter(|number| !self.names.contains_key(number));
        let next = self.names.last_key_value().map_or(FIRST, |(&last, _)| FIRST.max(last + 1));
        let number = letter.unwrap_or(next);
        self.known.insert(word.into(), number);
        self.names.insert(number, word.into());
        number
    }
}

struct Maker<'m> {
    builder: Builder,
    state: VarId,
    /// By input: its number.
    inputs: Vec<i32>,
    outputs: &'m mut Numbers,
}

impl Maker<'_> {
    fn add(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.builder.add_stmt(kind, span)
    }

    /// Whether the state, or the input, is this number.
    fn is(&mut self, number: i32, of_state: bool) -> ExprId {
        let state = self.state;
        let exprs = self.builder.exprs_mut();
        let own = if of_state { exprs.var(state, Type::Int) } else { exprs.input(InputId::new(0), Type::Int) };
        let number = exprs.int(number);
        exprs.eq(own, number)
    }

    /// What happens in a state.
    fn state(&mut self, from: usize, transitions: &[Transition], span: Span) -> StmtId {
        let mut arms = vec![];
        let is_refusal = |transition: &&Transition| transition.output == INVALID && transition.target == from;
        for transition in transitions.iter().filter(|transition| !is_refusal(transition)) {
            let guard = self.is(self.inputs[transition.input], false);
            let body = self.transition(from, transition);
            arms.push(Arm { guard, body, span: transition.span });
        }
        let text = vec![Piece::Text("Invalid input: Current state has no transition for this input!\n".into())];
        let body = self.add(StmtKind::Print { stream: Stream::Diagnostic, text }, span);
        let guard = self.builder.exprs_mut().bool(true);
        arms.push(Arm { guard, body, span });
        self.add(StmtKind::Choice(arms), span)
    }

    fn transition(&mut self, from: usize, transition: &Transition) -> StmtId {
        let Transition { output, target, span, .. } = transition;
        let mut body = vec![];
        let mut label = None;
        for word in output.split(AND).filter(|word| !word.is_empty() && *word != NOTHING) {
            if is_label(word) {
                label = Some(word);
                break;
            }
            let number = self.outputs.number(word);
            let number = self.builder.exprs_mut().int(number);
            let text = vec![Piece::Number(number), Piece::Text("\n".into())];
            body.push(self.add(StmtKind::Print { stream: Stream::Output, text }, *span));
        }
        if let Some(label) = label {
            let kind = PropertyKind::Label;
            let property =
                self.builder.add_property(Property { name: label.into(), kind, span: *span, expected: None });
            body.push(self.add(StmtKind::Error(property), *span));
        } else if *target != from {
            let value = self.builder.exprs_mut().int(*target as i32);
            body.push(self.add(StmtKind::Assign { variable: self.state, value }, *span));
        }
        self.builder.add_sequence(body)
    }
}
