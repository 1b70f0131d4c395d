// An object per thread.
//
// Unlike a thread_local object with a destructor, its first use survives the lack of memory: the C library ends the
// process when it cannot register such a destructor.
#pragma once

#include <pthread.h>

#include <new>

namespace gec {

template <class T>
class PerThread {
 public:
  /// The calling thread's object, made on first use; null when there is no memory for it.
  static T *Find() noexcept {
    static thread_local T *object = nullptr;
    if (object) return object;
    static Key key;
    T *fresh = nullptr;
    try {
      fresh = new T;
    } catch (const std::bad_alloc &) {  // of what it holds, as well
      return nullptr;
    }
    if (!key.made || pthread_setspecific(key.key, fresh) != 0) {
      delete fresh;
      return nullptr;
    }
    return object = fresh;
  }
  /// The same, or std::bad_alloc.
  static T &Get() {
    T *object = Find();
    if (!object) throw std::bad_alloc();
    return *object;
  }

 private:
  struct Key {
    Key() : made(pthread_key_create(&key, [](void *object) { delete static_cast<T *>(object); }) == 0) {}
    pthread_key_t key{};
    bool made;
  };
};

}  // namespace gec
