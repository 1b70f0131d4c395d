#include "type_sets.h"

#include <map>
#include <sstream>

namespace codegen {
namespace {

using Types = std::set<std::string>;

Types Words(const char *text) {
  Types types;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) types.insert(word);
  return types;
}

const std::map<std::string, Types> &NamedSets() {
  static const std::map<std::string, Types> sets = {
      {"ALL", Words("BOOL COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 QINT16 QINT32 QINT8 QUINT16 "
                    "QUINT8 RESOURCE STRING UINT16 UINT32 UINT64 UINT8 BF16 COMPLEX32")},
      {"QuantifiedType", Words("QINT16 QINT32 QINT8 QUINT16 QUINT8")},
      {"OrdinaryType",
       Words("BOOL COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 UINT16 UINT32 UINT64 "
             "UINT8 BF16 COMPLEX32")},
      {"BasicType",
       Words("COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 QINT16 QINT32 QINT8 QUINT16 "
             "QUINT8 UINT16 UINT32 UINT64 UINT8 BF16 COMPLEX32")},
      {"NumberType",
       Words("COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 QINT32 QINT8 QUINT8 UINT16 "
             "UINT32 UINT64 UINT8 BF16 COMPLEX32")},
      {"RealNumberType", Words("DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 UINT16 UINT32 UINT64 UINT8 BF16")},
      {"ComplexDataType", Words("COMPLEX128 COMPLEX64 COMPLEX32")},
      {"IntegerDataType", Words("INT16 INT32 INT64 INT8 UINT16 UINT32 UINT64 UINT8")},
      {"SignedDataType", Words("INT16 INT32 INT64 INT8")},
      {"UnsignedDataType", Words("UINT16 UINT32 UINT64 UINT8")},
      {"FloatingDataType", Words("DOUBLE FLOAT FLOAT16")},
      {"IndexNumberType", Words("INT32 INT64")},
      {"UnaryDataType", Words("COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 BF16 COMPLEX32")},
      {"FLOAT", Words("FLOAT FLOAT16 BF16")},
  };
  return sets;
}

bool Identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool TypesOf(const std::string &text, std::set<std::string> *types) {
  types->clear();
  std::string word, before;
  auto take = [&] {
    if (word.empty()) return true;
    if (word.compare(0, 3, "DT_") == 0) {
      types->insert(word.substr(3));
    } else if (before == "TensorType") {
      auto found = NamedSets().find(word);
      if (found == NamedSets().end()) return false;
      types->insert(found->second.begin(), found->second.end());
    } else if (word != "TensorType" && word != "ListTensorType" && word != "ge") {
      return false;
    }
    before = word;
    word.clear();
    return true;
  };
  for (char c : text) {
    if (Identifier(c)) word += c;
    else if (!take()) return false;
  }
  return take() && !types->empty();
}

}  // namespace codegen
