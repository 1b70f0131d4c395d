#include "protos/infer/described.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "protos/infer/reduce.h"
#include "protos/table/prototypes.h"

namespace gec::infer {
namespace {

constexpr int32_t kNoType = C_DT_UNDEFINED;

bool IsDigit(char ch) { return ch >= '0' && ch <= '9'; }

/// Reads one output's description; the texts are ours, so what it cannot read is an internal error.
class Reader {
 public:
  Reader(Context &c, std::string_view text) : c_(c), text_(text) {}

  /// A requirement; true when the text is one.
  bool Check() {
    if (text_[0] != '!') return false;
    size_t equals = text_.find('=');
    if (equals == std::string_view::npos)
      return text_.find(':') == std::string_view::npos ? SameShape(text_.substr(1)) : SameType(text_.substr(1));
    std::string_view left = text_.substr(1, equals - 1), right = text_.substr(equals + 1);
    if (!std::all_of(left.begin(), left.end(), IsDigit)) {
      std::optional<int64_t> a = Item(left), b = Item(right);
      bool fixed = std::all_of(right.begin(), right.end(), IsDigit);
      const bool numbers = a && b && !IsSymbolic(*a) && !IsSymbolic(*b);
      if (numbers && *a != *b)
        c_.Fail(Words(left), " is ", *a, ", expected ", *b, fixed ? "" : " like " + Words(right));
      return true;
    }
    size_t ir = Index(left), dots = right.find("..");
    Shape dims = DimsOf(ir);
    int64_t least = static_cast<int64_t>(Index(right.substr(0, dots)));
    int64_t most = dots == std::string_view::npos ? least : static_cast<int64_t>(Index(right.substr(dots + 2)));
    if (dims.has_rank() && (dims.rank() < least || dims.rank() > most))
      c_.Fail(Name(ir), " has shape ", dims.str(), ", expected ", least,
              least == most ? "" : " to " + std::to_string(most), most == 1 ? " dimension" : " dimensions");
    return true;
  }

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

  bool SameShape(std::string_view list) const {
    Shape so_far = Shape::Unknown();
    std::string first;
    for (size_t start = 0; start <= list.size();) {
      size_t end = std::min(list.find('~', start), list.size()), ir = Index(list.substr(start, end - start));
      start = end + 1;
      Shape next = DimsOf(ir);
      if (!next.has_rank()) continue;
      if (!so_far.has_rank()) {
        so_far = next;
        first = Name(ir);
        continue;
      }
      bool same = next.rank() == so_far.rank();
      for (int64_t i = 0; same && i < next.rank(); ++i) {
        same = next[i] < 0 || so_far[i] < 0 || next[i] == so_far[i];
        if (so_far[i] < 0) so_far[i] = next[i];
      }
      if (!same) c_.Fail(Name(ir), " has shape ", next.str(), ", expected ", so_far.str(), " like ", first);
    }
    return true;
  }

  bool SameType(std::string_view list) const {
    int32_t so_far = kNoType;
    std::string first;
    for (size_t start = 0; start <= list.size();) {
      size_t end = std::min(list.find(':', start), list.size()), ir = Index(list.substr(start, end - start));
      start = end + 1;
      for (size_t k = 0; k < c_.Instances(ir); ++k) {
        int32_t type = c_.Type(ir, k);
        if (type == kNoType) continue;
        if (so_far != kNoType && type != so_far)
          c_.Fail(Name(ir), " has data type ", GeDataTypeName(type), ", expected ", GeDataTypeName(so_far), " like ",
                  first);
        if (so_far == kNoType) first = Name(ir);
        so_far = type;
      }
    }
    return true;
  }

  /// An input's name, for messages.
  std::string Name(size_t ir) const {
    std::string name = "input " + std::to_string(ir);
    VisitBuiltinPrototype(c_.op().type, [&](const GeOpSchema &schema) {
      if (ir < schema.input_count) name = schema.inputs[ir].name;
    });
    return name;
  }
  /// The meaning of a TERM, for messages.
  std::string Words(std::string_view term) const {
    size_t dot = term.find('.');
    bool indexed = dot != std::string_view::npos;
    std::string behind(indexed ? term.substr(dot + 1) : "");
    std::string_view head = term.substr(term.find_first_not_of("@#$r"), std::string_view::npos);
    std::string_view first = head.substr(0, head.find('.'));
    if (term[0] == '@') return std::string(first) + (indexed ? "[" + behind + "]" : "");
    if (term[0] == '#') return Name(Index(first)) + (indexed ? "[" + behind + "]" : "");
    if (term[0] == '$') return "the number of elements of " + Name(Index(first));
    if (term[0] == 'r') return "the rank of " + Name(Index(first));
    if (indexed && IsDigit(term[0])) return "dimension " + behind + " of " + Name(Index(first));
    return std::string(term);
  }

  int32_t ReadType(std::string_view type) const {
    if (type == "?") return kNoType;
    if (type == "^") return c_.CommonType({0, 1, 2}, {"x1", "x2", "alpha"});
    if (type[0] == '%') {
      auto [holds, first, second] = Alternatives(type);
      return holds ? ReadType(*holds ? first : second) : kNoType;
    }
    if (type[0] == '~') {
      int32_t of = TypeOf(Index(type.substr(1)));
      return of == C_DT_COMPLEX64 ? C_DT_FLOAT : of == C_DT_COMPLEX128 ? C_DT_DOUBLE : of;
    }
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
    std::string reduction = c_.StringAttr("reduction", "none");
    if (reduction != "none" && reduction != "mean" && reduction != "sum" && reduction != "batchmean")
      c_.Fail("reduction is '", reduction, "', expected none, mean or sum");
    return reduction == "none" ? dims : Shape();
  }

  struct Choice {
    std::optional<bool> holds;
    std::string_view first, second;
  };
  /// The parts of %IF%A|B.
  Choice Alternatives(std::string_view text) const {
    size_t end = text.find('%', 1), bar = text.find('|', end);
    if (end == std::string_view::npos || bar == std::string_view::npos) Unreadable(text);
    return {Holds(text.substr(1, end - 1)), text.substr(end + 1, bar - end - 1), text.substr(bar + 1)};
  }
  std::optional<bool> Holds(std::string_view condition) const {
    size_t at = condition.find_first_of("=>");
    std::string_view what = condition.substr(0, at);
    std::string value(at == std::string_view::npos ? "" : condition.substr(at + 1));
    if (std::all_of(what.begin(), what.end(), IsDigit)) return c_.Has(Index(what));
    if (what.size() > 1 && std::all_of(what.begin() + 1, what.end(), IsDigit)) {
      size_t ir = Index(what.substr(1));
      if (what[0] == 't') return TypeOf(ir) == GeDataTypeFromName(("DT_" + value).c_str());
      if (what[0] == 'f') return c_.Instances(ir) > 0 && c_.In(ir).format == GeFormatFromName(value.c_str());
      Shape dims = DimsOf(ir);
      return dims.has_rank() ? std::optional(dims.rank() == std::atoll(value.c_str())) : std::nullopt;
    }
    std::string name(what);
    const GeAttrData *attr = GeOpAttr(&c_.op(), name.c_str());
    if (at == std::string_view::npos) return c_.BoolAttr(name.c_str());
    if (attr && attr->type == C_VT_STRING) return c_.StringAttr(name.c_str()) == value;
    int64_t number = c_.IntAttr(name.c_str()), limit = std::atoll(value.c_str());
    return condition[at] == '=' ? number == limit : number > limit;
  }

  Shape Read(std::string_view shape) {
    if (shape.empty()) Unreadable(shape);
    if (shape[0] == '%') {
      auto [holds, first, second] = Alternatives(shape);
      return holds ? Read(*holds ? first : second) : Shape::Unknown();
    }
    if (shape == "s") return Shape();
    if (shape == "v") return Shape{-1};
    if (shape == "?") return Shape::Unknown();
    if (shape.size() > 1 && shape.back() == '?') {
      Shape like = Named(Index(shape.substr(0, shape.size() - 1)));
      return like.has_rank() ? Shape::OfRank(like.rank()) : like;
    }
    if (shape[0] == '=')
      return Values(c_.Has(Index(shape.substr(1))) ? c_.SymbolicInts(Index(shape.substr(1))) : std::nullopt);
    if (shape[0] == '(') return Values(c_.IntsAttr(std::string(shape.substr(1, shape.size() - 2)).c_str()));
    if (shape[0] == '[') return List(shape.substr(1, shape.size() - 2));
    if (size_t at = shape.find('_');
        at != std::string_view::npos && shape.find_first_not_of("0123456789_") == std::string_view::npos)
      return Normalised(Named(Index(shape.substr(0, at))), Index(shape.substr(at + 1)));
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
      if (value < 0 && !IsSymbolic(value))
        c_.Fail("dimension ", i, " of the shape is ", value, ", expected no negative value");
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
      else dims = c_.Broadcast(dims, next, "the inputs so far", Name(ir).c_str());
      start = end + 1;
    }
    return dims;
  }

  /// Statistics over the trailing axes that a scale has.
  Shape Normalised(Shape dims, size_t scale) const {
    Shape over = DimsOf(scale);
    if (!dims.has_rank() || !over.has_rank()) return Shape::Unknown();
    if (over.rank() > dims.rank())
      c_.Fail(Name(scale), " has shape ", over.str(), ", expected at most ", dims.rank(), " dimensions");
    for (int64_t i = dims.rank() - over.rank(); i < dims.rank(); ++i) dims[i] = 1;
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
    auto append = [&](const Shape &more, size_t first, size_t last) {
      dims.dims().insert(dims.dims().end(), more.dims().begin() + first, more.dims().begin() + last);
    };
    for (size_t start = 0; start <= text.size();) {
      size_t end = std::min(text.find(',', start), text.size());
      std::string_view item = text.substr(start, end - start);
      start = end + 1;
      bool all = item.find("...") != std::string_view::npos;
      size_t range = item.find('<');
      if (!all && range == std::string_view::npos && item[0] != '=' && item[0] != '(') {
        dims.dims().push_back(Item(item).value_or(-1));
        continue;
      }
      Shape from =
          item[0] == '=' || item[0] == '(' ? Read(item) : Named(Index(item.substr(0, item.find_first_of(".!<"))));
      if (!from.has_rank()) return Shape::Unknown();
      size_t first = 0, last = from.dims().size();
      if (all) {
        bool not_last = item.back() == '!', not_first = !not_last && item.find('!') != std::string_view::npos;
        if ((not_last || not_first) && last == 0)
          c_.Fail(Name(Index(item.substr(0, 1))), " is a scalar, expected at least 1 dimension");
        first = not_first;
        last -= not_last;
      } else if (range != std::string_view::npos) {
        size_t dots = item.find("..", range), close = item.find('>', range);
        auto bound = [&](std::string_view number, size_t fallback) {
          if (number.empty()) return fallback;
          int64_t value = std::atoll(std::string(number).c_str()), rank = from.rank();
          if (value < -rank || value > rank)
            c_.Fail(Name(Index(item.substr(0, range))), " has shape ", from.str(), ", expected at least ",
                    value < 0 ? -value : value, " dimensions");
          return static_cast<size_t>(value < 0 ? value + rank : value);
        };
        first = bound(item.substr(range + 1, dots - range - 1), 0);
        last = std::max(first, bound(item.substr(dots + 2, close - dots - 2), last));
      }
      append(from, first, last);
    }
    return dims;
  }

  /// An extent; nullopt when unknown.
  std::optional<int64_t> Item(std::string_view item) {
    std::string_view rest = item, first = NextTerm(rest);
    std::optional<int64_t> value = Term(first);
    while (!rest.empty()) {
      char op = rest[0];
      bool down = op == '/' && rest.size() > 1 && rest[1] == '/';
      rest.remove_prefix(down ? 2 : 1);
      std::string_view name = NextTerm(rest);
      std::optional<int64_t> by = Term(name);
      if (!value || !by) {
        value = std::nullopt;
        continue;
      }
      if (IsSymbolic(*value) || IsSymbolic(*by)) {
        value = Symbolic(op, *value, *by);
        continue;
      }
      if (op == '*') value = c_.CheckedMul(*value, *by, "an output extent");
      else if (op == '+') value = c_.CheckedAdd(*value, *by, "an output extent");
      else if (op == '-') value = *value - *by;
      else if (op == '&') value = std::min(*value, *by);
      else if (op != '/' && op != '^') Unreadable(item);
      else if (*by < 1) c_.Fail(Words(name), " is ", *by, ", expected at least 1");
      else if (op == '/' && !down && *value % *by)
        c_.Fail(Words(first), " leads to ", *value, " values, expected a multiple of ", *by);
      else value = *value / *by + (op == '^' && *value % *by ? 1 : 0);
      if (*value < 0) c_.Fail(Words(first), " leads to the extent ", *value, ", expected no negative value");
    }
    return value;
  }

  /// One step of Item with a symbolic value.
  std::optional<int64_t> Symbolic(char op, int64_t a, int64_t b) const {
    int64_t value = kUnknown;
    if (op == '*') value = c_.Product(a, b);
    else if (op == '+') value = c_.Sum(a, b);
    else if (op == '-') value = c_.Difference(a, b);
    else if (op == '/') value = c_.Quotient(a, b);
    else if (op == '^') value = c_.Quotient(c_.Sum(a, c_.Difference(b, 1)), b);
    else if (const std::optional<bool> less = op == '&' ? c_.AtMost(a, b) : std::nullopt) value = *less ? a : b;
    return value == kUnknown ? std::nullopt : std::optional(value);
  }

  static std::string_view NextTerm(std::string_view &rest) {
    size_t end = 0;
    while (end < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[end])) ||
                                 std::strchr("?#@$_.", rest[end]) || (rest[end] == '-' && end && rest[end - 1] == '.')))
      ++end;
    std::string_view term = rest.substr(0, end);
    rest.remove_prefix(end);
    return term;
  }

  std::optional<int64_t> Term(std::string_view term) {
    if (term == "?") return std::nullopt;
    if (term.empty()) Unreadable(text_);
    size_t dot = term.find('.');
    bool indexed = dot != std::string_view::npos;
    int64_t index = indexed ? std::atoll(std::string(term.substr(dot + 1)).c_str()) : 0;
    std::string_view head = term.substr(0, dot);
    if (head[0] == '@') return AttrTerm(std::string(head.substr(1)), indexed, index);
    if (head[0] == '#') return ValueTerm(Index(head.substr(1)), indexed, index);
    if (head[0] == 'r' || head[0] == '$') {
      Shape from = DimsOf(Index(head.substr(1)));
      int64_t value = head[0] == '$' ? from.elements() : from.has_rank() ? from.rank() : -1;
      return value < 0 ? std::nullopt : std::optional(value);
    }
    if (!indexed) return static_cast<int64_t>(Index(head));
    Shape from = Named(Index(head));
    if (!from.has_rank()) return std::nullopt;
    int64_t needed = index < 0 ? -index : index + 1;
    if (needed > from.rank())
      c_.Fail(Name(Index(head)), " has shape ", from.str(), ", expected at least ", needed, " dimension",
              needed == 1 ? "" : "s");
    int64_t extent = from[index < 0 ? index + from.rank() : index];
    return extent == -1 ? std::nullopt : std::optional(extent);
  }

  std::optional<int64_t> AttrTerm(const std::string &name, bool indexed, int64_t index) const {
    int64_t value;
    if (indexed) {
      infer::Values all = c_.IntsAttr(name.c_str());
      int64_t count = static_cast<int64_t>(all.size()), needed = index < 0 ? -index : index + 1;
      if (count == 0) return std::nullopt;
      if (needed > count) c_.Fail(name, " has ", count, " values, expected at least ", needed);
      value = all[static_cast<size_t>(index < 0 ? index + count : index)];
    } else {
      value = c_.IntAttr(name.c_str(), -1);
    }
    if (value < -1) c_.Fail(name, " is ", value, ", expected no negative value");
    return value < 0 ? std::nullopt : std::optional(value);
  }

  std::optional<int64_t> ValueTerm(size_t ir, bool indexed, int64_t index) const {
    if (!c_.Has(ir)) return std::nullopt;
    std::optional<infer::Values> all = c_.SymbolicInts(ir);
    if (!all) return std::nullopt;
    int64_t count = static_cast<int64_t>(all->size());
    if (!indexed && count != 1) c_.Fail(Name(ir), " has ", count, " values, expected 1");
    if (index >= count) c_.Fail(Name(ir), " has ", count, " values, expected at least ", index + 1);
    int64_t value = (*all)[static_cast<size_t>(index)];
    if (value == kUnknown) return std::nullopt;
    if (value < 0 && !IsSymbolic(value))
      c_.Fail(Name(ir), indexed ? " contains " : " is ", value, ", expected no negative value");
    return value;
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
  for (size_t port = 0; !rest.empty();) {
    size_t blank = std::min(rest.find(' '), rest.size());
    Reader reader(c, rest.substr(0, blank));
    if (!reader.Check()) reader.Output(port++);
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
