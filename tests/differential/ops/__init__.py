"""What a random graph is made of: functions `f(net, x)` that add operators behind the value x and return what came of it,
or None where x does not suit. `POOLS` names them by subject."""

POOLS = {}
LARGEST = 20000  # elements of a value


def op(*pools, weight=1):
    """Enters a function into pools."""

    def enter(function):
        for pool in pools:
            POOLS.setdefault(pool, []).extend([function] * weight)
        return function

    return enter


def grow(net, pool, steps, start=None, tries=8):
    """Adds `steps` operators of a pool, each behind a value that the last ones made."""
    x = start
    for _ in range(steps):
        for _ in range(tries):
            source = x if x is not None and net.chance(0.6) else net.some()
            if source is None or source.size > LARGEST:
                break
            made = net.random.choice(POOLS[pool])(net, source)
            if made is not None:
                x = made
                break
    return x


from . import (  # noqa: E402
    blocks,  # noqa: F401
    control,  # noqa: F401
    convolution,  # noqa: F401
    dynamic,  # noqa: F401
    elementwise,  # noqa: F401
    large,  # noqa: F401
    layouts,  # noqa: F401
    matrix,  # noqa: F401
    normalize,  # noqa: F401
    quantized,  # noqa: F401
    recurrent,  # noqa: F401
    reduce,  # noqa: F401
    shapes,  # noqa: F401
    vision,  # noqa: F401
)
