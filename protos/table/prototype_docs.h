// What the comments above the REG_OP declarations say; extract_docs.py writes the table at build time.
#pragma once

namespace gec {

struct PrototypeDoc {
  const char *type;
  const char *family;
  const char *brief;
};

/// Null for a type that no header documents.
const PrototypeDoc *FindPrototypeDoc(const char *type);

}  // namespace gec
