"""Values of a model that are no tensors (texts, sequences, optional values): what a program gives and takes, and the tensors
that they are inside (docs/python.md, "Values that are no tensors")."""

import json

import numpy as np

from ge._errors import GeTypeError, GeValueError
from ge._feed import convert, name_error
from ge._ports import ValuePort

ROW = 8  # numbers for each element of a sequence: its rank, its extents, then ones


class Values:
    """Those of one model."""

    def __init__(self, described, inputs, outputs):
        self._inputs = _slots(described["inputs"], inputs)
        self._outputs = _slots(described["outputs"], outputs)
        self.inputs = [slot.port for slot in self._inputs]
        self.outputs = [slot.port for slot in self._outputs]

    def expand(self, model, feed, held=()):
        """The feed with tensors in place of other values. `held`: inputs that a state has, which need not be fed."""
        wanted = [slot for slot in self._inputs if slot.port.name in feed or slot.port.name not in held]
        if len(feed) != len(wanted) or any(slot.port.name not in feed for slot in wanted):
            raise name_error(model, {**feed, **dict.fromkeys(held)})
        tensors = {}
        for slot in wanted:
            value = feed[slot.port.name]
            parts = [value] if slot.kind == "tensor" else slot.split(value)
            tensors.update(zip((p.name for p in slot.ports), parts))
        return tensors

    def collapse(self, tensors, held=()):
        """The outputs, with other values in place of their tensors. `held`: those that stay in a state."""
        slots = [slot for slot in self._outputs if slot.port.name not in held]
        return {slot.port.name: slot.join([tensors[p.name] for p in slot.ports]) for slot in slots}

    def check_state(self, pairs):
        """A state holds tensors."""
        for what, slots, names in (("input", self._inputs, pairs), ("output", self._outputs, pairs.values())):
            kinds = {slot.port.name: slot.port.kind for slot in slots if slot.kind != "tensor"}
            parts = {p.name: slot.port for slot in slots if slot.kind != "tensor" for p in slot.ports}
            for name in names:
                if name in kinds or name in parts:
                    owner = name if name in kinds else parts[name].name
                    raise GeTypeError(f"{what} {owner!r} is {_a(kinds[owner])}, a state holds tensors")


def _a(kind):
    return f"an {kind}" if kind.startswith("optional") else f"a {kind}"


def _slots(described, ports):
    by_name = {p.name: p for p in ports}
    first = {row["ports"][0]: row for row in described}
    inside = {name for row in described for name in row["ports"][1:]}
    slots = []
    for port in ports:
        if port.name in first:
            row = first[port.name]
            slots.append(_Slot(row, [by_name[name] for name in row["ports"]]))
        elif port.name not in inside:
            slots.append(_Slot({"name": port.name, "kind": "tensor", "content": "tensor"}, [port]))
    return slots


class _Slot:
    """One input or output as a program sees it, and the ports that it is."""

    def __init__(self, row, ports):
        self.kind, self.content, self.ports = row["kind"], row["content"], ports
        self.port = ports[0] if self.kind == "tensor" else ValuePort(row["name"], self.kind, self.content, ports)
        self._what = f"input {row['name']!r}"

    def split(self, value):
        """The tensors of a value that is fed."""
        if self.kind != "optional":
            return self._split(self.kind, value, self.ports)
        there = np.array(value is not None)
        if value is None:
            return [there, *(_vacant(p) for p in self.ports[1:])]
        return [there, *self._split(self.content, value, self.ports[1:])]

    def _split(self, kind, value, ports):
        if kind == "text":
            return _encode(self._what, value)
        if kind == "tensor":
            return [value]
        if not isinstance(value, (list, tuple)):
            raise GeTypeError(f"{self._what}: got {type(value).__name__}, expected a list of arrays")
        elements = [convert(ports[0].element(f"{self.port.name}[{i}]"), x) for i, x in enumerate(value)]
        rows = np.ones((len(elements), ROW), np.int64)
        for row, x in zip(rows, elements):
            if x.ndim >= ROW:
                raise GeValueError(f"{self._what}: got an array of rank {x.ndim}, sequences hold ranks below {ROW}")
            row[0] = x.ndim
            row[1 : 1 + x.ndim] = x.shape
        flat = [x.reshape(-1) for x in elements]
        return [np.concatenate(flat) if flat else np.empty(0, ports[0]._storage), rows]

    def join(self, parts):
        """The value whose tensors a run gave."""
        if self.kind != "optional":
            return self._join(self.kind, parts)
        return self._join(self.content, parts[1:]) if parts[0] else None

    @staticmethod
    def _join(kind, parts):
        if kind == "text":
            return _decode(*parts)
        if kind == "tensor":
            return parts[0]
        values, rows = parts
        elements, at = [], 0
        for row in rows.tolist():
            shape = row[1 : 1 + row[0]]
            count = int(np.prod(shape, dtype=np.int64))
            elements.append(values[at : at + count].reshape(shape).copy())
            at += count
        return elements


def _vacant(port):
    """The value in place of one that is not fed."""
    shape = (0,) if port.shape is None else tuple(d or 0 for d in port.shape)
    return np.zeros(shape, port._storage)


def _encode(what, value):
    """Where each text lies among the bytes, and the bytes: for each text its length (int64), then its UTF-8. Bytes that are no
    UTF-8 come out of `_decode` as surrogates, and go in as what they were."""
    # NumPy's own texts of fixed width end before the NULs at their end: lists must not become such.
    texts = value if isinstance(value, np.ndarray) else np.asarray(value, object)
    if texts.dtype.kind not in "OUST":
        raise GeTypeError(f"{what}: got dtype {texts.dtype}, expected texts")
    places, pieces, at = np.empty(texts.shape, np.int64), [], 0
    for index, text in np.ndenumerate(texts):
        if not isinstance(text, (str, bytes)):
            raise GeTypeError(f"{what}: got {type(text).__name__} at {list(index)}, expected a text")
        try:
            content = text.encode(errors="surrogateescape") if isinstance(text, str) else bytes(text)
        except UnicodeEncodeError as e:
            raise GeValueError(f"{what}: the text at {list(index)} is no Unicode: {e.reason} at {e.start}") from None
        pieces.append(len(content).to_bytes(8, "little") + content)
        places[index] = at
        at += len(pieces[-1])
    return [places, np.frombuffer(b"".join(pieces), np.uint8)]


def _decode(places, content):
    content = content.tobytes()
    texts = np.empty(places.shape, object)
    for index, at in np.ndenumerate(places):
        size = int.from_bytes(content[at : at + 8], "little")
        texts[index] = content[at + 8 : at + 8 + size].decode(errors="surrogateescape")
    return texts


def values_of(text, inputs, outputs):
    """Those of a model that has some. `text`: GE_MODEL_VALUES."""
    return Values(json.loads(text), inputs, outputs)
