#include "recycle.h"

#include <dlfcn.h>
#include <dnnl.h>
#include <elf.h>
#include <link.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

// Where oneDNN is loaded at run time the function's own name is that of a jump; this is where it leads.
extern "C" __attribute__((weak, visibility("hidden"))) void *ge_aicore_slot_dnnl_primitive_execute;

namespace onednn {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// Sanitizers have to see every allocation.
const char *RecycleDnnlMemory() { return "a sanitizer watches the memory"; }
RecycledMemory::RecycledMemory() = default;
RecycledMemory::~RecycledMemory() = default;

#else

namespace {

// A scope owns one block. `uses` counts the scope and every piece handed out, so a piece that outlives its scope keeps
// the block, wherever it is freed, and a block whose count is 0 is free.
constexpr int kBlocks = 64;
constexpr size_t kBlockBytes = 16384;
alignas(4096) char g_memory[kBlocks][kBlockBytes];
std::atomic<int32_t> g_uses[kBlocks];
std::atomic<bool> g_redirected{false};

std::atomic<int32_t> g_scopes{0};  // threads inside one

int FreeBlock() {
  for (int i = 0; i < kBlocks; ++i) {
    int32_t none = 0;
    if (g_uses[i].load(std::memory_order_relaxed) == 0 &&
        g_uses[i].compare_exchange_strong(none, 1, std::memory_order_acquire))
      return i;
  }
  return -1;
}

// Pieces that do not fit into a block (packed panels of matrices) are kept one by one, up to a limit.
constexpr int kLargePieces = 32;
constexpr size_t kLargeBytes = size_t{128} << 20;
struct LargePiece {
  enum State { kEmpty, kBusy, kIdle };
  std::atomic<int> state{kEmpty};
  std::atomic<void *> memory{nullptr};
  size_t bytes = 0;
  bool Claim(State from) {
    int expected = from;
    return state.load(std::memory_order_relaxed) == from &&
           state.compare_exchange_strong(expected, kBusy, std::memory_order_acquire);
  }
};
LargePiece g_large[kLargePieces];
std::atomic<size_t> g_large_bytes{0};

// A claimed piece gets new memory; false leaves it empty.
bool Refill(LargePiece *piece, size_t bytes) {
  free(piece->memory.exchange(nullptr));
  g_large_bytes.fetch_sub(piece->bytes, std::memory_order_relaxed);
  piece->bytes = 0;
  void *memory = nullptr;
  if (g_large_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kLargeBytes)
    memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!memory) {
    g_large_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    piece->state.store(LargePiece::kEmpty, std::memory_order_release);
    return false;
  }
  piece->bytes = bytes;
  piece->memory.store(memory, std::memory_order_release);
  return true;
}

void *TakeLarge(size_t bytes) {
  if (bytes > kLargeBytes) return nullptr;
  for (LargePiece &piece : g_large) {
    if (!piece.Claim(LargePiece::kIdle)) continue;
    if (piece.bytes >= bytes) return piece.memory.load(std::memory_order_relaxed);
    piece.state.store(LargePiece::kIdle, std::memory_order_release);
  }
  for (LargePiece::State from : {LargePiece::kEmpty, LargePiece::kIdle})
    for (LargePiece &piece : g_large)
      if (piece.Claim(from)) return Refill(&piece, bytes) ? piece.memory.load(std::memory_order_relaxed) : nullptr;
  return nullptr;
}

bool GiveLarge(const void *memory) {
  if (!memory || g_large_bytes.load(std::memory_order_relaxed) == 0) return false;
  for (LargePiece &piece : g_large) {
    if (piece.memory.load(std::memory_order_relaxed) != memory) continue;
    piece.state.store(LargePiece::kIdle, std::memory_order_release);
    return true;
  }
  return false;
}

struct Current {
  int block = -1;  // -1: this thread is in no scope
  size_t used = 0;
};
thread_local Current t_current;

void *Take(size_t bytes, size_t alignment) {
  if (alignment < 16) alignment = 16;
  if (alignment > 4096) return nullptr;
  Current &current = t_current;
  if (current.block < 0) {
    // Another thread of the team that executes a primitive: each piece gets a block of its own.
    if (g_scopes.load(std::memory_order_relaxed) == 0 || !omp_in_parallel()) return nullptr;
    if (bytes > kBlockBytes) return TakeLarge(bytes);
    const int block = FreeBlock();  // counted once: for the piece
    return block < 0 ? nullptr : g_memory[block];
  }
  const size_t begin = (current.used + alignment - 1) / alignment * alignment;
  if (begin > kBlockBytes || bytes > kBlockBytes - begin) return TakeLarge(bytes);
  current.used = begin + (bytes ? bytes : 1);
  g_uses[current.block].fetch_add(1, std::memory_order_relaxed);
  return g_memory[current.block] + begin;
}

bool Give(void *piece) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(piece) - reinterpret_cast<uintptr_t>(g_memory);
  if (offset >= sizeof g_memory) return GiveLarge(piece);
  g_uses[offset / kBlockBytes].fetch_sub(1, std::memory_order_release);
  return true;
}

// What oneDNN called before; whoever interposed the allocator stays in force.
void *(*g_new)(size_t) = nullptr;
void *(*g_new_nothrow)(size_t, const std::nothrow_t &) = nullptr;
void *(*g_malloc)(size_t) = nullptr;
int (*g_posix_memalign)(void **, size_t, size_t) = nullptr;
void (*g_delete)(void *) = nullptr;
void (*g_delete_sized)(void *, size_t) = nullptr;
void (*g_free)(void *) = nullptr;

void *New(size_t bytes) {
  if (void *piece = Take(bytes, 16)) return piece;
  return g_new(bytes);
}
void *NewNothrow(size_t bytes, const std::nothrow_t &tag) {
  if (void *piece = Take(bytes, 16)) return piece;
  return g_new_nothrow(bytes, tag);
}
void *Malloc(size_t bytes) {
  if (void *piece = Take(bytes, 16)) return piece;
  return g_malloc(bytes);
}
int PosixMemalign(void **out, size_t alignment, size_t bytes) {
  if (void *piece = Take(bytes, alignment)) {
    *out = piece;
    return 0;
  }
  return g_posix_memalign(out, alignment, bytes);
}
void Delete(void *piece) {
  if (!Give(piece)) g_delete(piece);
}
void DeleteSized(void *piece, size_t bytes) {
  if (!Give(piece)) g_delete_sized(piece, bytes);
}
void Free(void *piece) {
  if (!Give(piece)) g_free(piece);
}

struct Replacement {
  const char *name;
  void *ours;
  void **original;
};
template <class F>
Replacement Replace(const char *name, F *ours, F **original) {
  return {name, reinterpret_cast<void *>(ours), reinterpret_cast<void **>(original)};
}
const Replacement kReplacements[] = {
    Replace("_Znwm", New, &g_new),        Replace("_ZnwmRKSt9nothrow_t", NewNothrow, &g_new_nothrow),
    Replace("malloc", Malloc, &g_malloc), Replace("posix_memalign", PosixMemalign, &g_posix_memalign),
    Replace("_ZdlPv", Delete, &g_delete), Replace("_ZdlPvm", DeleteSized, &g_delete_sized),
    Replace("free", Free, &g_free),
};
// Functions that take memory back and have no replacement: a library that refers to one is left alone.
const char *const kOtherReleases[] = {"realloc",
                                      "reallocarray",
                                      "cfree",
                                      "_ZdaPv",
                                      "_ZdaPvm",
                                      "_ZdlPvSt11align_val_t",
                                      "_ZdlPvmSt11align_val_t",
                                      "_ZdaPvSt11align_val_t",
                                      "_ZdaPvmSt11align_val_t",
                                      "_ZdlPvRKSt9nothrow_t"};

const char *SwitchedOff() {
  const char *off = getenv("GE_DNNL_RECYCLE");
  if (off && !strcmp(off, "0")) return "GE_DNNL_RECYCLE is 0";
  // A verbose library keeps texts that it makes while executing.
  for (const char *name : {"DNNL_VERBOSE", "ONEDNN_VERBOSE", "MKLDNN_VERBOSE"})
    if (const char *level = getenv(name); level && *level && strcmp(level, "0") != 0) return "oneDNN is verbose";
  return nullptr;
}

// The replacements must stay as long as oneDNN does.
bool StayLoaded() {
  Dl_info info;
  void *extra = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(&New), &info, &extra, RTLD_DL_LINKMAP) || !extra) return false;
  const link_map *self = static_cast<const link_map *>(extra);
  if (!self->l_name || !*self->l_name) return true;  // the program itself
  return dlopen(self->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t at) const { return at >= begin && at < end; }
};

// A loaded library: where it lies, and which of its pages the loader made read-only after relocation.
struct Image {
  ElfW(Addr) base = 0;
  Range mapped, sealed;
};

Image ImageOf(const link_map &library) {
  Image image;
  image.base = library.l_addr;
  struct Query {
    const link_map *library;
    Image *image;
  } query{&library, &image};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        const Query &q = *static_cast<Query *>(data);
        bool same = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &header = info->dlpi_phdr[i];
          same |= header.p_type == PT_DYNAMIC &&
                  info->dlpi_addr + header.p_vaddr == reinterpret_cast<uintptr_t>(q.library->l_ld);
        }
        if (!same) return 0;
        const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &header = info->dlpi_phdr[i];
          const uintptr_t begin = info->dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
          Range &mapped = q.image->mapped;
          if (header.p_type == PT_LOAD) {
            if (mapped.end == 0 || begin < mapped.begin) mapped.begin = begin;
            if (end > mapped.end) mapped.end = end;
          } else if (header.p_type == PT_GNU_RELRO) {
            q.image->sealed = {begin / page * page, end / page * page};
          }
        }
        return 1;
      },
      &query);
  return image;
}

struct Relocations {
  const ElfW(Rela) *entries = nullptr;
  size_t count = 0;
};

struct Tables {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  Relocations lists[2];
};

Tables TablesOf(const link_map &library, const Image &image) {
  Tables t;
  auto at = [&](ElfW(Addr) value) {  // the loader has relocated these in place, or not
    return image.mapped.holds(value) ? value : image.base + value;
  };
  for (const ElfW(Dyn) *d = library.l_ld; d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_SYMTAB:
        t.symbols = reinterpret_cast<const ElfW(Sym) *>(at(d->d_un.d_ptr));
        break;
      case DT_STRTAB:
        t.names = reinterpret_cast<const char *>(at(d->d_un.d_ptr));
        break;
      case DT_JMPREL:
        t.lists[0].entries = reinterpret_cast<const ElfW(Rela) *>(at(d->d_un.d_ptr));
        break;
      case DT_PLTRELSZ:
        t.lists[0].count = d->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        t.lists[1].entries = reinterpret_cast<const ElfW(Rela) *>(at(d->d_un.d_ptr));
        break;
      case DT_RELASZ:
        t.lists[1].count = d->d_un.d_val / sizeof(ElfW(Rela));
        break;
    }
  }
  return t;
}

bool Write(const Image &image, void **slot, void *value) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(slot);
  const bool sealed = image.sealed.holds(address);
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void *begin = reinterpret_cast<void *>(address / page * page);
  if (sealed && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);  // other threads may be calling through it
  if (sealed) mprotect(begin, page, PROT_READ);
  return true;
}

// Where oneDNN's library lies: the address of one of its functions.
const void *DnnlFunction() {
  if (&ge_aicore_slot_dnnl_primitive_execute) return ge_aicore_slot_dnnl_primitive_execute;
  return reinterpret_cast<const void *>(&dnnl_primitive_execute);
}

const char *Redirect() {
  if (const char *reason = SwitchedOff()) return reason;
  Dl_info info;
  void *extra = nullptr;
  if (!dladdr1(DnnlFunction(), &info, &extra, RTLD_DL_LINKMAP) || !extra) return "oneDNN's library is not found";
  const link_map &library = *static_cast<const link_map *>(extra);
  const Image image = ImageOf(library);
  const Tables tables = TablesOf(library, image);
  if (!tables.symbols || !tables.names || !image.mapped.end) return "oneDNN's library has no tables";
  if (!library.l_name || !*library.l_name || image.mapped.holds(reinterpret_cast<uintptr_t>(&New)))
    return "oneDNN is not a library of its own";
  constexpr size_t kRoom = 64;
  struct Found {
    void **slot;
    const Replacement *replacement;
  } found[kRoom];
  size_t count = 0;
  for (const Relocations &list : tables.lists) {
    for (size_t i = 0; list.entries && i < list.count; ++i) {
      const ElfW(Rela) &entry = list.entries[i];
      const auto kind = ELF64_R_TYPE(entry.r_info);
      if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT && kind != R_X86_64_64) continue;
      const ElfW(Sym) &symbol = tables.symbols[ELF64_R_SYM(entry.r_info)];
      const char *name = tables.names + symbol.st_name;
      for (const char *other : kOtherReleases)
        if (!strcmp(name, other)) return "oneDNN releases memory in an unexpected way";
      for (const Replacement &replacement : kReplacements) {
        if (strcmp(name, replacement.name) != 0) continue;
        void **slot = reinterpret_cast<void **>(image.base + entry.r_offset);
        // Its own definition, or a jump of lazy binding: the loader would write over ours later.
        if (symbol.st_shndx != SHN_UNDEF || image.mapped.holds(reinterpret_cast<uintptr_t>(*slot)))
          return "oneDNN's references are not bound to another library";
        if (count == kRoom) return "oneDNN has too many references";
        found[count++] = {slot, &replacement};
      }
    }
  }
  if (count == 0) return "oneDNN has no references to the allocator";
  if (!StayLoaded()) return "the engine cannot be kept in the process";
  for (size_t i = 0; i < count; ++i)
    if (!*found[i].replacement->original) *found[i].replacement->original = *found[i].slot;
  // What releases goes first: it is right for any memory, the others are so only once these are in place.
  for (bool releases : {true, false}) {
    for (size_t i = 0; i < count; ++i) {
      const char *name = found[i].replacement->name;
      const bool is_release = !strcmp(name, "free") || !strncmp(name, "_Zdl", 4);
      if (is_release != releases) continue;
      if (!Write(image, found[i].slot, found[i].replacement->ours)) return "memory protection cannot be changed";
    }
  }
  g_redirected.store(true, std::memory_order_release);
  return nullptr;
}

}  // namespace

const char *RecycleDnnlMemory() {
  static const char *const reason = Redirect();
  return reason;
}

RecycledMemory::RecycledMemory() {
  if (!g_redirected.load(std::memory_order_acquire)) return;
  Current &current = t_current;
  if (current.block >= 0) return;
  current = {FreeBlock(), 0};
  if (current.block >= 0) g_scopes.fetch_add(1, std::memory_order_relaxed);
}

RecycledMemory::~RecycledMemory() {
  Current &current = t_current;
  if (current.block < 0) return;
  g_scopes.fetch_sub(1, std::memory_order_relaxed);
  g_uses[current.block].fetch_sub(1, std::memory_order_release);
  current.block = -1;
}

#endif

}  // namespace onednn
