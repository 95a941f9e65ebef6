//! The size of an encoding, part by part, as text.

use std::io::{self, Write};

use redoubt_bits::blast::Code;

use super::output::count;
use redoubt_driver::encode::Encoded;

pub fn write(encoded: &Encoded, out: &mut dyn Write) -> io::Result<()> {
    let Encoded { system, savings, blasted, cnf, .. } = encoded;
    let circuit = &blasted.circuit;
    writeln!(out, "program      {}", system.name)?;
    for saving in savings {
        let ((states, fewer), (expressions, less)) = (saving.states, saving.expressions);
        let savings = format!("states {states} -> {fewer}, expressions {expressions} -> {less}");
        writeln!(out, "  pass       {}: {savings}", saving.pass)?;
    }
    let (bits, inputs) = (circuit.latches.len(), circuit.inputs.len());
    writeln!(out, "states       {} in {}", system.states.len(), count(bits, "bit"))?;
    for (state, code) in system.states.iter().zip(&blasted.states) {
        writeln!(out, "  {:10} {}", state.name, describe(code))?;
    }
    writeln!(out, "inputs       {} in {}", system.inputs.len(), count(inputs, "bit"))?;
    writeln!(out, "constraints  {}", circuit.constraints.len())?;
    writeln!(out, "properties   {}", system.properties.len())?;
    writeln!(out, "expressions  {}", system.used(system.roots()).into_iter().filter(|used| *used).count())?;
    // Rewriting leaves some of the gates that were made without a use.
    let (live, made) = (circuit.live_gates(), circuit.gates.gate_count());
    writeln!(out, "gates        {live} in use, {made} made")?;
    for (operator, gates) in blasted.gates_by_operator() {
        writeln!(out, "  {operator:14} {gates:8}")?;
    }
    let (variables, literals) = (cnf.variables(), cnf.literal_count());
    writeln!(out, "clauses      {} with {literals} literals in {variables} variables", cnf.len())
}

fn describe(code: &Code) -> String {
    let bits = count(code.bits(), "bit");
    match code {
        Code::Binary { .. } => format!("{bits}, binary"),
        Code::Enumerated { values } => {
            let list: Vec<String> = values.iter().map(i32::to_string).collect();
            format!("{bits}, one of {}", list.join(" "))
        }
    }
}
