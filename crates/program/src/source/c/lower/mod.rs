//! The syntax tree to a control-flow automaton, from `main` on, with every call inlined.
//!
//! Only what a run can come to is looked at, and what is not understood there does not end the reading: a block takes its
//! place that refuses the program, and if the automaton's simplification leaves that block in, its message is shown.
//!
//! - `scope`: names and what they stand for; `declare`: types, variables, arrays and their initial values; `enumeration`: names of numbers;
//!   `constant`: numbers that are known beforehand;
//! - `statement`: statements, loops, jumps; `landmarks`: where those are in the text; `call`: functions, and those that the verifier knows;
//! - `expression`: values, `operator`: what is computed with them, `place`: where they are kept; an expression may be evaluated
//!   when it is used, so what must not wait is put into a variable of its own.

mod call;
mod constant;
mod declare;
mod enumeration;
mod expression;
mod landmarks;
mod operator;
mod order;
mod place;
mod scope;
mod statement;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Function, Item, StmtId, Syntax};
use super::types::{Integer, Type};
use super::words::TooWide;
use crate::expr::{ExprId, Exprs, TableId, VarId};
use crate::flow::{Action, ActionKind, Automaton, Block, BlockId, End};
use crate::program::{Builder, Domain, Property, PropertyId, PropertyKind, Scope, Variable};
use crate::source::refused::{Lowered, Refused, refuse};
use crate::source::watch::Watch;
use crate::source::{Diagnostic, Diagnostics};
use crate::text::Span;
use scope::{Binding, Frame};

/// An automaton is given up when inlining makes it larger than this.
const MOST_BLOCKS: usize = 2_000_000;

/// What a program becomes.
pub struct Made {
    pub automaton: Automaton,
    pub builder: Builder,
    /// What is refused if a run can come there, by the number of [`End::Refuse`].
    pub refusals: Vec<Diagnostics>,
}

/// The refusal of blocks that nobody has ended yet, and of those that nobody ever will, since what they are part of was refused.
const UNFINISHED: End = End::Refuse(0);

/// Lowers the program that `main` starts.
pub fn lower(syntax: &Syntax<'_>, builder: Builder, watch: &mut Watch) -> Lowered<Made> {
    let mut lowerer = Lowerer::new(syntax, builder, watch);
    let Some(&main) = lowerer.functions.get("main") else {
        let whole = Span::default();
        return refuse(Diagnostic::new(whole, "there is no function `main`", "expected one in these files"));
    };
    lowerer.nobody_else_is_called()?;
    lowerer.property(PropertyKind::Label, main.declarator.span);
    lowerer.enumerations()?;
    lowerer.start(main)?;
    lowerer.automaton.landmarks = lowerer.landmarks();
    let Lowerer { automaton, builder, refusals, .. } = lowerer;
    Ok(Made { automaton, builder, refusals })
}

struct Lowerer<'a, 's> {
    syntax: &'a Syntax<'s>,
    functions: FxHashMap<&'s str, &'a Function<'s>>,
    /// Functions of which there is another one with the same name, and where that is.
    twins: FxHashMap<&'s str, Span>,
    /// Declarations outside functions: the item, and the position in it.
    declared: FxHashMap<&'s str, Vec<(usize, usize)>>,
    typedefs: FxHashMap<&'s str, (usize, usize)>,
    /// Names that some function gives to a type of its own: nobody follows which type they mean where.
    local_typedefs: FxHashSet<&'s str>,
    /// By the names of enumerations: whether one of their numbers is below zero.
    signed_tags: FxHashMap<&'s str, bool>,
    globals: FxHashMap<&'s str, Binding>,
    /// What the declarations inside functions stand for: functions are not entered twice at a time, so one place for
    /// each is enough.
    locals: FxHashMap<(StmtId, usize), Binding>,
    /// Per function: the blocks around each label.
    labels: FxHashMap<&'s str, FxHashMap<&'s str, Vec<StmtId>>>,
    /// The results and parameters of functions.
    results: FxHashMap<&'s str, Option<(VarId, Type)>>,
    parameters: FxHashMap<(&'s str, usize), Binding>,
    /// By function, number and whether they take two words.
    temporaries: FxHashMap<(&'s str, usize, bool), VarId>,
    /// By what only one function uses: that function.
    owners: FxHashMap<order::Store, &'s str>,
    effects: Vec<Option<bool>>,
    /// Whether what is being computed is an operand, which gcc may rearrange together with what stands around it.
    is_inside_operator: bool,
    frames: Vec<Frame<'a, 's>>,
    automaton: Automaton,
    builder: Builder,
    /// Where actions are added.
    current: BlockId,
    refusals: Vec<Diagnostics>,
    marks: Vec<landmarks::Mark<'s>>,
    texts: u32,
    watch: &'a mut Watch,
}

impl<'a, 's> Lowerer<'a, 's> {
    fn new(syntax: &'a Syntax<'s>, builder: Builder, watch: &'a mut Watch) -> Lowerer<'a, 's> {
        let mut lowerer = Lowerer {
            syntax,
            functions: FxHashMap::default(),
            twins: FxHashMap::default(),
            declared: FxHashMap::default(),
            typedefs: FxHashMap::default(),
            local_typedefs: FxHashSet::default(),
            signed_tags: FxHashMap::default(),
            globals: FxHashMap::default(),
            locals: FxHashMap::default(),
            labels: FxHashMap::default(),
            results: FxHashMap::default(),
            parameters: FxHashMap::default(),
            temporaries: FxHashMap::default(),
            owners: FxHashMap::default(),
            effects: vec![],
            is_inside_operator: false,
            frames: vec![],
            automaton: Automaton::default(),
            builder,
            current: BlockId::new(0),
            refusals: vec![unfinished().into()],
            marks: vec![],
            texts: 0,
            watch,
        };
        lowerer.current = lowerer.new_block();
        lowerer.collect();
        lowerer.collect_local_types();
        lowerer
    }

    /// Finds functions, declarations and types by their names.
    fn collect(&mut self) {
        for (index, item) in self.syntax.items.iter().enumerate() {
            match item {
                Item::Function(function) => {
                    let Some(name) = function.declarator.name else { continue };
                    if self.functions.insert(name.text, function).is_some() {
                        self.twins.insert(name.text, name.span);
                    }
                }
                Item::Declaration(declaration) => {
                    for (position, (declarator, _)) in declaration.declarators.iter().enumerate() {
                        let Some(name) = declarator.name else { continue };
                        if declaration.specifiers.has("typedef") {
                            self.typedefs.insert(name.text, (index, position));
                        } else {
                            self.declared.entry(name.text).or_default().push((index, position));
                        }
                    }
                }
            }
        }
    }

    /// Notes the names of types that functions declare for themselves.
    fn collect_local_types(&mut self) {
        for declaration in self.syntax.local_declarations().filter(|local| local.specifiers.has("typedef")) {
            let named = declaration.declarators.iter().filter_map(|(declarator, _)| declarator.name);
            self.local_typedefs.extend(named.map(|name| name.text));
            if declaration.declarators.is_empty() {
                // A name that was known before is read as a part of the type.
                self.local_typedefs.extend(declaration.specifiers.words.last());
            }
        }
    }

    fn exprs(&mut self) -> &mut Exprs {
        self.builder.exprs_mut()
    }

    fn new_block(&mut self) -> BlockId {
        self.automaton.blocks.push(Block { actions: vec![], end: UNFINISHED });
        BlockId::new(self.automaton.blocks.len() - 1)
    }

    fn action(&mut self, kind: ActionKind, span: Span) {
        self.automaton.blocks[self.current.index()].actions.push(Action { kind, span });
    }

    /// Ends the current block and goes on with another one.
    fn end(&mut self, end: End, next: BlockId) {
        self.automaton.blocks[self.current.index()].end = end;
        self.current = next;
    }

    fn jump(&mut self, to: BlockId, next: BlockId) {
        self.end(End::Jump(to), next);
    }

    /// Ends the current block for good; what follows is unreachable unless a label stands before it.
    fn finish(&mut self, end: End) {
        let next = self.new_block();
        self.end(end, next);
    }

    fn branch(&mut self, condition: ExprId, then: BlockId, otherwise: BlockId, span: Span, next: BlockId) {
        self.end(End::Branch { condition, then, otherwise, span }, next);
    }

    fn assign(&mut self, variable: VarId, value: ExprId, span: Span) {
        self.action(ActionKind::Assign { variable, value }, span);
    }

    fn variable(&mut self, name: &str, initial: i32, span: Span) -> VarId {
        let (name, ty, scope) = (name.to_string(), crate::expr::Type::Int, Scope::Global);
        self.automaton.variables.push(Variable { name, ty, scope, initial, domain: None, span });
        VarId::new(self.automaton.variables.len() - 1)
    }

    /// A variable of a type: one of 64 bits takes two, the low word and behind it the high one.
    fn variable_of(&mut self, name: &str, ty: &Type, initial: i128, span: Span) -> VarId {
        let variable = self.variable(name, initial as i32, span);
        if is_wide(ty) {
            self.variable(&format!("{name}.high"), (initial >> 32) as i32, span);
        }
        variable
    }

    /// A variable that only lowering knows, of one word.
    fn temporary(&mut self, span: Span) -> VarId {
        self.temporary_of(&Type::Integer(Integer::INT), span)
    }

    /// Likewise for a type. No call of a function sees what another one had in its temporaries, so all calls have the same:
    /// then the blocks of these calls are the same, too, and may become one.
    fn temporary_of(&mut self, ty: &Type, span: Span) -> VarId {
        let Some(frame) = self.frames.last_mut() else { return self.variable_of("value", ty, 0, span) };
        let name = frame.name;
        let key = (name, frame.temporaries, is_wide(ty));
        frame.temporaries += 1;
        if let Some(&known) = self.temporaries.get(&key) {
            return known;
        }
        let variable = self.variable_of("value", ty, 0, span);
        self.own(variable, ty, name);
        self.temporaries.insert(key, variable);
        variable
    }

    fn read(&mut self, variable: VarId) -> ExprId {
        self.exprs().var(variable, crate::expr::Type::Int)
    }

    /// Gives a variable any value of a type.
    fn choose(&mut self, variable: VarId, ty: &Type, name: Option<&'static str>, span: Span) {
        let domain = match ty {
            Type::Integer(integer) if integer.bits < 32 => Domain::Range(integer.low() as i32, integer.high() as i32),
            _ => Domain::ANY,
        };
        self.action(ActionKind::Choose { variable, domain: domain.clone(), name }, span);
        if is_wide(ty) {
            self.action(ActionKind::Choose { variable: high_word(variable), domain, name }, span);
        }
    }

    fn store(&mut self, table: TableId, index: ExprId, value: ExprId, span: Span) {
        self.action(ActionKind::Store { table, index, value }, span);
    }

    /// The property of a kind.
    fn property(&mut self, kind: PropertyKind, span: Span) -> PropertyId {
        let name = match kind {
            PropertyKind::DivisionByZero => "division_by_zero",
            PropertyKind::DivisionOverflow => "division_overflow",
            PropertyKind::IndexOutOfBounds => "index_out_of_bounds",
            PropertyKind::ShiftOutOfRange => "shift_out_of_range",
            _ => "reach_error",
        };
        self.builder.add_property(Property { name: name.into(), kind, span, expected: None })
    }

    /// Ends the run in an error where a condition holds.
    fn check(&mut self, is_wrong: ExprId, kind: PropertyKind, span: Span) {
        if self.builder.exprs.as_bool(is_wrong) == Some(false) {
            return;
        }
        let (error, next) = (self.new_block(), self.new_block());
        let property = self.property(kind, span);
        self.automaton.blocks[error.index()].end = End::Error(property, span);
        self.branch(is_wrong, error, next, span, next);
    }

    /// What has no meaning here ends the reading only if a run comes here, or to one of the blocks, from this one on, that it left
    /// without an end.
    fn tolerate(&mut self, lowered: Lowered, first: BlockId) -> Lowered {
        match lowered {
            Err(Refused::Mistakes(mistakes)) => {
                self.refusals.push(mistakes);
                let refuse = End::Refuse(self.refusals.len() - 1);
                let left = self.automaton.blocks[first.index()..].iter_mut().filter(|block| block.end == UNFINISHED);
                left.for_each(|block| block.end = refuse.clone());
                self.finish(refuse);
                Ok(())
            }
            other => other,
        }
    }

    /// The block that will be made next.
    fn next_block(&self) -> BlockId {
        BlockId::new(self.automaton.blocks.len())
    }

    fn enough(&mut self, span: Span) -> Lowered {
        self.watch.look()?;
        if self.automaton.blocks.len() <= MOST_BLOCKS {
            return Ok(());
        }
        refuse(Diagnostic::new(span, "the program is too large once its calls are inlined", "while inlining this"))
    }
}

/// The message about a block without an end, if no other one says more.
fn unfinished() -> Diagnostic {
    Diagnostic::new(Span::default(), "a part of the program was not understood", "a run can come there")
}

/// A message about something that is C, but not of the kind that is understood.
fn unsupported<T>(span: Span, what: &str) -> Lowered<T> {
    refuse(Diagnostic::new(span, format!("{what} is not supported"), "a run can come here"))
}

fn too_wide(span: Span) -> impl Fn(TooWide) -> Refused {
    move |TooWide| {
        let message = "a number of 64 bits is not supported here";
        let diagnostic = Diagnostic::new(span, message, "expected one of at most 32 bits");
        Refused::Mistakes(diagnostic.into())
    }
}

/// Whether a type takes two words.
fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::Integer(integer) if integer.bits > 32)
}

/// The high word of a variable that has two.
fn high_word(variable: VarId) -> VarId {
    VarId::new(variable.index() + 1)
}

/// Likewise for the cells of an array.
fn high_table(table: TableId) -> TableId {
    TableId::new(table.index() + 1)
}

/// The numbers that a type can have, for what is undefined.
fn integer_of(ty: &Type) -> Integer {
    match ty {
        Type::Integer(integer) => *integer,
        _ => Integer::UINT,
    }
}
