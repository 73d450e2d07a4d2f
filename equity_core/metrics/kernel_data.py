"""A bundle as the kernels see it, made once per bundle."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.metrics.kernels import KernelData

_lock = threading.Lock()
_worlds: weakref.WeakKeyDictionary[Bundle, KernelData] = weakref.WeakKeyDictionary()


def frozen(array: npt.NDArray[Any], dtype: type) -> npt.NDArray[Any]:
    """A read-only contiguous view (a copy only where type or layout differ).

    numba compiles one version of a kernel for writable and one for read-only arrays: what goes in
    is always read-only, so that one version is enough.
    """
    view: npt.NDArray[Any] = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def kernel_order(bundle: Bundle) -> npt.NDArray[np.int64]:
    """Positions of the principles in the kernels' order: means first, then categorical."""
    return np.concatenate([bundle.encoded.mean_of, bundle.encoded.cat_of]).astype(np.int64)


def kernel_data(bundle: Bundle) -> KernelData:
    """The kernels' view of a bundle; made at first use and kept as long as the bundle lives."""
    with _lock:
        world = _worlds.get(bundle)
    if world is None:
        world = _make(bundle)
        with _lock:
            _worlds[bundle] = world
    return world


def _make(bundle: Bundle) -> KernelData:
    from equity_core.metrics.kernels import KernelData

    encoded = bundle.encoded
    count, n_cat = encoded.labels.shape
    if n_cat:
        group_labels, group = np.unique(encoded.labels, axis=0, return_inverse=True)
        group = group.reshape(-1)
    else:
        group_labels, group = np.zeros((1, 0), dtype=np.int32), np.zeros(count, dtype=np.int64)
    members = np.argsort(group, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(group_labels)))])
    n_mean = encoded.means.shape[1]
    # One slot more than values: the last one is for an unknown label.
    offsets = np.concatenate([[0], np.cumsum(encoded.sizes.astype(np.int64) + 1)])
    return KernelData(
        means=frozen(encoded.means, np.float64),
        columns=frozen(encoded.means.T, np.float64),
        low=frozen(encoded.means.min(axis=0) if n_mean else np.zeros(0), np.float64),
        high=frozen(encoded.means.max(axis=0) if n_mean else np.zeros(0), np.float64),
        labels=frozen(encoded.labels, np.int32),
        sizes=frozen(encoded.sizes, np.int32),
        offsets=frozen(offsets, np.int64),
        is_match=frozen(encoded.is_match, np.bool_),
        group=frozen(group, np.int32),
        group_slots=frozen(
            offsets[:-1, None] + np.where(group_labels < 0, encoded.sizes, group_labels).T, np.int64
        ),
        group_start=frozen(start, np.int64),
        group_members=frozen(members, np.int32),
        past_indptr=frozen(bundle.past.indptr, np.int64),
        past_courses=frozen(bundle.past.indices, np.int32),
        hidden=frozen(np.flatnonzero(bundle.future.hidden), np.int32),
    )
