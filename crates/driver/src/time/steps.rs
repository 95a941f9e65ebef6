//! A C program and a formula about its inputs and outputs in, out comes the program with atoms and a property about these.
//!
//! A position is a step: the symbol of its input is true there (`iA`), and that of each number it prints (`oX`). The
//! [`Mapping`] gives the symbols of numbers, as for formulas of linear time.

use crate::explicit::behaviour::{Unknown, alphabet, check_prints};
use crate::expr::{BinaryOp, ExprId, Exprs, InputId, Type, VarId};
use crate::formula::parse_branching::Name;
use crate::formula::{Branching, Mistake};
use crate::program::time::Question;
use crate::program::{
    Arm, Builder, Piece, Program, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Stream, Timed, Variable,
};
use crate::temporal::properties::Mapping;
use crate::text::Span;

use super::positions::NOWHERE;

/// Outputs are numbers of at most this size.
const MOST_OUTPUT: i32 = 10_000;
/// The most outputs that a formula may be about: a number has a bit for each.
const MOST_OUTPUTS: usize = 30;

/// The subject of an atom.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Input(i32),
    Output(i32),
}

/// Why a formula cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Something about the formula.
    Formula(Mistake),
    /// Something about the program.
    Program(String),
}

/// The program with an atom for each symbol of the formula, and the formula as a property of it, of this name.
pub fn property(
    program: &Program,
    formula: &Branching<Name>,
    mapping: &Mapping,
    name: &str,
) -> Result<(Program, Timed), Refused> {
    let unsuitable = |unknown: Unknown| Refused::Program(unknown.to_string());
    let inputs = alphabet(program).map_err(unsuitable)?;
    check_prints(program).map_err(unsuitable)?;
    let mut symbols: Vec<Symbol> = vec![];
    let numbered = formula.try_map(&mut |name: &Name| {
        let symbol = symbol(name, &inputs, mapping).map_err(Refused::Formula)?;
        Ok(symbols.iter().position(|&known| known == symbol).unwrap_or_else(|| {
            symbols.push(symbol);
            symbols.len() - 1
        }))
    })?;
    let mut builder = Builder::of(program.clone());
    let mut atoms = vec![];
    for number in 0..symbols.len() {
        let name = format!("symbol {number}");
        atoms.push(builder.add_property(Property { name, kind: PropertyKind::Atom, span: NOWHERE, expected: None }));
    }
    let all: Vec<(Symbol, PropertyId)> = symbols.iter().copied().zip(atoms.iter().copied()).collect();
    let outputs: Vec<(i32, PropertyId)> = all
        .iter()
        .filter_map(|&(symbol, atom)| match symbol {
            Symbol::Output(number) => Some((number, atom)),
            Symbol::Input(_) => None,
        })
        .collect();
    if outputs.len() > MOST_OUTPUTS {
        return Err(Refused::Program(format!("the formula is about more than {MOST_OUTPUTS} outputs")));
    }
    // A statement may only use those before it, so output is noted, a bit for each atom, and reached at the end of the
    // step.
    let printed = builder.add_variable(Variable {
        name: "@printed".into(),
        ty: Type::Int,
        scope: Scope::Global,
        initial: 0,
        domain: None,
        span: NOWHERE,
    });
    for (index, stmt) in program.stmts.iter().enumerate() {
        if let StmtKind::Print { stream: Stream::Output, text } = &stmt.kind {
            let value = noted(builder.exprs_mut(), printed, text, &outputs);
            builder.replace_stmt(StmtId::new(index), StmtKind::Assign { variable: printed, value });
        }
    }
    let nothing = builder.exprs_mut().int(0);
    let mut step = vec![builder.add_stmt(StmtKind::Assign { variable: printed, value: nothing }, NOWHERE)];
    let input = builder.exprs_mut().input(InputId::new(0), Type::Int);
    for &(symbol, atom) in &all {
        if let Symbol::Input(wanted) = symbol {
            let wanted = builder.exprs_mut().int(wanted);
            let guard = builder.exprs_mut().eq(input, wanted);
            step.push(reach_where(&mut builder, guard, atom));
        }
    }
    step.push(program.step);
    for (place, &(_, atom)) in outputs.iter().enumerate() {
        let exprs = builder.exprs_mut();
        let (bits, bit) = (exprs.var(printed, Type::Int), exprs.int(1 << place));
        let has = exprs.binary(BinaryOp::BitAnd, bits, bit);
        let guard = exprs.eq(has, bit);
        step.push(reach_where(&mut builder, guard, atom));
    }
    let step = builder.add_sequence(step);
    builder.set_step(step);
    let program = builder.finish().map_err(|error| Refused::Program(format!("{error:?}")))?;
    let timed = Timed {
        name: name.into(),
        span: Span::default(),
        expected: None,
        question: Question::Branching(numbered),
        atoms,
        from_start: false,
    };
    Ok((program, timed))
}

/// The earlier output, with the present one.
fn noted(exprs: &mut Exprs, printed: VarId, text: &[Piece], outputs: &[(i32, PropertyId)]) -> ExprId {
    let (mut bits, nothing) = (exprs.var(printed, Type::Int), exprs.int(0));
    for piece in text {
        let Piece::Number(number) = *piece else { continue };
        for (place, &(wanted, _)) in outputs.iter().enumerate() {
            let (wanted, bit) = (exprs.int(wanted), exprs.int(1 << place));
            let is_it = exprs.eq(number, wanted);
            let bit = exprs.ite(is_it, bit, nothing);
            bits = exprs.binary(BinaryOp::BitOr, bits, bit);
        }
    }
    bits
}

fn reach_where(builder: &mut Builder, guard: ExprId, atom: PropertyId) -> StmtId {
    let body = builder.add_stmt(StmtKind::Reach(atom), NOWHERE);
    builder.add_stmt(StmtKind::Choice(vec![Arm { guard, body, span: NOWHERE }]), NOWHERE)
}

fn symbol(name: &Name, inputs: &[i32], mapping: &Mapping) -> Result<Symbol, Mistake> {
    let refused = |message: String| Mistake { place: name.place.clone(), message };
    let is_called = |kind: char, number: i32| mapping.symbol(kind, number) == name.text;
    match name.text.chars().next() {
        Some('i') => match inputs.iter().find(|&&number| is_called('i', number)) {
            Some(&number) => Ok(Symbol::Input(number)),
            None => {
                let known: Vec<String> = inputs.iter().map(|&number| mapping.symbol('i', number)).collect();
                Err(refused(format!("the program has no input `{}`; its inputs are {}", name.text, known.join(", "))))
            }
        },
        Some('o') => match (-1..=MOST_OUTPUT).find(|&number| is_called('o', number)) {
            Some(number) => Ok(Symbol::Output(number)),
            None => Err(refused(format!("there is no output `{}`", name.text))),
        },
        _ => {
            Err(refused(format!("`{}` is no symbol of a program; expected an input (iA) or an output (oX)", name.text)))
        }
    }
}
