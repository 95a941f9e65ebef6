//! Instances to a relational model.
//!
//! First everything is written over leaves: the word of each variable now, and after the step. Then what determines a
//! variable becomes a function: `x := e` a definition, `next(x) := e` the next value, with an input for each choice
//! from a set, and an equation for `next(x)` within `TRANS` as well. The rest of `TRANS` relates inputs that are next values.

use std::sync::Arc;

use redoubt_base::stack::grow;
use redoubt_program::text::{Sources, Span};
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};
use redoubt_words::build::Builder;
use redoubt_words::{self as words, Binary as Op, Bits, Node, NodeId, Sort, Unary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::assign::{Assignments, Place};
use crate::ast::{self, Binary, Constant, ExprId, SpecKind, Storage};
use crate::circles;
use crate::domain::{Domain, bits_for};
use crate::evaluate::{Evaluated, Evaluator, Moment};
use crate::formula::{Formula, MOST_PARTS};
use crate::model::{Kind, Meaning, Model, Obligation, Obligations, Signal, Specification};
use crate::scope::{Hierarchy, ScopeId, VarId, Variable};
use crate::value::{self, Set, Value, integer};

/// A range in a set with more numbers than this is not mixed with symbols.
const MOST_LISTED: i64 = 1024;

/// The model of a hierarchy, and what is to be checked of it.
pub fn model(sources: &Arc<Sources>, mut hierarchy: Hierarchy<'_>) -> Lowered<(Model, Obligations)> {
    let assignments = Assignments::collect(&mut hierarchy)?;
    circles::check(&mut hierarchy, &assignments)?;
    let mut selector = None;
    if hierarchy.processes.len() > 1 {
        let names = hierarchy.processes.iter().map(|name| Constant::Symbol(name.as_str().into()));
        let domain = Domain::Symbols(names.collect());
        let name = "_process_selector_".to_string();
        hierarchy.variables.push(Variable { name, storage: Storage::Input, domain });
        selector = Some(hierarchy.variables.len() - 1);
    }
    let evaluator = Evaluator::new(&mut hierarchy, selector);
    let mut relation = Relation {
        sources,
        assignments,
        evaluator,
        always: FxHashMap::default(),
        next: FxHashMap::default(),
        fixed: FxHashMap::default(),
        initial: vec![],
        invariants: vec![],
        steps: vec![],
        obligations: vec![],
    };
    relation.assign()?;
    relation.constrain()?;
    relation.finish()
}

struct Relation<'s, 'h, 't> {
    sources: &'s Arc<Sources>,
    assignments: Assignments,
    evaluator: Evaluator<'h, 't>,
    /// Variables that are functions of others, now and after the step.
    always: FxHashMap<VarId, (NodeId, NodeId)>,
    /// Variables whose next word is a function.
    next: FxHashMap<VarId, NodeId>,
    /// Initial words that are constants.
    fixed: FxHashMap<VarId, NodeId>,
    initial: Vec<NodeId>,
    invariants: Vec<NodeId>,
    steps: Vec<NodeId>,
    obligations: Vec<Obligation>,
}

/// What may stand in an expression.
#[derive(Clone, Copy)]
struct May {
    next: bool,
    inputs: bool,
    r#where: &'static str,
}

impl Relation<'_, '_, '_> {
    fn words(&mut self) -> &mut Builder {
        &mut self.evaluator.words
    }

    fn span(&self, id: ExprId) -> Span {
        self.evaluator.hierarchy.text.span(id)
    }

    fn check(&self, id: ExprId, of: &Evaluated, may: May) -> Lowered {
        let place = may.r#where;
        if of.is_next && !may.next {
            let message = format!("there is no `next` in {place}");
            return refuse(Diagnostic::new(self.span(id), message, "this speaks of the state after a step"));
        }
        if of.has_inputs && !may.inputs {
            let message = format!("there are no inputs in {place}");
            return refuse(
                Diagnostic::new(self.span(id), message, "this depends on an input")
                    .help("inputs belong to steps, not to states; which process runs is an input, too"),
            );
        }
        Ok(())
    }

    fn oblige(&mut self, fail: NodeId, span: Span, message: impl Into<String>, specification: Option<usize>) {
        if self.words().as_bool(fail) != Some(false) {
            self.obligations.push(Obligation { fail, span, message: message.into(), specification });
        }
    }

    /// A condition of the model.
    fn condition(&mut self, id: ExprId, scope: ScopeId, may: May) -> Lowered<NodeId> {
        let (node, of) = self.evaluator.truth(id, scope, Moment::Now)?;
        self.check(id, &of, may)?;
        self.oblige(of.fail, self.span(id), "this has no value", None);
        Ok(node)
    }

    fn assign(&mut self) -> Lowered {
        let mut variables: Vec<VarId> = self.assignments.always.keys().copied().collect();
        variables.sort_unstable();
        for variable in variables {
            self.assign_always(variable, self.assignments.always[&variable])?;
        }
        let mut variables: Vec<VarId> = self.assignments.initial.keys().copied().collect();
        variables.sort_unstable();
        for variable in variables {
            self.assign_initially(variable, self.assignments.initial[&variable])?;
        }
        let mut variables: Vec<VarId> = self.assignments.next.keys().copied().collect();
        variables.sort_unstable();
        for variable in variables {
            let places = self.assignments.next[&variable].clone();
            self.assign_next(variable, &places)?;
        }
        Ok(())
    }

    fn assign_always(&mut self, variable: VarId, place: Place) -> Lowered {
        let may = May { next: false, inputs: false, r#where: "the value of a variable in every state" };
        let now = self.evaluator.evaluate(place.value, place.scope, Moment::Now)?;
        self.check(place.value, &now, may)?;
        self.oblige(now.fail, self.span(place.value), "this has no value", None);
        let then = self.evaluator.evaluate(place.value, place.scope, Moment::Next)?;
        let (now_set, next_set) = (self.evaluator.as_set(&now.value), self.evaluator.as_set(&then.value));
        if let Some(code) = self.single(variable, &now_set, place)? {
            let next = self.single(variable, &next_set, place)?.unwrap_or(code);
            self.always.insert(variable, (code, next));
            return Ok(());
        }
        self.fits(variable, &now_set, place)?;
        let member = self.member(variable, &now.value, place)?;
        self.initial.push(member);
        let next = self.chosen(variable, &next_set, place)?;
        self.next.insert(variable, next);
        Ok(())
    }

    fn assign_initially(&mut self, variable: VarId, place: Place) -> Lowered {
        let may = May { next: false, inputs: false, r#where: "an initial value" };
        let value = self.evaluator.evaluate(place.value, place.scope, Moment::Now)?;
        self.check(place.value, &value, may)?;
        self.oblige(value.fail, self.span(place.value), "this has no value", None);
        let set = self.evaluator.as_set(&value.value);
        match self.single(variable, &set, place)? {
            Some(code) if self.words().as_constant(code).is_some() => {
                self.fixed.insert(variable, code);
            }
            Some(code) => {
                let word = self.evaluator.code(variable, Moment::Now);
                let equal = self.words().equal(word, code);
                self.initial.push(equal);
            }
            None => {
                self.fits(variable, &set, place)?;
                let member = self.member(variable, &value.value, place)?;
                self.initial.push(member);
            }
        }
        Ok(())
    }

    fn assign_next(&mut self, variable: VarId, places: &[(usize, Place)]) -> Lowered {
        let may = May { next: true, inputs: true, r#where: "a next value" };
        let is_process = self.evaluator.selector.is_some();
        // Without a process that says otherwise it keeps its value.
        let mut result = if is_process { Some(self.evaluator.code(variable, Moment::Now)) } else { None };
        for &(process, place) in places {
            let value = self.evaluator.evaluate(place.value, place.scope, Moment::Now)?;
            self.check(place.value, &value, may)?;
            self.oblige(value.fail, self.span(place.value), "this has no value", None);
            let set = self.evaluator.as_set(&value.value);
            let code = match self.single(variable, &set, place)? {
                Some(code) => code,
                None => {
                    self.fits(variable, &set, place)?;
                    self.chosen(variable, &set, place)?
                }
            };
            result = Some(match result {
                None => code,
                Some(other) => {
                    let runs = self.evaluator.runs(process);
                    self.words().ite(runs, code, other)
                }
            });
        }
        if let Some(code) = result {
            self.next.insert(variable, code);
        }
        Ok(())
    }

    /// The value as a word of the variable and whether it is one of its values.
    fn code_of(&mut self, variable: VarId, value: &Value, place: Place) -> Lowered<(NodeId, NodeId)> {
        let domain = self.evaluator.domain(variable).clone();
        match value::to_code(self.words(), &domain, value) {
            Some(code) => Ok(code),
            None => {
                let (found, name) =
                    (value.describe(&self.evaluator.words), &self.evaluator.hierarchy.variables[variable].name);
                let message = format!("`{name}` is {domain}, it cannot be assigned {found}");
                refuse(Diagnostic::new(self.span(place.value), message, "this does not fit"))
            }
        }
    }

    fn outside(&self, variable: VarId) -> String {
        let Variable { name, domain, .. } = &self.evaluator.hierarchy.variables[variable];
        format!("a value outside of {domain} can be assigned to `{name}`")
    }

    /// The word of the only element.
    fn single(&mut self, variable: VarId, set: &Set, place: Place) -> Lowered<Option<NodeId>> {
        let ([(_, value)], []) = (set.values.as_slice(), set.ranges.as_slice()) else { return Ok(None) };
        let (code, fits) = self.code_of(variable, value, place)?;
        let fail = self.words().not(fits);
        let message = self.outside(variable);
        self.oblige(fail, self.span(place.value), message, None);
        Ok(Some(code))
    }

    /// Obliges all elements to be values of the variable.
    fn fits(&mut self, variable: VarId, set: &Set, place: Place) -> Lowered {
        let message = self.outside(variable);
        for (guard, value) in &set.values {
            let (_, fits) = self.code_of(variable, value, place)?;
            let outside = self.words().not(fits);
            let fail = self.words().and(*guard, outside);
            self.oblige(fail, self.span(place.value), message.clone(), None);
        }
        for &(guard, low, high) in &set.ranges {
            let mut fits = true;
            for end in [low, high] {
                let number = Value::Int(integer(self.words(), end));
                let (_, is_in) = self.code_of(variable, &number, place)?;
                fits &= self.words().as_bool(is_in) == Some(true);
            }
            if let Domain::Numbers(_) | Domain::Symbols(_) = self.evaluator.domain(variable) {
                for number in low..=high.min(low + MOST_LISTED) {
                    let number = Value::Int(integer(self.words(), number));
                    let (_, is_in) = self.code_of(variable, &number, place)?;
                    fits &= self.words().as_bool(is_in) == Some(true);
                }
                fits &= high - low < MOST_LISTED;
            }
            if !fits {
                self.oblige(guard, self.span(place.value), message.clone(), None);
            }
        }
        Ok(())
    }

    /// Whether the variable now has a value in the set.
    fn member(&mut self, variable: VarId, set: &Value, place: Place) -> Lowered<NodeId> {
        let value = self.evaluator.variable(variable, Moment::Now);
        match self.evaluator.is_element(&value, set) {
            Some(node) => Ok(node),
            None => refuse(Diagnostic::new(self.span(place.value), "these values are of another type", "here")),
        }
    }

    /// The word of an element that inputs choose.
    fn chosen(&mut self, variable: VarId, set: &Set, place: Place) -> Lowered<NodeId> {
        let name = format!("choice for {}", self.evaluator.hierarchy.variables[variable].name);
        let mut elements: Vec<(NodeId, NodeId)> = vec![];
        for (guard, value) in &set.values {
            elements.push((*guard, self.code_of(variable, value, place)?.0));
        }
        for &(guard, low, high) in &set.ranges {
            let size = high.abs_diff(low) + 1;
            let width = bits_for(size);
            let words = self.words();
            let choice = words.input(name.clone(), Sort::Bits(width));
            let number = value::of_code(words, &Domain::Range(low, high), choice);
            let last = words.constant(Bits::from_u64(width, size - 1));
            let is_fine = words.binary(Op::Ulte, choice, last);
            let lowest = Value::Int(integer(words, low));
            let number = value::choose(words, is_fine, &number, &lowest);
            elements.push((guard, self.code_of(variable, &number, place)?.0));
        }
        let words = self.words();
        // Where a choice is none, the first element that there is.
        let mut result = elements.last().expect("a set is not empty").1;
        for &(guard, code) in elements.iter().rev() {
            result = words.ite(guard, code, result);
        }
        if elements.len() > 1 {
            let width = bits_for(elements.len() as u64);
            let choice = words.input(name, Sort::Bits(width));
            for (index, &(guard, code)) in elements.iter().enumerate().skip(1) {
                let index = words.constant(Bits::from_u64(width, index as u64));
                let is_it = words.equal(choice, index);
                let is_it = words.and(is_it, guard);
                result = words.ite(is_it, code, result);
            }
        }
        Ok(result)
    }

    /// `INIT`, `INVAR` and `TRANS`, by their conjuncts.
    fn constrain(&mut self) -> Lowered {
        let sections = std::mem::take(&mut self.evaluator.hierarchy.sections);
        let may = May { next: false, inputs: false, r#where: "INIT" };
        for &(id, scope) in &sections.init {
            let condition = self.condition(id, scope, may)?;
            self.initial.push(condition);
        }
        let may = May { next: false, inputs: false, r#where: "INVAR" };
        for &(id, scope) in &sections.invar {
            let condition = self.condition(id, scope, may)?;
            self.invariants.push(condition);
        }
        let may = May { next: true, inputs: true, r#where: "TRANS" };
        for &(id, scope) in &sections.trans {
            let condition = self.condition(id, scope, may)?;
            self.steps.push(condition);
        }
        self.evaluator.hierarchy.sections = sections;
        self.determine_next();
        self.determine_initial();
        Ok(())
    }

    /// The conjuncts of conditions.
    fn conjuncts(&mut self, conditions: Vec<NodeId>) -> Vec<NodeId> {
        let (mut pending, mut parts, mut seen) = (conditions, vec![], FxHashSet::default());
        pending.reverse();
        while let Some(node) = pending.pop() {
            let words = &self.evaluator.words;
            match *words.model.node(node) {
                Node::Binary(Op::And, a, b) if words.sort(node) == Sort::BOOL => pending.extend([b, a]),
                _ if words.as_bool(node) == Some(true) => {}
                _ if seen.insert(node) => parts.push(node),
                _ => {}
            }
        }
        parts
    }

    /// The variables at a moment that a conjunct determines, with their words.
    fn determined(&mut self, conjunct: NodeId, moment: Moment) -> Vec<(VarId, NodeId, NodeId)> {
        let leaf = |relation: &Self, node: NodeId| {
            let list = if moment == Moment::Now { &relation.evaluator.now } else { &relation.evaluator.next };
            list.iter().position(|&leaf| leaf == Some(node))
        };
        let yes = self.words().bool(true);
        match *self.evaluator.words.model.node(conjunct) {
            Node::Input(_) | Node::State(_) => leaf(self, conjunct).map(|v| (v, yes, yes)).into_iter().collect(),
            Node::Unary(Unary::Not, inner) => match *self.evaluator.words.model.node(inner) {
                Node::Input(_) | Node::State(_) => {
                    let no = self.words().bool(false);
                    leaf(self, inner).map(|variable| (variable, no, yes)).into_iter().collect()
                }
                _ => vec![],
            },
            _ => {
                let found = self.evaluator.determined.get(&conjunct).into_iter().flatten();
                let found = found.filter(|found| found.moment == moment);
                found.map(|found| (found.variable, found.code, found.is_possible)).collect()
            }
        }
    }

    /// Equations for next values become functions where that makes no circle.
    fn determine_next(&mut self) {
        let steps = std::mem::take(&mut self.steps);
        let conjuncts = self.conjuncts(steps);
        let by_leaf = self.by_next_leaf();
        for conjunct in conjuncts {
            let mut is_function = false;
            for (variable, code, is_possible) in self.determined(conjunct, Moment::Next) {
                let domain = &self.evaluator.hierarchy.variables[variable];
                let is_taken = self.next.contains_key(&variable) || self.always.contains_key(&variable);
                if is_taken || domain.storage != Storage::Variable || self.depends(code, variable, &by_leaf) {
                    continue;
                }
                self.next.insert(variable, code);
                if self.words().as_bool(is_possible) != Some(true) {
                    self.steps.push(is_possible);
                }
                is_function = true;
                break;
            }
            if !is_function {
                self.steps.push(conjunct);
            }
        }
    }

    fn by_next_leaf(&self) -> FxHashMap<NodeId, VarId> {
        let leaves = self.evaluator.next.iter().enumerate();
        leaves.filter_map(|(variable, leaf)| leaf.map(|leaf| (leaf, variable))).collect()
    }

    /// Whether a word depends on the next value of a variable, by way of functions, too.
    fn depends(&mut self, code: NodeId, variable: VarId, by_leaf: &FxHashMap<NodeId, VarId>) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![code];
        while let Some(node) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            pending.extend(self.evaluator.words.model.node(node).operands());
            if let Some(&other) = by_leaf.get(&node) {
                if other == variable {
                    return true;
                }
                pending.extend(self.next.get(&other));
                pending.extend(self.always.get(&other).map(|(_, next)| *next));
            }
        }
        false
    }

    /// Equations between variables and constants in `INIT` become initial words.
    fn determine_initial(&mut self) {
        let initial = std::mem::take(&mut self.initial);
        for conjunct in self.conjuncts(initial) {
            let mut is_fixed = false;
            for (variable, code, is_possible) in self.determined(conjunct, Moment::Now) {
                let is_taken = self.fixed.contains_key(&variable) || self.always.contains_key(&variable);
                let words = &self.evaluator.words;
                let is_plain = words.as_constant(code).is_some() && words.as_bool(is_possible) == Some(true);
                let is_input = self.evaluator.hierarchy.variables[variable].storage == Storage::Input;
                if !is_taken && is_plain && !is_input {
                    self.fixed.insert(variable, code);
                    is_fixed = true;
                    break;
                }
            }
            if !is_fixed {
                self.initial.push(conjunct);
            }
        }
    }

    fn finish(mut self) -> Lowered<(Model, Obligations)> {
        let sections = std::mem::take(&mut self.evaluator.hierarchy.sections);
        let may = May { next: false, inputs: true, r#where: "FAIRNESS" };
        let mut justice = vec![];
        for &(id, scope) in &sections.justice {
            justice.push(self.condition(id, scope, may)?);
        }
        let may = May { next: false, inputs: true, r#where: "COMPASSION" };
        let mut compassion = vec![];
        for &(p, q, scope) in &sections.compassion {
            compassion.push((self.condition(p, scope, may)?, self.condition(q, scope, may)?));
        }
        let mut specifications = vec![];
        for (index, (specification, scope)) in sections.specifications.iter().enumerate() {
            specifications.push(self.specification(index, specification, *scope)?);
        }
        // Definitions that nobody uses are looked at, too: their types, and for traces.
        let mut shown = vec![];
        for (name, id, scope) in &sections.definitions {
            let evaluated = self.evaluator.evaluate(*id, *scope, Moment::Now)?;
            if !evaluated.is_next && !evaluated.has_inputs {
                shown.extend(self.shown(name.clone(), &evaluated.value));
            }
        }
        let obligations = self.obligations();
        let model = self.rebuild(justice, compassion, specifications, shown)?;
        Ok((model, obligations))
    }

    /// A definition as traces show it.
    fn shown(&self, name: String, value: &Value) -> Option<Signal> {
        let words = &self.evaluator.words;
        let (node, domain) = match value {
            Value::Bool(node) => (*node, Domain::Boolean),
            Value::Word { node, signed } => (*node, Domain::Word { signed: *signed, width: words.width(*node) }),
            Value::Symbol { node, domain } => (*node, Domain::Symbols(Arc::clone(domain))),
            // Shown as it is computed: with a sign.
            Value::Int(int) => (int.node, Domain::Word { signed: true, width: words.width(int.node) }),
            Value::Set(_) | Value::Words { .. } => return None,
        };
        Some(Signal { name, node, domain, storage: None })
    }

    fn obligations(&mut self) -> Obligations {
        let mut valid = vec![];
        let mut variables = vec![];
        for variable in 0..self.evaluator.hierarchy.variables.len() {
            let Variable { name, domain, .. } = self.evaluator.hierarchy.variables[variable].clone();
            for (leaf, name) in
                [(self.evaluator.now[variable], name.clone()), (self.evaluator.next[variable], format!("next({name})"))]
            {
                let Some(leaf) = leaf else { continue };
                variables.push((name, domain.clone(), leaf));
                valid.extend(validity(&mut self.evaluator.words, &domain, leaf));
            }
        }
        let parts = self.evaluator.failures.iter();
        let parts = parts.map(|failure| (failure.condition, failure.span, failure.message.clone())).collect();
        let list = std::mem::take(&mut self.obligations);
        Obligations { words: self.evaluator.words.model.clone(), list, parts, valid, variables }
    }

    fn specification(
        &mut self,
        index: usize,
        specification: &ast::Specification,
        scope: ScopeId,
    ) -> Lowered<Specification> {
        let prefix = self.evaluator.hierarchy.scopes[scope].prefix.clone();
        let name = match &specification.name {
            Some(name) => format!("{prefix}{}", name.text),
            None => format!("spec_{index}"),
        };
        let mut text = self.sources.text(specification.span).to_string();
        if !prefix.is_empty() {
            text = format!("{text} IN {}", prefix.trim_end_matches('.'));
        }
        let kind = match specification.kind {
            SpecKind::Invariant => Kind::Invariant,
            SpecKind::Ltl | SpecKind::Psl => Kind::Linear,
            SpecKind::Ctl => Kind::Branching,
            SpecKind::Minimum => Kind::Minimum,
            SpecKind::Maximum => Kind::Maximum,
        };
        let meaning = match self.meaning(index, specification, scope) {
            Ok(meaning) => Ok(meaning),
            Err(Refused::Mistakes(diagnostics)) => Err(diagnostics),
            Err(Refused::Interrupted) => return Err(Refused::Interrupted),
        };
        Ok(Specification { name, kind, span: specification.span, text, meaning })
    }

    fn meaning(&mut self, index: usize, specification: &ast::Specification, scope: ScopeId) -> Lowered<Meaning> {
        let Some(&first) = specification.formulas.first() else {
            return refuse(
                Diagnostic::new(specification.span, "this PSL is no formula of linear or branching time", "here")
                    .help("regular expressions, clocks and `abort` are not read; write the property as an LTLSPEC"),
            );
        };
        match (specification.kind, specification.formulas.as_slice()) {
            (SpecKind::Invariant, _) => {
                let (holds, of) = self.evaluator.truth(first, scope, Moment::Now)?;
                self.oblige(of.fail, self.span(first), "this has no value", Some(index));
                Ok(Meaning::Invariant { holds, is_of_steps: of.is_next || of.has_inputs })
            }
            (SpecKind::Minimum | SpecKind::Maximum, &[from, to]) => {
                let may = May { next: false, inputs: false, r#where: "COMPUTE" };
                let mut both = vec![];
                for id in [from, to] {
                    let (node, of) = self.evaluator.truth(id, scope, Moment::Now)?;
                    self.check(id, &of, may)?;
                    self.oblige(of.fail, self.span(id), "this has no value", Some(index));
                    both.push(node);
                }
                Ok(Meaning::Distance { from: both[0], to: both[1] })
            }
            (kind, _) => {
                let mut reader = FormulaReader {
                    relation: self,
                    index,
                    scope,
                    is_branching: kind == SpecKind::Ctl,
                    is_psl: kind == SpecKind::Psl,
                };
                let formula = reader.formula(first)?;
                reader.measure(&formula, first)?;
                Ok(Meaning::Formula(formula))
            }
        }
    }

    /// The model without the leaves that are functions.
    fn rebuild(
        mut self,
        justice: Vec<NodeId>,
        compassion: Vec<(NodeId, NodeId)>,
        specifications: Vec<Specification>,
        shown: Vec<Signal>,
    ) -> Lowered<Model> {
        let count = self.evaluator.hierarchy.variables.len();
        let invariants = std::mem::take(&mut self.invariants);
        let invariants = self.conjuncts(invariants);
        for variable in 0..count {
            self.evaluator.code(variable, Moment::Now);
        }
        let mut copy = Copy {
            from: &self.evaluator.words.model,
            to: Builder::default(),
            done: FxHashMap::default(),
            instead: FxHashMap::default(),
        };
        let (now, next) = (&self.evaluator.now, &self.evaluator.next);
        for variable in 0..count {
            let Variable { name, storage, domain } = &self.evaluator.hierarchy.variables[variable];
            let Some(leaf) = now[variable] else { continue };
            if let Some(&(code, next_code)) = self.always.get(&variable) {
                copy.instead.insert(leaf, code);
                if let Some(next) = next[variable] {
                    copy.instead.insert(next, next_code);
                }
                continue;
            }
            if !matches!(copy.from.node(leaf), Node::Constant(_)) {
                let node = match storage {
                    Storage::Input => copy.to.input(name.clone(), domain.sort()),
                    _ => copy.to.state(name.clone(), domain.sort()),
                };
                copy.done.insert(leaf, node);
            }
            if let (Some(next), Some(&code)) = (next[variable], self.next.get(&variable))
                && *storage != Storage::Frozen
            {
                copy.instead.insert(next, code);
            }
        }
        let mut all = |nodes: &[NodeId]| nodes.iter().map(|&node| copy.copy(node)).collect::<Lowered<Vec<NodeId>>>();
        let mut initial = all(&self.initial)?;
        let invariants = all(&invariants)?;
        let mut valid_words = vec![];
        let steps = all(&self.steps)?;
        let justice = all(&justice)?;
        let mut pairs = vec![];
        for (p, q) in compassion {
            pairs.push((copy.copy(p)?, copy.copy(q)?));
        }
        let mut copied = vec![];
        for mut specification in specifications {
            specification.meaning = match specification.meaning {
                Ok(Meaning::Invariant { holds, is_of_steps }) => {
                    Ok(Meaning::Invariant { holds: copy.copy(holds)?, is_of_steps })
                }
                Ok(Meaning::Distance { from, to }) => {
                    Ok(Meaning::Distance { from: copy.copy(from)?, to: copy.copy(to)? })
                }
                Ok(Meaning::Formula(formula)) => {
                    for atom in formula.atoms() {
                        copy.copy(atom)?;
                    }
                    Ok(Meaning::Formula(formula.map(&mut |atom| copy.done[&atom])))
                }
                Err(diagnostics) => Err(diagnostics),
            };
            copied.push(specification);
        }
        let mut signals = vec![];
        for variable in 0..count {
            let Variable { name, storage, domain } = self.evaluator.hierarchy.variables[variable].clone();
            let Some(leaf) = now[variable] else { continue };
            let node = copy.copy(leaf)?;
            signals.push(Signal { name: name.clone(), node, domain: domain.clone(), storage: Some(storage) });
            let Node::State(state) = *copy.to.model.node(node) else {
                if storage == Storage::Input {
                    valid_words.extend(validity(&mut copy.to, &domain, node));
                }
                continue;
            };
            if self.always.contains_key(&variable) {
                continue;
            }
            if let Some(&code) = self.fixed.get(&variable) {
                copy.to.model.states[state].init = Some(copy.copy(code)?);
            }
            // A choice among initial values may be said in a way that takes for granted that the word stands for a value.
            let is_fixed = self.fixed.contains_key(&variable);
            let valid = validity(&mut copy.to, &domain, node);
            match (storage, self.next.get(&variable), next[variable]) {
                (Storage::Frozen, ..) => {
                    copy.to.model.states[state].next = Some(node);
                    if !is_fixed {
                        initial.extend(valid);
                    }
                }
                (_, Some(&code), _) => {
                    copy.to.model.states[state].next = Some(copy.copy(code)?);
                    // What `TRANS` says can be no value, and what assignments say always is one.
                    let is_assigned = self.assignments.next.contains_key(&variable)
                        || self.assignments.always.contains_key(&variable);
                    if !is_assigned {
                        valid_words.extend(valid);
                    } else if !is_fixed {
                        initial.extend(valid);
                    }
                }
                (_, None, Some(leaf)) => {
                    let input = copy.copy(leaf)?;
                    copy.to.model.states[state].next = Some(input);
                    valid_words.extend(valid);
                }
                // It moves freely. Without an initial value it is as good as an input.
                (_, None, None) => {
                    if is_fixed {
                        let input = copy.to.input(format!("next({name})"), domain.sort());
                        copy.to.model.states[state].next = Some(input);
                    }
                    valid_words.extend(valid);
                }
            }
        }
        for mut signal in shown {
            signal.node = copy.copy(signal.node)?;
            signals.push(signal);
        }
        Ok(Model {
            words: copy.to,
            signals,
            initial,
            invariants,
            valid: valid_words,
            steps,
            justice,
            compassion: pairs,
            specifications: copied,
        })
    }
}

/// That a word stands for a value, if some words do not.
fn validity(words: &mut Builder, domain: &Domain, word: NodeId) -> Option<NodeId> {
    if !domain.has_gaps() {
        return None;
    }
    let last = words.constant(Bits::from_u64(words.width(word), domain.size()? - 1));
    let node = words.binary(Op::Ulte, word, last);
    (words.as_bool(node) != Some(true)).then_some(node)
}

/// Expressions of one model in another, with some leaves replaced by expressions.
struct Copy<'m> {
    from: &'m words::Model,
    to: Builder,
    done: FxHashMap<NodeId, NodeId>,
    instead: FxHashMap<NodeId, NodeId>,
}

impl Copy<'_> {
    fn copy(&mut self, root: NodeId) -> Lowered<NodeId> {
        let mut stack = vec![(root, false)];
        let mut open = FxHashSet::default();
        while let Some((id, is_ready)) = stack.pop() {
            if self.done.contains_key(&id) {
                continue;
            }
            let other = self.instead.get(&id).copied();
            if is_ready {
                open.remove(&id);
                let node = match (other, self.from.node(id)) {
                    (Some(other), _) => self.done[&other],
                    (None, Node::Input(index)) => {
                        let input = &self.from.inputs[*index];
                        self.to.input(input.name.clone(), self.from.sort(id))
                    }
                    (None, Node::State(index)) => {
                        let state = &self.from.states[*index];
                        self.to.state(state.name.clone(), self.from.sort(id))
                    }
                    (None, node) => {
                        let node = node.map(|operand| self.done[&operand]);
                        self.to.remake(&node)
                    }
                };
                self.done.insert(id, node);
                continue;
            }
            if !open.insert(id) {
                // Circles were looked for on paper; this one was not found there.
                return refuse(Diagnostic::new(
                    Span::default(),
                    "next values depend on each other in a circle",
                    "here",
                ));
            }
            stack.push((id, true));
            match other {
                Some(other) => stack.push((other, false)),
                None => stack.extend(self.from.node(id).operands().map(|operand| (operand, false))),
            }
        }
        Ok(self.done[&root])
    }
}

/// Temporal formulas: operators above, values of the model below.
struct FormulaReader<'r, 's, 'h, 't> {
    relation: &'r mut Relation<'s, 'h, 't>,
    index: usize,
    scope: ScopeId,
    is_branching: bool,
    is_psl: bool,
}

impl FormulaReader<'_, '_, '_, '_> {
    /// Whether an operator of temporal logic stands in it.
    fn is_temporal(&self, id: ExprId) -> bool {
        use ast::Kind as K;
        let text = self.relation.evaluator.hierarchy.text;
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match text.kind(id) {
                K::Linear(..) | K::LinearPair(..) | K::Branching(..) | K::BranchingUntil(..) => return true,
                K::Next(_) if self.is_psl => return true,
                K::Not(a) | K::Minus(a) | K::Next(a) | K::Slice(a, ..) => pending.push(*a),
                K::Binary(_, a, b) | K::Index(a, b) | K::Filled(a, b) => pending.extend([*a, *b]),
                K::Ite(a, b, c) => pending.extend([*a, *b, *c]),
                K::Case(arms) => pending.extend(arms.iter().flat_map(|&(a, b)| [a, b])),
                K::Set(parts) | K::Call(_, parts) => pending.extend(parts),
                K::Boolean(_) | K::Number(_) | K::Word { .. } | K::Name(_) | K::Myself | K::Dot(..) | K::Foreign(_) => {
                }
            }
        }
        false
    }

    fn formula(&mut self, id: ExprId) -> Lowered<Formula> {
        grow(|| self.any_formula(id))
    }

    /// Refuses what grows too large when it is written out.
    fn measure(&self, formula: &Formula, id: ExprId) -> Lowered {
        if formula.weight() <= MOST_PARTS {
            return Ok(());
        }
        let message = format!("written out, this formula has more than {MOST_PARTS} parts");
        refuse(
            Diagnostic::new(self.relation.span(id), message, "too large").help(
                "both sides of `<->` and `xor`, what is within bounds, and the condition of `? :` are written out",
            ),
        )
    }

    fn boxed(&mut self, id: ExprId) -> Lowered<Box<Formula>> {
        self.formula(id).map(Box::new)
    }

    fn any_formula(&mut self, id: ExprId) -> Lowered<Formula> {
        use ast::Kind as K;
        if !self.is_temporal(id) {
            return self.atom(id);
        }
        let text = self.relation.evaluator.hierarchy.text;
        let span = text.span(id);
        let wrong = |what: &str, place: &str| {
            let message = format!("an operator of {what} time stands in a formula of {place} time");
            refuse(Diagnostic::new(span, message, "not here"))
        };
        match text.kind(id) {
            K::Linear(..) | K::LinearPair(..) if self.is_branching => wrong("linear", "branching"),
            K::Branching(..) | K::BranchingUntil(..) if !self.is_branching => wrong("branching", "linear"),
            K::Not(a) => Ok(Formula::Not(self.boxed(*a)?)),
            K::Linear(operator, bounds, a) => Ok(Formula::Linear(*operator, *bounds, self.boxed(*a)?)),
            K::LinearPair(operator, a, b) => Ok(Formula::LinearPair(*operator, self.boxed(*a)?, self.boxed(*b)?)),
            K::Branching(all, path, bounds, a) => Ok(Formula::Branching(*all, *path, *bounds, self.boxed(*a)?)),
            K::BranchingUntil(all, bounds, a, b) => {
                Ok(Formula::BranchingUntil(*all, *bounds, self.boxed(*a)?, self.boxed(*b)?))
            }
            K::Next(a) if self.is_psl => Ok(Formula::Linear(ast::Linear::Next, None, self.boxed(*a)?)),
            K::Binary(operator, a, b) => {
                let (x, y) = (self.boxed(*a)?, self.boxed(*b)?);
                match operator {
                    Binary::And => Ok(Formula::And(x, y)),
                    Binary::Or => Ok(Formula::Or(x, y)),
                    Binary::Implies => Ok(Formula::Or(Box::new(Formula::Not(x)), y)),
                    Binary::Iff | Binary::Xnor => Ok(Formula::Iff(x, y)),
                    Binary::Xor => Ok(Formula::Not(Box::new(Formula::Iff(x, y)))),
                    other => {
                        let message = format!("a formula about runs stands below `{}`", other.text());
                        refuse(Diagnostic::new(span, message, "only values stand here"))
                    }
                }
            }
            K::Ite(condition, then, otherwise) => {
                let (c, a, b) = (self.formula(*condition)?, self.boxed(*then)?, self.boxed(*otherwise)?);
                self.measure(&c, *condition)?;
                let first = Formula::And(Box::new(c.clone()), a);
                let second = Formula::And(Box::new(Formula::Not(Box::new(c))), b);
                Ok(Formula::Or(Box::new(first), Box::new(second)))
            }
            _ => refuse(Diagnostic::new(span, "a formula about runs stands among values", "only values stand here")),
        }
    }

    fn atom(&mut self, id: ExprId) -> Lowered<Formula> {
        let (node, of) = self.relation.evaluator.truth(id, self.scope, Moment::Now)?;
        if self.is_branching {
            let may = May { next: false, inputs: false, r#where: "formulas of branching time" };
            self.relation.check(id, &of, may)?;
        }
        self.relation.oblige(of.fail, self.relation.span(id), "this has no value", Some(self.index));
        Ok(Formula::Atom(node))
    }
}
