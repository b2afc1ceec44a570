// OSC datagrams built by hand, byte after byte: what the tests hold the library's against.
#ifndef POSEWIRE_TESTS_UNIT_VMC_OSC_BYTES_H_
#define POSEWIRE_TESTS_UNIT_VMC_OSC_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

namespace posewire::vmc {

// An argument with its type: i f s d h b, or one without bytes (T F N I).
struct OscArgument {
  char type;
  std::variant<int64_t, double, std::string> value;
};
using OscArguments = std::vector<OscArgument>;

inline OscArgument I(int32_t x) { return {'i', int64_t{x}}; }
inline OscArgument H(int64_t x) { return {'h', x}; }
inline OscArgument U(uint64_t x) { return {'t', static_cast<int64_t>(x)}; }
inline OscArgument F(double x) { return {'f', x}; }
inline OscArgument D(double x) { return {'d', x}; }
inline OscArgument S(std::string x) { return {'s', std::move(x)}; }
inline OscArgument Blob(std::string x) { return {'b', std::move(x)}; }
inline OscArgument Bare(char type) { return {type, int64_t{0}}; }

inline void AppendBigEndian(uint64_t x, int bytes, std::string& out) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(x >> (8 * i) & 0xFF));
}

inline void AppendText(const std::string& text, std::string& out) {
  out += text;
  do {
    out.push_back('\0');
  } while (out.size() % 4 != 0);
}

inline void AppendArgument(const OscArgument& argument, std::string& out) {
  switch (argument.type) {
    case 'i':
      AppendBigEndian(static_cast<uint32_t>(std::get<int64_t>(argument.value)), 4, out);
      break;
    case 'h':
    case 't':
      AppendBigEndian(static_cast<uint64_t>(std::get<int64_t>(argument.value)), 8, out);
      break;
    case 'f': {
      const auto value = static_cast<float>(std::get<double>(argument.value));
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      AppendBigEndian(bits, 4, out);
      break;
    }
    case 'd': {
      uint64_t bits = 0;
      std::memcpy(&bits, &std::get<double>(argument.value), 8);
      AppendBigEndian(bits, 8, out);
      break;
    }
    case 's':
      AppendText(std::get<std::string>(argument.value), out);
      break;
    case 'b': {
      const std::string& bytes = std::get<std::string>(argument.value);
      AppendBigEndian(bytes.size(), 4, out);
      out += bytes;
      while (out.size() % 4 != 0) out.push_back('\0');
      break;
    }
    default:
      break;
  }
}

inline std::string OscMessage(const std::string& address, const OscArguments& arguments) {
  std::string out, types = ",";
  AppendText(address, out);
  for (const OscArgument& argument : arguments) types.push_back(argument.type);
  AppendText(types, out);
  for (const OscArgument& argument : arguments) AppendArgument(argument, out);
  return out;
}

inline std::string OscBundle(const std::vector<std::string>& elements, uint64_t time_tag = 1) {
  std::string out("#bundle\0", 8);
  AppendBigEndian(time_tag, 8, out);
  for (const std::string& element : elements) {
    AppendBigEndian(element.size(), 4, out);
    out += element;
  }
  return out;
}

// Three numbers of a place and four of a quaternion, its real part last.
inline OscArguments PoseArguments(std::string name, const std::vector<double>& numbers) {
  OscArguments out = {S(std::move(name))};
  for (const double x : numbers) out.push_back(F(x));
  return out;
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_TESTS_UNIT_VMC_OSC_BYTES_H_
