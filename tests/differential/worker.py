"""A process that compiles and runs models with OpenGE: reads tasks from its input, writes answers to its output."""

import os
import pickle
import struct
import sys


def read(stream):
    head = stream.read(8)
    if len(head) < 8:
        return None
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0]))


def write(stream, thing):
    data = pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(data)))
    stream.write(data)
    stream.flush()


def run(model, feeds, options):
    """For each run the outputs, or the text of the error that it ended with."""
    import ge

    try:
        loaded = ge.load(model, options=options)
    except Exception as e:
        return [f"load: {type(e).__name__}: {e}"] * len(feeds)
    results = []
    for feed in feeds:
        try:
            results.append({name: array.copy() for name, array in loaded.run(feed).items()})
        except Exception as e:
            results.append(f"run: {type(e).__name__}: {e}")
    return results


def serve(answer=run):
    """Answers (model, feeds, [options]) with a list of results for each of the options, until the input ends."""
    source = sys.stdin.buffer
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get between the answers
    while (task := read(source)) is not None:
        model, feeds, options = task
        write(target, [answer(model, feeds, one) for one in options])


if __name__ == "__main__":
    serve()
