"""Everything that computes. Imports no Streamlit; usable from a notebook or a nightly job.

    import equity_core as eq
    bundle = eq.load_bundle("data/demo")
    run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
    eq.evaluate(bundle, run.courses, run.policy).equality

Names load what they need when first used, so that importing the package costs next to nothing. They
are listed in ``__init__.pyi``, which type checkers read too.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
