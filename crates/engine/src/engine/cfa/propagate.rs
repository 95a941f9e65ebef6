//! Lemmas move along edges to higher frames, and out of time altogether.

use super::{Cfa, Technique};
use crate::cnf::Lit;
use crate::engine::ic3::frames::Level;
use crate::engine::ic3::promote::{holds_now, is_violated, violated_next};
use crate::engine::ic3::propagate::sort_short_first;
use crate::engine::ic3::properties::Strengthen;
use crate::engine::ic3::solvers::Induction;
use crate::engine::{Cube, Interrupted, satisfiable};

/// Circuits with more latches are not checked while they are worked on.
const SMALL: usize = 16;

impl Cfa<'_> {
    /// Adds a lemma that holds at a level, at the highest one to which it can be pushed right away. Returns that level.
    pub(super) fn learn(&mut self, mut cube: Cube, location: usize, level: usize) -> Result<usize, Interrupted> {
        let mut highest = level;
        while highest < self.top() {
            match self.pushed(&cube, location, highest, true)? {
                Some(core) => cube = core,
                None => break,
            }
            highest += 1;
        }
        self.statistics.lemmas += 1;
        self.statistics.lemma_literals += cube.len() as u64;
        self.add_lemma(cube, location, 1, Level::Finite(highest));
        Ok(highest)
    }

    /// If a lemma of a frame also holds in the next, the cube that it blocks there. A new lemma is not in its frame
    /// yet.
    fn pushed(
        &mut self,
        cube: &Cube,
        location: usize,
        level: usize,
        is_new: bool,
    ) -> Result<Option<Cube>, Interrupted> {
        let mut core = vec![];
        let edges: Vec<usize> = self.entering(location, Level::Finite(level)).collect();
        for edge in edges {
            let outside = is_new && self.automaton.edges[edge].is_loop();
            match self.ways[edge].solvers.induction(Level::Finite(level), cube.lits(), outside)? {
                Induction::Fails => return Ok(None),
                Induction::Holds(some) => core.extend(some),
            }
        }
        self.repair_initiation(&mut core, cube.lits(), location);
        Ok(Some(Cube::new(core)))
    }

    /// Adds a lemma to frames and solvers; below `from` the solvers have it already.
    fn add_lemma(&mut self, cube: Cube, location: usize, from: usize, level: Level) {
        for &edge in &self.automaton.leaving[location] {
            self.ways[edge].solvers.add_lemma(&cube, from, level);
        }
        let place = &mut self.places[location];
        if cube.is_empty() {
            place.empty_up_to = place.empty_up_to.max(Some(level));
        }
        if level == Level::Infinite {
            self.infinite_version += 1;
        }
        place.frames.insert(cube.clone(), from, level);
        if cfg!(debug_assertions) && self.automaton.latches.len() <= SMALL {
            self.assert_lemma(&cube, location, level);
        }
    }

    /// Initiation and consecution of a lemma. Those of the infinite frame are closed only once all of them are there.
    fn assert_lemma(&mut self, cube: &Cube, location: usize, level: Level) {
        assert!(!self.intersects_initial(cube, location), "initiation: {cube:?} at {location} in {level:?}");
        let Level::Finite(level) = level else { return };
        let edges: Vec<usize> = self.entering(location, Level::Finite(level - 1)).collect();
        for edge in edges {
            let answer = self.ways[edge].solvers.induction(Level::Finite(level - 1), cube.lits(), false);
            assert!(!matches!(answer, Ok(Induction::Fails)), "consecution: {cube:?} at {location} in {level}");
        }
    }

    pub(super) fn propagate_all(&mut self) -> Result<(), Interrupted> {
        let locations = self.places.len();
        // Frames that are empty because of a distance have no lemma that says so.
        let all_in_reach = self.automaton.distance.iter().flatten().max().copied().unwrap_or(0).max(1);
        for level in 1..self.top() {
            if self.techniques.has(Technique::Pushing) {
                for location in 0..locations {
                    self.push_lemmas(location, level)?;
                }
            }
            if level >= all_in_reach && self.places.iter().all(|place| place.frames.delta(level).len() == 0) {
                self.promote_above(level);
                break;
            }
        }
        Ok(())
    }

    fn push_lemmas(&mut self, location: usize, level: usize) -> Result<(), Interrupted> {
        let version = self.version_before(location, level);
        let mut lemmas = self.places[location].frames.pushable(level, version);
        sort_short_first(&mut lemmas);
        for cube in lemmas {
            if !self.places[location].frames.delta(level).any(|lemma| *lemma == cube) {
                continue; // a pushed lemma subsumed it
            }
            match self.pushed(&cube, location, level, false)? {
                None => {
                    let version = self.version_before(location, level);
                    self.places[location].frames.mark_stuck(&cube, level, version);
                }
                Some(core) => {
                    // A shorter clause is news to the frames below, too.
                    let from = if core == cube { level + 1 } else { 1 };
                    self.add_lemma(core, location, from, Level::Finite(level + 1));
                }
            }
        }
        Ok(())
    }

    /// How often the frames before a location have become stronger.
    fn version_before(&self, location: usize, level: usize) -> u64 {
        let edges = self.automaton.entering[location].iter();
        edges.map(|&edge| self.places[self.automaton.edges[edge].from].frames.version(level)).sum()
    }

    /// The frames of this level and the next are equal everywhere: their lemmas are inductive.
    fn promote_above(&mut self, level: usize) {
        for location in 0..self.places.len() {
            for above in level + 1..=self.top() {
                let lemmas: Vec<Cube> = self.places[location].frames.delta(above).cloned().collect();
                for cube in lemmas {
                    self.add_lemma(cube, location, above + 1, Level::Infinite);
                }
            }
        }
        // An unreachable property may need no lemma at all.
        self.infinite_version += 1;
    }

    /// The greatest subset of the lemmas at the top that is inductive, location by location and edge by edge.
    pub(super) fn promote_subset(&mut self) -> Result<(), Interrupted> {
        let top = self.top();
        let mut candidates: Vec<(usize, Cube)> = vec![];
        for (location, place) in self.places.iter().enumerate() {
            if !self.is_empty(location, Level::Infinite) {
                candidates.extend(place.frames.delta(top).map(|cube| (location, cube.clone())));
            }
        }
        let mut is_left = vec![true; candidates.len()];
        let mut guards: Vec<(usize, Lit)> = vec![];
        let result = self.drop_violated(&candidates, &mut is_left, &mut guards);
        for (edge, guard) in guards {
            self.ways[edge].solvers.infinite_mut().add_clause(&[!guard]);
        }
        result?;
        for ((location, cube), _) in candidates.into_iter().zip(is_left).filter(|(_, is_left)| *is_left) {
            self.add_lemma(cube, location, top + 1, Level::Infinite);
        }
        Ok(())
    }

    fn drop_violated(
        &mut self,
        candidates: &[(usize, Cube)],
        is_left: &mut [bool],
        guards: &mut Vec<(usize, Lit)>,
    ) -> Result<(), Interrupted> {
        let edges = self.automaton.edges.iter().enumerate();
        let asked: Vec<usize> = edges
            .filter(|(_, edge)| edge.to.is_some() && !self.is_empty(edge.from, Level::Infinite))
            .map(|(index, _)| index)
            .collect();
        // By edge: per candidate, that it holds before the step, and that it is violated after it, where that is its business.
        type Sides = [Vec<Option<Lit>>; 2];
        let mut literals: Vec<(usize, Sides)> = vec![];
        for &index in &asked {
            let edge = &self.automaton.edges[index];
            let solver = self.ways[index].solvers.infinite_mut();
            let (mut holds, mut violated) = (vec![], vec![]);
            for (location, cube) in candidates {
                let now = (*location == edge.from).then(|| holds_now(&edge.transition, solver, cube));
                let then = (Some(*location) == edge.to).then(|| violated_next(&edge.transition, solver, cube));
                guards.extend(now.into_iter().chain(then).map(|lit| (index, lit)));
                holds.push(now);
                violated.push(then);
            }
            literals.push((index, [holds, violated]));
        }
        // An edge is asked again when the frame that it starts from has become weaker.
        let mut waiting: Vec<bool> = vec![true; literals.len()];
        while let Some(position) = waiting.iter().position(|&is_waiting| is_waiting) {
            let (index, [holds, violated]) = &literals[position];
            let left = |list: &[Option<Lit>], is_left: &[bool]| -> Vec<Lit> {
                list.iter().zip(is_left).filter(|(_, is_left)| **is_left).filter_map(|(lit, _)| *lit).collect()
            };
            let (assumptions, some) = (left(holds, is_left), left(violated, is_left));
            let solver = self.ways[*index].solvers.infinite_mut();
            if some.is_empty() || !satisfiable(solver.solve_with(&assumptions, Some(&some)))? {
                waiting[position] = false;
                continue;
            }
            let edge = &self.automaton.edges[*index];
            for (number, (location, cube)) in candidates.iter().enumerate() {
                if is_left[number] && Some(*location) == edge.to && is_violated(&edge.transition, solver, cube) {
                    is_left[number] = false;
                }
            }
            for (other, is_waiting) in literals.iter().zip(&mut waiting) {
                *is_waiting |= Some(self.automaton.edges[other.0].from) == edge.to;
            }
        }
        Ok(())
    }
}
