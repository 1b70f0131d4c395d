// The library's own instruments that look at passes only.
#pragma once

#include "core/passes/instrument.h"

namespace gec {

/// Total and own time of each pass, as a tree: passes that run inside another are its children.
PassInstrumentPtr TimingInstrument();
/// Peak of the process's memory during each pass above what it was before, and what stayed allocated.
PassInstrumentPtr MemoryInstrument();
/// Candidates tried, matched, applied and declined, by pass and rule.
PassInstrumentPtr CounterInstrument();

}  // namespace gec
