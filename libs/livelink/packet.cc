#include "libs/livelink/packet.h"

#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/wire/text_check.h"

namespace posewire::livelink {
namespace {

constexpr std::array<absl::string_view, kCurves - kHeadYaw> kAngleNames = {
    "HeadYaw",     "HeadPitch",   "HeadRoll",      "LeftEyeYaw",  "LeftEyePitch",
    "LeftEyeRoll", "RightEyeYaw", "RightEyePitch", "RightEyeRoll"};
constexpr size_t kTimeBytes = 16;
constexpr double kDay_s = 86400, kFastest_hz = 1000;

absl::Status Fault(absl::string_view text) { return absl::InvalidArgumentError(text); }

// Takes numbers off the front of a datagram. The caller checks that there are enough bytes.
class ByteTaker {
 public:
  explicit ByteTaker(absl::string_view bytes) : left_(bytes) {}

  size_t left() const { return left_.size(); }
  uint8_t Byte() {
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  uint32_t Word() {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | Byte();
    return word;
  }
  int32_t Int() { return static_cast<int32_t>(Word()); }
  float Float() { return std::bit_cast<float>(Word()); }
  absl::string_view Text(size_t bytes) {
    const absl::string_view text = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return text;
  }

 private:
  absl::string_view left_;
};

absl::Status TakeName(absl::string_view field, ByteTaker& in, std::string& out) {
  if (in.left() < 4) {
    return Fault(absl::StrCat(field, ": ", in.left(), " bytes are left, its length has 4"));
  }
  const int32_t length = in.Int();
  if (length < 1 || length > static_cast<int32_t>(kMostNameBytes)) {
    return Fault(absl::StrCat(field, ": a length of ", length, " bytes; 1 to ", kMostNameBytes,
                              " is valid"));
  }
  if (in.left() < static_cast<size_t>(length)) {
    return Fault(absl::StrCat(field, ": ", in.left(), " bytes are left of a length of ", length));
  }
  absl::string_view text = in.Text(static_cast<size_t>(length));
  // Unreal's own strings end with a zero, those of the app do not.
  if (text.back() == '\0') text.remove_suffix(1);
  if (absl::Status s = CheckName(field, text); !s.ok()) return s;
  out.assign(text.data(), text.size());
  return absl::OkStatus();
}

absl::Status CheckCurve(int curve, float value) {
  const float most = curve < kHeadYaw ? kMostWeight : kMostAngle_rad;
  if (std::fabs(value) <= most) return absl::OkStatus();  // false for NaN
  return Fault(absl::StrCat(CurveName(curve), " ", value, ": ", -most, " to ", most,
                            curve < kHeadYaw ? "" : " radians", " is valid"));
}

void Put(uint32_t word, std::string& out) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(word >> shift & 0xff));
}

void Put(float value, std::string& out) { Put(std::bit_cast<uint32_t>(value), out); }

void PutName(absl::string_view name, std::string& out) {
  name = name.substr(0, kMostNameBytes);
  Put(static_cast<uint32_t>(name.size()), out);
  out.append(name.data(), name.size());
}

}  // namespace

absl::string_view CurveName(int curve) {
  return curve < kHeadYaw ? skel::ArkitNames()[static_cast<size_t>(curve)]
                          : kAngleNames[static_cast<size_t>(curve - kHeadYaw)];
}

absl::Status CheckName(absl::string_view field, absl::string_view name) {
  if (!name.empty() && name.size() <= kMostNameBytes && wire::IsUtf8(name) &&
      !wire::HasControlCharacter(name)) {
    return absl::OkStatus();
  }
  return Fault(absl::StrCat(field, " ", wire::Quoted(name), ": 1 to ", kMostNameBytes,
                            " bytes of UTF-8 without control characters are valid"));
}

std::optional<double> FrameTime::Seconds() const {
  if (rate_num <= 0 || rate_den <= 0 || frame < 0 || !(sub_frame >= 0 && sub_frame <= 1)) {
    return std::nullopt;
  }
  const double hz = static_cast<double>(rate_num) / rate_den;
  if (hz < 1 || hz > kFastest_hz) return std::nullopt;
  return (frame + static_cast<double>(sub_frame)) / hz;
}

FrameTime FrameTimeAt(double seconds, int32_t rate_num, int32_t rate_den) {
  const double of_day_s = seconds - kDay_s * std::floor(seconds / kDay_s);
  const double frames = of_day_s * rate_num / rate_den;
  const double whole = std::floor(frames);
  return {static_cast<int32_t>(whole), static_cast<float>(frames - whole), rate_num, rate_den};
}

absl::Status ParsePacket(absl::string_view datagram, Packet& out) {
  if (datagram.size() > kMostPacketBytes) {
    return Fault(absl::StrCat("datagram of ", datagram.size(), " bytes: at most ", kMostPacketBytes,
                              " is valid"));
  }
  if (datagram.empty()) return Fault("datagram of 0 bytes: it begins with the version, 6");
  ByteTaker in(datagram);
  if (const int version = in.Byte(); version != kVersion) {
    return Fault(absl::StrCat("version ", version, ": ", kVersion,
                              " is valid; in the app, choose Live Link (ARKit)"));
  }
  if (absl::Status s = TakeName("device id", in, out.device_id); !s.ok()) return s;
  if (absl::Status s = TakeName("subject name", in, out.subject); !s.ok()) return s;
  if (in.left() < kTimeBytes) {
    return Fault(absl::StrCat("frame time: ", in.left(), " bytes are left, it has ", kTimeBytes));
  }
  out.time.frame = in.Int();
  out.time.sub_frame = in.Float();
  out.time.rate_num = in.Int();
  out.time.rate_den = in.Int();
  const int count = in.left() == 0 ? 0 : in.Byte();
  if (count != 0 && count != kCurves) {
    return Fault(absl::StrCat("curve count ", count, ": ", kCurves,
                              ", or 0 while no face is seen, is valid"));
  }
  const size_t bytes = 4 * static_cast<size_t>(count);
  if (in.left() != bytes) {
    return Fault(
        absl::StrCat("curves: ", in.left(), " bytes are left, ", count, " curves have ", bytes));
  }
  out.has_face = count != 0;
  for (int c = 0; c < count; ++c) {
    const float value = in.Float();
    if (absl::Status s = CheckCurve(c, value); !s.ok()) return s;
    out.curves[static_cast<size_t>(c)] = value;
  }
  return absl::OkStatus();
}

void WritePacket(const Packet& packet, std::string& out) {
  out.clear();
  out.push_back(static_cast<char>(kVersion));
  PutName(packet.device_id, out);
  PutName(packet.subject, out);
  Put(static_cast<uint32_t>(packet.time.frame), out);
  Put(packet.time.sub_frame, out);
  Put(static_cast<uint32_t>(packet.time.rate_num), out);
  Put(static_cast<uint32_t>(packet.time.rate_den), out);
  if (!packet.has_face) return;
  out.push_back(static_cast<char>(kCurves));
  for (const float value : packet.curves) Put(value, out);
}

}  // namespace posewire::livelink
