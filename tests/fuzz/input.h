// Reads the bytes of a fuzzer's input as the choices of a script. At their end every choice is 0.
#ifndef POSEWIRE_TESTS_FUZZ_INPUT_H_
#define POSEWIRE_TESTS_FUZZ_INPUT_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace posewire {

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : p_(data), end_(data + size) {}

  bool done() const { return p_ == end_; }
  uint8_t Byte() { return p_ == end_ ? uint8_t{0} : *p_++; }
  // 0 .. n - 1; n at most 256.
  size_t Choose(size_t n) { return Byte() % n; }
  bool Flip() { return Byte() % 2 == 1; }
  // From `least` to `most`, each order of magnitude as likely as the others.
  double Scaled(double least, double most) {
    return least * std::pow(most / least, Byte() / 255.0);
  }
  // Two bytes of length (the lower first), then as many bytes, or what is left.
  std::string Text() {
    const size_t said = Byte() + (size_t{Byte()} << 8);
    const size_t n = std::min(said, static_cast<size_t>(end_ - p_));
    std::string text(reinterpret_cast<const char*>(p_), n);
    p_ += n;
    return text;
  }
  std::string Rest() {
    std::string text(reinterpret_cast<const char*>(p_), static_cast<size_t>(end_ - p_));
    p_ = end_;
    return text;
  }

 private:
  const uint8_t* p_;
  const uint8_t* end_;
};

}  // namespace posewire

#endif  // POSEWIRE_TESTS_FUZZ_INPUT_H_
