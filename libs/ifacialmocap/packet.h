// Datagrams of the app iFacialMocap: the face of one person at one time, sent by UDP to port 49983.
// Implemented from the app's page for developers (ifacialmocap.com/for-developer), and compared
// with two receivers (Inochi2D/facetrack-d, kusomaigo/VRC_iFacialMocap).
//
// A datagram is text. Its fields each end with '|':
//
//   jawOpen-42                   version 1: a shape, 100 for a weight of 1
//   jawOpen&42                   version 2: the same, so that values can be negative
//   =head#X,Y,Z,X,Y,Z            rotation in degrees, and position in metres
//   leftEye#X,Y,Z                rotation in degrees; likewise rightEye
//   trackingStatus-1             0 while the app sees no face; not all versions send it
//
// The shapes are ARKit's, with _L and _R for Left and Right: eyeBlink_L is EyeBlinkLeft.
// Facemotion3d sends the same fields, but its names end with Left and Right. Fields may come in any
// order, and shapes may be missing.
//
// Version 3 of the protocol is binary and is not read.
#ifndef POSEWIRE_LIBS_IFACIALMOCAP_PACKET_H_
#define POSEWIRE_LIBS_IFACIALMOCAP_PACKET_H_

#include <bitset>
#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/skel/arkit_shapes.h"
#include "libs/skel/math.h"

namespace posewire::ifacialmocap {

// The port of the phone and that of the receiver.
inline constexpr int kDefaultPort = 49983;
// Requests. A phone that receives one at its port begins to send to kDefaultPort of the address
// that the request came from. The first requests version 2. The second requests version 1, and is
// the one that other senders accept.
inline constexpr absl::string_view
    kRequest = "iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719|sendDataVersion=v2",
    kRequestOfVersion1 = "iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719";

// The app sends about 1000 bytes.
inline constexpr size_t kMostPacketBytes = 8192;
// Larger absolute values are rejected.
inline constexpr float kMostWeight = 10, kMostAngle_deg = 360, kMostPlace_m = 100;

struct Head {
  // Angles about the axes of our space (right-handed, X to the person's left, Y up, Z to the
  // front), relative to the phone. X looks down, Y turns to the person's left, Z leans to the
  // person's right. Z is applied first, Y last.
  skel::Vec3 turn_deg;
  skel::Vec3 at_m;
};

struct Packet {
  bool has_face = true;  // false if the app reports that it sees none
  // Apple's; 1 for 100 in the datagram. Weights that were not sent are 0.
  skel::ArkitWeights weights{};
  std::bitset<skel::kArkitShapes> has_weight;
  std::optional<Head> head;
  std::optional<skel::Vec3> left_eye_deg, right_eye_deg;  // as Head::turn_deg, relative to the head
  int unknown = 0;  // number of fields with other names, which are ignored
};

// Parses a datagram. INVALID_ARGUMENT, with the field, its value and what is valid, if it is
// malformed or has neither a shape nor a tracking status; `out` is then unspecified. If a field
// comes twice, the second one counts. Every number of a parsed packet is within the limits above.
// Does not allocate for a well-formed datagram.
absl::Status ParsePacket(absl::string_view datagram, Packet& out);

}  // namespace posewire::ifacialmocap

#endif  // POSEWIRE_LIBS_IFACIALMOCAP_PACKET_H_
