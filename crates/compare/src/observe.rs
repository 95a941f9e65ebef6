//! A run of two programs to its visible part, side by side: each is run by itself, by the simulator, and nothing of the
//! product is used. Only differences that this sees are reported.

use super::matching::{Matching, Observed, Renaming, Side};
use crate::expr::{TableId, VarId};
use crate::program::{Program, PropertyId};
use crate::simulate::{End, Simulator, Step};

/// Something that could be seen after a step, as both have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub name: String,
    pub old: String,
    pub new: String,
    pub differs: bool,
}

/// A step of both, or the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The values of the channels; none at the start.
    pub inputs: Vec<i32>,
    /// Everything that is compared, in order.
    pub seen: Vec<Seen>,
}

impl Scene {
    pub fn differs(&self) -> bool {
        self.seen.iter().any(|seen| seen.differs)
    }
}

/// A program that is watched.
struct Watched<'p> {
    program: &'p Program,
    side: Side,
    simulator: Simulator<'p>,
    step: Step,
}

impl<'p> Watched<'p> {
    fn new(program: &'p Program, side: Side) -> Watched<'p> {
        let simulator = Simulator::new(program);
        let step = simulator.opening().clone();
        Watched { program, side, simulator, step }
    }

    /// Whether its first step does nothing but choose where it starts.
    fn is_open(&self) -> bool {
        self.program.chooses_start()
    }

    fn step(&mut self, matching: &Matching, values: &[i32]) {
        self.step = self.simulator.step(&matching.inputs(self.side, values));
    }

    fn is_over(&self) -> bool {
        self.step.end.is_some()
    }

    fn end(&self) -> String {
        match self.step.end {
            None => "goes on".into(),
            Some(End::Error(property, _)) => format!("ends: {}", self.program.property(property).name),
            Some(End::Halt(code)) => format!("ends: exit code {code}"),
            Some(End::Blocked(_)) => "not possible: an assumption fails".into(),
        }
    }

    fn value(&self, variable: VarId) -> i32 {
        self.simulator.state().variables[variable.index()]
    }

    fn written(&self, variable: VarId, value: i32) -> String {
        let meaning =
            self.program.legend.as_ref().and_then(|legend| Some((legend, legend.variables[variable.index()]?)));
        meaning.map_or_else(|| value.to_string(), |(legend, meaning)| legend.value(meaning, value))
    }

    fn cells(&self, table: TableId) -> String {
        let meaning = self.program.legend.as_ref().and_then(|legend| Some((legend, legend.tables[table.index()]?)));
        let written =
            |value: i32| meaning.map_or_else(|| value.to_string(), |(legend, meaning)| legend.value(meaning, value));
        let cells: Vec<String> = self.simulator.cells(table).iter().map(|&value| written(value)).collect();
        format!("[{}]", cells.join(", "))
    }

    fn reaches(&self, property: PropertyId) -> bool {
        self.step.reaches(property)
    }

    /// The number printed in this step: none, the only one, or too many to say.
    fn number(&self) -> Result<Option<i32>, ()> {
        let mut words = self.step.output.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => Ok(None),
            (Some(word), None) => word.parse().map(Some).map_err(|_| ()),
            _ => Err(()),
        }
    }
}

/// The run on these values of the channels, up to the first step in which the two differ or one of them ends.
pub fn replay(old: &Program, new: &Program, matching: &Matching, run: &[Vec<i32>]) -> Vec<Scene> {
    let mut both = [Watched::new(old, Side::Old), Watched::new(new, Side::New)];
    let mut scenes = vec![];
    let mut rest = run;
    // Where one takes a step to choose its start, the start of both is the state after it.
    let mut inputs = vec![];
    if both[0].is_open() != both[1].is_open()
        && let Some((first, others)) = run.split_first()
    {
        let open = usize::from(both[1].is_open());
        if !both[open].is_over() {
            both[open].step(matching, first);
        }
        (rest, inputs) = (others, first.clone());
    }
    loop {
        let scene = Scene { inputs, seen: seen(&both, matching) };
        let is_over = scene.differs() || both.iter().any(Watched::is_over);
        scenes.push(scene);
        match rest.split_first() {
            Some((values, others)) if !is_over => {
                both.iter_mut().for_each(|one| one.step(matching, values));
                (rest, inputs) = (others, values.clone());
            }
            _ => return scenes,
        }
    }
}

fn seen(both: &[Watched; 2], matching: &Matching) -> Vec<Seen> {
    let is_possible = |one: &Watched| !matches!(one.step.end, Some(End::Blocked(_)));
    if !both.iter().any(is_possible) {
        // There is no such step.
        return vec![];
    }
    matching.observed.iter().map(|observed| see(both, observed)).collect()
}

fn see(both: &[Watched; 2], observed: &Observed) -> Seen {
    let [one, other] = both;
    let name = observed.name(one.program, other.program);
    let go_on = !one.is_over() && !other.is_over();
    let compared = |old: String, new: String| Seen { name: name.clone(), differs: old != new, old, new };
    match observed {
        Observed::Printed => {
            let printed = |side: &Watched| side.program.words.printed(&side.step.output);
            compared(printed(one), printed(other))
        }
        Observed::End => compared(one.end(), other.end()),
        Observed::Property { old, new } => {
            let word = |reached: bool| if reached { "reached" } else { "" };
            compared(word(one.reaches(*old)).into(), word(other.reaches(*new)).into())
        }
        Observed::Variable { old, new, renaming } => {
            let values = (one.value(*old), other.value(*new));
            let differs = go_on && renamed(renaming.as_ref(), values.0) != Some(values.1);
            Seen { name, old: one.written(*old, values.0), new: other.written(*new, values.1), differs }
        }
        Observed::Table { old, new, cells, renaming } => {
            let pairs = one.simulator.cells(*old).iter().zip(cells);
            let new_cells = other.simulator.cells(*new);
            let is_unlike =
                |(&value, &cell): (&i32, &usize)| renamed(renaming.as_ref(), value) != new_cells.get(cell).copied();
            let differs = pairs.into_iter().any(is_unlike);
            Seen { name, old: one.cells(*old), new: other.cells(*new), differs: differs && go_on }
        }
        Observed::Number { printing, variable, renaming, nothing } => {
            let (prints, has) = printing.of(((one, other), (other, one)));
            let value = has.value(*variable);
            let is_same = match prints.number() {
                Ok(None) => Some(*nothing) == Some(value),
                Ok(Some(number)) => renamed(renaming.as_ref(), number) == Some(value),
                // There is no way to compare these.
                Err(()) => true,
            };
            let (printed, written) = (prints.step.output.trim_end().to_string(), has.written(*variable, value));
            let (old, new) = printing.of(((printed.clone(), written.clone()), (written, printed)));
            Seen { name, old, new, differs: go_on && !is_same }
        }
    }
}

fn renamed(renaming: Option<&Renaming>, value: i32) -> Option<i32> {
    match renaming {
        None => Some(value),
        Some(pairs) => pairs.iter().find(|pair| pair.0 == value).map(|pair| pair.1),
    }
}
