// A prototype as a history file holds it: text and kinds, independent of what is registered in this process.
#pragma once

#include <string>
#include <vector>

#include "ge/op.h"

namespace codegen {

struct ProtoPort {
  std::string name;
  int kind = GE_IR_REQUIRED;
  std::string dtype;  // text of the type argument; empty when there is none
  bool operator==(const ProtoPort &o) const { return name == o.name && kind == o.kind && dtype == o.dtype; }
};
struct ProtoAttr {
  std::string name;
  std::string type;  // REG_OP name: "Int", "ListListInt"
  bool required = false;
  bool has_default = false;
  std::string default_text;  // a JSON literal
  bool operator==(const ProtoAttr &o) const {
    return name == o.name && type == o.type && required == o.required && has_default == o.has_default &&
           default_text == o.default_text;
  }
};
struct ProtoGraph {
  std::string name;
  bool dynamic = false;
  bool operator==(const ProtoGraph &o) const { return name == o.name && dynamic == o.dynamic; }
};
struct Proto {
  std::string type;
  std::vector<ProtoPort> inputs, outputs;
  std::vector<ProtoAttr> attrs;  // IR order
  std::vector<ProtoGraph> graphs;
  bool operator==(const Proto &o) const {
    return type == o.type && inputs == o.inputs && outputs == o.outputs && attrs == o.attrs && graphs == o.graphs;
  }
};

/// REG_OP name of an attribute type; empty for types that history files cannot hold.
std::string AttrTypeName(int type);
/// The reverse; C_VT_NONE when unknown.
int AttrTypeFromName(const std::string &name);

/// Describes a registered prototype. Returns an empty text, or why it cannot be described.
std::string ProtoOf(const GeOpSchema &schema, Proto *out);

/// The default as a reader wrote it: the shortest digits that give the same float, 1e-06 and not 9.99999997475242e-07.
std::string ShownDefault(const ProtoAttr &attr);

/// Why the default of an optional attribute cannot be used; empty when it can.
std::string DefaultProblem(const ProtoAttr &attr);

}  // namespace codegen
