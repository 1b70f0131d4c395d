"""Operators of module all: another name for the generated package es_all."""

import sys

import es_all

sys.modules[__name__] = es_all
