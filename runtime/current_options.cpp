#include "runtime/current_options.h"

namespace gec {
namespace {

thread_local const Options *t_options = nullptr;

}  // namespace

CurrentOptions::CurrentOptions(const Options &options) noexcept : before_(t_options) { t_options = &options; }
CurrentOptions::~CurrentOptions() { t_options = before_; }

const Options *CurrentOptions::Get() noexcept { return t_options; }

}  // namespace gec
