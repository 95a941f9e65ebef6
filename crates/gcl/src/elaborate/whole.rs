//! Records and arrays as a whole: their structure, whether they fit each other, and their parts.

use std::rc::Rc;

use super::Elaborator;
use super::path::cell_expr;
use super::types::{Record, Selector, Stored, Type};
use crate::ast::{Expr, ExprKind, Ident};
use redoubt_program::text::Span;

/// A value that may have parts.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few of them")]
pub enum Whole<'a> {
    One(Expr),
    Stored(Stored<'a>, Span),
    /// The values of the fields, in their order.
    Record(Rc<Record<'a>>, Vec<Whole<'a>>),
    List(Vec<Whole<'a>>, Span),
    If(Box<Expr>, Box<Whole<'a>>, Box<Whole<'a>>),
    Previous(Box<Whole<'a>>, Span),
}

impl<'a> Elaborator<'a> {
    /// The type of a value with parts.
    pub fn type_of_whole(&self, whole: &Whole<'a>) -> Option<Type<'a>> {
        match whole {
            Whole::One(_) => None,
            Whole::Stored(stored, _) => Some(stored.ty.clone()),
            Whole::Record(record, _) => Some(Type::Record(Rc::clone(record))),
            Whole::List(list, span) => {
                let size = super::scope::number_expr(list.len() as i64, *span);
                let one = || Type::One(crate::ast::TypeName { kind: crate::ast::TypeKind::Other, span: *span });
                let element = list.first().and_then(|first| self.type_of_whole(first)).unwrap_or_else(one);
                Some(Type::Array(Box::new(element), size))
            }
            Whole::If(_, then, otherwise) => self.type_of_whole(then).or_else(|| self.type_of_whole(otherwise)),
            Whole::Previous(inner, _) => self.type_of_whole(inner),
        }
    }

    /// Whether a value can be stored where this type is. One value, or one record, fits all cells of an array.
    pub fn fits(&self, ty: &Type<'a>, whole: &Whole<'a>) -> bool {
        match (ty, whole) {
            (Type::One(_), Whole::One(_)) => true,
            (Type::Array(element, size), Whole::List(list, _)) => {
                self.indices_of(size).is_none_or(|indices| indices.len() == list.len())
                    && list.iter().all(|one| self.fits(element, one))
            }
            (_, Whole::If(_, then, otherwise)) => self.fits(ty, then) && self.fits(ty, otherwise),
            (_, Whole::Previous(inner, _)) => self.fits(ty, inner),
            (Type::Array(element, _), Whole::One(_) | Whole::Record(..)) => self.fits(element, whole),
            (Type::Record(a), Whole::Record(b, _)) => a.name == b.name,
            (_, Whole::Stored(stored, _)) => self.same_parts(ty, &stored.ty),
            _ => false,
        }
    }

    /// The part at the end of a way.
    pub fn part(&self, whole: &Whole<'a>, way: &[Selector]) -> Option<Expr> {
        let Some((step, rest)) = way.split_first() else {
            return match whole {
                Whole::One(expr) => Some(expr.clone()),
                Whole::Stored(stored, span) => {
                    let name = Ident { text: stored.name.clone(), span: *span };
                    Some(cell_expr(name, stored.indices.clone(), *span))
                }
                Whole::If(condition, then, otherwise) => {
                    let (then, otherwise) = (self.part(then, way)?, self.part(otherwise, way)?);
                    let span = then.span;
                    let kind = ExprKind::If(condition.clone(), Box::new(then), Box::new(otherwise));
                    Some(Expr { kind, span })
                }
                Whole::Previous(inner, span) => {
                    let inner = self.part(inner, way)?;
                    Some(Expr { kind: ExprKind::Previous(Box::new(inner)), span: *span })
                }
                Whole::Record(..) | Whole::List(..) => None,
            };
        };
        match (whole, step) {
            (Whole::Stored(stored, span), _) => {
                let mut stored = stored.clone();
                match step {
                    Selector::Field(field) => stored.name = format!("{}.{field}", stored.name),
                    Selector::Index(index) => stored.indices.push(index.clone()),
                }
                self.part(&Whole::Stored(stored, *span), rest)
            }
            (Whole::Record(record, values), Selector::Field(field)) => {
                let place = record.fields.iter().position(|known| known.name.text == *field)?;
                self.part(&values[place], rest)
            }
            (Whole::List(list, _), Selector::Index(index)) => {
                let place = match (&index.kind, self.plain_number(index)) {
                    (_, Some(number)) => usize::try_from(number).ok()?,
                    (ExprKind::Name(value), None) => {
                        let of = self
                            .enumerations
                            .values()
                            .find_map(|values| values.iter().position(|other| other == value));
                        of?
                    }
                    _ => return None,
                };
                self.part(list.get(place)?, rest)
            }
            (Whole::If(condition, then, otherwise), _) => {
                let (then, otherwise) = (self.part(then, way)?, self.part(otherwise, way)?);
                let span = then.span;
                Some(Expr { kind: ExprKind::If(condition.clone(), Box::new(then), Box::new(otherwise)), span })
            }
            (Whole::Previous(inner, span), _) => {
                let inner = self.part(inner, way)?;
                Some(Expr { kind: ExprKind::Previous(Box::new(inner)), span: *span })
            }
            // One value for all cells.
            (Whole::One(_) | Whole::Record(..), Selector::Index(_)) => self.part(whole, rest),
            (Whole::One(_) | Whole::List(..), Selector::Field(_)) => None,
        }
    }

    /// The values of all parts, in the order of the type's; `None` and a message if they do not fit.
    pub fn parts_of(&mut self, ty: &Type<'a>, whole: &Whole<'a>, span: Span) -> Option<Vec<(Vec<Selector>, Expr)>> {
        if !self.fits(ty, whole) {
            let wanted = self.describe(ty);
            let found = match self.type_of_whole(whole) {
                Some(found) => self.describe(&found),
                None => "a single value".into(),
            };
            let message =
                if found == wanted { "the parts of this are others".into() } else { format!("this is {found}") };
            self.refuse(span, message, format!("expected {wanted}"));
            return None;
        }
        let Some(ways) = self.parts(ty) else {
            self.refuse(span, "this is too large to be taken apart", "expected something smaller");
            return None;
        };
        ways.into_iter().map(|way| Some((self.part(whole, &way)?, way))).map(|pair| pair.map(|(a, b)| (b, a))).collect()
    }

    /// Whether two values with parts are equal: all of their parts are.
    pub fn compared(&mut self, left: &Whole<'a>, right: &Whole<'a>, span: Span) -> Expr {
        let ty = match (left, right) {
            (Whole::One(_), _) | (_, Whole::One(_)) => {
                let help = "compare it with a list or another array, or use `all` or `any`";
                let message = "something with many parts and a single value".to_string();
                self.refuse_with(span, message, "these cannot be compared", help);
                return self.broken(span);
            }
            (Whole::List(..), _) => self.type_of_whole(right),
            _ => self.type_of_whole(left),
        };
        let Some(ty) = ty else { return self.broken(span) };
        let lists = (self.parts_of(&ty, left, span), self.parts_of(&ty, right, span));
        let (Some(left), Some(right)) = lists else { return self.broken(span) };
        let pairs = left.into_iter().zip(right);
        let equal = |((_, a), (_, b))| {
            let kind = ExprKind::Binary(Box::new(a), "==".into(), Box::new(b));
            Expr { kind, span }
        };
        all_hold(pairs.map(equal).collect(), span)
    }
}

/// The conjunction of all these, put together like a tree, so that nothing gets deep.
fn all_hold(mut list: Vec<Expr>, span: Span) -> Expr {
    match list.len() {
        0 => Expr { kind: ExprKind::Truth(true), span },
        1 => list.remove(0),
        many => {
            let right = all_hold(list.split_off(many / 2), span);
            let left = all_hold(list, span);
            Expr { kind: ExprKind::Binary(Box::new(left), "&&".into(), Box::new(right)), span }
        }
    }
}
