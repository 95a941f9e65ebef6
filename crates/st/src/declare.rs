//! The declarations of a text: types, units and their members, globals; and which unit is the program.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::{
    Declaration, Expr, ExprKind, Ident, Remark, Start, TypeKind, TypeSpec, Unit, UnitKind, VarBlock, VarKind,
};
use crate::literal::{NO_REALS, NO_TEXTS};
use crate::lower::{Frame, Lowered, Lowering, Refused};
use crate::place::Binding;
use crate::storage::{Birth, Kind, Located, Node};
use crate::timer::TimerKind;
use crate::types::{Enumeration, Field, Scalar, Shape, Structure, Ty};
use redoubt_base::suggest;
use redoubt_program::program::Scope;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// A program, a block or a function.
pub struct UnitInfo<'m> {
    pub unit: &'m Unit,
    pub timer: Option<TimerKind>,
    pub members: Vec<Member<'m>>,
    /// Constants with a single value.
    pub constants: FxHashMap<String, Binding>,
    /// The result of a function.
    pub result: Option<Shape<'m>>,
}

pub struct Member<'m> {
    pub name: &'m Ident,
    pub kind: VarKind,
    pub shape: Shape<'m>,
    pub start: Option<&'m Start>,
    pub location: Option<&'m Ident>,
    pub is_constant: bool,
    /// Its name in properties: with its block, if another one has the same name.
    pub declared: Rc<str>,
}

impl<'m> Lowering<'m> {
    /// Declares everything, and finds the unit to check.
    pub fn declare(&mut self) -> Lowered<usize> {
        self.check_remarks();
        let text = self.text;
        for unit in &text.units {
            let key = unit.name.key();
            let number = self.units.len();
            if let Some(&first) = self.unit_names.get(&key) {
                let first = self.units[first].unit.name.span;
                if !self.is_standard(unit.name.span) {
                    let _ = self.twice::<()>(&unit.name, first);
                }
                continue;
            }
            let timer = if self.is_standard(unit.name.span) { TimerKind::named(&key) } else { None };
            self.unit_names.insert(key, number);
            let constants = FxHashMap::default();
            self.units.push(UnitInfo { unit, timer, members: vec![], constants, result: None });
        }
        // Constants first, since types may need them; they may need each other in any order.
        let mut failed = false;
        failed |= self.declare_globals(true).is_err();
        for declaration in &text.types {
            failed |= self.declare_type(&declaration.name, &declaration.spec, declaration.start.as_ref()).is_err();
        }
        for number in 0..self.units.len() {
            failed |= self.declare_unit(number).is_err();
        }
        self.check_values();
        if failed || !self.diagnostics.is_empty() { Err(Refused) } else { self.find_main() }
    }

    fn check_remarks(&mut self) {
        let mut first = None;
        for remark in &self.text.remarks {
            if let Remark::Cycle(cycle, span) = remark {
                if *cycle <= 0 {
                    let _ =
                        self.refuse::<()>(Diagnostic::new(*span, "a cycle takes some time", "expected more than 0"));
                }
                if let Some(first) = first.replace(*span) {
                    let place = self.make.program.sources.place(first);
                    let message = "how long a cycle takes has been said already";
                    let _ = self.refuse::<()>(
                        Diagnostic::new(*span, message, "said again here")
                            .help(format!("the first one stands at {place}")),
                    );
                }
            }
        }
    }

    pub fn twice<T>(&mut self, name: &Ident, first: Span) -> Lowered<T> {
        let place = match self.is_standard(first) {
            true => "the standard library".to_string(),
            false => self.make.program.sources.place(first),
        };
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::new(name.span, message, "declared again here");
        self.refuse(diagnostic.help(format!("the first one stands at {place}")))
    }

    fn declare_type(&mut self, name: &'m Ident, spec: &'m TypeSpec, start: Option<&'m Start>) -> Lowered {
        if self.types.contains_key(&name.key()) || Ty::named(&name.key()).is_some() {
            let message = format!("the type `{}` is declared twice", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "declared again here"));
        }
        let mut shape = self.shape(spec, Some(&name.text))?;
        if let Some(start) = start {
            match (&mut shape, start) {
                (Shape::One(scalar), Start::Value(value)) => scalar.default = self.constant(value, scalar.ty)?,
                _ => {
                    let message = "a type with an initial value of its own must be that of a single value";
                    return self.refuse(Diagnostic::new(start.span(), message, "expected it at the variable"));
                }
            }
        }
        self.types.insert(name.key(), shape);
        Ok(())
    }

    /// The shape of a type; an enumeration or a structure gets the name if it has none.
    fn shape(&mut self, spec: &'m TypeSpec, name: Option<&str>) -> Lowered<Shape<'m>> {
        redoubt_base::stack::grow(|| self.any_shape(spec, name))
    }

    fn any_shape(&mut self, spec: &'m TypeSpec, name: Option<&str>) -> Lowered<Shape<'m>> {
        let label = || name.map_or_else(|| "an enumeration".to_string(), str::to_string);
        match &spec.kind {
            TypeKind::Unsupported(message) => Ok(Shape::Unsupported(message)),
            TypeKind::Enumeration(values) => {
                let number = self.enumerations.len();
                let mut list: Vec<(String, i64)> = vec![];
                for (index, (value, given)) in values.iter().enumerate() {
                    let next = list.last().map_or(0, |(_, number)| number + 1);
                    let own = match given {
                        Some(expr) => self.constant(expr, Ty::DINT)?,
                        None => next,
                    };
                    if list.iter().any(|(name, _)| name.eq_ignore_ascii_case(&value.text)) {
                        return self.twice(value, value.span);
                    }
                    list.push((value.text.clone(), own));
                    // A name that several enumerations have can only be written with its type.
                    self.values.entry(value.key()).and_modify(|known| known.0 = usize::MAX).or_insert((number, index));
                }
                let is_ascending = list.windows(2).all(|pair| pair[0].1 < pair[1].1);
                self.enumerations.push(Enumeration { name: label(), values: list, is_ascending });
                Ok(Shape::One(Scalar { ty: Ty::Enumeration(number), range: None, default: 0 }))
            }
            TypeKind::Structure(declarations) => {
                let mut fields: Vec<Field<'m>> = vec![];
                for declaration in declarations {
                    let shape = self.shape(&declaration.spec, None)?;
                    for declared in &declaration.names {
                        if let Some(first) = fields.iter().find(|field| field.name.key() == declared.name.key()) {
                            let first = first.name.span;
                            return self.twice(&declared.name, first);
                        }
                        let start = declaration.start.as_ref();
                        fields.push(Field { name: &declared.name, shape: shape.clone(), start });
                    }
                }
                Ok(Shape::Structure(Rc::new(Structure { name: label(), fields })))
            }
            TypeKind::Array(dimensions, element) => {
                let mut shape = self.shape(element, None)?;
                let is_deep = dimensions.len() > 1;
                for (index, (low, high)) in dimensions.iter().enumerate().rev() {
                    let (from, to) = (self.constant(low, Ty::DINT)?, self.constant(high, Ty::DINT)?);
                    if from > to {
                        let message = format!("the range {from}..{to} is empty");
                        return self.refuse(Diagnostic::new(low.span.to(high.span), message, "no index fits here"));
                    }
                    let continues = is_deep && index > 0;
                    shape = Shape::Array { low: from, high: to, element: Rc::new(shape), continues };
                }
                Ok(shape)
            }
            TypeKind::Subrange(base, bounds) => match self.named_shape(base)? {
                Shape::One(Scalar { ty: ty @ (Ty::Int { .. } | Ty::Bits(_)), .. }) => {
                    let (low, high) = bounds.as_ref();
                    let (from, to) = (self.constant(low, ty)?, self.constant(high, ty)?);
                    if from > to {
                        let message = format!("the range {from}..{to} is empty");
                        return self.refuse(Diagnostic::new(low.span.to(high.span), message, "no value fits here"));
                    }
                    Ok(Shape::One(Scalar { ty, range: Some((from, to)), default: 0_i64.clamp(from, to) }))
                }
                _ => self.refuse(Diagnostic::new(base.span, "only numbers have ranges", "expected `INT` or the like")),
            },
            TypeKind::Named(name) => self.named_shape(name),
        }
    }

    fn named_shape(&mut self, name: &'m Ident) -> Lowered<Shape<'m>> {
        let key = name.key();
        if let Some(shape) = self.types.get(&key) {
            return Ok(shape.clone());
        }
        if let Some(ty) = Ty::named(&key) {
            return Ok(Shape::One(Scalar { ty, range: None, default: 0 }));
        }
        if let Some(&unit) = self.unit_names.get(&key) {
            if self.units[unit].unit.kind == UnitKind::Block {
                return Ok(Shape::Block(unit));
            }
            let message = format!("`{}` is not a block", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "expected a type or a block"));
        }
        let unsupported = match key.as_str() {
            "real" | "lreal" => NO_REALS,
            "string" | "wstring" | "char" | "wchar" => NO_TEXTS,
            "lint" | "ulint" | "lword" | "ltime" => "numbers of 64 bits are not supported",
            "date" | "date_and_time" | "dt" | "time_of_day" | "tod" | "ldate" | "ldt" | "ltod" => {
                "dates are not supported"
            }
            _ => {
                // Types may be declared in any order.
                let text = self.text;
                let later = text.types.iter().find(|declaration| declaration.name.key() == key);
                if let Some(declaration) = later {
                    if self.waiting.contains(&key) {
                        let message = format!("the type `{}` is a part of itself", name.text);
                        return self.refuse(Diagnostic::new(name.span, message, "it would have no end"));
                    }
                    self.waiting.push(key.clone());
                    let declared = self.declare_type(&declaration.name, &declaration.spec, declaration.start.as_ref());
                    self.waiting.pop();
                    declared?;
                    return self.types.get(&key).cloned().ok_or(Refused);
                }
                let mut known: Vec<String> = self.types.keys().cloned().collect();
                known.extend(self.units.iter().map(|unit| unit.unit.name.text.clone()));
                known.extend(["BOOL", "INT", "DINT", "UINT", "WORD", "TIME"].map(String::from));
                known.sort();
                let near = suggest::nearest(&name.text, known.iter().map(String::as_str)).map(str::to_string);
                let message = format!("the type `{}` is not known", name.text);
                let diagnostic = Diagnostic::new(name.span, message, "unknown type");
                return self.refuse(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                });
            }
        };
        Ok(Shape::Unsupported(unsupported))
    }

    fn declare_unit(&mut self, number: usize) -> Lowered {
        let unit = self.units[number].unit;
        let frame =
            Frame { unit: number, locals: FxHashMap::default(), instance: None, returned: None, returns: vec![] };
        self.frames.push(frame);
        let result = self.declare_members(number, unit);
        self.frames.pop();
        result
    }

    fn declare_members(&mut self, number: usize, unit: &'m Unit) -> Lowered {
        let mut result = Ok(());
        // Constants may be declared after their uses.
        for block in unit.blocks.iter().filter(|block| block.is_constant) {
            for declaration in &block.declarations {
                let constants = self.declare_constants(declaration);
                match constants {
                    Ok(constants) => self.units[number].constants.extend(constants),
                    Err(refused) => result = Err(refused),
                }
            }
        }
        let mut seen: FxHashMap<String, Span> = FxHashMap::default();
        for block in &unit.blocks {
            for declaration in &block.declarations {
                match self.member_of(unit, block, declaration) {
                    Ok(members) => {
                        for member in members {
                            if let Some(first) = seen.insert(member.name.key(), member.name.span) {
                                result = self.twice(member.name, first);
                            } else if !self.units[number].constants.contains_key(&member.name.key()) {
                                self.units[number].members.push(member);
                            }
                        }
                    }
                    Err(refused) => result = Err(refused),
                }
            }
        }
        if let Some(spec) = &unit.result {
            self.units[number].result = Some(self.shape(spec, None)?);
        } else if unit.kind == UnitKind::Function {
            let name = &unit.name;
            let message = format!("the function `{}` has no type", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "expected `: TYPE` behind its name"));
        }
        result
    }

    fn member_of(
        &mut self,
        unit: &'m Unit,
        block: &'m VarBlock,
        declaration: &'m Declaration,
    ) -> Lowered<Vec<Member<'m>>> {
        let shape = self.shape(&declaration.spec, None)?;
        let mut members = vec![];
        for declared in &declaration.names {
            let name = &declared.name;
            let others = self.declared_elsewhere(unit, name);
            let declared_name = if others { format!("{}.{}", unit.name.text, name.text) } else { name.text.clone() };
            members.push(Member {
                name,
                kind: block.kind,
                shape: shape.clone(),
                start: declaration.start.as_ref(),
                location: declared.location.as_ref(),
                is_constant: block.is_constant,
                declared: declared_name.as_str().into(),
            });
        }
        Ok(members)
    }

    /// Whether another unit has a variable of this name that properties could be about.
    fn declared_elsewhere(&self, unit: &Unit, name: &Ident) -> bool {
        let key = name.key();
        let has_bounds =
            |spec: &TypeSpec| !matches!(&spec.kind, TypeKind::Named(name) if Ty::named(&name.key()).is_some());
        self.text.units.iter().filter(|other| !std::ptr::eq(*other, unit)).any(|other| {
            !self.is_standard(other.name.span)
                && other.blocks.iter().flat_map(|block| &block.declarations).any(|declaration| {
                    has_bounds(&declaration.spec) && declaration.names.iter().any(|declared| declared.name.key() == key)
                })
        })
    }

    /// Constants that have a single value.
    fn declare_constants(&mut self, declaration: &'m Declaration) -> Lowered<Vec<(String, Binding)>> {
        let is_single = matches!(declaration.spec.kind, TypeKind::Named(_) | TypeKind::Subrange(..));
        let (true, Some(Start::Value(value))) = (is_single, &declaration.start) else { return Ok(vec![]) };
        let Shape::One(scalar) = self.shape(&declaration.spec, None)? else { return Ok(vec![]) };
        let number = self.constant(value, scalar.ty)?;
        if let Some((low, high)) = scalar.range.filter(|(low, high)| number < *low || number > *high) {
            let message = format!("{number} is outside the range");
            return self.refuse(Diagnostic::new(value.span, message, format!("expected {low}..{high}")));
        }
        let names = declaration.names.iter();
        Ok(names.map(|declared| (declared.name.key(), Binding::Constant(Some(scalar.ty), number))).collect())
    }

    fn declare_globals(&mut self, _constants: bool) -> Lowered {
        let text = self.text;
        for block in text.globals.iter().filter(|block| block.is_constant) {
            for declaration in &block.declarations {
                let constants = self.declare_constants(declaration)?;
                self.globals.extend(constants);
            }
        }
        Ok(())
    }

    /// A variable that hides a value of an enumeration is a mistake.
    fn check_values(&mut self) {
        let mut hidden = vec![];
        for unit in &self.units {
            for member in &unit.members {
                if self.values.contains_key(&member.name.key()) && !self.is_standard(member.name.span) {
                    hidden.push(member.name);
                }
            }
        }
        for name in hidden {
            let value = self.text.types.iter().find_map(|declaration| match &declaration.spec.kind {
                TypeKind::Enumeration(values) => {
                    values.iter().map(|(value, _)| value).find(|value| value.key() == name.key())
                }
                _ => None,
            });
            let place = value.map_or_else(String::new, |value| self.make.program.sources.place(value.span));
            let message = format!("`{}` is also a value of an enumeration", name.text);
            let _ = self.refuse::<()>(
                Diagnostic::new(name.span, message, "names ignore case").help(format!("the value stands at {place}")),
            );
        }
    }

    /// The unit that is checked.
    fn find_main(&mut self) -> Lowered<usize> {
        let text = self.text;
        let said = text.remarks.iter().find_map(|remark| match remark {
            Remark::Main(name) => Some(name),
            _ => None,
        });
        if let Some(name) = said {
            return match self.unit_names.get(&name.key()) {
                Some(&unit) if self.units[unit].unit.kind != UnitKind::Function => Ok(unit),
                Some(_) => {
                    let message = format!("`{}` is a function", name.text);
                    self.refuse(Diagnostic::new(name.span, message, "expected a program or a block"))
                }
                None => {
                    let message = format!("`{}` is not declared", name.text);
                    self.refuse(Diagnostic::new(name.span, message, "expected a program or a block"))
                }
            };
        }
        let own = |unit: &usize| !self.is_standard(self.units[*unit].unit.name.span);
        let of = |kind: UnitKind| -> Vec<usize> {
            (0..self.units.len()).filter(own).filter(|&unit| self.units[unit].unit.kind == kind).collect()
        };
        let mut candidates = of(UnitKind::Program);
        if candidates.is_empty() {
            let used: Vec<usize> = self.used_blocks();
            candidates = of(UnitKind::Block).into_iter().filter(|unit| !used.contains(unit)).collect();
        }
        match candidates.as_slice() {
            [one] => Ok(*one),
            [] => {
                let message = "there is no program to check";
                let label = "expected a `PROGRAM`, or a `FUNCTION_BLOCK` that no other one uses";
                self.refuse(Diagnostic::new(Span::default(), message, label))
            }
            many => {
                let names: Vec<&str> = many.iter().map(|&unit| self.units[unit].unit.name.text.as_str()).collect();
                let list = match names.split_last() {
                    Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
                    None => String::new(),
                };
                let message = format!("which of {list} is the program?");
                let span = self.units[many[1]].unit.name.span;
                let label = format!("write (*@ main {} @*)", names[0]);
                self.refuse(Diagnostic::new(span, message, label))
            }
        }
    }

    fn used_blocks(&self) -> Vec<usize> {
        fn blocks(shape: &Shape<'_>, used: &mut Vec<usize>) {
            match shape {
                Shape::Block(unit) => used.push(*unit),
                Shape::Array { element, .. } => blocks(element, used),
                Shape::Structure(structure) => structure.fields.iter().for_each(|field| blocks(&field.shape, used)),
                Shape::One(_) | Shape::Unsupported(_) => {}
            }
        }
        let mut used = vec![];
        for unit in &self.units {
            unit.members.iter().for_each(|member| blocks(&member.shape, &mut used));
        }
        used
    }

    /// Makes the variables of the program, and hands back those that are inputs.
    pub fn allocate_all(&mut self, main: usize) -> Lowered<Vec<Located>> {
        let mut inputs = vec![];
        let mut result = Ok(());
        let text = self.text;
        let mut seen: FxHashMap<String, Span> = FxHashMap::default();
        for block in &text.globals {
            for declaration in &block.declarations {
                let shape = self.shape(&declaration.spec, None)?;
                for declared in &declaration.names {
                    let key = declared.name.key();
                    if let Some(first) = seen.insert(key.clone(), declared.name.span) {
                        result = self.twice(&declared.name, first);
                        continue;
                    }
                    if self.globals.contains_key(&key) {
                        continue;
                    }
                    let is_input = declared.location.as_ref().is_some_and(is_input);
                    let kind =
                        self.kind_of(&declared.name, is_input, block.is_constant, &declared.name.text.as_str().into());
                    let births =
                        vec![Birth { name: declared.name.text.clone(), start: declaration.start.as_ref(), part: None }];
                    let node = self.allocate(&shape, births, &kind)?;
                    let located = Located { node, at: self.zero() };
                    if is_input {
                        inputs.push(located.clone());
                    }
                    self.globals.insert(key, Binding::Located(located));
                }
            }
        }
        self.nesting.push(main);
        let list = std::mem::take(&mut self.units[main].members);
        let mut locals = FxHashMap::default();
        for member in &list {
            if member.kind == VarKind::External {
                continue;
            }
            let at_input = member.location.is_some_and(is_input);
            let is_input = at_input || matches!(member.kind, VarKind::Input | VarKind::InOut);
            let mut kind = self.kind_of(member.name, is_input, member.is_constant, &member.declared);
            if member.kind == VarKind::Temp {
                kind.scope = Scope::Local;
            }
            let births = vec![Birth { name: member.name.text.clone(), start: member.start, part: None }];
            match self.allocate(&member.shape, births, &kind) {
                Ok(node) => {
                    let located = Located { node, at: self.zero() };
                    if is_input {
                        inputs.push(located.clone());
                    }
                    locals.insert(member.name.key(), Binding::Located(located));
                }
                Err(refused) => result = Err(refused),
            }
        }
        self.nesting.pop();
        self.units[main].members = list;
        self.frames.push(Frame { unit: main, locals, instance: None, returned: None, returns: vec![] });
        result.map(|()| inputs)
    }

    fn kind_of(&self, name: &Ident, is_input: bool, is_constant: bool, declared: &Rc<str>) -> Kind {
        let scope = if is_input { Scope::Local } else { Scope::Global };
        Kind { scope, is_constant, is_shown: !is_input, declared: declared.clone(), span: name.span }
    }

    /// A constant expression of a type.
    pub fn constant(&mut self, value: &'m Expr, ty: Ty) -> Lowered<i64> {
        let flow = self.flow.replace(crate::flow::Flow::default());
        let (statements, lowered) = self.aside(|this| {
            let lowered = this.value(value)?;
            this.fit(lowered, ty, value.span)
        });
        self.flow = flow;
        match lowered?.known() {
            Some(number) if statements.is_empty() => Ok(number),
            _ => {
                let message = match &value.kind {
                    ExprKind::Place(place) => format!("`{}` is not a constant", place.name.text),
                    _ => "not a constant".into(),
                };
                self.refuse(Diagnostic::new(value.span, message, "expected a constant expression"))
            }
        }
    }

    /// Goes on with the clocks of all timers that are not called once in every cycle.
    pub fn tick_everything(&mut self) -> Lowered {
        let mut all: Vec<(String, Rc<Node>)> = vec![];
        let located = |(key, binding): (&String, &Binding)| match binding {
            Binding::Located(located) => Some((key.clone(), Rc::clone(&located.node))),
            Binding::Constant(..) => None,
        };
        all.extend(self.globals.iter().filter_map(located));
        if let Some(frame) = self.frames.last() {
            all.extend(frame.locals.iter().filter_map(located));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.iter().try_for_each(|(_, node)| self.tick_all(node, Span::default()))
    }
}

/// Whether a location is one of the inputs of the machine.
fn is_input(location: &Ident) -> bool {
    location.text.to_uppercase().starts_with("%I")
}
