"""Setup of all Python tests."""

import gc
import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, which programs that tests start would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Garbage is collected after each test: what thousands of collected tests consist of need not be searched every time."""
    gc.collect()
    gc.freeze()
