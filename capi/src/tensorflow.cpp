// TensorFlow import at the C edge.
#include "ge/tensorflow.h"

#include <string>

#include "capi/src/handles.h"
#include "parsers/tensorflow/importer.h"

using namespace gec;
using namespace gec::api;

namespace {

tensorflow::ReportFn Reporter(GeTextFn report, void *user) {
  if (!report) return nullptr;
  return [report, user](const std::string &json) { report(user, json.data(), json.size()); };
}

tensorflow::ParserOptions OptionsFrom(const char *function, const GeParserOption *options, size_t count) {
  tensorflow::ParserOptions list;
  if (count != 0 && !options) NullArgument(function, "options");
  for (size_t i = 0; i < count; ++i) {
    if (!options[i].key) NullArgument(function, "options[].key");
    if (!options[i].value) NullArgument(function, "options[].value");
    list.emplace_back(options[i].key, options[i].value);
  }
  return list;
}

}  // namespace

extern "C" {

GeStatus GeTensorFlowImport(const char *path, const GeParserOption *options, size_t option_count, GeTextFn report,
                            void *user, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorFlowImport, out);
    *out = nullptr;
    GE_CHECK_ARG(GeTensorFlowImport, path);
    *out = NewHandle(
        tensorflow::ImportFile(path, OptionsFrom("GeTensorFlowImport", options, option_count), Reporter(report, user)));
  });
}

GeStatus GeTensorFlowImportBuffer(const void *data, size_t size, const GeParserOption *options, size_t option_count,
                                  GeTextFn report, void *user, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorFlowImportBuffer, out);
    *out = nullptr;
    GE_CHECK_ARG(GeTensorFlowImportBuffer, data);
    *out = NewHandle(tensorflow::ImportBuffer(
        data, size, OptionsFrom("GeTensorFlowImportBuffer", options, option_count), Reporter(report, user)));
  });
}

GeStatus GeTensorFlowDescribe(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorFlowDescribe, write);
    const std::string text = tensorflow::DescribeOperators();
    write(user, text.data(), text.size());
  });
}

}  // extern "C"
