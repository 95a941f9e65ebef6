//! Generates the lexers and parsers from `grammar/*.g4` into `OUT_DIR`, without Java.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out_dir = std::env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?;
    for grammar in ["grammar/RersC.g4", "grammar/Gcl.g4"] {
        let generation = antlr_rust_codegen::Builder::new().grammar(grammar).out_dir(&out_dir).generate()?;
        generation.emit_rerun_if_changed();
        for warning in generation.warnings() {
            println!("cargo::warning={warning}");
        }
    }
    Ok(())
}
