from os import PathLike
import builtins
from typing import Any, Mapping, Sequence, Union, final

__all__ = ["Circuit", "Program", "RedoubtError", "Simulator", "Verdict", "__version__", "compare"]

__version__: str

class RedoubtError(Exception):
    """A file that cannot be read, or a question that has no meaning."""

@final
class Verdict:
    """What is known about one property."""

    @builtins.property
    def property(self) -> str: ...
    @builtins.property
    def verdict(self) -> str:
        """``reachable``, ``unreachable`` or ``unknown``."""
    @builtins.property
    def status(self) -> str | None:
        """``holds`` or ``violated``; ``None`` if that is not known."""
    @builtins.property
    def confirmed(self) -> bool:
        """Whether something else than what found the answer has shown that it is right."""
    @builtins.property
    def engine(self) -> str: ...
    @builtins.property
    def seconds(self) -> float: ...
    @builtins.property
    def inputs(self) -> list[list[int]] | None:
        """The witness: the values of the inputs, step by step."""
    @builtins.property
    def steps(self) -> int | None: ...
    @builtins.property
    def loop_start(self) -> int | None:
        """The number of steps before those that are repeated for ever, if some are."""
    @builtins.property
    def reason(self) -> str | None: ...

@final
class Program:
    """A C program or a model of a controller."""

    def __new__(
        cls, paths: Sequence[Union[str, PathLike[str]]], set: Sequence[tuple[str, str]] | None = None
    ) -> Program: ...
    @builtins.property
    def name(self) -> str: ...
    @builtins.property
    def inputs(self) -> list[dict[str, Any]]: ...
    @builtins.property
    def variables(self) -> list[str]: ...
    @builtins.property
    def properties(self) -> list[str]: ...
    def check(
        self, timeout: float | None = None, properties: list[str] | None = None, certify: bool = True
    ) -> list[Verdict]: ...

@final
class Circuit:
    """A circuit with bad states."""

    def __new__(cls, path: Union[str, PathLike[str]]) -> Circuit: ...
    @builtins.property
    def name(self) -> str: ...
    @builtins.property
    def inputs(self) -> int: ...
    @builtins.property
    def latches(self) -> int: ...
    @builtins.property
    def properties(self) -> list[str]: ...
    def check(
        self, timeout: float | None = None, properties: list[str] | None = None, certify: bool = True
    ) -> list[Verdict]: ...

@final
class Simulator:
    """Runs a program as the reference of all engines does."""

    def __new__(cls, program: Program) -> Simulator: ...
    @builtins.property
    def opening(self) -> dict[str, Any]: ...
    @builtins.property
    def ended(self) -> bool: ...
    @builtins.property
    def state(self) -> dict[str, Any]: ...
    def step(self, inputs: int | Sequence[int] | Mapping[str, int]) -> dict[str, Any]: ...

def compare(
    old: Program,
    new: Program,
    timeout: float | None = None,
    outputs: list[str] | None = None,
    common_inputs: bool = False,
) -> dict[str, Any]: ...
