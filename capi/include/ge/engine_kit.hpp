// The engine kit: what engines written in C++17 would otherwise each write for themselves. Header-only, above the C
// interface of ge/engine.h, which stays the contract: an engine may use all of this, parts of it, or nothing.
//
//   failure.hpp     errors as exceptions, and the barrier that keeps them inside the engine
//   data_types.hpp  names and sizes of data types, kinds of formats
//   views.hpp       tensors, attributes and nodes with typed readers
//   kernel.hpp      kernels as objects, loops on the model's threads, constants in another form
//   engine.hpp      an engine as a class, and the table of it
//
// Where several engines are linked into one program and are compiled for different processors, each defines
// GE_ENGINE_KIT_NAMESPACE as a name of its own, so that the linker never takes one engine's copy of a function for
// another's.
#ifndef GE_ENGINE_KIT_HPP_
#define GE_ENGINE_KIT_HPP_

#include "ge/engine_kit/data_types.hpp"
#include "ge/engine_kit/engine.hpp"
#include "ge/engine_kit/failure.hpp"
#include "ge/engine_kit/kernel.hpp"
#include "ge/engine_kit/views.hpp"

#endif
