// A small random generator whose sequence is the same on every machine (PCG32, O'Neill 2014).
#ifndef POSEWIRE_LIBS_RANDOM_RANDOM_H_
#define POSEWIRE_LIBS_RANDOM_RANDOM_H_

#include <cstdint>

namespace posewire {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(0) {
    Next();
    state_ += seed;
    Next();
  }
  uint32_t Next() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto shifted = static_cast<uint32_t>(((old >> 18u) ^ old) >> 27u);
    const auto rot = static_cast<uint32_t>(old >> 59u);
    return (shifted >> rot) | (shifted << ((32u - rot) & 31u));
  }
  // Returns a number in [0, 1).
  float Uniform() { return static_cast<float>(Next() >> 8) * (1.0f / 16777216.0f); }
  float Uniform(float low, float high) { return low + (high - low) * Uniform(); }

 private:
  uint64_t state_;
};

}  // namespace posewire

#endif  // POSEWIRE_LIBS_RANDOM_RANDOM_H_
