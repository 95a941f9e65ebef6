//! Which random programs a test looks at: the same ones in every run, so that a change that breaks something is the
//! one that is blamed. New ones come with the soak, or from the environment.

use std::ops::Range;
use std::str::FromStr;

/// Seeds of `few` programs. `REDOUBT_PROGRAMS` asks for another number, `REDOUBT_SEED` for another first one.
pub fn seeds(few: u64) -> Range<u64> {
    let first = number("REDOUBT_SEED").unwrap_or(0);
    first..first + programs(few)
}

/// The number of random programs to look at: `few`, unless `REDOUBT_PROGRAMS` sets another.
pub fn programs(few: u64) -> u64 {
    number("REDOUBT_PROGRAMS").unwrap_or(few)
}

/// The first seed of the soak: `REDOUBT_SEED`, or a new one every day.
pub fn of_the_day() -> u64 {
    let days = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |age| age.as_secs() / 86_400);
    number("REDOUBT_SEED").unwrap_or_else(|| days() * 1_000_000)
}

/// A number in the environment.
pub fn number<N: FromStr>(name: &str) -> Option<N> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, not a number")))
}
