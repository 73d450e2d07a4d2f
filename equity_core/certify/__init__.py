"""How far a list is from the best possible one: an upper bound from an exact solver, and a swap
step that closes part of the gap."""

from equity_core.certify.bound import upper_bound
from equity_core.certify.sample import Certificate, certificate, certify
from equity_core.certify.swap import improve

__all__ = ["Certificate", "certificate", "certify", "improve", "upper_bound"]
