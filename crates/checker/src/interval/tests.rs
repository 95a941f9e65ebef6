//! The arithmetic of sets against the program's own operators: all numbers of small sets, sets at the edges of the
//! 32-bit numbers, and random numbers.

use redoubt_base::Random;
use redoubt_program::expr::{BinaryOp, ExprId, Type, UnaryOp, VarId};
use redoubt_program::program::Program;
use redoubt_program::simulate::Simulator;
use redoubt_program::text::SourceFile;

use super::operators::{binary, doubled, on_runs, unary};
use super::set::MOST_RUNS;
use super::{Arithmetic, Environment, NumberSet, Progression, Source};

const OPERATORS: [BinaryOp; 13] = {
    use BinaryOp::*;
    [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor, Eq, Less, LessEq]
};

/// All runs of at least one number with ends among some numbers and small steps.
fn runs_among(numbers: &[i32]) -> Vec<Progression> {
    let mut runs = vec![];
    for (index, &low) in numbers.iter().enumerate() {
        runs.push(Progression::single(low));
        for &high in &numbers[index + 1..] {
            let fits = |step: &u32| high.abs_diff(low).is_multiple_of(*step);
            runs.extend((1..=4).filter(fits).map(|step| Progression { low, high, step }));
        }
    }
    runs
}

/// Numbers around the ends of the integers and around 0.
fn edges() -> Vec<i32> {
    let around = |number: i64| (number - 3..=number + 3).filter_map(|number| i32::try_from(number).ok());
    [i32::MIN.into(), -65536, 0, 65536, i32::MAX.into()].into_iter().flat_map(around).collect()
}

/// A few numbers of a run: the first ones, the last ones, and some in between.
fn members(run: &Progression, random: &mut Random) -> Vec<i32> {
    let nth = |at: u64| (i64::from(run.low) + at as i64 * i64::from(run.step)) as i32;
    let count = run.count();
    let chosen = (0..4).map(|_| random.bits() % count);
    let mut found: Vec<i32> = (0..count.min(3)).chain(count.saturating_sub(3)..count).chain(chosen).map(nth).collect();
    found.extend([-1, 0, 1, i32::MIN].into_iter().filter(|&number| run.contains(number)));
    found
}

/// On small sets the operators give exactly the results on the numbers, and the bounds that runs give include them.
#[test]
fn operators_on_small_runs_are_exact() {
    let numbers: Vec<i32> = (-7..=9).collect();
    let runs = runs_among(&numbers);
    for op in OPERATORS {
        for (a, b) in runs.iter().flat_map(|a| runs.iter().map(move |b| (a, b))) {
            let around = on_runs(op, a, b);
            let mut all: Vec<i32> = a.iter().flat_map(|x| b.iter().map(move |y| op.apply(x, y))).collect();
            assert!(all.iter().all(|&number| around.contains(number)), "{op:?} of {a:?} and {b:?}: {around:?}");
            all.sort_unstable();
            all.dedup();
            let sets = [a, b].map(|run| NumberSet::covering(vec![*run]));
            let result = binary(op, &sets[0], &sets[1]);
            // Of more than that, only the bounds are kept.
            if all.len() <= MOST_RUNS {
                assert!(result.iter().eq(all.iter().copied()), "{op:?} of {a:?} and {b:?}: {result}");
            }
            assert!(all.iter().all(|&number| result.contains(number)), "{op:?} of {a:?} and {b:?}: {result}");
        }
    }
    for op in [UnaryOp::Negate, UnaryOp::BitNot, UnaryOp::Not, UnaryOp::ToInt] {
        for run in &runs {
            let mut all: Vec<i32> = run.iter().map(|x| op.apply(x)).collect();
            all.sort_unstable();
            all.dedup();
            assert!(unary(op, &NumberSet::covering(vec![*run])).iter().eq(all), "{op:?} of {run:?}");
        }
    }
}

/// Runs that begin or end where the integers do: numbers that wrap are not lost.
#[test]
fn operators_at_the_edges_lose_nothing() {
    let mut random = Random::new(1);
    let runs = runs_among(&edges());
    let chosen: Vec<Progression> = (0..220).map(|_| runs[random.below(runs.len())]).collect();
    let lists: Vec<Vec<i32>> = chosen.iter().map(|run| members(run, &mut random)).collect();
    for op in OPERATORS {
        for (a, xs) in chosen.iter().zip(&lists) {
            for (b, ys) in chosen.iter().zip(&lists) {
                let (around, [a, b]) = (on_runs(op, a, b), [a, b].map(|run| NumberSet::covering(vec![*run])));
                let result = binary(op, &a, &b);
                for (x, y) in xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y))) {
                    let number = op.apply(x, y);
                    assert!(around.contains(number), "{op:?} of {x} in {a} and {y} in {b}: {around:?}");
                    assert!(result.contains(number), "{op:?} of {x} in {a} and {y} in {b}: {result}");
                }
            }
        }
    }
}

/// A random set, from single numbers to runs through all integers.
fn any_set(random: &mut Random) -> NumberSet {
    let number = |random: &mut Random| (random.bits() as i32) >> random.below(32);
    let run = |random: &mut Random| {
        let (a, b) = (number(random), number(random));
        let step = if random.below(2) == 0 { 1 } else { 1 + random.below(12) as u64 };
        match random.below(3) {
            0 => Progression::single(a),
            _ => Progression::wrapped(a.min(b).into(), a.max(b).into(), step),
        }
    };
    let runs = (0..1 + random.below(4)).map(|_| run(random));
    NumberSet::covering(runs.collect())
}

fn some_of(set: &NumberSet, random: &mut Random) -> Vec<i32> {
    set.runs().iter().flat_map(|run| members(run, random)).collect()
}

#[test]
fn operators_lose_nothing_of_random_sets() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let (a, b) = (any_set(&mut random), any_set(&mut random));
        let (xs, ys) = (some_of(&a, &mut random), some_of(&b, &mut random));
        for op in OPERATORS {
            let result = binary(op, &a, &b);
            for (x, y) in xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y))) {
                assert!(result.contains(op.apply(x, y)), "seed {seed}: {op:?} of {x} in {a} and {y} in {b}: {result}");
            }
        }
        for op in [UnaryOp::Negate, UnaryOp::BitNot, UnaryOp::Not] {
            let result = unary(op, &a);
            assert!(xs.iter().all(|&x| result.contains(op.apply(x))), "seed {seed}: {op:?} of {a}: {result}");
        }
    }
}

/// Sets as sets: on small ones everything but `without` is exact where it can be, and nothing is ever lost.
#[test]
fn sets_are_compared_and_combined() {
    let numbers: Vec<i32> = (0..=9).collect();
    let runs = runs_among(&numbers);
    let mut random = Random::new(2);
    for _ in 0..40_000 {
        let mut set =
            || NumberSet::covering((0..1 + random.below(3)).map(|_| runs[random.below(runs.len())]).collect());
        let (a, b) = (set(), set());
        let is_subset = numbers.iter().all(|&number| !a.contains(number) || b.contains(number));
        assert_eq!(a.is_subset(&b), is_subset, "{a} and {b}");
        let (join, meet, [below, above]) = (a.join(&b), a.meet(&b), a.halves());
        assert!(NumberSet::new(join.runs().to_vec()).is_some(), "{a} and {b}: {join}");
        assert!(NumberSet::new(meet.runs().to_vec()).is_some(), "{a} and {b}: {meet}");
        assert_eq!(a.iter().count() as u64, a.count());
        for number in numbers.iter().copied() {
            let (in_a, in_b) = (a.contains(number), b.contains(number));
            assert!(!(in_a || in_b) || join.contains(number), "{number} of {a} and {b}: {join}");
            assert!(!(in_a && in_b) || meet.contains(number), "{number} of {a} and {b}: {meet}");
            assert!(!meet.contains(number) || in_a || in_b, "{number} of {a} and {b}: {meet}");
            assert_eq!(a.within(2, 6).contains(number), in_a && (2..=6).contains(&number), "{number} of {a}");
            assert!(!in_a || number == 4 || a.without(4).contains(number), "{number} of {a}");
            assert_eq!(below.contains(number) || above.contains(number), in_a, "{number} of {a}");
            assert!(!(below.contains(number) && above.contains(number)), "{number} of {a}");
        }
    }
}

#[test]
fn what_wraps_once_stays_a_run() {
    let high = NumberSet::between(i32::MAX - 9, i32::MAX);
    let sum = binary(BinaryOp::Add, &high, &NumberSet::between(1000, 1_000_000));
    assert_eq!(sum.bounds(), Some((i32::MIN + 990, i32::MIN + 999_999)));
    let counter = Progression { low: 1, high: 9997, step: 4 };
    assert_eq!(on_runs(BinaryOp::Rem, &counter, &Progression::single(6)), Progression { low: 1, high: 5, step: 2 });
    assert_eq!(
        on_runs(BinaryOp::Rem, &Progression { low: 220, high: 300, step: 1 }, &Progression::single(200)).low,
        20
    );
    assert_eq!(
        on_runs(BinaryOp::Mul, &counter, &Progression::single(-3)),
        Progression { low: -29991, high: -3, step: 12 }
    );
}

/// A program with variables of both types, an input and two tables, for random expressions.
fn program() -> Program {
    let text = "#include <stdio.h>\nint a = 0; int b = 0; int c = 0; int t[3] = {5, -2, 9}; int w[2] = {1, 4};\n\
                int main() { while (1) { int input; scanf(\"%d\", &input); if (input == 1) { a = b; c = a; }\n\
                if (input == 2 && a >= 0 && a < 2) { w[a] = 7; b = t[a]; } if (a == 77) { error_5: ; } } }\n";
    redoubt_languages::parse(vec![SourceFile::new("any.c", text)]).expect("a program")
}

fn number(program: &mut Program, depth: usize, random: &mut Random) -> ExprId {
    use BinaryOp::*;
    let variables = ["a", "b", "c"].map(|name| program.variables.iter().position(|one| one.name == name));
    match random.below(if depth == 0 { 2 } else { 8 }) {
        0 => program.exprs.var(VarId::new(variables[random.below(3)].expect("a variable")), Type::Int),
        1 => program.exprs.int(random.below(13) as i32 - 4),
        2 => {
            let parts = (condition(program, depth - 1, random), number(program, depth - 1, random));
            let otherwise = number(program, depth - 1, random);
            program.exprs.ite(parts.0, parts.1, otherwise)
        }
        3 => {
            let index = number(program, depth - 1, random);
            let table = redoubt_program::expr::TableId::new(random.below(program.tables.len()));
            let pointer = program.exprs.table(table);
            program.exprs.cell(pointer, index)
        }
        4 => {
            let inner = number(program, depth - 1, random);
            program.exprs.unary([UnaryOp::Negate, UnaryOp::BitNot][random.below(2)], inner)
        }
        _ => {
            let op = [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor][random.below(10)];
            let (x, y) = (number(program, depth - 1, random), number(program, depth - 1, random));
            program.exprs.binary(op, x, y)
        }
    }
}

fn condition(program: &mut Program, depth: usize, random: &mut Random) -> ExprId {
    use BinaryOp::*;
    match random.below(if depth == 0 { 3 } else { 6 }) {
        0..3 => {
            let (x, y) = (number(program, depth, random), number(program, depth, random));
            program.exprs.binary([Eq, Less, LessEq][random.below(3)], x, y)
        }
        3 => {
            let inner = condition(program, depth - 1, random);
            program.exprs.not(inner)
        }
        _ => {
            let (x, y) = (condition(program, depth - 1, random), condition(program, depth - 1, random));
            program.exprs.binary([And, Or][random.below(2)], x, y)
        }
    }
}

/// On every combination of numbers the value of an expression is among the possible ones, and a condition loses no
/// combination for which it has the truth value. Sets that exclude something show that the results are not always
/// everything.
#[test]
fn expressions_and_conditions_lose_nothing() {
    let (mut narrowed, mut refuted, mut precise) = (0, 0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let mut program = program();
        let (value, guard) = (number(&mut program, 3, &mut random), condition(&mut program, 2, &mut random));
        let variables: Vec<VarId> = ["a", "b", "c"]
            .map(|name| VarId::new(program.variables.iter().position(|one| one.name == name).expect("a variable")))
            .to_vec();
        let near = |random: &mut Random| {
            let low = [i32::MIN, -3, 0, 2, i32::MAX - 20][random.below(5)];
            NumberSet::between(low, low + random.below(6) as i32)
        };
        let sets: Vec<NumberSet> = variables.iter().map(|_| near(&mut random)).collect();
        let environment: Environment =
            variables.iter().zip(&sets).map(|(&one, set)| (Source::Variable(one), set.clone())).collect();
        let arithmetic = Arithmetic::new(&program);
        let result = arithmetic.evaluate(value, &environment);
        let left = [false, true].map(|truth| arithmetic.refine(guard, truth, environment.clone()));
        narrowed += left.iter().flatten().filter(|left| **left != environment).count();
        refuted += left.iter().filter(|left| left.is_none()).count();
        let mut simulator = Simulator::new(&program);
        let mut seen = vec![];
        for (a, b) in sets[0].iter().flat_map(|a| sets[1].iter().map(move |b| (a, b))) {
            for c in sets[2].iter() {
                let numbers = [a, b, c];
                variables.iter().zip(numbers).for_each(|(&one, number)| simulator.assign(one, number));
                let number = simulator.evaluate(value, &[1]);
                seen.push(number);
                assert!(result.contains(number), "seed {seed}: {number} at {numbers:?}, not {result}");
                let truth = simulator.evaluate(guard, &[1]) != 0;
                let kept = left[usize::from(truth)].as_ref().is_some_and(|left| {
                    variables.iter().zip(numbers).all(|(&one, number)| {
                        left.get(Source::Variable(one)).is_some_and(|numbers| numbers.contains(number))
                    })
                });
                assert!(kept, "seed {seed}: {numbers:?} is lost where the condition is {truth}");
            }
        }
        seen.sort_unstable();
        seen.dedup();
        precise += usize::from(result.iter().take(1000).eq(seen));
    }
    assert!(
        narrowed > 300 && refuted > 500 && precise > 1000,
        "{narrowed} narrowed, {refuted} refuted, {precise} precise"
    );
}

/// An operator on each number and that number itself: all results are among those given, and squares are no worse than they
/// have to be.
#[test]
fn a_number_with_itself_loses_nothing() {
    let mut random = Random::new(9);
    let mut runs = runs_among(&edges());
    runs.extend([(-46_340, 46_340), (-46_341, 3), (7, 46_341), (-20_000, -3)].map(|(low, high)| Progression {
        low,
        high,
        step: 1,
    }));
    for op in OPERATORS {
        for run in &runs {
            let result = doubled(op, &NumberSet::covering(vec![*run]));
            for number in members(run, &mut random) {
                assert!(result.contains(op.apply(number, number)), "{op:?} of {number} in {run:?}: {result}");
            }
        }
    }
    let squares = |low, high| doubled(BinaryOp::Mul, &NumberSet::between(low, high)).bounds();
    assert_eq!(squares(-46_340, 300), Some((0, 46_340 * 46_340)));
    assert_eq!(squares(-20_000, -3), Some((9, 400_000_000)));
    assert_eq!(squares(-3, 46_341), Some((i32::MIN, i32::MAX)));
}
