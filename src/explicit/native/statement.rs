//! Statements to machine code: one piece of the program at a time.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use cranelift_module::Module;

use super::super::grow;
use super::super::layout::MOST_PRINTED;
use super::{Compiler, END, Piece, RETURN};
use crate::expr::ExprId;
use crate::program::{Arm, StmtId, StmtKind, Stream};

/// Statements smaller than this are not worth a call.
const SMALL: u64 = 40;

/// Builds the function of one piece.
pub(super) struct PieceBuilder<'c, 'p, 'f> {
    pub(super) compiler: &'c mut Compiler<'p>,
    pub(super) builder: FunctionBuilder<'f>,
    /// The address of the frame.
    pub(super) frame: Value,
    piece: Piece,
    /// The weight of what has been built so far.
    built: u64,
}

/// Whether the program goes on behind a statement, for all that can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Left,
}

impl<'c, 'p, 'f> PieceBuilder<'c, 'p, 'f> {
    pub(super) fn new(compiler: &'c mut Compiler<'p>, mut builder: FunctionBuilder<'f>, piece: Piece) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let frame = builder.block_params(entry)[0];
        PieceBuilder { compiler, builder, frame, piece, built: 0 }
    }

    pub(super) fn build(mut self, target: TargetFrontendConfig) {
        let (id, from) = self.compiler.root(self.piece);
        if self.compiler.slice.keeps(id) && self.part(id, from) == Flow::Left {
            // Every path has left.
        } else {
            self.leave(0);
        }
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    /// Ends the piece with a status.
    fn leave(&mut self, status: i32) {
        let status = self.int(status);
        self.builder.ins().return_(&[status]);
    }

    fn stmt(&mut self, id: StmtId) -> Flow {
        if !self.compiler.slice.keeps(id) {
            return Flow::On;
        }
        if self.built > self.compiler.large && self.compiler.weights.stmt(id) > SMALL {
            return self.outline(id, 0);
        }
        self.part(id, 0)
    }

    /// A statement; of a sequence or a choice, the part from there on.
    fn part(&mut self, id: StmtId, from: usize) -> Flow {
        let program = self.compiler.program;
        match &program.stmt(id).kind {
            StmtKind::Sequence(list) => return self.sequence(id, list, from),
            StmtKind::Choice(arms) => return self.choice(id, arms, from),
            StmtKind::Assign { variable, value } => {
                self.built += self.compiler.weights.stmt(id);
                let value = self.value(*value);
                let place = self.compiler.layout.variable(*variable);
                self.store_word(place, value);
            }
            StmtKind::Store { pointer, index, value } => {
                self.built += self.compiler.weights.stmt(id);
                self.store_cell(*pointer, *index, *value);
            }
            StmtKind::Assume(condition) => self.assume(id, *condition),
            StmtKind::Call(function) => return self.call(Piece::Function(*function), program.function(*function).body),
            StmtKind::Return => {
                self.leave(if Compiler::is_whole(self.piece) { 0 } else { RETURN });
                return Flow::Left;
            }
            StmtKind::Reach(property) => {
                if let Some(flag) = self.compiler.layout.flag(*property) {
                    let one = self.int(1);
                    self.store_word(flag, one);
                }
            }
            StmtKind::Error(_) => {
                self.leave(status_of(id));
                return Flow::Left;
            }
            StmtKind::Halt(code) => {
                let code = self.value(*code);
                self.store_word(self.compiler.layout.halt, code);
                self.leave(status_of(id));
                return Flow::Left;
            }
            StmtKind::Print { stream: Stream::Diagnostic, .. } => {
                let one = self.int(1);
                self.store_word(self.compiler.layout.complaint, one);
            }
            StmtKind::Print { stream: Stream::Output, text } => {
                self.built += self.compiler.weights.stmt(id);
                for piece in text {
                    if let crate::program::Piece::Number(value) = piece {
                        self.print(*value);
                    }
                }
            }
        }
        Flow::On
    }

    /// Notes a number that is printed, and that there is one more.
    fn print(&mut self, value: ExprId) {
        let value = self.value(value);
        let printed = self.compiler.layout.printed;
        let number = self.load_word(printed);
        let last = self.int(MOST_PRINTED as i32 - 1);
        let place = self.builder.ins().band(number, last);
        let address = self.address(place, printed + 1);
        self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
        let one = self.int(1);
        let number = self.builder.ins().iadd(number, one);
        self.store_word(printed, number);
    }

    fn sequence(&mut self, id: StmtId, list: &[StmtId], from: usize) -> Flow {
        for (index, &inner) in list.iter().enumerate().skip(from) {
            if self.built > self.compiler.large && index > from && index + 1 < list.len() {
                return self.outline(id, index);
            }
            if grow(|| self.stmt(inner)) == Flow::Left {
                return Flow::Left;
            }
        }
        Flow::On
    }

    fn choice(&mut self, id: StmtId, arms: &[Arm], from: usize) -> Flow {
        // Guards have no effects: behind the last arm that does something there is nothing to decide.
        let Some(last) = arms.iter().rposition(|arm| self.compiler.slice.keeps(arm.body)) else { return Flow::On };
        let mut join = None;
        let mut open = true;
        for (index, arm) in arms.iter().enumerate().take(last + 1).skip(from) {
            if self.built > self.compiler.large && index > from && index < last {
                open = self.outline(id, index) == Flow::On;
                break;
            }
            self.built += self.compiler.weights.expr(arm.guard) + 1;
            let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
            self.condition(arm.guard, then, otherwise);
            self.builder.switch_to_block(then);
            if grow(|| self.stmt(arm.body)) == Flow::On {
                let join = *join.get_or_insert_with(|| self.builder.create_block());
                self.builder.ins().jump(join, &[]);
            }
            self.builder.switch_to_block(otherwise);
        }
        match join {
            None if open => Flow::On,
            None => Flow::Left,
            Some(join) => {
                if open {
                    self.builder.ins().jump(join, &[]);
                }
                self.builder.switch_to_block(join);
                Flow::On
            }
        }
    }

    fn assume(&mut self, id: StmtId, condition: ExprId) {
        self.built += self.compiler.weights.stmt(id);
        let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
        self.condition(condition, then, otherwise);
        self.builder.switch_to_block(otherwise);
        self.leave(status_of(id));
        self.builder.switch_to_block(then);
    }

    /// Makes a function of its own of a statement, or of what is left of it, and calls that.
    fn outline(&mut self, id: StmtId, from: usize) -> Flow {
        self.call(Piece::Rest(id, from), id)
    }

    /// Calls the function of a piece, whose statement tells how it can be left.
    fn call(&mut self, piece: Piece, stmt: StmtId) -> Flow {
        self.built += 4;
        let callee = self.compiler.piece(piece);
        let callee = self.compiler.module.declare_func_in_func(callee, self.builder.func);
        let call = self.builder.ins().call(callee, &[self.frame]);
        let mut exits = self.compiler.weights.exits(stmt);
        // A return leaves the function that was called, and no more.
        exits.returns &= !Compiler::is_whole(piece);
        if !exits.any() {
            return Flow::On;
        }
        let status = self.builder.inst_results(call)[0];
        let (left, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(status, left, &[], on, &[]);
        self.builder.switch_to_block(left);
        let status = if exits.returns && Compiler::is_whole(self.piece) {
            let returned = self.builder.ins().icmp_imm_s(IntCC::Equal, status, i64::from(RETURN));
            let zero = self.int(0);
            self.builder.ins().select(returned, zero, status)
        } else {
            status
        };
        self.builder.ins().return_(&[status]);
        self.builder.switch_to_block(on);
        Flow::On
    }

    fn store_cell(&mut self, pointer: ExprId, index: ExprId, value: ExprId) {
        let (address, inside) = self.cell(pointer, index);
        let value = self.value(value);
        let (then, after): (Block, Block) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(inside, then, &[], after, &[]);
        self.builder.switch_to_block(then);
        self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
        self.builder.ins().jump(after, &[]);
        self.builder.switch_to_block(after);
    }

    pub(super) fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    pub(super) fn store_word(&mut self, word: usize, value: Value) {
        self.builder.ins().store(MemFlagsData::trusted(), value, self.frame, offset(word));
    }

    pub(super) fn load_word(&mut self, word: usize) -> Value {
        self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.frame, offset(word))
    }
}

/// The status of a run that a statement ended.
fn status_of(id: StmtId) -> i32 {
    END + id.index() as i32
}

/// Where a word lies in the frame, in bytes.
pub(super) fn offset(word: usize) -> i32 {
    i32::try_from(4 * word).expect("a frame has less than 2^29 words")
}
