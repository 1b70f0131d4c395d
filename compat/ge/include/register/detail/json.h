// JSON values in interfaces: those of nlohmann/json, which a program that includes this brings (Debian:
// nlohmann-json3-dev).
#ifndef INC_REGISTER_DETAIL_JSON_H_
#define INC_REGISTER_DETAIL_JSON_H_

#if defined(__has_include) && !__has_include(<nlohmann/json.hpp>)
#error "this header has JSON values of nlohmann/json in its interface: install it (Debian: nlohmann-json3-dev)"
#endif
#include <nlohmann/json.hpp>

#endif
