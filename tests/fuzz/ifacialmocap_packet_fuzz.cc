// Whatever comes in a datagram, reading it ends and stays within it. A packet that is read holds
// numbers within the limits. A libFuzzer target in the fuzz preset; elsewhere its corpus is
// replayed as a test.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "libs/ifacialmocap/packet.h"

namespace posewire::ifacialmocap {
namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void CheckWithin(const skel::Vec3& v, float most) {
  for (const float x : {v.x, v.y, v.z}) Check(std::fabs(x) <= most, "numbers are within limits");
}

void CheckPacket(const Packet& packet) {
  for (size_t s = 0; s < packet.weights.size(); ++s) {
    Check(std::fabs(packet.weights[s]) <= kMostWeight, "weights are within limits");
    Check(packet.has_weight[s] || packet.weights[s] == 0, "absent weights are 0");
  }
  Check(!packet.has_face || packet.has_weight.any(), "a face has a shape");
  Check(packet.unknown >= 0, "counts do not wrap");
  if (packet.head) {
    CheckWithin(packet.head->turn_deg, kMostAngle_deg);
    CheckWithin(packet.head->at_m, kMostPlace_m);
  }
  for (const auto& eye : {packet.left_eye_deg, packet.right_eye_deg}) {
    if (eye) CheckWithin(*eye, kMostAngle_deg);
  }
}

void CheckReason(absl::string_view reason) {
  Check(!reason.empty() && reason.size() < 500, "a reason is given, and short");
  for (const char c : reason) Check(c >= ' ' && c <= '~', "it holds no foreign text as it came");
}

}  // namespace
}  // namespace posewire::ifacialmocap

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::ifacialmocap;  // NOLINT: the names below are libFuzzer's
  // A copy of exactly this size, beyond which a sanitizer sees each read.
  const std::unique_ptr<char[]> copy(new char[size]);
  std::copy(data, data + size, copy.get());
  Packet packet;
  const absl::Status read = ParsePacket({copy.get(), size}, packet);
  if (read.ok()) {
    CheckPacket(packet);
  } else {
    CheckReason(read.message());
  }
  return 0;
}
