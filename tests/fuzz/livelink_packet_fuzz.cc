// Whatever comes in a datagram, reading it ends and stays within it. A packet that is read holds
// finite numbers, and is read the same when it is written again. A libFuzzer target in the fuzz
// preset; elsewhere its corpus is replayed as a test.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "libs/livelink/angles.h"
#include "libs/livelink/packet.h"

namespace posewire::livelink {
namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void CheckPacket(const Packet& packet) {
  Check(!packet.device_id.empty() && packet.device_id.size() <= kMostNameBytes, "an id has bytes");
  Check(!packet.subject.empty() && packet.subject.size() <= kMostNameBytes, "a name has bytes");
  const auto seconds = packet.time.Seconds();
  Check(!seconds || (std::isfinite(*seconds) && *seconds >= 0), "times are finite");
  if (!packet.has_face) return;
  for (const float value : packet.curves) Check(std::isfinite(value), "curves are finite");
  const skel::Quat head =
      TurnOf({packet.curves[kHeadYaw], packet.curves[kHeadYaw + 1], packet.curves[kHeadYaw + 2]});
  Check(std::abs(skel::Dot(head, head) - 1) < 1e-3f, "the head's rotation has unit length");
}

}  // namespace
}  // namespace posewire::livelink

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::livelink;  // NOLINT: the name below is libFuzzer's
  // A copy of exactly this size, beyond which a sanitizer sees each read.
  const std::unique_ptr<char[]> copy(new char[size]);
  std::copy(data, data + size, copy.get());
  Packet packet;
  const absl::Status read = ParsePacket({copy.get(), size}, packet);
  if (!read.ok()) {
    Check(!read.message().empty(), "a reason is given");
    return 0;
  }
  CheckPacket(packet);
  std::string bytes;
  WritePacket(packet, bytes);
  Packet again;
  Check(ParsePacket(bytes, again).ok(), "a packet that was written can be read");
  std::string same;
  WritePacket(again, same);
  Check(same == bytes, "it is the same again");
  return 0;
}
