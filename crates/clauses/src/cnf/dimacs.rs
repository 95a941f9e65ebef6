//! Clauses as DIMACS text, with comments that name the variables.

use std::io::{self, Write};

use super::{Cnf, Lit};

/// Writes comments such as `c 5 = x[3]`, the header and the clauses. A line break in a name would end
/// the comment, so it becomes a space.
pub fn write(out: &mut dyn Write, cnf: &Cnf, names: &[(Lit, String)]) -> io::Result<()> {
    for (lit, name) in names {
        writeln!(out, "c {} = {}", lit.dimacs(), name.replace(['\n', '\r'], " "))?;
    }
    writeln!(out, "p cnf {} {}", cnf.variables(), cnf.len())?;
    for clause in cnf.clauses() {
        for lit in clause {
            write!(out, "{} ", lit.dimacs())?;
        }
        writeln!(out, "0")?;
    }
    Ok(())
}
