//! The formulas about a program, and the names of its inputs and outputs.

use crate::base::hash::sha256;
use crate::program::PropertyId;
use crate::temporal::Property;
use crate::temporal::properties::{Mapping, Properties};

/// Formulas about a program.
#[derive(Clone, Debug)]
pub struct Specification {
    list: Vec<Property>,
    names: Vec<String>,
    pub mapping: Mapping,
}

impl Specification {
    pub fn new(properties: Properties, mapping: Mapping) -> Specification {
        let names = properties.list.iter().map(Property::name).collect();
        Specification { list: properties.list, names, mapping }
    }

    /// By their place in the file.
    pub fn formulas(&self) -> &[Property] {
        &self.list
    }

    pub fn get(&self, property: PropertyId) -> &Property {
        &self.list[property.index()]
    }

    /// `ltl_0` and so on.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A hash that another specification does not have.
    pub fn stamp(&self) -> String {
        let line = |property: &Property| format!("{} {}\n", property.name(), property.formula);
        let text: String = self.list.iter().map(line).collect();
        sha256(format!("{text}{:?}", self.mapping).as_bytes())
    }
}
