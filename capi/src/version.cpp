#include "ge/version.h"

extern "C" const char *GeVersionString(void) { return GE_VERSION_STRING; }
extern "C" uint32_t GeAbiVersion(void) { return GE_ABI_VERSION; }
