// One function per generated file; each returns the whole text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cpp_plan.h"
#include "op_model.h"

namespace codegen {

struct Module {
  std::string name;                                             // "all", "math", …
  std::string guard_prefix;                                     // inserted verbatim into include guards
  std::vector<Op> ops;                                          // by type
  std::map<std::string, std::vector<std::string>> unsupported;  // reason → operator types
};

std::string CHeader(const Module &module, const Op &op);                         // es_<Op>_c.h
std::string CSource(const Op &op);                                               // es_<Op>.cpp
std::string CppHeader(const Module &module, const Op &op, const CppPlan &plan);  // es_<Op>.h
std::string CAggregate(const Module &module);                                    // es_<mod>_ops_c.h
std::string CppAggregate(const Module &module);                                  // es_<mod>_ops.h
std::string PythonOperator(const Module &module, const Op &op);                  // es_<Op>.py
std::string PythonAggregate(const Module &module);                               // es_<mod>_ops.py
std::string PythonStub(const Module &module);                                    // es_<mod>_ops.pyi
std::string PythonFamily(const Module &module, const std::string &source);  // es_<mod>_ops.py over es_<source>_ops.py
std::string PythonFamilyOperator(const Op &op, const std::string &source);  // es_<Op>.py over that of es_<source>
std::vector<std::string> PythonNames(const Op &op);                         // what es_<Op>.py defines
std::string PythonPackage(const Module &module);                            // __init__.py
std::string PythonPackageStub(const Module &module);                        // __init__.pyi
std::string LogHeader();                                                    // es_log.h

// Shared by the emitters.
std::string CBanner();
std::string PythonBanner();
std::string Quoted(const char *text);       // a C string literal
std::string PyString(const char *text);     // a Python string literal
std::string CommentSafe(std::string line);  // one line that ends no comment
std::string GuardName(const Module &module, const std::string &tail);
std::string CSignature(const Op &op);  // "EsCTensorHolder *EsAdd(EsCTensorHolder *x1, …)"
std::string CResultType(const Op &op);
std::string UnsupportedReport(const Module &module, const std::string &prefix);
std::string DataTypeConstant(int64_t value);  // "DT_FLOAT", "" when unknown
std::string FixedFloat(double value);
std::vector<std::string> DocLines(const Op &op);  // brief, inputs with types, attributes with defaults

}  // namespace codegen
