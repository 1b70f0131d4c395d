// One function per command: declares its options and what it does.
#pragma once

#include <CLI/CLI.hpp>

namespace tool {

void AddRun(CLI::App *app);
void AddBench(CLI::App *app);
void AddInfo(CLI::App *app);
void AddCompare(CLI::App *app);
void AddDump(CLI::App *app);
void AddOps(CLI::App *app);
void AddDoctor(CLI::App *app);
void AddEngineTest(CLI::App *app);
void AddProtos(CLI::App *app);
void AddReport(CLI::App *app);
void AddPasses(CLI::App *app);
void AddOpt(CLI::App *app);
void AddBisect(CLI::App *app);
void AddWhyNot(CLI::App *app);

}  // namespace tool
