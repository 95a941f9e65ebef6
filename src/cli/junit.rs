//! Test results as JUnit's XML, for systems that collect them.
//!
//! There is no standard; the output fits the schemas of Apache Ant's reports and of Jenkins, which most systems read.

use std::fmt::{self, Display, Write};
use std::time::SystemTime;

/// The tests about one file.
pub struct Suite {
    pub name: String,
    pub seconds: f64,
    pub cases: Vec<Case>,
    /// Further messages.
    pub messages: String,
}

/// One test.
pub struct Case {
    pub name: String,
    pub seconds: f64,
    pub result: Result,
}

pub enum Result {
    Passed,
    Failed {
        kind: String,
        message: String,
        detail: String,
    },
    /// It was not decided, for this reason.
    Skipped(String),
    /// There was nothing to test, for this reason.
    Error(String),
}

/// A document of suites that began at this time.
pub fn document(suites: &[Suite], start: SystemTime) -> String {
    let start = timestamp(start);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (id, suite) in suites.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write_suite(&mut text, id, suite, &start);
    }
    text + "</testsuites>\n"
}

fn write_suite(out: &mut String, id: usize, suite: &Suite, timestamp: &str) -> fmt::Result {
    let (name, seconds) = (Escaped(&suite.name), suite.seconds);
    let count = |is_it: fn(&Result) -> bool| suite.cases.iter().filter(|case| is_it(&case.result)).count();
    let failures = count(|result| matches!(result, Result::Failed { .. }));
    let skipped = count(|result| matches!(result, Result::Skipped(_)));
    let errors = count(|result| matches!(result, Result::Error(_)));
    let tests = suite.cases.len();
    writeln!(
        out,
        "  <testsuite id=\"{id}\" package=\"{name}\" name=\"{name}\" timestamp=\"{timestamp}\" hostname=\"localhost\" \
         tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">"
    )?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "    <properties>\n      <property name=\"redoubt\" value=\"{version}\"/>\n    </properties>")?;
    suite.cases.iter().try_for_each(|case| write_case(out, &suite.name, case))?;
    writeln!(out, "    <system-out></system-out>\n    <system-err>{}</system-err>", Escaped(&suite.messages))?;
    writeln!(out, "  </testsuite>")
}

fn write_case(out: &mut String, suite: &str, case: &Case) -> fmt::Result {
    let (suite, name, seconds) = (Escaped(suite), Escaped(&case.name), case.seconds);
    write!(out, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{seconds:.3}\"")?;
    match &case.result {
        Result::Passed => return writeln!(out, "/>"),
        Result::Failed { kind, message, detail } => {
            let (message, detail) = (Escaped(message), Escaped(detail));
            write!(out, ">\n      <failure type=\"{kind}\" message=\"{message}\">{detail}</failure>")?;
        }
        Result::Skipped(message) => write!(out, ">\n      <skipped>{}</skipped>", Escaped(message))?,
        Result::Error(reason) => {
            write!(out, ">\n      <error type=\"failed\" message=\"not decided\">{}</error>", Escaped(reason))?;
        }
    }
    writeln!(out, "\n    </testcase>")
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
