//! Statements of C to statements of the program; `main`'s endless loop to the step.

use redoubt_base::stack::grow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::parser as g;
use super::tree::{Child, Tree};
use super::value::Form;
use super::{alphabet, recursion};
use crate::expr::{BinaryOp, ExprId, TableId, Type, VarId};
use crate::program::{
    Arm, Builder, FunctionId, Program, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, assigned,
};
use crate::source::{Diagnostic, Diagnostics};
use crate::text::{Sources, Span};

/// A mistake has been reported and this part of the program has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

pub type Lowered<T = ()> = Result<T, Refused>;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    Constant(i32),
    Variable(VarId),
    Table(TableId),
    /// The argument of a function that is put in place of its call.
    Value(ExprId),
}

#[derive(Clone)]
pub struct FunctionEntry<'t> {
    pub id: FunctionId,
    pub tree: Tree<'t>,
    pub parameters: Vec<(&'t str, VarId)>,
    /// The expression that a call can be replaced by.
    pub inline: Option<Tree<'t>>,
}

/// The part of the program that is being lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In `main`, before the loop.
    Setup,
    /// In `main`'s loop.
    Step,
    Function(FunctionId),
}

pub struct Lowering<'t> {
    pub program: Builder,
    pub globals: FxHashMap<&'t str, (Binding, Span)>,
    pub functions: FxHashMap<&'t str, FunctionEntry<'t>>,
    pub function_order: Vec<&'t str>,
    pub main: Option<Tree<'t>>,
    /// Names of tables that some statement may write, directly or through a pointer.
    pub stored: FxHashSet<&'t str>,
    pub extern_names: Vec<(&'t str, Span)>,
    pub diagnostics: Diagnostics,
    /// The names of parameters and locals, innermost block last.
    pub scopes: Vec<FxHashMap<&'t str, Binding>>,
    pub place: Place,
    /// The statements of the body that is being built.
    pub block: Vec<StmtId>,
    /// How many conditions enclose the current statement.
    pub conditions: usize,
    /// Where the step reads its input, once it does.
    pub read: Option<Span>,
    /// How many calls with side effects have been lowered; see `value.rs`.
    pub calls: usize,
    /// Locals that C leaves undefined until they are assigned.
    pub uninitialised: Vec<VarId>,
}

/// Lowers the parsed files of one program.
pub fn lower(sources: Arc<Sources>, trees: &[Tree<'_>]) -> Result<Program, Diagnostics> {
    let mut lowering = Lowering::new(sources);
    lowering.declare_all(trees);
    for name in std::mem::take(&mut lowering.function_order) {
        lowering.function(name);
    }
    lowering.main_function();
    lowering.finish(trees)
}

impl<'t> Lowering<'t> {
    fn new(sources: Arc<Sources>) -> Lowering<'t> {
        let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
        Lowering {
            program: Builder::new(name, sources),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            function_order: vec![],
            main: None,
            stored: FxHashSet::default(),
            extern_names: vec![],
            diagnostics: Diagnostics::default(),
            scopes: vec![],
            place: Place::Setup,
            block: vec![],
            conditions: 0,
            read: None,
            calls: 0,
            uninitialised: vec![],
        }
    }

    fn finish(mut self, trees: &[Tree<'t>]) -> Result<Program, Diagnostics> {
        if self.diagnostics.is_empty() {
            recursion::check(&self.program, &mut self.diagnostics);
        }
        if self.diagnostics.is_empty() {
            for (variable, span) in assigned::read_before_assigned(&self.program, &self.uninitialised) {
                let name = declared_name(&self.program.variable(variable).name);
                let message = match name.rsplit_once('.') {
                    Some((function, "result")) => format!("`{function}` may end without returning a value"),
                    Some((_, local)) => format!("`{local}` may be read before it is assigned"),
                    None => format!("`{name}` may be read before it is assigned"),
                };
                let _ = self.refuse::<()>(Diagnostic::new(span, message, "its value is undefined here"));
            }
        }
        if self.diagnostics.is_empty() {
            alphabet::find(&mut self, trees);
        }
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics.sorted());
        }
        let mut program = self.program.finish()?;
        program.sort_properties();
        Ok(program)
    }

    fn function(&mut self, name: &'t str) {
        let Some(entry) = self.functions.get(name).cloned() else { return };
        let Some(body) = entry.tree.find(g::RULE_BLOCK) else { return };
        self.place = Place::Function(entry.id);
        let parameters = entry.parameters.iter().map(|&(name, variable)| (name, Binding::Variable(variable)));
        self.scopes = vec![parameters.collect()];
        let result = self.program.function(entry.id).result;
        self.uninitialised.extend(result);
        let body = self.collect(|this| this.block_statements(body));
        self.program.define_function(entry.id, body);
    }

    /// `main`: what stands before the endless loop is the setup, the loop's body the step.
    fn main_function(&mut self) {
        let Some(main) = self.main else {
            if self.diagnostics.is_empty() {
                let whole = Span { file: 0, start: 0, end: 0 };
                let diagnostic = Diagnostic::new(whole, "no function `main`", "in this file")
                    .help("the program needs a `main` with the loop `while(1)` that reads the inputs");
                let _ = self.refuse::<()>(diagnostic);
            }
            return;
        };
        let Some(body) = main.find(g::RULE_BLOCK) else { return };
        self.scopes = vec![FxHashMap::default()];
        self.place = Place::Setup;
        let mut step = None;
        let setup = self.collect(|this| {
            for statement in body.all(g::RULE_STATEMENT) {
                step = statement.rules().next().and_then(|plain| plain.find(g::RULE_LOOP));
                if step.is_some() {
                    break;
                }
                let _ = this.statement(statement);
            }
        });
        self.program.set_setup(setup);
        let Some(step) = step else {
            let diagnostic = Diagnostic::new(main.name_span(), "`main` has no endless loop", "expected a `while(1)`");
            let _ = self.refuse::<()>(diagnostic);
            return;
        };
        let _ = self.step(step);
    }

    fn step(&mut self, tree: Tree<'t>) -> Lowered {
        let condition = tree.find(g::RULE_EXPRESSION).ok_or(Refused)?;
        if self.constant(condition)? == 0 {
            return self.refuse(Diagnostic::new(condition.span(), "the loop never runs", "expected `1`"));
        }
        self.place = Place::Step;
        let body = tree.find(g::RULE_STATEMENT).ok_or(Refused)?;
        let step = self.collect(|this| {
            let _ = this.statement(body);
        });
        self.program.set_step(step);
        if self.read.is_none() && self.diagnostics.is_empty() {
            return self.refuse(
                Diagnostic::new(tree.span(), "the loop reads no input", "expected `scanf` or `__VERIFIER_nondet_int`")
                    .help("one turn of the loop is one step: it reads one input and reacts to it"),
            );
        }
        Ok(())
    }

    pub fn push(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let id = self.program.add_stmt(kind, span);
        self.block.push(id);
        id
    }

    /// Runs `fill` with an empty block and makes one statement of what it leaves there.
    pub fn collect(&mut self, fill: impl FnOnce(&mut Self)) -> StmtId {
        let outer = std::mem::take(&mut self.block);
        fill(self);
        let inner = std::mem::replace(&mut self.block, outer);
        self.program.add_sequence(inner)
    }

    fn block_statements(&mut self, block: Tree<'t>) {
        self.scopes.push(FxHashMap::default());
        for statement in block.all(g::RULE_STATEMENT) {
            let _ = self.statement(statement);
        }
        self.scopes.pop();
    }

    /// A statement; what is wrong inside it has been reported.
    pub fn statement(&mut self, tree: Tree<'t>) -> Lowered {
        grow(|| match tree.rule() {
            g::RULE_STATEMENT | g::RULE_PLAIN_STATEMENT => {
                tree.rules().next().map_or(Ok(()), |inner| self.statement(inner))
            }
            g::RULE_BLOCK => {
                self.block_statements(tree);
                Ok(())
            }
            g::RULE_DECLARATION => self.local_declaration(tree),
            g::RULE_CONDITIONAL => {
                self.conditional(tree);
                Ok(())
            }
            g::RULE_LABELLED => self.labelled(tree),
            g::RULE_RETURN_STATEMENT => self.return_statement(tree),
            g::RULE_EFFECT => self.effect(tree),
            _ => self.refuse(
                Diagnostic::new(tree.span(), "a loop inside the program", "only `main` may loop")
                    .help("one turn of `while(1)` in `main` is one step; a step itself must not loop"),
            ),
        })
    }

    fn local_declaration(&mut self, tree: Tree<'t>) -> Lowered {
        for specifier in tree.all(g::RULE_SPECIFIER) {
            if !specifier.has_token("int") && !specifier.has_token("const") {
                let diagnostic =
                    Diagnostic::new(specifier.span(), "this kind of local is not supported", "expected `int`");
                return self.refuse(diagnostic);
            }
        }
        for declarator in tree.all(g::RULE_DECLARATOR) {
            let (name, span) = (declarator.name().unwrap_or_default(), declarator.name_span());
            if declarator.has_token("*") || declarator.has_token("[") {
                let message = format!("`{name}` is a local, but not an `int`");
                return self.refuse(Diagnostic::new(span, message, "not supported"));
            }
            let variable = self.declare_local(name, span)?;
            if let Some(initializer) = declarator.find(g::RULE_INITIALIZER) {
                let Some(value) = initializer.find(g::RULE_EXPRESSION) else {
                    return self.refuse_list(initializer.span());
                };
                let value = self.whole_value(value)?;
                self.push(StmtKind::Assign { variable, value }, span);
            } else {
                self.uninitialised.push(variable);
            }
        }
        Ok(())
    }

    fn declare_local(&mut self, name: &'t str, span: Span) -> Lowered<VarId> {
        // A local of `main` that is declared before the loop lives as long as the program.
        let (owner, scope) = match self.place {
            Place::Setup => ("main", Scope::Global),
            Place::Step => ("main", Scope::Local),
            Place::Function(id) => (self.program.function(id).name.as_str(), Scope::Local),
        };
        let variable = self.new_variable(format!("{owner}.{name}"), Type::Int, scope, 0, span);
        let scope = self.scopes.last_mut().ok_or(Refused)?;
        if scope.insert(name, Binding::Variable(variable)).is_some() {
            let message = format!("`{name}` is declared twice in one block");
            return self.refuse(Diagnostic::new(span, message, "declared again here"));
        }
        Ok(variable)
    }

    /// A chain `if ... else if ... else`. A condition that needs statements of its own (a call, a check for
    /// zero) runs only if the conditions before it failed, so it opens a new choice in a last arm.
    fn conditional(&mut self, tree: Tree<'t>) {
        let mut groups: Vec<(Vec<StmtId>, Vec<Arm>)> = vec![(vec![], vec![])];
        let branches = std::iter::once(tree).chain(tree.all(g::RULE_ELSE_IF));
        for (index, branch) in branches.enumerate() {
            let (Some(condition), Some(body)) = (branch.find(g::RULE_EXPRESSION), branch.find(g::RULE_STATEMENT))
            else {
                continue;
            };
            let span = condition.span();
            let (prelude, guard) = self.aside(index > 0, |this| this.condition(condition));
            let body = self.branch_body(body);
            let Ok(guard) = guard else { continue };
            if prelude.is_empty() {
                groups.last_mut().expect("there is a group").1.push(Arm { guard, body, span });
            } else {
                groups.push((prelude, vec![Arm { guard, body, span }]));
            }
        }
        if let Some(otherwise) = tree.find(g::RULE_OTHERWISE)
            && let Some(inner) = otherwise.find(g::RULE_PLAIN_STATEMENT)
        {
            let body = self.branch_body(inner);
            let guard = self.program.exprs_mut().bool(true);
            let arm = Arm { guard, body, span: otherwise.span() };
            groups.last_mut().expect("there is a group").1.push(arm);
        }
        self.push_groups(groups, tree.span());
    }

    fn branch_body(&mut self, body: Tree<'t>) -> StmtId {
        self.conditions += 1;
        let body = self.collect(|this| {
            this.scopes.push(FxHashMap::default());
            let _ = this.statement(body);
            this.scopes.pop();
        });
        self.conditions -= 1;
        body
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, conditional: bool, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = std::mem::take(&mut self.block);
        self.conditions += usize::from(conditional);
        let result = lower(self);
        self.conditions -= usize::from(conditional);
        (std::mem::replace(&mut self.block, outer), result)
    }

    fn push_groups(&mut self, groups: Vec<(Vec<StmtId>, Vec<Arm>)>, span: Span) {
        let mut rest: Option<StmtId> = None;
        for (prelude, mut arms) in groups.into_iter().rev() {
            if let Some(body) = rest {
                arms.push(Arm { guard: self.program.exprs_mut().bool(true), body, span });
            }
            arms.retain(|arm| self.program.exprs.as_bool(arm.guard) != Some(false));
            let (block, ()) = self.aside(false, |this| {
                this.block = prelude;
                match arms.as_slice() {
                    [] => {}
                    [arm, ..] if this.program.exprs.as_bool(arm.guard) == Some(true) => this.block.push(arm.body),
                    _ => {
                        this.push(StmtKind::Choice(arms), span);
                    }
                }
            });
            rest = Some(self.collect(|this| this.block = block));
        }
        if let Some(statement) = rest {
            self.block.push(statement);
        }
    }

    /// `error_7: assert(0);` names the property that the statement reaches.
    fn labelled(&mut self, tree: Tree<'t>) -> Lowered {
        let label = tree.name().unwrap_or_default();
        let inner = tree.find(g::RULE_STATEMENT).ok_or(Refused)?;
        let span = tree.name_span();
        let is_error = label == "globalError"
            || label
                .strip_prefix("error_")
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        let assertion = inner
            .rules()
            .next()
            .and_then(|plain| plain.find(g::RULE_EFFECT))
            .and_then(|effect| effect.find(g::RULE_EXPRESSION))
            .map(Form::of);
        match assertion {
            Some(Form::Call("assert", arguments)) => {
                let property = self.property(label, PropertyKind::Label, span);
                self.assert(&arguments, property, span)
            }
            // Whatever stands behind such a label, reaching it is the error.
            _ if is_error => {
                let property = self.property(label, PropertyKind::Label, span);
                self.push(StmtKind::Error(property), span);
                // It never runs, but it is read all the same, so that a mistake in it is found.
                self.aside(false, |this| this.statement(inner)).1
            }
            _ => self.statement(inner),
        }
    }

    fn return_statement(&mut self, tree: Tree<'t>) -> Lowered {
        let span = tree.span();
        let value = match tree.find(g::RULE_EXPRESSION) {
            Some(value) => Some(self.whole_value(value)?),
            None => None,
        };
        let Place::Function(id) = self.place else {
            let code = value.unwrap_or_else(|| self.program.exprs_mut().int(0));
            self.push(StmtKind::Halt(code), span);
            return Ok(());
        };
        match (self.program.function(id).result, value) {
            (Some(variable), Some(value)) => {
                self.push(StmtKind::Assign { variable, value }, span);
            }
            (None, Some(_)) => {
                return self.refuse(Diagnostic::new(span, "a `void` function returns a value", "expected `return;`"));
            }
            (_, None) => {}
        }
        self.push(StmtKind::Return, span);
        Ok(())
    }

    /// An assignment, an increment or a call.
    fn effect(&mut self, tree: Tree<'t>) -> Lowered {
        let mut children = tree.children();
        let Some(Child::Rule(left)) = children.next() else { return Err(Refused) };
        let span = tree.span();
        match children.next() {
            Some(Child::Rule(operator)) => {
                let Some(Child::Rule(right)) = children.next() else { return Err(Refused) };
                let operator = operator.tokens().next().unwrap_or_default();
                self.assignment(left, operator.trim_end_matches('='), right, span)
            }
            Some(Child::Token(step @ ("++" | "--"))) => {
                let one = self.program.exprs_mut().int(1);
                let operator = if step == "++" { BinaryOp::Add } else { BinaryOp::Sub };
                self.assign(left, span, |this, old| Ok(this.program.exprs_mut().binary(operator, old, one)))
            }
            _ => match Form::of(left) {
                Form::Call(name, arguments) => self.call_statement(name, &arguments, left.span()),
                _ => self.refuse(Diagnostic::new(left.span(), "a statement without effect", "expected a call or `=`")),
            },
        }
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: &str, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.add_property(Property { name: name.into(), kind, span, expected: None })
    }
}

/// The name of a variable without the number that tells it from others of that name.
pub fn declared_name(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}
