//! The values that variables and arrays have from the start, and the lengths that these give to arrays.

use super::declare::Declarer;
use super::unsupported;
use crate::ast::{ExprId, ExprKind, Initializer};
use crate::types::{self, Integer, Type};
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// Arrays with more cells than this are not modelled.
const MOST_CELLS: u32 = 1 << 16;

impl Declarer<'_, '_, '_> {
    pub fn initial(&mut self, initializer: &Initializer, ty: Integer) -> Lowered<i128> {
        match initializer {
            Initializer::Value(value) => Ok(ty.wrap(self.constant(*value)?)),
            Initializer::List { elements, designated: false, .. } if elements.len() == 1 => {
                self.initial(&elements[0], ty)
            }
            Initializer::List { span, .. } => unsupported(*span, "this initial value"),
        }
    }

    /// Pointers start as null, or as the address of a text that nobody looks at.
    pub fn initial_pointer(&mut self, value: ExprId) -> Lowered<i32> {
        let mut inner = value;
        while let ExprKind::Cast(_, of) = &self.text.expr(inner).kind {
            inner = *of;
        }
        match &self.text.expr(inner).kind {
            ExprKind::Text => Ok(self.out.text_address()),
            _ => Ok(Integer::INT.wrap(self.constant(inner)?) as i32),
        }
    }

    /// The type of an array with its length, the type of its cells and their number.
    pub fn array(&mut self, ty: Type, initializer: Option<&Initializer>, span: Span) -> Lowered<(Type, Integer, u32)> {
        let ty = match (ty, initializer) {
            (Type::Array(element, None), Some(Initializer::List { elements, .. })) => {
                Type::Array(element, Some(elements.len() as u32))
            }
            (Type::Array(element, None), Some(Initializer::Value(value))) => {
                let length = self.characters(*value, &element).map(|characters| characters.len() as u32 + 1);
                Type::Array(element, length)
            }
            (ty, _) => ty,
        };
        let (mut inner, mut count) = (&ty, 1u32);
        while let Type::Array(element, length) = inner {
            let Some(length) = length else { return unsupported(span, "an array without a length") };
            count = count.saturating_mul(*length);
            inner = element;
        }
        let element = match inner {
            Type::Integer(integer) => *integer,
            Type::Foreign(what) => return unsupported(span, &format!("an array of cells that are {what} each")),
            _ => return unsupported(span, "an array of pointers"),
        };
        if count == 0 || count > MOST_CELLS {
            return unsupported(span, &format!("an array of {count} cells"));
        }
        Ok((ty, element, count))
    }

    /// The characters of a text that an array of such elements starts with.
    fn characters(&self, value: ExprId, element: &Type) -> Option<Vec<i128>> {
        let expr = self.text.expr(value);
        match (&expr.kind, element) {
            (ExprKind::Text, Type::Integer(integer)) if integer.bits == 8 => {
                types::characters(self.out.builder.sources.text(expr.span))
            }
            _ => None,
        }
    }

    pub fn initial_cells(&mut self, from: &Initializer, ty: &Type, element: Integer, cells: &mut Vec<i128>) -> Lowered {
        match (from, ty) {
            (Initializer::List { designated: true, span, .. }, _) => {
                unsupported(*span, "an initial value with a place")
            }
            (Initializer::List { elements, span, .. }, Type::Array(inner, Some(length))) => {
                let Some(size) = ty.bytes().map(|bytes| bytes / element.bytes()) else {
                    return unsupported(*span, "this initial value");
                };
                let start = cells.len();
                if elements.len() > *length as usize {
                    return unsupported(*span, "an initial value that is too long");
                }
                elements.iter().try_for_each(|part| self.initial_cells(part, inner, element, cells))?;
                cells.resize(start + size as usize, 0);
                Ok(())
            }
            (from, Type::Integer(integer)) => {
                cells.push(self.initial(from, *integer)?);
                Ok(())
            }
            (Initializer::Value(value), Type::Array(inner, Some(length))) => {
                let (start, length) = (cells.len(), *length as usize);
                match self.characters(*value, inner) {
                    // The zero behind a text may be missing.
                    Some(characters) if characters.len() <= length => {
                        cells.extend(characters.iter().map(|&character| element.wrap(character)));
                        cells.resize(start + length, 0);
                        Ok(())
                    }
                    _ => unsupported(self.text.expr(*value).span, "this initial value"),
                }
            }
            (Initializer::Value(value), _) => unsupported(self.text.expr(*value).span, "this initial value"),
            (Initializer::List { span, .. }, _) => unsupported(*span, "this initial value"),
        }
    }
}
