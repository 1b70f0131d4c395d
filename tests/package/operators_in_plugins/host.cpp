// host LIBRARY OUTPUT …: each library's operators are those of the generated library whose outputs have that name; "-"
// for a library without: then it and the operator are named. Libraries stay loaded together, then go and come again.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "es_graph_builder.h"

using ge::es::EsTensorHolder;

static int Failed(const std::string &text) {
  std::fprintf(stderr, "%s (%s)\n", text.c_str(), GeLastErrorMessage());
  return 1;
}

static bool Is(EsTensorHolder made, const char *type, const std::string &output) {
  ge::AscendString found;
  int32_t index = -1;
  return made.GetProducer() != nullptr && made.GetProducer()->GetType(found) == ge::GRAPH_SUCCESS && found == type &&
         made.GetProducer()->GetOutputIndexByName(output.c_str(), index) == ge::GRAPH_SUCCESS && index == 0;
}

static int Check(void *library, const std::string &path, const std::string &output) {
  using Operation = EsCTensorHolder *(*)(const EsTensorHolder &, const EsTensorHolder &);
  const char *const names[] = {"Plus", "Minus", "Times", "Over"}, *const types[] = {"Add", "Sub", "Mul", "Div"};
  ge::es::EsGraphBuilder builder("host");
  auto [x, y] = builder.CreateInputs<2>();
  for (int i = 0; i < 4; ++i) {
    EsTensorHolder made = reinterpret_cast<Operation>(dlsym(library, names[i]))(x, y);
    if (output != "-" && !Is(made, types[i], output)) return Failed(path + ": " + types[i]);
    if (output != "-") continue;
    const std::string said = GeLastErrorMessage();
    if (made.GetCTensorHolder() != nullptr || said.find(path) == std::string::npos ||
        said.find("operator " + std::string(types[i])) == std::string::npos)
      return Failed(path + " should have no " + types[i]);
  }
  EsTensorHolder early = reinterpret_cast<EsCTensorHolder *(*)()>(dlsym(library, "MadeEarly"))();
  if (output == "-" ? early.GetCTensorHolder() != nullptr : !Is(early, "Add", output)) return Failed(path + ": early");
  return 0;
}

int main(int argc, char **argv) {
  for (int round = 0; round < 2; ++round) {
    std::vector<void *> libraries;
    for (int i = 1; i + 1 < argc; i += 2) {
      libraries.push_back(dlopen(argv[i], RTLD_NOW | RTLD_LOCAL));
      if (libraries.back() == nullptr) return Failed(dlerror());
    }
    for (size_t i = 0; i < libraries.size(); ++i)
      if (Check(libraries[i], argv[2 * i + 1], argv[2 * i + 2]) != 0) return 1;
    for (void *library : libraries) (void)dlclose(library);
  }
  // What a plug-in is linked with is not the program's.
  ge::es::EsGraphBuilder builder("own");
  auto [x, y] = builder.CreateInputs<2>();
  EsTensorHolder own = x + y;
  if (own.GetCTensorHolder() != nullptr || std::strstr(GeLastErrorMessage(), argv[0]) == nullptr)
    return Failed("the program has no Add");
  std::printf("%d libraries\n", argc / 2);
  return 0;
}
