// Random serialized animation data in every form that the wire format allows, and in some that it
// does not: as senders write it, with zeros left out, in another order, with unknown fields, with
// lengths that are longer than needed, with parts that merge.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_ODD_MESSAGES_H_
#define POSEWIRE_TESTS_UNIT_WIRE_ODD_MESSAGES_H_

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace posewire::wire {

class OddMessages {
 public:
  OddMessages(unsigned seed, int shapes, int joints)
      : rng_(seed), shapes_(shapes), joints_(joints) {}

  // One AnimationDataStream, all keys at `time_code_s`. `zeros` in 1: so many of the numbers are
  // zero; they are left out. `oddness` in 1: how likely each thing is done in an odd way.
  std::string Next(double time_code_s, double zeros, double oddness) {
    code_s_ = time_code_s, zeros_ = zeros, oddness_ = oddness;
    std::string data = Sub(1, Skel());
    if (Chance(0.7)) data += Sub(2, Double(1, code_s_) + Sub(2, std::string(Pick(40) * 2, 'a')));
    if (Chance(0.3)) data += Sub(3, Camera());
    if (Odd()) data += Sub(4, Sub(1, "key") + Sub(2, Sub(1, "type/x")));
    if (Odd()) data += Sub(1, Skel());
    if (Odd()) data += Unknown();
    std::string message = Sub(2, data);
    if (Odd()) message += Unknown();
    if (Odd()) message += Sub(2, data);
    return message;
  }

  // Bytes flipped, cut out, doubled.
  std::string Damaged(std::string s) {
    for (size_t i = 1 + Pick(3); i > 0 && !s.empty(); --i) {
      const size_t at = Pick(s.size()), n = 1 + Pick(20);
      switch (Pick(5)) {
        case 0:
          s[at] = static_cast<char>(s[at] ^ (1 << Pick(8)));
          break;
        case 1:
          s[at] = static_cast<char>(Pick(256));
          break;
        case 2:
          s.erase(at, n);
          break;
        case 3:
          s.insert(at, s.substr(Pick(s.size()), n));
          break;
        case 4:
          s.resize(at);
          break;
      }
    }
    return s;
  }

  size_t Pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng_); }
  bool Chance(double p) { return std::uniform_real_distribution<double>(0, 1)(rng_) < p; }

 private:
  bool Odd() { return oddness_ > 0 && Chance(oddness_); }

  std::string Varint(uint64_t v) {
    std::string s;
    for (; v >= 0x80; v >>= 7) s += static_cast<char>(v | 0x80);
    s += static_cast<char>(v);
    if (Odd()) s.back() = static_cast<char>(s.back() | 0x80), s += '\0';
    return s;
  }
  std::string Sub(unsigned number, const std::string& bytes) {
    return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
  }
  template <typename T>
  static std::string Raw(T v) {
    return std::string(reinterpret_cast<const char*>(&v), sizeof v);
  }
  std::string Double(unsigned number, double v) {
    return v == 0 ? "" : Varint(number << 3 | 1) + Raw(v);
  }
  std::string Float(unsigned number, float v) { return Varint(number << 3 | 5) + Raw(v); }
  std::string Unknown() {
    return Chance(0.5) ? Varint(19 << 3) + Varint(rng_()) : Sub(9, std::string(Pick(9), 'u'));
  }

  // The fields of one record.
  std::string Record(std::vector<float> v) {
    std::vector<std::string> fields;
    for (size_t k = 0; k < v.size(); ++k) {
      if (v[k] != 0 || Odd()) fields.push_back(Float(static_cast<unsigned>(k + 1), v[k]));
    }
    if (Odd()) std::shuffle(fields.begin(), fields.end(), rng_);
    if (Odd() && !fields.empty()) fields.push_back(fields[Pick(fields.size())]);
    if (Odd()) fields.push_back(Unknown());
    std::string s;
    for (const std::string& f : fields) s += f;
    return s;
  }
  float Number() {
    if (Odd()) return Chance(0.5) ? std::nanf("") : 2e9f;
    return Chance(zeros_) ? 0 : std::uniform_real_distribution<float>(-2, 2)(rng_);
  }
  std::string Vector() { return Record({Number(), Number(), Number()}); }
  std::string Rotation() {
    if (Odd()) return Record({Number(), Number(), Number(), Number()});
    if (Chance(zeros_)) return Record({1, 0, 0, 0});
    const float a = std::uniform_real_distribution<float>(-3, 3)(rng_);
    const float c = std::cos(a), s = std::sin(a);
    if (zeros_ == 0) return Record({c * 0.8f, c * 0.6f, s * 0.8f, s * 0.6f});
    return Chance(0.3) ? Record({c, 0, s, 0}) : Record({c, s * 0.6f, 0, s * 0.8f});
  }

  std::string Key(size_t track) {
    std::string s = Double(1, code_s_);
    if (track == 0) {
      std::string packed;
      for (int i = 0; i < shapes_ + Odd(); ++i) packed += Raw(Number());
      s += Odd() ? Sub(2, packed.substr(0, 4)) + Sub(2, packed.substr(4)) : Sub(2, packed);
    } else {
      const size_t n = static_cast<size_t>(joints_) + Odd() - Odd();
      for (size_t i = 0; i < n; ++i) s += Sub(2, track == 2 ? Rotation() : Vector());
    }
    if (Odd()) s += Unknown();
    if (Odd()) s += Double(1, code_s_);
    return s;
  }
  std::string Skel() {
    std::vector<std::string> keys;
    for (size_t track = 0; track < 4; ++track) {
      if (!Chance(0.05)) keys.push_back(Sub(static_cast<unsigned>(track + 1), Key(track)));
    }
    if (Odd()) std::shuffle(keys.begin(), keys.end(), rng_);
    if (Odd()) keys.push_back(Unknown());
    std::string s;
    for (const std::string& k : keys) s += k;
    if (Odd()) code_s_ += 0.001, s += Sub(1, Key(0)), code_s_ -= 0.001;
    return s;
  }
  std::string Camera() {
    std::string s = Sub(1, Double(1, code_s_) + (Chance(0.1) ? "" : Sub(2, Vector())));
    s += Sub(2, Double(1, code_s_) + Sub(2, Rotation()));
    if (Chance(0.5)) s += Sub(3, Double(1, code_s_) + (Chance(0.1) ? "" : Float(2, Number())));
    if (Chance(0.5)) s += Sub(4, Double(1, code_s_) + Float(2, Number()));
    return s;
  }

  std::mt19937 rng_;
  const int shapes_, joints_;
  double code_s_ = 0, zeros_ = 0, oddness_ = 0;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_ODD_MESSAGES_H_
