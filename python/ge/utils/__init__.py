"""Questions about graphs that are not compiled."""

from .ge_utils import GeUtils

__all__ = ["GeUtils"]
