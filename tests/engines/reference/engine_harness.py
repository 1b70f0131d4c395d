"""Runs single kernels of an engine plug-in from Python, without the rest of the library.

The plug-in is loaded as any host would load it: through GeEngineQuery and the structs of capi/include/ge. Each run
is repeated in every way a runtime may call the kernel (constant inputs known when the kernel is made or not, work
split over ranges or not, output placed on an input where the kernel allows it), and all results must be equal to
the bit. The plug-ins are found through GE_ENGINE_DIR, or in the build folder GE_BUILD_DIR.
"""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

import cffi
import ml_dtypes
import numpy as np

ROOT = Path(__file__).resolve().parents[3]


def _traits():
    """Flags of the operators that have a row of traits beside their prototypes, and the flag VIEW."""
    header = (ROOT / "capi/include/ge/op_traits.h").read_text()
    flags = {name: int(value) for name, value in re.findall(r"#define GE_TRAIT_(\w+) (\d+)u", header)}
    rows = {}
    for path in (ROOT / "protos/include/op_proto").glob("*.h"):
        for op, row in re.findall(r"BUILTIN_OP_TRAITS\(\s*(\w+),([^)]*)\)", path.read_text()):
            rows[op] = sum(flags[name] for name in re.findall(r"GE_TRAIT_(\w+)", row))
    return rows, flags["VIEW"]


TRAITS, TRAIT_VIEW = _traits()

# The structs of ge/data.h, ge/op.h and ge/engine.h.
CDEF = """
typedef uint32_t GeStatus;
typedef struct { int32_t data_type, format, origin_format, rank, origin_rank; uint32_t flags; const int64_t *dims;
  const int64_t *origin_dims; void *data; uint64_t size; const int64_t *partial; const void *layout;
  uint64_t reserved; } GeTensorData;
typedef struct { const char *name; int32_t type; uint32_t reserved; int64_t i; double f; const char *s;
  const GeTensorData *tensor; const void *list; uint64_t count; const int64_t *inner_counts; } GeAttrData;
typedef struct { size_t struct_size; uint64_t flags; int32_t control_flow, fused_opcode; } GeOpTraits;
typedef struct { size_t struct_size; const char *type; const char *name; const GeTensorData *inputs; size_t input_count;
  const GeTensorData *outputs; size_t output_count; const GeAttrData *attrs; size_t attr_count;
  const int32_t *ir_input_counts; size_t ir_input_total; const int32_t *ir_output_counts;
  size_t ir_output_total; const GeOpTraits *traits; } GeOpDesc;
typedef void (*GeParallelFn)(void *arg, int64_t begin, int64_t end);
typedef GeStatus (*GePackFn)(void *arg, void *packed);
typedef struct { size_t struct_size; uint32_t engine_abi; uint32_t reserved;
  GeStatus (*fail)(GeStatus code, const char *message);
  void (*log)(int32_t level, const char *message); void *(*get_proc)(const char *name);
  uint64_t cpu_features; } GeEngineHost;
typedef struct { size_t struct_size; void *host; int32_t threads; uint32_t reserved;
  void (*parallel_for)(void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg);
  GeStatus (*packed_constant)(void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                              const void **out);
  GeStatus (*fail)(GeStatus code, const char *message); uint64_t cpu_features; } GeKernelEnv;
typedef struct { size_t struct_size; const void *const *inputs; void *const *outputs; void *workspace;
  const void *allocator; } GeKernelArgs;
typedef struct { size_t struct_size; void *host; void *(*allocate)(void *host, int32_t output, uint64_t bytes);
} GeKernelAllocator;
typedef struct { int32_t kind, input, output, reserved; uint64_t offset; } GeAlias;
typedef struct { size_t struct_size; GeStatus (*run)(void *state, const GeKernelArgs *args); void *state;
  void (*destroy)(void *state); const char *implementation; uint64_t workspace_bytes; uint32_t flags, alias_count;
  const GeAlias *aliases; double flops; const uint64_t *output_bytes; } GeKernel;
typedef struct { uint32_t abi_version, reserved; size_t struct_size; const char *name; const char *version;
  int32_t cost; uint32_t flags;
  GeStatus (*open)(const GeEngineHost *host, const char *path, const char *options, void **engine);
  void (*close)(void *engine);
  GeStatus (*check)(void *engine, const GeOpDesc *op, char *reason, size_t reason_capacity);
  GeStatus (*create_kernel)(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out); } GeEngineTable;
const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi);
const char *GeHostCpuOperatorAt(size_t index);
"""

UNDEFINED = 28
DATA_TYPES = {
    "float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8, "int64": 9,
    "uint64": 10, "float64": 11, "bool": 12, "complex64": 16, "complex128": 17, "bfloat16": 27,
    "float8_e5m2": 35, "float8_e4m3fn": 36,
}  # fmt: skip
FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "HWCN": 16, "NDHWC": 27, "DHWCN": 31}
V3, V4 = 0x1FFF, 0x7DFFF  # GE_CPU_X86_64_V3, _V4
ISA = {"scalar": 0, "avx2": V3, "avx512": V4}


def best_isa() -> str:
    """The most that this processor has."""
    flags = set(open("/proc/cpuinfo").read().split())
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c", "bmi2"} <= flags else "scalar"


def ask_for_tiles():
    """What a host that offers AMX asks the system for: without it the first tile ends the process."""
    arch_prctl, request, tile_data = 158, 0x1023, 18
    ctypes.CDLL(None).syscall(arch_prctl, request, tile_data)


VIEW, DATA_DEPENDENT, ALLOCATES = 1, 2, 8
ALIAS_IN_PLACE = 2
ALIAS_STATE = 3
OVERWRITES = (ALIAS_IN_PLACE, ALIAS_STATE)  # the output may lie where the input lies
bfloat16 = np.dtype(ml_dtypes.bfloat16)


class EngineError(RuntimeError):
    """A status other than success, with the engine's message."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


class DataType(int):
    """An attribute value of GE's type DataType."""


class Fmt:
    """An input or output with a layout: Fmt(array, "NHWC", origin=(format, dims))."""

    def __init__(self, array, format, origin=None):
        self.array, self.format, self.origin = array, format, origin


def type_id(dtype) -> int:
    return DATA_TYPES[np.dtype(dtype).name]


def aligned(count: int, dtype, fill: int = 0xCD, alignment: int = 64) -> np.ndarray:
    """An uninitialised-looking array at a 64-byte boundary."""
    dtype = np.dtype(dtype)
    raw = np.full(count * dtype.itemsize + alignment, fill, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + count * dtype.itemsize].view(dtype)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    out = aligned(array.size, array.dtype).reshape(array.shape)
    out[...] = array
    return out


class Engine:
    """One loaded plug-in."""

    def __init__(self, name: str, isa: str = "", threads: int = 2):
        isa = isa or best_isa()
        build = os.environ.get("GE_BUILD_DIR")
        folder = os.environ.get("GE_ENGINE_DIR") or (build and f"{build}/lib/ge/engines")
        if not folder:
            raise RuntimeError("neither GE_ENGINE_DIR nor GE_BUILD_DIR is set")
        self.path = Path(folder) / f"libge_engine_{name}.so"
        better = Path(folder) / "x86-64-v3" / self.path.name
        if better.exists() and (ISA[isa] or not self.path.exists()):
            self.path = better
        if ISA[isa] >> 22 & 7:
            ask_for_tiles()
        self.ffi = cffi.FFI()
        self.ffi.cdef(CDEF)
        self.lib = self.ffi.dlopen(str(self.path))
        self.table = self.lib.GeEngineQuery(1)
        if self.table == self.ffi.NULL:
            raise RuntimeError(f"{self.path} refuses engine ABI 1")
        self.message, self.threads, self.packed = "", threads, {}
        self.ranges = 1  # most ranges a parallel loop of the latest run() was split into
        self._make_host(isa)
        handle = self.ffi.new("void **")
        self._expect(self.table.open(self.host, str(self.path).encode(), b"", handle))
        self.engine = handle[0]

    def _make_host(self, isa: str):
        ffi = self.ffi

        def fail(code, message):
            self.message = ffi.string(message).decode()
            return code

        def parallel_for(_host, n, grain, fn, arg):
            pieces = min(3, max(1, n // max(grain, 1))) if self.threads > 1 else 1
            self.ranges = max(self.ranges, pieces)
            for i in reversed(range(pieces)):  # any order must do
                fn(arg, n * i // pieces, n * (i + 1) // pieces)

        def packed_constant(_host, data, key, size, pack, arg, out):
            name = (int(ffi.cast("uintptr_t", data)), ffi.string(key))
            if name not in self.packed:
                buffer = aligned(max(size, 1), np.uint8)
                status = pack(arg, ffi.cast("void *", buffer.ctypes.data))
                if status:
                    return status
                self.packed[name] = buffer
            out[0] = ffi.cast("void *", self.packed[name].ctypes.data)
            return 0

        self.callbacks = [
            ffi.callback("GeStatus(GeStatus, const char *)", fail),
            ffi.callback("void(int32_t, const char *)", lambda level, message: None),
            ffi.callback("void *(const char *)", lambda name: ffi.NULL),
            ffi.callback("void(void *, int64_t, int64_t, GeParallelFn, void *)", parallel_for),
            ffi.callback("GeStatus(void *, const void *, const char *, uint64_t, GePackFn, void *, const void **)",
                         packed_constant),
        ]  # fmt: skip
        self.host = ffi.new("GeEngineHost *")
        self.host.struct_size = ffi.sizeof("GeEngineHost")
        self.host.engine_abi, self.host.cpu_features = 1, ISA[isa]
        self.host.fail, self.host.log, self.host.get_proc = self.callbacks[:3]
        self.env = ffi.new("GeKernelEnv *")
        self.env.struct_size = ffi.sizeof("GeKernelEnv")
        self.env.threads, self.env.cpu_features = self.threads, ISA[isa]
        self.env.parallel_for, self.env.packed_constant = self.callbacks[3:5]
        self.env.fail = self.callbacks[0]

    def _expect(self, status: int):
        if status:
            raise EngineError(status, self.message)

    def operators(self) -> list[str]:
        """Operator types the reference engine has kernels for: those in its tables, and views."""
        names, index = [op for op, flags in TRAITS.items() if flags & TRAIT_VIEW], 0
        while (name := self.lib.GeHostCpuOperatorAt(index)) != self.ffi.NULL:
            names.append(self.ffi.string(name).decode())
            index += 1
        return names

    # ---- descriptions ----

    def _tensor(self, keep, array_or_spec, data=None, constant=False):
        ffi = self.ffi
        t = ffi.new("GeTensorData *")
        keep.append(t)
        if array_or_spec is None:
            t.data_type, t.rank, t.origin_rank = UNDEFINED, 0, 0
            return t
        format, origin = "ND", None
        if isinstance(array_or_spec, Fmt):
            format, origin, array_or_spec = array_or_spec.format, array_or_spec.origin, array_or_spec.array
        if isinstance(array_or_spec, tuple):
            shape, dtype = array_or_spec
        else:
            shape, dtype = array_or_spec.shape, array_or_spec.dtype
        dims = ffi.new("int64_t[]", list(shape)) if len(shape) else ffi.NULL
        keep.append(dims)
        t.data_type, t.format, t.origin_format = type_id(dtype), FORMATS[format], FORMATS[format]
        t.rank = t.origin_rank = len(shape)
        t.dims = t.origin_dims = dims
        if origin:
            origin_dims = ffi.new("int64_t[]", list(origin[1]))
            keep.append(origin_dims)
            t.origin_format, t.origin_rank, t.origin_dims = FORMATS[origin[0]], len(origin[1]), origin_dims
        if constant:
            t.flags, t.data, t.size = 1, ffi.cast("void *", data.ctypes.data), data.nbytes
        return t

    def _attr(self, keep, a, name, value):
        ffi = self.ffi

        def hold(x):
            keep.append(x)
            return x

        a.name = hold(ffi.new("char[]", name.encode()))
        if isinstance(value, DataType):
            a.type, a.i = 11, int(value)
        elif isinstance(value, (bool, np.bool_)):
            a.type, a.i = 3, int(value)
        elif isinstance(value, (int, np.integer)):
            a.type, a.i = 4, int(value)
        elif isinstance(value, (float, np.floating)):
            a.type, a.f = 2, float(value)
        elif isinstance(value, str):
            a.type, a.s, a.count = 1, hold(ffi.new("char[]", value.encode())), len(value.encode())
        elif all(isinstance(v, (int, np.integer)) for v in value):
            a.type, a.list, a.count = 1004, hold(ffi.new("int64_t[]", [int(v) for v in value])), len(value)
        elif all(isinstance(v, str) for v in value):
            texts = [hold(ffi.new("char[]", v.encode())) for v in value]
            a.type, a.list, a.count = 1001, hold(ffi.new("char *[]", texts)), len(value)
        else:
            a.type, a.list, a.count = 1002, hold(ffi.new("float[]", [float(v) for v in value])), len(value)

    def describe(self, type, inputs, attrs, outputs, buffers, constants, name="node"):
        """A GeOpDesc; returns (desc, objects that must stay alive)."""
        ffi, keep = self.ffi, []
        desc = ffi.new("GeOpDesc *")
        desc.struct_size = ffi.sizeof("GeOpDesc")
        texts = [ffi.new("char[]", s.encode()) for s in (type, name)]
        desc.type, desc.name = texts
        keep += [desc, *texts]
        ins = ffi.new("GeTensorData[]", max(len(inputs), 1))
        for i, x in enumerate(inputs):
            ins[i] = self._tensor(keep, x, buffers[i], i in constants)[0]
        outs = ffi.new("GeTensorData[]", max(len(outputs), 1))
        for i, y in enumerate(outputs):
            outs[i] = self._tensor(keep, y)[0]
        array = ffi.new("GeAttrData[]", max(len(attrs), 1))
        for i, key in enumerate(sorted(attrs)):
            self._attr(keep, array[i], key, attrs[key])
        keep += [ins, outs, array]
        desc.inputs, desc.input_count = ins, len(inputs)
        desc.outputs, desc.output_count = outs, len(outputs)
        desc.attrs, desc.attr_count = array, len(attrs)
        if type in TRAITS:
            desc.traits = traits = ffi.new("GeOpTraits *", {"struct_size": ffi.sizeof("GeOpTraits"), "flags": TRAITS[type]})
            keep.append(traits)
        return desc, keep

    # ---- calls ----

    def check(self, type, inputs, attrs=None, outputs=()) -> str | None:
        """None when the engine takes the node, else its reason."""
        inputs = [self._array(x) for x in inputs]
        desc, keep = self.describe(type, inputs, attrs or {}, outputs, [None] * len(inputs), ())
        reason = self.ffi.new("char[]", 1024)
        status = self.table.check(self.engine, desc, reason, 1024)
        del keep
        return None if status == 0 else self.ffi.string(reason).decode()

    @staticmethod
    def _array(x):
        return x if x is None or isinstance(x, (Fmt, tuple)) else np.asarray(x)

    def run_once(self, type, inputs, attrs, outputs, constants=(), in_place=None, kept=()):
        """One kernel call. `in_place`: (input, output) that share memory, when the kernel allows it. `kept`: inputs that
        are used where they lie, as constants of a model are, with what was packed of them before.
        Returns (arrays, information about the kernel)."""
        ffi = self.ffi
        raw = [x.array if isinstance(x, Fmt) else x for x in inputs]
        buffers = [x if x is None or i in kept else aligned_copy(x) for i, x in enumerate(raw)]
        desc, keep = self.describe(type, inputs, attrs, outputs, buffers, constants)
        reason = ffi.new("char[]", 1024)
        if self.table.check(self.engine, desc, reason, 1024):
            raise EngineError(0x501B0004, ffi.string(reason).decode())
        room = ffi.new("char[]", ffi.sizeof("GeKernel") + 256)  # what a host gives, for engines with longer headers
        kernel = ffi.cast("GeKernel *", room)
        self._expect(self.table.create_kernel(self.engine, desc, self.env, kernel))
        try:
            info = {
                "implementation": ffi.string(kernel.implementation).decode() if kernel.implementation else "",
                "flags": kernel.flags, "flops": kernel.flops, "workspace": kernel.workspace_bytes,
                "aliases": [(a.kind, a.input, a.output, a.offset)
                            for a in (kernel.aliases[i] for i in range(kernel.alias_count))],
            }  # fmt: skip
            results = []
            for o, spec in enumerate(outputs):
                spec = spec.array if isinstance(spec, Fmt) else spec
                if spec is None:
                    results.append(None)
                    continue
                shape, dtype = spec if isinstance(spec, tuple) else (spec.shape, spec.dtype)
                if kernel.flags & ALLOCATES:
                    results.append(None)  # until the kernel asks for it
                elif kernel.flags & DATA_DEPENDENT:
                    count = kernel.output_bytes[o] // np.dtype(dtype).itemsize
                    results.append(aligned(count, dtype))
                elif in_place and in_place[1] == o:
                    results.append(buffers[in_place[0]].reshape(-1).view(dtype).reshape(shape))
                else:
                    results.append(aligned(int(np.prod(shape, dtype=np.int64)), dtype).reshape(shape))
            workspace = aligned(kernel.workspace_bytes, np.uint8)
            pointers = [
                ffi.new("void *[]", [ffi.NULL if a is None else ffi.cast("void *", a.ctypes.data) for a in arrays] or 1)
                for arrays in (buffers, results)
            ]
            args = ffi.new("GeKernelArgs *")
            args.inputs, args.outputs = pointers
            args.workspace = ffi.cast("void *", workspace.ctypes.data)

            @ffi.callback("void *(void *, int32_t, uint64_t)")
            def allocate(_host, o, size):
                dtype = np.dtype(outputs[o][1])
                results[o] = aligned(size // dtype.itemsize, dtype)
                return ffi.cast("void *", results[o].ctypes.data)

            allocator = ffi.new("GeKernelAllocator *", (ffi.sizeof("GeKernelAllocator"), ffi.NULL, allocate))
            if kernel.flags & ALLOCATES:
                args.allocator = allocator
            before = [None if b is None else b.tobytes() for b in buffers]
            self._expect(kernel.run(kernel.state, args))
            for i, b in enumerate(buffers):
                if b is not None and not (in_place and in_place[0] == i):
                    assert b.tobytes() == before[i], f"{type} changed its input {i}"
            if kernel.flags & DATA_DEPENDENT:
                shapes = workspace[: 64 * len(results)].view(np.int64).reshape(-1, 8)
                for o, row in enumerate(shapes):
                    dims = [int(d) for d in row[1 : 1 + row[0]]]
                    results[o] = results[o][: int(np.prod(dims, dtype=np.int64))].reshape(dims)
        finally:
            if kernel.destroy != ffi.NULL:
                kernel.destroy(kernel.state)
            if not kept:
                self.packed.clear()
        del keep
        return results, info

    def run(self, type, inputs, attrs=None, outputs=()) -> list[np.ndarray]:
        """Runs the kernel in all the ways described at the top and returns the outputs.
        outputs: one (shape, dtype) per port, None for an output nobody reads."""
        inputs, attrs = [self._array(x) for x in inputs], attrs or {}
        raw = [x.array if isinstance(x, Fmt) else x for x in inputs]
        constants = [i for i, x in enumerate(raw) if x is not None and x.dtype.kind in "iu" and x.ndim <= 1]
        threads, self.threads, self.env.threads = self.threads, 1, 1
        try:
            results, info = self.run_once(type, inputs, attrs, outputs)
        finally:
            self.threads = self.env.threads = threads
        self.info, self.ranges = info, 1
        variants = [dict(constants=range(len(inputs))), dict(constants=constants)]
        variants += [dict(in_place=(i, o)) for kind, i, o, _ in info["aliases"] if kind in OVERWRITES]
        for variant in variants:
            again, _ = self.run_once(type, inputs, attrs, outputs, **variant)
            for o, (a, b) in enumerate(zip(results, again)):
                same = a is b or (a.shape == b.shape and a.tobytes() == b.tobytes())
                assert same, f"{type}: output {o} differs when the kernel is called with {variant}"
        return results

    def __call__(self, type, inputs, attrs=None, outputs=()):
        """run() for operators with one output."""
        if isinstance(outputs, (tuple, Fmt)):
            outputs = [outputs]
        return self.run(type, inputs, attrs, outputs)[0]
