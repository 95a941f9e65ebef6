//! Inputs, variables, tables, functions, properties and the legend: names, domains and starts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Malformed, Part, exists};
use crate::expr::Type;
use crate::program::legend::{Legend, Meaning};
use crate::program::{Domain, Function, LoopHead, Program, Scope, Table, Variable};

pub fn verify(program: &Program) -> Result<(), Malformed> {
    names(program)?;
    for input in &program.inputs {
        domain(&input.name, Some(&input.alphabet))?;
    }
    program.tables.iter().try_for_each(table)?;
    program.variables.iter().try_for_each(|each| variable(program, each))?;
    functions(program)?;
    time(program)?;
    program.legend.as_ref().map_or(Ok(()), |of_parts| legend(program, of_parts))?;
    program.heads.iter().try_for_each(|each| head(program, each))
}

/// Properties of whole runs refer to properties.
fn time(program: &Program) -> Result<(), Malformed> {
    let atoms = program.timed.iter().flat_map(|timed| timed.atoms.iter().copied());
    let fair = program.fairness.iter().flat_map(|fairness| std::iter::once(fairness.recurs).chain(fairness.when));
    atoms.chain(fair).try_for_each(|atom| exists(Part::Property, atom.index(), program.properties.len()))
}

fn names(program: &Program) -> Result<(), Malformed> {
    let variables = program.variables.iter().map(|variable| variable.name.as_str());
    let tables = program.tables.iter().map(|table| table.name.as_str());
    unique(Part::Place, tables.chain(variables.clone()))?;
    unique(Part::Input, program.inputs.iter().map(|input| input.name.as_str()))?;
    unique(Part::Property, program.properties.iter().map(|property| property.name.as_str()))?;
    unique(Part::Function, program.functions.iter().map(|function| function.name.as_str()))?;
    // `t[0]` is the name of the first cell of the table `t`.
    let tables: FxHashMap<&str, usize> =
        program.tables.iter().map(|table| (table.name.as_str(), table.cells.len())).collect();
    for name in variables {
        let cell = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        if let Some((table, cell)) = cell
            && let (Some(cells), Ok(cell)) = (tables.get(table), cell.parse::<usize>())
            && cell < *cells
        {
            return Err(Malformed::SameName { part: Part::Place, name: name.into() });
        }
    }
    Ok(())
}

fn unique<'p>(part: Part, names: impl Iterator<Item = &'p str>) -> Result<(), Malformed> {
    let mut seen = FxHashSet::default();
    for name in names {
        if !seen.insert(name) {
            return Err(Malformed::SameName { part, name: name.into() });
        }
    }
    Ok(())
}

fn domain(name: &str, domain: Option<&Domain>) -> Result<(), Malformed> {
    let is_fine = match domain {
        None => true,
        Some(Domain::Range(low, high)) => low <= high,
        Some(Domain::List(list)) => !list.is_empty() && list.is_sorted_by(|a, b| a < b),
    };
    if is_fine { Ok(()) } else { Err(Malformed::Domain(name.into())) }
}

fn table(table: &Table) -> Result<(), Malformed> {
    if table.cells.is_empty() || i32::try_from(table.cells.len()).is_err() {
        return Err(Malformed::Length(table.name.clone()));
    }
    domain(&table.name, table.domain.as_ref())?;
    match &table.domain {
        Some(domain) if !table.cells.iter().all(|&cell| domain.contains(cell)) => {
            Err(Malformed::Start(table.name.clone()))
        }
        _ => Ok(()),
    }
}

fn variable(program: &Program, variable: &Variable) -> Result<(), Malformed> {
    domain(&variable.name, variable.domain.as_ref())?;
    let initial = variable.initial;
    let fits_type = match variable.ty {
        Type::Int => true,
        Type::Bool => initial == 0 || initial == 1,
        Type::Pointer => usize::try_from(initial).is_ok_and(|table| table < program.tables.len()),
    };
    let fits_domain = variable.domain.as_ref().is_none_or(|domain| domain.contains(initial));
    if fits_type && fits_domain { Ok(()) } else { Err(Malformed::Start(variable.name.clone())) }
}

/// Parameters and results are locals, each of one function: a call must not change those of another.
fn functions(program: &Program) -> Result<(), Malformed> {
    let mut owned = vec![false; program.variables.len()];
    for Function { name, parameters, result, .. } in &program.functions {
        for own in parameters.iter().chain(result) {
            exists(Part::Variable, own.index(), owned.len())?;
            let is_taken = std::mem::replace(&mut owned[own.index()], true);
            let variable = program.variable(*own);
            if is_taken || variable.scope != Scope::Local {
                return Err(Malformed::Foreign { function: name.clone(), variable: variable.name.clone() });
            }
        }
    }
    Ok(())
}

fn head(program: &Program, head: &LoopHead) -> Result<(), Malformed> {
    if head.variables.len() != program.variables.len() {
        return Err(Malformed::Head(Part::Variable));
    }
    if head.tables.len() != program.tables.len() { Err(Malformed::Head(Part::Table)) } else { Ok(()) }
}

fn legend(program: &Program, legend: &Legend) -> Result<(), Malformed> {
    let says_something_of_each = |part, said: usize, there: usize| {
        if said == there { Ok(()) } else { Err(Malformed::Legend(part)) }
    };
    says_something_of_each(Part::Variable, legend.variables.len(), program.variables.len())?;
    says_something_of_each(Part::Table, legend.tables.len(), program.tables.len())?;
    says_something_of_each(Part::Input, legend.inputs.len(), program.inputs.len())?;
    says_something_of_each(Part::Table, legend.dimensions.len(), program.tables.len())?;
    for (dimensions, table) in legend.dimensions.iter().zip(&program.tables) {
        says_something_of_each(Part::Table, dimensions.iter().map(|(_, size)| size).product(), table.cells.len())?;
    }
    let indices = legend.dimensions.iter().flatten().map(|(meaning, _)| *meaning);
    let meanings = legend.variables.iter().chain(&legend.tables).flatten().copied().chain(indices);
    for meaning in meanings.chain(legend.inputs.iter().map(|role| role.meaning())) {
        if let Meaning::Name(enumeration) = meaning {
            exists(Part::Enumeration, enumeration, legend.enumerations.len())?;
        }
    }
    for property in legend.lints.iter().flat_map(|lint| std::iter::once(lint.property).chain(lint.after)) {
        exists(Part::Property, property.index(), program.properties.len())?;
    }
    match legend.started {
        Some(started) => exists(Part::Variable, started.index(), program.variables.len()),
        None => Ok(()),
    }
}
