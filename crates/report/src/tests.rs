//! The page of small runs, and the messages about unreadable lines.

use super::*;

const RUN: &str = r#"{"file":"a.c","property":"error_0","verdict":"reachable","status":"violated","steps":2,"inputs":[1,2],"engine":"bmc","seconds":0.5}
{"type":"property","file":"a.c","property":"error_1","verdict":"unreachable","status":"holds","steps":null,"inputs":null,"engine":"ic3","seconds":1.5,"confirmed":true,"invariant":["a1 <= 3","a2 == 4 || a1 < 0"],"more":{"x":1}}

{"type":"problem","file":"a.c","language":"c","seconds":2.0,"reachable":1,"unreachable":1,"unknown":0,"sizes":{"lines":40,"variables":3,"inputs":1,"properties":2,"passes":[{"pass":"cone","states":[9,3],"expressions":[1000,20]}]}}
{"type":"property","file":"b.gcl","property":"safe","verdict":"unknown","status":"unknown","steps":null,"inputs":null,"engine":"none","seconds":3.0,"confirmed":false,"reason":"time limit"}
"#;

fn made(text: &str) -> String {
    page(&read(text).expect("a good run"), "run.jsonl", &[])
}

#[test]
fn lines_with_and_without_a_type_are_read() {
    let run = read(RUN).expect("a good run");
    let [a, b] = run.problems.as_slice() else { panic!("two problems") };
    assert_eq!((a.file.as_str(), a.properties.len(), a.summary.is_some()), ("a.c", 2, true));
    assert_eq!((b.file.as_str(), b.properties.len(), b.summary.is_some()), ("b.gcl", 1, false));
}

#[test]
fn what_was_not_decided_is_shown_with_the_reason() {
    let line = r#"{"type":"error","file":"c.c","message":"c.c:1:14: expected <statement>\n  here"}"#;
    let text = format!("{RUN}{line}\n");
    let run = read(&text).expect("a good run");
    assert_eq!(run.problems.iter().map(|problem| problem.errors.len()).collect::<Vec<_>>(), [0, 0, 1]);
    let page = made(&text);
    assert!(
        page.contains("1 problem was not decided.")
            && page.contains("<pre>c.c:1:14: expected &lt;statement&gt;\n  here</pre>")
    );
    assert!(page.contains("<strong class=\"alert\">error</strong>"));
    assert!(!made(RUN).contains("id=\"errors\""));
}

#[test]
fn the_page_has_all_parts() {
    let page = made(RUN);
    for part in [
        "id=\"cactus\"",
        "id=\"times\"",
        "id=\"rows\"",
        "<li><code>a1 &lt;= 3</code></li>",
        "1\u{202f}000 → 20",
        "<td>B</td><td>2</td>",
        "time limit",
        "not finished",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn what_the_file_says_is_never_markup() {
    let evil = "</script><img src=x onerror=alert(1)>\\\"'&\\u0000\\u202e";
    let line = format!(
        "{{\"type\":\"property\",\"file\":\"{evil}\",\"property\":\"{evil}\",\"symbol\":\"{evil}\",\"verdict\":\"reachable\",\"status\":\"{evil}\",\
         \"expected\":\"{evil}!\",\"engine\":\"{evil}\",\"seconds\":1,\"invariant\":[\"{evil}\"],\"reason\":\"{evil}\",\
         \"trace\":{{\"start\":{{\"{evil}\":\"{evil}\"}},\"steps\":[{{\"inputs\":{{\"{evil}\":1}},\"choices\":{{\"{evil}\":true}},\"taken\":[{{\"line\":1,\"text\":\"{evil}\"}},\"{evil}\"],\"changes\":{{}}}}]}}}}\n\
         {{\"type\":\"problem\",\"file\":\"{evil}\",\"language\":\"{evil}\",\"seconds\":1,\"sizes\":{{\"passes\":[{{\"pass\":\"{evil}\",\"states\":[1,1],\"expressions\":[0,0]}}]}}}}\n"
    );
    let page = page(&read(&line).expect("a good run"), "</title><script>alert(2)</script>", &[]);
    assert!(!page.contains("<img") && !page.contains("alert(2)</script>"));
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\u{fffd}\u{fffd}"));
}

#[test]
fn bad_lines_are_named() {
    let says = |text: &str| read(text).expect_err("a mistake").to_string();
    assert_eq!(says(""), "line 1: nothing to report; expected the lines of `redoubt check --format jsonl`");
    let cut = &RUN[..RUN.len() - 30];
    assert!(says(cut).starts_with("line 5: the line ends in the middle of a JSON object, at column "), "{}", says(cut));
    assert_eq!(says("[1]\n"), "line 1: expected an object, `{...}`");
    assert!(says("\n{\"file\": x}\n").starts_with("line 2: not JSON, at column 10: "));
    assert_eq!(says("{\"type\":\"walk\"}"), "line 1: unknown `type`; expected `run`, `property`, `problem` or `error`");
    assert_eq!(says("{\"type\":\"run\"}"), "line 1: missing field `version`");
    assert_eq!(says("{\"file\":\"a.c\",\"property\":\"p\"}"), "line 1: missing field `verdict`");
    let verdict = says("{\"file\":\"a.c\",\"property\":\"p\",\"verdict\":\"maybe\"}");
    assert!(verdict.starts_with("line 1: unknown variant `maybe`, expected one of `reachable`"), "{verdict}");
    let time = says("{\"file\":\"a.c\",\"property\":\"p\",\"verdict\":\"unknown\",\"seconds\":-1}");
    assert_eq!(time, "line 1: `seconds` is -1; expected no negative number");
}

/// Thousands of steps, no times at all, one property alone: nothing is too odd to be shown.
#[test]
fn odd_runs_have_pages() {
    let inputs = vec!["3"; 5_000].join(",");
    let long = format!(
        "{{\"file\":\"a.c\",\"property\":\"p\",\"verdict\":\"reachable\",\"inputs\":[{inputs}],\"seconds\":0}}"
    );
    let page = made(&long);
    assert!(page.contains("4\u{202f}500 steps left out here") && page.matches("<tr><th scope=\"row\">").count() >= 500);
    made("{\"file\":\"\",\"property\":\"\",\"verdict\":\"unknown\"}");
    made("{\"type\":\"problem\",\"file\":\"a.c\"}");
    made("{\"file\":\"a.c\",\"property\":\"p\",\"verdict\":\"unreachable\",\"seconds\":1e300}");
}
