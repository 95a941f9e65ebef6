//! The step as machine code, for x86-64.
//!
//! The program is compiled as it is structured: arms of choices are tried one after the other, `&&` and `||` stop as
//! soon as they can, an early return leaves. That makes compiled programs fast; a flattened transition system computes
//! everything every time. All variables live in the frame (see [`super::layout`]), and most of a step consists of
//! comparing a word of it with a number and of writing a number into another, which is one instruction each. So a
//! compiler with registers for variables could gain little, and one walk over the statements is enough: 100,000 lines
//! take some tens of milliseconds.
//!
//! [`expression`] and [`statement`] choose instructions, [`assembler`] encodes them, [`pages`] makes them executable.
//!
//! While a step runs, rdi points into the frame, r15 is the stack at the beginning, so that an end of the run can leave all
//! functions at once, and everything else is free. Functions of the program are functions of the code, without parameters;
//! they keep nothing but these two registers.

#![allow(unsafe_code)] // to run what was generated; see `Code::run` for what that relies on

mod assembler;
mod division;
mod expression;
mod pages;
mod statement;
mod weight;

use super::layout::Layout;
use super::machine::Refusal;
use crate::analysis::slice::Slice;
use crate::expr::{Type, VarId};
use crate::program::{FunctionId, Program};
use assembler::{Assembler, Label, Memory, Operand, Register};
use pages::Pages;
use weight::Weights;

/// The machine code of a step.
pub struct Code {
    pages: Pages,
    entry: Entry,
    /// The length of the frame that the code was made for.
    words: usize,
    /// The words that are pointers, and how many tables there are for them to point to.
    pointers: Vec<usize>,
    tables: usize,
}

/// Takes the frame, returns the status.
type Entry = unsafe extern "sysv64" fn(*mut i32) -> i32;

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("words", &self.words).field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Code {
    /// Compiles the kept part of a program's step, with `registers` registers for operands, or as many as there are.
    pub fn compile(program: &Program, slice: &Slice, layout: &Layout, registers: usize) -> Result<Code, Refusal> {
        let weights = Weights::of(program);
        let total = weights.total(program, slice);
        // Places are counted in bytes, with a sign.
        if total > MOST || layout.words > (i32::MAX / 8) as usize {
            return Err(Refusal::TooLarge(total.max(layout.words as u64)));
        }
        let mut emitter = Emitter::new(program, slice, layout, &weights, registers.clamp(1, expression::POOL.len()));
        emitter.step();
        let code = emitter.assembler.finish().ok_or(Refusal::TooLarge(total))?;
        let pages = Pages::new(&code).map_err(|error| Refusal::Memory(error.into()))?;
        // SAFETY: the code at its start takes a pointer and returns a number by the System V convention; see `Emitter::step`.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(pages.start()) };
        let is_pointer = |id: &VarId| program.variable(*id).ty == Type::Pointer;
        let pointers = (0..program.variables.len()).map(VarId::new).filter(is_pointer);
        let pointers = pointers.map(|variable| layout.variable(variable)).collect();
        Ok(Code { pages, entry, words: layout.words, pointers, tables: program.tables.len() })
    }

    /// The number of its bytes.
    pub fn size(&self) -> usize {
        self.pages.len()
    }

    /// Executes one step on a frame, and returns the status of the whole: 0 or [`END`](super::machine::END) and a statement.
    pub fn run(&self, frame: &mut [i32]) -> i32 {
        assert_eq!(frame.len(), self.words, "the frame is the one that the code was made for");
        let points = |&word: &usize| usize::try_from(frame[word]).is_ok_and(|table| table < self.tables);
        assert!(self.pointers.iter().all(points), "pointers in the frame are numbers of tables");
        // SAFETY: the frame has the length and the pointers that the code counts on, as was asserted, and a step makes no
        // pointers but numbers of tables. So all words that the code touches are inside the frame: variables and constant
        // cells by their place in the layout, other cells because their index is compared with the length of their
        // table. The directory, which says where tables lie, comes from the layout and is never written. No operation
        // traps (see `expression`). The stack below is used for return addresses, of which there are as many as functions
        // that call each other, without recursion, and for a few operands: a value waits there only if what it waits for
        // needs more registers than there are, and each one more takes twice the operations.
        unsafe { (self.entry)(frame.as_mut_ptr()) }
    }
}

/// More operations than this are not compiled: the code of each is some eight bytes.
const MOST: u64 = 20_000_000;

/// So far behind its beginning does rdi point into the frame: more words are within reach of a short displacement.
const MIDDLE: i32 = 128;

/// Holds the stack of the beginning.
const BOTTOM: Register = Register::R15;

/// The registers that a function of the System V convention has to restore.
const SAVED: [Register; 6] = [Register::Ebx, Register::Ebp, Register::R12, Register::R13, Register::R14, Register::R15];

/// Writes the code of a program.
struct Emitter<'p> {
    program: &'p Program,
    slice: &'p Slice,
    layout: &'p Layout,
    weights: &'p Weights,
    /// The number of registers that operands may take.
    registers: usize,
    assembler: Assembler,
    /// Where the run ends, with its status in eax.
    exit: Label,
    /// Per function: where it is, if it is called.
    functions: Vec<Option<Label>>,
    /// Called, but not written yet.
    pending: Vec<FunctionId>,
}

impl<'p> Emitter<'p> {
    fn new(
        program: &'p Program,
        slice: &'p Slice,
        layout: &'p Layout,
        weights: &'p Weights,
        registers: usize,
    ) -> Emitter<'p> {
        let mut assembler = Assembler::default();
        let exit = assembler.label();
        let functions = vec![None; program.functions.len()];
        Emitter { program, slice, layout, weights, registers, assembler, exit, functions, pending: vec![] }
    }

    /// The entry and exit, then the step and all functions that it calls.
    fn step(&mut self) {
        let step = self.assembler.label();
        SAVED.into_iter().for_each(|register| self.assembler.push(register));
        self.assembler.copy_wide(BOTTOM, Register::Esp);
        self.assembler.address(Register::Edi, Memory::new(Register::Edi, MIDDLE));
        self.assembler.call(step);
        self.assembler.load(Register::Eax, Operand::Immediate(0));
        self.assembler.bind(self.exit);
        self.assembler.copy_wide(Register::Esp, BOTTOM);
        SAVED.into_iter().rev().for_each(|register| self.assembler.pop(register));
        self.assembler.ret();
        self.assembler.bind(step);
        self.body(self.program.step);
        while let Some(function) = self.pending.pop() {
            let label = self.function(function);
            self.assembler.bind(label);
            self.body(self.program.function(function).body);
        }
    }

    /// Where a function is; it is written later.
    fn function(&mut self, id: FunctionId) -> Label {
        if let Some(label) = self.functions[id.index()] {
            return label;
        }
        let label = self.assembler.label();
        self.functions[id.index()] = Some(label);
        self.pending.push(id);
        label
    }

    /// Where a word of the frame is.
    fn word(&self, word: usize) -> Memory {
        let bytes = i32::try_from(4 * word).expect("the frame is small enough, as was looked at first");
        Memory::new(Register::Edi, bytes - MIDDLE)
    }
}
