"""How far a list is from the best possible one: bounds from an exact solver, under a λ and under a
floor, and a swap step that closes part of the gap."""

from equity_core.certify.bound import best_list, upper_bound
from equity_core.certify.floor import most_relevant
from equity_core.certify.learner import (
    Certificate,
    FloorCertificate,
    certificate,
    floor_certificate,
)
from equity_core.certify.sample import certify
from equity_core.certify.swap import improve

__all__ = [
    "Certificate",
    "FloorCertificate",
    "best_list",
    "certificate",
    "certify",
    "floor_certificate",
    "improve",
    "most_relevant",
    "upper_bound",
]
