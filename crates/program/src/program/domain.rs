//! The values that an input may take or a variable may hold: a list, or a range that is never written out.

use std::fmt;

use redoubt_base::Random;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Ascending, each value once.
    List(Vec<i32>),
    /// Both ends included; the first is not above the second.
    Range(i32, i32),
}

impl Domain {
    pub const ANY: Domain = Domain::Range(i32::MIN, i32::MAX);
    pub const TRUTH: Domain = Domain::Range(0, 1);

    /// The number of values.
    pub fn size(&self) -> u64 {
        match self {
            Domain::List(list) => list.len() as u64,
            Domain::Range(low, high) => (i64::from(*high) - i64::from(*low) + 1) as u64,
        }
    }

    pub fn contains(&self, value: i32) -> bool {
        match self {
            Domain::List(list) => list.binary_search(&value).is_ok(),
            Domain::Range(low, high) => (*low..=*high).contains(&value),
        }
    }

    /// The value at a position below [`Domain::size`], ascending.
    pub fn nth(&self, position: u64) -> i32 {
        match self {
            Domain::List(list) => list[position as usize],
            Domain::Range(low, _) => (i64::from(*low) + position as i64) as i32,
        }
    }

    /// All values, ascending. Callers make sure that they are few.
    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.size()).map(|position| self.nth(position))
    }

    /// A random value; the domain is not empty.
    pub fn sample(&self, random: &mut Random) -> i32 {
        self.nth(random.bits() % self.size())
    }

    /// The values as a list, if there are at most `most`.
    pub fn list(&self, most: usize) -> Option<Vec<i32>> {
        (self.size() <= most as u64).then(|| self.iter().collect())
    }
}

/// `{1, 2, 5}` or `{0..7}`.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::List(list) => {
                let letters: Vec<String> = list.iter().map(i32::to_string).collect();
                write!(f, "{{{}}}", letters.join(", "))
            }
            Domain::Range(low, high) => write!(f, "{{{low}..{high}}}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_counted_without_being_listed() {
        assert_eq!(Domain::ANY.size(), 1 << 32);
        assert_eq!((Domain::ANY.nth(0), Domain::ANY.nth((1 << 32) - 1)), (i32::MIN, i32::MAX));
        assert_eq!(Domain::ANY.list(64), None);
        assert_eq!(Domain::Range(-2, 1).iter().collect::<Vec<_>>(), [-2, -1, 0, 1]);
        assert_eq!(Domain::List(vec![1, 5]).to_string(), "{1, 5}");
        assert!(Domain::Range(-2, 1).contains(-2) && !Domain::Range(-2, 1).contains(2));
    }
}
