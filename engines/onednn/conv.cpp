#include "conv.h"

#include <cstring>
#include <optional>

#include "conv_kernels.h"
#include "kernels.h"
#include "onednn.h"
#include "read_activation.h"
#include "taps.h"
#include "trial.h"

namespace onednn {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

bool Pools(const Node &node) { return node.is("FusedConvPool2D"); }
bool IsFused(const Node &node) { return node.is("FusedConv2D") || Pools(node); }

// Reads four values given in the order of data_format; returns the two spatial ones.
std::pair<int64_t, int64_t> Spatial(const Node &node, const char *name, bool nhwc, bool optional) {
  Dims v = node.Ints(name);
  if (v.empty() && optional) return {1, 1};
  if (v.size() != 4) Refuse(name, " has ", v.size(), " values, expected 4");
  int h = nhwc ? 1 : 2;
  if (v[0] != 1 || v[nhwc ? 3 : 1] != 1) Refuse(name, " over batch or channels is not supported: ", ToText(v));
  return {v[h], v[h + 1]};
}

// oneDNN describes kernels of other groups, and cannot make some of them.
void CheckGroupsOfBf16(const Tensor &filter, const ConvSpec &s) {
  const Dims f = filter.dims();
  if (s.groups == 1 || f.size() != 4) return;
  const int64_t in = f[s.hwcn ? 2 : 1], out = f[s.hwcn ? 3 : 0] / s.groups;
  if ((in != 1 || out != 1) && (in % 16 || out % 16))
    Refuse("groups of ", in, " and ", out, " channels are not supported in DT_BF16, only multiples of 16");
}

ConvWindow ReadWindow(const Node &node) {
  const Dims window = node.Ints("window");
  const std::string mode = node.String("mode", "");
  if (window.size() != 2 || window[0] < 1 || window[1] < 1)
    Refuse("window is ", ToText(window), ", expected two positive numbers");
  if (mode != "max" && mode != "average") Refuse("mode is '", mode, "', expected max or average");
  return {window[0], window[1], mode == "max", true};
}

// Everything that can be said without shapes.
ConvSpec ReadAttributes(const Node &node) {
  ConvSpec s{};
  std::string format = node.String("data_format", ChannelsFirstByDefault(node) ? "NCHW" : "NHWC");
  if (format != "NCHW" && format != "NHWC") Refuse("data_format ", format, " is not supported");
  s.nhwc = format == "NHWC";
  const bool adds = node.is("FusedConv2D");
  s.types = ReadFloatTypes(node, "x", "filter", adds ? 3 : -1);
  if ((s.types.bf16 || s.types.y_bf16) && !adds) Refuse("DT_BF16 is not supported");
  if (Pools(node)) s.window = ReadWindow(node);
  if (node.in(2).present()) {
    RequireFloat(node.in(2), "bias");
    s.bias = 2;
  }
  if (IsFused(node)) {
    if (adds && node.in(3).present()) s.residual = 3;
    s.activation = ActivationOf(node);
  } else if (node.in(3).present()) {
    Refuse("input offset_w is not supported");
  }
  if (node.Int("offset_x", 0) != 0) Refuse("offset_x other than 0 is not supported");
  std::string pad_mode = node.String("pad_mode", "SPECIFIC");
  if (pad_mode != "SPECIFIC") Refuse("pad_mode ", pad_mode, " is not supported");
  std::tie(s.stride_h, s.stride_w) = Spatial(node, "strides", s.nhwc, false);
  std::tie(s.dilation_h, s.dilation_w) = Spatial(node, "dilations", s.nhwc, true);
  if (s.stride_h < 1 || s.stride_w < 1 || s.dilation_h < 1 || s.dilation_w < 1)
    Refuse("strides and dilations must be positive");
  Dims pads = node.Ints("pads");
  if (pads.empty()) pads = {0, 0, 0, 0};
  if (pads.size() != 4) Refuse("pads has ", pads.size(), " values, expected 4");
  s.pad_top = pads[0], s.pad_bottom = pads[1], s.pad_left = pads[2], s.pad_right = pads[3];
  for (int64_t p : pads)
    if (p < 0) Refuse("negative pads are not supported");
  s.groups = node.Int("groups", 1);
  if (s.groups < 1) Refuse("groups is ", s.groups, ", expected at least 1");
  s.hwcn = node.in(1).format() == C_FORMAT_HWCN;
  if (!s.hwcn) RequirePlain(node.in(1), "filter");
  if (s.types.bf16) CheckGroupsOfBf16(node.in(1), s);
  for (const Tensor &t : {node.in(0), node.out(0), s.residual >= 0 ? node.in(3) : node.in(0)})
    RequireImage(t, s.nhwc, "x, y or residual");
  return s;
}

// Everything that holds for images of all sizes.
void ReadChannels(const Node &node, ConvSpec *s) {
  Dims x = node.in(0).logical(), f = node.in(1).dims();
  if (f.size() != 4) Refuse("filter has rank ", f.size(), ", expected 4");
  if (s->hwcn) f = {f[3], f[2], f[0], f[1]};
  if (s->nhwc) x = {x[0], x[3], x[1], x[2]};
  s->in_c = x[1], s->out_c = f[0], s->kernel_h = f[2], s->kernel_w = f[3];
  if (s->in_c != f[1] * s->groups)
    Refuse("x has ", s->in_c, " channels, filter takes ", f[1], " times ", s->groups, " groups");
  if (s->out_c % s->groups) Refuse(s->out_c, " output channels do not divide into ", s->groups, " groups");
  if (s->bias >= 0 && Count(node.in(2).dims()) != s->out_c)
    Refuse("bias has ", Count(node.in(2).dims()), " values, expected ", s->out_c);
  if (s->residual >= 0 && node.in(3).logical() != node.out(0).logical())
    Refuse("residual's shape ", ToText(node.in(3).logical()), " is not that of y ", ToText(node.out(0).logical()));
  if (Count(f) == 0) Refuse("empty tensors are not supported");
}

// Everything that extents of whole tensors tell.
void ReadShapes(const Node &node, ConvSpec *s) {
  ReadChannels(node, s);
  Dims x = node.in(0).logical(), y = node.out(0).logical();
  if (s->nhwc) {
    x = {x[0], x[3], x[1], x[2]};
    y = {y[0], y[3], y[1], y[2]};
  }
  if (y[1] != s->out_c) Refuse("y has ", y[1], " channels, the filter ", s->out_c);
  s->SetExtents(x[0], x[2], x[3], y[0], y[2], y[3]);
}

}  // namespace

void ConvSpec::SetExtents(int64_t x_batch, int64_t x_h, int64_t x_w, int64_t y_batch, int64_t y_h, int64_t y_w) {
  batch = x_batch, in_h = x_h, in_w = x_w;
  if (batch * in_h * in_w * y_h * y_w == 0) Refuse("empty tensors are not supported");
  auto expected = [](int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t before, int64_t after) {
    return (in + before + after - (kernel - 1) * dilation - 1) / stride + 1;
  };
  out_h = expected(in_h, kernel_h, stride_h, dilation_h, pad_top, pad_bottom);
  out_w = expected(in_w, kernel_w, stride_w, dilation_w, pad_left, pad_right);
  if (y_batch != batch || y_h != out_h / window.h || y_w != out_w / window.w)
    Refuse("y's batch, height and width, ", ToText({y_batch, y_h, y_w}), ", do not follow from those of x, ",
           ToText({batch, in_h, in_w}), ", and filter ", ToText({kernel_h, kernel_w}));
  out_h = y_h * window.h, out_w = y_w * window.w;
  // A column is a row with the same memory, and kernels work along rows.
  if (in_w == 1 && out_w == 1 && kernel_w == 1 && pad_left == 0 && pad_right == 0) {
    std::swap(in_h, in_w);
    std::swap(out_h, out_w);
    std::swap(kernel_h, kernel_w);
    std::swap(stride_h, stride_w);
    std::swap(dilation_h, dilation_w);
    std::swap(pad_top, pad_left);
    std::swap(pad_bottom, pad_right);
    std::swap(window.h, window.w);
  }
}

namespace {

// The layout a tensor has in a candidate: 0 plain in the node's data_format, -1 channels last, 8 or 16 blocked.
constexpr int kPlain = 0, kChannelsLast = -1;

Tag TagOf(int layout, bool nhwc) {
  switch (layout) {
    case 8:
      return Tag::nChw8c;
    case 16:
      return Tag::nChw16c;
    case kChannelsLast:
      return Tag::nhwc;
    default:
      return nhwc ? Tag::nhwc : Tag::nchw;
  }
}

// One way to compute the convolution: layouts inside, and whether oneDNN is told padded channel counts. Padding as real
// channels (with zero weights) spares oneDNN's zeroing of the padding at every call.
struct Candidate {
  int x, y;
  bool padded;
  int64_t in_c, out_c, groups;
  dnnl::convolution_forward::primitive_desc pd;
  std::string name;
  int rank = 0;  // lower is better
};

int RankOf(const std::string &name) {
  if (name.rfind("ref", 0) == 0) return 3;
  if (name.find("gemm") != std::string::npos) return 2;  // "x64:gemm:jit" as well
  return 0;
}

std::optional<Candidate> Try(const ConvSpec &s, int x, int y) {
  Candidate c{};
  c.x = x, c.y = y;
  c.in_c = s.in_c, c.out_c = s.out_c, c.groups = s.groups;
  if (x > 0 || y > 0) {
    c.padded = s.groups == 1 || s.depthwise();
    if (c.padded) {
      if (x > 0) c.in_c = RoundUp(s.in_c, x);
      if (y > 0) c.out_c = RoundUp(s.out_c, y);
      if (s.depthwise()) {
        if (x != y) return std::nullopt;
        c.groups = c.in_c;
      }
    } else if ((x > 0 && s.in_c % x) || (y > 0 && s.out_c % y)) {
      return std::nullopt;
    }
  }
  memory::desc src({s.batch, c.in_c, s.in_h, s.in_w}, FloatOf(s.types.bf16), TagOf(x, s.nhwc));
  memory::desc dst({s.batch, c.out_c, s.out_h, s.out_w}, FloatOf(s.types.y_bf16), TagOf(y, s.nhwc));
  memory::dims filter = {c.out_c / c.groups, c.in_c / c.groups, s.kernel_h, s.kernel_w};
  if (c.groups > 1) filter.insert(filter.begin(), c.groups);
  else filter[0] = c.out_c;
  memory::desc weights(filter, FloatOf(s.types.bf16), Tag::any);
  memory::desc bias = s.bias >= 0 ? memory::desc({c.out_c}, memory::data_type::f32, Tag::a) : memory::desc();
  dnnl::post_ops ops;
  if (s.residual >= 0) ops.append_sum(1.f);
  AppendActivation(&ops, s.activation);
  dnnl::primitive_attr attr = PlainAttributes();
  attr.set_post_ops(ops);
  try {
    dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src,
                                         weights, bias, dst, {s.stride_h, s.stride_w},
                                         {s.dilation_h - 1, s.dilation_w - 1}, {s.pad_top, s.pad_left},
                                         {s.pad_bottom, s.pad_right});
    c.pd = dnnl::convolution_forward::primitive_desc(desc, attr, CpuEngine());
  } catch (const dnnl::error &) {
    return std::nullopt;
  }
  c.name = c.pd.impl_info_str();
  c.rank = RankOf(c.name);
  return c;
}

int LayoutOf(const Tensor &t) { return t.blocked() ? int(t.c0()) : kPlain; }

Candidate Choose(const ConvSpec &s, int x, int y, uint64_t features) {
  const int block = HasAvx512(features) ? 16 : 8;
  std::optional<Candidate> best;
  auto consider = [&](int cx, int cy) {
    if (best && best->rank == 0) return;
    std::optional<Candidate> c = Try(s, cx, cy);
    if (!c) return;
    if (!best || c->rank < best->rank) best = c;
  };
  bool thin = s.in_c <= 4 && x == kPlain && !s.nhwc;  // a first layer reads plain images best
  bool prefer_plain = x == kPlain && y == kPlain;
  if (!prefer_plain || s.nhwc) consider(x, y);
  if (thin) consider(kPlain, y > 0 ? y : block);
  if (s.groups == 1 || s.depthwise() || (s.in_c / s.groups % block == 0 && s.out_c / s.groups % block == 0))
    consider(x > 0 ? x : block, y > 0 ? y : block);
  if (s.groups > 1) consider(kChannelsLast, kChannelsLast);
  consider(x, y);
  consider(kPlain, kPlain);
  if (!best) Fail(GE_UNSUPPORTED, "oneDNN has no convolution for this shape");
  return *best;
}

class Builder {
 public:
  Builder(const Context &context, const ConvSpec &spec, Program *program)
      : context_(context), s_(spec), program_(program) {}

  void Build(const Candidate &c) {
    const Node &node = context_.node;
    int x_layout = LayoutOf(node.in(0)), y_layout = LayoutOf(node.out(0));
    std::vector<Program::Arg> args;
    args.push_back({DNNL_ARG_SRC, c.pd.src_desc(),
                    Enter(Operand::Input(0), x_layout, c.x, s_.in_c, s_.in_h, s_.in_w, c.pd.src_desc())});
    args.push_back({DNNL_ARG_WEIGHTS, c.pd.weights_desc(), Weights(c)});
    if (s_.bias >= 0) args.push_back({DNNL_ARG_BIAS, c.pd.bias_desc(), Bias(c)});
    // The result: straight into y, or through a temporary in the inner layout.
    bool direct = c.y == y_layout || (s_.nhwc && y_layout == kPlain && c.y == kChannelsLast);
    memory::desc dst = c.pd.dst_desc();
    Operand result = direct ? Operand::Output(0) : program_->Temporary(dst.get_size());
    if (s_.residual >= 0) Residual(node, c, direct, result, dst);
    args.push_back({DNNL_ARG_DST, dst, result});
    args.push_back(program_->Scratchpad(c.pd.scratchpad_desc()));
    program_->Add(dnnl::convolution_forward(c.pd), std::move(args));
    if (!direct) Leave(result, y_layout);
    if (y_layout > 0 && direct && c.out_c > s_.out_c && !s_.activation.keeps_zero()) ZeroPadding(y_layout);
    program_->implementation = "onednn:" + c.name;
    program_->flops = s_.flops();
    if (s_.types.bf16) program_->flops_type = C_DT_BF16;
  }

 private:
  memory::desc OuterX(int layout, int64_t channels, int64_t h, int64_t w) const {
    return memory::desc({s_.batch, channels, h, w}, FloatOf(s_.types.bf16), TagOf(layout, s_.nhwc));
  }
  memory::desc OuterY(int layout) const {
    return memory::desc({s_.batch, s_.out_c, s_.out_h, s_.out_w}, FloatOf(s_.types.y_bf16), TagOf(layout, s_.nhwc));
  }

  // Brings an input into the candidate's layout.
  Operand Enter(Operand operand, int layout, int wanted, int64_t channels, int64_t h, int64_t w,
                const memory::desc &inner) {
    if (layout == wanted || (s_.nhwc && layout == kPlain && wanted == kChannelsLast)) return operand;
    Operand temporary = program_->Temporary(inner.get_size());
    // Both sides with the true channel count; oneDNN then zeroes the padding of the target.
    program_->AddReorder(OuterX(layout, channels, h, w), operand, OuterX(wanted, channels, h, w), temporary);
    return temporary;
  }

  void Leave(Operand result, int layout) {
    program_->AddReorder(OuterY(inner_y_), result, OuterY(layout), Operand::Output(0));
  }

  // The sum post-op adds to what is in the destination.
  void Residual(const Node &node, const Candidate &c, bool direct, Operand result, const memory::desc &dst) {
    int layout = LayoutOf(node.in(3));
    if (direct && layout == LayoutOf(node.out(0))) {
      program_->AddToOutput(context_.env, 3, dst.get_size());
      return;
    }
    program_->AddReorder(OuterY(layout), Operand::Input(3), OuterY(c.y), result);
  }

  void ZeroPadding(int layout) {
    int64_t blocks = (s_.out_c + layout - 1) / layout, used = s_.out_c % layout, pixels = s_.out_h * s_.out_w;
    int64_t batch = s_.batch, bytes = int64_t(s_.types.y_bytes());
    program_->Add([=](const GeKernelArgs &args) {
      for (int64_t n = 0; n < batch; ++n) {
        char *y = static_cast<char *>(args.outputs[0]) + (n * blocks + blocks - 1) * pixels * layout * bytes;
        for (int64_t p = 0; p < pixels; ++p) memset(y + (p * layout + used) * bytes, 0, (layout - used) * bytes);
      }
    });
  }

  Operand Weights(const Candidate &c) {
    inner_y_ = c.y;
    const Tensor filter = context_.node.in(1);
    int64_t in_g = s_.in_c / s_.groups, kernel = s_.kernel_h * s_.kernel_w;
    memory::dims told = {c.out_c, c.in_c / c.groups, s_.kernel_h, s_.kernel_w};
    if (c.groups > 1) told = {c.groups, c.out_c / c.groups, c.in_c / c.groups, s_.kernel_h, s_.kernel_w};
    bool wider = c.in_c != s_.in_c || c.out_c != s_.out_c;
    bool copy = wider || (s_.hwcn && s_.groups > 1);
    Tag tag = c.groups > 1 ? Tag::goihw : (s_.hwcn && !copy ? Tag::hwio : Tag::oihw);
    memory::desc plain(told, FloatOf(s_.types.bf16), tag), packed = c.pd.weights_desc();
    // OIHW with padded channels, from the filter as it is. Padded groups and channels have zero weights.
    int64_t told_in = c.in_c / c.groups, out_c = s_.out_c;
    bool hwcn = s_.hwcn;
    auto widen = [=](const auto *from, auto *to) {
      for (int64_t o = 0; o < out_c; ++o)
        for (int64_t i = 0; i < in_g; ++i)
          for (int64_t k = 0; k < kernel; ++k)
            to[(o * told_in + i) * kernel + k] =
                hwcn ? from[(k * in_g + i) * out_c + o] : from[(o * in_g + i) * kernel + k];
    };
    if (filter.constant()) {
      const void *data = filter.address();
      if (!copy) {
        const void *content = PackedReorder(context_.env, data, plain, packed);
        if (content == data) program_->reads_originals = true;
        return Operand::Constant(content);
      }
      return Operand::Constant(PackedReorder(
          context_.env, data, plain, packed, Text("filter", hwcn ? "hwcn" : "oihw", s_.in_c, "x", s_.out_c),
          [&](const void *from, void *to) {
            if (s_.types.bf16) widen(static_cast<const uint16_t *>(from), static_cast<uint16_t *>(to));
            else widen(static_cast<const float *>(from), static_cast<float *>(to));
          }));
    }
    Operand source = Operand::Input(1);
    if (copy) {
      source = program_->Temporary(plain.get_size());
      uint64_t bytes = plain.get_size();
      program_->Add([=](const GeKernelArgs &args) {
        float *to = static_cast<float *>(source.address(args));
        memset(to, 0, bytes);
        widen(static_cast<const float *>(args.inputs[1]), to);
      });
    }
    if (plain == packed) return source;
    Operand target = program_->Temporary(packed.get_size());
    program_->AddReorder(plain, source, packed, target);
    return target;
  }

  Operand Bias(const Candidate &c) {
    const Tensor bias = context_.node.in(2);
    if (c.out_c == s_.out_c) {
      if (!bias.constant()) return Operand::Input(2);
      // Another layout that was tried may have packed it with more channels.
      if (s_.out_c % 16 != 0) program_->reads_originals = true;
      return Operand::Constant(bias.content());
    }
    int64_t count = s_.out_c, told = c.out_c;
    if (bias.constant())
      return Operand::Constant(Packed(*context_.env, bias.content(), Text("onednn:bias:", count, ":", told),
                                      told * sizeof(float), [&](const void *from, void *out) {
                                        memset(out, 0, told * sizeof(float));
                                        memcpy(out, from, count * sizeof(float));
                                      }));
    Operand target = program_->Temporary(told * sizeof(float));
    program_->Add([=](const GeKernelArgs &args) {
      float *to = static_cast<float *>(target.address(args));
      memset(to, 0, told * sizeof(float));
      memcpy(to, args.inputs[2], count * sizeof(float));
    });
    return target;
  }

  const Context &context_;
  const ConvSpec &s_;
  Program *program_;
  int inner_y_ = 0;
};

}  // namespace

bool ChannelsFirstByDefault(const Node &node) { return IsFused(node) || node.is("Conv2DV2"); }

ConvSpec ReadConv(const Node &node, bool open) {
  ConvSpec spec = ReadAttributes(node);
  if (!open) {
    ReadShapes(node, &spec);
    return spec;
  }
  const Dims filter = node.in(1).dims();
  if (std::any_of(filter.begin(), filter.end(), [](int64_t d) { return d < 0; }))
    Refuse("the filter's extents are open");
  ReadChannels(node, &spec);
  return spec;
}

void CheckConv(const Node &node) {
  ConvSpec spec = ReadAttributes(node);
  if (node.known()) ReadShapes(node, &spec);
}

std::unique_ptr<Kernel> CreateOpenConv(const Context &context) {
  const ConvSpec spec = ReadConv(context.node, true);
  if (spec.types.bf16) Refuse("a convolution in bf16 serves one size");
  if (std::unique_ptr<Kernel> direct = CreateDirectConv(context, spec, true)) return direct;
  return CreateOpenTaps(context);
}

namespace {

Candidate LibraryChoice(const Context &context, const ConvSpec &spec) {
  NeedLibrary(context.features);
  const Node &node = context.node;
  return Choose(spec, LayoutOf(node.in(0)), LayoutOf(node.out(0)), context.features);
}

std::unique_ptr<Kernel> Build(const Context &context, const ConvSpec &spec, const Candidate &choice) {
  auto program = std::make_unique<Program>();
  Builder(context, spec, program.get()).Build(choice);
  program->Finish();
  return program;
}

// True for what the library computes by general means: positions of the filter are copied into a matrix, or channels
// taken one by one. The own taps take half the time of the first (measured with AVX2: dilated ones 0.43 to 0.57, long
// padding 0.45, a filter of 11 x 11 on 3 channels 0.46), and less where groups are narrower than a block.
bool LibraryIsSlow(const Context &context, const ConvSpec &s, const Candidate &choice) {
  const int64_t c = ConvKernelsFor(context.features).channels, in_g = s.in_c / s.groups, out_g = s.out_c / s.groups;
  const bool shared = in_g == out_g && (in_g % c == 0 || (c % in_g == 0 && s.in_c % c == 0));
  if (choice.rank == 0 || (s.groups > 1 && !shared) || s.types.bf16 || s.nhwc) return false;
  const Tensor x = context.node.in(0), y = context.node.out(0);
  const auto served = [&](const Tensor &t) { return !t.blocked() || t.c0() == c; };
  if (!context.node.in(1).constant() || !served(x) || !served(y)) return false;
  if (s.residual >= 0 && context.node.in(size_t(s.residual)).blocked() != y.blocked()) return false;
  return !y.blocked() || s.out_c % c == 0 || s.activation.keeps_zero();
}

}  // namespace

std::unique_ptr<Kernel> CreateConv(const Context &context) {
  const ConvSpec spec = ReadConv(context.node);
  if (std::unique_ptr<Kernel> direct = CreateDirectConv(context, spec)) return direct;
  const Candidate choice = LibraryChoice(context, spec);
  const bool taps = !Tunes(context) && LibraryIsSlow(context, spec, choice);  // else it was measured
  return taps ? CreateTaps(context) : Build(context, spec, choice);
}

std::unique_ptr<Kernel> CreateLibraryConv(const Context &context, const ConvSpec &spec) {
  return Build(context, spec, LibraryChoice(context, spec));
}

}  // namespace onednn
