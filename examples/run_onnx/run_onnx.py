"""Loads an ONNX file and runs it; every input is fed with 0.5.

    python run_onnx.py MODEL.onnx
"""

import sys

import numpy as np

import ge

model = ge.load(sys.argv[1], options={"threads": 1})
feed = {i.name: np.full([d if d > 0 else 1 for d in i.shape], 0.5, i.dtype) for i in model.inputs}
for name, value in model.run(feed).items():
    print(name, value.ravel()[:4])
