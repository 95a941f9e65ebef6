//! Values of expressions, as words of the model with what is known of them; how two of them are compared and joined.

use std::sync::Arc;

use redoubt_words::build::Builder;
use redoubt_words::{Binary as Op, Bits, NodeId, Unary};

use crate::ast::Constant;
use crate::domain::{Domain, bits_for};

/// Numbers beyond this are refused. Nothing wraps within it.
pub const LARGEST: i128 = 1 << 60;
/// More elements of a set, or symbols and numbers mixed in one expression, are refused.
pub const MOST_MIXED: i64 = 4096;

/// A number between two bounds, as a word with a sign that is wide enough for both.
#[derive(Clone, Copy, Debug)]
pub struct Int {
    pub node: NodeId,
    pub low: i64,
    pub high: i64,
}

#[derive(Clone, Debug)]
pub enum Value {
    Bool(NodeId),
    Int(Int),
    Word {
        node: NodeId,
        signed: bool,
    },
    /// One of some constants, a symbol among them, by its place.
    Symbol {
        node: NodeId,
        domain: Arc<[Constant]>,
    },
    Set(Arc<Set>),
    /// A whole array with words for indices.
    Words {
        node: NodeId,
        index: u32,
        signed: bool,
    },
}

/// Some values, one of which is taken. At least one of the conditions is true.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Each value is an element while its condition is true.
    pub values: Vec<(NodeId, Value)>,
    pub ranges: Vec<(NodeId, i64, i64)>,
}

/// Why an operation has no result: the types in words.
pub type Mismatch = String;

/// The width of a word with a sign in which both ends fit.
pub fn signed_width(low: i64, high: i64) -> u32 {
    let magnitude = |value: i64| 64 - (if value < 0 { !value } else { value }).leading_zeros();
    magnitude(low).max(magnitude(high)) + 1
}

impl Value {
    /// The type in words.
    pub fn describe(&self, words: &Builder) -> String {
        match self {
            Value::Bool(_) => "boolean".into(),
            Value::Int(_) => "integer".into(),
            Value::Word { node, signed } => {
                format!("{} word[{}]", if *signed { "signed" } else { "unsigned" }, words.width(*node))
            }
            Value::Symbol { domain, .. } => {
                let mixed = domain.iter().any(|constant| !matches!(constant, Constant::Symbol(_)));
                if mixed { "an enumeration of numbers and symbols".into() } else { "a symbol".into() }
            }
            Value::Set(set) => match set.values.first() {
                Some((_, value)) => format!("a set ({})", value.describe(words)),
                None => "a set (integer)".into(),
            },
            Value::Words { .. } => "an array of words".into(),
        }
    }

    /// The node of a single value.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Value::Bool(node) | Value::Word { node, .. } | Value::Symbol { node, .. } | Value::Words { node, .. } => {
                Some(*node)
            }
            Value::Int(int) => Some(int.node),
            Value::Set(_) => None,
        }
    }
}

pub fn integer(words: &mut Builder, value: i64) -> Int {
    let width = signed_width(value, value);
    let node = words.constant(Bits::from_u64(64, value as u64).resize_signed_to(width));
    Int { node, low: value, high: value }
}

/// Cutting a number with a sign to a width in which it fits.
trait Cut {
    fn resize_signed_to(&self, width: u32) -> Bits;
}

impl Cut for Bits {
    fn resize_signed_to(&self, width: u32) -> Bits {
        if width <= self.width() { self.resize(width) } else { self.resize_signed(width) }
    }
}

/// The number as a word with a sign of this width.
pub fn widened(words: &mut Builder, int: Int, width: u32) -> NodeId {
    words.resize(int.node, width, true)
}

/// A word with a sign, wide enough for it, as a number within these bounds.
pub fn fitted(words: &mut Builder, node: NodeId, low: i64, high: i64) -> Int {
    let node = words.resize(node, signed_width(low, high), true);
    Int { node, low, high }
}

/// The value of a variable that a word stands for.
pub fn of_code(words: &mut Builder, domain: &Domain, code: NodeId) -> Value {
    match domain {
        Domain::Boolean => Value::Bool(code),
        &Domain::Range(low, high) => {
            let width = signed_width(low, high).max(words.width(code) + 1);
            let wide = words.resize(code, width, false);
            let low_node = words.constant(Bits::from_u64(64, low as u64).resize_signed_to(width));
            let sum = words.binary(Op::Add, wide, low_node);
            Value::Int(fitted(words, sum, low, high))
        }
        Domain::Numbers(numbers) => {
            let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
            let width = signed_width(low, high);
            let mut node = words.constant(Bits::from_u64(64, high as u64).resize_signed_to(width));
            let code_width = words.width(code);
            for (place, &number) in numbers.iter().enumerate().rev().skip(1) {
                let place = words.constant(Bits::from_u64(code_width, place as u64));
                let is_it = words.equal(code, place);
                let number = words.constant(Bits::from_u64(64, number as u64).resize_signed_to(width));
                node = words.ite(is_it, number, node);
            }
            Value::Int(Int { node, low, high })
        }
        Domain::Symbols(constants) => Value::Symbol { node: code, domain: Arc::clone(constants) },
        Domain::Word { signed, .. } => Value::Word { node: code, signed: *signed },
        Domain::Words { index, signed, .. } => Value::Words { node: code, index: *index, signed: *signed },
    }
}

/// The word that stands for a value in a domain, and whether the value is in it; none if the types differ.
pub fn to_code(words: &mut Builder, domain: &Domain, value: &Value) -> Option<(NodeId, NodeId)> {
    let yes = words.bool(true);
    match (domain, value) {
        (Domain::Boolean, &Value::Bool(node)) => Some((node, yes)),
        (&Domain::Range(low, high), &Value::Int(int)) => {
            let code_width = bits_for(high.abs_diff(low) + 1);
            let width = signed_width(low.min(int.low), high.max(int.high)).max(code_width) + 1;
            let (wide, bottom) = (widened(words, int, width), integer(words, low));
            let bottom = widened(words, bottom, width);
            let difference = words.binary(Op::Sub, wide, bottom);
            let code = words.slice(difference, code_width - 1, 0);
            Some((code, within(words, int, low, high)))
        }
        (Domain::Numbers(numbers), &Value::Int(int)) => {
            let width = bits_for(numbers.len() as u64);
            let (mut code, mut is_in) = (words.constant(Bits::zero(width)), words.bool(false));
            for (place, &number) in numbers.iter().enumerate() {
                let other = integer(words, number);
                let is_it = equal_ints(words, int, other);
                let place = words.constant(Bits::from_u64(width, place as u64));
                code = words.ite(is_it, place, code);
                is_in = words.or(is_in, is_it);
            }
            Some((code, is_in))
        }
        (Domain::Symbols(constants), Value::Symbol { node, domain }) => Some(recode(words, *node, domain, constants)),
        (Domain::Symbols(constants), &Value::Int(int))
            if constants.iter().any(|constant| matches!(constant, Constant::Number(_))) =>
        {
            let (node, domain) = enumerated(words, int)?;
            Some(recode(words, node, &domain, constants))
        }
        (Domain::Word { signed, width }, &Value::Word { node, signed: other }) => {
            (*signed == other && *width == words.width(node)).then_some((node, yes))
        }
        (Domain::Words { index, signed, width }, &Value::Words { node, index: other_index, signed: other }) => {
            (*signed == other && *index == other_index && *width == words.width(node)).then_some((node, yes))
        }
        _ => None,
    }
}

/// Whether a number lies between two others.
pub fn within(words: &mut Builder, int: Int, low: i64, high: i64) -> NodeId {
    let (low, high) = (integer(words, low), integer(words, high));
    let (above, below) = (compare(words, Op::Slte, low, int), compare(words, Op::Slte, int, high));
    words.and(above, below)
}

/// A comparison of two numbers.
pub fn compare(words: &mut Builder, operator: Op, a: Int, b: Int) -> NodeId {
    let decided = match operator {
        Op::Slte if a.high <= b.low => Some(true),
        Op::Slte if a.low > b.high => Some(false),
        Op::Slt if a.high < b.low => Some(true),
        Op::Slt if a.low >= b.high => Some(false),
        _ => None,
    };
    if let Some(decided) = decided {
        return words.bool(decided);
    }
    let width = words.width(a.node).max(words.width(b.node));
    let (a, b) = (widened(words, a, width), widened(words, b, width));
    words.binary(operator, a, b)
}

fn equal_ints(words: &mut Builder, a: Int, b: Int) -> NodeId {
    if a.high < b.low || b.high < a.low {
        return words.bool(false);
    }
    let width = words.width(a.node).max(words.width(b.node));
    let (a, b) = (widened(words, a, width), widened(words, b, width));
    words.equal(a, b)
}

/// A number as one of the constants between its bounds.
fn enumerated(words: &mut Builder, int: Int) -> Option<(NodeId, Arc<[Constant]>)> {
    let size = int.high.checked_sub(int.low).filter(|&size| size < MOST_MIXED)?;
    let width = bits_for(size as u64 + 1);
    let wide_by = signed_width(int.low, int.high).max(width) + 1;
    let (wide, low) = (widened(words, int, wide_by), integer(words, int.low));
    let low = widened(words, low, wide_by);
    let difference = words.binary(Op::Sub, wide, low);
    let code = words.slice(difference, width - 1, 0);
    Some((code, (int.low..=int.high).map(Constant::Number).collect()))
}

/// The place of a constant in another list, and whether it is there.
fn recode(words: &mut Builder, node: NodeId, from: &Arc<[Constant]>, to: &Arc<[Constant]>) -> (NodeId, NodeId) {
    let yes = words.bool(true);
    if Arc::ptr_eq(from, to) || from == to {
        return (node, yes);
    }
    let place_in = |constant: &Constant| to.iter().position(|other| other == constant);
    let (from_width, width) = (words.width(node), bits_for(to.len() as u64));
    let is_prefix = from.iter().enumerate().all(|(place, constant)| place_in(constant) == Some(place));
    if is_prefix {
        return (words.resize(node, width, false), yes);
    }
    let (mut code, mut missing) = (words.constant(Bits::zero(width)), words.bool(false));
    for (place, constant) in from.iter().enumerate() {
        let here = words.constant(Bits::from_u64(from_width, place as u64));
        let is_it = words.equal(node, here);
        match place_in(constant) {
            Some(there) => {
                let there = words.constant(Bits::from_u64(width, there as u64));
                code = words.ite(is_it, there, code);
            }
            None => missing = words.or(missing, is_it),
        }
    }
    (code, words.not(missing))
}

/// Both lists in one, the first one's constants first.
fn union_of(a: &Arc<[Constant]>, b: &Arc<[Constant]>) -> Arc<[Constant]> {
    if b.iter().all(|constant| a.contains(constant)) {
        return Arc::clone(a);
    }
    if a.iter().all(|constant| b.contains(constant)) {
        return Arc::clone(b);
    }
    let more = b.iter().filter(|constant| !a.contains(constant));
    a.iter().chain(more).cloned().collect()
}

/// Whether two values are equal; none if they are of different types.
pub fn equal(words: &mut Builder, a: &Value, b: &Value) -> Option<NodeId> {
    match (a, b) {
        (&Value::Bool(a), &Value::Bool(b)) => Some(words.equal(a, b)),
        (&Value::Int(a), &Value::Int(b)) => Some(equal_ints(words, a, b)),
        (&Value::Word { node: a, signed: x }, &Value::Word { node: b, signed: y }) => {
            (x == y && words.sort(a) == words.sort(b)).then(|| words.equal(a, b))
        }
        (&Value::Words { node: a, signed: x, .. }, &Value::Words { node: b, signed: y, .. }) => {
            (x == y && words.sort(a) == words.sort(b)).then(|| words.equal(a, b))
        }
        (Value::Symbol { node: a, domain: x }, Value::Symbol { node: b, domain: y }) => {
            // A constant is compared in the domain of the other.
            for (constant, list, node, domain) in [(a, x, b, y), (b, y, a, x)] {
                if let Some(code) = words.as_constant(*constant).and_then(Bits::to_u64) {
                    let constant = &list[code as usize];
                    return Some(match domain.iter().position(|other| other == constant) {
                        Some(place) => {
                            let width = words.width(*node);
                            let place = words.constant(Bits::from_u64(width, place as u64));
                            words.equal(*node, place)
                        }
                        None => words.bool(false),
                    });
                }
            }
            let both = union_of(x, y);
            let ((a, _), (b, _)) = (recode(words, *a, x, &both), recode(words, *b, y, &both));
            Some(words.equal(a, b))
        }
        (Value::Symbol { domain, .. }, &Value::Int(int)) | (&Value::Int(int), Value::Symbol { domain, .. }) => {
            if domain.iter().all(|constant| matches!(constant, Constant::Symbol(_))) {
                return None;
            }
            let (node, numbers) = enumerated(words, int)?;
            let number = Value::Symbol { node, domain: numbers };
            let symbol = if matches!(a, Value::Symbol { .. }) { a } else { b };
            equal(words, symbol, &number)
        }
        _ => None,
    }
}

/// Brings values to one type, with one list of constants if they are symbols.
pub fn unify(words: &mut Builder, values: &mut [Value]) -> Result<(), Mismatch> {
    let has = |test: fn(&Value) -> bool, values: &[Value]| values.iter().any(test);
    let is_symbol = |value: &Value| matches!(value, Value::Symbol { .. });
    if has(is_symbol, values) {
        for value in values.iter_mut() {
            if let Value::Int(int) = *value {
                let Some((node, domain)) = enumerated(words, int) else {
                    return Err("a number of very many values and a symbol".into());
                };
                *value = Value::Symbol { node, domain };
            }
        }
        let mut all: Option<Arc<[Constant]>> = None;
        for value in values.iter() {
            if let Value::Symbol { domain, .. } = value {
                all = Some(all.map_or_else(|| Arc::clone(domain), |all| union_of(&all, domain)));
            }
        }
        for value in values.iter_mut() {
            if let (Value::Symbol { node, domain }, Some(all)) = (&*value, &all) {
                let (node, _) = recode(words, *node, domain, all);
                *value = Value::Symbol { node, domain: Arc::clone(all) };
            }
        }
    }
    let Some(first) = values.first().cloned() else { return Ok(()) };
    for other in values.iter() {
        let fits = match (&first, other) {
            (Value::Bool(_), Value::Bool(_))
            | (Value::Int(_), Value::Int(_))
            | (Value::Symbol { .. }, Value::Symbol { .. }) => true,
            (Value::Word { node: a, signed: x }, Value::Word { node: b, signed: y })
            | (Value::Words { node: a, signed: x, .. }, Value::Words { node: b, signed: y, .. }) => {
                x == y && words.sort(*a) == words.sort(*b)
            }
            _ => false,
        };
        if !fits {
            return Err(format!("{} and {}", first.describe(words), other.describe(words)));
        }
    }
    Ok(())
}

/// The one or the other of two values that [`unify`] has brought to one type.
pub fn choose(words: &mut Builder, condition: NodeId, then: &Value, otherwise: &Value) -> Value {
    match (then, otherwise) {
        (&Value::Bool(a), &Value::Bool(b)) => Value::Bool(words.ite(condition, a, b)),
        (&Value::Int(a), &Value::Int(b)) => {
            let (low, high) = (a.low.min(b.low), a.high.max(b.high));
            let width = signed_width(low, high);
            let (a, b) = (widened(words, a, width), widened(words, b, width));
            Value::Int(Int { node: words.ite(condition, a, b), low, high })
        }
        (&Value::Word { node: a, signed }, &Value::Word { node: b, .. }) => {
            Value::Word { node: words.ite(condition, a, b), signed }
        }
        (Value::Symbol { node: a, domain }, Value::Symbol { node: b, .. }) => {
            Value::Symbol { node: words.ite(condition, *a, *b), domain: Arc::clone(domain) }
        }
        (&Value::Words { node: a, index, signed }, &Value::Words { node: b, .. }) => {
            Value::Words { node: words.ite(condition, a, b), index, signed }
        }
        _ => unreachable!("they are of one type"),
    }
}

/// The absolute value of a number.
pub fn absolute(words: &mut Builder, int: Int) -> Int {
    let width = words.width(int.node) + 1;
    let wide = widened(words, int, width);
    let negated = words.unary(Unary::Neg, wide);
    let zero = words.constant(Bits::zero(width));
    let is_negative = words.binary(Op::Slt, wide, zero);
    let node = words.ite(is_negative, negated, wide);
    let high = int.low.abs().max(int.high.abs());
    fitted(words, node, 0, high)
}
