//! Compiles programs with gcc and records what they do, in the form of [`Record`].
//!
//! Programs are linked with a small driver that plays their surroundings: it forks one process per run,
//! feeds it the inputs, marks where each step begins, and notes how it ended.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::runs::{Ending, Record};

/// Put in front of every file of a program: its `main` and `scanf` are the driver's to call and to define.
const SHIM: &str = "
#include <stdio.h>
#define main redoubt_main
#undef scanf
#define scanf redoubt_scanf
int redoubt_scanf(const char *format, int *target);
";

/// Reads the number of runs from a file, then for each run its number of inputs and the inputs. Marks in its
/// output are lines that start with byte 1.
const DRIVER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

int redoubt_main();
static int *inputs;
static int left;

static void end(const char *how, long value) {
    printf("\1%s %ld\n", how, value);
    fflush(stdout);
    fflush(stderr);
    _exit(0);
}

/* A division that traps, abort, or an index far outside its table: what was written before must not be lost. */
static void caught(int signal) { end("signal", signal); }

int __VERIFIER_nondet_int(void) {
    if (left == 0) end("inputs", 0);
    left--;
    printf("\1step\n");
    fprintf(stderr, "\1step\n");
    return *inputs++;
}

int redoubt_scanf(const char *format, int *target) {
    *target = __VERIFIER_nondet_int();
    return 1;
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    if (strcmp(function, "reach_error") == 0) end("reach_error", 0);
    end("assertion", line);
}

__attribute__((weak)) void reach_error(void) { end("reach_error", 0); }
__attribute__((weak)) void __VERIFIER_error(int number) { end("error", number); }
#define ONE(n) __attribute__((weak)) void __VERIFIER_error_##n(void) { end("error", n); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)

static int number(FILE *file) {
    int value;
    if (fscanf(file, "%d", &value) != 1) exit(90);
    return value;
}

int main(int count, char **arguments) {
    FILE *file = fopen(arguments[1], "r");
    int status;
    /* One buffer for the whole run: programs that flush after every line would be slow. */
    setvbuf(stderr, NULL, _IOFBF, 1 << 16);
    for (int runs = number(file); runs > 0; runs--) {
        left = number(file);
        inputs = malloc((left + 1) * sizeof(int));
        for (int i = 0; i < left; i++) inputs[i] = number(file);
        printf("\1run\n");
        fprintf(stderr, "\1run\n");
        fflush(stdout);
        fflush(stderr);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGFPE, caught);
            signal(SIGABRT, caught);
            signal(SIGSEGV, caught);
            int code = redoubt_main();
            end("exit", code & 255);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("\1killed %d\n", WTERMSIG(status));
        else if (WEXITSTATUS(status) != 0) printf("\1exit %d\n", WEXITSTATUS(status));
        free(inputs);
    }
    return 0;
}
"#;

/// Whether gcc can be called; says so if it cannot.
pub fn available() -> bool {
    let found = Command::new("gcc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let available = found.is_ok_and(|status| status.success());
    if !available {
        eprintln!("skipped: there is no gcc to compare with");
    }
    available
}

/// A directory that goes away with its owner.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for temporary files can be made");
        Scratch(path)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        let folder = path.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).expect("a temporary folder can be made");
        std::fs::write(&path, text).expect("a temporary file can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A compiled program.
pub struct Compiled {
    scratch: Scratch,
    binary: PathBuf,
}

/// Compiles the files of one program. `-fwrapv` makes overflow wrap; without optimisation nothing else is
/// assumed either.
pub fn compile(files: &[PathBuf]) -> Compiled {
    try_compile(files).unwrap_or_else(|messages| panic!("{messages}"))
}

/// Compiles the files of one program, or says why gcc refuses them.
pub fn try_compile(files: &[PathBuf]) -> Result<Compiled, String> {
    let scratch = Scratch::new();
    let shim = scratch.write("shim.h", SHIM);
    let binary = scratch.0.join("program");
    let mut command = Command::new("gcc");
    command.args(["-O0", "-w", "-fwrapv", "-include"]).arg(shim).args(files).arg(driver()).arg("-o").arg(&binary);
    run(&mut command)?;
    Ok(Compiled { scratch, binary })
}

/// The driver, compiled once.
fn driver() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let scratch = Scratch::new();
        let (source, made) = (scratch.write("driver.c", DRIVER), scratch.0.join("driver.o"));
        run(Command::new("gcc").arg("-c").arg(source).arg("-o").arg(&made)).expect("the driver is good");
        // Moved into its place at once, whatever other tests do at the same time.
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("driver.o");
        std::fs::rename(made, &object).expect("a file can be renamed");
        object
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().expect("gcc can be started");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Compiles a program that is given as text.
pub fn compile_text(text: &str) -> Compiled {
    let scratch = Scratch::new();
    compile(&[scratch.write("program.c", text)])
}

impl Compiled {
    /// Runs the program once per list of inputs, each from its beginning.
    pub fn run(&self, runs: &[Vec<i32>]) -> Vec<Record> {
        let mut text = format!("{}\n", runs.len());
        for inputs in runs {
            let inputs: Vec<String> =
                std::iter::once(inputs.len() as i32).chain(inputs.iter().copied()).map(|n| n.to_string()).collect();
            text.push_str(&inputs.join(" "));
            text.push('\n');
        }
        let file = self.scratch.write("inputs.txt", &text);
        let output = Command::new(&self.binary).arg(file).output().expect("the compiled program can be started");
        assert!(output.status.success(), "the driver failed: {}", output.status);
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let complaints: Vec<Vec<String>> = split(&stderr, "\u{1}run\n").map(steps).collect();
        let records: Vec<Record> =
            split(&stdout, "\u{1}run\n").zip(complaints).map(|(run, complaints)| record(run, complaints)).collect();
        assert_eq!(records.len(), runs.len());
        records
    }
}

/// What follows each of the marks.
fn split<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(mark).skip(1)
}

fn steps(run: &str) -> Vec<String> {
    run.split("\u{1}step\n").map(String::from).collect()
}

fn record(run: &str, complaints: Vec<String>) -> Record {
    let (run, end) = run.rsplit_once('\u{1}').expect("every run says how it ended");
    let (how, value) = end.trim_end().split_once(' ').expect("an ending has a value");
    let ending = match (how, value) {
        ("inputs", _) => Ending::Inputs,
        ("reach_error", _) => Ending::Error("reach_error".into()),
        ("error", number) => Ending::Error(format!("error_{number}")),
        ("assertion", line) => Ending::Assertion(line.parse().expect("a line number")),
        ("exit", code) => Ending::Exit(code.parse().expect("an exit code")),
        ("signal", "8") => Ending::Trap,
        ("signal", "11") => Ending::OutOfBounds,
        // As the shell would say it.
        ("signal", "6") => Ending::Exit(134),
        _ => panic!("the compiled program ended in an unforeseen way: {how} {value}"),
    };
    Record { outputs: steps(run), complaints, ending }
}
