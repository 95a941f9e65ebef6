//! The order of decisions: variables in a binary heap, the one most active in recent conflicts first.

use crate::cnf::Var;

const DECAY: f64 = 0.95;
const RESCALE_ABOVE: f64 = 1e100;
const ABSENT: u32 = u32::MAX;

pub struct Order {
    activity: Vec<f64>,
    increment: f64,
    heap: Vec<Var>,
    /// By variable: its place in the heap, or [`ABSENT`].
    place: Vec<u32>,
}

impl Default for Order {
    fn default() -> Self {
        Order { activity: Vec::new(), increment: 1.0, heap: Vec::new(), place: Vec::new() }
    }
}

impl Order {
    pub fn new_var(&mut self) {
        self.activity.push(0.0);
        self.place.push(ABSENT);
    }

    pub fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.place[var.index()] = ABSENT;
        }
    }

    pub fn insert(&mut self, var: Var) {
        if self.place[var.index()] == ABSENT {
            self.place[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
            self.rise(self.heap.len() - 1);
        }
    }

    pub fn pop(&mut self) -> Option<Var> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.place[first.index()] = ABSENT;
        if last != first {
            self.put(0, last);
            self.sink(0);
        }
        Some(first)
    }

    pub fn bump(&mut self, var: Var) {
        self.activity[var.index()] += self.increment;
        if self.activity[var.index()] > RESCALE_ABOVE {
            self.increment /= RESCALE_ABOVE;
            for activity in &mut self.activity {
                *activity /= RESCALE_ABOVE;
            }
        }
        let place = self.place[var.index()];
        if place != ABSENT {
            self.rise(place as usize);
        }
    }

    pub fn decay(&mut self) {
        self.increment /= DECAY;
    }

    fn put(&mut self, place: usize, var: Var) {
        self.heap[place] = var;
        self.place[var.index()] = place as u32;
    }

    fn rise(&mut self, mut place: usize) {
        let var = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.activity[self.heap[parent].index()] >= self.activity[var.index()] {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, var);
    }

    fn sink(&mut self, mut place: usize) {
        let var = self.heap[place];
        let activity = |heap: &[Var], at: usize| self.activity[heap[at].index()];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && activity(&self.heap, child + 1) > activity(&self.heap, child) {
                child += 1;
            }
            if activity(&self.heap, child) <= self.activity[var.index()] {
                break;
            }
            self.heap[place] = self.heap[child];
            self.place[self.heap[place].index()] = place as u32;
            place = child;
        }
        self.put(place, var);
    }
}
