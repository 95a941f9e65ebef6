//! The step as machine code, made by Cranelift.
//!
//! The program is compiled as it is structured: arms of choices are tried one after the other, `&&` and `||` stop as
//! soon as they can, an early return leaves. That is what makes compiled programs fast; a flattened transition system
//! computes everything every time. All variables live in the frame (see [`super::layout`]), so a piece of a
//! function can be a function of its own. That keeps every piece small enough for a compiler whose work grows faster
//! than the size of what it gets.
//!
//! A compiled piece takes the frame and returns a status: 0 if the program goes on behind it, [`RETURN`] if it returned
//! from the function that the piece is part of, and [`END`] plus the number of the statement if that ended the run.

#![allow(unsafe_code)] // to run what was generated; see `Code::run` for what that relies on

mod expression;
mod statement;
mod weight;

use std::sync::{Mutex, PoisonError};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, ModuleReloc, default_libcall_names};
use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::machine::Refusal;
use super::machine::{END, RETURN};
use crate::analysis::slice::Slice;
use crate::base::Threads;
use crate::base::threads::map;
use crate::expr::{Type, VarId};
use crate::program::{FunctionId, Program, StmtId};
use statement::PieceBuilder;
use weight::Weights;

impl From<ModuleError> for Refusal {
    fn from(error: ModuleError) -> Refusal {
        Refusal::Generator(Box::new(error))
    }
}

impl From<CodegenError> for Refusal {
    fn from(error: CodegenError) -> Refusal {
        ModuleError::from(error).into()
    }
}

/// The machine code of a step.
pub struct Code {
    /// Owns the memory of `entry`; `None` only while it is dropped.
    module: Option<JITModule>,
    entry: Entry,
    /// The length of the frame that the code was made for.
    words: usize,
    size: usize,
    /// The words that are pointers, and how many tables there are for them to point to.
    pointers: Vec<usize>,
    tables: usize,
}

/// Takes the frame, returns the status.
type Entry = unsafe extern "C" fn(*mut i32) -> i32;

// SAFETY: finished code is never written again and refers to nothing but the frame it is called with; the module is
// only kept for its memory and touched by nobody until it is dropped, by the last owner.
unsafe impl Send for Code {}
// SAFETY: as above; `run` shares nothing between calls.
unsafe impl Sync for Code {}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("words", &self.words).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: `run` borrows the code, so nothing executes it now, and `entry` goes away with it.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// Compiles the kept part of a program's step, in pieces of about so many operations, on the threads that there are.
    pub fn compile(
        program: &Program,
        slice: &Slice,
        layout: &Layout,
        large: u64,
        threads: &Threads,
    ) -> Result<Code, Refusal> {
        let weights = Weights::of(program, slice);
        let total = weights.total(program);
        if total > MOST {
            return Err(Refusal::TooLarge(total));
        }
        let mut compiler = Compiler::new(program, slice, layout, &weights, large)?;
        let entry = compiler.piece(Piece::Step);
        while !compiler.pending.is_empty() {
            compiler.compile_some(threads)?;
        }
        let Compiler { mut module, size, .. } = compiler;
        module.finalize_definitions()?;
        let address = module.get_finalized_function(entry);
        // SAFETY: the address is that of a function compiled with exactly this signature and the C convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        let is_pointer = |id: &VarId| program.variable(*id).ty == Type::Pointer;
        let pointers = (0..program.variables.len()).map(VarId::new).filter(is_pointer);
        let pointers = pointers.map(|variable| layout.variable(variable)).collect();
        Ok(Code { module: Some(module), entry, words: layout.words, size, pointers, tables: program.tables.len() })
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Executes one step on a frame, and returns the status of the whole: 0 or [`END`] and a statement.
    pub fn run(&self, frame: &mut [i32]) -> i32 {
        assert_eq!(frame.len(), self.words, "the frame is the one that the code was made for");
        let points = |&word: &usize| usize::try_from(frame[word]).is_ok_and(|table| table < self.tables);
        assert!(self.pointers.iter().all(points), "pointers in the frame are numbers of tables");
        // SAFETY: the frame has the length and the pointers that the code counts on, as was asserted, and a step makes no
        // pointers but numbers of tables. So all words that the code touches are inside the frame: variables and constant
        // cells by their place in the layout, other cells because their index is compared with the length of their
        // table. The directory, which says where tables lie, comes from the layout and is never written. No operation
        // traps (see `expression`).
        unsafe { (self.entry)(frame.as_mut_ptr()) }
    }
}

/// More operations than this are not compiled: that would take longer than ten seconds.
const MOST: u64 = 5_000_000;

/// A part of the program that becomes one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Piece {
    Step,
    Function(FunctionId),
    /// A statement inside a function; of a sequence or a choice, only the part from here on.
    Rest(StmtId, usize),
}

/// So many pieces are compiled at once, if there are threads.
const AT_ONCE: usize = 64;

/// The machine code of a piece.
struct MachineCode {
    alignment: u64,
    bytes: Vec<u8>,
    relocations: Vec<ModuleReloc>,
}

fn machine_code(id: FuncId, context: &mut Context, isa: &dyn TargetIsa) -> Result<MachineCode, CodegenError> {
    context.compile(isa, &mut ControlPlane::default()).map_err(|error| error.inner)?;
    let code = context.compiled_code().expect("it was compiled");
    let relocations = code.buffer.relocs().iter();
    Ok(MachineCode {
        alignment: u64::from(code.buffer.alignment),
        bytes: code.code_buffer().to_vec(),
        relocations: relocations.map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, id)).collect(),
    })
}

struct Compiler<'p> {
    program: &'p Program,
    slice: &'p Slice,
    layout: &'p Layout,
    weights: &'p Weights,
    /// A piece that has become larger than this is divided.
    large: u64,
    module: JITModule,
    signature: Signature,
    declared: FxHashMap<Piece, FuncId>,
    /// Declared, but not compiled yet.
    pending: Vec<(Piece, FuncId)>,
    builders: FunctionBuilderContext,
    size: usize,
}

impl<'p> Compiler<'p> {
    fn new(
        program: &'p Program,
        slice: &'p Slice,
        layout: &'p Layout,
        weights: &'p Weights,
        large: u64,
    ) -> Result<Compiler<'p>, Refusal> {
        let mut flags = settings::builder();
        let known = "the settings of the code generator are known";
        // One arena holds all code, so that near calls reach it.
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).expect(known);
        }
        let machine = |error: &dyn std::fmt::Display| Refusal::Machine(error.to_string());
        let isa = cranelift_native::builder().map_err(|error| machine(&error))?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|error| machine(&error))?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        // Only reserved; pages that are not used cost nothing.
        let reserve = (64 << 20) + 64 * weights.total(program) as usize;
        let memory = ArenaMemoryProvider::new_with_size(reserve).map_err(|error| machine(&error))?;
        builder.memory_provider(Box::new(memory));
        let module = JITModule::new(builder);
        let mut signature = module.make_signature();
        signature.params.push(AbiParam::new(module.target_config().pointer_type()));
        signature.returns.push(AbiParam::new(types::I32));
        Ok(Compiler {
            program,
            slice,
            layout,
            weights,
            large,
            module,
            signature,
            declared: FxHashMap::default(),
            pending: vec![],
            builders: FunctionBuilderContext::new(),
            size: 0,
        })
    }

    /// The function of a piece, to be compiled now or later.
    fn piece(&mut self, piece: Piece) -> FuncId {
        if let Some(&id) = self.declared.get(&piece) {
            return id;
        }
        let id = self.module.declare_anonymous_function(&self.signature).expect("a signature can be declared");
        self.declared.insert(piece, id);
        self.pending.push((piece, id));
        id
    }

    /// Compiles some of the pieces that are declared. Each is optimised by itself, so that threads can share them.
    fn compile_some(&mut self, threads: &Threads) -> Result<(), Refusal> {
        let first = self.pending.len().saturating_sub(AT_ONCE);
        let pieces = self.pending.split_off(first);
        let contexts: Vec<(FuncId, Mutex<Context>)> =
            pieces.into_iter().map(|(piece, id)| (id, Mutex::new(self.translated(piece, id)))).collect();
        let threads = threads.borrow(contexts.len().saturating_sub(1));
        let isa = self.module.isa();
        let machine_code = map(vec![(); 1 + threads.count()], &contexts, |(), (id, context)| {
            machine_code(*id, &mut context.lock().unwrap_or_else(PoisonError::into_inner), isa)
        });
        for ((id, _), code) in contexts.iter().zip(machine_code) {
            let MachineCode { alignment, bytes, relocations } = code?;
            self.module.define_function_bytes(*id, alignment, &bytes, &relocations)?;
            self.size += bytes.len();
        }
        Ok(())
    }

    /// A piece as the code generator wants it.
    fn translated(&mut self, piece: Piece, id: FuncId) -> Context {
        let mut context = Context::new();
        let mut builders = std::mem::take(&mut self.builders);
        let name = UserFuncName::user(0, id.as_u32());
        context.func = Function::with_name_signature(name, self.signature.clone());
        let target = self.module.target_config();
        let builder = FunctionBuilder::new(&mut context.func, &mut builders);
        PieceBuilder::new(self, builder, piece).build(target);
        self.builders = builders;
        context
    }

    fn is_whole(piece: Piece) -> bool {
        match piece {
            Piece::Step | Piece::Function(_) => true,
            Piece::Rest(..) => false,
        }
    }

    fn root(&self, piece: Piece) -> (StmtId, usize) {
        match piece {
            Piece::Step => (self.program.step, 0),
            Piece::Function(function) => (self.program.function(function).body, 0),
            Piece::Rest(id, from) => (id, from),
        }
    }
}
