//! Formulas of branching time (CTL; Clarke and Emerson 1981), over atoms of any kind: numbers of propositions in a program, names
//! in a text, signals of a circuit.

use std::fmt;

use redoubt_base::stack::grow;

/// A formula about the positions of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branching<A> {
    Constant(bool),
    Atom(A),
    Not(Box<Branching<A>>),
    And(Box<Branching<A>>, Box<Branching<A>>),
    Or(Box<Branching<A>>, Box<Branching<A>>),
    /// On some run.
    Exists(Path<A>),
    /// On all runs.
    All(Path<A>),
}

/// A property of a run from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path<A> {
    Next(Box<Branching<A>>),
    Finally(Box<Branching<A>>),
    Globally(Box<Branching<A>>),
    Until(Box<Branching<A>>, Box<Branching<A>>),
}

impl<A> Branching<A> {
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Branching::Not(inner) => *inner,
            other => Branching::Not(Box::new(other)),
        }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Branching::And(Box::new(self), Box::new(other))
    }

    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Branching::Or(Box::new(self), Box::new(other))
    }

    /// "It can always be reset": wherever a run is, one can go on to such a position.
    #[must_use]
    pub fn resettable(target: Self) -> Self {
        let can = Branching::Exists(Path::Finally(Box::new(target)));
        Branching::All(Path::Globally(Box::new(can)))
    }

    /// Whether it says that, of something about one moment.
    pub fn is_resettable(&self) -> bool {
        let Branching::All(Path::Globally(inner)) = self else { return false };
        matches!(inner.as_ref(), Branching::Exists(Path::Finally(target)) if target.is_momentary())
    }

    /// Whether it is about one moment.
    fn is_momentary(&self) -> bool {
        grow(|| match self {
            Branching::Constant(_) | Branching::Atom(_) => true,
            Branching::Not(inner) => inner.is_momentary(),
            Branching::And(a, b) | Branching::Or(a, b) => a.is_momentary() && b.is_momentary(),
            Branching::Exists(_) | Branching::All(_) => false,
        })
    }

    /// The atoms, in the order in which they are met.
    pub fn atoms(&self) -> Vec<&A> {
        let mut atoms = vec![];
        self.collect(&mut atoms);
        atoms
    }

    fn collect<'f>(&'f self, into: &mut Vec<&'f A>) {
        grow(|| match self {
            Branching::Constant(_) => {}
            Branching::Atom(atom) => into.push(atom),
            Branching::Not(inner) => inner.collect(into),
            Branching::And(a, b) | Branching::Or(a, b) => [a, b].iter().for_each(|part| part.collect(into)),
            Branching::Exists(path) | Branching::All(path) => {
                path.operands().into_iter().for_each(|part| part.collect(into));
            }
        });
    }

    /// The same formula about something else; the first atom of which nothing is known is the error.
    pub fn try_map<B, E>(&self, atom: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<Branching<B>, E> {
        grow(|| {
            Ok(match self {
                Branching::Constant(value) => Branching::Constant(*value),
                Branching::Atom(of) => Branching::Atom(atom(of)?),
                Branching::Not(inner) => Branching::Not(Box::new(inner.try_map(atom)?)),
                Branching::And(a, b) => Branching::And(Box::new(a.try_map(atom)?), Box::new(b.try_map(atom)?)),
                Branching::Or(a, b) => Branching::Or(Box::new(a.try_map(atom)?), Box::new(b.try_map(atom)?)),
                Branching::Exists(path) => Branching::Exists(path.try_map(atom)?),
                Branching::All(path) => Branching::All(path.try_map(atom)?),
            })
        })
    }

    #[must_use]
    pub fn map<B>(&self, mut atom: impl FnMut(&A) -> B) -> Branching<B> {
        let mapped = self.try_map(&mut |of| Ok::<B, std::convert::Infallible>(atom(of)));
        let Ok(mapped) = mapped;
        mapped
    }
}

impl<A> Path<A> {
    pub fn operands(&self) -> Vec<&Branching<A>> {
        match self {
            Path::Next(inner) | Path::Finally(inner) | Path::Globally(inner) => vec![inner],
            Path::Until(a, b) => vec![a, b],
        }
    }

    fn try_map<B, E>(&self, atom: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<Path<B>, E> {
        Ok(match self {
            Path::Next(inner) => Path::Next(Box::new(inner.try_map(atom)?)),
            Path::Finally(inner) => Path::Finally(Box::new(inner.try_map(atom)?)),
            Path::Globally(inner) => Path::Globally(Box::new(inner.try_map(atom)?)),
            Path::Until(a, b) => Path::Until(Box::new(a.try_map(atom)?), Box::new(b.try_map(atom)?)),
        })
    }
}

/// As `parse` reads it, with brackets around everything that consists of two parts.
impl<A: fmt::Display> fmt::Display for Branching<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grow(|| match self {
            Branching::Constant(value) => write!(f, "{value}"),
            Branching::Atom(atom) => write!(f, "{atom}"),
            Branching::Not(inner) => write!(f, "!{inner}"),
            Branching::And(a, b) => write!(f, "({a} & {b})"),
            Branching::Or(a, b) => write!(f, "({a} | {b})"),
            Branching::Exists(path) => write_path('E', path, f),
            Branching::All(path) => write_path('A', path, f),
        })
    }
}

fn write_path<A: fmt::Display>(quantifier: char, path: &Path<A>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match path {
        Path::Next(inner) => write!(f, "{quantifier}X {inner}"),
        Path::Finally(inner) => write!(f, "{quantifier}F {inner}"),
        Path::Globally(inner) => write!(f, "{quantifier}G {inner}"),
        Path::Until(a, b) => write!(f, "{quantifier}[{a} U {b}]"),
    }
}
