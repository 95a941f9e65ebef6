//! Lines in, a model out.

use rustc_hash::FxHashMap;

use super::line::{Line, Mistake, Word};
use crate::bits::{Bits, NotANumber};
use crate::model::{Bad, Input, Justice, Model, Node, NodeId, Sort, State};
use crate::operator::{Binary, Unary};

/// Words are at most this wide: wider ones are more likely a mistake.
const MOST_BITS: u32 = 1 << 20;

/// The largest number of bits of all words of a model together: as much memory is taken to simulate it.
const MOST_IN_ALL: u64 = 1 << 30;

/// The meaning of a line.
#[derive(Clone, Copy)]
enum Definition {
    Sort(Sort),
    Node(NodeId),
    /// A property or similar, which cannot be an operand.
    Other,
}

/// The dependencies of an expression that initial values must know.
#[derive(Clone, Copy, Default)]
struct Reach {
    /// One more than the last state.
    states: usize,
    has_input: bool,
}

#[derive(Default)]
pub struct Builder {
    model: Model,
    definitions: FxHashMap<u32, Definition>,
    last: u32,
    /// The number of bits of all words.
    size: u64,
    /// By node.
    reach: Vec<Reach>,
    /// Negations that were written as a minus sign, by their operands.
    negations: FxHashMap<NodeId, NodeId>,
}

type Result<T> = std::result::Result<T, Mistake>;

impl Builder {
    pub fn finish(self) -> std::result::Result<Model, String> {
        if self.definitions.is_empty() {
            return Err("expected a line such as `1 sort bitvec 8`, found the end of the file".into());
        }
        Ok(self.model)
    }

    pub fn line(&mut self, mut line: Line) -> Result<()> {
        let own = line.expect("the number of a line")?;
        let number = own.number("the number of a line", u32::MAX)?;
        if number <= self.last {
            let message = format!("lines are numbered upward from 1, and {} came before this one", self.last);
            return Err(Mistake::new(own.at, message));
        }
        let keyword = line.expect("a keyword such as `sort` or `add`")?;
        let definition = match keyword.text {
            "sort" => Definition::Sort(self.sort_line(line)?),
            "input" | "state" => self.leaf(keyword, line)?,
            "init" | "next" => self.assignment(keyword, line)?,
            "bad" | "constraint" | "fair" | "output" => self.claim(keyword, line)?,
            "justice" => self.justice(line)?,
            _ => Definition::Node(self.expression(keyword, line)?),
        };
        if self.size > MOST_IN_ALL {
            let message = format!("the words up to here have more than {MOST_IN_ALL} bits, which is the most");
            return Err(Mistake::new(own.at, message));
        }
        self.last = number;
        self.definitions.insert(number, definition);
        Ok(())
    }

    fn sort_line(&mut self, mut line: Line) -> Result<Sort> {
        let kind = line.expect("`bitvec` or `array`")?;
        let sort = match kind.text {
            "bitvec" => {
                let word = line.expect("a number of bits")?;
                match word.number("a number of bits", MOST_BITS)? {
                    0 => return Err(Mistake::new(word.at, "words have at least one bit")),
                    width => Sort::Bits(width),
                }
            }
            "array" => {
                let (index, element) = (self.width(&mut line)?, self.width(&mut line)?);
                Sort::Array { index, element }
            }
            _ => return Err(Mistake::new(kind.at, format!("expected `bitvec` or `array`, found `{}`", kind.text))),
        };
        line.name()?;
        Ok(sort)
    }

    /// The width of a sort of words.
    fn width(&self, line: &mut Line) -> Result<u32> {
        match self.sort(line)? {
            (_, Sort::Bits(width)) => Ok(width),
            (word, sort) => Err(Mistake::new(word.at, format!("expected a sort of words; this is {sort}"))),
        }
    }

    fn definition<'t>(&self, line: &mut Line<'t>, what: &str) -> Result<(Word<'t>, Definition, bool)> {
        let word = line.expect(what)?;
        let digits = word.text.strip_prefix('-');
        let number = Word { text: digits.unwrap_or(word.text), ..word }.number(what, u32::MAX)?;
        match self.definitions.get(&number) {
            Some(&definition) => Ok((word, definition, digits.is_some())),
            None => Err(Mistake::new(word.at, format!("no line before this one has the number {number}"))),
        }
    }

    fn sort<'t>(&self, line: &mut Line<'t>) -> Result<(Word<'t>, Sort)> {
        match self.definition(line, "the number of a sort")? {
            (word, Definition::Sort(sort), false) => Ok((word, sort)),
            (word, ..) => Err(Mistake::new(word.at, format!("line {} is not a sort", word.text))),
        }
    }

    /// An expression that a line refers to; a minus sign negates it.
    fn node<'t>(&mut self, line: &mut Line<'t>) -> Result<(Word<'t>, NodeId)> {
        let (word, definition, is_negated) = self.definition(line, "the number of an expression")?;
        let Definition::Node(id) = definition else {
            return Err(Mistake::new(word.at, format!("line {} is not an expression", word.text)));
        };
        if !is_negated {
            return Ok((word, id));
        }
        if let Some(&negation) = self.negations.get(&id) {
            return Ok((word, negation));
        }
        let Some(sort) = Unary::Not.sort(self.model.sort(id)) else {
            return Err(Mistake::new(word.at, format!("only words can be negated; this is {}", self.model.sort(id))));
        };
        let negation = self.add(Node::Unary(Unary::Not, id), sort);
        self.negations.insert(id, negation);
        Ok((word, negation))
    }

    /// A word that a line refers to, and its width.
    fn bits<'t>(&mut self, line: &mut Line<'t>) -> Result<(Word<'t>, NodeId, u32)> {
        let (word, id) = self.node(line)?;
        match self.model.sort(id) {
            Sort::Bits(width) => Ok((word, id, width)),
            sort => Err(Mistake::new(word.at, format!("expected a word; this is {sort}"))),
        }
    }

    fn truth(&mut self, line: &mut Line) -> Result<NodeId> {
        match self.bits(line)? {
            (_, id, 1) => Ok(id),
            (word, _, width) => Err(Mistake::new(word.at, format!("expected 1 bit; this has {width}"))),
        }
    }

    fn add(&mut self, node: Node, sort: Sort) -> NodeId {
        let mut reach = Reach::default();
        match node {
            Node::Input(_) => reach.has_input = true,
            Node::State(state) => reach.states = state + 1,
            _ => {}
        }
        for operand in node.operands() {
            let other = self.reach[operand.index()];
            reach.states = reach.states.max(other.states);
            reach.has_input |= other.has_input;
        }
        self.reach.push(reach);
        self.size += match sort {
            Sort::Bits(width) | Sort::Array { element: width, .. } => u64::from(width),
        };
        self.model.add(node, sort)
    }

    fn leaf(&mut self, keyword: Word, mut line: Line) -> Result<Definition> {
        let (_, sort) = self.sort(&mut line)?;
        let name = line.name()?;
        let node = if keyword.text == "input" {
            let node = self.add(Node::Input(self.model.inputs.len()), sort);
            self.model.inputs.push(Input { node, name });
            node
        } else {
            let node = self.add(Node::State(self.model.states.len()), sort);
            self.model.states.push(State { node, init: None, next: None, name });
            node
        };
        Ok(Definition::Node(node))
    }

    fn assignment(&mut self, keyword: Word, mut line: Line) -> Result<Definition> {
        let (sort_word, sort) = self.sort(&mut line)?;
        let (state_word, node) = self.node(&mut line)?;
        let (value_word, value) = self.node(&mut line)?;
        line.name()?;
        let Node::State(state) = *self.model.node(node) else {
            return Err(Mistake::new(state_word.at, format!("line {} is not a state", state_word.text)));
        };
        if self.model.sort(node) != sort {
            let message = format!("the state is {}, not {sort}", self.model.sort(node));
            return Err(Mistake::new(sort_word.at, message));
        }
        let is_init = keyword.text == "init";
        let value_sort = self.model.sort(value);
        let fills = matches!(sort, Sort::Array { element, .. } if is_init && value_sort == Sort::Bits(element));
        if value_sort != sort && !fills {
            return Err(Mistake::new(value_word.at, format!("the state is {sort}, but this is {value_sort}")));
        }
        let reach = self.reach[value.index()];
        if is_init && reach.has_input {
            let message = "an initial value may depend on states, but not on inputs";
            return Err(Mistake::new(value_word.at, message));
        }
        if is_init && reach.states > state {
            let message = "an initial value may depend only on states before the one that it is for";
            return Err(Mistake::new(value_word.at, message));
        }
        let state = &mut self.model.states[state];
        let place = if is_init { &mut state.init } else { &mut state.next };
        if place.replace(value).is_some() {
            return Err(Mistake::new(state_word.at, format!("the state has a second `{}` here", keyword.text)));
        }
        Ok(Definition::Other)
    }

    fn claim(&mut self, keyword: Word, mut line: Line) -> Result<Definition> {
        if keyword.text == "output" {
            self.node(&mut line)?;
            line.name()?;
            return Ok(Definition::Other);
        }
        let node = self.truth(&mut line)?;
        let name = line.name()?;
        match keyword.text {
            "bad" => self.model.bad.push(Bad { node, name }),
            "constraint" => self.model.constraints.push(node),
            _ => self.model.fairness.push(node),
        }
        Ok(Definition::Other)
    }

    fn justice(&mut self, mut line: Line) -> Result<Definition> {
        let count = line.expect("a number of conditions")?.number("a number of conditions", u32::MAX)?;
        let mut nodes = vec![];
        for _ in 0..count {
            nodes.push(self.truth(&mut line)?);
        }
        let name = line.name()?;
        self.model.justice.push(Justice { nodes, name });
        Ok(Definition::Other)
    }

    fn expression(&mut self, keyword: Word, mut line: Line) -> Result<NodeId> {
        let unknown = || Mistake::new(keyword.at, format!("`{}` is not a keyword of the format", keyword.text));
        if !is_operator(keyword.text) {
            return Err(unknown());
        }
        let (sort_word, sort) = self.sort(&mut line)?;
        let (node, result) = match keyword.text {
            "const" | "constd" | "consth" | "zero" | "one" | "ones" => {
                self.constant(keyword, &mut line, sort_word, sort)?
            }
            "slice" => {
                let (_, of, width) = self.bits(&mut line)?;
                let high = line.expect("the upper bit")?.number("the upper bit", width - 1)?;
                let low = line.expect("the lower bit")?.number("the lower bit", high)?;
                (Node::Slice { of, high, low }, Sort::Bits(high - low + 1))
            }
            "uext" | "sext" => {
                let (_, of, width) = self.bits(&mut line)?;
                let by = line.expect("a number of bits")?.number("a number of bits", MOST_BITS)?;
                (Node::Extend { of, by, signed: keyword.text == "sext" }, Sort::Bits(width + by))
            }
            "ite" => {
                let condition = self.truth(&mut line)?;
                let (_, then) = self.node(&mut line)?;
                let (word, otherwise) = self.node(&mut line)?;
                let sort = self.model.sort(then);
                self.expect_sort(word, otherwise, sort)?;
                (Node::Ite { condition, then, otherwise }, sort)
            }
            "read" | "write" => self.access(keyword, &mut line)?,
            name => self.operator(name, &mut line).unwrap_or_else(|| Err(unknown()))?,
        };
        line.name()?;
        if result != sort {
            return Err(Mistake::new(sort_word.at, format!("the result is {result}, but the line says {sort}")));
        }
        Ok(self.add(node, result))
    }

    /// Operators whose operands are all that they have.
    fn operator(&mut self, name: &str, line: &mut Line) -> Option<Result<(Node, Sort)>> {
        if let Some(operator) = Unary::of_name(name) {
            return Some(self.node(line).and_then(|(word, a)| {
                let sort = self.model.sort(a);
                let result = operator.sort(sort);
                let result = result.ok_or_else(|| Mistake::new(word.at, format!("expected a word; this is {sort}")))?;
                Ok((Node::Unary(operator, a), result))
            }));
        }
        let operator = Binary::of_name(name)?;
        Some(self.node(line).and_then(|(_, a)| {
            let (word, b) = self.node(line)?;
            let sorts = [self.model.sort(a), self.model.sort(b)];
            let misfit = || format!("`{name}` cannot be of {} and {}", sorts[0], sorts[1]);
            let result = operator.sort(sorts[0], sorts[1]).ok_or_else(|| Mistake::new(word.at, misfit()))?;
            Ok((Node::Binary(operator, a, b), result))
        }))
    }

    fn access(&mut self, keyword: Word, line: &mut Line) -> Result<(Node, Sort)> {
        let (word, array) = self.node(line)?;
        let sort = self.model.sort(array);
        let Sort::Array { index: index_width, element } = sort else {
            return Err(Mistake::new(word.at, format!("expected an array; this is {sort}")));
        };
        let (word, index) = self.node(line)?;
        self.expect_sort(word, index, Sort::Bits(index_width))?;
        if keyword.text == "read" {
            return Ok((Node::Read { array, index }, Sort::Bits(element)));
        }
        let (word, value) = self.node(line)?;
        self.expect_sort(word, value, Sort::Bits(element))?;
        Ok((Node::Write { array, index, value }, sort))
    }

    fn expect_sort(&self, word: Word, id: NodeId, expected: Sort) -> Result<()> {
        match self.model.sort(id) {
            sort if sort == expected => Ok(()),
            sort => Err(Mistake::new(word.at, format!("expected {expected}; this is {sort}"))),
        }
    }

    fn constant(&self, keyword: Word, line: &mut Line, sort_word: Word, sort: Sort) -> Result<(Node, Sort)> {
        let Sort::Bits(width) = sort else {
            return Err(Mistake::new(sort_word.at, format!("constants are words, not {sort}")));
        };
        let base = match keyword.text {
            "zero" => return Ok((Node::Constant(Bits::zero(width)), sort)),
            "one" => return Ok((Node::Constant(Bits::from_u64(width, 1)), sort)),
            "ones" => return Ok((Node::Constant(Bits::ones(width)), sort)),
            "const" => 2,
            "constd" => 10,
            _ => 16,
        };
        let word = line.expect("a number")?;
        let mistake = |reason: NotANumber| match reason {
            NotANumber::Empty => "expected a number".into(),
            NotANumber::Digit(found) => format!("`{found}` is not a digit in base {base}"),
            NotANumber::TooLarge => format!("this number does not fit {sort}"),
        };
        let bits = Bits::parse(width, word.text, base).map_err(|reason| Mistake::new(word.at, mistake(reason)))?;
        Ok((Node::Constant(bits), sort))
    }
}

fn is_operator(keyword: &str) -> bool {
    let others = ["const", "constd", "consth", "zero", "one", "ones", "slice", "uext", "sext", "ite", "read", "write"];
    others.contains(&keyword) || Unary::of_name(keyword).is_some() || Binary::of_name(keyword).is_some()
}
