//! Locations: cubes of a few latches, of which every state is in exactly one.

use crate::engine::StateLit;

/// A partition of a circuit's states by where a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Per location the literals that are true there.
    locations: Vec<Vec<StateLit>>,
}

impl Partition {
    /// One location, where every state is.
    pub fn trivial() -> Partition {
        Partition { locations: vec![vec![]] }
    }

    /// `None` if two of the cubes have a state in common, or some state is in none.
    pub fn new(locations: Vec<Vec<StateLit>>) -> Option<Partition> {
        let differ = |a: &[StateLit], b: &[StateLit]| a.iter().any(|&lit| b.contains(&!lit));
        let is_cube = |lits: &[StateLit]| !differ(lits, lits);
        let pairs = (0..locations.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let are_disjoint = pairs.into_iter().all(|(a, b)| differ(&locations[a], &locations[b]));
        // Cubes that are apart cover everything just if their shares add up to the whole.
        let share = |lits: &Vec<StateLit>| (-(lits.len() as f64)).exp2();
        let is_covered = locations.iter().map(share).sum::<f64>() == 1.0;
        let are_cubes = locations.iter().all(|lits| is_cube(lits) && lits.len() <= MOST_LITERALS);
        (are_cubes && are_disjoint && is_covered).then_some(Partition { locations })
    }

    pub fn len(&self) -> usize {
        self.locations.len()
    }

    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The literals that tell a location from the others.
    pub fn lits(&self, location: usize) -> &[StateLit] {
        &self.locations[location]
    }
}

/// Sums of shares with more literals would not be exact.
const MOST_LITERALS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_have_to_be_apart_and_cover_everything() {
        let cubes = |cubes: &[&[i32]]| {
            let lit = |&l: &i32| StateLit::new(l.unsigned_abs() as usize, l > 0);
            Partition::new(cubes.iter().map(|cube| cube.iter().map(lit).collect()).collect())
        };
        assert_eq!(cubes(&[&[]]), Some(Partition::trivial()));
        assert!(cubes(&[&[1], &[-1, 2], &[-1, -2]]).is_some());
        assert!(cubes(&[&[1], &[-1, 2]]).is_none());
        assert!(cubes(&[&[1], &[2], &[-1, -2]]).is_none());
        assert!(cubes(&[&[1, -1], &[]]).is_none());
        assert!(cubes(&[]).is_none());
    }
}
