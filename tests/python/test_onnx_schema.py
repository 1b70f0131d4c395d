"""ge_onnx.proto, which front-end plug-ins are built with, says what ONNX's own schema says."""

import pathlib
import subprocess

import onnx
from google.protobuf import descriptor_pb2

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "cxx" / "onnx_proto"


def facts(messages, prefix=""):
    """Every field and enumerator with its number, type and whether it repeats."""
    found = {}
    for message in messages:
        name = prefix + message.name
        for field in message.field:
            repeats = field.label == descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
            found[f"{name}.{field.name}"] = (field.number, field.type, repeats, field.type_name.split(".")[-1])
        for enum in message.enum_type:
            found.update({f"{name}.{enum.name}.{value.name}": value.number for value in enum.value})
        found.update(facts(message.nested_type, name + "."))
    return found


def test_fields_have_the_numbers_of_the_format(tmp_path):
    out = tmp_path / "schema"
    command = ["protoc", f"--proto_path={FOLDER}", f"--descriptor_set_out={out}", "proto/onnx/ge_onnx.proto"]
    subprocess.run(command, check=True)
    (ours,) = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    theirs = descriptor_pb2.FileDescriptorProto()
    onnx.onnx_ml_pb2.DESCRIPTOR.CopyToProto(theirs)
    assert ours.package == "ge.onnx"
    own, known = facts(ours.message_type), facts(theirs.message_type)
    assert {k: v for k, v in own.items() if known.get(k) != v} == {}
    # What it leaves out: nodes spread over devices, and opaque values.
    left_out = {k.split(".")[0] for k in known.keys() - own.keys()}
    assert {n for n in left_out if n in {m.name for m in ours.message_type}} <= {"ModelProto", "NodeProto", "TypeProto"}
    for enum in ours.enum_type:
        (same,) = [e for e in theirs.enum_type if e.name == enum.name]
        values = {v.name: v.number for v in same.value}
        assert {v.name: v.number for v in enum.value}.items() <= values.items()
