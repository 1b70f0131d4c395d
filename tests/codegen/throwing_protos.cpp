// A prototype library whose initialisation throws.
#include <stdexcept>

namespace {
int Fail() { throw std::runtime_error("no prototypes today"); }
const int kNever = Fail();
}  // namespace
int ThrowingProtos() { return kNever; }
