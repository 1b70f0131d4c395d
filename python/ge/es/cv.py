"""Operators of module cv: another name for the generated package es_cv."""

import sys

import es_cv

sys.modules[__name__] = es_cv
