//! Expressions to words of the model, with their types checked.
//!
//! The leaves are the values of variables, now and after the step, whatever assignments say of them: what a case, a division, an
//! index or an assignment may not do is judged over all of these. Each expression comes with the condition under which it
//! *fails*, that is, has no value; a failure that a condition around it rules out is none.

use std::sync::Arc;

use redoubt_base::stack::grow;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_words::build::Builder;
use redoubt_words::{Binary as Op, Bits, NodeId, Sort, Unary};
use rustc_hash::FxHashMap;

use crate::ast::{Binary, Constant, ExprId, Function, Kind, Storage};
use crate::domain::Domain;
use crate::literal::MOST_BITS;
use crate::scope::{Elements, Entity, Hierarchy, ScopeId, VarId};
use crate::value::{
    self, Int, LARGEST, MOST_MIXED, Set, Value, choose, compare, integer, signed_width, unify, widened,
};

/// The moment that a variable is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    Now,
    Next,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub struct Evaluated {
    pub value: Value,
    /// Whether it has none.
    pub fail: NodeId,
    /// Whether it is about the state after the step.
    pub is_next: bool,
    /// Whether it is about inputs.
    pub has_inputs: bool,
}

/// Something that fails if a condition is true.
#[derive(Clone, Debug)]
pub struct Failure {
    pub condition: NodeId,
    pub span: Span,
    pub message: String,
}

/// What an equation says of a variable.
#[derive(Clone, Debug)]
pub struct Determined {
    pub variable: VarId,
    pub moment: Moment,
    /// Its word, and whether that is a value that it can have.
    pub code: NodeId,
    pub is_possible: NodeId,
}

pub struct Evaluator<'h, 't> {
    pub hierarchy: &'h mut Hierarchy<'t>,
    pub words: Builder,
    /// By variable: its words now and after the step, as far as they are used.
    pub now: Vec<Option<NodeId>>,
    pub next: Vec<Option<NodeId>>,
    known: FxHashMap<(ExprId, ScopeId, Moment), Evaluated>,
    open: rustc_hash::FxHashSet<(ExprId, ScopeId, Moment)>,
    /// Values of variables, by their nodes.
    plain: FxHashMap<NodeId, (VarId, Moment)>,
    pub failures: Vec<Failure>,
    /// Equations between a variable and something else, by their nodes.
    pub determined: FxHashMap<NodeId, Vec<Determined>>,
    /// The variable that says which process runs, if there are several.
    pub selector: Option<VarId>,
}

fn mistake<T>(span: Span, message: impl Into<String>, label: impl Into<String>) -> Lowered<T> {
    refuse(Diagnostic::new(span, message, label))
}

impl<'h, 't> Evaluator<'h, 't> {
    pub fn new(hierarchy: &'h mut Hierarchy<'t>, selector: Option<VarId>) -> Evaluator<'h, 't> {
        let variables = hierarchy.variables.len();
        Evaluator {
            hierarchy,
            words: Builder::default(),
            now: vec![None; variables],
            next: vec![None; variables],
            known: FxHashMap::default(),
            open: rustc_hash::FxHashSet::default(),
            plain: FxHashMap::default(),
            failures: vec![],
            determined: FxHashMap::default(),
            selector,
        }
    }

    fn span(&self, id: ExprId) -> Span {
        self.hierarchy.text.span(id)
    }

    /// The word of a variable at a moment.
    pub fn code(&mut self, variable: VarId, moment: Moment) -> NodeId {
        let known = match moment {
            Moment::Now => self.now[variable],
            Moment::Next => self.next[variable],
        };
        if let Some(node) = known {
            return node;
        }
        let of = &self.hierarchy.variables[variable];
        let (sort, is_input) = (of.domain.sort(), of.storage == Storage::Input);
        let name = of.name.clone();
        match moment {
            Moment::Now => {
                let node = if of.domain.size() == Some(1) {
                    self.words.constant(Bits::zero(1))
                } else if is_input {
                    self.words.input(name, sort)
                } else {
                    self.words.state(name, sort)
                };
                self.now[variable] = Some(node);
                node
            }
            Moment::Next => {
                let node = if of.domain.size() == Some(1) {
                    self.words.constant(Bits::zero(1))
                } else if of.storage == Storage::Frozen {
                    self.code(variable, Moment::Now)
                } else {
                    self.words.input(format!("next({name})"), sort)
                };
                self.next[variable] = Some(node);
                node
            }
        }
    }

    /// The value of a variable at a moment.
    pub fn variable(&mut self, variable: VarId, moment: Moment) -> Value {
        let code = self.code(variable, moment);
        let domain = self.hierarchy.variables[variable].domain.clone();
        let value = value::of_code(&mut self.words, &domain, code);
        if let Some(node) = value.node()
            && self.words.as_constant(node).is_none()
        {
            self.plain.entry(node).or_insert((variable, moment));
        }
        value
    }

    /// The process that runs, if it is this one.
    pub fn runs(&mut self, process: usize) -> NodeId {
        let Some(selector) = self.selector else { return self.words.bool(true) };
        let code = self.code(selector, Moment::Now);
        let width = self.words.width(code);
        let place = self.words.constant(Bits::from_u64(width, process as u64));
        self.words.equal(code, place)
    }

    fn no(&mut self) -> NodeId {
        self.words.bool(false)
    }

    fn of(&mut self, value: Value) -> Evaluated {
        let fail = self.no();
        Evaluated { value, fail, is_next: false, has_inputs: false }
    }

    fn failure(&mut self, condition: NodeId, span: Span, message: impl Into<String>) -> NodeId {
        if self.words.as_bool(condition) != Some(false) {
            self.failures.push(Failure { condition, span, message: message.into() });
        }
        condition
    }

    /// A value that depends on others, and fails where one of them does.
    fn from(&mut self, value: Value, parts: &[&Evaluated]) -> Evaluated {
        let fail = self.words.any(parts.iter().map(|part| part.fail));
        Evaluated {
            value,
            fail,
            is_next: parts.iter().any(|part| part.is_next),
            has_inputs: parts.iter().any(|part| part.has_inputs),
        }
    }

    pub fn evaluate(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        let key = (id, scope, moment);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if !self.open.insert(key) {
            return mistake(self.span(id), "this is defined by itself", "in a circle");
        }
        let result = grow(|| self.fresh(id, scope, moment));
        self.open.remove(&key);
        let result = result?;
        self.known.insert(key, result.clone());
        Ok(result)
    }

    /// A truth value.
    pub fn truth(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered<(NodeId, Evaluated)> {
        let evaluated = self.evaluate(id, scope, moment)?;
        match evaluated.value {
            Value::Bool(node) => Ok((node, evaluated)),
            ref other => {
                let found = other.describe(&self.words);
                mistake(self.span(id), format!("a truth value is expected here, not {found}"), "expected boolean")
            }
        }
    }

    fn fresh(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        let span = self.span(id);
        let text = self.hierarchy.text;
        match text.kind(id) {
            Kind::Boolean(value) => {
                let node = self.words.bool(*value);
                Ok(self.of(Value::Bool(node)))
            }
            Kind::Number(value) => {
                let int = integer(&mut self.words, *value);
                Ok(self.of(Value::Int(int)))
            }
            Kind::Word { signed, bits } => {
                let node = self.words.constant(bits.clone());
                Ok(self.of(Value::Word { node, signed: *signed }))
            }
            Kind::Name(_) | Kind::Dot(..) | Kind::Myself => self.path(id, scope, moment),
            Kind::Index(..) => self.index(id, scope, moment),
            Kind::Slice(of, high, low) => {
                let (high, low) = (self.hierarchy.constant(*high, scope)?, self.hierarchy.constant(*low, scope)?);
                let of = self.evaluate(*of, scope, moment)?;
                let Value::Word { node, .. } = of.value else {
                    let found = of.value.describe(&self.words);
                    return mistake(span, format!("bits are selected from words, not from {found}"), "of this");
                };
                let width = i64::from(self.words.width(node));
                if low < 0 || high < low || high >= width {
                    let message = format!("[{high}:{low}] is no part of a word of {width} bits");
                    return mistake(span, message, "the higher bit stands first, and bits count from 0");
                }
                let node = self.words.slice(node, high as u32, low as u32);
                Ok(self.from(Value::Word { node, signed: false }, &[&of]))
            }
            Kind::Not(of) => {
                let of = self.evaluate(*of, scope, moment)?;
                let value = match of.value {
                    Value::Bool(node) => Value::Bool(self.words.not(node)),
                    Value::Word { node, signed } => Value::Word { node: self.words.not(node), signed },
                    ref other => {
                        let found = other.describe(&self.words);
                        return mistake(span, format!("`!` needs a boolean or a word, here {found}"), "of this");
                    }
                };
                Ok(self.from(value, &[&of]))
            }
            Kind::Minus(of) => {
                let of = self.evaluate(*of, scope, moment)?;
                let value = match of.value {
                    Value::Int(int) => {
                        let width = self.words.width(int.node) + 1;
                        let wide = widened(&mut self.words, int, width);
                        let node = self.words.unary(Unary::Neg, wide);
                        Value::Int(value::fitted(&mut self.words, node, -int.high, -int.low))
                    }
                    Value::Word { node, signed } => Value::Word { node: self.words.unary(Unary::Neg, node), signed },
                    ref other => {
                        let found = other.describe(&self.words);
                        return mistake(span, format!("`-` needs an integer or a word, here {found}"), "of this");
                    }
                };
                Ok(self.from(value, &[&of]))
            }
            Kind::Binary(operator, a, b) => self.binary(*operator, *a, *b, span, scope, moment),
            Kind::Ite(condition, then, otherwise) => {
                self.cases(&[(*condition, *then)], Some(*otherwise), span, scope, moment)
            }
            Kind::Case(arms) => self.cases(arms, None, span, scope, moment),
            Kind::Set(elements) => self.set(elements, span, scope, moment),
            Kind::Next(of) => {
                if moment == Moment::Next {
                    return mistake(span, "there is no `next` within `next`", "the state after the next one");
                }
                let mut of = self.evaluate(*of, scope, Moment::Next)?;
                if of.has_inputs {
                    return mistake(span, "inputs have no next value", "inputs belong to steps");
                }
                of.is_next = true;
                Ok(of)
            }
            Kind::Call(function, arguments) => self.call(*function, arguments, span, scope, moment),
            Kind::Filled(of, element) => {
                let (of, element) = (self.evaluate(*of, scope, moment)?, self.evaluate(*element, scope, moment)?);
                let (Value::Words { node, index, signed }, Value::Word { node: word, signed: other }) =
                    (&of.value, &element.value)
                else {
                    return mistake(span, "CONSTARRAY needs an array of words and a word", "here");
                };
                let (node, index, signed, word) = (*node, *index, *signed, *word);
                if signed != *other || self.words.width(node) != self.words.width(word) {
                    return mistake(span, "the element is not of the array's type", "here");
                }
                if index > 12 {
                    return mistake(span, "constant arrays with so many cells are not supported", "here");
                }
                // The cells one by one: there is no constant for arrays.
                let mut array = node;
                for cell in 0..1_u64 << index {
                    let cell = self.words.constant(Bits::from_u64(index, cell));
                    array = self.words.write(array, cell, word);
                }
                let value = Value::Words { node: array, index, signed };
                Ok(self.from(value, &[&element]))
            }
            Kind::Linear(..) | Kind::LinearPair(..) | Kind::Branching(..) | Kind::BranchingUntil(..) => {
                mistake(span, "an operator of temporal logic stands here among values", "expected a value")
            }
            Kind::Foreign(what) => mistake(span, format!("`{what}` stands only within CONSTARRAY"), "not here"),
        }
    }

    fn path(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        let is_symbol = match self.hierarchy.text.kind(id) {
            Kind::Name(name) => self.hierarchy.symbols.contains(name),
            _ => false,
        };
        match self.hierarchy.resolve(id, scope)? {
            // An instance is no value, so that a value of its name is meant.
            Some(Entity::Instance(_)) if is_symbol => self.symbol(id),
            Some(entity) => self.entity(&entity, id, moment),
            None => self.symbol(id),
        }
    }

    fn symbol(&mut self, id: ExprId) -> Lowered<Evaluated> {
        let text = match self.hierarchy.text.kind(id) {
            Kind::Name(name) => Arc::clone(name),
            _ => self.hierarchy.shown(id).into(),
        };
        let node = self.words.constant(Bits::zero(1));
        let domain: Arc<[Constant]> = [Constant::Symbol(text)].into();
        Ok(self.of(Value::Symbol { node, domain }))
    }

    fn entity(&mut self, entity: &Entity, id: ExprId, moment: Moment) -> Lowered<Evaluated> {
        match *entity {
            Entity::Variable(variable) => {
                let value = self.variable(variable, moment);
                let mut result = self.of(value);
                result.is_next = moment == Moment::Next;
                result.has_inputs = self.hierarchy.variables[variable].storage == Storage::Input;
                Ok(result)
            }
            Entity::Expression { value, scope, .. } => self.evaluate(value, scope, moment),
            Entity::Running(process) => {
                let runs = self.runs(process);
                let mut result = self.of(Value::Bool(runs));
                result.has_inputs = self.selector.is_some();
                Ok(result)
            }
            Entity::Array(_) => {
                let name = self.hierarchy.shown(id);
                mistake(self.span(id), format!("`{name}` is a whole array"), "expected one element: `[index]`")
            }
            Entity::Instance(_) => {
                let name = self.hierarchy.shown(id);
                mistake(self.span(id), format!("`{name}` is an instance of a module"), "expected a value")
            }
        }
    }

    /// An element of an array, perhaps one that depends on values.
    fn index(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        if let Some(entity) = self.hierarchy.resolve(id, scope)? {
            return self.entity(&entity, id, moment);
        }
        let (mut base, mut indices) = (id, vec![]);
        let entity = loop {
            match *self.hierarchy.text.kind(base) {
                Kind::Index(of, index) => {
                    indices.push(index);
                    base = of;
                }
                Kind::Name(_) | Kind::Dot(..) => break self.hierarchy.resolve(base, scope)?,
                _ => break None,
            }
        };
        indices.reverse();
        if let Some(Entity::Array(elements)) = entity {
            return self.element(&elements, &indices, scope, moment, self.span(id));
        }
        // A word of an array of words.
        if let (Some(entity), &[index]) = (&entity, indices.as_slice()) {
            let of = self.entity(entity, base, moment)?;
            if let Value::Words { node, index: width, signed } = of.value {
                let index = self.evaluate(index, scope, moment)?;
                return self.read(node, width, signed, &of, &index, self.span(id));
            }
        }
        let message = format!("`{}` is no array", self.hierarchy.shown(base));
        mistake(self.span(base), message, "so it has no element; bits of a word are `w[high:low]`")
    }

    fn read(
        &mut self,
        node: NodeId,
        width: u32,
        signed: bool,
        of: &Evaluated,
        index: &Evaluated,
        span: Span,
    ) -> Lowered<Evaluated> {
        match index.value {
            Value::Word { node: at, signed: false } if self.words.width(at) == width => {
                let node = self.words.read(node, at);
                Ok(self.from(Value::Word { node, signed }, &[of, index]))
            }
            ref other => {
                let found = other.describe(&self.words);
                mistake(span, format!("the index is an unsigned word[{width}], here {found}"), "in this")
            }
        }
    }

    fn element(
        &mut self,
        elements: &Elements,
        indices: &[ExprId],
        scope: ScopeId,
        moment: Moment,
        span: Span,
    ) -> Lowered<Evaluated> {
        let (&first, rest) = indices.split_first().expect("there is an index");
        let index = self.evaluate(first, scope, moment)?;
        let Value::Int(int) = index.value else {
            let found = index.value.describe(&self.words);
            return mistake(self.span(first), format!("the index is an integer, here {found}"), "expected a number");
        };
        let high = elements.low + elements.items.len() as i64 - 1;
        let mut found: Vec<(NodeId, Evaluated)> = vec![];
        for (place, item) in elements.items.iter().enumerate() {
            let place = elements.low + place as i64;
            if place < int.low || place > int.high {
                continue;
            }
            let place = integer(&mut self.words, place);
            let Some(is_it) = value::equal(&mut self.words, &Value::Int(place), &Value::Int(int)) else { continue };
            let inner = match item {
                Entity::Array(inner) if !rest.is_empty() => grow(|| self.element(inner, rest, scope, moment, span))?,
                _ if !rest.is_empty() => return mistake(span, "there are more indices than dimensions", "here"),
                other => self.entity(other, first, moment)?,
            };
            found.push((is_it, inner));
        }
        let outside = value::within(&mut self.words, int, elements.low, high);
        let outside = self.words.not(outside);
        let message = format!("the index can be outside of the array, {}..{high}", elements.low);
        let outside = self.failure(outside, self.span(first), message);
        let mut values: Vec<Value> = found.iter().map(|(_, inner)| inner.value.clone()).collect();
        if let Err(types) = unify(&mut self.words, &mut values) {
            return mistake(span, format!("the elements are of different types: {types}"), "here");
        }
        let Some(mut value) = values.last().cloned() else {
            return mistake(self.span(first), "the index is always outside of the array", "no such element");
        };
        let mut fail = self.no();
        for ((is_it, inner), one) in found.iter().zip(&values).rev() {
            value = choose(&mut self.words, *is_it, one, &value);
            let failing = self.words.and(*is_it, inner.fail);
            fail = self.words.or(fail, failing);
        }
        let parts: Vec<&Evaluated> = found.iter().map(|(_, inner)| inner).chain([&index]).collect();
        let mut result = self.from(value, &parts);
        let fail = self.words.or(fail, outside);
        result.fail = self.words.or(fail, index.fail);
        Ok(result)
    }

    fn cases(
        &mut self,
        arms: &[(ExprId, ExprId)],
        otherwise: Option<ExprId>,
        span: Span,
        scope: ScopeId,
        moment: Moment,
    ) -> Lowered<Evaluated> {
        let (mut conditions, mut all) = (vec![], vec![]);
        for &(condition, value) in arms {
            conditions.push(self.truth(condition, scope, moment)?);
            all.push(self.evaluate(value, scope, moment)?);
        }
        let mut fail = match otherwise {
            Some(otherwise) => {
                let otherwise = self.evaluate(otherwise, scope, moment)?;
                let fail = otherwise.fail;
                all.push(otherwise);
                fail
            }
            None => {
                let any = self.words.any(conditions.iter().map(|(node, _)| *node).collect::<Vec<_>>());
                let none = self.words.not(any);
                self.failure(none, span, "the conditions of this `case` do not cover all values");
                self.words.bool(true)
            }
        };
        let value = if all.iter().any(|one| matches!(one.value, Value::Set(_))) {
            let mut sets: Vec<Set> = all.iter().map(|one| self.as_set(&one.value)).collect();
            let mut result = sets.pop().expect("there is an arm");
            if otherwise.is_none() {
                // Whatever is taken where no condition holds; that fails.
                sets.push(result.clone());
            }
            for ((condition, _), set) in conditions.iter().zip(sets).rev() {
                result = self.choose_sets(*condition, &set, &result, span)?;
            }
            Value::Set(Arc::new(result))
        } else {
            let mut values: Vec<Value> = all.iter().map(|one| one.value.clone()).collect();
            if let Err(types) = unify(&mut self.words, &mut values) {
                return mistake(span, format!("the branches are of different types: {types}"), "here");
            }
            let mut value = values.last().cloned().expect("there is an arm");
            for ((condition, _), one) in conditions.iter().zip(&values).rev() {
                value = choose(&mut self.words, *condition, one, &value);
            }
            value
        };
        for ((condition, of), one) in conditions.iter().zip(&all).rev() {
            let here = self.words.ite(*condition, one.fail, fail);
            fail = self.words.or(of.fail, here);
        }
        let parts: Vec<&Evaluated> = conditions.iter().map(|(_, of)| of).chain(&all).collect();
        let mut result = self.from(value, &parts);
        result.fail = fail;
        Ok(result)
    }

    /// A single value is a set of one.
    pub fn as_set(&mut self, value: &Value) -> Set {
        match value {
            Value::Set(set) => Set::clone(set),
            other => {
                let yes = self.words.bool(true);
                Set { values: vec![(yes, other.clone())], ranges: vec![] }
            }
        }
    }

    fn choose_sets(&mut self, condition: NodeId, then: &Set, otherwise: &Set, span: Span) -> Lowered<Set> {
        match self.words.as_bool(condition) {
            Some(true) => return Ok(then.clone()),
            Some(false) => return Ok(otherwise.clone()),
            None => {}
        }
        let mut result = Set::default();
        let negated = self.words.not(condition);
        for place in 0..then.values.len().max(otherwise.values.len()) {
            result.values.push(match (then.values.get(place), otherwise.values.get(place)) {
                (Some((g, a)), Some((h, b))) => {
                    let mut both = [a.clone(), b.clone()];
                    if let Err(types) = unify(&mut self.words, &mut both) {
                        return mistake(span, format!("the branches are of different types: {types}"), "here");
                    }
                    let guard = self.words.ite(condition, *g, *h);
                    (guard, choose(&mut self.words, condition, &both[0], &both[1]))
                }
                (Some((g, a)), None) => (self.words.and(condition, *g), a.clone()),
                (None, Some((h, b))) => (self.words.and(negated, *h), b.clone()),
                (None, None) => continue,
            });
        }
        for (of, guard) in [(then, condition), (otherwise, negated)] {
            for &(g, low, high) in &of.ranges {
                let guard = self.words.and(guard, g);
                match result.ranges.iter_mut().find(|(_, l, h)| (*l, *h) == (low, high)) {
                    Some((known, ..)) => *known = self.words.or(*known, guard),
                    None => result.ranges.push((guard, low, high)),
                }
            }
        }
        Ok(result)
    }

    fn set(&mut self, elements: &[ExprId], span: Span, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        let mut all = vec![];
        for &element in elements {
            all.push(self.evaluate(element, scope, moment)?);
        }
        if let [one] = all.as_slice() {
            return Ok(one.clone());
        }
        self.union(&all, span)
    }

    fn union(&mut self, parts: &[Evaluated], span: Span) -> Lowered<Evaluated> {
        let mut result = Set::default();
        for part in parts {
            let set = self.as_set(&part.value);
            for (guard, value) in set.values {
                let same = |(known, other): &(NodeId, Value)| *known == guard && other.node() == value.node();
                if !result
                    .values
                    .iter()
                    .any(|known| same(known) && known.1.node().is_some() && same_kind(&known.1, &value))
                {
                    result.values.push((guard, value));
                }
            }
            result.ranges.extend(set.ranges);
        }
        let mut kinds: Vec<Value> = result.values.iter().map(|(_, value)| value.clone()).collect();
        if !result.ranges.is_empty() {
            kinds.push(Value::Int(integer(&mut self.words, 0)));
        }
        let is_word = |value: &Value| matches!(value, Value::Word { .. } | Value::Words { .. });
        if let Some(word) = kinds.iter().find(|value| is_word(value)) {
            let found = word.describe(&self.words);
            return mistake(span, format!("there are no sets of words, here {found}"), "in this set");
        }
        // Symbols keep their own lists, numbers stay numbers: only types are compared.
        let mut singles = kinds.clone();
        if let Err(types) = unify(&mut self.words, &mut singles) {
            return mistake(span, format!("the elements are of different types: {types}"), "in this set");
        }
        let parts: Vec<&Evaluated> = parts.iter().collect();
        Ok(self.from(Value::Set(Arc::new(result)), &parts))
    }

    /// Whether a value is an element of a set; none if they are of different types.
    pub fn is_element(&mut self, value: &Value, set: &Value) -> Option<NodeId> {
        let set = match set {
            Value::Set(set) => Arc::clone(set),
            other => return self.equal(value, other),
        };
        let mut any = self.no();
        for (guard, element) in &set.values {
            let is_it = value::equal(&mut self.words, value, element)?;
            let here = self.words.and(*guard, is_it);
            any = self.words.or(any, here);
        }
        for &(guard, low, high) in &set.ranges {
            let is_it = match *value {
                Value::Int(int) => value::within(&mut self.words, int, low, high),
                Value::Symbol { .. } => {
                    let mut is_it = self.no();
                    for number in low..=high.min(low + MOST_MIXED) {
                        let number = Value::Int(integer(&mut self.words, number));
                        let one = value::equal(&mut self.words, value, &number)?;
                        is_it = self.words.or(is_it, one);
                    }
                    is_it
                }
                _ => return None,
            };
            let here = self.words.and(guard, is_it);
            any = self.words.or(any, here);
        }
        Some(any)
    }

    /// Whether a value, or each element of a set, is an element of another set; none if they are of different types.
    fn is_subset(&mut self, value: &Value, of: &Value) -> Option<NodeId> {
        let Value::Set(set) = value else { return self.is_element(value, of) };
        let mut all = self.words.bool(true);
        for (guard, element) in set.values.clone() {
            let is_it = self.is_element(&element, of)?;
            let absent = self.words.not(guard);
            let here = self.words.or(absent, is_it);
            all = self.words.and(all, here);
        }
        for &(guard, low, high) in &set.ranges {
            if high - low >= MOST_MIXED {
                return None;
            }
            for number in low..=high {
                let number = Value::Int(integer(&mut self.words, number));
                let is_it = self.is_element(&number, of)?;
                let absent = self.words.not(guard);
                let here = self.words.or(absent, is_it);
                all = self.words.and(all, here);
            }
        }
        Some(all)
    }

    /// Whether two values are equal, with a note if that determines a variable.
    pub fn equal(&mut self, a: &Value, b: &Value) -> Option<NodeId> {
        let node = value::equal(&mut self.words, a, b)?;
        if self.words.as_bool(node).is_none() {
            for (one, other) in [(a, b), (b, a)] {
                let Some(&(variable, moment)) = one.node().and_then(|node| self.plain.get(&node)) else { continue };
                let domain = self.hierarchy.variables[variable].domain.clone();
                if let Some((code, is_possible)) = value::to_code(&mut self.words, &domain, other) {
                    let found = Determined { variable, moment, code, is_possible };
                    self.determined.entry(node).or_default().push(found);
                }
            }
        }
        Some(node)
    }

    fn binary(
        &mut self,
        operator: Binary,
        a: ExprId,
        b: ExprId,
        span: Span,
        scope: ScopeId,
        moment: Moment,
    ) -> Lowered<Evaluated> {
        if operator == Binary::Range {
            return self.range(a, b, span, scope);
        }
        let (x, y) = (self.evaluate(a, scope, moment)?, self.evaluate(b, scope, moment)?);
        let types = |evaluator: &Self| {
            let (a, b) = (x.value.describe(&evaluator.words), y.value.describe(&evaluator.words));
            format!("{a} and {b}")
        };
        let misfit = |evaluator: &Self, needs: &str| {
            let message = format!("`{}` needs {needs}, here {}", operator.text(), types(evaluator));
            mistake(span, message, "these do not fit")
        };
        let value = match operator {
            Binary::Range => unreachable!("it was seen to"),
            Binary::And | Binary::Or | Binary::Xor | Binary::Xnor | Binary::Iff | Binary::Implies => {
                let op = match operator {
                    Binary::And => Op::And,
                    Binary::Or => Op::Or,
                    Binary::Xor => Op::Xor,
                    Binary::Xnor | Binary::Iff => Op::Xnor,
                    _ => Op::Implies,
                };
                match (&x.value, &y.value) {
                    (&Value::Bool(p), &Value::Bool(q)) => {
                        let result = match operator {
                            Binary::Iff | Binary::Xnor => {
                                self.equal(&x.value, &y.value).expect("both are truth values")
                            }
                            _ => self.words.binary(op, p, q),
                        };
                        return Ok(self.guarded(operator, (p, &x), (q, &y), result));
                    }
                    (&Value::Word { node: p, signed }, &Value::Word { node: q, signed: other })
                        if signed == other && self.words.sort(p) == self.words.sort(q) =>
                    {
                        let node = match operator {
                            Binary::Implies => {
                                let not = self.words.not(p);
                                self.words.or(not, q)
                            }
                            Binary::Iff | Binary::Xnor => {
                                let xor = self.words.binary(Op::Xor, p, q);
                                self.words.not(xor)
                            }
                            _ => self.words.binary(op, p, q),
                        };
                        Value::Word { node, signed }
                    }
                    _ => return misfit(self, "two booleans or two words of one width and sign"),
                }
            }
            Binary::Equal | Binary::Unequal => {
                if matches!(x.value, Value::Set(_)) || matches!(y.value, Value::Set(_)) {
                    return misfit(self, "two single values; whether one is in a set is `in`");
                }
                let Some(equal) = self.equal(&x.value, &y.value) else {
                    return misfit(self, "two values of one type");
                };
                Value::Bool(if operator == Binary::Equal { equal } else { self.words.not(equal) })
            }
            Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => {
                let (first, second) = match operator {
                    Binary::Less | Binary::LessEqual => (&x.value, &y.value),
                    _ => (&y.value, &x.value),
                };
                let is_strict = matches!(operator, Binary::Less | Binary::Greater);
                match (first, second) {
                    (&Value::Int(a), &Value::Int(b)) => {
                        let op = if is_strict { Op::Slt } else { Op::Slte };
                        Value::Bool(compare(&mut self.words, op, a, b))
                    }
                    (&Value::Word { node: a, signed }, &Value::Word { node: b, signed: other })
                        if signed == other && self.words.sort(a) == self.words.sort(b) =>
                    {
                        let op = match (signed, is_strict) {
                            (true, true) => Op::Slt,
                            (true, false) => Op::Slte,
                            (false, true) => Op::Ult,
                            (false, false) => Op::Ulte,
                        };
                        Value::Bool(self.words.binary(op, a, b))
                    }
                    _ => return misfit(self, "two integers or two words of one width and sign"),
                }
            }
            Binary::In => match self.is_subset(&x.value, &y.value) {
                Some(node) => Value::Bool(node),
                None => return misfit(self, "a value and a set of its type"),
            },
            Binary::Union => return self.union(&[x, y], span),
            Binary::Concat => match (&x.value, &y.value) {
                (&Value::Word { node: a, .. }, &Value::Word { node: b, .. }) => {
                    if self.words.width(a).saturating_add(self.words.width(b)) > MOST_BITS {
                        return mistake(span, format!("a word has at most {MOST_BITS} bits"), "this has more");
                    }
                    Value::Word { node: self.words.binary(Op::Concat, a, b), signed: false }
                }
                _ => return misfit(self, "two words"),
            },
            Binary::ShiftLeft | Binary::ShiftRight => return self.shift(operator, &x, &y, span, b),
            Binary::Plus | Binary::Minus | Binary::Times | Binary::Divide | Binary::Mod => match (&x.value, &y.value) {
                (&Value::Int(p), &Value::Int(q)) => return self.arithmetic(operator, p, q, &x, &y, span, b),
                (&Value::Word { node: p, signed }, &Value::Word { node: q, signed: other })
                    if signed == other && self.words.sort(p) == self.words.sort(q) =>
                {
                    let op = match (operator, signed) {
                        (Binary::Plus, _) => Op::Add,
                        (Binary::Minus, _) => Op::Sub,
                        (Binary::Times, _) => Op::Mul,
                        (Binary::Divide, true) => Op::Sdiv,
                        (Binary::Divide, false) => Op::Udiv,
                        (_, true) => Op::Srem,
                        (_, false) => Op::Urem,
                    };
                    let node = self.words.binary(op, p, q);
                    let mut result = self.from(Value::Word { node, signed }, &[&x, &y]);
                    if matches!(operator, Binary::Divide | Binary::Mod) {
                        let zero = self.words.constant(Bits::zero(self.words.width(q)));
                        let is_zero = self.words.equal(q, zero);
                        let is_zero = self.failure(is_zero, self.span(b), "the divisor can be zero");
                        result.fail = self.words.or(result.fail, is_zero);
                    }
                    return Ok(result);
                }
                _ => return misfit(self, "two integers or two words of one width and sign"),
            },
        };
        Ok(self.from(value, &[&x, &y]))
    }

    /// A connective, which has a value even where one side fails if the other one decides it.
    fn guarded(
        &mut self,
        operator: Binary,
        (p, x): (NodeId, &Evaluated),
        (q, y): (NodeId, &Evaluated),
        node: NodeId,
    ) -> Evaluated {
        let mut result = self.from(Value::Bool(node), &[x, y]);
        // The condition under which the other side matters.
        let (for_x, for_y) = match operator {
            Binary::And => (q, p),
            Binary::Or => (self.words.not(q), self.words.not(p)),
            Binary::Implies => (self.words.not(q), p),
            _ => return result,
        };
        let for_x = self.words.or(for_x, y.fail);
        let for_y = self.words.or(for_y, x.fail);
        let (left, right) = (self.words.and(x.fail, for_x), self.words.and(y.fail, for_y));
        result.fail = self.words.or(left, right);
        result
    }

    fn range(&mut self, a: ExprId, b: ExprId, span: Span, scope: ScopeId) -> Lowered<Evaluated> {
        let (low, high) = (self.hierarchy.constant(a, scope)?, self.hierarchy.constant(b, scope)?);
        if low > high {
            return mistake(span, format!("the range {low}..{high} is empty"), "no value");
        }
        if low == high {
            let int = integer(&mut self.words, low);
            return Ok(self.of(Value::Int(int)));
        }
        let yes = self.words.bool(true);
        let set = Set { values: vec![], ranges: vec![(yes, low, high)] };
        Ok(self.of(Value::Set(Arc::new(set))))
    }

    fn shift(&mut self, operator: Binary, x: &Evaluated, y: &Evaluated, span: Span, by: ExprId) -> Lowered<Evaluated> {
        let Value::Word { node, signed } = x.value else {
            let found = x.value.describe(&self.words);
            let message = format!("`{}` shifts a word, here {found}", operator.text());
            return mistake(span, message, "expected a word on its left");
        };
        let width = self.words.width(node);
        let amount = match y.value {
            Value::Int(int) => int,
            Value::Word { node, signed: false } => match self.as_int(node, false) {
                Some(int) => int,
                None => return mistake(self.span(by), "the amount is a very wide word", "expected fewer bits"),
            },
            ref other => {
                let found = other.describe(&self.words);
                let message = format!("a word is shifted by an integer or an unsigned word, here {found}");
                return mistake(self.span(by), message, "by this");
            }
        };
        let is_fine = value::within(&mut self.words, amount, 0, i64::from(width));
        let outside = self.words.not(is_fine);
        let message = format!("a word of {width} bits can be shifted by less than 0 or more than {width} here");
        let outside = self.failure(outside, self.span(by), message);
        let op = match (operator, signed) {
            (Binary::ShiftLeft, _) => Op::Sll,
            (_, true) => Op::Sra,
            (_, false) => Op::Srl,
        };
        let wide = width.max(self.words.width(amount.node));
        let (value, amount) = (self.words.resize(node, wide, signed), self.words.resize(amount.node, wide, true));
        let shifted = self.words.binary(op, value, amount);
        let node = self.words.slice(shifted, width - 1, 0);
        let mut result = self.from(Value::Word { node, signed }, &[x, y]);
        result.fail = self.words.or(result.fail, outside);
        Ok(result)
    }

    /// A word as a number.
    fn as_int(&mut self, node: NodeId, signed: bool) -> Option<Int> {
        let width = self.words.width(node);
        if let Some(value) = self.words.as_constant(node).and_then(|bits| if signed { None } else { bits.to_u64() }) {
            let value = i64::try_from(value).ok().filter(|&value| i128::from(value) < LARGEST)?;
            return Some(integer(&mut self.words, value));
        }
        if width > 59 {
            return None;
        }
        Some(match signed {
            true => Int { node, low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 },
            false => {
                let node = self.words.extend(node, 1, false);
                Int { node, low: 0, high: (1 << width) - 1 }
            }
        })
    }

    #[allow(clippy::too_many_arguments, reason = "both operands, as numbers and as what they come from")]
    fn arithmetic(
        &mut self,
        operator: Binary,
        p: Int,
        q: Int,
        x: &Evaluated,
        y: &Evaluated,
        span: Span,
        divisor: ExprId,
    ) -> Lowered<Evaluated> {
        let wide = |int: Int| (i128::from(int.low), i128::from(int.high));
        let ((a, b), (c, d)) = (wide(p), wide(q));
        let products = [a * c, a * d, b * c, b * d];
        let most = a.abs().max(b.abs());
        let of = c.abs().max(d.abs()).max(1);
        let (low, high) = match operator {
            Binary::Plus => (a + c, b + d),
            Binary::Minus => (a - d, b - c),
            Binary::Times => (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0)),
            Binary::Divide if c > 0 => ((a / c).min(a / d).min(0), (b / c).max(b / d).max(0)),
            Binary::Divide => (-most, most),
            _ => {
                let rest = (of - 1).min(most);
                (if a < 0 { -rest } else { 0 }, if b > 0 { rest } else { 0 })
            }
        };
        if low < -LARGEST || high > LARGEST {
            return mistake(span, "these numbers become too large", "more than 60 bits");
        }
        let (low, high) = (low as i64, high as i64);
        let width = signed_width(low, high).max(self.words.width(p.node)).max(self.words.width(q.node)) + 1;
        let (left, right) = (widened(&mut self.words, p, width), widened(&mut self.words, q, width));
        let op = match operator {
            Binary::Plus => Op::Add,
            Binary::Minus => Op::Sub,
            Binary::Times => Op::Mul,
            Binary::Divide => Op::Sdiv,
            _ => Op::Srem,
        };
        let node = self.words.binary(op, left, right);
        let int = value::fitted(&mut self.words, node, low, high);
        let mut result = self.from(Value::Int(int), &[x, y]);
        if matches!(operator, Binary::Divide | Binary::Mod) {
            let zero = integer(&mut self.words, 0);
            let is_zero = value::equal(&mut self.words, &Value::Int(q), &Value::Int(zero)).expect("both are numbers");
            let is_zero = self.failure(is_zero, self.span(divisor), "the divisor can be zero");
            result.fail = self.words.or(result.fail, is_zero);
        }
        Ok(result)
    }

    fn call(
        &mut self,
        function: Function,
        arguments: &[ExprId],
        span: Span,
        scope: ScopeId,
        moment: Moment,
    ) -> Lowered<Evaluated> {
        let first = match function {
            Function::UnsignedConstant | Function::SignedConstant => None,
            _ => Some(self.evaluate(arguments[0], scope, moment)?),
        };
        let refused = |evaluator: &Self, what: &str, found: &Value| {
            let found = found.describe(&evaluator.words);
            mistake(span, format!("{what}, here {found}"), "in this call")
        };
        let Some(first) = first else {
            return self.constant_word(function == Function::SignedConstant, arguments, span, scope);
        };
        let value = match (function, &first.value) {
            (Function::Bool, &Value::Bool(node)) => Value::Bool(node),
            (Function::Bool, &Value::Int(int)) => {
                let zero = integer(&mut self.words, 0);
                let is_zero = value::equal(&mut self.words, &Value::Int(int), &Value::Int(zero)).expect("numbers");
                Value::Bool(self.words.not(is_zero))
            }
            (Function::Bool, &Value::Word { node, signed: false }) if self.words.width(node) == 1 => Value::Bool(node),
            (Function::Bool, other) => return refused(self, "`bool` takes an integer or an unsigned word[1]", other),
            (Function::Word1, &Value::Bool(node)) => Value::Word { node, signed: false },
            (Function::Word1, other) => return refused(self, "`word1` takes a boolean", other),
            (Function::ToInt, &Value::Int(int)) => Value::Int(int),
            (Function::ToInt, &Value::Bool(node)) => {
                let node = self.words.extend(node, 1, false);
                Value::Int(Int { node, low: 0, high: 1 })
            }
            (Function::ToInt, &Value::Word { node, signed }) => match self.as_int(node, signed) {
                Some(int) => Value::Int(int),
                None => return mistake(span, "`toint` of so wide a word is not supported", "at most 59 bits"),
            },
            (Function::ToInt, other) => return refused(self, "`toint` takes a word or a boolean", other),
            (Function::Count, _) => return self.count(arguments, span, scope, moment),
            (Function::Abs, &Value::Int(int)) => Value::Int(value::absolute(&mut self.words, int)),
            (Function::Abs, other) => return refused(self, "`abs` takes an integer", other),
            (Function::Max | Function::Min, _) => {
                let second = self.evaluate(arguments[1], scope, moment)?;
                let (&Value::Int(a), &Value::Int(b)) = (&first.value, &second.value) else {
                    let found = if matches!(first.value, Value::Int(_)) { &second.value } else { &first.value };
                    return refused(self, "`max` and `min` take two integers", found);
                };
                let is_less = compare(&mut self.words, Op::Slt, a, b);
                let (small, large) = (Value::Int(a), Value::Int(b));
                let result = match function {
                    Function::Max => choose(&mut self.words, is_less, &large, &small),
                    _ => choose(&mut self.words, is_less, &small, &large),
                };
                let bounds: fn(i64, i64) -> i64 = if function == Function::Max { i64::max } else { i64::min };
                let Value::Int(result) = result else { unreachable!("it is a number") };
                let (low, high) = (bounds(a.low, b.low), bounds(a.high, b.high));
                let result = value::fitted(&mut self.words, result.node, low, high);
                return Ok(self.from(Value::Int(result), &[&first, &second]));
            }
            (Function::SizeOf, &Value::Word { node, .. }) => {
                let width = i64::from(self.words.width(node));
                Value::Int(integer(&mut self.words, width))
            }
            (Function::SizeOf, other) => return refused(self, "`sizeof` takes a word", other),
            (Function::Signed, &Value::Word { node, .. }) => Value::Word { node, signed: true },
            (Function::Unsigned, &Value::Word { node, .. }) => Value::Word { node, signed: false },
            (Function::Signed | Function::Unsigned, other) => {
                return refused(self, "`signed` and `unsigned` take a word", other);
            }
            (Function::Extend | Function::Resize, &Value::Word { node, signed }) => {
                let by = self.hierarchy.constant(arguments[1], scope)?;
                let now = self.words.width(node);
                let width = if function == Function::Extend { i64::from(now).saturating_add(by) } else { by };
                let least = if function == Function::Extend { i64::from(now) } else { 1 };
                if width < least || width > i64::from(MOST_BITS) {
                    let message = format!("a word of {width} bits cannot be made of one of {now}");
                    return mistake(self.span(arguments[1]), message, "in this call");
                }
                let width = width as u32;
                let node = match width < now && signed {
                    // The sign stays, and the lowest bits below it.
                    true => {
                        let sign = self.words.slice(node, now - 1, now - 1);
                        match width {
                            1 => sign,
                            _ => {
                                let low = self.words.slice(node, width - 2, 0);
                                self.words.binary(Op::Concat, sign, low)
                            }
                        }
                    }
                    false => self.words.resize(node, width, signed),
                };
                Value::Word { node, signed }
            }
            (Function::Extend | Function::Resize, other) => {
                return refused(self, "`extend` and `resize` take a word", other);
            }
            (Function::Read, &Value::Words { node, index, signed }) => {
                let at = self.evaluate(arguments[1], scope, moment)?;
                return self.read(node, index, signed, &first, &at, span);
            }
            (Function::Write, &Value::Words { node, index, signed }) => {
                let (at, new) =
                    (self.evaluate(arguments[1], scope, moment)?, self.evaluate(arguments[2], scope, moment)?);
                let (at_value, new_value) = (at.value.clone(), new.value.clone());
                match (at_value, new_value) {
                    (Value::Word { node: place, signed: false }, Value::Word { node: word, signed: other })
                        if self.words.width(place) == index
                            && self.words.width(word) == self.words.width(node)
                            && other == signed =>
                    {
                        let node = self.words.write(node, place, word);
                        return Ok(self.from(Value::Words { node, index, signed }, &[&first, &at, &new]));
                    }
                    (_, found) => return refused(self, "`WRITE` takes an array, an index and an element", &found),
                }
            }
            (Function::Read | Function::Write, other) => return refused(self, "this takes an array of words", other),
            (Function::UnsignedConstant | Function::SignedConstant, _) => unreachable!("it was seen to"),
        };
        Ok(self.from(value, &[&first]))
    }

    fn constant_word(&mut self, signed: bool, arguments: &[ExprId], span: Span, scope: ScopeId) -> Lowered<Evaluated> {
        let value = self.hierarchy.constant(arguments[0], scope)?;
        let width = self.hierarchy.constant(arguments[1], scope)?;
        if !(1..=i64::from(MOST_BITS)).contains(&width) {
            return mistake(span, format!("a word has 1 to {MOST_BITS} bits, not {width}"), "in this call");
        }
        let needed = signed_width(value, value);
        let fits = if signed { needed <= width as u32 } else { value >= 0 && needed - 1 <= width as u32 };
        if !fits {
            return mistake(span, format!("{value} does not fit into {width} bits"), "in this call");
        }
        let bits = Bits::from_u64(64, value as u64);
        let width = width as u32;
        let bits = if width <= 64 { bits.resize(width) } else { bits.resize_signed(width) };
        let node = self.words.constant(bits);
        Ok(self.of(Value::Word { node, signed }))
    }

    fn count(&mut self, arguments: &[ExprId], span: Span, scope: ScopeId, moment: Moment) -> Lowered<Evaluated> {
        let mut parts = vec![];
        for &argument in arguments {
            parts.push(self.truth(argument, scope, moment)?);
        }
        let high = parts.len() as i64;
        let width = signed_width(0, high);
        let mut sum = self.words.constant(Bits::zero(width));
        for (node, _) in &parts {
            let one = self.words.resize(*node, width, false);
            sum = self.words.binary(Op::Add, sum, one);
        }
        debug_assert!(self.words.sort(sum) == Sort::Bits(width), "{span:?}");
        let parts: Vec<&Evaluated> = parts.iter().map(|(_, evaluated)| evaluated).collect();
        Ok(self.from(Value::Int(Int { node: sum, low: 0, high }), &parts))
    }

    /// The domain of a variable.
    pub fn domain(&self, variable: VarId) -> &Domain {
        &self.hierarchy.variables[variable].domain
    }
}

/// Whether equal nodes mean equal values.
fn same_kind(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Symbol { domain: x, .. }, Value::Symbol { domain: y, .. }) => x == y,
        (Value::Int(_), Value::Int(_)) | (Value::Bool(_), Value::Bool(_)) => true,
        _ => false,
    }
}
