// Ctrl-C ends what the library is doing, with an orderly message; a second one ends the process at once.
#pragma once

namespace tool {

/// From here on, and for the calling thread.
void CatchInterrupts();
bool Interrupted();
/// Ends the process as one that SIGINT has ended, which is what shells and scripts look for.
[[noreturn]] void EndByInterrupt();

}  // namespace tool
