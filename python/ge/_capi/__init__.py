"""The native libraries as ctypes sees them, in the modules where GE's Python package has them.

The package itself binds through ge._ge_cffi; these modules serve programs and wrappers that were written against ctypes.
"""
