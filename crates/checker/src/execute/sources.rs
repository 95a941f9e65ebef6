//! The sources of a step: the variables and inputs of a program, with the claims of the certificate about each.

use std::collections::BTreeSet;
use std::rc::Rc;

use redoubt_base::id;
use redoubt_program::expr::{Expr, ExprId, InputId, Type, VarId};
use redoubt_program::program::{Place, Program};

use crate::columns::{cut_at_comparisons, cut_at_ends};
use crate::interval::Source;
use crate::{Certificate, Fact, NumberSet};

id!(/// A variable or an input: the variables come first.
    SourceId);

pub struct Sources {
    list: Vec<OneSource>,
    variables: usize,
}

struct OneSource {
    /// Its possible numbers when a step begins: those of its type, within its fact or alphabet.
    known: Rc<NumberSet>,
    /// Whether a fact is about it.
    has_fact: bool,
    /// Where it helps to tell its numbers apart, ascending.
    cuts: Vec<i32>,
    /// The first source that is the same when a step begins.
    same: SourceId,
}

impl Sources {
    /// `None` if two facts are about one variable, or one allows numbers that the type of its variable does not have.
    pub fn new(program: &Program, certificate: &Certificate) -> Option<Sources> {
        let of_type = program.variables.iter().map(|variable| of_type(program, variable.ty));
        let of_input = program.inputs.iter().map(|input| NumberSet::of_domain(&input.alphabet));
        let one = |(index, known)| OneSource {
            known: Rc::new(known),
            has_fact: false,
            cuts: vec![],
            same: SourceId::new(index),
        };
        let list = of_type.chain(of_input).enumerate().map(one).collect();
        let mut sources = Sources { list, variables: program.variables.len() };
        for fact in &certificate.facts {
            if let Fact::In(Place::Variable(variable), numbers) = fact {
                let source = &mut sources.list[variable.index()];
                if source.has_fact || !numbers.is_subset(&source.known) {
                    return None;
                }
                (source.known, source.has_fact) = (Rc::new(numbers.clone()), true);
            }
        }
        sources.cut(program, certificate);
        sources.unite(certificate);
        Some(sources)
    }

    /// Unites equal variables.
    fn unite(&mut self, certificate: &Certificate) {
        for fact in &certificate.facts {
            let Fact::Equal(Place::Variable(a), Place::Variable(b)) = fact else { continue };
            let [mut one, mut other] = [*a, *b].map(|variable| self.root(Sources::of_variable(variable)));
            if other < one {
                (one, other) = (other, one);
            }
            self.list[other.index()].same = one;
        }
        for source in self.all() {
            self.list[source.index()].same = self.root(source);
        }
    }

    fn root(&self, mut source: SourceId) -> SourceId {
        while self.same(source) != source {
            source = self.same(source);
        }
        source
    }

    /// The first source that is the same when a step begins: this one, unless a fact says that they are equal.
    pub fn same(&self, source: SourceId) -> SourceId {
        self.list[source.index()].same
    }

    fn cut(&mut self, program: &Program, certificate: &Certificate) {
        let mut cuts = vec![BTreeSet::new(); self.list.len()];
        certificate.sides().for_each(|(variable, numbers)| cut_at_ends(&mut cuts[variable.index()], numbers));
        if certificate.cuts.is_empty() {
            cut_at_comparisons(program, &mut cuts);
        }
        certificate.cuts.iter().for_each(|(variable, places)| cuts[variable.index()].extend(places));
        for (source, cuts) in self.list.iter_mut().zip(cuts) {
            source.cuts = cuts.into_iter().collect();
        }
    }

    pub fn all(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.list.len()).map(SourceId::new)
    }

    pub fn variables(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.variables).map(SourceId::new)
    }

    pub fn inputs(&self) -> impl Iterator<Item = SourceId> + use<> {
        (self.variables..self.list.len()).map(SourceId::new)
    }

    pub fn of_variable(variable: VarId) -> SourceId {
        SourceId::new(variable.index())
    }

    /// The source that an expression is, if it is one.
    pub fn of_expr(&self, expr: Expr) -> Option<SourceId> {
        match expr {
            Expr::Var(variable) => Some(Sources::of_variable(variable)),
            Expr::Input(input) => Some(SourceId::new(self.variables + input.index())),
            _ => None,
        }
    }

    /// The source by which expressions read it.
    pub fn name(&self, source: SourceId) -> Source {
        match source.index().checked_sub(self.variables) {
            None => Source::Variable(VarId::new(source.index())),
            Some(input) => Source::Input(InputId::new(input)),
        }
    }

    pub fn known(&self, source: SourceId) -> &Rc<NumberSet> {
        &self.list[source.index()].known
    }

    /// Its possible numbers at any time, whatever a step does, if its type or alphabet leaves few.
    pub fn always(&self, program: &Program, source: SourceId) -> Option<NumberSet> {
        match program.variables.get(source.index()).map(|variable| variable.ty) {
            Some(Type::Int) => None,
            Some(ty) => Some(of_type(program, ty)),
            None => Some((**self.known(source)).clone()),
        }
    }

    /// The claim of the certificate's fact about it, if there is one.
    pub fn fact(&self, source: SourceId) -> Option<&NumberSet> {
        let source = &self.list[source.index()];
        source.has_fact.then_some(&*source.known)
    }

    /// The sources that an expression reads, ascending.
    pub fn read_by(&self, program: &Program, id: ExprId) -> Vec<SourceId> {
        let mut found: Vec<SourceId> = program.exprs.parts(id).filter_map(|expr| self.of_expr(expr)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Two parts of some numbers of a source, at the middle one of the cuts between them if there is one. Each has a
    /// number, if the whole has two.
    pub fn halves(&self, source: SourceId, numbers: &NumberSet) -> [NumberSet; 2] {
        let Some((low, high)) = numbers.bounds() else { return [NumberSet::NONE, NumberSet::NONE] };
        let cuts = &self.list[source.index()].cuts;
        let inside = cuts.partition_point(|&cut| cut <= low)..cuts.partition_point(|&cut| cut <= high);
        match cuts[inside.clone()].get(inside.len() / 2) {
            Some(&cut) => [numbers.within(low, cut - 1), numbers.within(cut, high)],
            None => numbers.halves(),
        }
    }
}

fn of_type(program: &Program, ty: Type) -> NumberSet {
    match ty {
        Type::Bool => NumberSet::truth(),
        Type::Pointer => NumberSet::between(0, program.tables.len() as i32 - 1),
        Type::Int => NumberSet::all(),
    }
}
