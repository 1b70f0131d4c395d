"""Operators of module math: another name for the generated package es_math."""

import sys

import es_math

sys.modules[__name__] = es_math
