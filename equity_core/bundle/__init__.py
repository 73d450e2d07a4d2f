"""What a data set is: format, loading, checking, saving."""

from equity_core.bundle.csr import Csr
from equity_core.bundle.faults import BundleError
from equity_core.bundle.load import load_bundle
from equity_core.bundle.model import Bundle
from equity_core.bundle.relevance import Relevance

__all__ = ["Bundle", "BundleError", "Csr", "Relevance", "load_bundle"]
