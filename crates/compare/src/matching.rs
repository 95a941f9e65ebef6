//! Two programs to their correspondence: their inputs with the values that these may take, and the visible parts of
//! both.
//!
//! Inputs are matched by name. Open choices of a model are inputs as well: its n-th `choose` is matched with the
//! other's n-th, its n-th `havoc x` with the other's n-th. If one input is left on either side, these two are matched.
//! Values of enumerations are matched by name, numbers by value.
//!
//! The visible part of a C program is its output, of a model the variables that both have; of both, how a run ends and
//! which properties are reached while it goes on.

use std::collections::BTreeMap;
use std::fmt;

use super::cells::matched;
use crate::expr::{InputId, TableId, Type, VarId};
use crate::program::legend::{Meaning, Role};
use crate::program::words::letter;
use crate::program::{Domain, Piece, Program, PropertyId, PropertyKind, Scope, StmtKind, Stream};

/// One of the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Old, Side::New];

    pub fn word(self) -> &'static str {
        match self {
            Side::Old => "old",
            Side::New => "new",
        }
    }

    /// Of two, the one of this side.
    pub fn of<T>(self, pair: (T, T)) -> T {
        match self {
            Side::Old => pair.0,
            Side::New => pair.1,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The wishes for a comparison.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The names to compare; by default all that can be.
    pub outputs: Vec<String>,
    /// Compare on the inputs and values that both have; an input that only one has may take any value.
    pub common_inputs: bool,
}

/// Values of the old program with those of the new one that they belong to.
pub type Renaming = Vec<(i32, i32)>;

/// An input of one program or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub name: String,
    pub old: Option<InputId>,
    pub new: Option<InputId>,
    /// The values: those of the old program, if it has the input.
    pub alphabet: Domain,
    /// If the new program has other numbers for them.
    pub renaming: Option<Renaming>,
    /// Whether it stands for something that a model leaves open.
    pub is_choice: bool,
}

/// Something that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The output of both in a step.
    Printed,
    /// The number that one prints in a step, and a variable of the other one.
    Number { printing: Side, variable: VarId, renaming: Option<Renaming>, nothing: i32 },
    /// A variable after each step.
    Variable { old: VarId, new: VarId, renaming: Option<Renaming> },
    /// The cells of a table after each step, and per cell which one of the new table belongs to it.
    Table { old: TableId, new: TableId, cells: Vec<usize>, renaming: Option<Renaming> },
    /// A property that is reached while the run goes on.
    Property { old: PropertyId, new: PropertyId },
    /// The end of a run.
    End,
}

/// The correspondence of two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    pub inputs: Vec<Channel>,
    pub observed: Vec<Observed>,
    /// Names that are not compared because only one side has them.
    pub only: Vec<(Side, String)>,
}

/// Why two programs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("only the {side} one has the input `{name}`")]
    Input { side: Side, name: String },
    #[error("the input `{name}` may be {values} in the {side} one only")]
    Values { side: Side, name: String, values: String },
    #[error("the input `{0}` has other values in the two, and too many to match them one by one")]
    TooManyValues(String),
    #[error("the two have no value of the input `{0}` in common")]
    NoValues(String),
    #[error("the two have nothing called `{name}` that could be compared{meant}")]
    Output { name: String, meant: String },
    #[error("there is nothing that both have and that could be compared")]
    Nothing,
}

/// The most values that are matched one by one.
const MOST_VALUES: usize = 1 << 12;

/// The variable of a model that stands for the output of a C program.
const OUTPUT: &str = "output";

pub fn matching(old: &Program, new: &Program, wanted: &Wanted) -> Result<Matching, Mismatch> {
    let inputs = inputs(old, new, wanted.common_inputs)?;
    let mut all = Matching { inputs, observed: vec![], only: vec![] };
    observe(&mut all, old, new, !wanted.outputs.is_empty());
    if !wanted.outputs.is_empty() {
        let names: Vec<String> = all.observed.iter().map(|observed| observed.name(old, new)).collect();
        if let Some(name) = wanted.outputs.iter().find(|name| !names.contains(name)) {
            let nearest = crate::base::suggest::nearest(name, names.iter().map(String::as_str));
            let meant = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
            return Err(Mismatch::Output { name: name.clone(), meant });
        }
        all.observed.retain(|observed| wanted.outputs.contains(&observed.name(old, new)));
        all.only.clear();
    }
    if all.observed.is_empty() { Err(Mismatch::Nothing) } else { Ok(all) }
}

impl Observed {
    pub fn name(&self, old: &Program, new: &Program) -> String {
        match self {
            Observed::Printed => "printed".into(),
            Observed::Number { printing: Side::Old, variable, .. } => new.variable(*variable).name.clone(),
            Observed::Number { printing: Side::New, variable, .. } => old.variable(*variable).name.clone(),
            Observed::Variable { old: variable, .. } => old.variable(*variable).name.clone(),
            Observed::Table { old: table, .. } => old.table(*table).name.clone(),
            Observed::Property { old: property, .. } => old.property(*property).name.clone(),
            Observed::End => "end".into(),
        }
    }
}

/// The key of an input: its kind, and its name without a line of the source.
fn key(program: &Program, input: InputId) -> (u8, &str) {
    let name = program.input(input).name.as_str();
    let before = name.split_once('@').map_or(name, |(before, _)| before);
    match program.legend.as_ref().map(|legend| legend.role(input)) {
        None | Some(Role::Input(_)) => (0, name),
        Some(Role::Choice(_)) => (1, ""),
        Some(Role::Value(_)) => (2, before),
        Some(Role::Start(_)) => (3, name),
    }
}

fn inputs(old: &Program, new: &Program, common: bool) -> Result<Vec<Channel>, Mismatch> {
    let all = |program: &Program| (0..program.inputs.len()).map(InputId::new).collect::<Vec<_>>();
    let mut left = all(new);
    let mut pairs: Vec<(Option<InputId>, Option<InputId>)> = vec![];
    for input in all(old) {
        let place = left.iter().position(|&other| key(new, other) == key(old, input));
        pairs.push((Some(input), place.map(|place| left.remove(place))));
    }
    // If one visible input is left on either side, they are the same under another name.
    let is_visible = |program: &Program, input: InputId| key(program, input).0 == 0;
    let mut alone =
        pairs.iter_mut().filter(|(one, other)| other.is_none() && one.is_some_and(|one| is_visible(old, one)));
    let others: Vec<usize> = (0..left.len()).filter(|&place| is_visible(new, left[place])).collect();
    if let (Some(pair), None, [other]) = (alone.next(), alone.next(), others.as_slice()) {
        pair.1 = Some(left.remove(*other));
    }
    pairs.extend(left.into_iter().map(|input| (None, Some(input))));
    pairs.into_iter().map(|pair| channel(old, new, pair, common)).collect()
}

fn channel(
    old: &Program,
    new: &Program,
    pair: (Option<InputId>, Option<InputId>),
    common: bool,
) -> Result<Channel, Mismatch> {
    let single = |side: Side, program: &Program, input: InputId| {
        let name = program.input(input).name.clone();
        if !common {
            return Err(Mismatch::Input { side, name });
        }
        let (alphabet, is_choice) = (program.input(input).alphabet.clone(), key(program, input).0 > 0);
        Ok(Channel { name, old: pair.0, new: pair.1, alphabet, renaming: None, is_choice })
    };
    let (one, other) = match pair {
        (Some(one), Some(other)) => (one, other),
        (Some(one), None) => return single(Side::Old, old, one),
        (None, Some(other)) => return single(Side::New, new, other),
        (None, None) => unreachable!("an input is one of the old or of the new program"),
    };
    let (first, second) = (old.input(one), new.input(other));
    let name = first.name.clone();
    let written = [Written::input(old, one), Written::input(new, other)];
    let is_choice = key(old, one).0 > 0;
    let channel = |alphabet, renaming| Channel {
        name: name.clone(),
        old: Some(one),
        new: Some(other),
        alphabet,
        renaming,
        is_choice,
    };
    if let [Written::Words(_), Written::Words(_)] = written
        && let (Some(mine), Some(theirs)) = (first.alphabet.list(MOST_VALUES), second.alphabet.list(MOST_VALUES))
    {
        // A word that a program does not know is an invalid input to it.
        let pairs = all_words(&written, &mine, &theirs);
        let alphabet = Domain::List(pairs.iter().map(|pair| pair.0).collect());
        return Ok(channel(alphabet, Some(pairs).filter(|pairs| pairs.iter().any(|(a, b)| a != b))));
    }
    if first.alphabet == second.alphabet && Written::same(&written) {
        return Ok(channel(first.alphabet.clone(), None));
    }
    let lists = (first.alphabet.list(MOST_VALUES), second.alphabet.list(MOST_VALUES));
    let (Some(mine), Some(theirs)) = lists else { return Err(Mismatch::TooManyValues(name)) };
    let renaming = renaming(&written, &mine, &theirs);
    if !common {
        for (side, values, has) in [
            (Side::Old, &mine, renaming.iter().map(|pair| pair.0).collect::<Vec<_>>()),
            (Side::New, &theirs, renaming.iter().map(|pair| pair.1).collect()),
        ] {
            let written = side.of((&written[0], &written[1]));
            let lacking: Vec<String> =
                values.iter().filter(|value| !has.contains(value)).map(|&value| written.shown(value)).collect();
            if !lacking.is_empty() {
                return Err(Mismatch::Values { side, name, values: some_of(&lacking) });
            }
        }
    }
    if renaming.is_empty() {
        return Err(Mismatch::NoValues(name));
    }
    let alphabet = Domain::List(renaming.iter().map(|pair| pair.0).collect());
    Ok(channel(alphabet, Some(renaming).filter(|pairs| pairs.iter().any(|(a, b)| a != b))))
}

/// The words of both, each with a number in either; where it has none, one that stands for nothing there.
fn all_words(written: &[Written; 2], mine: &[i32], theirs: &[i32]) -> Renaming {
    let mut pairs = renaming(written, mine, theirs);
    let free = |written: &Written| match written {
        Written::Words(words) => words.last_key_value().map_or(0, |(&last, _)| last) + 1,
        _ => 0,
    };
    let (mut of_old, mut of_new) = (free(&written[0]).max(1_000), free(&written[1]).max(1_000));
    for &value in mine {
        if !pairs.iter().any(|pair| pair.0 == value) {
            pairs.push((value, of_new));
            of_new += 1;
        }
    }
    for &value in theirs {
        if !pairs.iter().any(|pair| pair.1 == value) {
            pairs.push((of_old, value));
            of_old += 1;
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The new program with the numbers of the old one for what both print. Words that only one prints are different anyway, if
/// no number stands for two.
pub fn with_outputs_of(old: &Program, new: &Program) -> Program {
    let mut aligned = new.clone();
    if old.words.outputs.is_empty() || new.words.outputs.is_empty() {
        return aligned;
    }
    let highest = |program: &Program| program.words.outputs.last_key_value().map_or(0, |(&last, _)| last);
    let mut free = highest(old).max(highest(new)) + 1;
    let mut numbers: BTreeMap<i32, i32> = BTreeMap::new();
    for (&number, word) in &new.words.outputs {
        let same = old.words.outputs.iter().find(|(_, other)| *other == word).map(|(&same, _)| same);
        numbers.insert(
            number,
            same.unwrap_or_else(|| {
                free += 1;
                free
            }),
        );
    }
    aligned.words.outputs = new.words.outputs.iter().map(|(number, word)| (numbers[number], word.clone())).collect();
    let Program { stmts, exprs, .. } = &mut aligned;
    for stmt in stmts {
        let StmtKind::Print { stream: Stream::Output, text } = &mut stmt.kind else { continue };
        for piece in text {
            if let Piece::Number(value) = piece
                && let Some(number) = exprs.as_int(*value).and_then(|number| numbers.get(&number))
            {
                *value = exprs.int(*number);
            }
        }
    }
    aligned
}

/// The first few of a list.
fn some_of(list: &[String]) -> String {
    const FEW: usize = 5;
    let more = if list.len() > FEW { ", ..." } else { "" };
    format!("{}{more}", list.iter().take(FEW).cloned().collect::<Vec<_>>().join(", "))
}

/// The notation of values.
enum Written<'p> {
    /// As numbers; in C, some of them stand for letters.
    Numbers,
    Names(&'p [String]),
    /// As words, by their numbers.
    Words(&'p BTreeMap<i32, String>),
}

impl<'p> Written<'p> {
    fn of(program: &'p Program, meaning: Option<Meaning>) -> Written<'p> {
        match (&program.legend, meaning) {
            (Some(legend), Some(Meaning::Name(enumeration))) => Written::Names(&legend.enumerations[enumeration]),
            _ => Written::Numbers,
        }
    }

    fn input(program: &'p Program, input: InputId) -> Written<'p> {
        if !program.words.is_empty() {
            return Written::Words(&program.words.inputs);
        }
        Written::of(program, program.legend.as_ref().map(|legend| legend.role(input).meaning()))
    }

    fn same(both: &[Written; 2]) -> bool {
        match both {
            [Written::Numbers, Written::Numbers] => true,
            [Written::Names(one), Written::Names(other)] => one == other,
            [Written::Words(one), Written::Words(other)] => one == other,
            _ => false,
        }
    }

    /// A value as it is matched with those of the other: by its name, if both have names, or are letters.
    fn name(&self, value: i32, other: &Written) -> String {
        match (self, other) {
            (Written::Numbers, Written::Names(_) | Written::Words(_)) => letter(value),
            (Written::Numbers, Written::Numbers) => value.to_string(),
            (Written::Names(_) | Written::Words(_), _) => self.shown(value),
        }
    }

    fn shown(&self, value: i32) -> String {
        let name = |names: &[String]| usize::try_from(value).ok().and_then(|index| names.get(index)).cloned();
        match self {
            Written::Numbers => value.to_string(),
            Written::Names(names) => name(names).unwrap_or_else(|| value.to_string()),
            Written::Words(words) => words.get(&value).cloned().unwrap_or_else(|| letter(value)),
        }
    }
}

/// Which values belong together.
fn renaming(written: &[Written; 2], old: &[i32], new: &[i32]) -> Renaming {
    let [one, other] = written;
    let names: Vec<(String, i32)> = new.iter().map(|&value| (other.name(value, one), value)).collect();
    let find = |value: i32| {
        let name = one.name(value, other);
        names.iter().find(|(known, _)| *known == name).map(|(_, found)| (value, *found))
    };
    old.iter().filter_map(|&value| find(value)).collect()
}

/// The renaming of an enumeration, if it is needed; all that has no name in the other one belongs to nothing.
fn renaming_of(written: &[Written; 2]) -> Option<Renaming> {
    match written {
        [Written::Names(one), Written::Names(other)] if one != other => {
            let numbers = |names: &[String]| (0..names.len() as i32).collect::<Vec<_>>();
            Some(renaming(written, &numbers(one), &numbers(other)))
        }
        _ => None,
    }
}

/// Everything that can be compared, and the names that only one side has.
fn observe(all: &mut Matching, old: &Program, new: &Program, is_named: bool) {
    let are_models = (old.language.is_model(), new.language.is_model());
    match are_models {
        (false, false) => all.observed.push(Observed::Printed),
        (false, true) => all.observed.extend(number(Side::Old, new)),
        (true, false) => all.observed.extend(number(Side::New, old)),
        (true, true) => {}
    }
    let taken: Vec<String> = all.observed.iter().map(|observed| observed.name(old, new)).collect();
    if are_models == (true, true) || is_named {
        variables(all, old, new, &taken);
        tables(all, old, new, &taken);
    }
    properties(all, old, new);
    all.observed.push(Observed::End);
}

/// The output of a C program against the variable that stands for it in a model.
fn number(printing: Side, model: &Program) -> Option<Observed> {
    let variable =
        globals(model).find(|&id| model.variable(id).name == OUTPUT && model.variable(id).ty == Type::Int)?;
    let written = Written::of(model, meaning(model, variable));
    let (renaming, nothing) = match written {
        Written::Numbers | Written::Words(_) => (None, 0),
        Written::Names(names) => {
            let value = |index: usize| index as i32;
            let letters = (1..=26)
                .filter_map(|number| Some((number, value(names.iter().position(|name| *name == letter(number))?))));
            let nothing = names.iter().position(|name| name.eq_ignore_ascii_case("none")).map_or(0, value);
            (Some(letters.collect()), nothing)
        }
    };
    Some(Observed::Number { printing, variable, renaming, nothing })
}

fn meaning(program: &Program, variable: VarId) -> Option<Meaning> {
    program.legend.as_ref().and_then(|legend| legend.variables[variable.index()])
}

/// The variables that keep their values, and that an author would look at.
fn globals(program: &Program) -> impl Iterator<Item = VarId> + '_ {
    let is_own = |id: VarId| program.legend.as_ref().is_none_or(|legend| legend.variables[id.index()].is_some());
    let all = (0..program.variables.len()).map(VarId::new);
    all.filter(move |&id| {
        let variable = program.variable(id);
        variable.scope == Scope::Global && variable.ty != Type::Pointer && is_own(id)
    })
}

fn variables(all: &mut Matching, old: &Program, new: &Program, taken: &[String]) {
    let is_free = |name: &String| !taken.contains(name);
    let named = |program: &Program, name: &str| globals(program).find(|&id| program.variable(id).name == name);
    for variable in globals(old).filter(|&id| is_free(&old.variable(id).name)) {
        let name = &old.variable(variable).name;
        let Some(other) = named(new, name) else {
            all.only.push((Side::Old, name.clone()));
            continue;
        };
        let written = [Written::of(old, meaning(old, variable)), Written::of(new, meaning(new, other))];
        all.observed.push(Observed::Variable { old: variable, new: other, renaming: renaming_of(&written) });
    }
    let lacking =
        globals(new).map(|id| &new.variable(id).name).filter(|name| is_free(name) && named(old, name).is_none());
    all.only.extend(lacking.map(|name| (Side::New, name.clone())));
}

/// The tables that are written, and that an author would look at.
fn written_tables(program: &Program) -> impl Iterator<Item = TableId> + '_ {
    let is_own = |id: TableId| program.legend.as_ref().is_none_or(|legend| legend.tables[id.index()].is_some());
    let all = (0..program.tables.len()).map(TableId::new);
    all.filter(move |&id| program.table(id).written && is_own(id))
}

fn tables(all: &mut Matching, old: &Program, new: &Program, taken: &[String]) {
    let meaning =
        |program: &Program, table: TableId| program.legend.as_ref().and_then(|legend| legend.tables[table.index()]);
    let named = |program: &Program, name: &str, cells: usize| {
        let all = (0..program.tables.len()).map(TableId::new);
        all.into_iter().find(|&id| program.table(id).name == name && program.table(id).cells.len() == cells)
    };
    for table in written_tables(old).filter(|&id| !taken.contains(&old.table(id).name)) {
        let (name, cells) = (&old.table(table).name, old.table(table).cells.len());
        let other = named(new, name, cells);
        let Some((other, cells)) = other.and_then(|other| Some((other, matched((old, table), (new, other))?))) else {
            all.only.push((Side::Old, name.clone()));
            continue;
        };
        let written = [Written::of(old, meaning(old, table)), Written::of(new, meaning(new, other))];
        all.observed.push(Observed::Table { old: table, new: other, cells, renaming: renaming_of(&written) });
    }
    let compared: Vec<TableId> = all
        .observed
        .iter()
        .filter_map(|observed| match observed {
            Observed::Table { new, .. } => Some(*new),
            _ => None,
        })
        .collect();
    let lacking = written_tables(new).filter(|id| !compared.contains(id)).map(|id| &new.table(id).name);
    all.only.extend(lacking.filter(|name| !taken.contains(name)).map(|name| (Side::New, name.clone())));
}

fn properties(all: &mut Matching, old: &Program, new: &Program) {
    let asked = |program: &Program| {
        let is_asked = |id: &PropertyId| program.property(*id).kind != PropertyKind::Lint;
        (0..program.properties.len()).map(PropertyId::new).filter(is_asked).collect::<Vec<_>>()
    };
    let find = |program: &Program, name: &str| asked(program).into_iter().find(|&id| program.property(id).name == name);
    for property in asked(old) {
        let name = &old.property(property).name;
        match find(new, name) {
            Some(other) => all.observed.push(Observed::Property { old: property, new: other }),
            None => all.only.push((Side::Old, name.clone())),
        }
    }
    let lacking = asked(new).into_iter().map(|id| &new.property(id).name).filter(|name| find(old, name).is_none());
    all.only.extend(lacking.map(|name| (Side::New, name.clone())));
}

impl Channel {
    /// The value that one of the programs gets, of the value of the channel.
    pub fn value(&self, side: Side, value: i32) -> i32 {
        match (&self.renaming, side) {
            (Some(pairs), Side::New) => pairs.iter().find(|pair| pair.0 == value).map_or(value, |pair| pair.1),
            _ => value,
        }
    }

    pub fn input(&self, side: Side) -> Option<InputId> {
        side.of((self.old, self.new))
    }
}

impl Matching {
    /// The inputs of one of the programs, of the values of all channels.
    pub fn inputs(&self, side: Side, values: &[i32]) -> Vec<i32> {
        let own = self.inputs.iter().zip(values);
        let mut own: Vec<(InputId, i32)> =
            own.filter_map(|(channel, &value)| Some((channel.input(side)?, channel.value(side, value)))).collect();
        own.sort_unstable_by_key(|(input, _)| *input);
        own.into_iter().map(|(_, value)| value).collect()
    }
}
