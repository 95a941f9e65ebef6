"""What Python sees is what the command decides, on the problems of the project."""

import csv
from pathlib import Path

import pytest

import redoubt

PROJECT = Path(__file__).resolve().parents[2]
RERS = PROJECT / "problems" / "rers"
LIFT = RERS / "lift2012.c"


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def known(file):
    with open(RERS / "expected.csv", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["file"] == file]
    return {row["property"]: row["expected"] for row in rows}


@pytest.mark.parametrize("file", ["lift2012.c", "lock2012.c", "pump2016.c", "heater2012.c"])
def test_verdicts_are_the_known_answers(file):
    report = redoubt.check(RERS / file, timeout=60)
    answers = known(file)
    assert answers
    assert {verdict.property: verdict.verdict for verdict in report} == answers
    assert all(verdict.confirmed for verdict in report)


def test_witnesses_reach_what_they_say():
    program = redoubt.load(LIFT)
    for verdict in redoubt.check(program):
        if verdict.verdict == "reachable":
            steps = redoubt.replay(program, verdict.inputs)
            assert len(steps) == verdict.steps
            assert verdict.property in steps[-1]["reached"]
        else:
            assert verdict.inputs is None


def test_some_properties_are_decided_if_they_are_named():
    report = redoubt.check(LIFT, properties=["error_44", "error_0"])
    assert [verdict.property for verdict in report] == ["error_0", "error_44"]
    assert report["error_44"].verdict == "reachable"
    with pytest.raises(redoubt.RedoubtError, match="no property `error_45`"):
        redoubt.check(LIFT, properties=["error_45"])


def test_a_program_may_have_several_files():
    report = redoubt.check([RERS / "ledger2015.c", RERS / "ledger2015External.c"], timeout=60)
    assert {verdict.property: verdict.verdict for verdict in report} == known("ledger2015.c")


def test_records_are_for_tables():
    records = redoubt.check(LIFT).records()
    assert [record["property"] for record in records] == redoubt.load(LIFT).properties
    assert all(set(record) == set(records[0]) for record in records)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(records)
    assert set(table["verdict"]) == {"reachable", "unreachable"}
    assert table.groupby("verdict")["property"].count().sum() == len(records)


def test_the_simulator_goes_step_by_step():
    program = redoubt.load(LIFT)
    assert program.inputs[0]["values"] == [1, 2, 3]
    assert "level" in program.variables
    simulator = redoubt.Simulator(program)
    assert simulator.state["door"] == 0
    assert simulator.step(3)["output"] == "23\n"
    assert simulator.state["door"] == 1
    assert simulator.step({"input": 3})["output"] == "24\n"
    assert simulator.step([1])["end"] is None
    with pytest.raises(redoubt.RedoubtError, match="4 is no value of the input"):
        simulator.step(4)
    with pytest.raises(redoubt.RedoubtError, match="2 inputs are given"):
        simulator.step([1, 2])


def test_models_have_states_and_constants(tmp_path):
    text = "const N = 3\ninput up: bool\nvar n: 0..9 = 0\nstep { if up && n < N { n = n + 1 } }\nproperty low: always n < 3\n"
    path = write(tmp_path, "count.gcl", text)
    verdict = redoubt.check(path)["low"]
    assert (verdict.verdict, verdict.status, verdict.inputs) == ("reachable", "violated", [[1], [1], [1]])
    assert redoubt.check(redoubt.load(path, set={"N": 2}))["low"].status == "holds"
    with pytest.raises(redoubt.RedoubtError, match="no constant `M`"):
        redoubt.load(path, set={"M": 2})


def test_circuits_are_decided():
    circuit = redoubt.load(PROJECT / "tests" / "models" / "traffic.aag")
    assert isinstance(circuit, redoubt.Circuit)
    report = redoubt.check(circuit, timeout=60)
    assert len(report) == len(circuit.properties)
    assert all(verdict.confirmed for verdict in report)


def test_two_versions_are_compared(tmp_path):
    old = write(tmp_path, "old.gcl", "input up: bool\nvar n: 0..3 = 0\nstep { if up && n < 3 { n = n + 1 } }\n")
    same = write(tmp_path, "same.gcl", "input up: bool\nvar n: 0..3 = 0\nstep { if up { n = min(n + 1, 3) } }\n")
    other = write(tmp_path, "other.gcl", "input up: bool\nvar n: 0..3 = 0\nstep { if up && n < 2 { n = n + 1 } }\n")
    assert redoubt.compare(old, same)["verdict"] == "equal"
    different = redoubt.compare(old, other)
    assert (different["verdict"], different["old_inputs"]) == ("different", [[1], [1], [1]])


def test_bad_files_are_refused_with_the_place(tmp_path):
    with pytest.raises(redoubt.RedoubtError, match="count.gcl:2:1"):
        redoubt.check(write(tmp_path, "count.gcl", "var n: 0..\n"))
    with pytest.raises(redoubt.RedoubtError, match="missing.c"):
        redoubt.check(tmp_path / "missing.c")
    with pytest.raises(redoubt.RedoubtError):
        redoubt.check(write(tmp_path, "broken.aag", "aag 1 0\n"))


def test_time_is_up_at_once(tmp_path):
    report = redoubt.check(RERS / "generated" / "2017-arithmetic-small-1.c", timeout=0)
    assert any(verdict.verdict == "unknown" and verdict.reason == "time was up" for verdict in report)


def test_properties_of_whole_runs_are_decided_too():
    report = redoubt.check(PROJECT / "problems" / "gcl" / "arbiter.gcl", timeout=60)
    statuses = {verdict.property: verdict.status for verdict in report}
    assert statuses["served"] == "holds" and statuses["soon"] == statuses["quiet"] == "violated"
    assert all(verdict.confirmed for verdict in report)
    soon = report["soon"]
    assert soon.loop_start < soon.steps
    assert redoubt.load(PROJECT / "problems" / "gcl" / "arbiter.gcl").properties.count("served") == 1
    only = redoubt.check(PROJECT / "problems" / "gcl" / "arbiter.gcl", properties=["served", "one_at_a_time"])
    assert sorted(verdict.property for verdict in only) == ["one_at_a_time", "served"]
