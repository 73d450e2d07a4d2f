"""The manifest: what a bundle says about itself, read from and written to ``manifest.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from equity_core.bundle.dates import moment
from equity_core.bundle.faults import Faults
from equity_core.bundle.future import FutureCourses
from equity_core.principles import SEVEN, Principle

FILE = "manifest.toml"
FORMAT = 1

TAKEN = frozenset(
    {
        "ndcg",
        "consistency",
        "weighted_consistency",
        "equality",
        "lam",
        "mean_lam",
        "floor",
        "unreached",
        "learner_id",
        "principle",
    }
)
"""Names that frames of results use beside those of the principles."""

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{32,64}$")]


class Kept(BaseModel):
    """What the manifest keeps about a relevance file: a hash of the file, one of its content, and
    its number of rows.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: Hash | None = None
    content: Hash | None = None
    rows: int | None = Field(default=None, ge=0)


class Manifest(BaseModel):
    """The fields of ``manifest.toml``, as given; all are optional."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True
    )

    format: int = Field(default=FORMAT, ge=1, le=FORMAT)
    name: str = "unnamed"
    description: str = ""
    synthetic: bool = False
    rating_scale: tuple[float, float] = (1.0, 5.0)
    now: Any = None
    opened: Any = None
    future_courses: FutureCourses = "keep"
    """What happens to courses from after the split; bundles that do not say keep them."""
    split_at: Any = None
    provenance: dict[str, Any] = {}
    principles: list[Any] | None = None
    tables: Hash | None = None
    """Hash of the tables at the time of saving: the content hashes of the relevance hold as long as
    it does."""
    relevance: dict[str, Kept] = {}

    @field_validator("rating_scale", mode="before")
    @classmethod
    def _scale(cls, scale: Any) -> tuple[float, float]:
        ends = tuple(scale) if isinstance(scale, list | tuple | np.ndarray) else ()
        if (
            len(ends) != 2
            or not all(
                isinstance(end, int | float | np.number) and np.isfinite(end) for end in ends
            )
            or not ends[0] < ends[1]
        ):
            raise ValueError("two numbers, lowest and highest rating, such as [1, 5]")
        return float(ends[0]), float(ends[1])

    @field_validator("name", "description", mode="after")
    @classmethod
    def _unicode(cls, text: str) -> str:
        text.encode()  # a lone surrogate could not be saved
        return text

    @field_validator("provenance", mode="before")
    @classmethod
    def _provenance(cls, given: Any) -> Any:
        return {} if given is None else {"note": given} if isinstance(given, str) else plain(given)


def plain(value: Any) -> Any:
    """A value as TOML can hold it; dictionaries lose their empty entries. A ValueError for what
    cannot be written."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, str):
        value.encode()
    if isinstance(value, str | bool | int | float | datetime | date):
        return value
    if isinstance(value, Path):
        return str(value)
    raise ValueError("text, numbers, dates, or lists and dictionaries of these")


def parse(fields: Mapping[str, Any], file: str, faults: Faults) -> Manifest:
    """The manifest from its fields. A field that is wrong is a fault and takes its default."""
    try:
        return Manifest(**fields)
    except ValidationError as error:
        wrong = set()
        for problem in error.errors():
            field = str(problem["loc"][0])
            wrong.add(field)
            column = ".".join(map(str, problem["loc"]))
            known = ", ".join(Manifest.model_fields)
            fix = (
                f"The fields are {known}"
                if problem["type"] == "extra_forbidden"
                else f"Correct {field!r} in the manifest"
            )
            faults.add(
                file,
                f"{problem['msg'].lower().removeprefix('value error, ')}, not {problem['input']!r}"[
                    :300
                ],
                fix,
                column=column,
            )
        return Manifest(
            **{
                name: value
                for name, value in fields.items()
                if name in Manifest.model_fields and name not in wrong
            }
        )


def read(path: Path, faults: Faults) -> Manifest:
    """The manifest of a folder; faults if it is missing, is not TOML, or has wrong fields."""
    try:
        return parse(tomllib.loads(path.read_text(encoding="utf-8-sig")), FILE, faults)
    except FileNotFoundError:
        faults.add(
            FILE,
            "the file is missing",
            'Add a manifest.toml; name = "…" and synthetic = false in it are enough',
        )
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        faults.add(
            FILE,
            f"the file cannot be read as TOML ({' '.join(str(error).split())[:160]})",
            "Correct it; text goes in double quotes, in UTF-8",
        )
    return Manifest()


def without_none(values: Any) -> Any:
    """The same without entries that are None, in dictionaries at any depth: TOML has no word for
    nothing."""
    if isinstance(values, Mapping):
        return {name: without_none(item) for name, item in values.items() if item is not None}
    if isinstance(values, list | tuple):
        return [without_none(item) for item in values]
    return values


def write(manifest: Manifest) -> str:
    """The text of ``manifest.toml``: what differs from the defaults, and always format, name,
    synthetic and the rating scale."""
    fields = manifest.model_dump(exclude_defaults=True)
    always = {
        "format": manifest.format,
        "name": manifest.name,
        "synthetic": manifest.synthetic,
        "rating_scale": manifest.rating_scale,
    }
    text = tomli_w.dumps(without_none({**always, **fields}))
    tomllib.loads(text)
    return text


def check_principles(
    given: Sequence[Any] | None, file: str, faults: Faults
) -> tuple[Principle, ...]:
    """The principles, from Principle objects or their fields; the seven if none are given."""
    if given is None:
        return SEVEN
    found: list[Principle] = []
    for number, item in enumerate(given):
        try:
            if not isinstance(item, Principle | Mapping):
                raise TypeError(f"{item!r} is not a principle")
            found.append(item if isinstance(item, Principle) else Principle(**item))
        except (TypeError, ValueError) as error:
            fix = (
                "A principle has name, kind (mean, balance or match), column, and for a mean also"
                " better, scale, low and high"
            )
            faults.add(
                file,
                f"principle {number + 1}: {str(error).replace('Principle.__init__() ', '')}",
                fix,
                column="principles",
            )
    names = [principle.name for principle in found]
    for name in sorted({name for name in names if names.count(name) > 1}):
        faults.add(
            file,
            f"there are several principles called {name!r}",
            "Give each its own name",
            column="principles",
        )
    for name in sorted(TAKEN.intersection(names)):
        faults.add(
            file,
            f"a principle cannot be called {name!r}: the tables of results use that name",
            "Choose another name",
            column="principles",
        )
    if not found and not len(faults):
        faults.add(
            file,
            "there are no principles",
            "Give at least one, or leave principles out for the paper's seven",
            column="principles",
        )
    return tuple(found)


def check_moments(
    manifest: Manifest, file: str, faults: Faults
) -> tuple[pd.Timestamp | None, pd.Timestamp | None]:
    """``now`` and ``opened`` as given; None if not."""
    now, opened = (
        moment(manifest.now, "now", file, faults),
        moment(manifest.opened, "opened", file, faults),
    )
    if now is not None and opened is not None and now < opened:
        faults.add(
            file,
            f"now ({now}) is before opened ({opened})",
            "Swap or correct them",
            column="now",
        )
    return now, opened
