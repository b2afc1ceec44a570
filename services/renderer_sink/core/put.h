// Appends numbers to a message for the page, little-endian.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_PUT_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_PUT_H_

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

namespace posewire::renderer_sink {

static_assert(std::endian::native == std::endian::little, "messages are little-endian");

template <typename T>
void Put(T value, std::string* out) {
  static_assert(std::is_arithmetic_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_PUT_H_
