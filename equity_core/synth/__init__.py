"""A seeded generator of synthetic worlds, synthetic relevance for benchmarks, and the demo bundle
(``synth.demo``)."""

from equity_core.synth.relevance import relevance_frame, synthetic_relevance
from equity_core.synth.world import SyntheticWorld, synthesise

__all__ = ["SyntheticWorld", "relevance_frame", "synthesise", "synthetic_relevance"]
