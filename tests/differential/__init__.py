"""Differential fuzzing: random graphs that look like networks, run by OpenGE and by ONNX Runtime (docs/testing.md)."""
