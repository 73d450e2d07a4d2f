"""Whether one part of the data is later than another: a test on the earlier one does not cover what
changes with time."""

from __future__ import annotations

from equity_core.bundle import Bundle

MOST = 0.9
"""The share of learners, with interactions in both parts, that makes a part the later one."""


def later_part(bundle: Bundle, choosing: str, reported: str) -> str:
    """The part that is later than the other; "" where neither is, or nothing is known of it.

    A part is later if for nine of ten learners with dated interactions in both parts it begins
    after the other has ended; where no learner has any in both, if it does so for all learners
    together.
    """
    log = bundle.interactions
    if choosing == reported or "timestamp" not in log:
        return ""
    dated = log[log["timestamp"].notna()]
    first, second = (dated[dated["split"] == part] for part in (choosing, reported))
    if first.empty or second.empty:
        return ""
    ends = [part.groupby("learner")["timestamp"].agg(["min", "max"]) for part in (first, second)]
    both = ends[0].join(ends[1].add_suffix("_second"), how="inner")
    if both.empty:
        after = float(second["timestamp"].min() > first["timestamp"].max())
        before = float(second["timestamp"].max() < first["timestamp"].min())
    else:
        after = float((both["min_second"] > both["max"]).mean())
        before = float((both["max_second"] < both["min"]).mean())
    return reported if after >= MOST else choosing if before >= MOST else ""
