// Warnings of the process: they go to the log, and wait until a program asks for them.
#pragma once

#include <string>

namespace gec {

/// Logs a line at level warning and keeps it until TakeWarnings, unless the same line waits already.
void Warn(const std::string &line);
/// The same, unless the same line was said in this process before: for what a program does again and again.
void WarnOnce(const std::string &line);
/// Returns the waiting warnings, one line each, and forgets them.
std::string TakeWarnings();

}  // namespace gec
