"""The paper's eight observations as checks on the loaded data, each with statistics, intervals and
a verdict. Nothing is designed to make them hold."""

from equity_core.analysis.observations.checks import (
    CheckedObservations,
    basis_sentence,
    check_observations,
    verdicts_sentence,
    verdicts_table,
)
from equity_core.analysis.observations.verdicts import VERDICTS, Figure, Observation, Part, Verdict

__all__ = [
    "VERDICTS",
    "CheckedObservations",
    "Figure",
    "Observation",
    "Part",
    "Verdict",
    "basis_sentence",
    "check_observations",
    "verdicts_sentence",
    "verdicts_table",
]
