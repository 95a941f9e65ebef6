//! The first pass over the items: every name gets its meaning, every variable its type and its start.

use super::super::ast::{Expr, ExprKind, Ident, Item, ItemKind, Range, Start, TypeKind, TypeName};
use super::super::names::{ArrayKind, Entity};
use super::super::types::{Dim, Dims, Shape, Ty, Value};
use super::{Lowered, Lowering};
use redoubt_program::expr::TableId;
use redoubt_program::program::legend::Role;
use redoubt_program::program::{Domain, Scope, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// Larger arrays are refused.
const MOST_CELLS: usize = 100_000;

impl<'m> Lowering<'m> {
    pub fn declare_all(&mut self, items: &'m [Item]) {
        // Names that others may mention before they are declared.
        for item in items {
            match &item.kind {
                ItemKind::Enum { name, values } => self.enumeration(name, values),
                ItemKind::Define(define) => self.declare(&define.name, Entity::Define(define)),
                ItemKind::Proc(proc) => self.declare(&proc.name, Entity::Proc(proc)),
                _ => {}
            }
        }
        for item in items {
            let (name, entity) = match &item.kind {
                ItemKind::Const { name, value } => (name, self.constant_item(name, value)),
                ItemKind::Type { name, ty } => (name, self.shape(ty).map(Entity::Type)),
                _ => continue,
            };
            self.declare(name, entity.unwrap_or(Entity::Broken));
        }
        for item in items {
            let (name, entity) = match &item.kind {
                ItemKind::Input { name, ty, .. } => (name, self.input_item(name, ty)),
                ItemKind::Var { name, ty, start } => (name, self.variable_item(name, ty, start.as_ref())),
                _ => continue,
            };
            self.declare(name, entity.unwrap_or(Entity::Broken));
        }
    }

    fn declare(&mut self, name: &'m Ident, entity: Entity<'m>) {
        if let Err(first) = self.names.declare(&name.text, entity, name.span) {
            let _ = self.refuse::<()>(self.make.twice(&name.text, name.span, first));
        }
    }

    fn enumeration(&mut self, name: &'m Ident, values: &'m [Ident]) {
        let index = self.make.legend.enumerations.len();
        self.make.legend.enumerations.push(values.iter().map(|value| value.text.clone()).collect());
        self.declare(name, Entity::Enumeration(index));
        for (number, value) in values.iter().enumerate() {
            self.declare(value, Entity::Constant(Ty::Enum(index), number as i32));
        }
    }

    fn constant_item(&mut self, name: &'m Ident, value: &'m Expr) -> Lowered<Entity<'m>> {
        let ExprKind::List(_) = &value.kind else {
            let (ty, value) = self.constant(value)?;
            self.make.legend.constants.push(name.text.clone());
            return Ok(Entity::Constant(ty, value));
        };
        let dims = self.list_dims(value)?;
        let cells = self.list_cells(value, &dims)?;
        let cells = self.constants(cells)?;
        let mut element = cells.first().map_or(Ty::INT, |cell| cell.0);
        for (ty, _) in &cells {
            if !ty.is_like(element) {
                return self.refuse(Diagnostic::new(value.span, "the cells have different types", "in this list"));
            }
            element = element.join(*ty);
        }
        let table = self.make.table(&name.text, element, &dims, cells.iter().map(|cell| cell.1).collect(), name.span);
        Ok(Entity::Array { table, element, dims, kind: ArrayKind::Constant })
    }

    /// The size of a list, and of those in it.
    fn list_dims(&mut self, list: &'m Expr) -> Lowered<Dims> {
        let ExprKind::List(cells) = &list.kind else { unreachable!("asked about lists only") };
        let size = cells.len();
        let dim = Dim { index: Ty::Int { low: 0, high: size as i32 - 1 }, size };
        match cells.first() {
            Some(inner @ Expr { kind: ExprKind::List(_), .. }) => {
                let inner = self.list_dims(inner)?;
                inner.of(dim).map_or_else(|| self.too_many_dimensions(list.span), Ok)
            }
            _ => Ok(Dims::one(dim)),
        }
    }

    /// The cells of an array, from a list with as many values as it has in every dimension. A value where a list could
    /// stand counts for all of that list.
    fn list_cells(&mut self, value: &'m Expr, dims: &[Dim]) -> Lowered<Vec<&'m Expr>> {
        let Some((dim, inner)) = dims.split_first() else {
            if let ExprKind::List(_) = value.kind {
                return self.refuse(Diagnostic::new(value.span, "this is not an array", "expected a single value"));
            }
            return Ok(vec![value]);
        };
        let ExprKind::List(cells) = &value.kind else {
            return Ok(vec![value; dims.iter().map(|dim| dim.size).product()]);
        };
        if cells.len() != dim.size {
            let message = format!("there are {} cells, not {}", dim.size, cells.len());
            return self.refuse(Diagnostic::new(value.span, message, format!("expected {} values", dim.size)));
        }
        let parts: Vec<_> = cells.iter().map(|cell| self.list_cells(cell, inner)).collect();
        Ok(parts.into_iter().collect::<Lowered<Vec<_>>>()?.concat())
    }

    fn too_many_dimensions<T>(&mut self, span: Span) -> Lowered<T> {
        let label = format!("expected at most {} dimensions", Dims::MOST);
        self.refuse(Diagnostic::new(span, "an array of too many dimensions", label))
    }

    fn input_item(&mut self, name: &'m Ident, ty: &'m TypeName) -> Lowered<Entity<'m>> {
        match self.shape(ty)? {
            Shape::One(ty) => {
                let alphabet = self.make.domain(ty);
                Ok(Entity::Input(self.make.input(name.text.clone(), alphabet, Role::Input(ty.meaning())), ty))
            }
            Shape::Array(element, dims) => {
                let cells = vec![element.default(); dims.cells()];
                let table = self.make.table(&name.text, element, &dims, cells, name.span);
                let (statements, ()) = self.aside(|this| {
                    for cell in 0..dims.cells() {
                        let alphabet = this.make.domain(element);
                        let role = Role::Input(element.meaning());
                        let own = format!("{}{}", name.text, this.make.legend.indices(table, cell));
                        let input = this.make.input(own, alphabet, role);
                        let value = this.make.input_value(input, element);
                        this.set_cell(table, cell, value, name.span);
                    }
                });
                self.sections.intake.extend(statements);
                Ok(Entity::Array { table, element, dims, kind: ArrayKind::Input })
            }
        }
    }

    fn variable_item(&mut self, name: &'m Ident, ty: &'m TypeName, start: Option<&'m Start>) -> Lowered<Entity<'m>> {
        let shape = self.shape(ty);
        match shape? {
            Shape::One(ty) => {
                let initial = match start {
                    // A bad start has been reported; the variable is there all the same.
                    Some(Start::Value(Expr { kind: ExprKind::List(_), span })) => {
                        let message = format!("`{}` is not an array", name.text);
                        self.diagnostics.push(Diagnostic::new(*span, message, "expected a single value"));
                        Some(ty.default())
                    }
                    Some(Start::Value(value)) => Some(self.start_value(value, ty).unwrap_or(ty.default())),
                    Some(Start::OneOf(_)) | None => None,
                };
                let known = initial.unwrap_or(ty.default());
                let variable = self.make.variable(&name.text, ty, known, Scope::Global, name.span);
                self.make.legend.variables[variable.index()] = Some(ty.meaning());
                if initial.is_none() {
                    let value = self.open_start(&name.text, ty, start)?;
                    let kind = StmtKind::Assign { variable, value: value.expr };
                    self.sections.opening.extend(self.make.one(kind, name.span));
                }
                Ok(Entity::Variable(variable, ty))
            }
            Shape::Array(element, dims) => self.array_item(name, element, dims, start),
        }
    }

    fn array_item(
        &mut self,
        name: &'m Ident,
        element: Ty,
        dims: Dims,
        start: Option<&'m Start>,
    ) -> Lowered<Entity<'m>> {
        let cells = match start {
            Some(Start::Value(value)) => Some(self.start_cells(value, element, &dims)),
            Some(Start::OneOf(_)) | None => None,
        };
        let is_open = cells.is_none();
        let cells = cells.unwrap_or_else(|| vec![element.default(); dims.cells()]);
        let table = self.make.table(&name.text, element, &dims, cells, name.span);
        self.make.legend.tables[table.index()] = Some(element.meaning());
        for cell in (0..dims.cells()).filter(|_| is_open) {
            let own = format!("{}{}", name.text, self.make.legend.indices(table, cell));
            let value = self.open_start(&own, element, start)?;
            let (statements, ()) = self.aside(|this| this.set_cell(table, cell, value, name.span));
            self.sections.opening.extend(statements);
        }
        Ok(Entity::Array { table, element, dims, kind: ArrayKind::Variable })
    }

    /// The start of an array's cells; where that is wrong and reported, something that fits.
    fn start_cells(&mut self, value: &'m Expr, element: Ty, dims: &Dims) -> Vec<i32> {
        let all = dims.cells();
        let ExprKind::List(_) = &value.kind else {
            return vec![self.start_value(value, element).unwrap_or(element.default()); all];
        };
        match self.list_cells(value, dims) {
            Ok(cells) => {
                cells.into_iter().map(|cell| self.start_value(cell, element).unwrap_or(element.default())).collect()
            }
            Err(_) => vec![element.default(); all],
        }
    }

    fn set_cell(&mut self, table: TableId, cell: usize, value: Value, span: Span) {
        let index = self.make.exprs().int(cell as i32);
        self.make.store(table, index, value, span);
    }

    /// A start that the model leaves open: any value of the type, or one of a list.
    fn open_start(&mut self, name: &str, ty: Ty, start: Option<&'m Start>) -> Lowered<Value> {
        self.sections.starts_anywhere = true;
        let name = format!("{name}@start");
        let Some(Start::OneOf(list)) = start else {
            return Ok(self.make.open_value(&name, ty, Role::Start(ty.meaning())));
        };
        let values: Vec<_> = list.iter().map(|value| self.start_value(value, ty)).collect();
        let mut values = values.into_iter().collect::<Lowered<Vec<i32>>>()?;
        values.sort_unstable();
        values.dedup();
        let input = self.make.input(name, Domain::List(values), Role::Start(ty.meaning()));
        Ok(self.make.input_value(input, ty))
    }

    /// A constant that a variable of the type can start with.
    fn start_value(&mut self, value: &'m Expr, ty: Ty) -> Lowered<i32> {
        let (own, number) = self.constant(value)?;
        self.expect_like(own, ty, value.span)?;
        if !self.make.domain(ty).contains(number) {
            let label = format!("expected {}", self.names().describe(ty));
            return self.refuse(Diagnostic::new(value.span, format!("{number} is outside the range"), label));
        }
        Ok(number)
    }

    /// A constant expression: its type and its value.
    pub fn constant(&mut self, value: &'m Expr) -> Lowered<(Ty, i32)> {
        let (statements, lowered) = self.aside(|this| this.value(value));
        let lowered = lowered?;
        match self.make.program.exprs.constant(lowered.expr) {
            Some(number) if statements.is_empty() => Ok((lowered.ty, number)),
            _ => self.refuse(
                Diagnostic::new(value.span, "not a constant", "expected a constant expression")
                    .help("numbers, constants that are declared above, and operators on them"),
            ),
        }
    }

    fn constants(&mut self, values: Vec<&'m Expr>) -> Lowered<Vec<(Ty, i32)>> {
        let values: Vec<_> = values.into_iter().map(|value| self.constant(value)).collect();
        values.into_iter().collect()
    }

    /// A constant number.
    pub fn constant_number(&mut self, value: &'m Expr) -> Lowered<i32> {
        let (ty, number) = self.constant(value)?;
        self.expect_like(ty, Ty::INT, value.span)?;
        Ok(number)
    }

    /// Two constant bounds, of which the first is not above the second.
    fn bounds(&mut self, low: &'m Expr, high: &'m Expr) -> Lowered<(i32, i32)> {
        let bounds = (self.constant_number(low), self.constant_number(high));
        let (from, to) = (bounds.0?, bounds.1?);
        if from > to {
            let span = low.span.to(high.span);
            return self.refuse(Diagnostic::new(
                span,
                format!("the range {from}..{to} is empty"),
                "no value fits here",
            ));
        }
        Ok((from, to))
    }

    /// The type of one value.
    pub fn simple_type(&mut self, ty: &'m TypeName) -> Lowered<Ty> {
        match self.shape(ty)? {
            Shape::One(ty) => Ok(ty),
            Shape::Array(..) => {
                self.refuse(Diagnostic::new(ty.span, "an array cannot stand here", "expected a type of single values"))
            }
        }
    }

    fn shape(&mut self, ty: &'m TypeName) -> Lowered<Shape> {
        match &ty.kind {
            TypeKind::Bool => Ok(Shape::One(Ty::Bool)),
            TypeKind::Int => Ok(Shape::One(Ty::INT)),
            TypeKind::Range(low, high) => {
                let (low, high) = self.bounds(low, high)?;
                Ok(Shape::One(Ty::Int { low, high }))
            }
            TypeKind::Named(name) => match self.lookup(&name.text, name.span)? {
                Entity::Enumeration(index) => Ok(Shape::One(Ty::Enum(index))),
                Entity::Type(shape) => Ok(shape),
                _ => self.not_a_type(ty.span),
            },
            TypeKind::Array(element, size) => {
                let (element, dim) = (self.shape(element), self.dimension(size));
                let (element, dim) = (element?, dim?);
                let (element, dims) = match element {
                    Shape::One(element) => (element, Some(Dims::one(dim))),
                    Shape::Array(element, inner) => (element, inner.of(dim)),
                };
                let Some(dims) = dims else { return self.too_many_dimensions(ty.span) };
                if dims.cells() > MOST_CELLS {
                    let message = format!("an array of {} cells", dims.cells());
                    let label = format!("expected at most {MOST_CELLS} cells");
                    return self.refuse(Diagnostic::new(ty.span, message, label));
                }
                Ok(Shape::Array(element, dims))
            }
            TypeKind::Other => self.not_a_type(ty.span),
        }
    }

    /// The indices of an array: the numbers from 0 on, or the values of a type.
    fn dimension(&mut self, size: &'m Expr) -> Lowered<Dim> {
        if let ExprKind::Name(name) = &size.kind
            && let Entity::Enumeration(_) | Entity::Type(_) = self.lookup(name, size.span)?
        {
            let (index, low, high) = self.values_of(name, size.span)?;
            if low != 0 {
                let message = format!("the indices of an array begin with 0, not {low}");
                return self.refuse(Diagnostic::new(size.span, message, "expected a type that begins with 0"));
            }
            let index = if let Ty::Int { .. } = index { Ty::Int { low, high } } else { index };
            return Ok(Dim { index, size: high as usize + 1 });
        }
        let cells = self.constant_number(size)?;
        if !(1..=MOST_CELLS as i32).contains(&cells) {
            let label = format!("expected a size from 1 to {MOST_CELLS}");
            return self.refuse(Diagnostic::new(size.span, format!("an array of {cells} cells"), label));
        }
        Ok(Dim { index: Ty::Int { low: 0, high: cells - 1 }, size: cells as usize })
    }

    /// The type of an index, and the least and the greatest of its values.
    pub fn range(&mut self, range: &'m Range) -> Lowered<(Ty, i32, i32)> {
        match range {
            Range::Of(name) => self.values_of(&name.text, name.span),
            Range::Between(low, high) => {
                let bounds = (self.constant(low), self.constant(high));
                let ((ty, from), (other, to)) = (bounds.0?, bounds.1?);
                if ty == Ty::Bool {
                    self.expect_like(ty, Ty::INT, low.span)?;
                }
                self.expect_like(other, ty, high.span)?;
                Ok((if let Ty::Enum(_) = ty { ty } else { Ty::INT }, from, to))
            }
        }
    }

    fn values_of(&mut self, name: &str, span: Span) -> Lowered<(Ty, i32, i32)> {
        match if name.is_empty() { Entity::Broken } else { self.lookup(name, span)? } {
            Entity::Enumeration(index) => {
                Ok((Ty::Enum(index), 0, self.make.legend.enumerations[index].len() as i32 - 1))
            }
            Entity::Type(Shape::One(Ty::Bool)) => Ok((Ty::Bool, 0, 1)),
            Entity::Type(Shape::One(Ty::Int { low, high })) => Ok((Ty::INT, low, high)),
            Entity::Type(Shape::One(Ty::Enum(index))) => {
                Ok((Ty::Enum(index), 0, self.make.legend.enumerations[index].len() as i32 - 1))
            }
            _ => {
                let label = "expected `low..high`, or the name of a type of single values";
                self.refuse(Diagnostic::new(span, "this is no range", label))
            }
        }
    }

    fn not_a_type<T>(&mut self, span: Span) -> Lowered<T> {
        let label = "expected `bool`, `int`, `low..high`, the name of a type, or an array of these";
        self.refuse(Diagnostic::new(span, "this is not a type", label))
    }
}
