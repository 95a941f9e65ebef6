//! Why a text, or a part of it, is no program.

use redoubt_base::Interrupt;

use super::watch::Interrupted;
use super::{Diagnostic, Diagnostics};

#[derive(Clone, Debug)]
pub enum Refused {
    /// It has no meaning, for these reasons.
    Mistakes(Diagnostics),
    /// Reading was ended before it was done.
    Interrupted,
}

/// The meaning of a part of a text.
pub type Lowered<T = ()> = Result<T, Refused>;

pub fn refuse<T>(diagnostic: Diagnostic) -> Lowered<T> {
    Err(Refused::Mistakes(diagnostic.into()))
}

/// Both, or all that is wrong with either.
pub fn both<A, B>(a: Lowered<A>, b: Lowered<B>) -> Lowered<(A, B)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(Refused::Mistakes(mut mistakes)), Err(Refused::Mistakes(more))) => {
            mistakes.append(more);
            Err(Refused::Mistakes(mistakes))
        }
        (Err(Refused::Interrupted), _) | (_, Err(Refused::Interrupted)) => Err(Refused::Interrupted),
        (Err(mistakes), Ok(_)) | (Ok(_), Err(mistakes)) => Err(mistakes),
    }
}

/// Adds mistakes to those found so far, so that more can be found elsewhere; an interrupt ends the search.
pub fn note<T>(diagnostics: &mut Diagnostics, lowered: Lowered<T>) -> Lowered<Option<T>> {
    match lowered {
        Ok(value) => Ok(Some(value)),
        Err(Refused::Mistakes(mistakes)) => {
            diagnostics.append(mistakes);
            Ok(None)
        }
        Err(Refused::Interrupted) => Err(Refused::Interrupted),
    }
}

impl From<Interrupted> for Refused {
    fn from(_: Interrupted) -> Refused {
        Refused::Interrupted
    }
}

impl From<Diagnostics> for Refused {
    fn from(mistakes: Diagnostics) -> Refused {
        Refused::Mistakes(mistakes)
    }
}

/// Runs something with an interrupt that is never raised.
pub fn uninterrupted<T>(run: impl FnOnce(&Interrupt) -> Result<T, Refused>) -> Result<T, Diagnostics> {
    run(&Interrupt::default()).map_err(|refused| match refused {
        Refused::Mistakes(diagnostics) => diagnostics,
        Refused::Interrupted => unreachable!("nobody else has this interrupt"),
    })
}
