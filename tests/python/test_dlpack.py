"""DLPack both ways: arrays of other libraries are read where they are; tensors are read and written by others without a
copy. NumPy is the other library everywhere, PyTorch where it is installed."""

import gc
import os
import pickle
import subprocess
import sys
import weakref

import models
import numpy as np
import onnx
import pytest
from models import F, node

import ge
from ge import _dlpack
from ge.error import GeTypeError, GeValueError
from ge.es import GraphBuilder
from ge.graph import DataType, Format, Tensor
from ge.session import Session

X = np.arange(12, dtype=np.float32).reshape(3, 4)


class Foreign:
    """An array of another library: nothing but DLPack, of the version before versions unless `versioned`."""

    def __init__(self, array, versioned=False, device=(1, 0)):
        self.array, self.versioned, self.device = array, versioned, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **given):
        if not self.versioned and given.get("max_version") is not None:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        capsule = self.array.__dlpack__(**given)
        if self.device != (1, 0):
            name = b"dltensor_versioned" if self.versioned and "max_version" in given else b"dltensor"
            layout = _dlpack._View if name == b"dltensor" else _dlpack._Versioned
            view = layout.from_address(_dlpack._pointer(capsule, name))
            view = getattr(view, "view", view)
            view.device_type, view.device_id = self.device
        return capsule


def neg(shape=(3, 4), kind=F):
    return ge.load(models.make([node("Neg", ["x"], ["y"])], {"x": (kind, list(shape))}, {"y": (kind, list(shape))}))


# ---- in ----


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("layout", ["plain", "transposed", "strided", "reversed", "broadcast", "offset"])
def test_every_layout_is_read(layout, versioned):
    array = {
        "plain": X,
        "transposed": np.asfortranarray(X),
        "strided": np.repeat(X, 2, 1)[:, ::2],
        "reversed": X[::-1, ::-1],
        "broadcast": np.broadcast_to(X[0], (3, 4)),
        "offset": np.concatenate([X, X])[3:],
    }[layout]
    array = array if layout in ("reversed", "broadcast") and versioned else np.asarray(array)
    if not array.flags.writeable and not versioned:
        array = array.copy()
    assert np.array_equal(neg()(Foreign(array, versioned)), -array)


def test_no_copy_on_the_way_in():
    from ge._dlpack import _parsed, view_of

    for read in (view_of, lambda v: _parsed(v, np)):
        array, lacks = read(Foreign(X))
        assert lacks is None and array.ctypes.data == X.ctypes.data and array.strides == X.strides


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                                  "float32", "float64", "bool", "complex64", "complex128"])  # fmt: skip
def test_our_own_reader_agrees_with_numpys(kind):
    from ge._dlpack import _parsed

    a = (X % 3).astype(kind)
    for array in (a, a[::-1, ::2], a.T, a[:0], a[:1, :1].reshape(()), np.broadcast_to(a[0], (2, 4)).copy()):
        for versioned in (False, True):
            got, lacks = _parsed(Foreign(array, versioned), np)
            assert lacks is None and got.dtype == array.dtype and got.shape == array.shape and np.array_equal(got, array)


def test_the_memory_stays_while_it_is_read():
    from ge._dlpack import _parsed

    for read in (lambda v: _parsed(v, np)[0], np.from_dlpack):
        array = read(Foreign(np.full(1 << 16, 7.0)))
        gc.collect()
        np.full(1 << 16, 9.0)
        assert (array == 7.0).all()


def test_what_does_not_fit_is_an_error_that_names_the_input():
    m = neg()
    with pytest.raises(GeTypeError, match="^input 'x': got dtype float64, expected float32$"):
        m(Foreign(X.astype(np.float64)))
    with pytest.raises(GeValueError, match=r"^input 'x': got shape \(4, 3\), expected \(3, 4\)$"):
        m(Foreign(X.T))
    with pytest.raises(GeTypeError, match="^input 'x': got test_dlpack.Foreign: it lies on device 2:1 of DLPack, expected"):
        m(Foreign(X, device=(2, 1)))

    class Broken(Foreign):
        def __dlpack__(self, **given):
            raise BufferError("cannot export tensors that require gradient")

    with pytest.raises(GeTypeError, match="^input 'x': got .*Broken: cannot export tensors that require gradient$") as found:
        m(Broken(X))
    assert isinstance(found.value.__cause__, BufferError)

    class NoCapsule(Foreign):
        def __dlpack__(self, **given):
            return 5

    with pytest.raises(GeTypeError, match="^input 'x': got .*NoCapsule: "):
        m(NoCapsule(X))
    assert np.array_equal(m(X), -X)


def test_what_has_an_array_form_too_falls_back_to_it():
    class Both(Foreign):
        def __array__(self, dtype=None, copy=None):
            return np.array(self.array)

    assert np.array_equal(neg()(Both(X, device=(2, 0))), -X)


# ---- out ----


def tensor(array=X, kind=DataType.DT_FLOAT):
    return Tensor(array, data_type=kind)


class Old:
    """A consumer's view of a tensor before there were versions."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **given):
        return self.tensor.__dlpack__()


@pytest.mark.parametrize("form", [lambda t: t, Old])
@pytest.mark.parametrize("name", ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FLOAT", "FLOAT16"])
def test_numpy_reads_tensors(name, form):
    t = tensor(np.arange(12).reshape(3, 4), DataType[f"DT_{name}"])
    got = np.from_dlpack(form(t))
    assert got.dtype.name == {"FLOAT": "float32"}.get(name, name.lower()) and np.array_equal(got, np.arange(12).reshape(3, 4))
    assert np.array_equal(got, np.asarray(t)) and got.ctypes.data == np.asarray(t).ctypes.data


def test_bool_scalar_and_empty():
    assert np.from_dlpack(Tensor([True, False], shape=[2])).tolist() == [True, False]
    scalar = np.from_dlpack(Tensor([5], data_type=DataType.DT_INT32, shape=[]))
    assert scalar.shape == () and scalar == 5
    assert np.from_dlpack(Tensor([], data_type=DataType.DT_INT32, shape=[0, 3])).shape == (0, 3)


def test_what_others_write_is_written():
    t = tensor()
    np.from_dlpack(t)[1, 2] = 99
    assert t.data[1][2] == 99


def test_the_content_outlives_the_tensor():
    array = np.from_dlpack(tensor(np.full((64, 1024), 3.0, np.float32)))
    old = np.from_dlpack(Old(tensor(np.full((64, 1024), 4.0, np.float32))))
    gc.collect()
    [np.full((64, 1024), 9.0, np.float32) for _ in range(4)]
    assert (array == 3).all() and (old == 4).all()


def test_results_of_a_session_go_out_without_a_copy():
    b = GraphBuilder("g")
    x = b.create_input(0, name="x", shape=[3, 4])
    s = Session()
    s.add_graph(1, b.build_and_reset([x + x]))
    (y,) = s.run_graph(1, [tensor()])
    got = np.from_dlpack(y)
    assert np.array_equal(got, X + X) and got.ctypes.data == np.asarray(y).ctypes.data


def held_by_a_graph():
    b = GraphBuilder("g")
    import ge.es.all as es

    es.Const(b, value=(t := tensor()))
    return b, t


def test_what_a_graph_holds_is_read_only_or_a_copy():
    b, t = held_by_a_graph()
    assert not np.from_dlpack(t).flags.writeable
    address = np.asarray(t).ctypes.data
    assert np.from_dlpack(t).ctypes.data == address
    copy = np.from_dlpack(Old(t))
    assert np.array_equal(copy, X) and copy.ctypes.data != address
    with pytest.raises(BufferError, match="a graph holds the tensor, too"):
        t.__dlpack__(copy=False)


def test_a_copy_when_one_is_asked_for():
    t = tensor()
    capsule = t.__dlpack__(max_version=(1, 0), copy=True)

    class Given(Foreign):
        def __dlpack__(self, **given):
            return capsule

    got = np.from_dlpack(Given(X))
    got[0, 0] = 50
    assert t.data[0][0] == 0


def test_what_cannot_be_exported():
    t = tensor()
    wrong = (({"stream": 3}, "stream is 3, expected None"), ({"dl_device": (2, 0)}, r"dl_device is \(2, 0\), expected"))
    for given, text in wrong:
        with pytest.raises(BufferError, match=text):
            t.__dlpack__(**given)
    assert t.__dlpack__(dl_device=(1, 0), max_version=(1, 0), stream=None)
    with pytest.raises(BufferError, match="no content of a known shape"):
        Tensor(data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[4]).__dlpack__()


def test_capsules_that_nobody_takes_are_freed():
    t = tensor(np.zeros((1024, 1024), np.float32))
    for _ in range(3000):  # 12 GB if each kept a copy
        t.__dlpack__(copy=True)
        t.__dlpack__(max_version=(1, 2))
    used = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    assert used < 3 << 30


def test_a_capsule_may_outlive_the_interpreter():
    script = (
        "import ctypes, numpy, ge\nfrom ge.graph import Tensor\n"
        "a = numpy.from_dlpack(Tensor([1.0] * 4096, shape=[4096]))\n"
        "c = Tensor([1.0] * 4096, shape=[4096]).__dlpack__()\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(a))\nctypes.pythonapi.Py_IncRef(ctypes.py_object(c))\nprint(a.sum())\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ)
    assert (run.returncode, run.stdout) == (0, "4096.0\n"), run.stderr


# ---- types that NumPy does not have ----


def bits(kind, values):
    """A tensor of a type that has no NumPy form, from its bits."""
    size = 2 if kind == DataType.DT_BF16 else 1
    t = Tensor(values, data_type=DataType.DT_UINT16 if size == 2 else DataType.DT_UINT8, shape=[len(values)])
    return t.set_data_type(kind)


def test_bfloat16_goes_in_and_out():
    kind = onnx.TensorProto.BFLOAT16
    m = ge.load(models.make([node("Cast", ["x"], ["y"], to=F)], {"x": (kind, [3])}, {"y": (F, [3])}, opset=19))
    for form in (lambda t: t, Old):  # 1, -2, 0.5
        assert m(form(bits(DataType.DT_BF16, [0x3F80, 0xC000, 0x3F00]))).tolist() == [1.0, -2.0, 0.5]


def test_bits_are_not_taken_for_numbers():
    m = neg((3,), onnx.TensorProto.INT16)
    with pytest.raises(GeTypeError, match="^input 'x': got dtype bfloat16, expected int16$"):
        m(bits(DataType.DT_BF16, [1, 2, 3]))
    unsigned = ge.load(models.make([node("Identity", ["x"], ["y"])], {"x": (onnx.TensorProto.UINT16, [3])},
                                   {"y": (onnx.TensorProto.UINT16, [3])}))  # fmt: skip
    with pytest.raises(GeTypeError, match="^input 'x': got dtype bfloat16, expected uint16$"):
        unsigned(bits(DataType.DT_BF16, [1, 2, 3]))


def test_float8_goes_in_and_is_told_apart():
    kinds = {DataType.DT_FLOAT8_E4M3FN: onnx.TensorProto.FLOAT8E4M3FN, DataType.DT_FLOAT8_E5M2: onnx.TensorProto.FLOAT8E5M2}
    for ours, kind in kinds.items():
        m = ge.load(models.make([node("Cast", ["x"], ["y"], to=F)], {"x": (kind, [2])}, {"y": (F, [2])}, opset=19))
        one = {DataType.DT_FLOAT8_E4M3FN: 0x38, DataType.DT_FLOAT8_E5M2: 0x3C}[ours]
        assert m(bits(ours, [one, 0])).tolist() == [1.0, 0.0]
        (other,) = kinds.keys() - {ours}
        with pytest.raises(GeTypeError, match="^input 'x': got dtype float8_e"):
            m(bits(other, [one, 0]))


def test_texts_have_no_form():
    t = Tensor([1], data_type=DataType.DT_INT32, shape=[1]).set_data_type(DataType.DT_QINT32)
    with pytest.raises(BufferError, match="DLPack has no type for DT_QINT32"):
        t.__dlpack__()


def test_results_of_a_type_that_numpy_lacks_go_out_as_that_type():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = onnx.TensorProto.BFLOAT16
    m = ge.load(models.make([node("Cast", ["x"], ["y"], to=kind)], {"x": (F, [3])}, {"y": (kind, [3])}, opset=19))
    y = m(np.float32([1, -2, 0.5]))
    assert y.dtype == ml_dtypes.bfloat16 and isinstance(y, np.ndarray)
    for form in (y, Foreign(y), Foreign(y, True), y[::2]):
        opened = _dlpack._Opened(form)
        assert (opened.view.code, opened.view.bits) == (4, 16)
    assert np.asarray(Tensor.from_dlpack(y).set_data_type(DataType.DT_UINT16)).tolist() == [0x3F80, 0xC000, 0x3F00]
    assert np.from_dlpack(y.view(np.uint16)).tolist() == [0x3F80, 0xC000, 0x3F00]
    copy = pickle.loads(pickle.dumps(y))
    assert type(copy) is np.ndarray and copy.dtype == y.dtype and (copy == y).all()


# ---- tensors over memory of others ----


@pytest.mark.parametrize("form", [lambda a: a, Foreign, lambda a: Foreign(a, True)])
@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                                  "float32", "float64", "bool", "complex64", "complex128"])  # fmt: skip
def test_a_tensor_over_an_array(kind, form):
    for a in (X.astype(kind), X.astype(kind)[::-1, ::2], X.astype(kind).T, np.zeros((0, 3), kind), np.ones((), kind)):
        t = Tensor.from_dlpack(form(a))
        back = np.from_dlpack(t)
        assert list(t.shape) == list(a.shape) and back.dtype == a.dtype and np.array_equal(back, a)
        if a.size and a.flags.c_contiguous:
            assert back.ctypes.data == a.ctypes.data
    source = X.astype(kind)
    t = Tensor.from_dlpack(form(source))
    source[0, 0] = 1
    assert np.asarray(np.from_dlpack(t))[0, 0] == 1


def test_read_only_memory_is_copied():
    a = X.copy()
    a.flags.writeable = False
    t = Tensor.from_dlpack(Foreign(a, True))
    np.from_dlpack(t)[0, 0] = 50
    assert a[0, 0] == 0 and t.data[0][0] == 50


def test_the_array_stays_while_the_tensor_does():
    class Watched(np.ndarray):
        pass

    a = np.full((64, 1024), 5.0, np.float32).view(Watched)
    gone = weakref.ref(a)
    t = Tensor.from_dlpack(Foreign(a))
    del a
    gc.collect()
    assert gone() is not None and t.data[63][1023] == 5.0
    del t
    gc.collect()
    assert gone() is None


def test_a_session_runs_on_memory_of_others():
    b = GraphBuilder("g")
    x = b.create_input(0, name="x", shape=[3, 4])
    s = Session()
    s.add_graph(1, b.build_and_reset([x + x]))
    assert np.array_equal(np.from_dlpack(s.run_graph(1, [Tensor.from_dlpack(X)])[0]), X + X)


def test_what_is_no_tensor():
    with pytest.raises(BufferError, match="it lies on device 2:1 of DLPack"):
        Tensor.from_dlpack(Foreign(X, device=(2, 1)))
    with pytest.raises(AttributeError):
        Tensor.from_dlpack([1.0])
    taken = X.__dlpack__()
    Tensor.from_dlpack(type("Once", (), {"__dlpack__": lambda self: taken})())
    with pytest.raises(BufferError, match="used already"):
        Tensor.from_dlpack(type("Twice", (), {"__dlpack__": lambda self: taken})())


# ---- PyTorch ----


def test_torch_both_ways():
    torch = pytest.importorskip("torch")
    m = neg()
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    assert np.array_equal(m(x), -X) and np.array_equal(m(x.T.contiguous().T), -X)
    assert ge._feed.convert(m.inputs[0], x).ctypes.data == x.data_ptr()
    y = torch.from_dlpack(m(x))
    assert torch.equal(y, -x)
    with pytest.raises(GeTypeError, match="^input 'x': .*grad"):
        m(x.clone().requires_grad_())
    t = tensor()
    shared = torch.from_dlpack(t)
    shared[0, 0] = 42
    assert t.data[0][0] == 42 and shared.data_ptr() == np.asarray(t).ctypes.data
    over = Tensor.from_dlpack(x)
    x[0, 0] = -9
    assert over.data[0][0] == -9 and np.asarray(over).ctypes.data == x.data_ptr()
    bfloat = onnx.TensorProto.BFLOAT16
    to_bfloat = ge.load(models.make([node("Cast", ["x"], ["y"], to=bfloat)], {"x": (F, [2])}, {"y": (bfloat, [2])}, opset=19))
    if to_bfloat.outputs[0].dtype.name == "bfloat16":  # ml_dtypes is installed
        assert torch.from_dlpack(to_bfloat([1.5, -4.0])).tolist() == [1.5, -4.0]
    half = bits(DataType.DT_BF16, [0x3F80, 0xC000, 0x3F00])
    assert torch.from_dlpack(half).tolist() == [1.0, -2.0, 0.5] and torch.from_dlpack(half).dtype == torch.bfloat16
    inputs = {"x": (onnx.TensorProto.BFLOAT16, [3])}
    cast = ge.load(models.make([node("Cast", ["x"], ["y"], to=F)], inputs, {"y": (F, [3])}, opset=19))
    assert cast(torch.tensor([1.0, -2.0, 0.5], dtype=torch.bfloat16)).tolist() == [1.0, -2.0, 0.5]
