//! The operators of BTOR2: their names, and the sorts that they go with.

use crate::model::Sort;

/// Makes an enumeration with the name of each member in the format.
macro_rules! named {
    ($(#[$attribute:meta])* $kind:ident { $($member:ident $name:literal),* $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind { $($member),* }

        impl $kind {
            pub const ALL: &[$kind] = &[$($kind::$member),*];

            /// As the format writes it.
            pub fn name(self) -> &'static str {
                match self { $($kind::$member => $name),* }
            }

            pub fn of_name(name: &str) -> Option<$kind> {
                match name { $($name => Some($kind::$member),)* _ => None }
            }
        }
    };
}

named! {
    /// Operators with one operand.
    Unary {
        Not "not", Inc "inc", Dec "dec", Neg "neg", Redand "redand", Redor "redor", Redxor "redxor",
    }
}

named! {
    /// Operators with two operands of one sort, but for `concat`.
    Binary {
        Iff "iff", Implies "implies", Eq "eq", Neq "neq",
        Sgt "sgt", Ugt "ugt", Sgte "sgte", Ugte "ugte", Slt "slt", Ult "ult", Slte "slte", Ulte "ulte",
        And "and", Nand "nand", Nor "nor", Or "or", Xnor "xnor", Xor "xor",
        Rol "rol", Ror "ror", Sll "sll", Sra "sra", Srl "srl",
        Add "add", Mul "mul", Sdiv "sdiv", Udiv "udiv", Smod "smod", Srem "srem", Urem "urem", Sub "sub",
        Saddo "saddo", Uaddo "uaddo", Sdivo "sdivo", Smulo "smulo", Umulo "umulo", Ssubo "ssubo", Usubo "usubo",
        Concat "concat",
    }
}

impl Unary {
    /// The sort of the result; `None` if the operand does not fit.
    pub fn sort(self, operand: Sort) -> Option<Sort> {
        let Sort::Bits(_) = operand else { return None };
        match self {
            Unary::Redand | Unary::Redor | Unary::Redxor => Some(Sort::BOOL),
            Unary::Not | Unary::Inc | Unary::Dec | Unary::Neg => Some(operand),
        }
    }
}

impl Binary {
    /// The sort of the result; `None` if the operands do not fit.
    pub fn sort(self, a: Sort, b: Sort) -> Option<Sort> {
        use Binary::*;
        match (self, a, b) {
            (Concat, Sort::Bits(a), Sort::Bits(b)) => a.checked_add(b).map(Sort::Bits),
            (Concat, ..) => None,
            (Eq | Neq, ..) if a == b => Some(Sort::BOOL),
            (Iff | Implies, Sort::BOOL, Sort::BOOL) => Some(Sort::BOOL),
            (Iff | Implies, ..) => None,
            (_, Sort::Bits(a), Sort::Bits(b)) if a == b => {
                Some(if self.is_truth() { Sort::BOOL } else { Sort::Bits(a) })
            }
            _ => None,
        }
    }

    /// Whether the result is a truth value, in a single bit.
    pub fn is_truth(self) -> bool {
        use Binary::*;
        matches!(
            self,
            Iff | Implies
                | Eq
                | Neq
                | Sgt
                | Ugt
                | Sgte
                | Ugte
                | Slt
                | Ult
                | Slte
                | Ulte
                | Saddo
                | Uaddo
                | Sdivo
                | Smulo
                | Umulo
                | Ssubo
                | Usubo
        )
    }
}
