#!/usr/bin/env python3
"""Tells what type files are, with a pre-trained model: file, label, confidence.

    classify.py MODEL.onnx CONFIG.json FILE…
    classify.py MODEL.onnx CONFIG.json --demo OUT_DIR     this repository's sources and a .png, .zip and .pdf made on the spot;
                                                          then placement, memory plan and the time beside ONNX Runtime

The model is the one inside the PyPI package `magika` (Apache-2.0). It looks at the first and the last bytes of a file; the
numbers (how many bytes, padding) come from the model's own configuration.
"""

import argparse
import json
import os
import pathlib
import statistics
import struct
import sys
import time
import zipfile
import zlib

import numpy as np

import ge

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Classifier:
    """The model and what it expects: `beg_size` bytes from the front, `end_size` from the back, white space stripped."""

    def __init__(self, model_path, config_path, threads=None):
        self.config = json.loads(pathlib.Path(config_path).read_text(encoding="utf-8"))
        self.labels = self.config["target_labels_space"]
        self.model = ge.load(str(model_path), options={"threads": threads} if threads else None)

    def features(self, path):
        beg, end, pad = (self.config[k] for k in ("beg_size", "end_size", "padding_token"))
        block = self.config["block_size"]
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            front = file.read(min(block, size)).lstrip()[:beg]
            file.seek(max(0, size - block))
            back = file.read(block).rstrip()[-end:]
        row = np.full(beg + end, pad, np.int32)
        row[: len(front)] = np.frombuffer(front, np.uint8)
        if back:
            row[-len(back) :] = np.frombuffer(back, np.uint8)
        return row

    def feed(self, paths):
        return {"bytes": np.stack([self.features(p) for p in paths])}

    def classify(self, paths):
        """[(label, confidence)] in the order of the paths."""
        scores = self.model.run(self.feed(paths))["target_label"]
        best = scores.argmax(axis=1)
        return [(self.labels[i], float(scores[k, i])) for k, i in enumerate(best)]


def make_samples(folder):
    """A picture, an archive and a document, written from scratch."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = b"".join(b"\0" + bytes(v for x in range(64) for v in (x * 4, y * 4, 128)) for y in range(64))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    png = folder / "picture.png"
    header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    png.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    archive = folder / "archive.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        for name in ("README.md", "CMakeLists.txt", "LICENSE"):
            if (ROOT / name).exists():
                z.write(ROOT / name, name)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R >>",
        b"<< /Length 44 >>\nstream\nBT /F1 18 Tf 20 50 Td (A small page) Tj ET\nendstream",
    ]
    text, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(text))
        text += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(text)
    text += b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in offsets)
    text += b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    document = folder / "document.pdf"
    document.write_bytes(text)
    return [png, archive, document]


def repository_files():
    wanted = [
        "CMakeLists.txt", "README.md", "capi/include/ge/model.h", "core/ir/graph.h", "examples/file_type/classify.py",
        "scripts/setup", "CMakePresets.json", "core/ir/node.cpp", "ruff.toml",
    ]
    return [ROOT / name for name in wanted if (ROOT / name).exists()]


def print_table(rows):
    width = max(len(r[0]) for r in rows)
    for name, label, confidence in rows:
        print(f"  {name:{width}}  {label:14} {confidence * 100:5.1f} %")


def compare_speed(classifier, model_path, paths, threads):
    """Median milliseconds of one file, this library and ONNX Runtime taking turns in one process."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    # Else its threads go on spinning between the runs, for longer than the pause below, and take a core from the other library.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(str(model_path), options, providers=["CPUExecutionProvider"])
    feed = classifier.feed(paths[:1])
    peers = {"OpenGE": lambda: classifier.model.run(feed), "ONNX Runtime": lambda: session.run(None, feed)}
    times = {name: [] for name in peers}
    for run in peers.values():
        for _ in range(3):
            run()
    for _ in range(15):
        for name, run in peers.items():
            time.sleep(0.02)  # lets the other library's threads come to rest
            for _ in range(5):
                start = time.perf_counter()
                run()
                times[name].append((time.perf_counter() - start) * 1e3)
    ours = classifier.model.run(feed)["target_label"]
    theirs = session.run(None, feed)[0]
    return {name: statistics.median(t) for name, t in times.items()}, float(np.abs(ours - theirs).max())


def demo(args):
    threads = len(os.sched_getaffinity(0))
    out = pathlib.Path(args.demo)
    start = time.perf_counter()
    classifier = Classifier(args.model, args.config, threads)
    print(f"compiled {pathlib.Path(args.model).name} in {(time.perf_counter() - start) * 1e3:.0f} ms, {threads} thread(s)\n")
    files = repository_files() + make_samples(out / "samples")
    results = classifier.classify(files)
    print_table([(str(p.relative_to(ROOT) if p.is_relative_to(ROOT) else p.name), *r) for p, r in zip(files, results)])

    print("\nwhere each operator runs, and why not elsewhere:")
    print(classifier.model.placement())
    classifier.classify(files[:1])
    picture = out / "memory_plan.svg"
    classifier.model.memory_plan.save(str(picture))
    trace = out / "trace.json"
    classifier.model.profile(classifier.feed(files[:1])).save(str(trace))
    print(f"\nmemory plan: {picture}\nprofile (Chrome / Perfetto): {trace}")

    medians, difference = compare_speed(classifier, args.model, files, threads)
    print("\none file, same process, taking turns:")
    for name, median in medians.items():
        print(f"  {name:14} {median:8.3f} ms")
    print(f"  ratio {medians['ONNX Runtime'] / medians['OpenGE']:.2f} (above 1: OpenGE is faster); "
          f"largest difference of the scores {difference:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("config")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--demo", metavar="OUT_DIR")
    args = parser.parse_args()
    if args.demo:
        demo(args)
    elif args.files:
        classifier = Classifier(args.model, args.config)
        print_table([(name, *r) for name, r in zip(args.files, classifier.classify(args.files))])
    else:
        parser.error("name files, or --demo OUT_DIR")


if __name__ == "__main__":
    sys.exit(main())
