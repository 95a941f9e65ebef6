//! ANTLR's parse trees to the syntax tree: operators get their precedence, literals their values.

use crate::ast::{
    Binary, Branch, Constant, Definition, ExprId, Function, Ident, Item, Kind, Linear, LinearPair, Module, SpecKind,
    Specification, Storage, Text, TypeKind, TypeSpec, When,
};
use crate::literal;
use redoubt_base::stack::grow;
use redoubt_parsers::smv::names as g;
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::{Diagnostic, Diagnostics};

pub struct Builder<'t> {
    pub text: &'t mut Text,
    pub diagnostics: Diagnostics,
}

/// Something that the parser has seen to; only a damaged tree gets there.
fn damaged<T>(span: Span) -> Lowered<T> {
    refuse(Diagnostic::new(span, "this could not be read", "expected something else"))
}

fn some<T>(value: Option<T>, tree: Tree<'_>) -> Lowered<T> {
    value.map_or_else(|| damaged(tree.span()), Ok)
}

fn first<'t>(tree: Tree<'t>) -> &'t str {
    tree.tokens().next().unwrap_or_default()
}

/// The levels of precedence of binary operators, from the loosest.
mod level {
    pub const IMPLIES: u8 = 1;
    pub const IFF: u8 = 2;
    pub const CONDITIONAL: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const UNTIL: u8 = 6;
    /// Temporal operators before their operand.
    pub const TEMPORAL: u8 = 7;
    pub const COMPARE: u8 = 8;
    pub const IN: u8 = 9;
    pub const UNION: u8 = 10;
    pub const RANGE: u8 = 11;
    pub const SHIFT: u8 = 12;
    pub const ADD: u8 = 13;
    pub const MULTIPLY: u8 = 14;
    pub const CONCAT: u8 = 15;
    /// `!` and `-` before their operand.
    pub const UNARY: u8 = 16;
}

fn binary(token: &str) -> Option<(u8, Binary)> {
    Some(match token {
        "->" => (level::IMPLIES, Binary::Implies),
        "<->" => (level::IFF, Binary::Iff),
        "|" => (level::OR, Binary::Or),
        "xor" => (level::OR, Binary::Xor),
        "xnor" => (level::OR, Binary::Xnor),
        "&" => (level::AND, Binary::And),
        "=" => (level::COMPARE, Binary::Equal),
        "!=" => (level::COMPARE, Binary::Unequal),
        "<" => (level::COMPARE, Binary::Less),
        ">" => (level::COMPARE, Binary::Greater),
        "<=" => (level::COMPARE, Binary::LessEqual),
        ">=" => (level::COMPARE, Binary::GreaterEqual),
        "in" => (level::IN, Binary::In),
        "union" => (level::UNION, Binary::Union),
        ".." => (level::RANGE, Binary::Range),
        "<<" => (level::SHIFT, Binary::ShiftLeft),
        ">>" => (level::SHIFT, Binary::ShiftRight),
        "+" => (level::ADD, Binary::Plus),
        "-" => (level::ADD, Binary::Minus),
        "*" => (level::MULTIPLY, Binary::Times),
        "/" => (level::MULTIPLY, Binary::Divide),
        "mod" => (level::MULTIPLY, Binary::Mod),
        "::" => (level::CONCAT, Binary::Concat),
        _ => return None,
    })
}

/// What a flat expression consists of.
#[derive(Clone, Copy)]
enum Part<'t> {
    Prefix(Tree<'t>),
    Primary(ExprId),
    Operator(Tree<'t>),
    /// `? middle :`.
    Conditional(ExprId),
}

/// Parts of an expression that are yet to be read.
struct Parts<'t> {
    parts: Vec<Part<'t>>,
    at: usize,
    span: Span,
}

impl<'t> Parts<'t> {
    fn peek(&self) -> Option<Part<'t>> {
        self.parts.get(self.at).copied()
    }
}

impl Builder<'_> {
    /// Goes on after a mistake, which is kept.
    fn note<T>(&mut self, lowered: Lowered<T>) -> Lowered<Option<T>> {
        redoubt_reading::refused::note(&mut self.diagnostics, lowered)
    }

    pub fn file(&mut self, tree: Tree<'_>) -> Lowered {
        for module in tree.all(g::RULE_MODULE) {
            let module = self.module(module);
            if let Some(module) = self.note(module)? {
                self.text.modules.push(module);
            }
        }
        Ok(())
    }

    fn module(&mut self, tree: Tree<'_>) -> Lowered<Module> {
        let name = some(tree.names().next().map(ident_of), tree)?;
        let parameters = tree.find(g::RULE_PARAMETERS).map_or(vec![], |list| list.names().map(ident_of).collect());
        let mut items = vec![];
        for section in tree.all(g::RULE_SECTION) {
            let section = self.section(section, &mut items);
            self.note(section)?;
        }
        Ok(Module { name, parameters, items })
    }

    fn section(&mut self, tree: Tree<'_>, items: &mut Vec<Item>) -> Lowered {
        let word = first(tree);
        match word {
            "VAR" | "IVAR" | "FROZENVAR" => {
                let storage = match word {
                    "VAR" => Storage::Variable,
                    "IVAR" => Storage::Input,
                    _ => Storage::Frozen,
                };
                for declaration in tree.all(g::RULE_DECLARATION) {
                    let declaration = self.declaration(declaration, storage);
                    items.extend(self.note(declaration)?);
                }
            }
            "CONSTANTS" => {
                let mut constants = vec![];
                for path in tree.all(g::RULE_PATH) {
                    constants.push(self.path(path)?);
                }
                items.push(Item::Constants(constants));
            }
            "DEFINE" => {
                for definition in tree.all(g::RULE_DEFINITION) {
                    let definition = self.definition(definition);
                    items.extend(self.note(definition)?);
                }
            }
            "ASSIGN" => {
                for assignment in tree.all(g::RULE_ASSIGNMENT) {
                    let assignment = self.assignment(assignment);
                    items.extend(self.note(assignment)?);
                }
            }
            "INIT" | "TRANS" | "INVAR" | "FAIRNESS" | "JUSTICE" => {
                let condition = self.expression(some(tree.find(g::RULE_EXPRESSION), tree)?)?;
                items.push(match word {
                    "INIT" => Item::Init(condition),
                    "TRANS" => Item::Trans(condition),
                    "INVAR" => Item::Invar(condition),
                    _ => Item::Justice(condition),
                });
            }
            "COMPASSION" => {
                let mut conditions = tree.all(g::RULE_EXPRESSION);
                let p = self.expression(some(conditions.next(), tree)?)?;
                let q = self.expression(some(conditions.next(), tree)?)?;
                items.push(Item::Compassion(p, q));
            }
            "ISA" => items.push(Item::Isa(some(tree.names().next().map(ident_of), tree)?)),
            _ => {
                if let Some(specification) = tree.find(g::RULE_SPECIFICATION) {
                    items.push(Item::Specification(self.specification(specification)?));
                } else {
                    let what = tree.rules().next().map(first).unwrap_or_default();
                    let message = format!("`{what}` is not read");
                    return refuse(
                        Diagnostic::new(tree.span(), message, "a section of another dialect").help(
                            "games, predicates and functions are no part of NuSMV's models as they are read here",
                        ),
                    );
                }
            }
        }
        Ok(())
    }

    fn specification(&mut self, tree: Tree<'_>) -> Lowered<Specification> {
        let mut kind = match first(tree) {
            "SPEC" | "CTLSPEC" => SpecKind::Ctl,
            "LTLSPEC" => SpecKind::Ltl,
            "INVARSPEC" => SpecKind::Invariant,
            "COMPUTE" if tree.has_token("MIN") => SpecKind::Minimum,
            "COMPUTE" => SpecKind::Maximum,
            _ => SpecKind::Psl,
        };
        let name = tree.find(g::RULE_LABEL).and_then(|label| label.names().next().map(ident_of));
        let mut formulas = vec![];
        for formula in tree.all(g::RULE_EXPRESSION) {
            formulas.push(self.expression(formula)?);
        }
        if kind == SpecKind::Psl && formulas.iter().any(|&formula| self.is_branching(formula)) {
            kind = SpecKind::Ctl;
        }
        let (expressions, sequences) = (tree.all(g::RULE_EXPRESSION), tree.all(g::RULE_SEQUENCE));
        let spans: Vec<Span> = expressions.chain(sequences).map(Tree::span).collect();
        let span = match (spans.first(), spans.last()) {
            _ if matches!(kind, SpecKind::Minimum | SpecKind::Maximum) => tree.span(),
            (Some(&first), Some(&last)) => first.to(last),
            _ => tree.span(),
        };
        Ok(Specification { kind, name, span, formulas })
    }

    /// Whether an operator of branching time stands in it, outside of names.
    fn is_branching(&self, formula: ExprId) -> bool {
        let mut pending = vec![formula];
        while let Some(id) = pending.pop() {
            match *self.text.kind(id) {
                Kind::Branching(..) | Kind::BranchingUntil(..) => return true,
                Kind::Not(a) | Kind::Minus(a) | Kind::Linear(_, _, a) => pending.push(a),
                Kind::Binary(_, a, b) | Kind::LinearPair(_, a, b) => pending.extend([a, b]),
                _ => {}
            }
        }
        false
    }

    fn path(&mut self, tree: Tree<'_>) -> Lowered<Ident> {
        // Without the space between its parts.
        let mut text = String::new();
        for child in tree.children() {
            match child {
                Child::Token(token) => text.push_str(token),
                Child::Rule(number) => number.tokens().for_each(|token| text.push_str(token)),
            }
        }
        Ok(Ident { text: literal::unquoted(&text).into(), span: tree.span() })
    }

    fn declaration(&mut self, tree: Tree<'_>, storage: Storage) -> Lowered<Item> {
        let name = self.path(some(tree.find(g::RULE_PATH), tree)?)?;
        let spec = self.type_spec(some(tree.find(g::RULE_TYPE_NAME), tree)?)?;
        Ok(Item::Declaration(storage, name, spec))
    }

    fn type_spec(&mut self, tree: Tree<'_>) -> Lowered<TypeSpec> {
        grow(|| self.any_type_spec(tree))
    }

    fn any_type_spec(&mut self, tree: Tree<'_>) -> Lowered<TypeSpec> {
        let span = tree.span();
        let mut expressions = vec![];
        for expression in tree.all(g::RULE_EXPRESSION) {
            expressions.push(self.expression(expression)?);
        }
        let one = expressions.first().copied();
        let kind = match (tree.names().next(), first(tree)) {
            (Some(name), word) => {
                let mut arguments = vec![];
                if let Some(list) = tree.find(g::RULE_ARGUMENTS) {
                    for argument in list.all(g::RULE_EXPRESSION) {
                        arguments.push(self.expression(argument)?);
                    }
                }
                TypeKind::Instance { module: ident_of(name), arguments, is_process: word == "process" }
            }
            (None, "boolean") => TypeKind::Boolean,
            (None, "integer") => TypeKind::Foreign("integer"),
            (None, "real") => TypeKind::Foreign("real"),
            (None, "clock") => TypeKind::Foreign("clock"),
            (None, "{") => {
                let mut constants = vec![];
                for child in tree.children() {
                    match child {
                        Child::Token("TRUE") => constants.push((Constant::Boolean(true), span)),
                        Child::Token("FALSE") => constants.push((Constant::Boolean(false), span)),
                        Child::Token(_) => {}
                        Child::Rule(path) if path.rule() == g::RULE_PATH => {
                            let Ident { text, span } = self.path(path)?;
                            constants.push((Constant::Symbol(text), span));
                        }
                        Child::Rule(number) => {
                            constants.push((Constant::Number(signed(number)?), number.span()));
                        }
                    }
                }
                TypeKind::Enumeration(constants)
            }
            (None, "array") => {
                let element = self.type_spec(some(tree.find(g::RULE_TYPE_NAME), tree)?)?;
                match tree.has_token("word") {
                    true => TypeKind::WordArray(some(one, tree)?, Box::new(element)),
                    false if tree.has_token("integer") => TypeKind::Foreign("array integer"),
                    false => TypeKind::Array(some(one, tree)?, Box::new(element)),
                }
            }
            (None, "") => TypeKind::Range(some(one, tree)?),
            (None, word) => TypeKind::Word(word == "signed", some(one, tree)?),
        };
        Ok(TypeSpec { span, kind })
    }

    fn definition(&mut self, tree: Tree<'_>) -> Lowered<Item> {
        let name = self.path(some(tree.find(g::RULE_PATH), tree)?)?;
        let value = match tree.find(g::RULE_ARRAY_LITERAL) {
            Some(list) => self.array_literal(list)?,
            None => Definition::Value(self.expression(some(tree.find(g::RULE_EXPRESSION), tree)?)?),
        };
        Ok(Item::Definition(name, value))
    }

    fn array_literal(&mut self, tree: Tree<'_>) -> Lowered<Definition> {
        grow(|| {
            let mut elements = vec![];
            for element in tree.rules() {
                elements.push(match element.rule() {
                    g::RULE_ARRAY_LITERAL => self.array_literal(element)?,
                    _ => Definition::Value(self.expression(element)?),
                });
            }
            Ok(Definition::Array(elements))
        })
    }

    fn assignment(&mut self, tree: Tree<'_>) -> Lowered<Item> {
        let target = some(tree.find(g::RULE_TARGET), tree)?;
        let when = match first(target) {
            "init" => When::Initially,
            "next" => When::Next,
            _ => When::Always,
        };
        let reference = some(target.find(g::RULE_REFERENCE), tree)?;
        let primary = match reference.names().next() {
            Some((name, span)) => self.text.add(span, Kind::Name(literal::unquoted(name).into())),
            None => self.text.add(reference.span(), Kind::Myself),
        };
        let left = self.suffixes(primary, reference)?;
        let right = self.expression(some(tree.find(g::RULE_EXPRESSION), tree)?)?;
        Ok(Item::Assignment(when, left, right, target.span()))
    }

    pub fn expression(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        grow(|| {
            let mut parts = self.parts(tree)?;
            let result = self.climb(&mut parts, 0)?;
            if parts.peek().is_some() { damaged(tree.span()) } else { Ok(result) }
        })
    }

    fn parts<'t>(&mut self, tree: Tree<'t>) -> Lowered<Parts<'t>> {
        let mut parts = vec![];
        for child in tree.rules() {
            match child.rule() {
                g::RULE_OPERAND => {
                    parts.extend(child.all(g::RULE_PREFIX).map(Part::Prefix));
                    let primary = self.primary(some(child.find(g::RULE_PRIMARY), child)?)?;
                    parts.push(Part::Primary(self.suffixes(primary, child)?));
                }
                g::RULE_OPERATOR => parts.push(Part::Operator(child)),
                _ => parts.push(Part::Conditional(self.expression(child)?)),
            }
        }
        Ok(Parts { parts, at: 0, span: tree.span() })
    }

    /// Reads an operand with everything after it that binds at least as tight as `least`.
    fn climb(&mut self, parts: &mut Parts<'_>, least: u8) -> Lowered<ExprId> {
        let mut left = grow(|| self.operand(parts))?;
        while let Some(part) = parts.peek() {
            let operator = match part {
                Part::Operator(operator) => operator,
                Part::Conditional(middle) => {
                    if level::CONDITIONAL < least {
                        break;
                    }
                    parts.at += 1;
                    let right = grow(|| self.climb(parts, level::CONDITIONAL))?;
                    left = self.join(left, right, Kind::Ite(left, middle, right));
                    continue;
                }
                _ => return damaged(parts.span),
            };
            let token = first(operator);
            let pair = match token {
                "U" => Some(LinearPair::Until),
                "V" | "R" => Some(LinearPair::Releases),
                "S" => Some(LinearPair::Since),
                "T" => Some(LinearPair::Triggered),
                _ => None,
            };
            if let Some(pair) = pair {
                if level::UNTIL < least {
                    break;
                }
                parts.at += 1;
                let right = grow(|| self.climb(parts, level::UNTIL + 1))?;
                left = self.join(left, right, Kind::LinearPair(pair, left, right));
                continue;
            }
            let Some((level, binary)) = binary(token) else {
                let message = format!("`{token}` stands only in `A [p {token} q]` and `E [p {token} q]`");
                return refuse(Diagnostic::new(operator.span(), message, "not here"));
            };
            if level < least {
                break;
            }
            parts.at += 1;
            let is_right = binary == Binary::Implies;
            let right = grow(|| self.climb(parts, if is_right { level } else { level + 1 }))?;
            left = self.join(left, right, Kind::Binary(binary, left, right));
        }
        Ok(left)
    }

    fn join(&mut self, left: ExprId, right: ExprId, kind: Kind) -> ExprId {
        let span = self.text.span(left).to(self.text.span(right));
        self.text.add(span, kind)
    }

    fn operand(&mut self, parts: &mut Parts<'_>) -> Lowered<ExprId> {
        let prefix = match parts.peek() {
            Some(Part::Primary(primary)) => {
                parts.at += 1;
                return Ok(primary);
            }
            Some(Part::Prefix(prefix)) => prefix,
            _ => return damaged(parts.span),
        };
        parts.at += 1;
        let token = first(prefix);
        let operand = match token {
            "!" | "-" => grow(|| self.climb(parts, level::UNARY))?,
            // Words of PSL, which bind loosest there.
            "always" | "never" | "eventually!" => grow(|| self.climb(parts, 0))?,
            _ => grow(|| self.climb(parts, level::TEMPORAL))?,
        };
        let bounds = bounds(prefix.find(g::RULE_BOUND).unwrap_or(prefix))?;
        let linear = |operator| Kind::Linear(operator, bounds, operand);
        let branching = |all, path| Kind::Branching(all, path, bounds, operand);
        let kind = match token {
            "!" => Kind::Not(operand),
            "-" => match *self.text.kind(operand) {
                Kind::Number(value) => Kind::Number(-value),
                _ => Kind::Minus(operand),
            },
            "X" => linear(Linear::Next),
            "Y" => linear(Linear::Previous),
            "Z" => linear(Linear::WeakPrevious),
            "F" | "eventually!" => linear(Linear::Finally),
            "G" | "always" => linear(Linear::Globally),
            "O" => linear(Linear::Once),
            "H" => linear(Linear::Historically),
            "never" => {
                let negated = self.text.add(self.text.span(operand), Kind::Not(operand));
                Kind::Linear(Linear::Globally, None, negated)
            }
            "AX" => branching(true, Branch::Next),
            "EX" => branching(false, Branch::Next),
            "AF" | "ABF" => branching(true, Branch::Finally),
            "EF" | "EBF" => branching(false, Branch::Finally),
            "AG" | "ABG" => branching(true, Branch::Globally),
            "EG" | "EBG" => branching(false, Branch::Globally),
            _ => return damaged(prefix.span()),
        };
        let span = prefix.span().to(self.text.span(operand));
        Ok(self.text.add(span, kind))
    }

    /// `p U q` within `A [...]`: the operator stands outside of all others.
    fn branching_until(&mut self, tree: Tree<'_>, is_all: bool, inner: Tree<'_>) -> Lowered<ExprId> {
        let parts = self.parts(inner)?;
        let is_until = |part: &Part<'_>| matches!(part, Part::Operator(tree) if ["U", "BU"].contains(&first(*tree)));
        let places: Vec<usize> = (0..parts.parts.len()).filter(|&at| is_until(&parts.parts[at])).collect();
        let &[place] = places.as_slice() else {
            let message = "between these brackets stands one `U` with a formula on each side";
            return refuse(Diagnostic::new(inner.span(), message, "expected `p U q`"));
        };
        let Part::Operator(operator) = parts.parts[place] else { return damaged(inner.span()) };
        let bounds = bounds(operator)?;
        let Parts { parts: mut all, span, .. } = parts;
        let right = all.split_off(place + 1);
        all.pop();
        let mut half = |parts: Vec<Part<'_>>| {
            let mut parts = Parts { parts, at: 0, span };
            let result = self.climb(&mut parts, 0)?;
            if parts.peek().is_some() { damaged(span) } else { Ok(result) }
        };
        let (left, right) = (half(all)?, half(right)?);
        Ok(self.text.add(tree.span(), Kind::BranchingUntil(is_all, bounds, left, right)))
    }

    fn suffixes(&mut self, mut value: ExprId, tree: Tree<'_>) -> Lowered<ExprId> {
        for suffix in tree.all(g::RULE_SUFFIX) {
            let mut inner = vec![];
            for expression in suffix.all(g::RULE_EXPRESSION) {
                inner.push(self.expression(expression)?);
            }
            let kind = match (first(suffix), inner.as_slice()) {
                ("[", &[index]) => Kind::Index(value, index),
                ("[", &[high, low]) => Kind::Slice(value, high, low),
                _ => {
                    let part = some(suffix.tokens().nth(1), suffix)?;
                    Kind::Dot(value, literal::unquoted(part).into())
                }
            };
            let span = self.text.span(value).to(suffix.span());
            value = self.text.add(span, kind);
        }
        Ok(value)
    }

    fn primary(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        let span = tree.span();
        if let Some(function) = tree.find(g::RULE_FUNCTION) {
            return self.call(tree, function);
        }
        let token = first(tree);
        let kind = match token {
            "(" => {
                let inner = self.expression(some(tree.find(g::RULE_EXPRESSION), tree)?)?;
                // In brackets `-1` is a number and `x.y` a path as without them.
                return Ok(inner);
            }
            "{" => {
                let mut elements = vec![];
                for element in tree.all(g::RULE_EXPRESSION) {
                    elements.push(self.expression(element)?);
                }
                Kind::Set(elements)
            }
            "case" => {
                let mut arms = vec![];
                for arm in tree.all(g::RULE_ARM) {
                    let mut both = arm.all(g::RULE_EXPRESSION);
                    let condition = self.expression(some(both.next(), arm)?)?;
                    arms.push((condition, self.expression(some(both.next(), arm)?)?));
                }
                Kind::Case(arms)
            }
            "A" | "E" => return self.branching_until(tree, token == "A", some(tree.find(g::RULE_EXPRESSION), tree)?),
            "TRUE" => Kind::Boolean(true),
            "FALSE" => Kind::Boolean(false),
            "self" => Kind::Myself,
            "typeof" => Kind::Foreign("typeof"),
            "CONSTARRAY" => self.constant_array(tree)?,
            _ => match tree.names().next() {
                Some((name, _)) => Kind::Name(literal::unquoted(name).into()),
                None => literal::number(token, span)?,
            },
        };
        Ok(self.text.add(span, kind))
    }

    /// `CONSTARRAY(typeof(x), value)`.
    fn constant_array(&mut self, tree: Tree<'_>) -> Lowered<Kind> {
        let of = some(tree.find(g::RULE_TYPE_NAME), tree)?;
        let value = self.expression(some(tree.find(g::RULE_EXPRESSION), tree)?)?;
        let operand = of.find(g::RULE_EXPRESSION).and_then(|inner| inner.find(g::RULE_OPERAND));
        let primary = operand.and_then(|operand| operand.find(g::RULE_PRIMARY));
        match primary.filter(|primary| first(*primary) == "typeof").and_then(|primary| primary.find(g::RULE_EXPRESSION))
        {
            Some(inner) => Ok(Kind::Filled(self.expression(inner)?, value)),
            None => {
                let message = "only `CONSTARRAY(typeof(x), value)` is read";
                refuse(Diagnostic::new(of.span(), message, "expected `typeof(...)`"))
            }
        }
    }

    fn call(&mut self, tree: Tree<'_>, function: Tree<'_>) -> Lowered<ExprId> {
        let name = first(function);
        let name = if name.is_empty() { function.names().next().map_or("", |(name, _)| name) } else { name };
        let mut arguments = vec![];
        for argument in tree.all(g::RULE_EXPRESSION) {
            arguments.push(self.expression(argument)?);
        }
        let (function, least, most) = match name {
            "next" => (None, 1, 1),
            "bool" => (Some(Function::Bool), 1, 1),
            "word1" => (Some(Function::Word1), 1, 1),
            "toint" => (Some(Function::ToInt), 1, 1),
            "count" => (Some(Function::Count), 1, usize::MAX),
            "abs" => (Some(Function::Abs), 1, 1),
            "max" => (Some(Function::Max), 2, 2),
            "min" => (Some(Function::Min), 2, 2),
            "extend" => (Some(Function::Extend), 2, 2),
            "resize" => (Some(Function::Resize), 2, 2),
            "sizeof" => (Some(Function::SizeOf), 1, 1),
            "signed" => (Some(Function::Signed), 1, 1),
            "unsigned" => (Some(Function::Unsigned), 1, 1),
            "uwconst" => (Some(Function::UnsignedConstant), 2, 2),
            "swconst" => (Some(Function::SignedConstant), 2, 2),
            "READ" => (Some(Function::Read), 2, 2),
            "WRITE" => (Some(Function::Write), 3, 3),
            other => {
                let message = format!("`{other}(...)` has no meaning in an expression");
                return refuse(Diagnostic::new(function.span(), message, "not here"));
            }
        };
        if arguments.len() < least || arguments.len() > most {
            let message = format!("`{name}` takes {least} argument{}", if least == 1 { "" } else { "s" });
            return refuse(Diagnostic::new(tree.span(), message, format!("here are {}", arguments.len())));
        }
        let kind = match function {
            None => Kind::Next(arguments[0]),
            Some(function) => Kind::Call(function, arguments),
        };
        Ok(self.text.add(tree.span(), kind))
    }
}

fn ident_of((text, span): (&str, Span)) -> Ident {
    Ident { text: literal::unquoted(text).into(), span }
}

fn signed(tree: Tree<'_>) -> Lowered<i64> {
    let value = match literal::number(some(tree.tokens().last(), tree)?, tree.span())? {
        Kind::Number(value) => value,
        _ => return damaged(tree.span()),
    };
    Ok(if tree.has_token("-") { -value } else { value })
}

/// `[2, 5]` or `2..5`, if there are any.
fn bounds(tree: Tree<'_>) -> Lowered<Option<(i64, i64)>> {
    let mut ends = tree.all(g::RULE_SIGNED);
    let (Some(low), Some(high)) = (ends.next(), ends.next()) else { return Ok(None) };
    let (low, high) = (signed(low)?, signed(high)?);
    if low < 0 || low > high {
        let message = format!("from {low} to {high} steps is no bound");
        return refuse(Diagnostic::new(tree.span(), message, "expected numbers from 0, the smaller one first"));
    }
    Ok(Some((low, high)))
}
