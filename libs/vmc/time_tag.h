// Time tags of OSC bundles: time stamps of NTP. The upper 32 of 64 bits are seconds since 1900, the
// lower 32 bits are the fraction of a second.
#ifndef POSEWIRE_LIBS_VMC_TIME_TAG_H_
#define POSEWIRE_LIBS_VMC_TIME_TAG_H_

#include <cstdint>

namespace posewire::vmc {

// OSC's tag for a bundle that takes effect when it arrives.
inline constexpr uint64_t kImmediately = 1;
// Seconds from 1900 to 1970.
inline constexpr double kUnixEpoch_s = 2208988800.0;

// Returns seconds since 1900.
constexpr double SecondsOfTag(uint64_t tag) {
  return static_cast<double>(tag >> 32) + static_cast<double>(tag & 0xffffffff) / 4294967296.0;
}

// Returns the tag of a time in seconds since 1900. A time that does not fit becomes kImmediately.
constexpr uint64_t TagOfSeconds(double seconds) {
  if (!(seconds >= 1) || seconds >= 4294967296.0) return kImmediately;
  const auto whole = static_cast<uint64_t>(seconds);
  const double rest = seconds - static_cast<double>(whole);
  return whole << 32 | static_cast<uint64_t>(rest * 4294967296.0);
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_TIME_TAG_H_
