//! Judgements at the end of every cycle, assumptions at its beginning, and properties of whole runs.

use std::rc::Rc;

use crate::ast::{Bound, Expr, ExprKind, Judgement, Place, Property, Remark, Suffix, Unary};
use crate::flow::Flow;
use crate::lower::{Lowered, Lowering};
use crate::place::Binding;
use crate::storage::{Cells, Located, Node};
use crate::types::{Ty, domain};
use redoubt_base::suggest;
use redoubt_formula::Formula;
use redoubt_formula::branching::Branching;
use redoubt_formula::formula::{Binary, Node as Operator, Unary as Temporal};
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::program::legend::LintKind;
use redoubt_program::program::time::Question;
use redoubt_program::program::{Program, Property as Declared, PropertyId, PropertyKind, Status, StmtKind, Timed};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

impl<'m> Lowering<'m> {
    /// Gives the inputs their values of this cycle.
    pub fn take_inputs(&mut self, inputs: &[Located]) -> Lowered {
        inputs.iter().try_for_each(|input| self.take_input(&input.node))
    }

    fn take_input(&mut self, node: &Rc<Node>) -> Lowered {
        match node.as_ref() {
            Node::Unsupported(_) => Ok(()),
            Node::Array { element, .. } => self.take_input(element),
            Node::Record { fields, .. } => fields.iter().try_for_each(|(_, field)| self.take_input(field)),
            Node::Block(instance) => {
                let name = instance.name.clone();
                let span = self.units[instance.unit].unit.name.span;
                let span = if self.is_standard(span) { Span::default() } else { span };
                let message = format!("`{name}` is an input, and a block");
                self.refuse(Diagnostic::new(span, message, "expected values as inputs"))
            }
            Node::Slot(slot) => {
                let (low, high) = slot.range.unwrap_or(self.type_bounds(slot.ty));
                let alphabet = domain(low, high);
                match &slot.cells {
                    Cells::Variables(variables) => {
                        for &variable in variables {
                            let (name, span) = {
                                let variable = self.make.program.variable(variable);
                                (variable.name.clone(), variable.span)
                            };
                            let number = self.make.input(name, alphabet.clone(), slot.ty.meaning());
                            let number = self.make.exprs().input(number, redoubt_program::expr::Type::Int);
                            let value = if slot.ty == Ty::Bool { self.make.truth_of(number) } else { number };
                            self.make.assign(variable, value, span);
                            self.found.note(variable, (low, high));
                        }
                    }
                    Cells::Table(table, size) => {
                        let (name, span) = {
                            let table = self.make.program.table(*table);
                            (table.name.clone(), table.span)
                        };
                        let pointer = self.make.exprs().table(*table);
                        self.make.program.mark_written(*table);
                        for cell in 0..*size {
                            let name = format!("{name}#{cell}");
                            let number = self.make.input(name, alphabet.clone(), slot.ty.meaning());
                            let value = self.make.exprs().input(number, redoubt_program::expr::Type::Int);
                            let index = self.make.int(cell as i64);
                            self.make.push(StmtKind::Store { pointer, index, value }, span);
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Assumptions hold from the beginning of a cycle, so they may speak of inputs and the past.
    pub fn assumptions(&mut self) {
        for remark in &self.text.remarks {
            if let Remark::Assume(condition, span) = remark {
                let _ = self.assumption(condition, *span);
            }
        }
    }

    fn assumption(&mut self, condition: &'m Expr, span: Span) -> Lowered {
        self.check_early(condition, false)?;
        let value = self.observed(condition, false)?;
        self.make.push(StmtKind::Assume(value.expr), span);
        self.make.after = Some(self.make.lint(LintKind::Assumption, span));
        Ok(())
    }

    /// Whether an expression speaks of nothing but inputs, constants and the past.
    fn check_early(&mut self, expr: &'m Expr, is_past: bool) -> Lowered {
        redoubt_base::stack::grow(|| match &expr.kind {
            ExprKind::Unary(Unary::Prev, inner) => self.check_early(inner, true),
            ExprKind::Unary(_, inner) => self.check_early(inner, is_past),
            ExprKind::Binary(_, left, right) => {
                self.check_early(left, is_past)?;
                self.check_early(right, is_past)
            }
            ExprKind::Place(place) if !is_past => self.check_early_place(place),
            _ => Ok(()),
        })
    }

    fn check_early_place(&mut self, place: &'m Place) -> Lowered {
        for suffix in &place.suffixes {
            match suffix {
                Suffix::Index(indices, _) => indices.iter().try_for_each(|index| self.check_early(index, false))?,
                Suffix::Call(arguments, _) => {
                    for argument in arguments {
                        if let crate::ast::Argument::In(_, value) = argument {
                            self.check_early(value, false)?;
                        }
                    }
                }
                _ => {}
            }
        }
        let Some(Binding::Located(located)) = self.lookup(&place.name.key()) else { return Ok(()) };
        let is_input = match first_variable(&located.node) {
            Some(variable) => {
                let scope = self.make.program.variable(variable).scope;
                let is_temp = self.frames.last().is_some_and(|frame| {
                    self.units[frame.unit]
                        .members
                        .iter()
                        .any(|member| member.name.key() == place.name.key() && member.kind == crate::ast::VarKind::Temp)
                });
                scope == redoubt_program::program::Scope::Local && !is_temp
            }
            None => false,
        };
        if is_input {
            return Ok(());
        }
        let message = format!("`{}` is no input", place.name.text);
        let diagnostic = Diagnostic::new(place.span, message, "an assumption speaks of inputs, and of `prev(...)`");
        self.refuse(diagnostic.help("what the program does itself cannot be assumed, only proved: make it a property"))
    }

    /// The body of the checked unit.
    pub fn run_main(&mut self) {
        let Some(unit) = self.frames.last().map(|frame| frame.unit) else { return };
        let body = &self.units[unit].unit.body;
        let temporaries: Vec<String> = self.units[unit]
            .members
            .iter()
            .filter(|member| member.kind == crate::ast::VarKind::Temp)
            .map(|member| member.name.key())
            .collect();
        for key in temporaries {
            if let Some(Binding::Located(located)) = self.lookup(&key) {
                self.reset(&located.node, Span::default());
            }
        }
        let span = self.units[unit].unit.name.span;
        let returned = self.return_flag(body, span);
        if let Some(frame) = self.frames.last_mut() {
            frame.returned = returned;
        }
        self.nesting.push(unit);
        self.statements(body);
        self.nesting.pop();
        let returns = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.returns)).unwrap_or_default();
        let ways = std::iter::once(self.flow.take()).chain(returns);
        self.flow = crate::flow::joined(ways);
    }

    pub fn judge(&mut self) {
        self.is_judging = true;
        // Nothing is judged where nothing gets, but it is looked at for mistakes.
        let flow = self.flow.clone();
        self.flow.get_or_insert_with(Flow::default);
        for remark in &self.text.remarks {
            if let Remark::Property(property) = remark {
                let _ = self.judge_one(property);
            }
        }
        self.flow = flow;
        self.is_judging = false;
    }

    fn judge_one(&mut self, property: &'m Property) -> Lowered {
        let name = &property.name;
        let known = self.make.program.find_property(&name.text).map(|first| self.make.program.property(first).span);
        let timed = self.make.program.timed.iter().find(|timed| timed.name == name.text).map(|timed| timed.span);
        if let Some(first) = known.or(timed) {
            return self.twice(name, first);
        }
        let span = name.span;
        match (property.judgement, &property.response, property.within) {
            (Some(Judgement::Always) | None, Some(response), within) => self.response(property, response, within),
            (Some(_), Some(response), _) => {
                let message = "`~>` says itself when it is asked for";
                self.refuse(Diagnostic::new(response.span, message, "expected nothing before it, or `always`"))
            }
            (_, None, Some(Bound::Cycles(_, at) | Bound::Milliseconds(_, at))) => {
                self.refuse(Diagnostic::new(at, "`within` belongs to `~>`", "expected `a ~> b within ...`"))
            }
            (None, None, None) => {
                let message = "when should this be true?";
                let label = "expected `always`, `never`, `reach` or `resettable` before it";
                self.refuse(Diagnostic::new(property.condition.span, message, label))
            }
            (Some(Judgement::Resettable), None, None) => {
                let atom = self.atom(property, &property.condition, 0, false)?;
                let question = Question::Branching(Branching::resettable(Branching::Atom(0)));
                self.ask(property, question, vec![atom]);
                Ok(())
            }
            (Some(judgement), None, None) => {
                let kind = match judgement {
                    Judgement::Reach => PropertyKind::Goal,
                    _ => PropertyKind::Invariant,
                };
                // A property that cannot be evaluated does not hold.
                let condition = self.observed(&property.condition, judgement == Judgement::Never)?;
                let reached = match judgement {
                    Judgement::Always => self.make.exprs().not(condition.expr),
                    _ => condition.expr,
                };
                let id = self.declare_property(property, kind, span);
                self.make.do_if(reached, StmtKind::Reach(id), span);
                Ok(())
            }
        }
    }

    fn declare_property(&mut self, property: &Property, kind: PropertyKind, span: Span) -> PropertyId {
        let (name, expected) = (property.name.text.clone(), property.expected);
        self.make.program.add_property(Declared { name, kind, span, expected })
    }

    /// Something that is true at the end of some cycles.
    fn atom(&mut self, property: &Property, expr: &'m Expr, number: usize, otherwise: bool) -> Lowered<PropertyId> {
        let condition = self.observed(expr, otherwise)?;
        let name = format!("{}@{number}", property.name.text);
        let atom = self.make.property(&name, PropertyKind::Atom, expr.span);
        self.make.do_if(condition.expr, StmtKind::Reach(atom), expr.span);
        Ok(atom)
    }

    fn ask(&mut self, property: &Property, question: Question, atoms: Vec<PropertyId>) {
        let (name, expected) = (property.name.text.clone(), property.expected);
        let span = property.name.span;
        self.make.program.add_timed(Timed { name, span, expected, question, atoms, from_start: false });
    }

    fn response(&mut self, property: &'m Property, response: &'m Expr, within: Option<Bound>) -> Lowered {
        match within {
            None => {
                let atoms =
                    vec![self.atom(property, &property.condition, 0, true)?, self.atom(property, response, 1, false)?];
                let finally = Operator::Unary(Temporal::Finally, Box::new(Operator::Proposition(1)));
                let whenever = Operator::Binary(Binary::Implies, Box::new(Operator::Proposition(0)), Box::new(finally));
                let root = Operator::Unary(Temporal::Globally, Box::new(whenever));
                let text = |this: &Self, span| {
                    this.make.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
                };
                let propositions = vec![text(self, property.condition.span), text(self, response.span)];
                self.ask(property, Question::Linear(Formula { propositions, root }), atoms);
                Ok(())
            }
            Some(bound) => {
                let (cycles, at) = match bound {
                    Bound::Cycles(cycles, at) => (cycles, at),
                    Bound::Milliseconds(time, at) => (time.div_euclid(self.cycle), at),
                };
                if !(0..i64::from(i32::MAX)).contains(&cycles) {
                    return self.refuse(Diagnostic::new(at, "this is no number of cycles", "expected a smaller one"));
                }
                let (trigger, answer) = (self.observed(&property.condition, true)?, self.observed(response, false)?);
                self.answered_within(property, trigger.expr, answer.expr, cycles);
                Ok(())
            }
        }
    }

    /// Counts the cycles since the oldest request without an answer, this one included, up to one more than there may be.
    fn answered_within(&mut self, property: &Property, trigger: ExprId, answer: ExprId, cycles: i64) {
        let span = property.name.span;
        let name = format!("within@{}", property.name.text);
        let most = cycles + 1;
        let waiting = self.make.hidden(name, Ty::DINT, 0, Some(domain(0, most)), span);
        let (zero, one, limit) = (self.make.int(0), self.make.int(1), self.make.int(most));
        let count = self.make.exprs().var(waiting, Ty::DINT.machine());
        let more = self.make.op(BinaryOp::Add, count, one);
        let below = self.make.op(BinaryOp::Less, count, limit);
        let more = self.make.ite(below, more, limit);
        let is_waiting = self.make.op(BinaryOp::Less, zero, count);
        let first = self.make.ite(trigger, one, zero);
        let open = self.make.ite(is_waiting, more, first);
        let next = self.make.ite(answer, zero, open);
        self.make.assign(waiting, next, span);
        let late = self.make.exprs().eq(count, limit);
        let id = self.declare_property(property, PropertyKind::Invariant, span);
        self.make.do_if(late, StmtKind::Reach(id), span);
    }

    /// The expectations about properties that have no declaration of their own.
    pub fn expectations(&mut self) {
        for remark in &self.text.remarks {
            let Remark::Expect(name, expected) = remark else { continue };
            if let Some(property) = self.make.program.find_property(&name.text) {
                self.make.program.expect(property, *expected);
                continue;
            }
            let automatic = ["range(", "index("].iter().any(|word| name.text.starts_with(word));
            let automatic = automatic || ["division_by_zero", "endless_loop"].contains(&name.text.as_str());
            match (automatic, expected) {
                // It can be seen at a glance.
                (true, Status::Holds) => {}
                (true, Status::Violated) => {
                    let message = format!("`{}` cannot be violated", name.text);
                    let label = "there is nothing that could violate it";
                    let _ = self.refuse::<()>(Diagnostic::new(name.span, message, label));
                }
                (false, _) => {
                    let properties = self.make.program.properties.iter().filter(|known| known.kind.is_question());
                    let near = suggest::nearest(&name.text, properties.map(|known| known.name.as_str()));
                    let message = format!("there is no property `{}`", name.text);
                    let diagnostic = Diagnostic::new(name.span, message, "unknown property");
                    let diagnostic = match near {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                        None => diagnostic,
                    };
                    let _ = self.refuse::<()>(diagnostic);
                }
            }
        }
    }
}

fn first_variable(node: &Node) -> Option<redoubt_program::expr::VarId> {
    match node {
        Node::Slot(slot) => match &slot.cells {
            Cells::Variables(variables) => variables.first().copied(),
            Cells::Table(..) => None,
        },
        Node::Array { element, .. } => first_variable(element),
        Node::Record { fields, .. } => fields.iter().find_map(|(_, field)| first_variable(field)),
        Node::Block(_) | Node::Unsupported(_) => None,
    }
}

/// Puts the properties into the order that people expect: as in the text, then the automatic ones, then those that are only
/// for warnings, then those that others are about.
pub fn order(program: &mut Program) {
    let rank = |kind: PropertyKind| match kind {
        PropertyKind::Lint => 2,
        PropertyKind::Atom => 3,
        PropertyKind::OutOfRange
        | PropertyKind::IndexOutOfBounds
        | PropertyKind::DivisionByZero
        | PropertyKind::Label => 1,
        _ => 0,
    };
    let mut order: Vec<usize> = (0..program.properties.len()).collect();
    order.sort_by_key(|&index| {
        let property = &program.properties[index];
        let automatic = if rank(property.kind) == 1 { property.name.clone() } else { String::new() };
        (rank(property.kind), automatic, property.span)
    });
    program.reorder_properties(&order);
}
