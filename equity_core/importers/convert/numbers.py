"""Numbers as people write them: '$19.99', '1.299,00 €', 'Free', '85%', '12.5k students', '4,5 / 5'.

A separator alone is ambiguous ('1.299'), so its meaning is decided once per column, from the values
that leave no doubt. If there are none, a comma groups thousands; a point groups thousands in prices
and counts (which never have three decimals) and is a decimal point elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.convert.words import CURRENCIES, FREE, MISSING, clean
from equity_core.importers.report import Report

Kind = Literal["number", "price", "count", "rating", "score"]

_CURRENCY = "|".join(re.escape(sign) for sign in sorted(CURRENCIES, key=len, reverse=True))
_MONEY = re.compile(rf"^(?P<before>{_CURRENCY})?\s*(?P<rest>.*?)\s*(?P<after>{_CURRENCY})?$")
_PEOPLE = re.compile(
    r"\s*(students?|learners?|users?|enrolled|enrollments?|enrolments?|subscribers?|participants?|ratings?|reviews?|stars?)$"
)
_OUT_OF = re.compile(r"^(?P<rest>.+?)\s*(?:/|out of|von|sur|de|di)\s*(?P<top>\d+)$")
_FREE_BUT = re.compile(
    rf"^(?:{'|'.join(re.escape(word) for word in sorted(FREE, key=len, reverse=True))})\s*[-–—:(]"
)
"""Free, and more in words after it, such as the price of a certificate that one may add."""
_FOR_A_TIME = re.compile(r"trial|day|week|month|year|then|test|tag|woche|monat|jour|mois")
"""What is free for a time only is not free."""
_BODY = re.compile(r"^-?(?:\d+|\d{1,3}(?:[ '’]\d{3})+)?(?:[.,]\d+)*$")


@dataclass(frozen=True)
class _Reading:
    """One text taken apart: the digits with their separators, and what was around them."""

    body: str
    did: tuple[str, ...] = ()
    factor: float = 1.0
    currency: str | None = None
    percent: bool = False
    top: float | None = None


def _take_apart(text: str, kind: Kind) -> _Reading | None:
    """The parts of a number's text; None when it is not a number."""
    if kind == "price" and text in FREE:
        return _Reading("0", ("words for 'free' read as 0",))
    if kind == "price" and _FREE_BUT.match(text) and not _FOR_A_TIME.search(text):
        return _Reading("0", ("'free' with more words after it read as 0",))
    did: list[str] = []
    currency, percent, top, factor = None, False, None, 1.0
    if kind == "price":
        found = _MONEY.match(text)
        if found and (found["before"] or found["after"]):
            currency, text = CURRENCIES[found["before"] or found["after"]], found["rest"]
            did.append(f"currency signs ({currency}) removed")
    if kind == "rating" and (found := _OUT_OF.match(text)):
        text, top = found["rest"], float(found["top"])
        did.append("'out of' removed")
    if text.endswith("%"):
        text, percent = text[:-1].rstrip(), True
    if kind in ("count", "rating") and (shorter := _PEOPLE.sub("", text)) != text:
        text = shorter
        did.append("words after the number removed")
    if text.endswith("+"):
        text = text[:-1].rstrip()
        did.append("a plus sign after the number removed")
    if text[-1:] in ("k", "m") and kind in ("price", "count"):
        factor, text = {"k": 1e3, "m": 1e6}[text[-1]], text[:-1].rstrip()
        did.append("k and m read as thousands and millions")
    text = text.replace("−", "-")
    if not _BODY.match(text) or not any(sign.isdigit() for sign in text):
        return None
    if grouped := re.sub(r"[ '’]", "", text) != text:
        text = re.sub(r"[ '’]", "", text)
    return _Reading(
        text,
        (*did, "spaces or apostrophes between thousands removed") if grouped else tuple(did),
        factor,
        currency,
        percent,
        top,
    )


def _decimal_sign(body: str) -> tuple[str | None, str | None]:
    """(the decimal sign where the body leaves no doubt, the sign that is in doubt)."""
    points, commas = body.count("."), body.count(",")
    if points and commas:
        return (".", None) if body.rfind(".") > body.rfind(",") else (",", None)
    sign, other = (".", ",") if points else (",", ".")
    if points + commas > 1:
        return other, None
    if points + commas == 1:
        head, tail = body.lstrip("-").split(sign)
        return (
            (None, sign)
            if len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
            else (sign, None)
        )
    return None, None


def _grouped_well(body: str, decimal: str) -> bool:
    """Whether the thousands stand in groups of three, with at most one decimal sign after them."""
    thousands = re.escape("," if decimal == "." else ".")
    return (
        re.match(rf"^-?(\d*|\d{{1,3}}({thousands}\d{{3}})+)({re.escape(decimal)}\d+)?$", body)
        is not None
    )


def _to_float(body: str, decimal: str) -> float:
    return float(body.replace("," if decimal == "." else ".", "").replace(decimal, "."))


def to_numbers(
    values: pd.Series,
    column: str,
    report: Report,
    *,
    kind: Kind = "number",
    rating_scale: tuple[float, float] = (1.0, 5.0),
) -> npt.NDArray[np.float64]:
    """A column as float64, NaN where nothing is given; what was changed is noted, what cannot be
    read is a fault.

    Percentages become shares of 1; in a rating they become that share of the way along the rating
    scale.
    """
    if pd.api.types.is_bool_dtype(values.dtype):
        report.fault(
            "contains yes/no values where numbers are needed",
            "map a column of numbers, or leave this one out",
            column=column,
        )
        return np.full(len(values), np.nan)
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return _finite(numbers, column, report)
    if kind not in ("price", "count"):  # scores come by the million, and most are plain
        plain = pd.to_numeric(values.astype(object), errors="coerce")
        if (plain.notna() == values.notna()).all():
            return _finite(plain.to_numpy(dtype=np.float64, na_value=np.nan), column, report)
    codes, texts = pd.factorize(
        values.astype(object).where(values.notna(), None).map(str, na_action="ignore")
    )
    cleaned = [clean(text) for text in texts]
    parsed = _parse(
        cleaned,
        [str(text) for text in texts],
        np.bincount(codes[codes >= 0], minlength=len(texts)),
        column,
        report,
        kind,
        rating_scale,
    )
    bad = np.array([value is None for value in parsed] + [False])
    if bad.any():
        rows = np.flatnonzero(bad[codes])
        examples = [str(text) for text, value in zip(texts, parsed, strict=True) if value is None]
        report.fault(
            f"values that are not numbers: {samples(examples)}",
            "write them as plain numbers such as 19.99, or leave them empty",
            column=column,
            rows=rows,
        )
    numbers = np.array([np.nan if value is None else value for value in parsed] + [np.nan])[codes]
    return _finite(numbers, column, report)


def _finite(
    numbers: npt.NDArray[np.float64], column: str, report: Report
) -> npt.NDArray[np.float64]:
    endless = np.flatnonzero(np.isinf(numbers))
    if len(endless):
        report.fault(
            "contains infinite numbers", "leave such values empty", column=column, rows=endless
        )
    return numbers


def _parse(
    cleaned: list[str],
    texts: list[str],
    counts: npt.NDArray[np.int64],
    column: str,
    report: Report,
    kind: Kind,
    rating_scale: tuple[float, float],
) -> list[float | None]:
    """Each distinct text as a number; NaN = missing, None = not readable."""
    plain = pd.to_numeric(pd.Series(cleaned, dtype=object), errors="coerce").to_numpy(
        dtype=np.float64
    )
    missing = np.array([text in MISSING for text in cleaned], dtype=bool)
    if kind not in ("price", "count") and not (np.isnan(plain) & ~missing).any():
        return list(plain)
    readings = [
        None if gone else _take_apart(text, kind)
        for text, gone in zip(cleaned, missing, strict=True)
    ]
    known = [reading for reading in readings if reading is not None]
    decimal = _column_sign(known, column, report, kind)
    _check_alike(known, column, report, rating_scale, kind)
    done: Counter[str] = Counter()
    example: dict[str, tuple[str, float]] = {}
    result: list[float | None] = []
    for at, reading in enumerate(readings):
        if missing[at]:
            result.append(np.nan)
            continue
        if reading is None or not _grouped_well(reading.body, decimal):
            result.append(float(plain[at]) if np.isfinite(plain[at]) else None)  # 1e-3 and the like
            continue
        value = _to_float(reading.body, decimal) * reading.factor
        did = list(reading.did)
        if reading.percent:
            value = (
                value / 100
                if kind != "rating"
                else rating_scale[0] + value / 100 * (rating_scale[1] - rating_scale[0])
            )
            did.append(
                "percentages read as shares of 1"
                if kind != "rating"
                else (
                    f"percentages read as positions on the scale from {rating_scale[0]:g} to"
                    f" {rating_scale[1]:g}"
                )
            )
        if (thousands := "," if decimal == "." else ".") in reading.body:
            did.append(f"{thousands!r} read as the thousands separator")
        if decimal == "," and "," in reading.body:
            did.append("',' read as the decimal separator")
        for what in did:
            done[what] += int(counts[at])
            example.setdefault(what, (texts[at], value))
        result.append(value)
    for what, number in done.items():
        text, value = example[what]
        values = "1 value" if number == 1 else f"{number:,} values"
        report.note(f"{what} in {values} ({text!r} is {value:g})", column)
    return result


def _column_sign(readings: list[_Reading], column: str, report: Report, kind: Kind) -> str:
    """The decimal sign of the whole column; a fault when its values contradict each other."""
    signs = [_decimal_sign(reading.body) for reading in readings]
    sure = {sign for sign, _ in signs if sign}
    doubtful = {sign for _, sign in signs if sign}
    if len(sure) == 1:
        return sure.pop()
    if len(sure) == 2 or len(doubtful) == 2:
        report.fault(
            "some values have a decimal point and others a decimal comma",
            "write every number in the same way, ideally with a decimal point",
            column=column,
        )
        return "."
    return "," if doubtful == {"."} and kind in ("price", "count") else "."


def _check_alike(
    readings: list[_Reading],
    column: str,
    report: Report,
    rating_scale: tuple[float, float],
    kind: Kind,
) -> None:
    """One currency, percentages for all or none, and ratings out of the top of the scale."""
    currencies = sorted({reading.currency for reading in readings if reading.currency})
    if len(currencies) > 1:
        report.fault(
            f"prices are in several currencies: {', '.join(currencies)}",
            "convert them to one currency first",
            column=column,
        )
    percents = sum(reading.percent for reading in readings)
    if percents and percents < len(readings):
        report.fault(
            "some values are percentages and others are not",
            "write all of them in the same way",
            column=column,
        )
    tops = sorted({reading.top for reading in readings if reading.top is not None})
    if tops and tops != [rating_scale[1]]:
        shown = ", ".join(f"{top:g}" for top in tops)
        report.fault(
            f"ratings are out of {shown}, but the rating scale ends at {rating_scale[1]:g}",
            f"give the rating scale as it is, for example 0 to {tops[-1]:g}",
            column=column,
        )
