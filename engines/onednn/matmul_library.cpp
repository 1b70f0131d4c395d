// Dense layers through oneDNN: an inner product with the constant matrix in the form the library likes best.
#include "matmul_kernels.h"
#include "onednn.h"

namespace onednn {

std::unique_ptr<Kernel> CreateInnerProduct(const Context &context, const MatMulSpec &s) {
  NeedLibrary(context.features);
  using dnnl::memory;
  const auto type = FloatOf(s.types.bf16);
  memory::desc src({s.m, s.k}, type, memory::format_tag::ab);
  memory::desc dst({s.m, s.n}, FloatOf(s.types.y_bf16), memory::format_tag::ab);
  memory::desc weights({s.n, s.k}, type, memory::format_tag::any);
  memory::desc bias = s.bias >= 0 ? memory::desc({s.n}, memory::data_type::f32, memory::format_tag::a) : memory::desc();
  dnnl::post_ops ops;
  if (s.residual >= 0) ops.append_sum(1.f);
  AppendActivation(&ops, s.activation);
  dnnl::primitive_attr attr = PlainAttributes();
  attr.set_post_ops(ops);
  dnnl::inner_product_forward::desc desc(dnnl::prop_kind::forward_inference, src, weights, bias, dst);
  dnnl::inner_product_forward::primitive_desc pd(desc, attr, CpuEngine());

  // The scale applies before bias and residual, so it goes into the matrix.
  memory::desc plain({s.n, s.k}, type, s.adj2 ? memory::format_tag::ab : memory::format_tag::ba);
  const void *matrix = context.node.in(1).address();
  std::function<void(const void *, void *)> scaled;
  if (s.scale != 1)
    scaled = [&](const void *from, void *to) {
      for (int64_t i = 0; i < s.n * s.k; ++i)
        static_cast<float *>(to)[i] = static_cast<const float *>(from)[i] * s.scale;
    };
  const void *packed =
      PackedReorder(context.env, matrix, plain, pd.weights_desc(),
                    s.scale != 1 ? Text("scale", int64_t(__builtin_bit_cast(int32_t, s.scale))) : "", scaled);

  auto program = std::make_unique<Program>();
  program->reads_originals = packed == matrix;
  if (s.residual >= 0) program->AddToOutput(context.env, s.residual, dst.get_size());
  std::vector<Program::Arg> args = {{DNNL_ARG_SRC, src, Operand::Input(0)},
                                    {DNNL_ARG_WEIGHTS, pd.weights_desc(), Operand::Constant(packed)},
                                    {DNNL_ARG_DST, dst, Operand::Output(0)},
                                    program->Scratchpad(pd.scratchpad_desc())};
  if (s.bias >= 0) args.push_back({DNNL_ARG_BIAS, bias, Operand::Input(s.bias)});
  program->Add(dnnl::inner_product_forward(pd), std::move(args));
  program->implementation = Text("onednn:", pd.impl_info_str());
  program->Finish();
  return program;
}

}  // namespace onednn
