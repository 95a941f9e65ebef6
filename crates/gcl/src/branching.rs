//! Properties of branching time: expressions with `EX`, `EF`, `EG`, `EU`, `AX`, `AF`, `AG` and `AU` to formulas over atoms.

use super::ast::{Expr, ExprKind, Judgement, Property as Declared};
use super::future::{Atoms, is_ahead, is_branching};
use super::lower::{Lowered, Lowering};
use redoubt_base::stack::grow;
use redoubt_formula::branching::{self, Path};
use redoubt_program::program::time::Question;
use redoubt_reading::Diagnostic;

/// Propositions have numbers.
type Branching = branching::Branching<usize>;

impl<'m> Lowering<'m> {
    pub fn branching_property(&mut self, declared: &'m Declared) -> Lowered {
        let mut atoms = self.atoms_of(declared);
        let formula = self.branching(&declared.condition, &mut atoms)?;
        let formula = match declared.judgement {
            Judgement::Resettable => Branching::resettable(formula),
            _ => formula,
        };
        self.add_timed(declared, Question::Branching(formula), atoms)
    }

    fn branching(&mut self, expr: &'m Expr, atoms: &mut Atoms) -> Lowered<Branching> {
        grow(|| self.any_branching(expr, atoms))
    }

    fn any_branching(&mut self, expr: &'m Expr, atoms: &mut Atoms) -> Lowered<Branching> {
        self.count_parts(atoms, 1, expr.span)?;
        if !self.looks_ahead(expr) {
            let place = self.atom(expr, atoms)?;
            return Ok(place.map_or_else(Branching::Constant, Branching::Atom));
        }
        match &expr.kind {
            ExprKind::Unary(operator, operand) if operator == "!" => Ok(self.branching(operand, atoms)?.negated()),
            ExprKind::Unary(operator, operand) if is_branching(operator) => {
                let inner = Box::new(self.branching(operand, atoms)?);
                Ok(quantified(operator, inner))
            }
            ExprKind::Call(name, arguments) if self.operator_ahead(expr).is_some() && name.text != "next" => {
                let [operand] = arguments.as_slice() else {
                    let message = format!("`{}` takes 1 value, not {}", name.text, arguments.len());
                    return self.refuse(Diagnostic::new(expr.span, message, "expected 1 value"));
                };
                let inner = Box::new(self.branching(operand, atoms)?);
                Ok(quantified(&name.text, inner))
            }
            ExprKind::Binary(left, operator, right)
                if matches!(operator.as_str(), "&&" | "||" | "->" | "<->" | "EU" | "AU") =>
            {
                let parts = (self.branching(left, atoms), self.branching(right, atoms));
                let (a, b) = (parts.0?, parts.1?);
                Ok(match operator.as_str() {
                    "&&" => a.and(b),
                    "||" => a.or(b),
                    "->" => a.negated().or(b),
                    "<->" => {
                        self.count_parts(atoms, atoms.parts, expr.span)?;
                        a.clone().negated().or(b.clone()).and(b.negated().or(a))
                    }
                    "EU" => Branching::Exists(Path::Until(Box::new(a), Box::new(b))),
                    _ => Branching::All(Path::Until(Box::new(a), Box::new(b))),
                })
            }
            ExprKind::Quantified { word, name, range, body } if matches!(word.text.as_str(), "all" | "any") => {
                let is_all = word.text == "all";
                let formulas = self.for_each(name, range, |this| this.branching(body, atoms))?;
                let join = if is_all { Branching::and } else { Branching::or };
                Ok(formulas.into_iter().reduce(join).unwrap_or(Branching::Constant(is_all)))
            }
            ExprKind::Unary(operator, _) | ExprKind::Binary(_, operator, _) if is_ahead(operator) => {
                self.about_one_run(operator, expr)
            }
            ExprKind::Call(name, _) if name.text == "next" => self.about_one_run("next", expr),
            ExprKind::Unary(operator, operand) => self.not_above(operator, operand),
            ExprKind::Binary(left, operator, right) => {
                let inner = if self.looks_ahead(left) { left } else { right };
                self.not_above(operator, inner)
            }
            _ => self.not_above("this", expr),
        }
    }

    fn about_one_run<T>(&mut self, operator: &str, expr: &Expr) -> Lowered<T> {
        let message = format!("`{operator}` is about one run");
        let label = "expected `EX`, `EF`, `EG`, `EU`, `AX`, `AF`, `AG` or `AU`";
        self.refuse(
            Diagnostic::new(expr.span, message, label)
                .help("after `ctl` it must be said whether on some run or on all"),
        )
    }
}

fn quantified(operator: &str, inner: Box<Branching>) -> Branching {
    let path = match &operator[1..] {
        "X" => Path::Next(inner),
        "F" => Path::Finally(inner),
        _ => Path::Globally(inner),
    };
    if operator.starts_with('E') { Branching::Exists(path) } else { Branching::All(path) }
}
