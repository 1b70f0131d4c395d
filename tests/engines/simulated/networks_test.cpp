// Whole networks, split at random between the processor and the simulated accelerator; ONNX Runtime is the oracle. The
// files are what tests/python/write_nets.py wrote. The same as test_networks.py, for builds with sanitizers.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ge/engine.h"
#include "parsers/onnx/importer.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

struct NetFile {
  std::string name;
  GraphPtr graph;
  std::vector<Array> inputs, outputs;
};

NetFile Read(const std::filesystem::path &onnx) {
  NetFile net{onnx.stem().string(), onnx::ImportFile(onnx.string()), {}, {}};
  std::filesystem::path path = onnx;
  std::ifstream text(path.replace_extension(".txt")), numbers(path.replace_extension(".bin"), std::ios::binary);
  std::string line, kind, tensor;
  while (std::getline(text, line)) {
    std::istringstream words(line);
    Array a;
    int64_t rank = 0, elements = 1;
    words >> kind >> tensor >> a.dtype >> rank;
    for (a.dims.resize(static_cast<size_t>(rank)); int64_t & dim : a.dims) words >> dim, elements *= dim;
    if (!words) ADD_FAILURE() << path << ": " << line;
    a.bytes.resize(static_cast<size_t>(elements) * (GeDataTypeBits(a.dtype) / 8));
    numbers.read(a.bytes.data(), static_cast<std::streamsize>(a.bytes.size()));
    (kind == "input" ? net.inputs : net.outputs).push_back(std::move(a));
  }
  EXPECT_TRUE(numbers && !net.outputs.empty()) << path;
  return net;
}

/// Within 1e-4 of the largest output.
void ExpectNear(const std::vector<Array> &got, const std::vector<Array> &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i].dims, want[i].dims);
    ASSERT_EQ(got[i].dtype, want[i].dtype);
    if (want[i].dtype != C_DT_FLOAT) {
      EXPECT_EQ(got[i].bytes, want[i].bytes);
      continue;
    }
    const std::vector<float> x = got[i].Floats(), y = want[i].Floats();
    float largest = 0, apart = 0;
    for (size_t k = 0; k < y.size(); ++k) {
      largest = std::max(largest, std::fabs(y[k]));
      apart = std::isnan(x[k]) ? INFINITY : std::max(apart, std::fabs(x[k] - y[k]));
    }
    EXPECT_LE(apart, 1e-4f * largest) << "output " << i;
  }
}

// Both orders: a part of the nodes there, and exactly the others; as single nodes and as regions.
void RunSplit(const NetFile &net) {
  const std::string kernels = "kernels=" GE_TEST_KERNELS;
  for (const bool regions : {false, true}) {
    for (const bool others : {false, true}) {
      const std::string options = Str(kernels, "\nshare=50\nseed=", net.name.size() + 7 * regions,
                                      "\nothers=", int{others}, "\nregions=", int{regions});
      ASSERT_EQ(GeEngineLoad(GE_TEST_SIMULATED, options.c_str()), GE_SUCCESS) << GeLastErrorMessage();
      {
        const ModelPtr model = Model::Compile(*net.graph, Opts({{"threads", kTwoThreads}}));
        // Of a few nodes the draw may leave it none.
        const std::vector<PlacementInfo> placement = model->Placement();
        const auto there = std::count_if(placement.begin(), placement.end(),
                                         [](const PlacementInfo &p) { return p.engine == "SimulatedEngine"; });
        if (placement.size() > 10) {
          EXPECT_GT(there, 0) << net.name;
        }
        RunContext context(model);
        for (int again = 0; again < 2; ++again) {  // memory that a first run left behind must not show
          SCOPED_TRACE(Str(net.name, regions ? ", regions" : ", nodes", others ? ", the others" : ""));
          ExpectNear(RunAll(context, net.inputs), net.outputs);
        }
      }
      EXPECT_EQ(GeEngineUnload("SimulatedEngine"), GE_SUCCESS);
    }
  }
}

TEST(SplitNetworks, GiveWhatOnnxRuntimeGives) {
  size_t nets = 0;
  for (const auto &entry : std::filesystem::directory_iterator(GE_TEST_NETS_FOLDER)) {
    if (entry.path().extension() != ".onnx") continue;
    RunSplit(Read(entry.path()));
    ++nets;
  }
  EXPECT_GE(nets, 8u);
}

}  // namespace
}  // namespace gec
