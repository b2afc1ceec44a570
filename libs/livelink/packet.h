// Datagrams of Epic's Live Link Face: the face of one person at one time, sent by UDP to port
// 11111. Implemented from public descriptions: the layout in the readme of LLV (think-biq/LLV), the
// notes of GodotLiveLinkFace (doc/proto.md) and the order of Epic's EARFaceBlendShape.
//
// Version 6, all numbers big-endian:
//
//   1 byte      version, 6
//   4 + n       device id: length in bytes, UTF-8; a phone sends a UUID of 36 characters
//   4 + n       subject name, likewise
//   16          frame time: int32 frame, float sub-frame, int32 numerator and denominator of the
//               frame rate
//   1           number of curves, 61; this byte or 0 curves are sent while no face is seen
//   61 * 4      float curves: the 52 ARKit shapes in Apple's order, then the angles of head and
//               eyes
#ifndef POSEWIRE_LIBS_LIVELINK_PACKET_H_
#define POSEWIRE_LIBS_LIVELINK_PACKET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/skel/arkit_shapes.h"

namespace posewire::livelink {

inline constexpr int kDefaultPort = 11111;
inline constexpr int kVersion = 6;
inline constexpr int kCurves = 61;
// The first of the angles: yaw, pitch and roll of head, left eye and right eye, in radians.
inline constexpr int kHeadYaw = skel::kArkitShapes, kLeftEyeYaw = kHeadYaw + 3,
                     kRightEyeYaw = kLeftEyeYaw + 3;

inline constexpr size_t kMostNameBytes = 256;
inline constexpr size_t kMostPacketBytes = 1 + 2 * (4 + kMostNameBytes) + 16 + 1 + 4 * kCurves;
// Values beyond these are rejected: such a weight is meaningless, such an angle is in degrees.
inline constexpr float kMostWeight = 10, kMostAngle_rad = 6.2832f;

// Returns "EyeBlinkLeft" to "RightEyeRoll".
absl::string_view CurveName(int curve);

// A time code of the sender: frames since midnight at its frame rate.
struct FrameTime {
  int32_t frame = 0;
  float sub_frame = 0;  // 0 to 1
  int32_t rate_num = 60, rate_den = 1;

  // Returns seconds since midnight; nothing if the rate is not from 1 to 1000 frames a second, the
  // frame is negative, or the sub-frame is not from 0 to 1. Some senders fill in no time.
  std::optional<double> Seconds() const;
};

// Returns the time `seconds` since midnight, which wraps after a day.
FrameTime FrameTimeAt(double seconds, int32_t rate_num, int32_t rate_den);

struct Packet {
  std::string device_id, subject;
  FrameTime time;
  bool has_face = false;  // whether there are curves
  std::array<float, kCurves> curves{};
};

// INVALID_ARGUMENT, which begins with `field`, unless the name is UTF-8 of 1 to kMostNameBytes
// bytes without control characters.
absl::Status CheckName(absl::string_view field, absl::string_view name);

// INVALID_ARGUMENT if the datagram is malformed, with the field, its value and what is valid; `out`
// is then unspecified. Every value of a parsed packet is finite and within the limits above. Reuses
// the memory of `out`.
absl::Status ParsePacket(absl::string_view datagram, Packet& out);

// Replaces `out` with the datagram. Names are cut at kMostNameBytes.
void WritePacket(const Packet& packet, std::string& out);

}  // namespace posewire::livelink

#endif  // POSEWIRE_LIBS_LIVELINK_PACKET_H_
