#include "protos/infer/described.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "protos/infer/reduce.h"

namespace gec::infer {
namespace {

constexpr int32_t kNoType = C_DT_UNDEFINED;

bool IsDigit(char ch) { return ch >= '0' && ch <= '9'; }

/// Reads one output's description; the texts are ours, so what it cannot read is an internal error.
class Reader {
 public:
  Reader(Context &c, std::string_view text) : c_(c), text_(text) {}

  void Output(size_t port) {
    size_t colon = text_.find(':');
    std::string_view type = colon == std::string_view::npos ? "" : text_.substr(colon + 1);
    std::string_view shape = text_.substr(0, colon);
    if (shape == "s*") {
      for (size_t k = 0; k < c_.Instances(0); ++k) c_.Out(port + k, c_.Type(0, k), Shape());
      return;
    }
    if (shape.back() == '*') {
      size_t ir = Index(shape.substr(0, shape.size() - 1));
      for (size_t k = 0; k < c_.Instances(ir); ++k) c_.Out(port + k, c_.Type(ir, k), c_.Dims(ir, k));
      return;
    }
    if (shape.back() == '+') {
      size_t ir = Index(shape.substr(0, shape.size() - 1));
      for (size_t k = port; k < c_.OutCount(); ++k) c_.Out(k, TypeOf(ir), DimsOf(ir));
      return;
    }
    Shape dims = ReadLoss(shape);
    c_.Out(port, type.empty() ? first_type_ : ReadType(type), dims);
  }

 private:
  [[noreturn]] void Unreadable(std::string_view part) const {
    c_.Fail("internal error: description '", text_, "' of ", c_.op().type, " is unreadable at '", part, "'");
  }
  size_t Index(std::string_view text) const {
    if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) Unreadable(text);
    return std::strtoull(std::string(text).c_str(), nullptr, 10);
  }
  Shape DimsOf(size_t ir) const { return c_.Has(ir) ? c_.Dims(ir) : Shape::Unknown(); }
  int32_t TypeOf(size_t ir) const { return c_.Instances(ir) ? c_.Type(ir) : kNoType; }
  /// An input whose type the output has unless another one is given.
  Shape Named(size_t ir) {
    if (first_type_ == kNoType) first_type_ = TypeOf(ir);
    return DimsOf(ir);
  }

  int32_t ReadType(std::string_view type) const {
    if (type == "?") return kNoType;
    if (IsDigit(type[0])) return TypeOf(Index(type));
    if (type[0] == '@') {
      std::string name(type.substr(1));
      return GeOpAttr(&c_.op(), name.c_str()) ? c_.TypeAttr(name.c_str(), TypeOf(0)) : kNoType;
    }
    int32_t found = GeDataTypeFromName(("DT_" + std::string(type)).c_str());
    if (found == C_DT_UNDEFINED) Unreadable(type);
    return found;
  }

  Shape ReadLoss(std::string_view shape) {
    if (shape.back() != '!') return Read(shape);
    Shape dims = Read(shape.substr(0, shape.size() - 1));
    return c_.StringAttr("reduction", "none") == "none" ? dims : Shape();
  }

  Shape Read(std::string_view shape) {
    if (shape.empty()) Unreadable(shape);
    if (shape == "s") return Shape();
    if (shape == "v") return Shape{-1};
    if (shape == "?") return Shape::Unknown();
    if (shape[0] == '=') return Values(c_.Has(Index(shape.substr(1))) ? c_.Ints(Index(shape.substr(1))) : std::nullopt);
    if (shape[0] == '(') return Values(c_.IntsAttr(std::string(shape.substr(1, shape.size() - 2)).c_str()));
    if (shape[0] == '[') return List(shape.substr(1, shape.size() - 2));
    if (size_t at = shape.find('~'); at != std::string_view::npos)
      return Halved(Named(Index(shape.substr(0, at))), std::string(shape.substr(at + 1)));
    if (size_t at = shape.find('{'); at != std::string_view::npos)
      return ReducedBy(Named(Index(shape.substr(0, at))), shape.substr(at + 1, shape.size() - at - 2));
    return Broadcast(shape);
  }

  Shape Values(const std::optional<infer::Values> &values) const {
    if (!values) return Shape::Unknown();
    Shape dims = Shape::OfRank(static_cast<int64_t>(values->size()));
    for (size_t i = 0; i < values->size(); ++i) {
      int64_t value = (*values)[i];
      if (value == kUnknown || value == -1) continue;
      if (value == -2 && values->size() == 1) return Shape::Unknown();
      if (value < 0) c_.Fail("dimension ", i, " of the shape is ", value, ", expected no negative value");
      dims.dims()[i] = value;
    }
    return dims;
  }

  Shape Broadcast(std::string_view text) {
    Shape dims;
    for (size_t start = 0; start <= text.size();) {
      size_t end = std::min(text.find('&', start), text.size());
      size_t ir = Index(text.substr(start, end - start));
      Shape next = Named(ir);
      if (start == 0) dims = next;
      else dims = c_.Broadcast(dims, next, "the inputs so far", ("input " + std::to_string(ir)).c_str());
      start = end + 1;
    }
    return dims;
  }

  Shape Halved(Shape dims, const std::string &axis_text) const {
    if (!dims.has_rank()) return dims;
    bool fixed = axis_text[0] == '-' || IsDigit(axis_text[0]);
    int64_t axis = fixed ? std::atoll(axis_text.c_str()) : c_.IntAttr(axis_text.c_str(), -1);
    axis = c_.Axis(axis, dims.rank(), fixed ? "the last axis" : axis_text.c_str());
    if (dims[axis] >= 0) {
      if (dims[axis] % 2) c_.Fail("x has ", dims[axis], " values along axis ", axis, ", expected an even number");
      dims[axis] /= 2;
    }
    return dims;
  }

  Shape ReducedBy(const Shape &dims, std::string_view names) const {
    size_t comma = names.find(',');
    std::string axes(names.substr(0, comma)), keep(names.substr(comma + 1));
    const GeAttrData *attr = GeOpAttr(&c_.op(), axes.c_str());
    infer::Values values = attr && attr->type == C_VT_INT ? infer::Values{attr->i} : c_.IntsAttr(axes.c_str());
    return Reduced(c_, dims, values, c_.BoolAttr(keep.c_str()), axes.c_str());
  }

  Shape List(std::string_view text) {
    Shape dims;
    for (size_t start = 0; start <= text.size();) {
      size_t end = std::min(text.find(',', start), text.size());
      std::string_view item = text.substr(start, end - start);
      start = end + 1;
      if (item == "?") {
        dims.dims().push_back(-1);
      } else if (item[0] == '@') {
        int64_t value = c_.IntAttr(std::string(item.substr(1)).c_str(), -1);
        if (value < -1) c_.Fail(item.substr(1), " is ", value, ", expected no negative value");
        dims.dims().push_back(value);
      } else if (item.find("...") != std::string_view::npos) {
        Shape from = Named(Index(item.substr(0, item.find_first_of(".!"))));
        if (!from.has_rank()) return Shape::Unknown();
        bool not_last = item.back() == '!', not_first = !not_last && item.find('!') != std::string_view::npos;
        if ((not_last || not_first) && from.rank() == 0) c_.Fail("a scalar is given, expected at least 1 dimension");
        dims.dims().insert(dims.dims().end(), from.dims().begin() + not_first, from.dims().end() - not_last);
      } else if (size_t dot = item.find('.'); dot != std::string_view::npos) {
        Shape from = Named(Index(item.substr(0, dot)));
        int64_t axis = std::atoll(std::string(item.substr(dot + 1)).c_str());
        std::string name = "input " + std::string(item.substr(0, dot));
        if (from.has_rank() && (axis < 0 ? -axis : axis + 1) > from.rank())
          c_.Fail(name, " has shape ", from.str(), ", expected at least ", axis < 0 ? -axis : axis + 1, " dimensions");
        dims.dims().push_back(from.has_rank() ? from[axis < 0 ? axis + from.rank() : axis] : -1);
      } else {
        dims.dims().push_back(static_cast<int64_t>(Index(item)));
      }
    }
    return dims;
  }

  Context &c_;
  std::string_view text_;
  int32_t first_type_ = kNoType;
};

bool ByType(const Described &a, const Described &b) { return std::strcmp(a.type, b.type) < 0; }

const std::vector<Described> &All() {
  static const std::vector<Described> *all = [] {
    auto rows = new std::vector<Described>;
    for (const auto &table :
         {DescribedArrays(), DescribedMath(), DescribedNetworks(), DescribedTraining(), DescribedSpecial()})
      rows->insert(rows->end(), table.begin(), table.end());
    std::sort(rows->begin(), rows->end(), ByType);
    return rows;
  }();
  return *all;
}

void DescribedRule(Context &c) {
  std::string_view rest = DescriptionOf(c.op().type);
  for (size_t port = 0; !rest.empty(); ++port) {
    size_t blank = std::min(rest.find(' '), rest.size());
    Reader(c, rest.substr(0, blank)).Output(port);
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
}

}  // namespace

const char *DescriptionOf(const char *type) {
  const std::vector<Described> &all = All();
  auto it = std::lower_bound(all.begin(), all.end(), Described{type, nullptr}, ByType);
  return it != all.end() && std::strcmp(it->type, type) == 0 ? it->outputs : nullptr;
}

GeStatus InferDescribed(const GeInferContext *raw) { return Guarded<DescribedRule>(raw); }

}  // namespace gec::infer
