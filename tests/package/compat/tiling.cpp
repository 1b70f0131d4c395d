#include "register/tilingdata_base.h"

#include <iostream>

namespace optiling {
BEGIN_TILING_DATA_DEF(AskedTiling)
TILING_DATA_FIELD_DEF(uint32_t, blocks);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
}  // namespace optiling

int main() {
  const optiling::AskedTiling tiling;
  std::cout << "tiling of " << tiling.GetDataSize() << " bytes\n";
}
