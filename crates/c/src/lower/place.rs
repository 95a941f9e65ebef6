//! Places: variables and cells, how they are read and written, and what may be assigned to them.

use super::declare::cell_type;
use super::emit::Emitter;
use super::names::{Binding, Target};
use super::order::check_order;
use super::value::Value;
use super::{Lowerer, high_table, too_wide, unsupported};
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::types::{Integer, Type};
use crate::wide::Pair;
use crate::words::{self, Number};
use redoubt_program::expr::{self, BinaryOp, TableId, VarId};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};

/// Where a value is kept.
#[derive(Clone, Debug)]
pub enum Lvalue {
    Variable(VarId, Type),
    Cell { table: TableId, index: expr::ExprId, ty: Integer },
}

/// Whether the place right behind the last element of an array will do.
#[derive(Clone, Copy)]
enum Behind {
    Outside = 0,
    Allowed = 1,
}

impl Emitter {
    /// The address of the first cell of an array.
    pub fn start_of(&mut self, table: TableId, ty: &Type) -> Value {
        let first = self.exprs().int(0);
        match ty {
            Type::Array(element, Some(count)) => {
                let (element, count) = ((**element).clone(), *count);
                Value::Address(Target::Cells { table, offset: first, element, count, position: first })
            }
            _ => Value::Void,
        }
    }

    pub fn read_place(&mut self, place: &Lvalue) -> Value {
        match place {
            Lvalue::Variable(variable, ty) => self.get(*variable, ty),
            Lvalue::Cell { table, index, ty } => {
                let low = self.cell(*table, *index);
                Value::Number(if ty.bits > 32 {
                    let high = self.cell(high_table(*table), *index);
                    Number::pair(Pair { low, high }, *ty)
                } else {
                    Number::word(low, *ty)
                })
            }
        }
    }

    pub fn write_place(&mut self, place: &Lvalue, value: Value, span: Span) -> Lowered {
        match place {
            Lvalue::Variable(variable, ty) => self.put(*variable, ty, value, span)?,
            Lvalue::Cell { table, index, ty } => {
                let number = self.converted(value, &Type::Integer(*ty), span)?;
                self.store_number(*table, *index, number, span)?;
            }
        }
        Ok(())
    }

    fn cell(&mut self, table: TableId, index: expr::ExprId) -> expr::ExprId {
        let pointer = self.exprs().table(table);
        self.exprs().cell(pointer, index)
    }

    /// Writes a number of the cells' type into one of them.
    pub fn store_number(&mut self, table: TableId, index: expr::ExprId, number: Number, span: Span) -> Lowered {
        if number.ty.bits <= 32 {
            let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
            self.store(table, index, word, span);
            return Ok(());
        }
        // Each word may be computed from both.
        let pair = number.to_pair(self.exprs());
        let low = self.settled(pair.low, span);
        self.store(high_table(table), index, pair.high, span);
        self.store(table, index, low, span);
        Ok(())
    }

    /// The first cell of an element of an array that begins at an offset.
    fn cell_of(
        &mut self,
        offset: expr::ExprId,
        position: expr::ExprId,
        element: &Type,
        span: Span,
    ) -> Lowered<expr::ExprId> {
        let Some(bytes) = element.bytes() else { return unsupported(span, "a cell of this type") };
        let exprs = self.exprs();
        let size = exprs.int((bytes / cell_type(element).bytes()) as i32);
        let scaled = exprs.binary(BinaryOp::Mul, position, size);
        Ok(exprs.binary(BinaryOp::Add, offset, scaled))
    }

    /// The word of an index that is one of so many cells, where the run goes on.
    fn checked_index(&mut self, index: Number, count: u32, span: Span) -> Lowered<expr::ExprId> {
        if index.ty.bits > 32 {
            let index = self.settled_number(index, span)?;
            let outside = self.is_outside(index, count, span)?;
            self.check(outside, PropertyKind::IndexOutOfBounds, span);
            return index.convert(Integer::INT, self.exprs()).to_word(self.exprs()).map_err(too_wide(span));
        }
        let index = index.to_word(self.exprs()).map_err(too_wide(span))?;
        let exprs = self.exprs();
        let (zero, count) = (exprs.int(0), exprs.int(count as i32));
        let below = exprs.binary(BinaryOp::Less, index, zero);
        let above = exprs.binary(BinaryOp::LessEq, count, index);
        let outside = exprs.or(below, above);
        self.check(outside, PropertyKind::IndexOutOfBounds, span);
        Ok(index)
    }

    pub fn step(&mut self, place: &Lvalue, op: BinaryOperator, span: Span) -> Lowered {
        let Value::Number(old) = self.read_place(place) else {
            return unsupported(span, "computing with a pointer");
        };
        let new = self.compute(op, old, Number::known(1, Integer::INT), span)?;
        self.write_place(place, Value::Number(new), span)
    }
}

impl Lowerer<'_, '_> {
    /// What stands on the left of an assignment.
    pub fn place(&mut self, id: ExprId) -> Lowered<Lvalue> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.declarer().find(name) {
                Some(Binding::Variable(variable, ty)) => Ok(Lvalue::Variable(variable, ty)),
                Some(Binding::Foreign(what)) => unsupported(span, what),
                Some(Binding::Refused(why)) => Err(Refused::Mistakes((*why).clone())),
                Some(_) => unsupported(span, "assigning an array or an address"),
                None => refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a variable")),
            },
            ExprKind::Member => unsupported(span, "a member of a structure"),
            ExprKind::Cell(..) | ExprKind::Unary(UnaryOperator::Dereference, _) => {
                match self.target(id, Behind::Outside)? {
                    Target::Variable(variable, ty) => Ok(Lvalue::Variable(variable, ty)),
                    Target::Cells { table, offset, element: element @ Type::Integer(ty), position, .. } => {
                        let index = self.out.cell_of(offset, position, &element, span)?;
                        Ok(Lvalue::Cell { table, index: self.out.settled(index, span), ty })
                    }
                    Target::Cells { .. } => unsupported(span, "assigning an array"),
                }
            }
            _ => refuse(Diagnostic::new(span, "this cannot be assigned", "expected a variable or a cell")),
        }
    }

    /// The value of `a[i]` or `*p`.
    pub fn indirect(&mut self, id: ExprId) -> Lowered<Value> {
        let span = self.text.expr(id).span;
        Ok(match self.target(id, Behind::Outside)? {
            Target::Variable(variable, ty) => self.out.read_place(&Lvalue::Variable(variable, ty)),
            Target::Cells { table, offset, element, position, .. } => {
                let first = self.out.cell_of(offset, position, &element, span)?;
                match element {
                    Type::Integer(ty) => self.out.read_place(&Lvalue::Cell { table, index: first, ty }),
                    Type::Array(element, Some(count)) => {
                        let (element, position) = ((*element).clone(), self.out.exprs().int(0));
                        Value::Address(Target::Cells { table, offset: first, element, count, position })
                    }
                    _ => return unsupported(span, "a cell of this type"),
                }
            }
        })
    }

    /// What `a[i]` or `*p` is; the index has been checked. Where only an address is wanted, that behind the last element will do.
    fn target(&mut self, id: ExprId, behind: Behind) -> Lowered<Target> {
        let expr = self.text.expr(id);
        let span = expr.span;
        let (base, index) = match &expr.kind {
            ExprKind::Cell(base, index) => (*base, Some(*index)),
            ExprKind::Unary(_, base) => (*base, None),
            _ => return unsupported(span, "this place"),
        };
        let mut address = self.value(base)?;
        let number = match index {
            Some(index) => {
                if self.text.has_effect(index) {
                    let before = self.out.accesses(self.out.since_now(), &address);
                    address = self.out.settle(address, span)?;
                    let since = self.out.since_now();
                    let number = self.number(index)?;
                    check_order(&[before, self.out.accesses(since, &Value::Number(number))], span)?;
                    number
                } else {
                    self.number(index)?
                }
            }
            None => Number::known(0, Integer::INT),
        };
        match address {
            Value::Address(Target::Variable(variable, ty)) if number.as_known() == Some(0) => {
                Ok(Target::Variable(variable, ty))
            }
            Value::Address(Target::Cells { table, offset, element, count, position }) => {
                let number = if self.out.builder.exprs.as_int(position) == Some(0) {
                    number
                } else {
                    // From there on forwards, or backwards.
                    let position = Number::word(position, Integer::INT);
                    words::binary(BinaryOperator::Add, position, number, self.out.exprs()).map_err(too_wide(span))?
                };
                let position = self.out.checked_index(number, count + behind as u32, span)?;
                Ok(Target::Cells { table, offset, element, count, position })
            }
            Value::Pointer(_) => unsupported(span, "reading or writing through a pointer that may point anywhere"),
            _ => unsupported(span, "reading or writing through this"),
        }
    }

    pub fn address(&mut self, operand: ExprId) -> Lowered<Value> {
        let expr = self.text.expr(operand);
        let span = expr.span;
        if let ExprKind::Name(name) = &expr.kind {
            return match self.declarer().find(name) {
                Some(Binding::Variable(variable, ty)) => Ok(Value::Address(Target::Variable(variable, ty))),
                Some(Binding::Array(table, ty)) => Ok(self.out.start_of(table, &ty)),
                _ => unsupported(span, "the address of this"),
            };
        }
        self.target(operand, Behind::Allowed).map(Value::Address)
    }

    pub fn assignment(
        &mut self,
        place: ExprId,
        op: Option<BinaryOperator>,
        value: ExprId,
        span: Span,
    ) -> Lowered<Value> {
        let begun = self.out.since_now();
        let place = self.place(place)?;
        let new = match op {
            None => {
                let (before, index) = (self.out.all_accesses(begun, &Value::Void), self.out.index_accesses(&place));
                let since = self.out.since_now();
                let new = self.value(value)?;
                if let ExprKind::Call(..) = self.text.expr(value).kind {
                    check_order(&[index, self.out.accesses(since, &new)], span)?;
                } else if let Lvalue::Cell { .. } = place {
                    let accesses = self.out.all_accesses(since, &new);
                    self.out.check_either_order(begun, &before, &accesses, span)?;
                }
                new
            }
            Some(op) => {
                let mut old = self.out.read_place(&place);
                let before = self.out.all_accesses(begun, &old);
                if self.text.has_effect(value) {
                    old = self.out.settle(old, span)?;
                }
                let Value::Number(old) = old else { return unsupported(span, "computing with a pointer") };
                let since = self.out.since_now();
                let operand = self.number(value)?;
                let accesses = self.out.all_accesses(since, &Value::Number(operand));
                self.out.check_either_order(begun, &before, &accesses, span)?;
                Value::Number(self.out.compute(op, old, operand, span)?)
            }
        };
        self.out.write_place(&place, new, span)?;
        Ok(self.out.read_place(&place))
    }
}
