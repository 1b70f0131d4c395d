// Operators that are not taken over by name, input by input, and attribute by attribute.
#pragma once

#include <string_view>
#include <vector>

namespace gec::tensorflow {

class NodeContext;
using HandlerFn = void (*)(NodeContext &);

struct Handler {
  const char *type;
  HandlerFn fn;
};
struct HandlerTable {
  const Handler *begin;
  const Handler *end;
};

// One table per family; each is defined in ops_<family>.cpp.
HandlerTable SourceHandlers();
HandlerTable MathHandlers();
HandlerTable ShapeHandlers();
HandlerTable ConvolutionHandlers();
HandlerTable ImageHandlers();
HandlerTable ControlHandlers();

/// All of them, sorted by type.
const std::vector<Handler> &AllHandlers();
/// Null when the operator has no rule of its own.
const Handler *FindHandler(std::string_view type);
/// Why an operator is not imported; null when nothing is known of it.
const char *WhyUnsupported(std::string_view type);
/// By the prototype of the same name.
void TakeByPrototype(NodeContext &context);
/// By the function of the library that is called like the operator.
void CallByName(NodeContext &context);

}  // namespace gec::tensorflow
