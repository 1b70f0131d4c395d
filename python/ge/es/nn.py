"""Operators of module nn: another name for the generated package es_nn."""

import sys

import es_nn

sys.modules[__name__] = es_nn
