//! `redoubt bench`: a folder of models or programs with known answers in, a table of answers and times out, beside other tools.
//!
//! Every model is a process of its own, ours too, so that all are measured the same way: user and system time, under a
//! limit of the operating system. Where a tool is not installed, its column is left out.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use redoubt_report::comparison::{Cell, Column, comparison};
use redoubt_report::record::Verdict;

use super::expected::{self, Row};
use super::output::{message, stdout, write_whole};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt bench models --timeout 20
  redoubt bench models --timeout 20 --report bench.html
  redoubt bench models --timeout 20 --engine ic3 --engine avy --engine bdd
  redoubt bench models --timeout 20 --wall --ours='--jobs 1' --ours='--jobs 2'
  redoubt bench models --peer ric3='ric3 check {file} ic3' --peer abc='berkeley-abc -c \"read {file}; pdr; quit\"'

The folder has a file expected.csv with the columns `file` and `expected` (reachable or unreachable, violated or holds), and
`property` if its files have several, which are decided together then.";

#[derive(Args)]
pub struct BenchArgs {
    /// A folder of models with expected.csv
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Seconds of processor time for each model
    #[arg(long, value_name = "S", default_value_t = 20)]
    timeout: u64,

    /// Measure and limit the time of the clock instead
    #[arg(long)]
    wall: bool,

    /// Another tool to run beside ours, as NAME='command {file}'
    #[arg(long, value_name = "NAME=COMMAND", value_parser = Tool::parse)]
    peer: Vec<Tool>,

    /// Compare these engines of ours, a column each
    #[arg(long, value_name = "NAME")]
    engine: Vec<String>,

    /// Options for our own runs; if given more than once, a column each
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    ours: Vec<String>,

    /// Write the table and a cactus plot as a page of HTML
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Only files with this in their names
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
}

/// Something that decides a model.
#[derive(Clone)]
struct Tool {
    name: String,
    /// For a shell; `{file}` stands for the model.
    command: String,
}

impl Tool {
    fn parse(text: &str) -> Result<Tool, String> {
        match text.split_once('=') {
            Some((name, command)) if command.contains("{file}") => {
                Ok(Tool { name: name.into(), command: command.into() })
            }
            _ => Err("expected NAME='command {file}'".into()),
        }
    }

    fn ours(name: &str, options: &str) -> io::Result<Tool> {
        let program = std::env::current_exe()?;
        let command = format!("{} check {{file}} --format jsonl --stats {options}", quoted(&program));
        Ok(Tool { name: name.into(), command })
    }

    /// All that are to be compared, ours first.
    fn all(options: &BenchArgs) -> io::Result<Vec<Tool>> {
        let engines = options.engine.iter().map(|name| (name.clone(), format!("--engine {name}")));
        let mut chosen: Vec<(String, String)> = engines.collect();
        if chosen.is_empty() {
            chosen.push(("redoubt".into(), String::new()));
        }
        let ours: &[String] = if options.ours.is_empty() { &[String::new()] } else { &options.ours };
        let mut tools = vec![];
        for (name, engine) in &chosen {
            for more in ours {
                let name = if ours.len() > 1 { format!("{name} {more}") } else { name.clone() };
                tools.push(Tool::ours(&name, &format!("{engine} {more}"))?);
            }
        }
        Ok(tools)
    }

    fn is_installed(&self) -> bool {
        let program = self.command.split(' ').next().unwrap_or_default();
        let found = Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program]).stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

/// One tool on one file.
struct Attempt {
    /// Its verdicts, by row.
    verdicts: Vec<Verdict>,
    /// The number of its verdicts that it has itself confirmed by a certificate or a run.
    confirmed: usize,
    seconds: f64,
    messages: String,
}

/// The results of a tool on all files.
#[derive(Default)]
struct Score {
    /// By row.
    solved: Vec<bool>,
    wrong: Vec<String>,
    confirmed: usize,
    par2: f64,
    /// Spent on all models, solved or not.
    seconds: f64,
    /// Seconds per phase, in the order in which they were first seen.
    phases: Vec<(String, f64)>,
}

pub fn run(options: &BenchArgs) -> Result<Outcome, Failure> {
    let rows = expected::read(&options.folder.join("expected.csv"))?;
    let is_wanted = |row: &&Row| options.only.is_empty() || options.only.iter().any(|part| row.file.contains(part));
    let rows: Vec<&Row> = rows.iter().filter(is_wanted).collect();
    let mut tools = Tool::all(options)?;
    let ours = tools.len();
    for peer in &options.peer {
        if peer.is_installed() {
            tools.push(peer.clone());
        } else {
            message(&format!("{} is left out: `{}` is not installed\n", peer.name, peer.command));
        }
    }
    let width = rows.iter().map(|row| row.file.len()).max().unwrap_or(0);
    let mut out = stdout();
    write!(out, "{:width$}  {:11}", "model", "expected")?;
    tools.iter().try_for_each(|tool| write!(out, "  {:>20}", tool.name))?;
    writeln!(out)?;
    let mut columns: Vec<Vec<Cell>> = tools.iter().map(|_| vec![]).collect();
    let mut scores: Vec<Score> = tools.iter().map(|_| Score::default()).collect();
    for rows in rows.chunk_by(|one, other| one.file == other.file) {
        write!(out, "{:width$}  {:11}", rows[0].file, expected(rows))?;
        for ((tool, score), cells) in tools.iter().zip(&mut scores).zip(&mut columns) {
            let run = tool.run(rows, options)?;
            let (mark, is_solved) = score.add(rows, &run, options.timeout);
            cells.push(Cell { verdict: mark.clone(), seconds: run.seconds, is_solved });
            write!(out, "  {mark:>12} {:7.2}", run.seconds)?;
            out.flush()?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    let solved_by = |row: usize| scores.iter().filter(|score| score.solved[row]).count();
    for (tool, score) in tools.iter().zip(&scores) {
        let Score { solved, wrong, confirmed, par2, seconds, phases } = score;
        let (all, wrong) = (rows.len(), wrong.len());
        let count = solved.iter().filter(|&&solved| solved).count();
        write!(
            out,
            "{}: solved {count} of {all}, {confirmed} confirmed, {wrong} wrong, PAR2 {par2:.1} s, {seconds:.1} s in all",
            tool.name
        )?;
        let alone = (0..all).filter(|&row| solved[row] && solved_by(row) == 1).count();
        writeln!(out, "{}", if tools.len() > 1 { format!(", {alone} alone") } else { String::new() })?;
        for (phase, seconds) in phases {
            writeln!(out, "  {phase:22} {seconds:9.2} s")?;
        }
    }
    if let Some(path) = &options.report {
        let page = page(options, &rows, &tools, &scores, columns);
        write_whole(path, page)?;
    }
    match scores[..ours].iter().find_map(|score| score.wrong.first()) {
        Some(file) => Err(Failure::Bug(format!("the verdict for {file} is not the expected one"))),
        None => Ok(Outcome::Holds),
    }
}

/// The table and a cactus plot.
fn page(options: &BenchArgs, rows: &[&Row], tools: &[Tool], scores: &[Score], columns: Vec<Vec<Cell>>) -> String {
    let files = rows.chunk_by(|one, other| one.file == other.file);
    let models: Vec<_> = files.map(|rows| (rows[0].file.clone(), expected(rows))).collect();
    let column = |((tool, score), cells): ((&Tool, &Score), Vec<Cell>)| Column {
        tool: tool.name.clone(),
        cells,
        par2: score.par2,
    };
    let columns: Vec<Column> = tools.iter().zip(scores).zip(columns).map(column).collect();
    comparison(&options.folder.to_string_lossy(), &models, options.timeout, &columns)
}

/// The known answers for a file, in a word.
fn expected(rows: &[&Row]) -> String {
    match rows {
        [Row { property: None, reachable: true, .. }] => "reachable".into(),
        [Row { property: None, reachable: false, .. }] => "unreachable".into(),
        _ => format!("{} known", rows.len()),
    }
}

impl Tool {
    fn run(&self, rows: &[&Row], options: &BenchArgs) -> Result<Attempt, Failure> {
        let timeout = options.timeout;
        let file = options.folder.join(&rows[0].file);
        let files: Vec<String> = load::with_external(&file).iter().map(|file| quoted(file)).collect();
        let command = self.command.replace("{file}", &files.join(" "));
        let limited =
            if options.wall { format!("exec {command}") } else { format!("ulimit -t {timeout}; exec {command}") };
        let longest = if options.wall { timeout } else { 20 * timeout + 60 };
        let (start, before) = (Instant::now(), children_seconds());
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let texts = [reader(child.stdout.take()), reader(child.stderr.take())];
        let code = wait(&mut child, Duration::from_secs(longest))?;
        let [answer, messages] = texts.map(|text| text.join().unwrap_or_default());
        let seconds = if options.wall { start.elapsed().as_secs_f64() } else { children_seconds() - before };
        let (verdicts, confirmed) = match answers(&answer) {
            lines if lines.is_empty() => (vec![verdict(&answer, code); rows.len()], 0),
            lines => {
                let wanted = |line: &&Line| rows.iter().any(|row| row.is_about(&line.property));
                let confirmed = lines.iter().filter(wanted).filter(|line| line.is_confirmed).count();
                (rows.iter().map(|row| row.verdict(&lines)).collect(), confirmed)
            }
        };
        Ok(Attempt { verdicts, confirmed, seconds, messages })
    }
}

/// Reads a stream to its end while the process runs.
fn reader(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // The bytes read before a failure are all there is.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The exit code. A process that waits instead of working is not stopped by a limit on processor time.
fn wait(child: &mut Child, longest: Duration) -> io::Result<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if start.elapsed() > longest {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Processor time of all processes that have been waited for.
fn children_seconds() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return 0.0 };
    [usage.user_time(), usage.system_time()].iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum()
}

/// The answer of one of our own runs about a property.
struct Line {
    property: String,
    verdict: Verdict,
    is_confirmed: bool,
}

/// The lines about properties, if a tool writes such.
fn answers(text: &str) -> Vec<Line> {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let of_property = lines.filter(|line| line["type"] == "property");
    let line = |line: serde_json::Value| Line {
        property: line["property"].as_str().unwrap_or_default().into(),
        verdict: match line["verdict"].as_str() {
            Some("reachable" | "violated") => Verdict::Reachable,
            Some("unreachable" | "holds") => Verdict::Unreachable,
            _ => Verdict::Unknown,
        },
        is_confirmed: line["confirmed"] == true,
    };
    of_property.map(line).collect()
}

impl Row {
    fn is_about(&self, property: &str) -> bool {
        self.property.as_ref().is_none_or(|name| name == property)
    }

    fn verdict(&self, lines: &[Line]) -> Verdict {
        let verdicts = || lines.iter().filter(|line| self.is_about(&line.property)).map(|line| line.verdict);
        match () {
            () if verdicts().any(|verdict| verdict == Verdict::Reachable) => Verdict::Reachable,
            () if verdicts().count() > 0 && verdicts().all(|verdict| verdict == Verdict::Unreachable) => {
                Verdict::Unreachable
            }
            () => Verdict::Unknown,
        }
    }
}

/// The answer of a tool: in words, or by the exit code that solvers have in common.
fn verdict(answer: &str, code: Option<i32>) -> Verdict {
    let answer = answer.to_lowercase();
    let words: Vec<&str> = answer.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
    match (says(&["sat", "unsafe", "asserted", "reachable"]), says(&["unsat", "safe", "proved", "unreachable"])) {
        (true, false) => Verdict::Reachable,
        (false, true) => Verdict::Unreachable,
        _ => match code {
            Some(10) => Verdict::Reachable,
            Some(20) if !says(&["unknown"]) => Verdict::Unreachable,
            _ => Verdict::Unknown,
        },
    }
}

impl Score {
    /// Counts a run. Says how it is shown, and whether all is solved.
    fn add(&mut self, rows: &[&Row], run: &Attempt, timeout: u64) -> (String, bool) {
        let right = |row: &Row| if row.reachable { Verdict::Reachable } else { Verdict::Unreachable };
        let is_in_time = run.seconds <= timeout as f64 || rows.len() > 1;
        let before = (self.solved.iter().filter(|&&solved| solved).count(), self.wrong.len());
        for (row, &verdict) in rows.iter().zip(&run.verdicts) {
            let is_right = verdict == right(row);
            self.solved.push(is_right && is_in_time);
            if verdict != Verdict::Unknown && !is_right {
                self.wrong.push(row.file.clone());
            }
        }
        let solved = self.solved.iter().filter(|&&solved| solved).count() - before.0;
        self.seconds += run.seconds;
        self.confirmed += if is_in_time { run.confirmed } else { 0 };
        if solved == rows.len() {
            self.par2 += run.seconds;
            self.add_phases(&run.messages);
        } else {
            self.par2 += 2.0 * timeout as f64;
        }
        let mark = match run.verdicts.as_slice() {
            _ if self.wrong.len() > before.1 => "WRONG".into(),
            [Verdict::Unknown] => "-".into(),
            [Verdict::Reachable] => "reachable".into(),
            [Verdict::Unreachable] => "unreachable".into(),
            _ => format!("{solved} solved"),
        };
        (mark, solved == rows.len())
    }

    /// Takes the times out of `--stats`: lines that end in a number of seconds.
    fn add_phases(&mut self, messages: &str) {
        for line in messages.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [.., seconds, "s"] = words[..] else { continue };
            let Ok(seconds) = seconds.parse::<f64>() else { continue };
            let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_alphabetic());
            let name: Vec<&str> = words.iter().take_while(is_name).copied().collect();
            let name = name.join(" ");
            if name.is_empty() {
                continue;
            }
            match self.phases.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += seconds,
                None => self.phases.push((name, seconds)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_other_tools_are_understood() {
        assert!(verdict("sat\n", None) == Verdict::Reachable);
        assert!(verdict("unsat\n", None) == Verdict::Unreachable);
        assert!(verdict("result: UNSAT", Some(20)) == Verdict::Unreachable);
        assert!(verdict("Output 0 was asserted in frame 7.", Some(0)) == Verdict::Reachable);
        assert!(verdict("Property proved.  Time = 0.05 sec", Some(0)) == Verdict::Unreachable);
        assert!(verdict("", Some(10)) == Verdict::Reachable);
        assert!(verdict("unknown\n", Some(20)) == Verdict::Unknown);
        assert!(verdict("killed", None) == Verdict::Unknown);
    }

    #[test]
    fn phases_are_added_up() {
        let mut score = Score::default();
        score.add_phases(
            "  cone of influence      4 -> 3 latches, 9 gates in 0.250 s\n     block       12      1.500 s\n",
        );
        score.add_phases("2 solves, 3 conflicts\n     block       1      0.500 s\n");
        assert_eq!(score.phases, [("cone of influence".to_owned(), 0.25), ("block".to_owned(), 2.0)]);
    }
}
