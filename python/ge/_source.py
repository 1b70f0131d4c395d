"""What ge.load was given: how it is compiled, and how it becomes bytes when a model is pickled."""

import errno
import os
import pickle

from ge._errors import GeTypeError, GeValueError
from ge._native import NULL, ffi, last_error, lib
from ge._options import plain

# Up to this size a model keeps the bytes it was loaded from, so that it can be pickled.
KEPT_BYTES = 64 << 20
_EXTERNAL = b"\x0a\x08location"  # how an ONNX file says that a weight lies in another file
_OUTPUTS = "ge.outputNodeName"
_FILE_OPTIONS = (_OUTPUTS, "import_limit")  # say how a file is read; a graph has been


def source_of(model, keep):
    """The source for an argument of ge.load. keep: whether to hold what is needed for pickling; None: up to a size."""
    if isinstance(model, (str, os.PathLike)):
        return File(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Bytes(model, keep)
    if hasattr(model, "SerializeToString"):  # a message of protobuf: an onnx.ModelProto, a GraphDef of TensorFlow
        try:
            return Bytes(model.SerializeToString(), keep)
        except ValueError as e:
            hint = "save it with its weights in another file, and load that file"
            raise GeValueError(f"the {type(model).__name__} is no bytes: {e}; {hint}") from e
    from ge.graph.graph import Graph

    if not isinstance(model, Graph):
        raise GeTypeError(f"ge.load takes a path, bytes, a ModelProto or a ge.graph.Graph, got {type(model).__name__}")
    return Nodes(model, keep)


class File:
    """A file, which is read again when it is needed."""

    def __init__(self, path):
        self.path = os.fsdecode(path)
        if "\0" in self.path:
            raise GeValueError(f"the path {self.path!r} holds a null character")
        self._stamp = _stamp(self.path)

    def compile(self, options, out):
        """The status; the model goes to *out."""
        path = self.path
        status = lib.GeCompileFile(os.fsencode(path), options, out)
        if status != 0 and os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "expected a model file, found a folder", path)
        if status != 0 and not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self.path = os.path.abspath(path)  # also when the program changes its folder later
        return status

    def again(self):
        """What ge.load takes to load the same once more."""
        return self.path

    def pickled(self, model, options):
        """The same as something to load that needs no files, and the options."""
        if self._stamp is None or _stamp(self.path) != self._stamp:
            raise pickle.PicklingError(f"the model's file {self.path!r} has changed since it was loaded")
        with open(self.path, "rb") as f:
            content = f.read()
        return self._imported(model, options) if _EXTERNAL in content else (content, options)

    def _imported(self, model, options):
        fed = [p.name for p in model._overridable] or options.get("input_initializers")
        if fed:
            raise pickle.PicklingError(f"the model has weights in other files, and initializers that may be fed: {fed}")
        from ge.graph.graph import Graph

        out = ffi.new("GeGraph **")
        if lib.GeOnnxImport(os.fsencode(self.path), NULL, NULL, out) != 0:
            raise pickle.PicklingError(f"the model's file {self.path!r} cannot be read again: {last_error()}")
        graph = Graph._create_from(out[0])
        outputs = plain(_OUTPUTS, options.get(_OUTPUTS, ""))
        if outputs and lib.GeGraphApplyParserOption(graph._live(), _OUTPUTS.encode(), outputs.encode()) != 0:
            raise pickle.PicklingError(f"the model's outputs {outputs!r} are not found again: {last_error()}")
        return graph, {key: value for key, value in options.items() if key not in _FILE_OPTIONS}


def _stamp(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


class Bytes:
    """The content of a file."""

    def __init__(self, content, keep):
        if isinstance(content, memoryview) and not content.c_contiguous:
            content = content.tobytes()
        self._content = content
        self._keep = keep

    def compile(self, options, out):
        """The status; the model goes to *out."""
        raw = ffi.from_buffer(self._content)
        status = lib.GeCompileBuffer(raw, len(raw), NULL, options, out)
        if status == 0:
            self._size = len(raw)
            keeps = self._size <= KEPT_BYTES if self._keep is None else self._keep
            keeps = keeps or lib.GeModelOverridableCount(out[0]) > 0
            self._content = bytes(self._content) if keeps else None
        return status

    def again(self):
        """What ge.load takes to load the same once more."""
        return self._content

    def pickled(self, model, options):
        """The same as something to load that needs no files, and the options."""
        if self._content is None:
            raise pickle.PicklingError(
                f"the model has not kept the {self._size} bytes it was loaded from, which a pickle needs: load it from a file, "
                "or with keep_source=True"
            )
        return self._content, options


class Nodes:
    """A graph as it was when it was loaded; its constants are shared with the model."""

    def __init__(self, graph, keep):
        self._graph = graph
        self._keep = keep

    def compile(self, options, out):
        """The status; the model goes to *out."""
        status = lib.GeCompile(self._graph._live(), options, out)
        if status == 0:
            self._graph = None if self._keep is False else self._graph._clone()
        return status

    def again(self):
        """What ge.load takes to load the same once more."""
        return self._graph

    def pickled(self, model, options):
        """The same as something to load that needs no files, and the options."""
        if self._graph is None:
            raise pickle.PicklingError("the model has not kept its graph: keep_source=False")
        return self._graph, options
