"""The paper's eight observations as checks on the loaded data: a statistic, its interval and a
verdict each. Nothing is built to hold."""

from equity_core.analysis.observations.model import VERDICTS, Figure, Observation, Part, Verdict
from equity_core.analysis.observations.run import Eight, observe

__all__ = ["VERDICTS", "Eight", "Figure", "Observation", "Part", "Verdict", "observe"]
