//! Typed ids: positions in arenas that cannot be taken for positions in others.

/// Declares an id: `id!(/// A statement of a program. StmtId);`
#[macro_export]
macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("arenas have at most 2^32 entries"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
