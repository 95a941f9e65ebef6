//! Files of properties, in the forms of all years of the RERS challenge.
//!
//! ```text
//! 2012     (G (! iC | (F oZ)))               a formula, a sentence, a line of dashes
//!          output Z responds to input C
//!          ----------------------------
//! 2014 on  #inputs [A, B]                    from 2015 on; in 2020 with i and o: [iA, iB]
//!          #outputs [X, Y]
//!          #0: output Y responds to input A  without a sentence in 2020
//!          (false R (! iA | (true U oY)))    the formula in the next line
//! ```
//!
//! A file that has neither dashes nor numbers is one formula per line. Lines that begin with `//` are for people.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::formula::Formula;
use crate::parse::parse;
use crate::text::Mistake;

/// One property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// As the file says it, or the place in it.
    pub number: usize,
    /// The formula in words; may be empty.
    pub sentence: String,
    pub formula: Formula,
    /// Where the formula is, in bytes.
    pub place: Range<usize>,
}

impl Property {
    pub fn name(&self) -> String {
        format!("ltl_{}", self.number)
    }
}

/// All properties of a file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    pub list: Vec<Property>,
}

/// A line that is not empty, and where it is.
#[derive(Clone)]
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl Line<'_> {
    fn place(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake { place: self.place(), message: message.into() }
    }

    fn is_dashes(&self) -> bool {
        self.text.len() >= 3 && self.text.bytes().all(|byte| byte == b'-')
    }
}

/// A file as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub properties: Properties,
    /// Formulas that cannot be read, by number.
    pub refused: Vec<(usize, Mistake)>,
    /// What is wrong besides.
    pub mistakes: Vec<Mistake>,
    /// Names that the file's own lists lack: nothing of that name is ever read or printed.
    pub strangers: Vec<Mistake>,
}

/// Reads a file; if it cannot be read, everything that is wrong with it.
pub fn read(text: &str) -> Result<Properties, Vec<Mistake>> {
    let Reading { properties, refused, mistakes, .. } = read_leniently(text);
    let mut mistakes: Vec<Mistake> = refused.into_iter().map(|(_, mistake)| mistake).chain(mistakes).collect();
    mistakes.sort_by_key(|mistake| mistake.place.start);
    if mistakes.is_empty() { Ok(properties) } else { Err(mistakes) }
}

/// Reads what can be read of a file.
pub fn read_leniently(text: &str) -> Reading {
    let lines: Vec<Line> = lines(text).filter(|line| !line.text.starts_with("//")).collect();
    let has_numbers = lines.iter().any(|line| line.text.starts_with('#'));
    let has_dashes = lines.iter().any(Line::is_dashes);
    let mut reader = Reader::default();
    if has_numbers {
        reader.numbered(&lines);
    } else if has_dashes {
        reader.separated(&lines);
    } else {
        lines.iter().for_each(|line| reader.property(None, String::new(), line));
    }
    let Reader { list, refused, mut mistakes, strangers, .. } = reader;
    if list.is_empty() && refused.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake { place: 0..0, message: "there is no formula in this file".into() });
    }
    Reading { properties: Properties { list }, refused, mistakes, strangers }
}

/// The lines that are not empty, without the spaces around them.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = offset + line.len() - line.trim_start().len();
        offset += line.len();
        let text = line.trim();
        (!text.is_empty()).then_some(Line { text, start })
    })
}

#[derive(Default)]
struct Reader {
    list: Vec<Property>,
    refused: Vec<(usize, Mistake)>,
    mistakes: Vec<Mistake>,
    strangers: Vec<Mistake>,
    /// The names that formulas may use, if the file says so.
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
}

impl Reader {
    /// 2014 and later.
    fn numbered(&mut self, lines: &[Line]) {
        let mut header: Option<(Line, usize, String)> = None;
        for line in lines {
            match (line.text.strip_prefix('#'), header.take()) {
                (Some(rest), None) => header = self.header(line, rest),
                (None, Some((_, number, sentence))) => self.property(Some(number), sentence, line),
                (Some(rest), Some((before, ..))) => {
                    self.mistakes.push(before.mistake("expected a formula in the line after this one"));
                    header = self.header(line, rest);
                }
                (None, None) => self.mistakes.push(line.mistake("expected a line `#NUMBER:` before a formula")),
            }
        }
        if let Some((before, ..)) = header {
            self.mistakes.push(before.mistake("expected a formula in the line after this one"));
        }
    }

    fn header<'t>(&mut self, line: &Line<'t>, rest: &str) -> Option<(Line<'t>, usize, String)> {
        for (word, prefix, list) in [("inputs", 'i', &mut self.inputs), ("outputs", 'o', &mut self.outputs)] {
            if let Some(names) = rest.strip_prefix(word) {
                *list = names_of(names, prefix);
                if list.is_none() {
                    self.mistakes.push(line.mistake(format!("expected a list like `#{word} [A, B]`")));
                }
                return None;
            }
        }
        let parts = rest.split_once(':').and_then(|(number, sentence)| Some((number.trim().parse().ok()?, sentence)));
        let Some((number, sentence)) = parts else {
            self.mistakes.push(line.mistake("expected `#inputs`, `#outputs` or `#NUMBER:`"));
            return None;
        };
        Some((line.clone(), number, sentence.trim().to_string()))
    }

    /// 2012.
    fn separated(&mut self, lines: &[Line]) {
        for block in lines.split(Line::is_dashes).filter(|block| !block.is_empty()) {
            let sentence: Vec<&str> = block[1..].iter().map(|line| line.text).collect();
            self.property(None, sentence.join(" "), &block[0]);
        }
    }

    fn property(&mut self, number: Option<usize>, sentence: String, line: &Line) {
        let number = number.unwrap_or(self.list.len() + self.refused.len());
        let formula = match parse(line.text) {
            Ok(formula) => formula,
            Err(Mistake { place, message }) => {
                let place = line.start + place.start..line.start + place.end;
                self.refused.push((number, Mistake { place, message }));
                return;
            }
        };
        let is_taken = self.list.iter().map(|other| other.number).chain(self.refused.iter().map(|(other, _)| *other));
        if is_taken.into_iter().any(|other| other == number) {
            self.mistakes.push(line.mistake(format!("there is a property {number} already")));
            return;
        }
        for name in &formula.propositions {
            match self.about(name) {
                About::Known => {}
                About::Stranger(message) => self.strangers.push(line.mistake(message)),
                About::Nothing(message) => {
                    self.refused.push((number, line.mistake(message)));
                    return;
                }
            }
        }
        self.list.push(Property { number, sentence, formula, place: line.place() });
    }

    fn about(&self, name: &str) -> About {
        let (list, word) = match name.chars().next() {
            Some('i') if name.len() > 1 => (&self.inputs, "inputs"),
            Some('o') if name.len() > 1 => (&self.outputs, "outputs"),
            _ => return About::Nothing(format!("`{name}` is neither an input such as iA nor an output such as oX")),
        };
        let is_unknown = list.as_ref().is_some_and(|list| !list.iter().any(|known| known == name));
        match is_unknown {
            true => About::Stranger(format!("`{name}` is not in the list `#{word}`, so it is never true")),
            false => About::Known,
        }
    }
}

/// What the name of a proposition is about.
enum About {
    /// An input or an output.
    Known,
    /// One that the file's list does not have.
    Stranger(String),
    /// Neither.
    Nothing(String),
}

/// `[A, B]` or `[iA, iB]`: names with the prefix.
fn names_of(text: &str, prefix: char) -> Option<Vec<String>> {
    let list = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let named = |name: &str| {
        let is_prefixed = name.len() > 1 && name.starts_with(prefix);
        if is_prefixed { name.to_string() } else { format!("{prefix}{name}") }
    };
    Some(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(named).collect())
}

/// The numbers that a program reads and prints for its symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(Vec<(Kind, String, i32)>);

/// Whether something is read or printed: `i` or `o`.
type Kind = char;

impl Mapping {
    /// Reads `iA<TAB>1` and so on, a line each.
    pub fn read(text: &str) -> Result<Mapping, Vec<Mistake>> {
        let (mut mapping, mut mistakes) = (Mapping::default(), vec![]);
        for line in lines(text) {
            let parts = line.text.split_once(char::is_whitespace);
            match parts.and_then(|(name, number)| Some((name.to_string(), number.trim().parse().ok()?))) {
                Some((name, number)) if name.starts_with(['i', 'o']) => {
                    mapping.0.push((if name.starts_with('i') { 'i' } else { 'o' }, name, number));
                }
                _ => mistakes.push(line.mistake("expected a name such as iA, and its number")),
            }
        }
        if mistakes.is_empty() { Ok(mapping) } else { Err(mistakes) }
    }

    /// The mapping of a program that reads and prints words: letters get a prefix, if they have none, other words are symbols
    /// as they are.
    pub fn of_words(inputs: &BTreeMap<i32, String>, outputs: &BTreeMap<i32, String>) -> Mapping {
        let named = |kind: Kind| {
            move |(&number, word): (&i32, &String)| {
                let is_letter = matches!(word.as_bytes(), [b'A'..=b'Z']);
                (kind, if is_letter { format!("{kind}{word}") } else { word.clone() }, number)
            }
        };
        Mapping(inputs.iter().map(named('i')).chain(outputs.iter().map(named('o'))).collect())
    }

    /// The symbol of an input or an output (`i` or `o`) with this number: the one in the mapping, or else the letter at
    /// that place of the alphabet, or the number itself.
    pub fn symbol(&self, kind: Kind, number: i32) -> String {
        if let Some((_, name, _)) = self.0.iter().find(|(of, _, other)| *of == kind && *other == number) {
            return name.clone();
        }
        let letter = u8::try_from(number).ok().filter(|number| self.0.is_empty() && (1..=26).contains(number));
        letter.map_or_else(|| format!("{kind}{number}"), |number| format!("{kind}{}", char::from(b'A' + number - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, String, String)> {
        let properties = read(text).expect("properties");
        let shown = |property: &Property| (property.name(), property.sentence.clone(), property.formula.to_string());
        properties.list.iter().map(shown).collect()
    }

    fn owned(parts: [&str; 3]) -> (String, String, String) {
        let [a, b, c] = parts.map(String::from);
        (a, b, c)
    }

    #[test]
    fn files_of_2012_have_dashes() {
        let text =
            "(! oZ WU (oU & ! oZ))\noutput U occurs before output Z\n-----\n\n(F oZ)\r\noutput Z occurs\r\n-----\n";
        assert_eq!(
            shown(text),
            [
                owned(["ltl_0", "output U occurs before output Z", "(!oZ W (oU & !oZ))"]),
                owned(["ltl_1", "output Z occurs", "F oZ"])
            ]
        );
    }

    #[test]
    fn later_files_have_numbers() {
        let text = "#inputs [A, B]\n#outputs [X, Y]\n#0: output Y responds to input A\n(false R (! iA | (true U oY)))\n\n#7: x\noX\n";
        assert_eq!(
            shown(text),
            [
                owned(["ltl_0", "output Y responds to input A", "(false R (!iA | (true U oY)))"]),
                owned(["ltl_7", "x", "oX"])
            ]
        );
        let text = "#inputs [iA, iB]\n#outputs [oU]\n\n#1:\n( (! oU R iA) )\n";
        assert_eq!(shown(text), [owned(["ltl_1", "", "(!oU R iA)"])]);
    }

    #[test]
    fn or_there_is_just_a_formula_in_each_line() {
        assert_eq!(shown("// mine\nG !oX\n\nF iA\n"), [owned(["ltl_0", "", "G !oX"]), owned(["ltl_1", "", "F iA"])]);
    }

    #[test]
    fn whatever_is_wrong_is_said_with_its_place() {
        let wrong = |text: &str| {
            let mistakes = read(text).expect_err("no properties");
            mistakes.into_iter().map(|mistake| (mistake.place, mistake.message)).collect::<Vec<_>>()
        };
        assert_eq!(wrong("\n"), [(0..0, "there is no formula in this file".into())]);
        assert_eq!(
            wrong("#0: a\n#1: b\n(oX\n#x\noX"),
            [
                (0..5, "expected a formula in the line after this one".to_string()),
                (15..15, "the formula ends too early".into()),
                (16..18, "expected `#inputs`, `#outputs` or `#NUMBER:`".into()),
                (19..21, "expected a line `#NUMBER:` before a formula".into()),
            ]
        );
        assert_eq!(
            wrong("#outputs [X]\n#inputs A\n#0:\noY"),
            [(13..22, "expected a list like `#inputs [A, B]`".to_string()),]
        );
        assert_eq!(wrong("G x"), [(0..3, "`x` is neither an input such as iA nor an output such as oX".into())]);
        assert_eq!(wrong("#0:\noX\n#0:\noX"), [(11..13, "there is a property 0 already".into())]);
    }

    #[test]
    fn one_bad_formula_does_not_cost_the_others() {
        let reading = read_leniently("#inputs [A]\n#outputs [X]\n#0:\n(oX\n#1:\nG !oT\n#2:\nF y\n#3:\nF oX");
        let numbers: Vec<usize> = reading.properties.list.iter().map(|property| property.number).collect();
        let refused: Vec<usize> = reading.refused.iter().map(|(number, _)| *number).collect();
        assert_eq!((numbers, refused, reading.mistakes), (vec![1, 3], vec![0, 2], vec![]));
        let strangers: Vec<&str> = reading.strangers.iter().map(|mistake| &*mistake.message).collect();
        assert_eq!(strangers, ["`oT` is not in the list `#outputs`, so it is never true"]);
    }

    #[test]
    fn symbols_are_letters_unless_a_mapping_says_otherwise() {
        let none = Mapping::default();
        assert_eq!(
            ["iA", "oY", "o27", "o-3"],
            [none.symbol('i', 1), none.symbol('o', 25), none.symbol('o', 27), none.symbol('o', -3)]
        );
        let mapping = Mapping::read("iA\t1\noU\t11\n").expect("a mapping");
        assert_eq!(["iA", "oU", "o21"], [mapping.symbol('i', 1), mapping.symbol('o', 11), mapping.symbol('o', 21)]);
        assert_eq!(Mapping::read("iA\n").expect_err("no number")[0].place, 0..2);
    }
}
