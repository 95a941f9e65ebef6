//! Properties that look ahead, and fairness: formulas over atoms, which steps reach where they are true.
//!
//! Whatever stands below the operators that look ahead is an expression about one moment, an atom, and may look back. It is
//! evaluated where other properties are judged, at the end of a step; and on the initial state, if the whole property says
//! something about that.

use redoubt_formula::Formula;
use redoubt_formula::formula::{Binary, MOST_PROPOSITIONS, Node, Unary};
use rustc_hash::FxHashMap;

use super::ast::{Expr, ExprKind, Ident, Item, ItemKind, Judgement, Property as Declared, Range};
use super::lower::{Lowered, Lowering, Refused};
use super::mentions::{Topic, operands};
use super::names::{ArrayKind, Entity};
use super::scope::Moment;
use redoubt_base::stack::grow;
use redoubt_program::expr::ExprId;
use redoubt_program::program::time::Question;
use redoubt_program::program::{Fairness, PropertyId, PropertyKind, StmtKind, Timed};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// Bounds of `within` that are larger are refused: a formula has a part for each step.
const MOST_STEPS: i32 = 100;

/// Formulas with more parts are refused.
const MOST_PARTS: usize = 4_000;

/// The most values of a fair input.
const MOST_VALUES: usize = 64;

/// The atoms of one property.
pub struct Atoms {
    /// The name of the property.
    name: String,
    from_start: bool,
    list: Vec<PropertyId>,
    texts: Vec<String>,
    /// Those that need no statements, by their values in a step and on the initial state.
    known: FxHashMap<(ExprId, Option<ExprId>), usize>,
    /// The number of parts of the formula so far.
    pub parts: usize,
}

/// Whether an operator is about the moments to come.
pub fn is_ahead(operator: &str) -> bool {
    matches!(operator, "always" | "never" | "eventually" | "infinitely often" | "until" | "~>" | "within")
}

/// Whether an operator is about many runs at a time.
pub fn is_branching(operator: &str) -> bool {
    matches!(operator, "EX" | "EF" | "EG" | "EU" | "AX" | "AF" | "AG" | "AU")
}

impl<'m> Lowering<'m> {
    /// The operator of an expression, if it looks ahead.
    pub fn operator_ahead<'e>(&self, expr: &'e Expr) -> Option<&'e str> {
        let operator = match &expr.kind {
            ExprKind::Unary(operator, _) | ExprKind::Binary(_, operator, _) => operator.as_str(),
            // A name that the model may use for something else.
            ExprKind::Call(name, _) if self.names().get(&name.text).is_none() && name.text == "next" => {
                return Some("next");
            }
            ExprKind::Call(name, _) if self.names().get(&name.text).is_none() => {
                return is_branching(&name.text).then_some(name.text.as_str());
            }
            _ => return None,
        };
        (is_ahead(operator) || is_branching(operator)).then_some(operator)
    }

    /// Whether an expression is about more than one moment.
    pub fn looks_ahead(&self, expr: &Expr) -> bool {
        self.operator_ahead(expr).is_some() || grow(|| operands(expr).into_iter().any(|part| self.looks_ahead(part)))
    }

    /// The message that an operator stands where no property is.
    pub fn out_of_place<T>(&mut self, operator: &str, span: Span) -> Lowered<T> {
        let diagnostic = match is_branching(operator) {
            true => Diagnostic::new(span, format!("`{operator}` is about many runs"), "expected in a property, after `ctl`"),
            false => Diagnostic::new(span, format!("`{operator}` looks ahead"), "expected in a property, and nowhere else")
                .help("its operands, and definitions, are conditions on one moment; `!`, `&&`, `||`, `->`, `<->`, `all` and `any` may stand above it"),
        };
        self.refuse(diagnostic)
    }

    /// A property about whole runs, if it is one.
    pub fn judge_runs(&mut self, declared: &'m Declared) -> Option<Lowered> {
        let condition = &declared.condition;
        match declared.judgement {
            Judgement::Always | Judgement::Never if !self.looks_ahead(condition) => None,
            Judgement::Reach if !self.looks_ahead(condition) => None,
            Judgement::Reach => {
                let message = "`reach` asks for one state, and this is about many";
                let diagnostic = Diagnostic::new(condition.span, message, "expected a condition on one moment");
                Some(self.refuse(diagnostic.help("`ctl EF ...` asks whether some run gets to where this is true")))
            }
            Judgement::Holds if !self.looks_ahead(condition) => {
                let message = "when should this be true?";
                let diagnostic = Diagnostic::new(
                    condition.span,
                    message,
                    "expected `always`, `never`, `reach` or `eventually` before it",
                );
                Some(self.refuse(diagnostic))
            }
            Judgement::Ctl | Judgement::Resettable => Some(self.branching_property(declared)),
            Judgement::Always | Judgement::Never | Judgement::Holds => Some(self.linear_property(declared)),
        }
    }

    fn linear_property(&mut self, declared: &'m Declared) -> Lowered {
        let mut atoms = self.atoms_of(declared);
        let node = self.formula(&declared.condition, &mut atoms)?;
        let globally = |node| unary(Unary::Globally, node);
        let root = match declared.judgement {
            Judgement::Always => globally(node),
            Judgement::Never => globally(unary(Unary::Not, node)),
            _ => node,
        };
        let formula = Formula { propositions: atoms.texts.clone(), root };
        self.add_timed(declared, Question::Linear(formula), atoms)
    }

    pub fn atoms_of(&mut self, declared: &'m Declared) -> Atoms {
        Atoms {
            name: declared.name.text.clone(),
            from_start: !self.is_about(Topic::Step, &declared.condition),
            list: vec![],
            texts: vec![],
            known: FxHashMap::default(),
            parts: 0,
        }
    }

    pub fn add_timed(&mut self, declared: &'m Declared, question: Question, atoms: Atoms) -> Lowered {
        let span = declared.name.span;
        if atoms.list.len() > MOST_PROPOSITIONS {
            let message = format!("a property about more than {MOST_PROPOSITIONS} conditions");
            return self.refuse(Diagnostic::new(span, message, "expected fewer, or several properties"));
        }
        let Atoms { name, from_start, list, .. } = atoms;
        let expected = declared.expected;
        self.make.program.add_timed(Timed { name, span, expected, question, atoms: list, from_start });
        Ok(())
    }

    /// Counts the parts of a formula.
    pub fn count_parts(&mut self, atoms: &mut Atoms, parts: usize, span: Span) -> Lowered {
        atoms.parts += parts;
        if atoms.parts > MOST_PARTS {
            let message = format!("a formula of more than {MOST_PARTS} parts");
            return self.refuse(Diagnostic::new(span, message, "once everything is written out"));
        }
        Ok(())
    }

    fn formula(&mut self, expr: &'m Expr, atoms: &mut Atoms) -> Lowered<Node> {
        grow(|| self.any_formula(expr, atoms))
    }

    fn any_formula(&mut self, expr: &'m Expr, atoms: &mut Atoms) -> Lowered<Node> {
        self.count_parts(atoms, 1, expr.span)?;
        if !self.looks_ahead(expr) {
            let place = self.atom(expr, atoms)?;
            return Ok(place.map_or_else(Node::Constant, Node::Proposition));
        }
        if let Some(operator) = self.operator_ahead(expr).filter(|operator| is_branching(operator)) {
            return self.out_of_place(operator, expr.span);
        }
        match &expr.kind {
            ExprKind::Unary(operator, operand) => {
                let globally = |node| unary(Unary::Globally, node);
                let operator = operator.as_str();
                if !matches!(operator, "!" | "always" | "never" | "eventually" | "infinitely often") {
                    return self.not_above(operator, operand);
                }
                if let ("eventually", Some((goal, steps))) = (operator, bound(operand)) {
                    return self.bounded(None, goal, steps, atoms);
                }
                let node = self.formula(operand, atoms)?;
                Ok(match operator {
                    "!" => unary(Unary::Not, node),
                    "always" => globally(node),
                    "never" => globally(unary(Unary::Not, node)),
                    "eventually" => unary(Unary::Finally, node),
                    _ => globally(unary(Unary::Finally, node)),
                })
            }
            ExprKind::Binary(left, operator, right) => {
                let operator = match operator.as_str() {
                    "&&" => Binary::And,
                    "||" => Binary::Or,
                    "->" => Binary::Implies,
                    "<->" => Binary::Iff,
                    "until" => match bound(right) {
                        Some((goal, steps)) => return self.bounded(Some(left), goal, steps, atoms),
                        None => Binary::Until,
                    },
                    "within" => {
                        return match &left.kind {
                            ExprKind::Unary(word, goal) if word == "eventually" => {
                                self.bounded(None, goal, right, atoms)
                            }
                            ExprKind::Binary(hold, word, goal) if word == "until" => {
                                self.bounded(Some(hold), goal, right, atoms)
                            }
                            _ => self.bounded(None, left, right, atoms),
                        };
                    }
                    "~>" => return self.leads_to(left, right, atoms),
                    other => return self.not_above(other, if self.looks_ahead(left) { left } else { right }),
                };
                let parts = (self.formula(left, atoms), self.formula(right, atoms));
                Ok(binary(operator, parts.0?, parts.1?))
            }
            ExprKind::Call(name, arguments) if name.text == "next" && self.names().get("next").is_none() => {
                let [operand] = arguments.as_slice() else {
                    let message = format!("`next` takes 1 value, not {}", arguments.len());
                    return self.refuse(Diagnostic::new(expr.span, message, "expected 1 value"));
                };
                Ok(unary(Unary::Next, self.formula(operand, atoms)?))
            }
            ExprKind::Quantified { word, name, range, body } if matches!(word.text.as_str(), "all" | "any") => {
                let is_all = word.text == "all";
                let operator = if is_all { Binary::And } else { Binary::Or };
                let nodes = self.for_each(name, range, |this| this.formula(body, atoms))?;
                Ok(nodes.into_iter().reduce(|a, b| binary(operator, a, b)).unwrap_or(Node::Constant(is_all)))
            }
            _ => self.not_above("this", expr),
        }
    }

    /// Something for each number of a range.
    pub fn for_each<T>(
        &mut self,
        name: &'m Ident,
        range: &'m Range,
        mut make: impl FnMut(&mut Self) -> Lowered<T>,
    ) -> Lowered<Vec<T>> {
        let (ty, low, high) = self.range(range)?;
        let mut list = vec![];
        for number in low..=high {
            if self.make.is_too_much(name.span) {
                return Err(Refused);
            }
            self.scope.bound.push((&name.text, Entity::Constant(ty, number)));
            let made = make(self);
            self.scope.bound.pop();
            list.push(made?);
        }
        Ok(list)
    }

    /// The message that something stands above an operator that looks ahead which cannot.
    pub fn not_above<T>(&mut self, above: &str, below: &Expr) -> Lowered<T> {
        let mut inner = below;
        while self.operator_ahead(inner).is_none() {
            match operands(inner).into_iter().find(|part| self.looks_ahead(part)) {
                Some(part) => inner = part,
                None => return self.out_of_place(above, below.span),
            }
        }
        let operator = self.operator_ahead(inner).unwrap_or("this").to_string();
        let is_other = self.operator_ahead(below).is_some() && (is_ahead(above) || is_branching(above));
        if is_other || above == "this" || is_branching(&operator) {
            return self.out_of_place(&operator, inner.span);
        }
        let message = format!("`{operator}` cannot stand below `{above}`");
        self.refuse(
            Diagnostic::new(inner.span, message, "this is true or false of a run, not of a moment")
                .help("above it there may be `!`, `&&`, `||`, `->`, `<->`, `all`, `any` and operators that look ahead"),
        )
    }

    /// `e within n`, `eventually e within n`, `d until e within n`: in one of the next steps, or now.
    fn bounded(&mut self, hold: Option<&'m Expr>, goal: &'m Expr, right: &'m Expr, atoms: &mut Atoms) -> Lowered<Node> {
        let steps = self.constant_number(right)?;
        if !(0..=MOST_STEPS).contains(&steps) {
            let label = format!("expected a number of steps from 0 to {MOST_STEPS}");
            return self.refuse(Diagnostic::new(right.span, format!("`within` {steps} steps"), label));
        }
        let before = atoms.parts;
        let parts = (hold.map(|hold| self.formula(hold, atoms)).transpose(), self.formula(goal, atoms));
        let (meanwhile, goal, span) = (parts.0?, parts.1?, goal.span);
        self.count_parts(atoms, (atoms.parts - before + 2) * steps as usize, span)?;
        let mut result = goal.clone();
        for _ in 0..steps {
            let later = unary(Unary::Next, result);
            let later = match &meanwhile {
                Some(hold) => binary(Binary::And, hold.clone(), later),
                None => later,
            };
            result = binary(Binary::Or, goal.clone(), later);
        }
        Ok(result)
    }

    /// `a ~> b`: whenever `a` is true, `b` is later, or at once; with `within`, at most that many steps later.
    fn leads_to(&mut self, left: &'m Expr, right: &'m Expr, atoms: &mut Atoms) -> Lowered<Node> {
        let cause = self.formula(left, atoms);
        let effect = match bound(right) {
            Some((goal, steps)) => self.bounded(None, goal, steps, atoms),
            None => self.formula(right, atoms).map(|node| unary(Unary::Finally, node)),
        };
        Ok(unary(Unary::Globally, binary(Binary::Implies, cause?, effect?)))
    }

    /// A condition on one moment: the number of the atom, or the value that it always has.
    pub fn atom(&mut self, expr: &'m Expr, atoms: &mut Atoms) -> Lowered<Result<usize, bool>> {
        let (statements, condition) = self.aside(|this| this.condition(expr));
        let condition = condition?;
        let initial = if atoms.from_start {
            let moment = std::mem::replace(&mut self.scope.moment, Moment::Initial);
            let (statements, condition) = self.aside(|this| this.condition(expr));
            self.scope.moment = moment;
            Some((statements, condition?))
        } else {
            None
        };
        let is_plain = statements.is_empty() && initial.as_ref().is_none_or(|(statements, _)| statements.is_empty());
        let key = (condition, initial.as_ref().map(|(_, condition)| *condition));
        if is_plain {
            let value = |expr: ExprId| self.make.program.exprs.as_bool(expr);
            if let Some(constant) = value(condition)
                && key.1.is_none_or(|initial| value(initial) == Some(constant))
            {
                return Ok(Err(constant));
            }
            if let Some(&known) = atoms.known.get(&key) {
                return Ok(Ok(known));
            }
        }
        let number = atoms.list.len();
        let atom = self.make.property(&format!("{}@{number}", atoms.name), PropertyKind::Atom, expr.span);
        self.make.block.extend(statements);
        self.make.do_if(condition, StmtKind::Reach(atom), expr.span);
        if let Some((statements, condition)) = initial {
            let (judged, ()) = self.aside(|this| {
                this.make.block.extend(statements);
                this.make.do_if(condition, StmtKind::Reach(atom), expr.span);
            });
            self.sections.opening.extend(judged);
        }
        atoms.list.push(atom);
        atoms.texts.push(self.make.program.sources.text(expr.span).split_whitespace().collect::<Vec<_>>().join(" "));
        if is_plain {
            atoms.known.insert(key, number);
        }
        Ok(Ok(number))
    }

    /// The fairness assumptions of the model, besides its alternatives.
    pub fn fairness(&mut self, items: &'m [Item]) {
        for item in items {
            let _ = match &item.kind {
                ItemKind::Fair(condition, when) => self.fair_condition(condition, when.as_ref()),
                ItemKind::Input { name, fair: true, .. } => self.fair_input(name),
                _ => Ok(()),
            };
        }
    }

    fn fair_condition(&mut self, condition: &'m Expr, when: Option<&'m Expr>) -> Lowered {
        let recurs = self.condition(condition);
        let recurs = recurs.map(|recurs| self.fair_atom(recurs, condition.span));
        let when = match when {
            Some(when) => {
                let enabled = self.condition(when)?;
                Some(self.fair_atom(enabled, when.span))
            }
            None => None,
        };
        self.make.program.add_fairness(Fairness { recurs: recurs?, when });
        Ok(())
    }

    /// Something that fairness is about: reached in the steps in which a condition holds.
    pub fn fair_atom(&mut self, condition: ExprId, span: Span) -> PropertyId {
        let atom = self.new_fair_atom(span);
        self.make.do_if(condition, StmtKind::Reach(atom), span);
        atom
    }

    pub fn new_fair_atom(&mut self, span: Span) -> PropertyId {
        let number = self.make.program.properties.len();
        self.make.property(&format!("fair@{number}"), PropertyKind::Atom, span)
    }

    /// Each value of an input comes again and again; of an array, in every cell.
    fn fair_input(&mut self, name: &'m Ident) -> Lowered {
        let (inputs, ty) = match self.lookup(&name.text, name.span)? {
            Entity::Input(input, ty) => (vec![input], ty),
            Entity::Array { table, element, dims, kind: ArrayKind::Input } => {
                let cells =
                    (0..dims.cells()).map(|cell| format!("{}{}", name.text, self.make.legend.indices(table, cell)));
                let cells: Vec<String> = cells.collect();
                let is_cell = |input: &redoubt_program::program::Input| cells.contains(&input.name);
                let inputs = self.make.program.inputs.iter().enumerate().filter(|(_, input)| is_cell(input));
                (inputs.map(|(index, _)| redoubt_program::expr::InputId::new(index)).collect(), element)
            }
            _ => return Err(Refused),
        };
        let Some(values) = self.make.domain(ty).list(MOST_VALUES) else {
            let message = format!("`{}` has too many values to be fair", name.text);
            let label = format!("expected at most {MOST_VALUES}");
            return self.refuse(Diagnostic::new(name.span, message, label).help("`assume fair` asks for some of them"));
        };
        for input in inputs {
            for &value in &values {
                let (now, value) = (self.make.input_value(input, ty).expr, self.make.constant_value(ty, value).expr);
                let is_it = self.make.exprs().eq(now, value);
                let recurs = self.fair_atom(is_it, name.span);
                self.make.program.add_fairness(Fairness { recurs, when: None });
            }
        }
        Ok(())
    }
}

/// `e within n`, where that says how soon something comes that is to come anyway: the goal of `eventually`, `until` or `~>`.
fn bound(expr: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Binary(goal, operator, steps) = &expr.kind else { return None };
    let has_own = matches!(&goal.kind, ExprKind::Unary(word, _) | ExprKind::Binary(_, word, _)
        if matches!(word.as_str(), "eventually" | "until"));
    (operator == "within" && !has_own).then_some((&**goal, &**steps))
}

fn unary(operator: Unary, node: Node) -> Node {
    Node::Unary(operator, Box::new(node))
}

fn binary(operator: Binary, a: Node, b: Node) -> Node {
    Node::Binary(operator, Box::new(a), Box::new(b))
}
