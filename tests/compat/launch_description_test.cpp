// Descriptions of kernels' arguments and launches: values, their texts and bytes, and declared launches.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "graph/arg_desc_info.h"
#include "graph/custom_op.h"
#include "graph/kernel_launch_info.h"

namespace ge {
namespace {

using Args = std::vector<ArgDesc>;

bool Same(const ArgDesc &a, const ArgDesc &b) {
  return a.addr_type == b.addr_type && a.ir_idx == b.ir_idx && a.folded == b.folded &&
         std::memcmp(a.reserved, b.reserved, sizeof a.reserved) == 0;
}
bool Same(const Args &a, const Args &b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!Same(a[i], b[i])) return false;
  return true;
}

TEST(ArgsFormat, EveryKindHasATextThatReadsBack) {
  Args args;
  ArgsFormatDescUtils::Append(args, AddrType::INPUT, 0);
  ArgsFormatDescUtils::Append(args, AddrType::INPUT, 12, true);
  ArgsFormatDescUtils::Append(args, AddrType::OUTPUT);
  ArgsFormatDescUtils::Append(args, AddrType::INPUT_DESC, 1, true);
  ArgsFormatDescUtils::Append(args, AddrType::OUTPUT_DESC, 2);
  ArgsFormatDescUtils::Append(args, AddrType::INPUT_INSTANCE, 3);
  ArgsFormatDescUtils::Append(args, AddrType::OUTPUT_INSTANCE, 2147483647);
  ArgsFormatDescUtils::Append(args, AddrType::WORKSPACE, 0);
  ArgsFormatDescUtils::Append(args, AddrType::HIDDEN_INPUT, 0);
  ArgsFormatDescUtils::Append(args, AddrType::TILING);
  ArgsFormatDescUtils::Append(args, AddrType::FFTS_ADDR);
  ArgsFormatDescUtils::Append(args, AddrType::OVERFLOW_ADDR);
  ArgsFormatDescUtils::Append(args, AddrType::TILING_FFTS, 0);
  ArgsFormatDescUtils::Append(args, AddrType::TILING_FFTS, 1);
  ArgsFormatDescUtils::Append(args, AddrType::OP_TYPE);
  ArgsFormatDescUtils::AppendTilingContext(args);
  ArgsFormatDescUtils::AppendTilingContext(args, TilingContextSubType::TILING_DATA);
  ArgsFormatDescUtils::AppendTilingContext(args, TilingContextSubType::TILING_KEY);
  ArgsFormatDescUtils::AppendTilingContext(args, TilingContextSubType::BLOCK_DIM);
  ArgsFormatDescUtils::AppendCustomValue(args, 18446744073709551615u);
  ArgsFormatDescUtils::AppendPlaceholder(args);
  const std::string text = ArgsFormatDescUtils::ToString(args);
  EXPECT_EQ(text,
            "{i0*}{i12}{o*}{i_desc1}{o_desc2*}{i_instance3*}{o_instance2147483647*}{ws0*}{hi.hcom0*}{t}{ffts_addr}"
            "{overflow_addr}{t_ffts.nt}{t_ffts.t}{*op_type}{tiling_context}{tiling_context.tiling_data}"
            "{tiling_context.tiling_key}{tiling_context.block_dim}{#18446744073709551615}{}");
  Args back;
  ASSERT_EQ(ArgsFormatDescUtils::Parse(text, back), GRAPH_SUCCESS);
  EXPECT_TRUE(Same(args, back));
  EXPECT_EQ(ArgsFormatDescUtils::CustomValue(back[19]), 18446744073709551615u);
  ASSERT_EQ(ArgsFormatDescUtils::Parse("", back), GRAPH_SUCCESS);
  EXPECT_TRUE(back.empty());
}

TEST(ArgsFormat, OtherTextsAndKindsAreRefused) {
  Args args;
  ArgsFormatDescUtils::Append(args, AddrType::TILING);
  const Args before = args;
  for (const char *text :
       {"i0", "{i0", "{i0*}x", "{i2147483648}", "{i-1}", "{i0**}", "{i 0}", "{x}", "{#}", "{#-1}",
        "{#18446744073709551616}", "{t0}", "{t_ffts}", "{tiling_context.x}", "{i_desk}", "{hi.}", "}"}) {
    EXPECT_EQ(ArgsFormatDescUtils::Parse(text, args), GRAPH_PARAM_INVALID) << text;
    EXPECT_TRUE(Same(args, before)) << text;
  }
  for (const ArgDesc &bad : Args{{AddrType::MAX, 0, false, {}},
                                 {AddrType::INPUT, -2, false, {}},
                                 {AddrType::TILING_FFTS, 2, false, {}},
                                 {AddrType::TILING_CONTEXT, 3, false, {}}})
    EXPECT_EQ(ArgsFormatDescUtils::ToString({before[0], bad}), "");
}

TEST(ArgsFormat, DescriptionsOfSlotsKeepEveryMember) {
  std::vector<ArgDescInfo> infos;
  for (ArgDescType type :
       {ArgDescType::kIrInput, ArgDescType::kIrOutput, ArgDescType::kWorkspace, ArgDescType::kIrInputDesc,
        ArgDescType::kIrOutputDesc, ArgDescType::kInputInstance, ArgDescType::kOutputInstance})
    infos.emplace_back(type, static_cast<int32_t>(type), type == ArgDescType::kIrOutputDesc);
  infos.emplace_back(ArgDescType::kIrInput);
  infos.emplace_back(ArgDescType::kTiling);
  infos.push_back(ArgDescInfo::CreateHiddenInput(HiddenInputSubType::kHcom));
  infos.back().SetIrIndex(1);
  infos.push_back(ArgDescInfo::CreateCustomValue(77));
  const AscendString text = ArgsFormatSerializer::Serialize(infos);
  EXPECT_STREQ(text.GetString(),
               "{i0*}{o1*}{ws2*}{i_desc6*}{o_desc7}{i_instance8*}{o_instance9*}{i*}{t}{hi.hcom1*}{#77}");
  const std::vector<ArgDescInfo> back = ArgsFormatSerializer::Deserialize(text);
  ASSERT_EQ(back.size(), infos.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].GetType(), infos[i].GetType()) << i;
    EXPECT_EQ(back[i].GetIrIndex(), infos[i].GetIrIndex()) << i;
    EXPECT_EQ(back[i].IsFolded(), infos[i].IsFolded()) << i;
    EXPECT_EQ(back[i].GetCustomValue(), infos[i].GetCustomValue()) << i;
    EXPECT_EQ(back[i].GetHiddenInputSubType(), infos[i].GetHiddenInputSubType()) << i;
  }
  EXPECT_TRUE(ArgsFormatSerializer::Deserialize("{i0").empty());
  EXPECT_TRUE(ArgsFormatSerializer::Deserialize("{ffts_addr}").empty());  // no ArgDescType says that
  EXPECT_EQ(ArgsFormatSerializer::Serialize({ArgDescInfo(ArgDescType::kEnd)}).GetLength(), 0u);
  EXPECT_EQ(ArgsFormatSerializer::Serialize({ArgDescInfo(ArgDescType::kHiddenInput)}).GetLength(), 0u);
}

// A node with two inputs of shape [2, 3] and an output, on stream 5, the 9th of its graph.
struct Node {
  Node() {
    info.SetNode("a", "Add");
    info.AppendInput("x1", std::vector<gert::CompileTimeTensorDesc>(1));
    info.AppendInput("x2", std::vector<gert::CompileTimeTensorDesc>(1));
    info.AppendOutput("y", std::vector<gert::CompileTimeTensorDesc>(1));
    frame.node = &info;
    frame.inputs = {&x, &x};
    frame.outputs = {&y};
    frame.stream_id = 5;
    frame.op_id = 9;
  }
  gert::Tensor x{{{2, 3}, {2, 3}}, {FORMAT_ND, FORMAT_ND, {}}, DT_FLOAT};
  gert::Tensor y{{{2, 3}, {6}}, {FORMAT_ND, FORMAT_ND, {}}, DT_FLOAT};
  gert::ComputeNodeInfo info;
  gert::detail::ResourceFrame frame;
};

TEST(ResourceContext, TellsOfTheNode) {
  Node node;
  gert::ExeResGenerationContext context(&node.frame);
  EXPECT_EQ(context.GetInputShape(1)->GetOriginShape(), (gert::Shape{2, 3}));
  EXPECT_EQ(context.GetOutputShape(0)->GetStorageShape(), (gert::Shape{6}));
  EXPECT_EQ(context.GetInputShape(2), nullptr);
  EXPECT_EQ(context.GetOutputShape(-1), nullptr);
  EXPECT_EQ(context.GetExecuteMode(), gert::ExecuteMode::kStaticOffloadExecute);
  context.SetWorkspaceBytes({512, 1024});
  EXPECT_EQ(context.GetWorkspaceBytes(), (std::vector<int64_t>{512, 1024}));
  std::vector<gert::StreamInfo> streams(1);
  streams[0].name = "side";
  EXPECT_EQ(context.SetAttachedStreamInfos(streams), GRAPH_SUCCESS);
  EXPECT_STREQ(context.GetAttachedStreamInfos().at(0).name.GetString(), "side");
  EXPECT_EQ(context.GetAttachedStreamInfos().at(0).stream_id, -1);
}

TEST(KernelLaunch, AKernelTaskKeepsWhatIsSet) {
  Node node;
  gert::ExeResGenerationContext context(&node.frame);
  KernelLaunchInfo task = KernelLaunchInfo::CreateAicpuKfcTask(&context, "libkfc.so", "RunKfc");
  EXPECT_EQ(task.GetStreamId(), 5u);
  EXPECT_STREQ(task.GetSoName(), "libkfc.so");
  EXPECT_STREQ(task.GetKernelName(), "RunKfc");
  EXPECT_EQ(task.GetBlockDim(), 0u);
  task.SetStreamId(300);
  EXPECT_EQ(task.SetBlockDim(24), GRAPH_SUCCESS);
  EXPECT_EQ(task.SetArgsFormat("{i0*}{o0*}"), GRAPH_SUCCESS);
  EXPECT_EQ(task.SetArgsFormat(nullptr), GRAPH_FAILED);
  const std::vector<uint8_t> bytes = task.Serialize();
  // type 0; stream 300; kernel { context { op 9, format }, 24 blocks, library, name }
  const std::string expected = std::string("\x10\x00\x50\xAC\x02\xA2\x01\x27", 8) +
                               std::string("\x0A\x0E\x20\x09\x4A\x0A", 6) + "{i0*}{o0*}" + "\x58\x18" +
                               "\x82\x01\x09libkfc.so" + "\x8A\x01\x06RunKfc";
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), expected);

  const KernelLaunchInfo back = KernelLaunchInfo::LoadFromData(&context, bytes);
  EXPECT_EQ(back.GetStreamId(), 300u);
  EXPECT_EQ(back.GetBlockDim(), 24u);
  EXPECT_STREQ(back.GetArgsFormat(), "{i0*}{o0*}");
  EXPECT_STREQ(back.GetSoName(), "libkfc.so");
  EXPECT_STREQ(back.GetKernelName(), "RunKfc");
  EXPECT_EQ(back.Serialize(), bytes);

  KernelLaunchInfo copy = task;
  EXPECT_EQ(copy.SetBlockDim(1), GRAPH_SUCCESS);
  EXPECT_EQ(task.GetBlockDim(), 24u);
  KernelLaunchInfo moved = std::move(copy);
  EXPECT_EQ(moved.GetBlockDim(), 1u);
  copy = task;
  EXPECT_EQ(copy.Serialize(), bytes);
}

TEST(KernelLaunch, OtherTasksHaveWhatTheyNeed) {
  KernelLaunchInfo record = KernelLaunchInfo::CreateHcomRecordTask(nullptr),
                   wait = KernelLaunchInfo::CreateHcomWaitTask(nullptr, "pair");
  for (KernelLaunchInfo *task : {&record, &wait}) {
    EXPECT_EQ(task->GetStreamId(), 0u);
    EXPECT_EQ(task->SetBlockDim(1), GRAPH_FAILED);
    EXPECT_EQ(task->SetArgsFormat("{i0*}"), GRAPH_FAILED);
    EXPECT_EQ(task->GetBlockDim(), 0xFFFFFFFFu);
    EXPECT_EQ(task->GetArgsFormat(), nullptr);
    EXPECT_EQ(task->GetSoName(), nullptr);
    EXPECT_EQ(KernelLaunchInfo::LoadFromData(nullptr, task->Serialize()).Serialize(), task->Serialize());
  }
  EXPECT_NE(record.Serialize(), KernelLaunchInfo::CreateHcomRecordTask(nullptr, "other").Serialize());

  KernelLaunchInfo ccu = KernelLaunchInfo::CreateCcuTask(nullptr, {"g0", "g1"});
  EXPECT_EQ(ccu.SetArgsFormat("{i0*}"), GRAPH_SUCCESS);
  EXPECT_EQ(ccu.GetKernelName(), nullptr);
  KernelLaunchInfo kernel = KernelLaunchInfo::CreateAicpuKfcTask(nullptr, "so", "kernel");
  KernelLaunchInfo fusion = KernelLaunchInfo::CreateFusionTask(nullptr, {kernel, ccu});
  EXPECT_EQ(fusion.SetBlockDim(3), GRAPH_SUCCESS);
  const std::vector<uint8_t> bytes = fusion.Serialize();
  const KernelLaunchInfo back = KernelLaunchInfo::LoadFromData(nullptr, bytes);
  EXPECT_EQ(back.GetBlockDim(), 3u);
  EXPECT_EQ(back.Serialize(), bytes);
  EXPECT_GT(bytes.size(), kernel.Serialize().size() + ccu.Serialize().size());
  EXPECT_TRUE(KernelLaunchInfo::CreateFusionTask(nullptr, {fusion}).Serialize().empty());
}

TEST(KernelLaunch, BytesThatAreNoTaskGiveAnInvalidOne) {
  const std::vector<uint8_t> good = KernelLaunchInfo::CreateAicpuKfcTask(nullptr, "so", "kernel").Serialize();
  std::vector<std::vector<uint8_t>> bad = {{}, {0x10}, {0x10, 0x63}, {0xFF, 0xFF, 0xFF}, {0x0B}};
  for (size_t size = 2; size < good.size(); ++size) bad.emplace_back(good.begin(), good.begin() + size);
  size_t refused = 0;
  for (const std::vector<uint8_t> &bytes : bad) {
    KernelLaunchInfo task = KernelLaunchInfo::LoadFromData(nullptr, bytes);
    if (!task.Serialize().empty()) continue;  // cut between two fields
    ++refused;
    EXPECT_EQ(task.GetStreamId(), 0xFFFFFFFFu);
    EXPECT_EQ(task.GetKernelName(), nullptr);
    EXPECT_EQ(task.SetBlockDim(1), GRAPH_FAILED);
    EXPECT_TRUE(KernelLaunchInfo(task).Serialize().empty());
    EXPECT_TRUE(KernelLaunchInfo::CreateFusionTask(nullptr, {task}).Serialize().empty());
  }
  EXPECT_EQ(refused, bad.size() - 2);  // after the type, and after the stream
}

// ---- declared launches ----

using gert::AnnotatedKernelArgs;
using gert::InputAddr;
using gert::OutputAddr;
using gert::WorkspaceAddr;

TEST(AnnotatedArgs, SlotsAreInTheOrderOfTheCalls) {
  int x = 0, y = 0, w = 0;
  AnnotatedKernelArgs args(InputAddr{1, &x}, OutputAddr{0, &y}, uint64_t{1024});
  EXPECT_EQ(args.AppendArg(WorkspaceAddr{2, &w}), GRAPH_SUCCESS);
  std::vector<uint8_t> data;
  Args descs;
  ASSERT_EQ(args.ExtractArgsData(data, descs), GRAPH_SUCCESS);
  const void *const expected[] = {&x, &y, reinterpret_cast<void *>(uintptr_t{1024}), &w};
  ASSERT_EQ(data.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(data.data(), expected, sizeof expected), 0);
  EXPECT_EQ(ArgsFormatDescUtils::ToString(descs), "{i_instance1*}{o_instance0*}{#1024}{ws2*}");

  AnnotatedKernelArgs copy = args;
  EXPECT_EQ(copy.AppendArg(uint64_t{1}), GRAPH_SUCCESS);
  ASSERT_EQ(args.ExtractArgsData(data, descs), GRAPH_SUCCESS);
  EXPECT_EQ(data.size(), 32u);
  AnnotatedKernelArgs moved = std::move(copy);
  ASSERT_EQ(moved.ExtractArgsData(data, descs), GRAPH_SUCCESS);
  EXPECT_EQ(data.size(), 40u);
  EXPECT_EQ(copy.AppendArg(uint64_t{1}), GRAPH_FAILED);
  EXPECT_EQ(copy.ExtractArgsData(data, descs), GRAPH_FAILED);

  AnnotatedKernelArgs spoilt(InputAddr{0x80000000u, &x}, uint64_t{1});
  EXPECT_EQ(spoilt.ExtractArgsData(data, descs), GRAPH_FAILED);
  EXPECT_EQ(spoilt.AppendArg(OutputAddr{0, &y}), GRAPH_FAILED);
  AnnotatedKernelArgs largest(InputAddr{0x7FFFFFFFu, &x});
  EXPECT_EQ(largest.ExtractArgsData(data, descs), GRAPH_SUCCESS);
}

class Declaring : public AnnotatedArgsOp {
 public:
  graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &ctx) override {
    WorkspaceAddr first = ctx.MallocWorkSpace(1), second = ctx.MallocWorkSpace(513);
    if (ctx.MallocWorkSpace(0).addr != nullptr || first.addr == nullptr || second.index != 1) return GRAPH_FAILED;
    AnnotatedKernelArgs args(InputAddr{0, ctx.GetRequiredInputTensor(0)->GetAddr()},
                             OutputAddr{0, ctx.GetOutputTensor(0)->GetAddr()}, second);
    return ctx.AddLaunch({"kernel", "binary", 6, 8, ctx.GetStreamId()}, std::move(args));
  }
};

TEST(AnnotatedArgs, AnOperatorDeclaresLaunches) {
  float x[4], y[4];
  gert::ComputeNodeInfo info;
  info.SetNode("n", "Declaring");
  info.AppendInput("x", std::vector<gert::CompileTimeTensorDesc>(1));
  info.AppendOutput("y", std::vector<gert::CompileTimeTensorDesc>(1));
  gert::detail::AnnotatedFrame frame;
  frame.node = &info;
  frame.stream_id = 3;
  frame.in.emplace_back(gert::StorageShape{{4}, {4}}, gert::StorageFormat{}, gert::kOnHost, DT_FLOAT, x);
  frame.out.emplace_back(gert::StorageShape{{4}, {4}}, gert::StorageFormat{}, gert::kOnHost, DT_FLOAT, y);
  frame.Connect();
  gert::AnnotatedArgsContext context(&frame);
  EXPECT_EQ(frame.Problem(), "no launch was declared");
  Declaring op;
  ASSERT_EQ(op.DeclareLaunchArgs(context), GRAPH_SUCCESS);
  EXPECT_EQ(frame.Problem(), "");
  EXPECT_EQ(frame.workspaces, (std::vector<size_t>{512, 1024}));
  ASSERT_EQ(frame.launches.size(), 1u);
  const gert::detail::DeclaredLaunch &launch = frame.launches[0];
  EXPECT_EQ(launch.kernel_name, "kernel");
  EXPECT_EQ(std::string(launch.kernel_bin.begin(), launch.kernel_bin.end()), "binary");
  EXPECT_EQ(launch.block_dim, 8u);
  EXPECT_EQ(ArgsFormatDescUtils::ToString(launch.descs), "{i_instance0*}{o_instance0*}{ws1*}");
  const void *const slots[] = {x, y, frame.memory[1].get()};
  ASSERT_EQ(launch.args.size(), sizeof slots);
  EXPECT_EQ(std::memcmp(launch.args.data(), slots, sizeof slots), 0);

  const gert::AnnotatedKernelLaunchInfo good{"k", "b", 1, 1, 4};
  auto add = [&](gert::AnnotatedKernelLaunchInfo info) { return context.AddLaunch(info, AnnotatedKernelArgs()); };
  for (int wrong = 0; wrong < 5; ++wrong) {
    gert::AnnotatedKernelLaunchInfo bad = good;
    if (wrong == 0) bad.kernel_name = "";
    if (wrong == 1) bad.kernel_bin = nullptr;
    if (wrong == 2) bad.kernel_bin_size = 0;
    if (wrong == 3) bad.block_dim = 0;
    if (wrong == 4) bad.stream_id = 0xFFFFFFFFu;
    EXPECT_EQ(add(bad), GRAPH_FAILED) << wrong;
  }
  AnnotatedKernelArgs most;
  for (uint64_t i = 0; i < 8192; ++i) ASSERT_EQ(most.AppendArg(i), GRAPH_SUCCESS);
  AnnotatedKernelArgs above = most;
  ASSERT_EQ(above.AppendArg(uint64_t{0}), GRAPH_SUCCESS);
  EXPECT_EQ(context.AddLaunch(good, std::move(above)), GRAPH_FAILED);
  EXPECT_EQ(frame.launches.size(), 1u);
  EXPECT_EQ(context.AddLaunch(good, std::move(most)), GRAPH_SUCCESS);
  EXPECT_EQ(frame.Problem(), "launch 'k' is on stream 4, the node on stream 3");
}

}  // namespace
}  // namespace ge
