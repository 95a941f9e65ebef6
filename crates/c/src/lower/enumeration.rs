//! Enumerations: the meaning of their names, and the types that gcc gives them.
//!
//! A name is an `int`. A variable of the enumeration is one too if a name is below zero, and otherwise an `unsigned int`.

use std::rc::Rc;

use super::declare::Declarer;
use super::names::Binding;
use super::unsupported;
use crate::ast::{Compound, Ident, Item, Specifiers};
use crate::types::Integer;
use redoubt_reading::refused::{Lowered, Refused};

impl<'s> Declarer<'_, '_, 's> {
    /// Gives the names of all enumerations outside functions their numbers.
    pub fn enumerations(&mut self) -> Lowered {
        for item in &self.text.syntax.items {
            let specifiers = match item {
                Item::Function(function) => &function.specifiers,
                Item::Declaration(declaration) => &declaration.specifiers,
            };
            // A mistake in a number shows where it is used.
            if let Err(Refused::Interrupted) = self.enumeration(specifiers) {
                return Err(Refused::Interrupted);
            }
        }
        Ok(())
    }

    /// Gives the names of an enumeration their numbers, if there is one.
    pub fn enumeration(&mut self, specifiers: &Specifiers<'s>) -> Lowered {
        let (tag, names) = match &specifiers.compound {
            Some(Compound::Enumeration { tag, names }) => (tag, names),
            Some(Compound::Record { fields: Some(fields), .. }) => {
                // Those inside a structure are known around it.
                return fields.iter().try_for_each(|field| self.enumeration(&field.specifiers));
            }
            _ => return Ok(()),
        };
        let mut next = Ok(0);
        for &(name, value) in names {
            let number = match value {
                Some(value) => self.constant(value),
                None => next,
            };
            let number = match number {
                Ok(number) if !(Integer::INT.low()..=Integer::INT.high()).contains(&number) => {
                    unsupported(name.span, "an enumerator that is no `int`")
                }
                other => other,
            };
            let binding = match &number {
                Ok(number) => Binding::Enumerator(*number),
                Err(Refused::Mistakes(why)) => Binding::Refused(Rc::new(why.clone())),
                Err(Refused::Interrupted) => return Err(Refused::Interrupted),
            };
            self.enumerator(name, binding)?;
            next = number.map(|number| number + 1);
        }
        if specifiers.attribute.is_some() {
            // The type is not what its numbers say, and stays unknown.
            return Ok(());
        }
        match (tag, self.names.is_signed(names)) {
            (Some(tag), Some(signed)) if *self.names.signed_tags.entry(tag.text).or_insert(signed) != signed => {
                unsupported(tag.span, "an enumeration with the name of another one")
            }
            _ => Ok(()),
        }
    }

    /// All names live as long as the program, so one inside a function must not be known as something else.
    fn enumerator(&mut self, name: Ident<'s>, binding: Binding) -> Lowered {
        match (self.find(name.text), &binding) {
            (None, _) => {
                self.names.globals.insert(name.text, binding);
                Ok(())
            }
            (Some(Binding::Enumerator(known)), Binding::Enumerator(number)) if known == *number => Ok(()),
            (Some(Binding::Refused(_)), Binding::Refused(_)) => Ok(()),
            _ => unsupported(name.span, "an enumerator with the name of something else"),
        }
    }
}
