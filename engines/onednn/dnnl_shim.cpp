// Stands in for libdnnl where a program must link without it (the static library): every function of oneDNN that the
// engine calls is a jump through a slot, and the slots are filled from the shared library when the engine opens.
// A library that links this file gets that; without it the functions come from the linker as usual.
#ifdef GE_ONEDNN_DLOPEN

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

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
#define GE_DNNL_SLOT(name) __attribute__((visibility("hidden"))) void *ge_aicore_slot_##name = nullptr;
GE_DNNL_FUNCTIONS(GE_DNNL_SLOT)
}

#define GE_DNNL_JUMP(name)                                                                        \
  asm(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ",@function\n" #name \
      ":\n  endbr64\n  jmp *ge_aicore_slot_" #name "(%rip)\n.size " #name ",.-" #name "\n");
GE_DNNL_FUNCTIONS(GE_DNNL_JUMP)

namespace {
const struct {
  const char *name;
  void **slot;
} kFunctions[] = {
#define GE_DNNL_ENTRY(name) {#name, &ge_aicore_slot_##name},
    GE_DNNL_FUNCTIONS(GE_DNNL_ENTRY)
#undef GE_DNNL_ENTRY
};
}  // namespace

// Null when every function is there, else why not. GE_DNNL_LIBRARY names another file to load.
extern "C" __attribute__((visibility("hidden"))) const char *ge_aicore_load_dnnl() {
  static const char *const problem = []() -> const char * {
    static char text[512];
    const char *file = getenv("GE_DNNL_LIBRARY");
    if (!file || !*file) file = "libdnnl.so.2";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      strncpy(text, reason ? reason : file, sizeof(text) - 1);
      return text;
    }
    for (const auto &function : kFunctions) {
      *function.slot = dlsym(library, function.name);
      if (!*function.slot) {
        strncpy(text, file, sizeof(text) - 1);
        strncat(text, " lacks ", sizeof(text) - strlen(text) - 1);
        strncat(text, function.name, sizeof(text) - strlen(text) - 1);
        return text;
      }
    }
    return nullptr;
  }();
  return problem;
}

#endif
