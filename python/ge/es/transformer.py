"""Operators of module transformer: another name for the generated package es_transformer."""

import sys

import es_transformer

sys.modules[__name__] = es_transformer
