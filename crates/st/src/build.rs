//! ANTLR's parse trees to the syntax tree: operators get their precedence, literals their values.

use crate::ast::{
    Argument, Arm, Binary, Bound, Branch, Counting, Declaration, Declared, Expr, ExprKind, Ident, Judgement, Place,
    Property, Remark, Start, Stmt, StmtKind, Suffix, Text, TypeDeclaration, TypeKind, TypeSpec, Unary, Unit, UnitKind,
    VarBlock, VarKind,
};
use crate::literal;
use crate::parse::parse_comment;
use redoubt_base::stack::grow;
use redoubt_parsers::st_properties::names as p;
use redoubt_parsers::structured_text::names as g;
use redoubt_program::program::Status;
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostic, Diagnostics};

pub struct Builder<'s> {
    pub source: &'s SourceFile,
    pub watch: &'s Watch,
    pub diagnostics: Diagnostics,
}

/// The numbers of rules that both grammars have.
struct Rules {
    expression: usize,
    operand: usize,
    operator: usize,
    primary: usize,
    literal: usize,
    place: usize,
    suffix: usize,
    argument: usize,
}

const PROGRAM: Rules = Rules {
    expression: g::RULE_EXPRESSION,
    operand: g::RULE_OPERAND,
    operator: g::RULE_OPERATOR,
    primary: g::RULE_PRIMARY,
    literal: g::RULE_LITERAL,
    place: g::RULE_PLACE,
    suffix: g::RULE_SUFFIX,
    argument: g::RULE_ARGUMENT,
};

const PROPERTIES: Rules = Rules {
    expression: p::RULE_FORMULA,
    operand: p::RULE_OPERAND,
    operator: p::RULE_OPERATOR,
    primary: p::RULE_PRIMARY,
    literal: p::RULE_LITERAL,
    place: p::RULE_PLACE,
    suffix: p::RULE_SUFFIX,
    argument: p::RULE_ARGUMENT,
};

/// Something that the parser has seen to, or that cannot be read; only a damaged tree gets there.
fn damaged<T>(span: Span) -> Lowered<T> {
    refuse(Diagnostic::new(span, "this could not be read", "expected something else"))
}

fn some<T>(value: Option<T>, tree: Tree<'_>) -> Lowered<T> {
    value.map_or_else(|| damaged(tree.span()), Ok)
}

/// The first token of a rule, whatever letters it is written in.
fn word(tree: Tree<'_>) -> String {
    tree.tokens().next().unwrap_or_default().to_uppercase()
}

fn ident_of((text, span): (&str, Span)) -> Ident {
    Ident { text: text.trim_matches('"').to_string(), span }
}

fn ident(tree: Tree<'_>) -> Lowered<Ident> {
    some(tree.names().next().map(ident_of), tree)
}

fn idents(tree: Tree<'_>) -> Vec<Ident> {
    tree.names().map(ident_of).collect()
}

impl Builder<'_> {
    /// Goes on after a mistake, which is kept.
    fn note<T>(&mut self, lowered: Lowered<T>) -> Lowered<Option<T>> {
        redoubt_reading::refused::note(&mut self.diagnostics, lowered)
    }

    pub fn file(&mut self, tree: Tree<'_>, text: &mut Text) -> Lowered {
        for unit in tree.all(g::RULE_UNIT) {
            let lowered = self.unit(unit, text);
            self.note(lowered)?;
        }
        Ok(())
    }

    fn unit(&mut self, tree: Tree<'_>, text: &mut Text) -> Lowered {
        let Some(inner) = tree.rules().next() else { return Ok(()) };
        match inner.rule() {
            g::RULE_TYPE_BLOCK => {
                for declaration in inner.all(g::RULE_TYPE_DECLARATION) {
                    let spec = self.type_spec(some(declaration.find(g::RULE_TYPE_SPEC), declaration)?)?;
                    let start = self.start(declaration)?;
                    text.types.push(TypeDeclaration { name: ident(declaration)?, spec, start });
                }
            }
            g::RULE_VAR_BLOCK => {
                let block = self.var_block(inner)?;
                text.globals.push(block);
            }
            g::RULE_CONFIGURATION => {
                for item in inner.all(g::RULE_CONFIGURATION_ITEM) {
                    let resources = item.all(g::RULE_RESOURCE).flat_map(|resource| resource.all(g::RULE_VAR_BLOCK));
                    for block in item.all(g::RULE_VAR_BLOCK).chain(resources) {
                        let block = self.var_block(block)?;
                        text.globals.push(block);
                    }
                }
            }
            g::RULE_DATA_BLOCK => {
                return refuse(Diagnostic::new(
                    inner.name_span(),
                    "data blocks are not supported yet",
                    "expected `VAR_GLOBAL`, or variables of the program",
                ));
            }
            _ => {
                let unit = self.pou(inner)?;
                text.units.push(unit);
            }
        }
        Ok(())
    }

    fn pou(&mut self, tree: Tree<'_>) -> Lowered<Unit> {
        let first = word(tree);
        let last = tree.tokens().last().unwrap_or_default().to_uppercase();
        if last.strip_prefix("END_") != Some(first.as_str()) {
            let span = tree.token_spans().last().unwrap_or(tree.span());
            let message = format!("a `{first}` does not end with `{last}`");
            return refuse(Diagnostic::new(span, message, format!("expected `END_{first}`")));
        }
        let kind = match first.as_str() {
            "FUNCTION" => UnitKind::Function,
            "FUNCTION_BLOCK" => UnitKind::Block,
            _ => UnitKind::Program,
        };
        let result = match tree.find(g::RULE_TYPE_SPEC) {
            Some(spec) => Some(self.type_spec(spec)?),
            None => None,
        };
        let mut blocks = vec![];
        for block in tree.all(g::RULE_VAR_BLOCK) {
            let block = self.var_block(block);
            blocks.extend(self.note(block)?);
        }
        Ok(Unit { kind, name: ident(tree)?, result, blocks, body: self.statements(tree)? })
    }

    fn var_block(&mut self, tree: Tree<'_>) -> Lowered<VarBlock> {
        let kind = match word(some(tree.find(g::RULE_VAR_KIND), tree)?).as_str() {
            "VAR" | "VAR_STAT" => VarKind::Static,
            "VAR_INPUT" => VarKind::Input,
            "VAR_OUTPUT" => VarKind::Output,
            "VAR_IN_OUT" => VarKind::InOut,
            "VAR_TEMP" => VarKind::Temp,
            "VAR_GLOBAL" => VarKind::Global,
            "VAR_EXTERNAL" => VarKind::External,
            other => {
                let message = format!("`{other}` is not supported");
                return refuse(Diagnostic::new(tree.span(), message, "expected `VAR` or another kind"));
            }
        };
        let is_constant = tree.all(g::RULE_QUALIFIER).any(|qualifier| word(qualifier) == "CONSTANT");
        let mut declarations = vec![];
        for declaration in tree.all(g::RULE_DECLARATION) {
            let declaration = self.declaration(declaration);
            declarations.extend(self.note(declaration)?);
        }
        Ok(VarBlock { kind, is_constant, declarations })
    }

    fn declaration(&mut self, tree: Tree<'_>) -> Lowered<Declaration> {
        if let Some(edge) = tree.find(g::RULE_EDGE) {
            let message = "inputs for edges are not supported";
            return refuse(Diagnostic::new(edge.span(), message, "expected an `R_TRIG` or `F_TRIG` of its own"));
        }
        let mut names = vec![];
        for declared in tree.all(g::RULE_DECLARED) {
            let name = ident(declared)?;
            let pairs = declared.tokens().zip(declared.token_spans());
            let location = pairs.filter(|(text, _)| text.starts_with('%')).map(ident_of).next();
            names.push(Declared { name, location });
        }
        let spec = self.type_spec(some(tree.find(g::RULE_TYPE_SPEC), tree)?)?;
        Ok(Declaration { names, spec, start: self.start(tree)? })
    }

    fn type_spec(&mut self, tree: Tree<'_>) -> Lowered<TypeSpec> {
        grow(|| self.any_type_spec(tree))
    }

    fn any_type_spec(&mut self, tree: Tree<'_>) -> Lowered<TypeSpec> {
        let span = tree.span();
        let mut expressions = vec![];
        for bound in tree.all(g::RULE_EXPRESSION) {
            expressions.push(expression(bound, &PROGRAM)?);
        }
        let names = idents(tree);
        let pointers = "pointers and references are not supported";
        let first = tree.children().next();
        let kind = match (word(tree).as_str(), first) {
            _ if names.len() != 1 && tree.has_token("..") => return damaged(span),
            ("(", _) => {
                let mut values = vec![];
                for value in tree.all(g::RULE_ENUM_VALUE) {
                    let number = value.find(g::RULE_EXPRESSION).map(|tree| expression(tree, &PROGRAM));
                    values.push((ident(value)?, number.transpose()?));
                }
                TypeKind::Enumeration(values)
            }
            ("STRUCT", _) if names.is_empty() => {
                let mut fields = vec![];
                for field in tree.all(g::RULE_DECLARATION) {
                    fields.push(self.declaration(field)?);
                }
                TypeKind::Structure(fields)
            }
            ("ARRAY", _) if names.is_empty() => {
                let mut dimensions = vec![];
                let mut is_open = false;
                for dimension in tree.all(g::RULE_DIMENSION) {
                    let mut bounds = vec![];
                    for bound in dimension.all(g::RULE_EXPRESSION) {
                        bounds.push(expression(bound, &PROGRAM)?);
                    }
                    let mut bounds = bounds.into_iter();
                    match (bounds.next(), bounds.next()) {
                        (Some(low), Some(high)) => dimensions.push((low, high)),
                        _ => is_open = true,
                    }
                }
                let element = self.type_spec(some(tree.find(g::RULE_TYPE_SPEC), tree)?)?;
                match is_open {
                    true => TypeKind::Unsupported("arrays of any length are not supported"),
                    false => TypeKind::Array(dimensions, Box::new(element)),
                }
            }
            ("REF_TO", _) => TypeKind::Unsupported(pointers),
            _ if tree.find(g::RULE_TYPE_SPEC).is_some() => TypeKind::Unsupported(pointers),
            _ => {
                let name = some(names.into_iter().next(), tree)?;
                let mut bounds = expressions.into_iter();
                match (bounds.next(), bounds.next()) {
                    (Some(low), Some(high)) => TypeKind::Subrange(name, Box::new((low, high))),
                    (Some(_), None) if ["string", "wstring"].contains(&name.key().as_str()) => TypeKind::Named(name),
                    (Some(_), None) => {
                        return refuse(Diagnostic::new(span, "only texts have a length", "expected a type"));
                    }
                    _ => TypeKind::Named(name),
                }
            }
        };
        Ok(TypeSpec { kind })
    }

    fn start(&mut self, tree: Tree<'_>) -> Lowered<Option<Start>> {
        tree.find(g::RULE_INITIALIZER).map(|tree| self.initializer(tree)).transpose()
    }

    fn initializer(&mut self, tree: Tree<'_>) -> Lowered<Start> {
        grow(|| {
            if let Some(value) = tree.find(g::RULE_EXPRESSION) {
                return Ok(Start::Value(expression(value, &PROGRAM)?));
            }
            let mut fields = vec![];
            for field in tree.all(g::RULE_FIELD_VALUE) {
                let value = some(self.start(field)?, field)?;
                fields.push((ident(field)?, value));
            }
            if !fields.is_empty() {
                return Ok(Start::Fields(fields, tree.span()));
            }
            let mut cells = vec![];
            for element in tree.all(g::RULE_ELEMENT) {
                let values = element.all(g::RULE_INITIALIZER).map(|tree| self.initializer(tree));
                let values = values.collect::<Lowered<Vec<Start>>>()?;
                let is_repeated = element.tokens().count() > 0;
                let times: usize = match is_repeated {
                    true => some(element.tokens().next().and_then(|text| text.replace('_', "").parse().ok()), element)?,
                    false => 1,
                };
                if times.saturating_mul(values.len()) > 100_000 {
                    return refuse(Diagnostic::new(element.span(), "a list of so many values", "expected fewer"));
                }
                match values.as_slice() {
                    [one] => cells.push((times, one.clone())),
                    many => (0..times).for_each(|_| cells.extend(many.iter().map(|value| (1, value.clone())))),
                }
            }
            Ok(Start::List(cells, tree.span()))
        })
    }

    fn statements(&mut self, tree: Tree<'_>) -> Lowered<Vec<Stmt>> {
        let mut list = vec![];
        for statement in tree.all(g::RULE_STATEMENT) {
            let lowered = grow(|| self.statement(statement, &mut list));
            self.note(lowered)?;
        }
        Ok(list)
    }

    fn statement(&mut self, tree: Tree<'_>, list: &mut Vec<Stmt>) -> Lowered {
        let span = tree.span();
        let kind = match tree.rules().next() {
            None => match word(tree).as_str() {
                "EXIT" => StmtKind::Exit,
                "CONTINUE" => StmtKind::Continue,
                "RETURN" => StmtKind::Return,
                _ => return Ok(()),
            },
            Some(inner) => match inner.rule() {
                g::RULE_PLACE => {
                    let target = place(inner, &PROGRAM)?;
                    match tree.find(g::RULE_EXPRESSION) {
                        Some(value) => StmtKind::Assign(target, expression(value, &PROGRAM)?),
                        None => StmtKind::Call(target),
                    }
                }
                g::RULE_ASSERTION => return self.assertion(inner, list),
                g::RULE_IF_STATEMENT => StmtKind::If(self.conditional(inner)?),
                g::RULE_CASE_STATEMENT => self.case(inner)?,
                g::RULE_FOR_STATEMENT => {
                    let mut values = inner.all(g::RULE_EXPRESSION).map(|tree| expression(tree, &PROGRAM));
                    let from = some(values.next(), inner)??;
                    let to = some(values.next(), inner)??;
                    let by = values.next().transpose()?;
                    let variable = place(some(inner.find(g::RULE_PLACE), inner)?, &PROGRAM)?;
                    StmtKind::For(Box::new(Counting { variable, from, to, by }), self.statements(inner)?)
                }
                g::RULE_WHILE_STATEMENT => StmtKind::While(self.condition(inner)?, self.statements(inner)?),
                g::RULE_REPEAT_STATEMENT => StmtKind::Repeat(self.statements(inner)?, self.condition(inner)?),
                // A region, whose title may be anything.
                _ => {
                    list.extend(self.statements(tree)?);
                    return Ok(());
                }
            },
        };
        list.push(Stmt { kind, span });
        Ok(())
    }

    fn condition(&mut self, tree: Tree<'_>) -> Lowered<Expr> {
        expression(some(tree.find(g::RULE_EXPRESSION), tree)?, &PROGRAM)
    }

    fn conditional(&mut self, tree: Tree<'_>) -> Lowered<Vec<Branch>> {
        let mut branches = vec![];
        for part in std::iter::once(tree).chain(tree.all(g::RULE_ELSIF)) {
            let condition = self.condition(part)?;
            let span = Span { end: condition.span.end, ..part.span() };
            branches.push(Branch { condition: Some(condition), body: self.statements(part)?, span });
        }
        if let Some(last) = tree.find(g::RULE_OTHERWISE) {
            let span = last.token_spans().next().unwrap_or(last.span());
            branches.push(Branch { condition: None, body: self.statements(last)?, span });
        }
        Ok(branches)
    }

    fn case(&mut self, tree: Tree<'_>) -> Lowered<StmtKind> {
        let value = self.condition(tree)?;
        let mut arms = vec![];
        for arm in tree.all(g::RULE_CASE_ARM) {
            let mut labels = vec![];
            let mut span = arm.span();
            for label in arm.all(g::RULE_LABEL) {
                span = Span { end: label.span().end, ..span };
                let mut bounds = label.all(g::RULE_BOUND).map(bound);
                let low = some(bounds.next(), label)??;
                labels.push((low, bounds.next().transpose()?));
            }
            arms.push(Arm { labels, body: self.statements(arm)?, span });
        }
        if let Some(last) = tree.find(g::RULE_OTHERWISE) {
            let span = last.token_spans().next().unwrap_or(last.span());
            arms.push(Arm { labels: vec![], body: self.statements(last)?, span });
        }
        Ok(StmtKind::Case(value, arms))
    }

    fn assertion(&mut self, tree: Tree<'_>, list: &mut Vec<Stmt>) -> Lowered {
        let span = tree.span();
        let stmt = parse_comment(self.source, span, self.watch, |tree| {
            let formula = some(tree.find(p::RULE_FORMULA), tree)?;
            let name = tree.find(p::RULE_LABEL).map(|_| label(tree)).transpose()?;
            Ok(Stmt { kind: StmtKind::Assert(name, expression(formula, &PROPERTIES)?), span })
        })?;
        list.push(stmt);
        Ok(())
    }

    /// The remarks in a comment.
    pub fn remarks(&mut self, comment: Span, text: &mut Text) -> Lowered {
        let found = parse_comment(self.source, comment, self.watch, |tree| {
            let items = tree.all(p::RULE_ITEM).map(remark).collect::<Lowered<Vec<_>>>()?;
            Ok(items.into_iter().flatten().collect::<Vec<Remark>>())
        });
        let found = self.note(found)?;
        text.remarks.extend(found.into_iter().flatten());
        Ok(())
    }
}

fn remark(tree: Tree<'_>) -> Lowered<Option<Remark>> {
    let span = tree.span();
    Ok(Some(match word(tree).as_str() {
        "CYCLE" => {
            let (text, place) = some(tree.tokens().zip(tree.token_spans()).nth(1), tree)?;
            Remark::Cycle(literal::duration(text, place)?, place)
        }
        "MAIN" => Remark::Main(ident(tree)?),
        "ASSUME" => Remark::Assume(expression(some(tree.find(p::RULE_FORMULA), tree)?, &PROPERTIES)?, span),
        "EXPECT" => {
            let name = some(tree.find(p::RULE_REFERENCE), tree)?;
            let text: String = name.tokens().collect();
            let ident = Ident { text, span: name.span() };
            Remark::Expect(ident, verdict(tree)?)
        }
        "PROPERTY" => {
            let mut formulas = tree.all(p::RULE_FORMULA).map(|tree| expression(tree, &PROPERTIES));
            let condition = some(formulas.next(), tree)??;
            let response = formulas.next().transpose()?;
            let judgement = tree.find(p::RULE_JUDGEMENT).map(|judgement| match word(judgement).as_str() {
                "ALWAYS" => Judgement::Always,
                "NEVER" => Judgement::Never,
                "REACH" => Judgement::Reach,
                _ => Judgement::Resettable,
            });
            let expected = tree.find(p::RULE_EXPECTATION).map(verdict).transpose()?;
            let bound = tree.tokens().zip(tree.token_spans()).last();
            let within = match bound.filter(|_| tree.tokens().any(|token| token.eq_ignore_ascii_case("within"))) {
                Some((text, place)) if text.contains('#') => {
                    Some(Bound::Milliseconds(literal::duration(text, place)?, place))
                }
                Some((text, place)) => Some(Bound::Cycles(literal::number(text, place)?, place)),
                None => None,
            };
            Remark::Property(Property { name: label(tree)?, judgement, condition, response, within, expected })
        }
        _ => return Ok(None),
    }))
}

/// The name of a property.
fn label(tree: Tree<'_>) -> Lowered<Ident> {
    let label = some(tree.find(p::RULE_LABEL), tree)?;
    let first = label.tokens().zip(label.token_spans()).next().map(ident_of);
    some(first, label)
}

fn verdict(tree: Tree<'_>) -> Lowered<Status> {
    let word = word(some(tree.find(p::RULE_VERDICT), tree)?);
    Ok(if word == "HOLDS" { Status::Holds } else { Status::Violated })
}

/// A bound of a label.
fn bound(tree: Tree<'_>) -> Lowered<Expr> {
    let span = tree.span();
    if let Some(inner) = tree.find(g::RULE_LITERAL) {
        let value = literal::literal(inner)?;
        return Ok(match (tree.has_token("-"), value.kind) {
            (true, ExprKind::Number(number)) => Expr { kind: ExprKind::Number(-number), span },
            (true, kind) => {
                Expr { kind: ExprKind::Unary(Unary::Negate, Box::new(Expr { kind, span: value.span })), span }
            }
            (false, kind) => Expr { kind, span },
        });
    }
    let name = some(tree.find(g::RULE_NAME_OF), tree)?;
    let mut names = idents(name).into_iter();
    let first = some(names.next(), tree)?;
    let kind = match names.next() {
        Some(value) => ExprKind::Qualified(first, value),
        None => ExprKind::Place(Place { span: first.span, name: first, suffixes: vec![] }),
    };
    Ok(Expr { kind, span })
}

fn place(tree: Tree<'_>, rules: &Rules) -> Lowered<Place> {
    let mut suffixes = vec![];
    for suffix in tree.all(rules.suffix) {
        let span = suffix.span();
        suffixes.push(match word(suffix).as_str() {
            "." => match suffix.names().next() {
                Some(name) => Suffix::Field(ident_of(name)),
                None => {
                    let bit = some(suffix.tokens().nth(1), suffix)?;
                    Suffix::Bit(u32::try_from(literal::number(bit, span)?).unwrap_or(u32::MAX), span)
                }
            },
            "[" => {
                let indices = suffix.all(rules.expression).map(|tree| expression(tree, rules));
                Suffix::Index(indices.collect::<Lowered<_>>()?, span)
            }
            "(" => {
                let arguments = suffix.all(rules.argument).map(|tree| argument(tree, rules));
                Suffix::Call(arguments.collect::<Lowered<_>>()?, span)
            }
            _ => Suffix::Pointer(span),
        });
    }
    Ok(Place { name: ident(tree)?, suffixes, span: tree.span() })
}

fn argument(tree: Tree<'_>, rules: &Rules) -> Lowered<Argument> {
    if tree.has_token("=>") {
        let target = tree.find(rules.place).map(|tree| place(tree, rules)).transpose()?;
        return Ok(Argument::Out { name: ident(tree)?, place: target, negated: word(tree) == "NOT" });
    }
    let value = expression(some(tree.find(rules.expression), tree)?, rules)?;
    Ok(Argument::In(tree.names().next().map(ident_of), value))
}

/// An operator, how tightly it binds, and whether it does so to the right.
fn operator(text: &str) -> Option<(Binary, u8, bool)> {
    Some(match text.to_uppercase().as_str() {
        "<->" => (Binary::Iff, 1, false),
        "->" => (Binary::Implies, 2, true),
        "SINCE" => (Binary::Since, 3, false),
        "OR" | "||" => (Binary::Or, 4, false),
        "OR_ELSE" => (Binary::OrElse, 4, false),
        "XOR" => (Binary::Xor, 5, false),
        "AND" | "&" | "&&" => (Binary::And, 6, false),
        "AND_THEN" => (Binary::AndThen, 6, false),
        "=" | "==" => (Binary::Equal, 8, false),
        "<>" | "!=" => (Binary::Unequal, 8, false),
        "<" => (Binary::Less, 9, false),
        "<=" => (Binary::LessEqual, 9, false),
        ">" => (Binary::Greater, 9, false),
        ">=" => (Binary::GreaterEqual, 9, false),
        "+" => (Binary::Add, 10, false),
        "-" => (Binary::Subtract, 10, false),
        "*" => (Binary::Multiply, 11, false),
        "/" => (Binary::Divide, 11, false),
        "MOD" => (Binary::Modulo, 11, false),
        "**" => (Binary::Power, 12, false),
        _ => return None,
    })
}

/// `once` and its like bind more loosely than comparisons, more tightly than `AND`.
const LOOKING_BACK: u8 = 7;

enum Part<'t> {
    Operand(Tree<'t>),
    Operator(Binary, u8, bool),
}

fn expression(tree: Tree<'_>, rules: &Rules) -> Lowered<Expr> {
    grow(|| {
        let mut parts = vec![];
        for child in tree.children() {
            match child {
                Child::Rule(tree) if tree.rule() == rules.operator => {
                    let (operator, level, right) = some(tree.tokens().next().and_then(operator), tree)?;
                    parts.push(Part::Operator(operator, level, right));
                }
                Child::Rule(tree) => parts.push(Part::Operand(tree)),
                Child::Token(_) => {}
            }
        }
        let mut parts = Parts { list: parts.into_iter().peekable(), rules };
        parts.climb(0, tree.span())
    })
}

struct Parts<'t, 'r> {
    list: std::iter::Peekable<std::vec::IntoIter<Part<'t>>>,
    rules: &'r Rules,
}

impl<'t> Parts<'t, '_> {
    /// An operand and the operators behind it that bind at least so tightly.
    fn climb(&mut self, least: u8, span: Span) -> Lowered<Expr> {
        let Some(Part::Operand(first)) = self.list.next() else { return damaged(span) };
        let mut left = self.operand(first)?;
        while let Some(Part::Operator(operator, level, is_right)) = self.list.peek() {
            let (operator, level, is_right) = (*operator, *level, *is_right);
            if level < least {
                break;
            }
            self.list.next();
            let right = grow(|| self.climb(if is_right { level } else { level + 1 }, span))?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn operand(&mut self, tree: Tree<'t>) -> Lowered<Expr> {
        let Some(inner) = tree.find(self.rules.operand) else {
            return primary(some(tree.find(self.rules.primary), tree)?, self.rules);
        };
        let unary = match word(tree).as_str() {
            "-" => Unary::Negate,
            "+" => Unary::Plus,
            "ONCE" => Unary::Once,
            "HISTORICALLY" => Unary::Historically,
            _ => Unary::Not,
        };
        let mut value = grow(|| self.operand(inner))?;
        if matches!(unary, Unary::Once | Unary::Historically) {
            // The operators behind it that bind more tightly belong to its operand.
            while let Some(Part::Operator(operator, level, _)) = self.list.peek() {
                let (operator, level) = (*operator, *level);
                if level <= LOOKING_BACK {
                    break;
                }
                self.list.next();
                let right = self.climb(level + 1, tree.span())?;
                let span = value.span.to(right.span);
                value = Expr { kind: ExprKind::Binary(operator, Box::new(value), Box::new(right)), span };
            }
        }
        let span = tree.span().to(value.span);
        Ok(Expr { kind: ExprKind::Unary(unary, Box::new(value)), span })
    }
}

fn primary(tree: Tree<'_>, rules: &Rules) -> Lowered<Expr> {
    let span = tree.span();
    if let Some(inner) = tree.find(rules.expression) {
        let inner = expression(inner, rules)?;
        if word(tree) == "PREV" {
            return Ok(Expr { kind: ExprKind::Unary(Unary::Prev, Box::new(inner)), span });
        }
        return Ok(Expr { span, ..inner });
    }
    if let Some(inner) = tree.find(rules.literal) {
        return literal::literal(inner);
    }
    let place = place(some(tree.find(rules.place), tree)?, rules)?;
    Ok(Expr { kind: ExprKind::Place(place), span })
}
