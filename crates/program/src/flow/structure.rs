//! A control-flow automaton to a program: a step runs from one cut point to the next.
//!
//! Without the edges into cut points the automaton has no cycles. A virtual root that looks up where the run is leads to
//! all cut points; below it every block stands where its immediate dominator puts it (Ramsey, "Beyond Relooper", ICFP
//! 2022, without loops): a block that one edge leads to stands in the arm of that edge, and a block where several edges
//! meet stands behind the code of its dominator. If everything that comes out of that code goes there, it just follows;
//! otherwise a flag says whether the run is on its way to it. So no action is copied, and values are joined where paths are.
//!
//! An edge into a cut point notes the location of the run, forgets variables that are not needed there, and leaves the
//! step.

use redoubt_base::stack::grow;

use super::liveness::Liveness;
use super::{ActionKind, Automaton, BlockId, CutPoints, End};
use crate::expr::{ExprId, TableId, Type, VarId};
use crate::program::{Arm, Builder, Domain, Input, Malformed, Program, Scope, StmtId, StmtKind, Variable};
use crate::text::Span;

pub fn structure(automaton: Automaton, mut builder: Builder) -> Result<Program, Malformed> {
    let cuts = CutPoints::of(&automaton);
    let liveness = Liveness::of(&automaton, &builder.exprs, builder.tables.len());
    let (location, kept) = declare(&automaton, &cuts, &liveness, &mut builder);
    builder.set_location(location);
    let tree = Tree::of(&automaton, &cuts);
    let flags = vec![None; automaton.blocks.len()];
    let function = builder.declare_function("step", vec![], None, Span::default());
    let mut out =
        Structurer { automaton: &automaton, cuts: &cuts, liveness: &liveness, tree, builder, location, kept, flags };
    let body = out.root();
    let mut builder = out.builder;
    builder.define_function(function, body);
    builder.set_heads(automaton.heads(&cuts, &liveness, &builder));
    let step = builder.add_stmt(StmtKind::Call(function), Span::default());
    builder.set_step(step);
    let mut program = builder.finish()?;
    program.sort_properties();
    Ok(program)
}

/// Adds the automaton's variables, those that are live at a cut point as globals, and one for where the run is. Hands
/// out that one and the globals.
fn declare(automaton: &Automaton, cuts: &CutPoints, liveness: &Liveness, builder: &mut Builder) -> (VarId, Vec<VarId>) {
    let mut kept = vec![];
    for (index, variable) in automaton.variables.iter().enumerate() {
        let id = VarId::new(index);
        let is_kept = cuts.list.iter().any(|cut| liveness.at_start[cut.index()].has(id));
        let scope = if is_kept { Scope::Global } else { Scope::Local };
        if is_kept {
            kept.push(id);
        }
        builder.add_variable(Variable { scope, ..variable.clone() });
    }
    let location = builder.add_variable(Variable {
        name: "location".into(),
        ty: Type::Int,
        scope: Scope::Global,
        initial: 0,
        domain: Some(Domain::Range(0, cuts.list.len() as i32 - 1)),
        span: Span::default(),
    });
    (location, kept)
}

/// The dominators of the blocks between cut points. Cut points hang on the root.
struct Tree {
    /// Per block: those that it immediately dominates and that several edges lead to, in order.
    merges: Vec<Vec<BlockId>>,
    /// The same for the root.
    root_merges: Vec<BlockId>,
    /// Per block: whether several edges lead to it.
    is_merge: Vec<bool>,
    /// Per block where edges meet: whether something else also comes out of the code in front of it.
    is_guarded: Vec<bool>,
}

/// Where a run may be heading when it comes out of some code: a few blocks, or anywhere.
type Exits = Option<Vec<BlockId>>;

/// More exits than this are too many to follow.
const MOST_EXITS: usize = 16;

impl Tree {
    fn of(automaton: &Automaton, cuts: &CutPoints) -> Tree {
        let count = automaton.blocks.len();
        let mut position = vec![0; count];
        cuts.order.iter().enumerate().for_each(|(index, block)| position[block.index()] = index + 1);
        // Immediate dominators by position, 0 being the root: without cycles one pass is enough (Cooper, Harvey,
        // Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
        let predecessors = automaton.predecessors();
        let mut dominator = vec![0; count + 1];
        let mut is_merge = vec![false; count];
        for (index, &block) in cuts.order.iter().enumerate() {
            if cuts.is_cut[block.index()] {
                continue;
            }
            let before = &predecessors[block.index()];
            is_merge[block.index()] = before.len() > 1;
            let mut common = position[before[0].index()];
            for other in &before[1..] {
                let mut other = position[other.index()];
                while common != other {
                    if common > other {
                        common = dominator[common];
                    } else {
                        other = dominator[other];
                    }
                }
            }
            dominator[index + 1] = common;
        }
        let mut tree =
            Tree { merges: vec![vec![]; count], root_merges: vec![], is_merge, is_guarded: vec![false; count] };
        for (index, &block) in cuts.order.iter().enumerate() {
            if tree.is_merge[block.index()] {
                match dominator[index + 1] {
                    0 => tree.root_merges.push(block),
                    above => tree.merges[cuts.order[above - 1].index()].push(block),
                }
            }
        }
        tree.guard(automaton, cuts);
        tree
    }

    /// Finds out which blocks need a flag, from the last to the first.
    fn guard(&mut self, automaton: &Automaton, cuts: &CutPoints) {
        let mut exits: Vec<Exits> = vec![Some(vec![]); automaton.blocks.len()];
        for &block in cuts.order.iter().rev() {
            let mut out = Some(vec![]);
            for next in automaton.block(block).end.successors() {
                if cuts.is_cut[next.index()] {
                    continue;
                }
                if self.is_merge[next.index()] {
                    join(&mut out, &Some(vec![next]));
                } else {
                    join(&mut out, &exits[next.index()]);
                }
            }
            for merge in self.merges[block.index()].clone() {
                self.follow(&mut out, merge, &exits);
            }
            exits[block.index()] = out;
        }
        let mut out = Some(vec![]);
        cuts.list.iter().for_each(|cut| join(&mut out, &exits[cut.index()]));
        for merge in self.root_merges.clone() {
            self.follow(&mut out, merge, &exits);
        }
    }

    /// Puts a block behind code with some exits.
    fn follow(&mut self, out: &mut Exits, merge: BlockId, exits: &[Exits]) {
        self.is_guarded[merge.index()] = out.as_deref() != Some(&[merge]);
        if let Some(list) = out {
            list.retain(|&exit| exit != merge);
        }
        join(out, &exits[merge.index()]);
    }
}

fn join(exits: &mut Exits, more: &Exits) {
    let (Some(list), Some(more)) = (exits.as_mut(), more) else {
        *exits = None;
        return;
    };
    for &exit in more {
        if !list.contains(&exit) {
            list.push(exit);
        }
    }
    if list.len() > MOST_EXITS {
        *exits = None;
    }
}

struct Structurer<'a> {
    automaton: &'a Automaton,
    cuts: &'a CutPoints,
    liveness: &'a Liveness,
    tree: Tree,
    builder: Builder,
    location: VarId,
    kept: Vec<VarId>,
    /// Per block: the variable that says whether the run is on its way to it.
    flags: Vec<Option<VarId>>,
}

impl Structurer<'_> {
    /// The whole step.
    fn root(&mut self) -> StmtId {
        let mut list = vec![];
        let merges = self.tree.root_merges.clone();
        self.lower_flags(&merges, &mut list);
        let mut arms = vec![];
        for (index, &cut) in self.cuts.list.iter().enumerate() {
            let guard = self.is_at(index);
            let body = self.code(cut);
            arms.push(Arm { guard, body, span: Span::default() });
        }
        match arms.as_slice() {
            [only] => list.push(only.body),
            _ => list.push(self.builder.add_stmt(StmtKind::Choice(arms), Span::default())),
        }
        for merge in merges {
            self.merge(merge, &mut list);
        }
        self.builder.add_sequence(list)
    }

    fn is_at(&mut self, index: usize) -> ExprId {
        let location = self.location;
        let exprs = self.builder.exprs_mut();
        let (location, index) = (exprs.var(location, Type::Int), exprs.int(index as i32));
        exprs.eq(location, index)
    }

    /// A block with all that it dominates.
    fn code(&mut self, block: BlockId) -> StmtId {
        let mut list = vec![];
        grow(|| self.add_code(block, &mut list));
        self.builder.add_sequence(list)
    }

    fn add_code(&mut self, first: BlockId, list: &mut Vec<StmtId>) {
        let mut block = first;
        loop {
            let merges = self.tree.merges[block.index()].clone();
            self.lower_flags(&merges, list);
            self.actions(block, list);
            self.end(block, list);
            // The last successor, which has no condition, needs no deeper recursion.
            let Some((&last, others)) = merges.split_last() else { return };
            others.iter().for_each(|&merge| self.merge(merge, list));
            if self.tree.is_guarded[last.index()] {
                self.merge(last, list);
                return;
            }
            block = last;
        }
    }

    /// Says that the run is not on its way to any of these.
    fn lower_flags(&mut self, merges: &[BlockId], list: &mut Vec<StmtId>) {
        for merge in merges {
            if self.tree.is_guarded[merge.index()] {
                let flag = self.builder.add_variable(Variable {
                    name: format!("to_{}", merge.index()),
                    ty: Type::Bool,
                    scope: Scope::Local,
                    initial: 0,
                    domain: None,
                    span: Span::default(),
                });
                self.flags[merge.index()] = Some(flag);
                let value = self.builder.exprs_mut().bool(false);
                list.push(self.builder.add_stmt(StmtKind::Assign { variable: flag, value }, Span::default()));
            }
        }
    }

    fn merge(&mut self, block: BlockId, list: &mut Vec<StmtId>) {
        match self.flags[block.index()] {
            Some(flag) => {
                let guard = self.builder.exprs_mut().var(flag, Type::Bool);
                let body = self.code(block);
                let arms = vec![Arm { guard, body, span: Span::default() }];
                list.push(self.builder.add_stmt(StmtKind::Choice(arms), Span::default()));
            }
            None => grow(|| self.add_code(block, list)),
        }
    }

    fn actions(&mut self, block: BlockId, list: &mut Vec<StmtId>) {
        for action in &self.automaton.block(block).actions {
            let kind = match &action.kind {
                ActionKind::Assign { variable, value } => StmtKind::Assign { variable: *variable, value: *value },
                ActionKind::Store { table, index, value } => {
                    let pointer = self.written(*table);
                    StmtKind::Store { pointer, index: *index, value: *value }
                }
                ActionKind::Choose { variable, domain, name } => {
                    let place = &self.automaton.variables[variable.index()];
                    let name = name.map_or_else(|| place.name.clone(), str::to_string);
                    let line = self.builder.line(action.span);
                    let name = format!("{name}@{line}");
                    let input = self.builder.add_input(Input { name, alphabet: domain.clone() });
                    let value = self.builder.exprs_mut().input(input, Type::Int);
                    StmtKind::Assign { variable: *variable, value }
                }
                ActionKind::Assume(condition) => StmtKind::Assume(*condition),
            };
            list.push(self.builder.add_stmt(kind, action.span));
        }
    }

    fn written(&mut self, table: TableId) -> ExprId {
        self.builder.mark_written(table);
        self.builder.exprs_mut().table(table)
    }

    fn end(&mut self, block: BlockId, list: &mut Vec<StmtId>) {
        match self.automaton.block(block).end {
            End::Jump(next) => self.go(next, list),
            End::Branch { condition, then, otherwise, span } => {
                let (mut first, mut second) = (vec![], vec![]);
                self.go(then, &mut first);
                self.go(otherwise, &mut second);
                self.branch(condition, first, second, span, list);
            }
            End::Error(property, span) => list.push(self.builder.add_stmt(StmtKind::Error(property), span)),
            // The front end has refused such programs.
            End::Refuse(_) => {}
            End::Halt(span) => {
                let code = self.builder.exprs_mut().int(0);
                list.push(self.builder.add_stmt(StmtKind::Halt(code), span));
            }
        }
    }

    /// A choice between two lists; an empty one needs no arm.
    fn branch(
        &mut self,
        condition: ExprId,
        then: Vec<StmtId>,
        otherwise: Vec<StmtId>,
        span: Span,
        list: &mut Vec<StmtId>,
    ) {
        let exprs = self.builder.exprs_mut();
        let (yes, not) = (exprs.bool(true), exprs.not(condition));
        let sides = match (then.is_empty(), otherwise.is_empty()) {
            (true, true) => return,
            (true, false) => vec![(not, otherwise)],
            (false, true) => vec![(condition, then)],
            (false, false) => vec![(condition, then), (yes, otherwise)],
        };
        let arm = |(guard, side)| Arm { guard, body: self.builder.add_sequence(side), span };
        let arms = sides.into_iter().map(arm).collect();
        list.push(self.builder.add_stmt(StmtKind::Choice(arms), span));
    }

    /// Goes on with a block.
    fn go(&mut self, next: BlockId, list: &mut Vec<StmtId>) {
        if self.cuts.is_cut[next.index()] {
            return self.leave(next, list);
        }
        if !self.tree.is_merge[next.index()] {
            return grow(|| self.add_code(next, list));
        }
        if let Some(flag) = self.flags[next.index()] {
            let value = self.builder.exprs_mut().bool(true);
            list.push(self.builder.add_stmt(StmtKind::Assign { variable: flag, value }, Span::default()));
        }
    }

    /// Ends the step at a cut point.
    fn leave(&mut self, cut: BlockId, list: &mut Vec<StmtId>) {
        let live = &self.liveness.at_start[cut.index()];
        let forgotten: Vec<VarId> = self.kept.iter().copied().filter(|&variable| !live.has(variable)).collect();
        for variable in forgotten {
            let initial = self.automaton.variables[variable.index()].initial;
            let value = self.builder.exprs_mut().int(initial);
            list.push(self.builder.add_stmt(StmtKind::Assign { variable, value }, Span::default()));
        }
        let index = self.cuts.list.iter().position(|&other| other == cut).unwrap_or(0);
        let (variable, value) = (self.location, self.builder.exprs_mut().int(index as i32));
        list.push(self.builder.add_stmt(StmtKind::Assign { variable, value }, Span::default()));
        list.push(self.builder.add_stmt(StmtKind::Return, Span::default()));
    }
}
