// A front end's node as callbacks see it.
#pragma once

#include <string>
#include <vector>

#include "capi/src/pass_handles.h"
#include "ge/parser_plugin.h"
#include "parsers/plugin.h"

namespace gec::api {

/// The view of a node that callbacks get, valid for one call.
class FrontView {
 public:
  explicit FrontView(const FrontNode &node) {
    for (const std::string &name : node.inputs) inputs_.push_back(name.c_str());
    for (const std::string &name : node.outputs) outputs_.push_back(name.c_str());
    arenas_.resize(node.attrs.size());
    for (size_t i = 0; i < node.attrs.size(); ++i)
      attrs_.push_back(arenas_[i].View(node.attrs[i].first.c_str(), node.attrs[i].second));
    view_.struct_size = sizeof view_;
    view_.origin_type = node.origin_type.c_str();
    view_.name = node.name.c_str();
    view_.inputs = inputs_.data();
    view_.input_count = inputs_.size();
    view_.outputs = outputs_.data();
    view_.output_count = outputs_.size();
    view_.attrs = attrs_.data();
    view_.attr_count = attrs_.size();
    view_.message = node.message.data();
    view_.message_size = node.message.size();
  }
  const GeFrontNode *get() const { return &view_; }

 private:
  GeFrontNode view_{};
  std::vector<const char *> inputs_, outputs_;
  std::vector<AttrViewArena> arenas_;
  std::vector<GeAttrData> attrs_;
};

/// Throws what a callback reported.
inline void Check(GeStatus status, const char *what) {
  if (status == GE_SUCCESS) return;
  const std::string reason = GeLastErrorCode() != GE_SUCCESS ? GeLastErrorMessage() : "";
  Fail(status, what, " of its plug-in returned ", GeStatusName(status), " (", status, ")", reason.empty() ? "" : ": ",
       reason);
}

}  // namespace gec::api
