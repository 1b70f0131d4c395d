// ONNX import at the C edge.
#include <string>

#include "capi/src/handles.h"
#include "ge/model.h"
#include "parsers/onnx/importer.h"
#include "parsers/options.h"

using namespace gec;
using namespace gec::api;

namespace {

onnx::ReportFn Reporter(GeTextFn report, void *user) {
  if (!report) return nullptr;
  return [report, user](const std::string &json) { report(user, json.data(), json.size()); };
}

}  // namespace

extern "C" {

GeStatus GeOnnxImport(const char *path, GeTextFn report, void *user, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeOnnxImport, out);
    *out = nullptr;
    GE_CHECK_ARG(GeOnnxImport, path);
    *out = NewHandle(onnx::ImportFile(path, Reporter(report, user)));
  });
}

GeStatus GeOnnxImportBuffer(const void *data, size_t size, const char *base_dir, GeTextFn report, void *user,
                            GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeOnnxImportBuffer, out);
    *out = nullptr;
    GE_CHECK_ARG(GeOnnxImportBuffer, data);
    *out = NewHandle(onnx::ImportBuffer(data, size, base_dir ? base_dir : "", Reporter(report, user)));
  });
}

GeStatus GeGraphApplyParserOption(GeGraph *graph, const char *key, const char *value) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphApplyParserOption, key);
    GE_CHECK_ARG(GeGraphApplyParserOption, value);
    ApplyParserOption(GraphOf(graph, "GeGraphApplyParserOption"), key, value);
  });
}

GeStatus GeOnnxDescribe(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeOnnxDescribe, write);
    std::string text = onnx::DescribeOperators();
    write(user, text.data(), text.size());
  });
}

}  // extern "C"
