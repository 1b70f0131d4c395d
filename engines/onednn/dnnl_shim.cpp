// oneDNN is opened when the first kernel that needs it is made: loading it takes longer than compiling a small model
// that has no use for it. Every function of it that the engine calls is a jump through a slot, and the slots are filled
// from the shared library then.
#ifdef GE_ONEDNN_SHIM

#include "dnnl_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>

#define GE_DNNL_FUNCTIONS(X)                    \
  X(dnnl_convolution_forward_desc_init)         \
  X(dnnl_dilated_convolution_forward_desc_init) \
  X(dnnl_engine_create)                         \
  X(dnnl_engine_destroy)                        \
  X(dnnl_inner_product_forward_desc_init)       \
  X(dnnl_memory_create)                         \
  X(dnnl_memory_desc_equal)                     \
  X(dnnl_memory_desc_get_size)                  \
  X(dnnl_memory_desc_init_by_strides)           \
  X(dnnl_memory_desc_init_by_tag)               \
  X(dnnl_memory_destroy)                        \
  X(dnnl_memory_get_engine)                     \
  X(dnnl_memory_get_memory_desc)                \
  X(dnnl_memory_set_data_handle)                \
  X(dnnl_pooling_forward_desc_init)             \
  X(dnnl_post_ops_append_eltwise)               \
  X(dnnl_post_ops_append_sum)                   \
  X(dnnl_post_ops_append_sum_v2)                \
  X(dnnl_post_ops_create)                       \
  X(dnnl_post_ops_destroy)                      \
  X(dnnl_primitive_attr_create)                 \
  X(dnnl_primitive_attr_destroy)                \
  X(dnnl_primitive_attr_set_fpmath_mode)        \
  X(dnnl_primitive_attr_set_post_ops)           \
  X(dnnl_primitive_attr_set_scratchpad_mode)    \
  X(dnnl_primitive_create)                      \
  X(dnnl_primitive_desc_destroy)                \
  X(dnnl_primitive_desc_iterator_create)        \
  X(dnnl_primitive_desc_iterator_destroy)       \
  X(dnnl_primitive_desc_iterator_fetch)         \
  X(dnnl_primitive_desc_query)                  \
  X(dnnl_primitive_desc_query_md)               \
  X(dnnl_primitive_destroy)                     \
  X(dnnl_primitive_execute)                     \
  X(dnnl_reorder_primitive_desc_create)         \
  X(dnnl_set_max_cpu_isa)                       \
  X(dnnl_stream_create)                         \
  X(dnnl_stream_destroy)                        \
  X(dnnl_stream_wait)

extern "C" {
// A call before the library is there finds a status that oneDNN's classes throw.
__attribute__((visibility("hidden"))) int ge_aicore_dnnl_missing() { return 5; }  // dnnl_runtime_error
#define GE_DNNL_SLOT(name) \
  __attribute__((visibility("hidden"))) void *ge_aicore_slot_##name = reinterpret_cast<void *>(&ge_aicore_dnnl_missing);
GE_DNNL_FUNCTIONS(GE_DNNL_SLOT)
}

#define GE_DNNL_JUMP(name)                                                                        \
  asm(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ",@function\n" #name \
      ":\n  endbr64\n  jmp *ge_aicore_slot_" #name "(%rip)\n.size " #name ",.-" #name "\n");
GE_DNNL_FUNCTIONS(GE_DNNL_JUMP)
extern "C" int dnnl_set_max_cpu_isa(int);

namespace {
const struct {
  const char *name;
  void **slot;
} kFunctions[] = {
#define GE_DNNL_ENTRY(name) {#name, &ge_aicore_slot_##name},
    GE_DNNL_FUNCTIONS(GE_DNNL_ENTRY)
#undef GE_DNNL_ENTRY
};

/// The library that the plug-in's neighbour brings: it is linked with oneDNN, wherever that was installed. A program
/// that holds the engine itself has no such neighbour.
std::string Neighbour() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&ge_aicore_dnnl_missing), &info) || !info.dli_fname) return "";
  const std::string own = info.dli_fname;
  const size_t slash = own.rfind('/');
  if (slash == std::string::npos) return "";
  const std::string path = own.substr(0, slash + 1) + "libge_dnnl.so";
  return access(path.c_str(), F_OK) == 0 ? path : "";
}

std::atomic<const char *> opened{""};

}  // namespace

namespace onednn {

const char *OpenedLibrary() { return opened.load(); }

std::string OpenLibrary(int cpu_isa) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (*opened.load()) return "";
  const char *given = getenv("GE_DNNL_LIBRARY");
  std::string file = given && *given ? given : Neighbour();
  if (file.empty()) file = "libdnnl.so.2";
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return reason ? reason : file;
  }
  void *found[std::size(kFunctions)];
  for (size_t i = 0; i < std::size(kFunctions); ++i)
    if (!(found[i] = dlsym(library, kFunctions[i].name))) return file + " lacks " + kFunctions[i].name;
  for (size_t i = 0; i < std::size(kFunctions); ++i) *kFunctions[i].slot = found[i];
  dnnl_set_max_cpu_isa(cpu_isa);
  opened = "libdnnl.so.2";
  return "";
}

}  // namespace onednn

#endif
