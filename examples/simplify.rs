fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let model = redoubt::circuit::aiger::read(&bytes).unwrap();
        let s = redoubt::hardware::simplify::simplify(
            &model.circuit,
            redoubt::hardware::simplify::Passes::ALL,
            &redoubt::base::Interrupt::default(),
        );
        let name = std::path::Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        let mut out = std::io::BufWriter::new(std::fs::File::create(format!("/tmp/hw/simp/{name}")).unwrap());
        redoubt::circuit::aiger::write(&mut out, &s.circuit, redoubt::circuit::aiger::Format::Binary, "").unwrap();
    }
}
