// Where a Python that is not in the process lies: a program is found as a shell finds it, and asked once for its
// library.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ge_bridge {

/// Until an interpreter has to have started.
constexpr auto kLongestStart = std::chrono::seconds(30);

struct AskedPython {
  std::string program;                 // as it calls itself: in a virtual environment that environment's
  std::string version;                 // "3.11"
  std::vector<std::string> libraries;  // files where its shared library may be
};

/// The interpreter of VIRTUAL_ENV, else of PYTHONHOME, else python3 of PATH. Empty, with a reason, when there is none.
std::string FindProgram(std::string *error);
/// The program that a library belongs to: bin/python3 of VIRTUAL_ENV, else the one of this version in a folder above
/// the library. Empty when there is none.
std::string ProgramOf(const std::string &library, const std::string &version);
/// Runs the program. False with a reason: it cannot be run, does not start, is no CPython, has no global lock.
bool Ask(const std::string &program, AskedPython *asked, std::string *error);
enum class Trial { kReturns, kEnds, kTakesTooLong };
/// Calls the function in a child process, and tells whether it returns there, with what it printed.
Trial InAChild(const std::function<void()> &function, std::string *printed);

}  // namespace ge_bridge
