#pragma once

namespace gec::api {

/// Tells the core how engines that change graphs get their handles. The files that compile graphs call it when they are
/// initialised: so a program that links statically has it, and one that only builds graphs does not need the compiler.
bool OfferGraphHandles();

}  // namespace gec::api
