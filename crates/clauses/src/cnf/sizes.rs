//! The price list: gates and clauses of each operator at 32 bits. A change of an operator or an encoding shows here.

use insta::assert_snapshot;

use redoubt_circuit::word::*;
use redoubt_circuit::{Aig, Signal};

use super::{Cnf, Literals, Polarity, compact, tseitin};

type Build = fn(&mut Aig, &[Signal], &[Signal]) -> Word;

const OPERATORS: &[(&str, Build)] = &[
    ("a + b", add),
    ("a - b", sub),
    ("a * b", mul),
    ("a * a", |g, a, _| mul(g, a, a)),
    ("a / b", div),
    ("a % b", rem),
    ("a / b, a % b", |g, a, b| {
        let (quotient, remainder) = divrem(g, a, b);
        [quotient, remainder].concat()
    }),
    ("a << b", shl),
    ("a >> b", ashr),
    ("a == b", |g, a, b| vec![eq(g, a, b)]),
    ("a < b", |g, a, b| vec![signed_lt(g, a, b)]),
];

fn row(name: &str, build: Build, b: Option<i64>) -> String {
    let mut gates = Aig::default();
    let x = leaves(&mut gates, 32);
    let y = match b {
        Some(value) => constant(value, 32),
        None => leaves(&mut gates, 32),
    };
    let result = build(&mut gates, &x, &y);
    let live = gates.cone(result.iter().copied()).len();

    let mut full = Cnf::default();
    tseitin::encode(&gates, &result, &mut Literals::new(&gates), &mut full);
    let mut small = Cnf::default();
    let roots: Vec<_> = result.iter().map(|&bit| (bit, Polarity::BOTH)).collect();
    compact::encode(&gates, &roots, &mut Literals::new(&gates), &mut small);
    let name = match b {
        Some(value) => name.replace('b', &value.to_string()),
        None => name.to_owned(),
    };
    let sizes = [live, full.variables(), full.len(), small.variables(), small.len()];
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size:>7}")).collect();
    format!("{name:<24}{}\n", columns.join(""))
}

/// Columns: gates; variables and clauses of Tseitin's encoding; the same of the compact one, all bits of
/// the result in both polarities.
#[test]
fn at_32_bits() {
    let mut table = String::new();
    for &(name, build) in OPERATORS {
        table += &row(name, build, None);
    }
    for constant in [9, 10, 65, 89, -7, 299_993] {
        for &(name, build) in OPERATORS {
            if !["a * a", "a << b", "a >> b"].contains(&name) {
                table += &row(name, build, Some(constant));
            }
        }
    }
    assert_snapshot!(table, @r"
    a + b                       219    283    657    158    435
    a - b                       219    283    657    158    435
    a * b                      3846   3910  11538   2018   8128
    a * a                      1756   1788   5269    960   3766
    a / b                      5681   5745  17043   2428  10253
    a % b                      5776   5840  17328   2489  10500
    a / b, a % b               6033   6097  18099   2618  10982
    a << b                      476    540   1428    241    701
    a >> b                      529    593   1587    251    772
    a == b                      127    191    381     97    161
    a < b                       125    189    375     96    189
    a + 9                        93    125    279     93    214
    a - 9                        93    125    279     93    214
    a * 9                       198    230    594    117    393
    a / 9                       577    609   1731    376   1209
    a % 9                       264    296    792    160    542
    a / 9, a % 9                591    623   1773    385   1239
    a == 9                       31     63     93     33     33
    a < 9                        32     64     96     36     40
    a + 10                       90    122    270     91    207
    a - 10                       90    122    270     91    207
    a * 10                      198    230    595    117    394
    a / 10                      462    494   1386    318    978
    a % 10                      262    294    786    160    537
    a / 10, a % 10              473    505   1419    324    999
    a == 10                      31     63     93     33     33
    a < 10                       31     62     93     35     39
    a + 65                       93    125    279     93    214
    a - 65                       93    125    279     93    214
    a * 65                      177    209    531    108    351
    a / 65                      829    861   2487    496   1707
    a % 65                      317    349    951    189    651
    a / 65, a % 65              856    888   2568    510   1760
    a == 65                      31     63     93     33     33
    a < 65                       32     64     96     36     40
    a + 89                       93    125    279     93    214
    a - 89                       93    125    279     93    214
    a * 89                      552    584   1656    269   1095
    a / 89                      887    919   2661    548   1821
    a % 89                      486    518   1458    268    979
    a / 89, a % 89              916    948   2748    564   1878
    a == 89                      31     63     93     33     33
    a < 89                       32     64     96     38     44
    a + -7                       93    125    279     93    214
    a - -7                       93    125    279     93    214
    a * -7                      198    230    594    117    393
    a / -7                      452    484   1356    302    963
    a % -7                      267    299    801    164    553
    a / -7, a % -7              461    493   1383    307    981
    a == -7                      31     63     93     33     33
    a < -7                       32     64     96     35     38
    a + 299993                   93    125    279     93    214
    a - 299993                   93    125    279     93    214
    a * 299993                  873    905   2619    407   1728
    a / 299993                 1253   1285   3759    728   2523
    a % 299993                  886    918   2658    466   1782
    a / 299993, a % 299993     1335   1367   4005    775   2689
    a == 299993                  31     63     93     33     33
    a < 299993                   32     64     96     44     56
    ");
}
