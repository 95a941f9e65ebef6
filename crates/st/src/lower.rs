//! Syntax tree to program.
//!
//! ```text
//! step:  the inputs, clocks that count by themselves, assumptions, the body, the properties,
//!        what the next cycle needs to know about the past
//! ```
//!
//! Calls are written out where they stand, loops are unrolled, and every variable of every instance is a variable of
//! the program. All of it is done several times: each time relies on the [`Facts`] that were found the time before.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Remark, Text};
use crate::declare::UnitInfo;
use crate::flow::{Bounds, Facts, Flow, TimerFacts};
use crate::make::Maker;
use crate::past::Past;
use crate::place::Binding;
use crate::standard;
use crate::storage::{At, Instance};
use crate::types::{Enumeration, Shape};
use redoubt_program::expr::VarId;
use redoubt_program::program::{Program, StmtId};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::{Diagnostic, Diagnostics};

/// A mistake has been reported and this part of the program has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

pub type Lowered<T = ()> = Result<T, Refused>;

/// The number of times that a program is lowered. Each time may find better facts; the last one is the program.
const ROUNDS: usize = 4;

/// The default duration of a cycle, in milliseconds.
const CYCLE: i64 = 100;

/// When an expression is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Now,
    /// Before the first cycle, where all variables have their initial values.
    Initial,
}

pub struct Lowering<'m> {
    pub text: &'m Text,
    pub make: Maker,
    pub diagnostics: Diagnostics,
    /// The duration of a cycle, in milliseconds.
    pub cycle: i64,
    pub units: Vec<UnitInfo<'m>>,
    /// Units by name; the program's own hide those of the standard.
    pub unit_names: FxHashMap<String, usize>,
    pub enumerations: Vec<Enumeration>,
    pub types: FxHashMap<String, Shape<'m>>,
    /// Values of enumerations: the number of the enumeration, and that of the value.
    pub values: FxHashMap<String, (usize, usize)>,
    pub globals: FxHashMap<String, Binding>,
    /// Types that are being declared because another one needs them.
    pub waiting: Vec<String>,
    /// Units that are being put in place, from the outside.
    pub nesting: Vec<usize>,
    pub frames: Vec<Frame>,
    pub moment: Moment,
    /// The facts here; nothing gets here if it is `None`.
    pub flow: Option<Flow>,
    pub facts: Facts,
    pub found: Facts,
    pub durations: FxHashMap<usize, Bounds>,
    pub timer_cells: FxHashMap<usize, usize>,
    pub irregular: FxHashSet<usize>,
    pub timers: usize,
    /// The number of declared variables; others are made on the way.
    pub declared: usize,
    pub past: Past,
    /// Where each assertion stands: one in a loop has many copies, but one place.
    pub asserted: FxHashMap<String, Span>,
    pub loops: Vec<Loop>,
    /// The call of a block of the standard that is being lowered: places in it are that of the call.
    pub call_site: Option<Span>,
    /// Whether an expression of a property is being lowered.
    pub is_judging: bool,
    /// In a property that is being lowered: whether it could not be evaluated.
    pub failed: Option<VarId>,
    /// Whether a timer is being called, which writes its outputs.
    pub is_clockwork: bool,
}

/// A unit that is being executed.
pub struct Frame {
    pub unit: usize,
    pub locals: FxHashMap<String, Binding>,
    pub instance: Option<(Rc<Instance>, At)>,
    /// True once the unit has been left by `RETURN`, if there is any.
    pub returned: Option<VarId>,
    /// The facts where it is left that way.
    pub returns: Vec<Option<Flow>>,
}

/// A loop that is being unrolled.
#[derive(Default)]
pub struct Loop {
    /// False once the loop has been left, if it may be left in the middle.
    pub going: Option<VarId>,
    pub exits: Vec<Option<Flow>>,
    /// True once this round has been left by `CONTINUE`, if there is any.
    pub continued: Option<VarId>,
    pub continues: Vec<Option<Flow>>,
}

/// The program of a text, unless there are mistakes.
pub fn lower(sources: &Arc<Sources>, text: &Text, main: &Settings) -> Result<Program, Diagnostics> {
    let mut facts = Facts::default();
    let mut declared = None;
    let mut round = 1;
    loop {
        let mut lowering = Lowering::new(Arc::clone(sources), text, std::mem::take(&mut facts), main);
        let steps = lowering.everything();
        if let Some(excess) = lowering.make.excess() {
            lowering.diagnostics.push(excess);
        }
        if !lowering.diagnostics.is_empty() {
            return Err(lowering.diagnostics.sorted());
        }
        let is_same = declared.replace(lowering.declared).is_none_or(|before| before == lowering.declared);
        if round == ROUNDS {
            return lowering.finish(steps);
        }
        facts = if is_same { lowering.better_facts() } else { Facts::default() };
        round += 1;
    }
}

/// The settings of the program on the command line.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// In milliseconds.
    pub cycle: Option<i64>,
}

impl<'m> Lowering<'m> {
    fn new(sources: Arc<Sources>, text: &'m Text, facts: Facts, settings: &Settings) -> Lowering<'m> {
        let said = text.remarks.iter().find_map(|remark| match remark {
            Remark::Cycle(cycle, _) if *cycle > 0 => Some(*cycle),
            _ => None,
        });
        Lowering {
            text,
            make: Maker::new(sources),
            diagnostics: Diagnostics::default(),
            cycle: settings.cycle.or(said).unwrap_or(CYCLE),
            units: vec![],
            unit_names: FxHashMap::default(),
            enumerations: vec![],
            types: FxHashMap::default(),
            values: FxHashMap::default(),
            globals: FxHashMap::default(),
            waiting: vec![],
            nesting: vec![],
            frames: vec![],
            moment: Moment::Now,
            flow: Some(Flow::default()),
            facts,
            found: Facts::default(),
            durations: FxHashMap::default(),
            timer_cells: FxHashMap::default(),
            irregular: FxHashSet::default(),
            timers: 0,
            declared: 0,
            past: Past::default(),
            asserted: FxHashMap::default(),
            loops: vec![],
            call_site: None,
            is_judging: false,
            failed: None,
            is_clockwork: false,
        }
    }

    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        let span = match self.call_site {
            Some(site) if self.is_standard(diagnostic.span) => site,
            _ => diagnostic.span,
        };
        self.diagnostics.push(Diagnostic { span, ..diagnostic });
        Err(Refused)
    }

    /// Where a statement stands for its reader: one of the standard library stands where that is called.
    pub fn span(&self, span: Span) -> Span {
        match self.call_site {
            Some(site) if self.is_standard(span) => site,
            _ if self.is_standard(span) => Span::default(),
            _ => span,
        }
    }

    pub fn is_standard(&self, span: Span) -> bool {
        span.file == standard::FILE
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = std::mem::take(&mut self.make.block);
        let result = lower(self);
        (std::mem::replace(&mut self.make.block, outer), result)
    }

    /// The statements of one cycle.
    fn everything(&mut self) -> Vec<StmtId> {
        let Ok(main) = self.declare() else { return vec![] };
        let Ok(inputs) = self.allocate_all(main) else { return vec![] };
        self.declared = self.make.program.variables.len();
        let (before, ()) = self.aside(|this| {
            let _ = this.take_inputs(&inputs);
            let _ = this.tick_everything();
            this.flow = Some(Flow::default());
            this.assumptions();
        });
        let (body, ()) = self.aside(|this| this.run_main());
        let (judged, ()) = self.aside(|this| this.judge());
        self.expectations();
        let mut after = std::mem::take(&mut self.past.updates);
        after.reverse();
        let after: Vec<StmtId> = after.into_iter().flatten().collect();
        [before, body, judged, after].concat()
    }

    /// The facts that were found, to rely on the next time.
    fn better_facts(mut self) -> Facts {
        let declared = self.declared;
        let mut found = std::mem::take(&mut self.found);
        found.values.retain(|variable, _| variable.index() < declared && !self.is_of_timer(*variable));
        let flow = self.flow.take();
        for (&timer, &cells) in &self.timer_cells {
            let Some(&duration) = self.durations.get(&timer) else { continue };
            let called_once = |cell| {
                let calls = flow.as_ref().and_then(|flow| flow.calls.get(&(timer, cell)));
                calls == Some(&(1, 1))
            };
            let is_regular = !self.irregular.contains(&timer) && flow.is_some() && (0..cells).all(called_once);
            found.timers.insert(timer, TimerFacts { is_regular, duration });
        }
        found
    }

    /// Whether a variable is one of a timer, whose values depend on how that is lowered.
    fn is_of_timer(&self, variable: VarId) -> bool {
        self.make.program.variable(variable).name.contains('@')
    }

    fn finish(mut self, step: Vec<StmtId>) -> Result<Program, Diagnostics> {
        let step = self.make.program.add_sequence(step);
        self.make.program.set_step(step);
        self.make.legend.enumerations = self
            .enumerations
            .iter()
            .map(|enumeration| enumeration.values.iter().map(|(name, _)| name.clone()).collect())
            .collect();
        self.make.legend.cycle = u32::try_from(self.cycle).ok();
        let legend = std::mem::take(&mut self.make.legend);
        self.make.program.set_legend(legend);
        let mut program = self.make.program.finish()?;
        crate::property::order(&mut program);
        Ok(program)
    }
}
