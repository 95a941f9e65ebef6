//! `redoubt report` as its users meet it: its messages about bad files, and, in a browser, that the plots are drawn,
//! the rows can be filtered and sorted, and little paper is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use redoubt_report as report;

use crate::common::command::{self, name, redoubt_in};
use crate::common::scratch::Scratch;

fn redoubt(arguments: &[&str]) -> Output {
    command::run(&mut redoubt_in("", arguments))
}

/// A run of three problems, and a name that would be a script if it were not escaped.
fn run(scratch: &Scratch) -> PathBuf {
    let files = ["problems/rers/lock2012.c", "problems/gcl/traffic_light.gcl", "tests/models/traffic.aag"];
    let output = redoubt(&[&["check"], &files[..], &["--format", "jsonl", "--jobs", "1"]].concat());
    let mut text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().count() > 12, "{text}");
    text.push_str(
        "{\"type\":\"property\",\"file\":\"odd.c\",\"property\":\"<script>document.title='broken'</script>\",\
         \"verdict\":\"unknown\",\"status\":\"unknown\",\"engine\":\"none\",\"seconds\":2.5}\n\
         {\"file\":\"odd.c\",\"property\":\"error_7\",\"verdict\":\"unreachable\",\"status\":\"holds\",\
         \"engine\":\"ic3\",\"seconds\":0.5,\"invariant\":[\"waiting <= 3\"]}\n",
    );
    scratch.write("run.jsonl", &text)
}

#[test]
fn a_page_is_written_to_a_file_or_to_standard_output() {
    let scratch = Scratch::new();
    let run = run(&scratch);
    let page = run.with_file_name("report.html");
    let output = redoubt(&["report", &name(&run), "-o", &name(&page)]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let written = std::fs::read_to_string(&page).expect("the page is there");
    let output = redoubt(&["report", &name(&run), "-o", "-"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), written);
}

#[test]
fn bad_lines_end_with_3_and_their_number() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(run(&scratch)).expect("the run is there");
    let cut = scratch.write("cut.jsonl", text.trim_end().trim_end_matches(['}', ']', '"']));
    let page = cut.with_file_name("report.html");
    let output = redoubt(&["report", &name(&cut), "-o", &name(&page)]);
    assert_eq!(output.status.code(), Some(3));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains(&format!("cut.jsonl: line {}: ", text.lines().count())), "{message}");
    assert!(!page.exists(), "no half a page is left behind");
    for path in ["missing.jsonl", "README.md", "tests"] {
        assert_eq!(redoubt(&["report", path, "-o", &name(&page)]).status.code(), Some(3), "{path}");
    }
    assert_eq!(redoubt(&["report", "README.md"]).status.code(), Some(2));
}

/// A browser that can be run without a screen, if there is one.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        let started = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        started.is_ok_and(|status| status.success())
    });
    if found.is_none() {
        eprintln!("skipped: there is no Chromium to open the page in");
    }
    found
}

/// Works the controls of the page and writes down what it sees.
const CHECKS: &str = r##"
<pre id="checks"></pre>
<script>
const lines = [];
const say = (name, value) => lines.push(`${name}=${value}`);
const visible = (selector) =>
  [...document.querySelectorAll(selector)].filter((item) => item.getClientRects().length > 0).length;
const rows = "#rows > tbody > tr";
const change = (element, value) => {
  element.value = value;
  element.dispatchEvent(new Event("input", { bubbles: true }));
};
const look = (name) => say(name, [visible(rows), visible("#times .mark"), document.getElementById("shown").textContent]);
const drawn = (selector) => document.querySelector(selector).getBBox();
say("cactus", drawn("#cactus .line.all").width > 300 && drawn("#cactus .line.all").height > 20);
say("lines", visible("#cactus .line"));
say("times", drawn("#times").width > 300);
say("overflow", document.documentElement.scrollWidth > document.documentElement.clientWidth);
say("title", document.title.includes("broken"));
look("all");
change(document.getElementById("by-problem"), "0");
look("first");
change(document.getElementById("by-problem"), "");
const boxes = [...document.querySelectorAll("[name=verdict]")];
boxes.forEach((box) => { box.checked = box.value === "unknown"; });
boxes[0].dispatchEvent(new Event("input", { bubbles: true }));
look("unknown");
say("lines", visible("#cactus .line"));
boxes.forEach((box) => { box.checked = true; });
change(document.getElementById("by-text"), "WAITING <= 3  ic3");
look("text");
change(document.getElementById("by-text"), "");
const witness = document.querySelector("#rows details.witness");
say("closed", !witness.querySelector("table").checkVisibility());
witness.open = true;
say("steps", witness.querySelector("table").checkVisibility() && witness.querySelectorAll(":scope tbody tr").length);
say("timelines", document.querySelectorAll("#rows .timeline").length > 0);
const firsts = () => [...document.querySelectorAll(rows)].map((row) => row.cells[0].textContent);
const heading = (text) => [...document.querySelectorAll("#rows > thead th")].find((one) => one.textContent === text);
const sorted = (list) => list.every((text, place) => place === 0 || list[place - 1].localeCompare(text, undefined, { numeric: true }) <= 0);
const before = sorted(firsts());
heading("Property").firstElementChild.click();
say("sorted", [before, sorted(firsts()), heading("Property").getAttribute("aria-sort")]);
heading("Property").firstElementChild.click();
say("reversed", sorted(firsts().reverse()));
heading("Time").firstElementChild.click();
const times = [...document.querySelectorAll(rows)].map((row) => Number(row.cells[4].dataset.key));
say("times", times.every((time, place) => place === 0 || times[place - 1] <= time));
document.getElementById("checks").textContent = lines.join("\n");
</script>
"##;

/// The browser without a screen, and without anything that it would like to fetch.
fn headless(browser: &str, profile: &Path) -> Command {
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()));
    command
}

#[test]
fn all_problems_fit_on_twelve_pages() {
    let Some(browser) = browser() else { return };
    let scratch = Scratch::new();
    let output = redoubt(&["check", "problems/rers", "--format", "jsonl", "--no-ltl"]);
    let run = scratch.write("run.jsonl", &String::from_utf8(output.stdout).expect("text"));
    let (page, paper) = (run.with_file_name("page.html"), run.with_file_name("page.pdf"));
    assert_eq!(redoubt(&["report", &name(&run), "-o", &name(&page)]).status.code(), Some(0));
    let printed = headless(browser, &run.with_file_name("profile"))
        .args(["--no-pdf-header-footer", &format!("--print-to-pdf={}", paper.display())])
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser starts");
    let document = std::fs::read(&paper).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&printed.stderr)));
    // Every page of a PDF is an object of this type; that of all of them together is called `Pages`.
    let text = String::from_utf8_lossy(&document).into_owned();
    let pages = text.matches("/Type /Page").count() - text.matches("/Type /Pages").count();
    assert!((1..=12).contains(&pages), "{pages} pages");
}

#[test]
fn a_browser_draws_the_plots_filters_and_sorts() {
    let Some(browser) = browser() else { return };
    let scratch = Scratch::new();
    let run = run(&scratch);
    let text = std::fs::read_to_string(&run).expect("the run is there");
    let count = |test: &dyn Fn(&serde_json::Value) -> bool| {
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.filter(|line: &serde_json::Value| line["property"].is_string() && test(line)).count()
    };
    let page = String::from_utf8(redoubt(&["report", &name(&run), "-o", "-"]).stdout).expect("text");
    let file = scratch.write("page.html", &page.replace("</body>", &format!("{CHECKS}</body>")));
    let profile = file.with_file_name("profile");
    let all = count(&|_| true);
    let first = count(&|line| line["file"] == "problems/rers/lock2012.c");
    let open = count(&|line| line["verdict"] == "unknown");
    let steps = text.lines().find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["steps"].as_u64()
    });
    // A phone, which Chromium makes no narrower than 500 points, and a desk.
    for width in [500, 1280] {
        let output = headless(browser, &profile)
            .args([&format!("--window-size={width},900"), "--dump-dom", &format!("file://{}", file.display())])
            .output()
            .expect("the browser starts");
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = dom.split("<pre id=\"checks\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let wanted = format!(
            "cactus=true\nlines=3\ntimes=true\noverflow=false\ntitle=false\nall={all},{all},{all} properties\n\
             first={first},{first},{first} of {all} properties\nunknown={open},{open},{open} of {all} properties\nlines=1\n\
             text=1,1,1 of {all} properties\nclosed=true\nsteps={}\ntimelines=true\n\
             sorted=false,true,ascending\nreversed=true\ntimes=true",
            steps.expect("some property is reachable")
        );
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, Some(wanted.as_str()), "{width} points wide: {errors}");
    }
}

fn made(text: &str) -> String {
    report::page(&report::read(text).expect("a good run"), "run.jsonl", &[])
}

#[test]
fn goals_that_are_met_are_no_errors_and_what_is_unexpected_is_named() {
    let line = |name: &str, verdict: &str, status: &str, more: &str| {
        format!(
            "{{\"type\":\"property\",\"file\":\"m.gcl\",\"property\":\"{name}\",\"verdict\":\"{verdict}\",\"status\":\"{status}\",\
             \"steps\":1,\"inputs\":null,\"engine\":\"ic3\",\"seconds\":0.1,\"confirmed\":true{more}}}\n"
        )
    };
    let invariant = ",\"invariant\":[\"fact n in {-2147483648..2147483647}\",\"fact mode in {Idle}\"]";
    let page = made(
        &[
            line("goal", "reachable", "holds", ""),
            line("calm", "unreachable", "holds", invariant),
            line("still", "unreachable", "holds", invariant),
            line("safe", "reachable", "violated", ",\"expected\":\"holds\""),
        ]
        .concat(),
    );
    let met = "<span class=\"badge holds\">holds</span> <span class=\"none remark\">reached</span>";
    assert!(page.contains(met), "a goal that is met is not red");
    assert!(page.contains("<span class=\"badge violated\">violated</span>"), "what is violated is");
    assert!(!page.contains("id=\"cactus\""), "one problem needs no plots");
    assert!(page.contains("1 status is not as expected: <a href=\"#p0-3\">"), "{page}");
    assert_eq!(page.matches("fact mode in {Idle}").count(), 1, "an invariant is written once");
    assert!(page.contains("<a href=\"#p0-1\">invariant of <bdi>calm</bdi></a>"));
    assert!(!page.contains("2147483648"));
}
