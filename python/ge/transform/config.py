"""Typed options of passes."""

from ge._native import c_text, ffi, lib, text
from ge.transform._calls import check

_TYPES = {bool: lib.GE_CONFIG_BOOL, int: lib.GE_CONFIG_INT, float: lib.GE_CONFIG_FLOAT, str: lib.GE_CONFIG_STRING}
_BY_NUMBER = {number: kind for kind, number in _TYPES.items()}


def register_config_option(key: str, type: type, doc: str = "") -> None:
    """Makes a key of PassContext(config={…}) known. Its values are of type bool, int, float or str."""
    for what, value in (("config key", key), ("doc", doc)):
        if not isinstance(value, str):
            raise TypeError(f"register_config_option: the {what} is a string, got {value!r}")
    if type not in _TYPES:
        raise TypeError(f"config key '{key}': the type must be bool, int, float or str, got {type!r}")
    check(lib.GeConfigKeyRegister(c_text(key), _TYPES[type], c_text(doc)))


def list_configs() -> dict:
    """{key: {"type": "int", "doc": what it means}} of every key that is known."""
    found = {}
    info = ffi.new("GeConfigKey *")
    for i in range(lib.GeConfigKeyCount()):
        info.struct_size = ffi.sizeof("GeConfigKey")
        check(lib.GeConfigKeyAt(i, info))
        found[text(info.name)] = {"type": _BY_NUMBER[info.type].__name__, "doc": text(info.text)}
    return found


def fill(entry, key, value, held):
    """Writes a value into a GeConfigValue. Which type the key takes is the library's to say."""
    if not isinstance(key, str):
        raise TypeError(f"config keys are strings, got {key!r}")
    held.append(ffi.new("char[]", c_text(key)))
    entry.key = held[-1]
    for kind in (bool, int, float, str):  # a bool is an int too
        if isinstance(value, kind):
            break
    else:
        raise TypeError(f"config key '{key}': the value must be a bool, int, float or str, got {value!r}")
    entry.type = _TYPES[kind]
    if kind is float:
        entry.number = value
    elif kind is str:
        held.append(ffi.new("char[]", c_text(value)))
        entry.text = held[-1]
    else:
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"config key '{key}' is {value}, beyond 64 bits")
        entry.integer = value


def read(scope):
    """The options that were set in a native scope."""
    found = {}
    value = ffi.new("GeConfigValue *")
    for key, known in list_configs().items():
        status = lib.GePassScopeGetConfig(scope, key.encode(), value)
        if status == lib.GE_NOT_FOUND:
            continue
        check(status)
        kind = known["type"]
        found[key] = {"bool": bool(value.integer), "int": value.integer, "float": value.number}.get(kind)
        if kind == "str":
            found[key] = text(value.text)
    return found
