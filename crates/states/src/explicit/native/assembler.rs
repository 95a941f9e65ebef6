//! Instructions of x86-64 to bytes: the few that steps need, with 32-bit operands unless they say otherwise.
//!
//! Encodings are those of Intel's manual (volume 2): prefixes, opcode, a ModRM byte that names a register and a register or
//! a place in memory, an immediate number. Jumps go to labels, whose distances are filled in at the end.

/// A register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Register {
    Eax,
    Ecx,
    Edx,
    Ebx,
    Esp,
    Ebp,
    Esi,
    Edi,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
}

impl Register {
    /// The three bits that stand in ModRM and its like.
    fn low(self) -> u8 {
        self as u8 & 7
    }

    /// The fourth bit, which stands in the prefix.
    fn high(self) -> u8 {
        self as u8 >> 3
    }
}

/// A place in memory: `displacement` bytes behind a register, and a multiple of another one behind that.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    base: Register,
    /// The index and the logarithm of its factor.
    index: Option<(Register, u8)>,
    displacement: i32,
}

impl Memory {
    pub fn new(base: Register, displacement: i32) -> Memory {
        // These two have another meaning where a base is written; nothing here needs them.
        assert!(base.low() != Register::Esp.low() && base.low() != Register::Ebp.low());
        Memory { base, index: None, displacement }
    }

    /// With `index << scale` added.
    pub fn indexed(self, index: Register, scale: u8) -> Memory {
        assert!(index != Register::Esp && scale < 4);
        Memory { index: Some((index, scale)), ..self }
    }
}

/// The operand of an instruction besides its register.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Immediate(i32),
    Register(Register),
    Memory(Memory),
}

/// Operations that are encoded alike, with their number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Arithmetic {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
    Compare = 7,
}

/// Shifts, with their number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Shift {
    Left = 4,
    RightLogical = 5,
    RightArithmetic = 7,
}

/// Operations on a single register, with their number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Single {
    Not = 2,
    Negate = 3,
    /// Divides edx and eax together: the quotient goes to eax and the remainder to edx.
    Divide = 7,
}

/// The result of a comparison, with its number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
    /// Without regard to signs.
    Below = 0x2,
    AboveEq = 0x3,
    Equal = 0x4,
    NotEqual = 0x5,
    Less = 0xC,
    GreaterEq = 0xD,
    LessEq = 0xE,
    Greater = 0xF,
}

impl Condition {
    pub fn negated(self) -> Condition {
        use Condition::*;
        match self {
            Below => AboveEq,
            AboveEq => Below,
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterEq,
            GreaterEq => Less,
            LessEq => Greater,
            Greater => LessEq,
        }
    }
}

/// Somewhere in the code, known or to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// Code in the making.
#[derive(Default)]
pub struct Assembler {
    code: Vec<u8>,
    /// Per label: where it is.
    labels: Vec<Option<usize>>,
    /// Distances to be filled in: their places, and their targets.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// A label is here.
    pub fn bind(&mut self, label: Label) {
        let before = self.labels[label.0].replace(self.code.len());
        debug_assert!(before.is_none(), "a label is bound once");
    }

    /// The code, with all distances filled in; `None` if one of them is too large.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        for (at, label) in self.jumps {
            let target = self.labels[label.0].expect("every label is bound");
            let distance = i32::try_from(target as i64 - (at as i64 + 4)).ok()?;
            self.code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        Some(self.code)
    }

    pub fn load(&mut self, to: Register, from: Operand) {
        match from {
            Operand::Immediate(value) => {
                self.prefix(false, 0, 0, to.high());
                self.code.push(0xB8 | to.low());
                self.immediate(value);
            }
            Operand::Register(from) if from == to => {}
            _ => self.encode(false, &[0x8B], to as u8, from),
        }
    }

    pub fn store(&mut self, to: Memory, from: Register) {
        self.encode(false, &[0x89], from as u8, Operand::Memory(to));
    }

    pub fn store_immediate(&mut self, to: Memory, value: i32) {
        self.encode(false, &[0xC7], 0, Operand::Memory(to));
        self.immediate(value);
    }

    pub fn arithmetic(&mut self, operation: Arithmetic, to: Register, with: Operand) {
        match with {
            Operand::Immediate(value) => self.arithmetic_immediate(operation, Operand::Register(to), value),
            _ => self.encode(false, &[(operation as u8) << 3 | 3], to as u8, with),
        }
    }

    /// With a number; the other operand, and the result, may be in memory.
    pub fn arithmetic_immediate(&mut self, operation: Arithmetic, to: Operand, value: i32) {
        match i8::try_from(value) {
            Ok(short) => {
                self.encode(false, &[0x83], operation as u8, to);
                self.code.push(short as u8);
            }
            Err(_) => {
                self.encode(false, &[0x81], operation as u8, to);
                self.immediate(value);
            }
        }
    }

    pub fn multiply(&mut self, to: Register, with: Operand) {
        match with {
            Operand::Immediate(value) => self.multiply_immediate(false, to, value),
            _ => self.encode(false, &[0x0F, 0xAF], to as u8, with),
        }
    }

    /// A register times a number, in 64 bits if it is said to be `wide`.
    pub fn multiply_immediate(&mut self, wide: bool, to: Register, value: i32) {
        self.encode(wide, &[0x69], to as u8, Operand::Register(to));
        self.immediate(value);
    }

    pub fn single(&mut self, operation: Single, register: Register) {
        self.encode(false, &[0xF7], operation as u8, Operand::Register(register));
    }

    /// The sign of eax in all bits of edx.
    pub fn sign_to_edx(&mut self) {
        self.code.push(0x99);
    }

    /// The 32 bits of a register with their sign in the 64 bits of another one.
    pub fn extend_sign(&mut self, to: Register, from: Register) {
        self.encode(true, &[0x63], to as u8, Operand::Register(from));
    }

    /// Shifts by ecx, of which the lowest five bits count.
    pub fn shift(&mut self, operation: Shift, register: Register) {
        self.encode(false, &[0xD3], operation as u8, Operand::Register(register));
    }

    /// Shifts by a number of bits, in 64 of them if it is said to be `wide`.
    pub fn shift_immediate(&mut self, wide: bool, operation: Shift, register: Register, bits: u8) {
        self.encode(wide, &[0xC1], operation as u8, Operand::Register(register));
        self.code.push(bits);
    }

    /// Compares a register with zero.
    pub fn test(&mut self, register: Register) {
        self.encode(false, &[0x85], register as u8, Operand::Register(register));
    }

    /// 1 if the last comparison has found that, else 0. Overwrites eax.
    pub fn truth(&mut self, condition: Condition, to: Register) {
        self.code.extend([0x0F, 0x90 | condition as u8, 0xC0]);
        self.encode(false, &[0x0F, 0xB6], to as u8, Operand::Register(Register::Eax));
    }

    /// Takes over a register if the last comparison has found that.
    pub fn load_if(&mut self, condition: Condition, to: Register, from: Register) {
        self.encode(false, &[0x0F, 0x40 | condition as u8], to as u8, Operand::Register(from));
    }

    /// The address of a place, in 64 bits; the result of the last comparison stays known.
    pub fn address(&mut self, to: Register, place: Memory) {
        self.encode(true, &[0x8D], to as u8, Operand::Memory(place));
    }

    /// All 64 bits of a register.
    pub fn copy_wide(&mut self, to: Register, from: Register) {
        self.encode(true, &[0x8B], to as u8, Operand::Register(from));
    }

    pub fn push(&mut self, register: Register) {
        self.prefix(false, 0, 0, register.high());
        self.code.push(0x50 | register.low());
    }

    pub fn pop(&mut self, register: Register) {
        self.prefix(false, 0, 0, register.high());
        self.code.push(0x58 | register.low());
    }

    pub fn jump(&mut self, to: Label) {
        self.code.push(0xE9);
        self.distance(to);
    }

    pub fn jump_if(&mut self, condition: Condition, to: Label) {
        self.code.extend([0x0F, 0x80 | condition as u8]);
        self.distance(to);
    }

    pub fn call(&mut self, function: Label) {
        self.code.push(0xE8);
        self.distance(function);
    }

    pub fn ret(&mut self) {
        self.code.push(0xC3);
    }

    fn distance(&mut self, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.immediate(0);
    }

    fn immediate(&mut self, value: i32) {
        self.code.extend(value.to_le_bytes());
    }

    /// The fourth bits of register, index and base, and whether 64 bits are meant; left out if there is nothing to say.
    fn prefix(&mut self, wide: bool, register: u8, index: u8, base: u8) {
        let bits = u8::from(wide) << 3 | register << 2 | index << 1 | base;
        if bits != 0 {
            self.code.push(0x40 | bits);
        }
    }

    /// An instruction with a register, or the number of an operation in its place, and an operand that is no number.
    fn encode(&mut self, wide: bool, opcode: &[u8], register: u8, operand: Operand) {
        let (low, high) = ((register & 7) << 3, register >> 3);
        match operand {
            Operand::Immediate(_) => unreachable!("numbers have encodings of their own"),
            Operand::Register(other) => {
                self.prefix(wide, high, 0, other.high());
                self.code.extend(opcode);
                self.code.push(0xC0 | low | other.low());
            }
            Operand::Memory(Memory { base, index, displacement }) => {
                self.prefix(wide, high, index.map_or(0, |(index, _)| index.high()), base.high());
                self.code.extend(opcode);
                let short = i8::try_from(displacement).ok();
                let mode = if short.is_some() { 0x40 } else { 0x80 };
                match index {
                    None => self.code.push(mode | low | base.low()),
                    Some((index, scale)) => {
                        self.code.extend([mode | low | 4, scale << 6 | index.low() << 3 | base.low()]);
                    }
                }
                match short {
                    Some(short) => self.code.push(short as u8),
                    None => self.immediate(displacement),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes an instruction, perhaps about a place at a distance from rdi.
    type Emit = fn(&mut Assembler, &dyn Fn(i32) -> Memory);

    /// The instructions in the notation of `objdump -M intel`.
    #[test]
    fn encodings() {
        use Register::*;
        let frame = |displacement| Memory::new(Edi, displacement);
        let cases: Vec<(&str, Emit, &[u8])> = vec![
            ("mov r9d,0x1234", |a, _| a.load(R9, Operand::Immediate(0x1234)), &[0x41, 0xB9, 0x34, 0x12, 0, 0]),
            ("mov esi,[rdi-0x80]", |a, f| a.load(Esi, Operand::Memory(f(-128))), &[0x8B, 0x77, 0x80]),
            (
                "mov r15d,[rdi+0x1000]",
                |a, f| a.load(R15, Operand::Memory(f(0x1000))),
                &[0x44, 0x8B, 0xBF, 0, 0x10, 0, 0],
            ),
            (
                "mov ebx,[rdi+r12*4+0x8]",
                |a, f| a.load(Ebx, Operand::Memory(f(8).indexed(R12, 2))),
                &[0x42, 0x8B, 0x5C, 0xA7, 8],
            ),
            ("mov [rdi+0x4],r8d", |a, f| a.store(f(4), R8), &[0x44, 0x89, 0x47, 4]),
            ("mov DWORD PTR [rdi],0x1", |a, f| a.store_immediate(f(0), 1), &[0xC7, 0x47, 0, 1, 0, 0, 0]),
            (
                "cmp DWORD PTR [rdi+0x8],0x5",
                |a, f| a.arithmetic_immediate(Arithmetic::Compare, Operand::Memory(f(8)), 5),
                &[0x83, 0x7F, 8, 5],
            ),
            (
                "cmp r10d,0x3e8",
                |a, _| a.arithmetic(Arithmetic::Compare, R10, Operand::Immediate(1000)),
                &[0x41, 0x81, 0xFA, 0xE8, 3, 0, 0],
            ),
            ("add ebx,r11d", |a, _| a.arithmetic(Arithmetic::Add, Ebx, Operand::Register(R11)), &[0x41, 0x03, 0xDB]),
            ("sub esi,[rdi+0x4]", |a, f| a.arithmetic(Arithmetic::Sub, Esi, Operand::Memory(f(4))), &[0x2B, 0x77, 4]),
            ("imul r8d,ebp", |a, _| a.multiply(R8, Operand::Register(Ebp)), &[0x44, 0x0F, 0xAF, 0xC5]),
            (
                "imul rax,rax,-2",
                |a, _| a.multiply_immediate(true, Eax, -2),
                &[0x48, 0x69, 0xC0, 0xFE, 0xFF, 0xFF, 0xFF],
            ),
            ("neg r13d", |a, _| a.single(Single::Negate, R13), &[0x41, 0xF7, 0xDD]),
            ("idiv ecx", |a, _| a.single(Single::Divide, Ecx), &[0xF7, 0xF9]),
            ("movsxd rax,r9d", |a, _| a.extend_sign(Eax, R9), &[0x49, 0x63, 0xC1]),
            ("sar ebx,cl", |a, _| a.shift(Shift::RightArithmetic, Ebx), &[0xD3, 0xFB]),
            (
                "sar rax,0x20",
                |a, _| a.shift_immediate(true, Shift::RightArithmetic, Eax, 32),
                &[0x48, 0xC1, 0xF8, 0x20],
            ),
            ("test r14d,r14d", |a, _| a.test(R14), &[0x45, 0x85, 0xF6]),
            ("setl al; movzx r8d,al", |a, _| a.truth(Condition::Less, R8), &[0x0F, 0x9C, 0xC0, 0x44, 0x0F, 0xB6, 0xC0]),
            ("cmovae esi,ecx", |a, _| a.load_if(Condition::AboveEq, Esi, Ecx), &[0x0F, 0x43, 0xF1]),
            (
                "lea rsi,[rax+rsi*1+0x0]",
                |a, _| a.address(Esi, Memory::new(Eax, 0).indexed(Esi, 0)),
                &[0x48, 0x8D, 0x74, 0x30, 0],
            ),
            ("mov r15,rsp", |a, _| a.copy_wide(R15, Esp), &[0x4C, 0x8B, 0xFC]),
            ("push r12; pop rbp", |a, _| (a.push(R12), a.pop(Ebp)).1, &[0x41, 0x54, 0x5D]),
        ];
        for (text, emit, bytes) in cases {
            let mut assembler = Assembler::default();
            emit(&mut assembler, &frame);
            assert_eq!(assembler.finish().unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn jumps_lead_to_labels() {
        let mut assembler = Assembler::default();
        let (back, on) = (assembler.label(), assembler.label());
        assembler.bind(back);
        assembler.jump_if(Condition::Equal, on);
        assembler.jump(back);
        assembler.bind(on);
        assembler.call(back);
        let code = assembler.finish().unwrap();
        assert_eq!(code, [0x0F, 0x84, 5, 0, 0, 0, 0xE9, 0xF5, 0xFF, 0xFF, 0xFF, 0xE8, 0xF0, 0xFF, 0xFF, 0xFF]);
    }
}
