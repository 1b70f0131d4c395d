"""Process-wide start and end of the engine."""

from .geapi import GeApi

__all__ = ["GeApi"]
