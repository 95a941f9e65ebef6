//! For systems that collect test results: a suite per problem, a test per property, as JUnit's XML.
//!
//! There is no standard; what is written here fits the schemas of Apache Ant's reports and of Jenkins, which most systems
//! read. A property whose verdict is not wanted fails, one that is undecided is skipped, and a file that cannot be read
//! is an error.

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};
use std::time::SystemTime;

use super::super::super::output::stdout;
use super::super::collect::{Collection, Entry, State};
use super::super::record::{ProblemRecord, PropertyRecord};
use super::{Writer, summary, witness};

pub struct Junit;

impl Writer for Junit {
    fn problem(&mut self, _record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, collection: &Collection) -> io::Result<()> {
        let start = timestamp(SystemTime::now() - collection.start.elapsed());
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
        for (id, entry) in collection.entries.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = suite(&mut text, id, entry, &start);
        }
        text += "</testsuites>\n";
        stdout().write_all(text.as_bytes())
    }
}

fn suite(out: &mut String, id: usize, entry: &Entry, timestamp: &str) -> fmt::Result {
    let name = Escaped(&entry.name);
    let seconds = entry.record.as_ref().map_or(0.0, ProblemRecord::seconds);
    let is_finished = entry.state == State::Finished;
    let records = &entry.properties;
    let failures = records.iter().filter(|record| record.is_unwanted()).count();
    let skipped = records.iter().filter(|record| !record.is_decided()).count();
    let errors = usize::from(!is_finished);
    let tests = records.len() + errors;
    writeln!(
        out,
        "  <testsuite id=\"{id}\" package=\"{name}\" name=\"{name}\" timestamp=\"{timestamp}\" hostname=\"localhost\" \
         tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">"
    )?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "    <properties>\n      <property name=\"redoubt\" value=\"{version}\"/>\n    </properties>")?;
    records.iter().try_for_each(|record| case(out, &entry.name, record))?;
    if !is_finished {
        let reason = Escaped(entry.reason());
        writeln!(out, "    <testcase classname=\"{name}\" name=\"read\" time=\"0.000\">")?;
        writeln!(out, "      <error type=\"failed\" message=\"not decided\">{reason}</error>\n    </testcase>")?;
    }
    let messages = entry.record.as_ref().map_or("", |record| &record.messages);
    writeln!(out, "    <system-out></system-out>\n    <system-err>{}</system-err>", Escaped(messages))?;
    writeln!(out, "  </testsuite>")
}

/// What is said about a property of a model, with the run.
fn logged(record: &PropertyRecord) -> Option<String> {
    let line = record.shown.line.as_ref()?;
    Some(record.shown.run.as_ref().map_or_else(|| format!("{line}\n"), |run| format!("{line}:\n{run}")))
}

fn case(out: &mut String, file: &str, record: &PropertyRecord) -> fmt::Result {
    let (file, name, seconds) = (Escaped(file), Escaped(&record.property), record.seconds());
    write!(out, "    <testcase classname=\"{file}\" name=\"{name}\" time=\"{seconds:.3}\"")?;
    let message = summary(record);
    let message = Escaped(&message);
    if record.is_unwanted() {
        let kind = if record.shown.is_wrong { "wrong" } else { record.shown.word };
        let detail = logged(record).unwrap_or_else(|| witness(record));
        let detail = Escaped(&detail);
        writeln!(out, ">\n      <failure type=\"{kind}\" message=\"{message}\">{detail}</failure>\n    </testcase>")
    } else if record.is_decided() {
        writeln!(out, "/>")
    } else {
        writeln!(out, ">\n      <skipped>{message}</skipped>\n    </testcase>")
    }
}

/// A text inside XML, without the characters that XML cannot have.
struct Escaped<'t>(&'t str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' | '\t' => f.write_char(c)?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A date and a time in UTC, which the schemas want without saying so.
fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().trim_end_matches('Z').into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_dates() {
        let after = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(timestamp(after(0)), "1970-01-01T00:00:00");
        assert_eq!(timestamp(after(951_782_399)), "2000-02-28T23:59:59");
    }

    #[test]
    fn no_text_breaks_the_document() {
        assert_eq!(Escaped("<a b=\"&\u{1b}[0m\u{0}\">\n").to_string(), "&lt;a b=&quot;&amp;[0m&quot;&gt;\n");
    }
}
