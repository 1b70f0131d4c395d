#!/usr/bin/env python3
"""OpenGE beside ONNX Runtime on one machine, in one run: time, first run, load, memory, largest difference.

    python compare.py                              the eight nets of nets.py, 1 and 2 threads
    python compare.py --nets mlp,bert --threads 1
    python compare.py --onnx model.onnx --json out.json
    python compare.py --nets bert --precision bf16  OpenGE in bf16, ONNX Runtime as it is

Each peer lives in its own process; they take turns, a burst of runs at a time, so whatever the machine does to one it does to
both, and a ratio means something where a time does not. A ratio is ONNX Runtime's median / OpenGE's: above 1, OpenGE is faster.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time

import numpy as np


def serve(pipe, peer, path, threads, precision, feed):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

    def resident(key):
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(key)) / 1024

    try:
        if peer == "OpenGE":
            import ge

            base, start = resident("VmRSS"), time.perf_counter()
            run = ge.load(path, options={"threads": threads}, precision=precision).run
        else:
            import onnxruntime

            base, start = resident("VmRSS"), time.perf_counter()
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            names = [o.name for o in session.get_outputs()]

            def run(feed):
                return dict(zip(names, session.run(None, feed)))

        load = time.perf_counter() - start
        start = time.perf_counter()
        outputs = {k: v.copy() for k, v in run(feed).items()}
        pipe.send({"load_s": load, "first_ms": (time.perf_counter() - start) * 1e3, "outputs": outputs})
        while (count := pipe.recv()) > 0:
            run(feed)
            times = []
            for _ in range(count):
                start = time.perf_counter()
                run(feed)
                times.append((time.perf_counter() - start) * 1e3)
            pipe.send(times)
        pipe.send(resident("VmHWM") - base)
    except Exception as error:  # a peer that fails is a result
        pipe.send(f"{type(error).__name__}: {error}"[:400])


def measure(path, feed, threads, precision, rounds, burst):
    context, live, rows = multiprocessing.get_context("spawn"), {}, {}
    for peer in ("OpenGE", "ONNX Runtime"):
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, peer, path, threads, precision, feed), daemon=True)
        process.start()
        first = ours.recv()
        if isinstance(first, str):
            rows[peer] = {"failed": first}
        else:
            live[peer], rows[peer] = (ours, process), dict(first, times=[])
    for _ in range(rounds):
        for peer, (pipe, _process) in live.items():
            seen = rows[peer]["times"]
            each = statistics.median(seen) if seen else max(rows[peer]["first_ms"] / 2, 0.01)
            time.sleep(0.05)  # threads of the other peer come to rest
            pipe.send(max(3, min(2000, int(burst * 1e3 / each))))
            answer = pipe.recv()
            if isinstance(answer, str):
                raise RuntimeError(answer)
            seen += answer
    for peer, (pipe, process) in live.items():
        pipe.send(0)
        rows[peer]["peak_mb"] = pipe.recv()
        process.join(20)
        times = sorted(rows[peer].pop("times"))
        rows[peer].update(median_ms=statistics.median(times), p99_ms=times[int(len(times) * 0.99) - 1], runs=len(times))
    outputs = {peer: row.pop("outputs") for peer, row in rows.items() if "outputs" in row}
    if len(outputs) == 2:
        worst = 0.0
        for name, want in outputs["ONNX Runtime"].items():
            difference = np.abs(outputs["OpenGE"][name].astype(np.float64) - want).max() if want.size else 0.0
            worst = max(worst, float(difference / max(np.abs(want).max(), 1e-6)))
        rows["ratio"] = rows["ONNX Runtime"]["median_ms"] / rows["OpenGE"]["median_ms"]
        rows["difference"] = worst
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", help="comma separated names of nets.py")
    parser.add_argument("--onnx", action="append", default=[])
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--precision", default="fp32", help="of OpenGE: fp32, bf16, fp16_weights, …")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--burst", type=float, default=0.4, help="seconds of one turn")
    parser.add_argument("--json")
    args = parser.parse_args()
    import nets
    import onnx

    result, ratios = {}, []
    with tempfile.TemporaryDirectory() as folder:
        work = []
        for name in args.nets.split(",") if args.nets else [] if args.onnx else nets.NETS:
            model, feed = nets.build(name)
            path = os.path.join(folder, name + ".onnx")
            onnx.save(model, path)
            work.append((name, path, feed))
        for path in args.onnx:
            rng, feed = np.random.default_rng(0), {}
            graph = onnx.load(path, load_external_data=False).graph
            known = {i.name for i in graph.initializer}
            for value in graph.input:
                if value.name in known:
                    continue
                kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
                shape = [d.dim_value or 1 for d in value.type.tensor_type.shape.dim]
                array = rng.standard_normal(shape) if np.issubdtype(kind, np.floating) else rng.integers(0, 2, shape)
                feed[value.name] = array.astype(kind)
            work.append((os.path.basename(path), path, feed))
        titles = ("OpenGE ms", "ORT ms", "ratio", "first", "load s", "MB", "diff")
        print(f"{'net':16} {'thr':>3} " + " ".join(f"{t:>{w}}" for t, w in zip(titles, (10, 10, 6, 8, 7, 6, 8))))
        for name, path, feed in work:
            for threads in map(int, args.threads.split(",")):
                rows = result[f"{name}/{threads}"] = measure(path, feed, threads, args.precision, args.rounds, args.burst)
                failed = {p: r["failed"] for p, r in rows.items() if isinstance(r, dict) and "failed" in r}
                if failed:
                    print(f"{name:16} {threads:3}", failed, flush=True)
                    continue
                a, b = rows["OpenGE"], rows["ONNX Runtime"]
                ratios.append(rows["ratio"])
                print(
                    f"{name:16} {threads:3} {a['median_ms']:10.3f} {b['median_ms']:10.3f} {rows['ratio']:6.2f} "
                    f"{a['first_ms']:8.2f} {a['load_s']:7.2f} {a['peak_mb']:6.0f} {rows['difference']:8.1e}",
                    flush=True,
                )
    if ratios:
        print(f"geometric mean of the ratios {statistics.geometric_mean(ratios):.2f}, worst {min(ratios):.2f}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
