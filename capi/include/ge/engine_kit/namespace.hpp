// The namespace of the engine kit (ge/engine_kit.hpp).
#ifndef GE_ENGINE_KIT_NAMESPACE_HPP_
#define GE_ENGINE_KIT_NAMESPACE_HPP_

#ifndef GE_ENGINE_KIT_NAMESPACE
#define GE_ENGINE_KIT_NAMESPACE own
#endif
#define GE_ENGINE_KIT_BEGIN \
  namespace ge::kit {       \
  inline namespace GE_ENGINE_KIT_NAMESPACE {
#define GE_ENGINE_KIT_END \
  }                       \
  }

#endif
