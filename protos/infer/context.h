// An inference function's tools: the node's inputs, attributes and outputs behind short, checked accessors.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/symbolic_dim.h"
#include "ge/op.h"

namespace gec::infer {

/// An element of an integer value that is not known.
inline constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
/// Values longer than this are not propagated.
inline constexpr size_t kMaxValues = 256;
/// Most bytes of one tensor.
inline constexpr int64_t kMaxBytes = int64_t{1} << 40;

/// Refuses the node; Guarded turns it into a status.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A shape of known rank, or of unknown rank. Dimensions may be -1 or symbolic (core/ir/symbolic_dim.h): both are below
/// 0.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
  static Shape Unknown() {
    Shape shape;
    shape.has_rank_ = false;
    return shape;
  }
  static Shape OfRank(int64_t rank) { return Shape(std::vector<int64_t>(static_cast<size_t>(rank), -1)); }

  bool has_rank() const { return has_rank_; }
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  int64_t &operator[](int64_t i) { return dims_[static_cast<size_t>(i)]; }
  int64_t operator[](int64_t i) const { return dims_[static_cast<size_t>(i)]; }
  std::vector<int64_t> &dims() { return dims_; }
  const std::vector<int64_t> &dims() const { return dims_; }
  bool known() const;
  /// Number of elements, or -1 when a dimension is unknown (0 when another one is 0) or the product does not fit.
  int64_t elements() const;
  std::string str() const;
  friend bool operator==(const Shape &, const Shape &) = default;

 private:
  std::vector<int64_t> dims_;
  bool has_rank_ = true;
};

using Values = std::vector<int64_t>;

/// A piece of a message. Messages are put together out of line: there are hundreds of them.
class Part {
 public:
  Part(const char *text) : text_(text) {}
  Part(const std::string &text) : text_(text) {}
  Part(std::string_view text) : text_(text) {}
  Part(char ch) : integer_(static_cast<unsigned char>(ch)), kind_(kChar) {}
  Part(std::integral auto value) : integer_(static_cast<int64_t>(value)), kind_(kInteger) {}
  Part(std::floating_point auto value) : number_(static_cast<double>(value)), kind_(kNumber) {}
  void AppendTo(std::string &out) const;

 private:
  std::string_view text_;
  int64_t integer_ = 0;
  double number_ = 0;
  enum { kText, kChar, kInteger, kNumber } kind_ = kText;
};

class Context {
 public:
  explicit Context(const GeInferContext &raw);

  const GeOpDesc &op() const { return op_; }
  /// Refuses the node. The caller of the inference function adds which node it is.
  template <class... Args>
  [[noreturn]] void Fail(const Args &...args) const {
    FailWith({Part(args)...});
  }

  // ---- inputs, by IR index; `k` counts the instances of a dynamic input
  size_t Instances(size_t ir) const;
  bool Has(size_t ir) const;
  const GeTensorData &In(size_t ir, size_t k = 0) const;
  int32_t Type(size_t ir, size_t k = 0) const { return In(ir, k).data_type; }
  Shape Dims(size_t ir, size_t k = 0) const;
  /// Dims of an input that must have `rank` dimensions when its rank is known.
  Shape DimsOfRank(size_t ir, int64_t rank, const char *name) const;
  /// The integers of an input, with kUnknown where not known; nullopt when not even their number is known.
  std::optional<Values> Ints(size_t ir, size_t k = 0) const;
  /// Like Ints; elements may also be symbolic.
  std::optional<Values> SymbolicInts(size_t ir, size_t k = 0) const;
  /// As they are stored: the least number cannot be told from kUnknown.
  std::optional<Values> ReadInts(size_t ir, size_t k = 0) const;
  /// Like Ints, nullopt unless each element is known.
  std::optional<Values> KnownInts(size_t ir, size_t k = 0) const;
  /// One integer; nullopt when unknown. Refuses values of several elements.
  std::optional<int64_t> Int(size_t ir, const char *name) const;
  /// Numbers of an integer or floating-point input that is known.
  std::optional<std::vector<double>> Numbers(size_t ir) const;
  /// Values worth propagating: of integer type, at least one element known or symbolic.
  std::optional<Values> Partial(size_t ir, size_t k = 0) const;

  // ---- attributes
  int64_t IntAttr(const char *name, int64_t fallback = 0) const { return GeOpAttrInt(&op_, name, fallback); }
  bool BoolAttr(const char *name, bool fallback = false) const {
    return GeOpAttrInt(&op_, name, fallback ? 1 : 0) != 0;
  }
  double FloatAttr(const char *name, double fallback = 0) const { return GeOpAttrFloat(&op_, name, fallback); }
  /// A data type held by an attribute of kind Type or Int; `fallback` when it is absent or DT_UNDEFINED.
  int32_t TypeAttr(const char *name, int32_t fallback) const;
  std::string StringAttr(const char *name, const char *fallback = "") const {
    return GeOpAttrString(&op_, name, fallback);
  }
  Values IntsAttr(const char *name) const;
  std::vector<float> FloatsAttr(const char *name) const;
  /// A list that must have `count` values.
  Values IntsAttr(const char *name, size_t count) const;

  // ---- outputs, by port
  size_t OutCount() const { return raw_.output_count; }
  void Out(size_t port, int32_t data_type, const Shape &shape);
  void OutPartial(size_t port, const Values &values);
  bool WantsPartial(size_t port) const { return port < raw_.output_count && raw_.outputs[port].partial; }

  // ---- arithmetic on values that are numbers, symbolic or kUnknown; what does not fit 64 bits is kUnknown, too
  static int64_t ValueOf(int64_t extent) { return extent == -1 ? kUnknown : extent; }
  static int64_t ExtentOf(int64_t value) { return value == kUnknown ? -1 : value; }
  int64_t Sum(int64_t a, int64_t b) const;
  int64_t Difference(int64_t a, int64_t b) const;
  int64_t Product(int64_t a, int64_t b) const;
  /// Rounds down.
  int64_t Quotient(int64_t a, int64_t b) const;
  /// Where it is not known, the class of sizes that a run belongs to may decide it (core/ops/symbolic_dims.h).
  std::optional<bool> AtMost(int64_t a, int64_t b) const;
  std::optional<bool> Same(int64_t a, int64_t b) const;
  /// Two extents are known to differ. That they do not is a condition of a class of sizes, whether the node stays in
  /// its graph or not: what inference relies on is to be asked like this where an extent may be symbolic.
  bool Differ(int64_t a, int64_t b) const;
  /// The extent is known to be no multiple of `of`, a positive number.
  bool NoMultiple(int64_t extent, int64_t of) const;
  /// x is known not to become `to` by spreading its extents of 1.
  bool CannotSpread(const Shape &x, const Shape &to) const;

  // ---- rules shared by many operators
  /// Axis of -rank..rank-1 as 0..rank-1.
  int64_t Axis(int64_t axis, int64_t rank, const char *name) const;
  /// x with its axes in another order; where that order holds kUnknown the extent is unknown.
  Shape Permuted(const Shape &x, const Values &perm, const char *name) const;
  /// Result of broadcasting two shapes; `names` are used in the message.
  Shape Broadcast(const Shape &a, const Shape &b, const char *a_name, const char *b_name) const;
  /// One extent from two descriptions of the same thing.
  int64_t SameDim(int64_t a, int64_t b, const char *what) const;
  /// The inputs' common data type, when they are known; names the first that differs.
  int32_t SameType(std::initializer_list<size_t> irs, std::initializer_list<const char *> names) const;
  /// The type that the connected ones of these inputs are computed in (GePromoteDataTypes), as far as theirs are known.
  int32_t CommonType(std::initializer_list<size_t> irs, std::initializer_list<const char *> names) const;
  /// Refuses a known data type that is not boolean / no integer.
  void NeedBool(size_t ir, const char *name) const;
  void NeedIntegers(size_t ir, const char *name) const;
  int64_t CheckedMul(int64_t a, int64_t b, const char *what) const;
  int64_t CheckedAdd(int64_t a, int64_t b, const char *what) const;
  void Require(bool ok, const char *message) const {
    if (!ok) Fail(message);
  }

 private:
  [[noreturn]] void FailWith(std::initializer_list<Part> parts) const;

  const GeInferContext &raw_;
  const GeOpDesc &op_;
};

using Rule = void (*)(Context &);

/// The C entry of a rule: no exception leaves it.
template <Rule rule>
GeStatus Guarded(const GeInferContext *raw) {
  try {
    Context context(*raw);
    rule(context);
    return GE_SUCCESS;
  } catch (const Refusal &refusal) {
    return raw->fail(GE_INFER_FAILED, refusal.what());
  } catch (const std::bad_alloc &) {
    return raw->fail(GE_OUT_OF_MEMORY, "out of memory during inference");
  } catch (const std::exception &error) {
    return raw->fail(GE_FAILED, error.what());
  }
}

struct Entry {
  const char *type;
  GeInferFn infer;
};

// One table per file of rules.
std::span<const Entry> ElementwiseRules();
std::span<const Entry> ReduceRules();
std::span<const Entry> NormRules();
std::span<const Entry> ConvRules();
std::span<const Entry> PoolRules();
std::span<const Entry> ImageRules();
std::span<const Entry> MatrixRules();
std::span<const Entry> GatherRules();
std::span<const Entry> SliceRules();
std::span<const Entry> JoinRules();
std::span<const Entry> PadRules();
std::span<const Entry> ReshapeRules();
std::span<const Entry> SelectionRules();
std::span<const Entry> GeneratorRules();
std::span<const Entry> GraphRules();
std::span<const Entry> RnnRules();
std::span<const Entry> VolumeRules();
std::span<const Entry> BlockRules();
std::span<const Entry> DiagonalRules();
std::span<const Entry> ShapeValueRules();
std::span<const Entry> PatchRules();
std::span<const Entry> IndexingRules();
std::span<const Entry> MatrixRankRules();
std::span<const Entry> RoutingRules();
std::span<const Entry> BlockScaleRules();
std::span<const Entry> SignalRules();
std::span<const Entry> LowBitRules();
std::span<const Entry> QuantizationRules();
std::span<const Entry> AttentionRules();
std::span<const Entry> SequenceRules();
std::span<const Entry> LearnedRules();
std::span<const Entry> TextRules();

bool IsInteger(int32_t data_type);

}  // namespace gec::infer
