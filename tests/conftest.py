"""Setup of all Python tests."""

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, which programs that tests start would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
