"""Sessions: graphs by number, compiled and run."""

from ge.error import GeError

from .session import Session

__all__ = ["GeError", "Session"]
