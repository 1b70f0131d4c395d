#include "literal.h"

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "element.h"
#include "feed.h"

namespace tool {
namespace {

constexpr size_t kMostLevels = 16;

[[noreturn]] void Refuse(const Port &input, const std::string &why) {
  throw Usage("input '" + input.name + "': " + why + "; it takes " + TypeText(input.data_type) + ShapeText(input));
}

// Values as they are written, and the lengths of nested lists.
struct Written {
  std::vector<std::string> values;
  std::vector<int64_t> dims;
  bool nested = false;  // brackets say the shape
};

class Reader {
 public:
  Reader(const std::string &text, const Port &input) : text_(text), input_(input) {}

  Written Read() {
    Written written;
    Skip();
    if (at_ < text_.size() && text_[at_] == '[') {
      written.nested = true;
      List(0, &written);
    } else {
      do written.values.push_back(Value());
      while (Take(','));
      if (written.values.size() > 1) written.dims = {static_cast<int64_t>(written.values.size())};
    }
    Skip();
    if (at_ != text_.size()) Refuse(input_, "'" + text_ + "': '" + text_.substr(at_) + "' is one thing too many");
    return written;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(char c) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string Value() {
    Skip();
    const size_t end = std::min(text_.find_first_of(",[]", at_), text_.size());
    std::string value = text_.substr(at_, end - at_);
    value.erase(value.find_last_not_of(" \t") + 1);
    if (value.empty()) Refuse(input_, "'" + text_ + "': a value is missing at character " + std::to_string(at_ + 1));
    at_ = end;
    return value;
  }
  void List(size_t level, Written *written) {
    if (level >= kMostLevels)
      Refuse(input_, "'" + text_ + "' has more than " + std::to_string(kMostLevels) + " levels");
    if (!Take('[')) Refuse(input_, "'" + text_ + "': a list is missing at character " + std::to_string(at_ + 1));
    int64_t length = 0;
    if (!Take(']')) {
      Skip();
      const bool lists = at_ < text_.size() && text_[at_] == '[';
      do {
        if (lists) List(level + 1, written);
        else written->values.push_back(Value());
        ++length;
      } while (Take(','));
      if (!Take(']')) Refuse(input_, "'" + text_ + "': a ']' is missing at character " + std::to_string(at_ + 1));
    }
    // Inner lists end first: the first one at a level says the length of all.
    if (lengths_.size() <= level) lengths_.resize(level + 1, -1);
    if (lengths_[level] < 0) lengths_[level] = length;
    if (lengths_[level] != length)
      Refuse(input_, "'" + text_ + "': lists of " + std::to_string(lengths_[level]) + " and of " +
                         std::to_string(length) + " values side by side");
    if (level == 0) written->dims = lengths_;
  }

  const std::string &text_;
  const Port &input_;
  size_t at_ = 0;
  std::vector<int64_t> lengths_;
};

// The shape of the input for so many values.
std::vector<int64_t> ShapeFor(const Written &written, const Port &input) {
  const int64_t count = static_cast<int64_t>(written.values.size());
  const std::string said = DimsText(written.dims.data(), static_cast<int64_t>(written.dims.size()));
  if (!input.ranked) return written.dims;
  std::vector<int64_t> dims = input.dims;
  if (written.nested) {
    bool fits = dims.size() == written.dims.size();
    for (size_t i = 0; fits && i < dims.size(); ++i) fits = dims[i] < 0 || dims[i] == written.dims[i];
    if (fits) return written.dims;
    if (written.dims.size() != 1) Refuse(input, "the value has shape " + said);
  }
  // A plain list: its length fills the first open dimension, the others are 1.
  int64_t fixed = 1;
  for (int64_t d : dims)
    if (d > 0) fixed *= d;
  bool open = count > 1;
  for (int64_t &d : dims) {
    if (d >= 0) continue;
    d = open && count % fixed == 0 ? count / fixed : 1;
    open = false;
  }
  int64_t elements = 1;
  for (int64_t d : dims) elements *= d;
  const bool fills = count == 1 && !written.nested;
  if (elements != count && !fills) Refuse(input, std::to_string(count) + " values do not make that shape");
  return dims;
}

template <typename T>
void Store(Array *array, T value) {
  const char *bytes = reinterpret_cast<const char *>(&value);
  array->bytes.insert(array->bytes.end(), bytes, bytes + sizeof value);
}

template <typename T>
void Whole(const std::string &text, const Port &input, Array *array) {
  char *end = nullptr;
  errno = 0;
  bool beyond = false;
  T value = 0;
  if (std::is_signed_v<T>) {
    const long long v = std::strtoll(text.c_str(), &end, 10);
    value = static_cast<T>(v);
    beyond = static_cast<long long>(value) != v;
  } else {
    const unsigned long long v = std::strtoull(text.c_str(), &end, 10);
    value = static_cast<T>(v);
    beyond = static_cast<unsigned long long>(value) != v || text[0] == '-';
  }
  if (end == text.c_str() || *end) Refuse(input, "'" + text + "' is no whole number");
  if (beyond || errno == ERANGE)
    Refuse(input, "'" + text + "' is beyond " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                      std::to_string(std::numeric_limits<T>::max()));
  Store(array, value);
}

void Real(const std::string &text, const Port &input, Array *array) {
  char *end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end) Refuse(input, "'" + text + "' is no number");
  const bool far = input.data_type == C_DT_FLOAT16
                       ? std::fabs(value) > 65504
                       : input.data_type != C_DT_DOUBLE && std::fabs(value) > std::numeric_limits<float>::max();
  if ((far && std::isfinite(value)) || (errno == ERANGE && std::isinf(value)))
    Refuse(input, "'" + text + "' is beyond the greatest number of its type");
  switch (input.data_type) {
    case C_DT_DOUBLE:
      return Store(array, value);
    case C_DT_FLOAT16:
      return Store(array, HalfBits(value));
    case C_DT_BF16:
      return Store(array, BrainFloatBits(value));
    default:
      return Store(array, static_cast<float>(value));
  }
}

void One(const std::string &text, const Port &input, Array *array) {
  const bool yes = text == "true" || text == "True", no = text == "false" || text == "False";
  switch (input.data_type) {
    case C_DT_BOOL:
      if (!yes && !no && text != "0" && text != "1") Refuse(input, "'" + text + "' is neither true nor false");
      return Store(array, static_cast<uint8_t>(yes || text == "1"));
    case C_DT_INT8:
      return Whole<int8_t>(text, input, array);
    case C_DT_UINT8:
      return Whole<uint8_t>(text, input, array);
    case C_DT_INT16:
      return Whole<int16_t>(text, input, array);
    case C_DT_UINT16:
      return Whole<uint16_t>(text, input, array);
    case C_DT_INT32:
      return Whole<int32_t>(text, input, array);
    case C_DT_UINT32:
      return Whole<uint32_t>(text, input, array);
    case C_DT_INT64:
      return Whole<int64_t>(text, input, array);
    case C_DT_UINT64:
      return Whole<uint64_t>(text, input, array);
    case C_DT_FLOAT:
    case C_DT_DOUBLE:
    case C_DT_FLOAT16:
    case C_DT_BF16:
      return Real(text, input, array);
    default:
      Refuse(input, "values of this type cannot be written on the command line");
  }
}

}  // namespace

Array ReadLiteral(const std::string &text, const Port &input) {
  const Written written = Reader(text, input).Read();
  Array array;
  array.data_type = input.data_type;
  array.dims = ShapeFor(written, input);
  for (const std::string &value : written.values) One(value, input, &array);
  if (written.values.size() == 1) {
    const uint64_t count = CheckedCount(input, array.dims);
    const std::string one(array.bytes.begin(), array.bytes.end());
    array.bytes.clear();
    array.bytes.reserve(count * one.size());
    for (uint64_t i = 0; i < count; ++i) array.bytes.insert(array.bytes.end(), one.begin(), one.end());
  }
  return array;
}

}  // namespace tool
