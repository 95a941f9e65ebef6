"""Redoubt decides, for every property of a reactive program, whether any input sequence reaches it.

>>> import redoubt
>>> report = redoubt.check("lift2012.c", timeout=60)      # doctest: +SKIP
>>> [(verdict.property, verdict.verdict) for verdict in report]      # doctest: +SKIP
"""

from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, Sequence, Union, overload

from ._redoubt import Circuit, Program, RedoubtError, Simulator, Verdict, __version__
from ._redoubt import compare as _compare

__all__ = [
    "Circuit",
    "Program",
    "RedoubtError",
    "Report",
    "Simulator",
    "Verdict",
    "__version__",
    "check",
    "compare",
    "load",
    "replay",
]

PathLike = Union[str, "os.PathLike[str]"]
Subject = Union[Program, Circuit]

_SOURCES = (".c", ".i", ".gcl", ".st", ".scl")


class Report(Sequence[Verdict]):
    """The verdicts about a program or a circuit, in the order of its properties."""

    def __init__(self, subject: Subject, verdicts: Sequence[Verdict]) -> None:
        self.subject = subject
        self.verdicts = list(verdicts)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Verdict]: ...
    @overload
    def __getitem__(self, index: str) -> Verdict: ...
    def __getitem__(self, index: Any) -> Any:
        """A verdict by its place, or by the name of its property."""
        if isinstance(index, str):
            for verdict in self.verdicts:
                if verdict.property == index:
                    return verdict
            raise KeyError(index)
        return self.verdicts[index]

    def __len__(self) -> int:
        return len(self.verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def records(self) -> list[dict[str, Any]]:
        """A list of dictionaries, one per property: ``pandas.DataFrame(report.records())``."""
        return [
            {
                "file": self.subject.name,
                "property": verdict.property,
                "status": verdict.status,
                "verdict": verdict.verdict,
                "confirmed": verdict.confirmed,
                "engine": verdict.engine,
                "seconds": verdict.seconds,
                "steps": verdict.steps,
                "inputs": verdict.inputs,
                "loop_start": verdict.loop_start,
                "reason": verdict.reason,
            }
            for verdict in self.verdicts
        ]

    def __repr__(self) -> str:
        return f"Report({self.subject.name!r}, {self.verdicts!r})"


def load(*paths: PathLike, set: Mapping[str, object] | None = None) -> Subject:
    """Reads the files of one C program or model (.gcl), or a circuit (AIGER or BTOR2).

    ``set`` gives constants of a model other values.
    """
    names = [os.fspath(path) for path in paths]
    if not names:
        raise RedoubtError("expected the files of a program, or a circuit")
    if len(names) == 1 and not names[0].endswith(_SOURCES):
        return Circuit(names[0])
    return Program(names, [(name, str(value)) for name, value in (set or {}).items()])


def _subject(subject: Subject | PathLike | Sequence[PathLike]) -> Subject:
    if isinstance(subject, (Program, Circuit)):
        return subject
    if isinstance(subject, (str, os.PathLike)):
        return load(subject)
    return load(*subject)


def check(
    subject: Subject | PathLike | Sequence[PathLike],
    timeout: float | None = None,
    properties: Sequence[str] | None = None,
    certify: bool = True,
) -> Report:
    """Decides the properties of a program, a model or a circuit; some of them if ``properties`` names them.

    After ``timeout`` seconds what is undecided is ``unknown``. Witnesses have been replayed, and proofs have been checked
    where ``confirmed`` says so.
    """
    loaded = _subject(subject)
    names = None if properties is None else list(properties)
    return Report(loaded, loaded.check(timeout=timeout, properties=names, certify=certify))


def replay(program: Program, inputs: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The steps of a run, such as the witness of a verdict: a record per step, with the state after it."""
    simulator = Simulator(program)
    steps = []
    for values in inputs:
        record = simulator.step(list(values))
        steps.append({**record, "inputs": list(values), "state": simulator.state})
        if simulator.ended:
            break
    return steps


def compare(
    old: Program | PathLike | Sequence[PathLike],
    new: Program | PathLike | Sequence[PathLike],
    timeout: float | None = None,
    outputs: Sequence[str] | None = None,
    common_inputs: bool = False,
) -> dict[str, Any]:
    """Whether two programs or models behave alike: ``verdict`` is ``equal``, ``different`` or ``unknown``.

    If they differ, ``old_inputs`` and ``new_inputs`` are a shortest run on which they do.
    """
    before, after = _subject(old), _subject(new)
    if not isinstance(before, Program) or not isinstance(after, Program):
        raise RedoubtError("programs and models are compared; for circuits there is the command")
    names = None if outputs is None else list(outputs)
    return _compare(before, after, timeout, names, common_inputs)
