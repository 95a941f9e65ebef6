//! In which order operands are computed: as gcc does it, or not at all.

use redoubt_program::simulate::End;

use super::harness::run;
use super::load;

const DECLARED: &str = "
extern void reach_error(void);
int g = 1; int i = 0; int t[3] = {5, 6, 7};
int twice(void) { g = g * 2; return 1; }
int more(void) { int x = g; g = x + 3; return x; }
int move(void) { i = 2; return 9; }
int first(int x, int y) { return x; }
int m[2][2]; extern int printf(const char *, ...); extern void exit(int);
";

fn main(body: &str) -> String {
    format!("{DECLARED}int main(void) {{ int r = 0; {body} return r; }}")
}

#[test]
fn calls_are_made_in_the_order_of_gcc() {
    let bodies = [
        // From right to left in arguments: 1 + 3 first, and then twice that.
        "first(twice(), more()); if (g == 8) reach_error();",
        "r = first(more(), twice()); if (g == 5 && r == 2) reach_error();",
        "r = first(more(), more()); if (g == 7 && r == 4) reach_error();",
        // So it is where the result is unused.
        "printf(\"\", twice(), more()); if (g == 8) reach_error();",
        // From left to right in operators.
        "r = twice() + more(); if (g == 5 && r == 3) reach_error();",
        "r = more() - more(); if (r == -3) reach_error();",
        "r = twice() + g; if (r == 3) reach_error();",
        "r = r++ * 0 + move(); if (i == 2 && r == 9) reach_error();",
    ];
    for body in bodies {
        let program = load(&main(body));
        assert!(matches!(run(&program, &[]).0, End::Error(..)), "{body}");
    }
}

/// An index that is computed first is the one that counts.
#[test]
fn what_is_assigned_may_change_what_its_place_does_not_depend_on() {
    let bodies = [
        "t[move() - 9] = twice(); if (t[0] == 1 && i == 2 && g == 2) reach_error();",
        "t[1] = r++; if (t[1] == 0 && r == 1) reach_error();",
        "t[r] = t[r + 1] + move(); if (t[0] == 15) reach_error();",
        "t[twice()] = more(); if (t[1] == 2 && g == 5) reach_error();",
        "r = -twice() + move() * 3; if (r == 26) reach_error();",
        "r = -(twice() + move()); if (r == -10) reach_error();",
    ];
    for body in bodies {
        let program = load(&main(body));
        assert!(matches!(run(&program, &[]).0, End::Error(..)), "{body}");
    }
}

#[test]
fn what_is_read_before_it_is_written_elsewhere_is_refused() {
    let bodies = [
        "r = g + twice();",
        "r = -g + twice();",
        "r = g * 2 + (1 + twice());",
        "g += twice();",
        "t[i] += move();",
        "first(twice(), g);",
        "r = r + (r = 2);",
        "t[r] = r++;",
        "t[r++] = r;",
        "t[r] = ({ r++; 5; });",
        "t[i] = move();",
        "m[r][r++] = 1;",
        // gcc makes other operators of these.
        "r = -more() + twice();",
        "r = -more() + g;",
        "r = 5 - more() - twice();",
        "r = ~more() < ~twice();",
        "r = 7 - (twice() - more());",
        "r = -(twice() - more());",
        "r = (unsigned)-more() + twice();",
        // The right side comes first, unless it is a call.
        "t[more() & 1] = t[twice()];",
        "t[twice()] = twice() + 1;",
        "t[twice()] += more();",
        "m[twice()][0] = m[more() & 1][1];",
        "r = -(g ? exit(0), 1 : 2) + (reach_error(), 1);",
    ];
    for body in bodies {
        let refused = super::refusal(&main(body)).unwrap_or_else(|| panic!("{body}"));
        assert!(refused.contains("the order in which C computes these operands is not defined"), "{refused}");
    }
}
