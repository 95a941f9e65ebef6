//! The claims of a certificate beside its boxes: facts, clauses and equalities, each looked at where a step assigns one
//! of its variables.

use redoubt_program::program::Place;

use super::Executor;
use super::conditions::{Condition, ConditionId, Conditions};
use super::path::VersionId;
use super::propagate::Truth;
use super::sources::{SourceId, Sources};
use crate::{Certificate, Fact, Literal, NumberSet};

#[derive(Default)]
pub struct Claims {
    pub clauses: Vec<ConditionId>,
    equal: Vec<(SourceId, SourceId)>,
    /// Per variable: the clauses and equalities that it is in.
    clauses_of: Vec<Vec<usize>>,
    equal_of: Vec<Vec<usize>>,
}

/// The claims that are still to be shown.
pub enum Left {
    Nothing,
    /// To tell apart whether a version is within some numbers.
    Apart(VersionId, NumberSet),
    /// To show that the part does not exist.
    Exclude,
}

impl Claims {
    /// `None` if a claim is in a form that is not followed.
    pub fn new(certificate: &Certificate, sources: &Sources, conditions: &mut Conditions) -> Option<Claims> {
        let variables = sources.variables().count();
        let mut claims =
            Claims { clauses_of: vec![vec![]; variables], equal_of: vec![vec![]; variables], ..Claims::default() };
        for clause in &certificate.clauses {
            let mut literals = vec![];
            for literal in clause {
                let Literal::In(Place::Variable(variable), numbers) = literal else { return None };
                let source = Sources::of_variable(*variable);
                let no = NumberSet::all().outside(numbers);
                // The gaps in a strided set are not told apart from its numbers.
                let no = if numbers.is_without_steps() { no } else { NumberSet::all() };
                literals.push(conditions.add(Condition::Member { source, yes: numbers.clone(), no }));
                claims.clauses_of[source.index()].push(claims.clauses.len());
            }
            claims.clauses.push(match literals[..] {
                [single] => single,
                _ => conditions.add(Condition::Any(literals.into())),
            });
        }
        for fact in &certificate.facts {
            if let Fact::Equal(a, b) = fact {
                let (Place::Variable(a), Place::Variable(b)) = (*a, *b) else { return None };
                let pair = (Sources::of_variable(a), Sources::of_variable(b));
                claims.equal_of[a.index()].push(claims.equal.len());
                claims.equal_of[b.index()].push(claims.equal.len());
                claims.equal.push(pair);
            }
        }
        Some(claims)
    }
}

impl Executor<'_, '_> {
    /// The facts, clauses and equalities that are still to be shown at the end of a path.
    pub fn left_of_claims(&self) -> Left {
        for &source in self.path.assigned() {
            let fact = self.sources.fact(source).map(|fact| self.left_of_set(self.path.current(source), fact));
            let clauses = self.claims.clauses_of[source.index()].iter();
            let clauses = clauses.map(|&clause| self.left_of_clause(self.claims.clauses[clause]));
            let equal = self.claims.equal_of[source.index()].iter();
            let equal = equal.map(|&pair| self.left_of_equality(self.claims.equal[pair]));
            let mut all = fact.into_iter().chain(clauses).chain(equal);
            if let Some(left) = all.find(|left| !matches!(left, Left::Nothing)) {
                return left;
            }
        }
        Left::Nothing
    }

    /// The rest of a proof that a version is within some numbers.
    pub fn left_of_set(&self, version: VersionId, numbers: &NumberSet) -> Left {
        let values = self.path.values(version);
        if values.is_subset(numbers) {
            Left::Nothing
        } else if values.meets(numbers) {
            Left::Apart(version, numbers.clone())
        } else {
            Left::Exclude
        }
    }

    fn left_of_clause(&self, clause: ConditionId) -> Left {
        match self.truth(clause, self.path.now()) {
            Truth::Yes => Left::Nothing,
            Truth::No => Left::Exclude,
            Truth::Open => self.left_of_literals(clause),
        }
    }

    /// A literal that may hold is told from the rest.
    fn left_of_literals(&self, clause: ConditionId) -> Left {
        let now = self.path.now();
        match &**self.conditions.get(clause) {
            Condition::Member { source, yes, .. } => self.left_of_set(self.path.current(*source), yes),
            Condition::Any(literals) => {
                let open = literals.iter().find(|&&literal| self.truth(literal, now) == Truth::Open);
                open.map_or(Left::Exclude, |&literal| self.left_of_literals(literal))
            }
            _ => Left::Exclude,
        }
    }

    fn left_of_equality(&self, (a, b): (SourceId, SourceId)) -> Left {
        let [one, other] = [a, b].map(|source| self.path.current(source));
        if one == other {
            return Left::Nothing;
        }
        let [numbers, others] = [one, other].map(|version| self.path.values(version));
        match (numbers.single(), others.single()) {
            (Some(number), Some(other)) if number == other => Left::Nothing,
            _ if !numbers.meets(others) => Left::Exclude,
            _ if numbers.count() >= others.count() => Left::Apart(one, self.sources.halves(a, numbers)[0].clone()),
            _ => Left::Apart(other, self.sources.halves(b, others)[0].clone()),
        }
    }
}
