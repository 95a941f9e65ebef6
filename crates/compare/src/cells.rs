//! Which cells of two arrays belong together: those with the same indices, by their names if these are values of enumerations.

use crate::expr::TableId;
use crate::program::Program;
use crate::program::legend::Meaning;

/// For each cell of the old array the one of the new array; `None` if an index has no name in the new one. The arrays have as many
/// cells each.
pub fn matched(old: (&Program, TableId), new: (&Program, TableId)) -> Option<Vec<usize>> {
    let count = old.0.table(old.1).cells.len();
    let (one, other) = (dimensions(old), dimensions(new));
    let sizes = |dimensions: &[Dimension]| dimensions.iter().map(|dimension| dimension.size).collect::<Vec<_>>();
    if sizes(&one) != sizes(&other) {
        return Some((0..count).collect());
    }
    let indices: Vec<Vec<usize>> =
        one.iter().zip(&other).map(|(one, other)| one.indices_in(other)).collect::<Option<_>>()?;
    let place = |cell: usize| {
        // The last index counts the cells one by one.
        let step = |(rest, place, stride): (usize, usize, usize), indices: &Vec<usize>| {
            let size = indices.len().max(1);
            (rest / size, place + stride * indices.get(rest % size).copied().unwrap_or(0), stride * size)
        };
        let (rest, place, stride) = indices.iter().rev().fold((cell, 0, 1), step);
        place + stride * rest
    };
    Some((0..count).map(place).collect())
}

/// The indices of an array at one level.
struct Dimension<'p> {
    size: usize,
    /// If they are those of an enumeration.
    names: Option<&'p [String]>,
}

impl Dimension<'_> {
    /// Where its indices are in another one of the same size.
    fn indices_in(&self, other: &Dimension) -> Option<Vec<usize>> {
        match (self.names, other.names) {
            (Some(names), Some(others)) => {
                names.iter().map(|name| others.iter().position(|known| known == name)).collect()
            }
            _ => Some((0..self.size).collect()),
        }
    }
}

fn dimensions((program, table): (&Program, TableId)) -> Vec<Dimension<'_>> {
    let Some(legend) = &program.legend else { return vec![] };
    let Some(dimensions) = legend.dimensions.get(table.index()) else { return vec![] };
    let of = |&(meaning, size): &(Meaning, usize)| {
        let names = match meaning {
            Meaning::Name(enumeration) => legend.enumerations.get(enumeration).map(Vec::as_slice),
            Meaning::Number | Meaning::Time | Meaning::Truth => None,
        };
        Dimension { size, names: names.filter(|names| names.len() == size) }
    };
    dimensions.iter().map(of).collect()
}
