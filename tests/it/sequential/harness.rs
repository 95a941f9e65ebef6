//! Runs of C programs on given answers, by the simulator and by gcc: many programs are compiled into one, which runs each in
//! a process of its own.
//!
//! gcc compiles for 32 bits where it can. Where it cannot, programs call what should be `long` `long_32`, so that nothing in
//! them depends on it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use redoubt_base::Random;
use redoubt_program::expr::VarId;
use redoubt_program::program::{Program, PropertyId, PropertyKind};
use redoubt_program::simulate::{End, Simulator};

use super::super::common::scratch::Scratch;
use super::{DECLARATIONS, load};

/// The end of a program whose result is `@sum`: with an answer that is not known beforehand, the variable is needed and
/// assigned.
const END: &str = "sum += __VERIFIER_nondet_uint(); if (sum == 1U) reach_error();";

/// The number of steps after which something is wrong.
const ENDLESS: usize = 100_000;

/// The environment: the n-th question of a run is answered by the n-th number of its seed, as far as the type allows.
pub fn answers(seed: u64) -> Vec<i32> {
    let mut random = Random::new(seed);
    let edges = [0, 1, -1, 5, 6, 7, 127, 128, 255, 32768, i32::MAX, i32::MIN];
    (0..64).map(|_| if random.below(2) == 0 { random.choose(&edges) } else { random.bits() as i32 }).collect()
}

/// Runs a program on answers, from the first again when they are used up: how it ends, and how many were asked for.
pub fn run<'p>(program: &'p Program, answers: &[i32]) -> (End, usize, Simulator<'p>) {
    let mut simulator = Simulator::new(program).trace();
    let mut asked = 0;
    for _ in 0..ENDLESS {
        // Which questions a step asks depends on the answers to those before: one more is answered each time.
        let mut inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
        let before = simulator.clone();
        let mut known = 0;
        let step = loop {
            let mut again = before.clone();
            let step = again.step(&inputs);
            let Some(&(input, _)) = step.reads.get(known) else {
                simulator = again;
                break step;
            };
            let alphabet = &program.inputs[input.index()].alphabet;
            let answer = answers[(asked + known) % answers.len()];
            inputs[input.index()] = wrapped(answer, alphabet.nth(0), alphabet.nth(alphabet.size() - 1));
            known += 1;
        };
        asked += known;
        if let Some(end) = step.end {
            return (end, asked, simulator);
        }
    }
    panic!("{} does not end", program.name)
}

/// A number as the type with this range has it.
fn wrapped(number: i32, low: i32, high: i32) -> i32 {
    match (low, high) {
        (0, 1) => i32::from(number != 0),
        (-128, _) => i32::from(number as i8),
        (0, 255) => i32::from(number as u8),
        (-32768, _) => i32::from(number as i16),
        (0, 65535) => i32::from(number as u16),
        _ => number,
    }
}

/// A program whose `sum` can be asked for.
pub struct Summing {
    pub program: Program,
    sum: VarId,
}

impl Summing {
    pub fn new(text: &str) -> Summing {
        let program = load(&format!("{DECLARATIONS}{}", text.replace('@', "").replace("END(sum)", END)));
        let sum = program.variables.iter().position(|variable| variable.name == "sum");
        let sum = VarId::new(sum.unwrap_or_else(|| panic!("no sum is left of\n{text}")));
        Summing { program, sum }
    }

    /// The result of a run, in the words of the compiled program; a run that divides by 0 traps.
    pub fn run(&self, answers: &[i32]) -> String {
        let (end, asked, simulator) = run(&self.program, answers);
        match end {
            End::Error(property, _) if is_division(&self.program, property) => "trap".into(),
            End::Error(property, _) if self.program.property(property).kind != PropertyKind::Label => {
                self.program.property(property).name.clone()
            }
            End::Error(..) | End::Halt(_) => {
                let last = answers[(asked - 1) % answers.len()];
                (simulator.state().variables[self.sum.index()].wrapping_sub(last) as u32).to_string()
            }
            End::Blocked(_) => "blocked".into(),
        }
    }
}

fn is_division(program: &Program, property: PropertyId) -> bool {
    matches!(program.property(property).kind, PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow)
}

/// Whether gcc compiles for 32 bits here.
pub fn has_32_bits() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let scratch = Scratch::new();
        let source = scratch.write("width.c", "#include <stdlib.h>\nint main(void) { return 0; }\n");
        let mut command = Command::new("gcc");
        command.arg("-m32").arg(source).arg("-o").arg(scratch.path("width")).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// Reads lines with the number of a program and 64 answers, and says for each what that program comes to.
const ENVIRONMENT: &str = r#"
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>
static int answers[64]; static int asked;
static int next(void) { return answers[asked++ % 64]; }
int __VERIFIER_nondet_int(void) { return next(); }
unsigned __VERIFIER_nondet_uint(void) { return next(); }
char __VERIFIER_nondet_char(void) { return next(); }
unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
short __VERIFIER_nondet_short(void) { return next(); }
unsigned short __VERIFIER_nondet_ushort(void) { return next(); }
_Bool __VERIFIER_nondet_bool(void) { return next(); }
long long __VERIFIER_nondet_longlong(void) { unsigned low = next(); return (unsigned long long)next() << 32 | low; }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return __VERIFIER_nondet_longlong(); }
static void trap(int signal) { printf("trap\n"); fflush(stdout); _exit(0); }
static void late(int signal) { printf("endless\n"); fflush(stdout); _exit(0); }
#define END(sum) printf("%u\n", sum); fflush(stdout); _exit(0);
"#;

const START: &str = r#"
int main(void) {
  int number, status;
  signal(SIGFPE, trap); signal(SIGILL, trap); signal(SIGALRM, late);
  while (scanf("%d", &number) == 1) {
    for (int i = 0; i < 64; i++) if (scanf("%d", &answers[i]) != 1) return 1;
    if (fork() == 0) { alarm(10); programs[number](); printf("nothing\n"); fflush(stdout); _exit(0); }
    wait(&status);
  }
  return 0;
}
"#;

pub struct Compiled {
    scratch: Scratch,
    binary: PathBuf,
}

/// Compiles many programs into one.
pub fn compile(programs: &[String]) -> Compiled {
    let scratch = Scratch::new();
    let long = if has_32_bits() { "long" } else { "int" };
    let mut text = format!("{ENVIRONMENT}typedef {long} long_32; typedef unsigned {long} ulong_32;\n");
    for (number, program) in programs.iter().enumerate() {
        text.push_str(&program.replace('@', &format!("p{number}_")));
    }
    let names: Vec<String> = (0..programs.len()).map(|number| format!("p{number}_main")).collect();
    text.push_str(&format!("static int (*programs[])(void) = {{{}}};\n{START}", names.join(", ")));
    let (source, binary) = (scratch.write("programs.c", &text), scratch.path("programs"));
    let mut command = Command::new("gcc");
    // gcc makes `a + b / -c` of `a - b / c`, which traps where that does not, unless it has to look at divisors.
    command.args(["-fsanitize=integer-divide-by-zero", "-fsanitize-undefined-trap-on-error"]);
    if has_32_bits() {
        // Numbers with fractions are computed as they are everywhere else.
        command.args(["-m32", "-msse2", "-mfpmath=sse", "-fno-strict-aliasing"]);
    }
    command.args(["-O0", "-w", "-fwrapv"]).arg(&source).arg("-o").arg(&binary);
    let output = command.output().expect("gcc can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Compiled { scratch, binary }
}

impl Compiled {
    /// The results of programs on some answers.
    pub fn run(&self, runs: &[(usize, Vec<i32>)]) -> Vec<String> {
        let mut text = String::new();
        for (program, answers) in runs {
            text.push_str(&program.to_string());
            let answers = answers.iter().cycle().take(64);
            answers.for_each(|answer| text.push_str(&format!(" {answer}")));
            text.push('\n');
        }
        let input = std::fs::File::open(self.scratch.write("answers.txt", &text)).expect("it has been written");
        let output = Command::new(&self.binary).stdin(input).output().expect("it runs");
        let lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect();
        assert_eq!(lines.len(), runs.len(), "{}", output.status);
        lines
    }
}
