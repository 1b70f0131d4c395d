"""Model.run_async: a run on a thread of the event loop's executor, and what cancelling it does."""

import asyncio
import threading

from ge._feed import mapping
from ge._native import lib


class _Run:
    """One run of a model on another thread."""

    def __init__(self, model, feed, state):
        self._model = model
        self._feed = feed
        self._state = state
        self._context = None  # while it is under way
        self._cancelled = False
        self._lock = threading.Lock()

    def __call__(self):
        with self._lock:
            if self._cancelled:
                return None
        self._model._live()
        model = self._model._with_inputs(self._feed) if self._state is None else self._model
        context = model._take()
        try:
            with self._lock:
                if self._cancelled:
                    return None
                self._context = context
            try:
                if self._state is not None:
                    return context.run_with(self._state, self._feed)
                return context.run(self._feed)
            finally:
                with self._lock:
                    self._context = None
        finally:
            model._give_back(context)

    def cancel(self):
        """Ends it; the thread gives the context back. True while the run is under way."""
        with self._lock:
            self._cancelled = True
            if self._context is not None:
                lib.GeRunContextCancel(self._context.handle)
            return self._context is not None


async def run(model, feed, state=None):
    """The outputs of one run, as Model.run gives them."""
    # A copy of the dictionary: the program may go on changing its own.
    pending = _Run(model, dict(mapping(model, feed)), state)
    loop = asyncio.get_running_loop()

    def cancel():
        # The library ends runs that are under way: one that is just about to begin hears of it the next time.
        if pending.cancel():
            loop.call_later(0.02, cancel)

    try:
        return await loop.run_in_executor(None, pending)
    except asyncio.CancelledError:
        cancel()
        raise
