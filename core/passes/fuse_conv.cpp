// Convolution, residual and activation become one FusedConv2D, FusedConv3D or FusedConvTranspose.
#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/epilogue.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kFuseConvRule[] = "FuseConv";

void FuseConvNode(Editor &editor, Node *node) {
  static const Symbol activation("activation");
  ConvSite conv;
  if (!ReadAnyConv(node, &conv)) return;
  Epilogue epilogue;
  epilogue.last = {node, 0};
  epilogue.joined = {node};
  if (conv.fused) {
    if (!node->String(activation).empty()) return;
    if (!conv.transposed) epilogue.residual = node->input(3);
  }
  bool grew = !conv.transposed && epilogue.JoinResidual(editor);
  grew |= epilogue.JoinActivation(editor);
  if (!grew) {
    if (editor.ctx.why_not) editor.ctx.Declined(kFuseConvRule, *node, epilogue.WhyNothingJoins(editor));
    return;
  }
  editor.ctx.At(kFuseConvRule, node);
  editor.ctx.Tried(kFuseConvRule);
  // Without the activation when no engine takes it with one.
  for (bool with_activation : {true, false}) {
    if (!with_activation) {
      if (epilogue.activation.name.empty()) break;
      epilogue.activation = Activation();
      epilogue.joined.pop_back();
      epilogue.last = {const_cast<Node *>(epilogue.joined.back()), 0};
      if (epilogue.joined.size() == 1) break;
    }
    std::vector<Editor::Attr> attrs = ConvAttrs(conv);
    attrs.emplace_back("activation", epilogue.activation.name);
    attrs.emplace_back("alpha", epilogue.activation.alpha);
    attrs.emplace_back("beta", epilogue.activation.beta);
    Transaction attempt(editor.graph.root());
    bool was_changed = editor.changed;
    std::vector<Endpoint> inputs = {conv.x, conv.filter, conv.bias};
    if (conv.transposed) inputs.insert(inputs.begin(), node->input(0));
    else inputs.push_back(epilogue.residual);
    Node *made = editor.Make(conv.fused_type, epilogue.last.node->name(), inputs, attrs, epilogue.joined,
                             &epilogue.last.node->output_desc(0));
    Refusal why;
    if (!FusionTaken(editor.ctx, *made, epilogue.joined, &why)) {
      editor.changed = was_changed;
      editor.ctx.Declined(kFuseConvRule, *node, why);
      continue;
    }
    editor.Replace(epilogue.last, {made, 0});
    attempt.Commit();
    editor.ctx.Applied(kFuseConvRule);
    return;
  }
}

}  // namespace

bool FuseConv(Graph &graph, PassContext &ctx) {
  if (!HasConv(graph)) return false;
  Editor editor(graph, ctx, kFuseConvRule);
  // From the outputs back: of two convolutions that are added, the later one takes the sum, when the other is computed.
  std::vector<Node *> order = graph.TopologicalOrder();
  for (size_t i = order.size(); i-- > 0;) {
    if (!order[i]->removed()) FuseConvNode(editor, order[i]);
  }
  return editor.changed;
}

}  // namespace gec
