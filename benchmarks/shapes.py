#!/usr/bin/env python3
"""Measures what a size costs that a model has not seen, OpenGE beside ONNX Runtime.

    python shapes.py [image text] [--threads N] [--json out.json]
    python shapes.py style_transfer unet_2d               nets of nets.py and architectures.py, all extents of x free

image: mobilenet_v2 gets pictures of 96 to 248 pixels; text: bert with four layers gets 16 to 92 tokens; nets get twelve sizes
around their own. "each alone" is OpenGE with a plan for each size (option general_plans). Each of the sizes runs twice. The
figures are the median of all first runs, the median of all second ones, their ratio, and the median of the ratios size by
size. The two ratios differ: the first run of all compiles the model, takes longer than any other, and so moves the median of
the first runs by half a size towards the larger ones. Each peer has a process of its own.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time

import nets
import numpy as np
import onnx
from onnx import helper, numpy_helper


def image():
    model, _ = nets.build("mobilenet_v2")
    for dim, name in zip(model.graph.input[0].type.tensor_type.shape.dim[2:], ("height", "width"), strict=True):
        dim.dim_param = name
    return model, [{"x": nets.image(size)} for size in range(96, 256, 8)]


def text(layers=4, small=False):
    model, feed = nets.build("bert", small=small, layers=layers)
    graph, length = model.graph, feed["ids"].shape[1]
    for value in (*graph.input, *graph.output):
        value.type.tensor_type.shape.dim[1].dim_param = "tokens"
    table = next(t for t in graph.initializer if list(t.dims[:2]) == [1, length])
    for node in graph.node:  # as many positions as there are tokens
        node.input[:] = ["positions" if name == table.name else name for name in node.input]
    for name, value in (("one", [1]), ("zero", [0])):
        graph.initializer.append(numpy_helper.from_array(np.array(value, np.int64), name))
    cut = [
        helper.make_node("Shape", ["ids"], ["ids_shape"]),
        helper.make_node("Gather", ["ids_shape", "one"], ["token_count"]),
        helper.make_node("Slice", [table.name, "zero", "token_count", "one"], ["positions"]),
    ]
    for node in reversed(cut):
        graph.node.insert(0, node)
    r, words = np.random.default_rng(0), 100 if small else 30000
    lengths = range(2, 17, 2) if small else range(16, 96, 4)
    return model, [{"ids": r.integers(0, words, (1, n)), "mask": np.ones((1, n), np.int64)} for n in lengths]


def net(name):
    """A net whose one input is an image, a volume or a sequence, of any size."""
    import architectures

    model, feed = nets.build(name) if name in nets.NETS else architectures.build(name)
    ((port, x),) = feed.items()
    del model.graph.value_info[:]
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    dims = next(value for value in model.graph.input if value.name == port).type.tensor_type.shape.dim
    for axis in range(2, x.ndim):
        dims[axis].dim_param = f"extent{axis}"
    feeds, r = [], np.random.default_rng(0)
    for factor in (1, 1.25, 0.75, 1.5, 0.5, 1.75, 1.125, 0.875, 1.375, 0.625, 1.625, 1.875):
        shape = [
            *x.shape[:2],
            *(max(32, int(extent * factor) // 16 * 16) if extent >= 32 else extent for extent in x.shape[2:]),
        ]
        feeds.append({port: r.standard_normal(shape).astype(x.dtype)})
    return model, feeds


def serve(pipe, peer, path, threads, feeds):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if peer != "ONNX Runtime":
        import ge

        alone = {"general_plans": 0} if peer == "each alone" else {}
        run = ge.load(path, options={"threads": threads, **alone}).run
    else:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

        def run(feed):
            return session.run(None, feed)

    times = []
    for feed in feeds:
        for _ in range(2):
            start = time.perf_counter()
            run(feed)
            times.append((time.perf_counter() - start) * 1e3)
    pipe.send((times[::2], times[1::2]))


def measure(path, peer, threads, feeds):
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=serve, args=(there, peer, path, threads, feeds))
    worker.start()
    there.close()
    first, second = here.recv()
    worker.join()
    return {
        "new_ms": statistics.median(first),
        "again_ms": statistics.median(second),
        "size_by_size": statistics.median(a / b for a, b in zip(first, second, strict=True)),
        "first_of_all_ms": first[0],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="image, text (default: both), names of nets")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()
    made, results = {"image": image, "text": text}, {}
    for what in arguments.what or made:
        model, feeds = made[what]() if what in made else net(what)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(model, path)
            for peer in ("OpenGE", "each alone", "ONNX Runtime"):
                row = results[f"{what}/{peer}"] = measure(path, peer, arguments.threads, feeds)
                new, again = row["new_ms"], row["again_ms"]
                ratios = f"new / again {new / again:.2f}, size by size {row['size_by_size']:.2f}"
                print(f"{what:16} {peer:13} new {new:7.1f} ms, again {again:7.1f} ms, {ratios}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
