// Sound for tests.
#ifndef POSEWIRE_TESTS_UNIT_CLIPIO_PCM_H_
#define POSEWIRE_TESTS_UNIT_CLIPIO_PCM_H_

#include <string>

namespace posewire::clipio {

// `count` samples of 16 bits that count up from `first`.
inline std::string Pcm(int first, int count) {
  std::string pcm;
  for (int i = first; i < first + count; ++i) {
    pcm += static_cast<char>(i & 0xFF);
    pcm += static_cast<char>(i >> 8 & 0xFF);
  }
  return pcm;
}

}  // namespace posewire::clipio

#endif  // POSEWIRE_TESTS_UNIT_CLIPIO_PCM_H_
