#include "libs/ifacialmocap/packet.h"

#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "libs/wire/text_check.h"

namespace posewire::ifacialmocap {
namespace {

constexpr absl::string_view kAxes[] = {"turn x", "turn y", "turn z", "x", "y", "z"};
constexpr size_t kTurn = 3, kTurnAndPlace = 6;

absl::Status Fault(absl::string_view text) { return absl::InvalidArgumentError(text); }

// Returns the index of an ARKit shape by its name on the wire; -1 for other names.
int ShapeOf(absl::string_view name) {
  absl::string_view side;
  if (absl::ConsumeSuffix(&name, "_L")) side = "Left";
  if (side.empty() && absl::ConsumeSuffix(&name, "_R")) side = "Right";
  if (name.empty()) return -1;
  for (size_t s = 0; s < skel::ArkitNames().size(); ++s) {
    absl::string_view arkit = skel::ArkitNames()[s];
    if (arkit.size() != name.size() + side.size() || !absl::ConsumeSuffix(&arkit, side)) continue;
    if (absl::ascii_tolower(static_cast<unsigned char>(arkit.front())) == name.front() &&
        arkit.substr(1) == name.substr(1)) {
      return static_cast<int>(s);
    }
  }
  return -1;
}

absl::Status TakeShape(absl::string_view name, absl::string_view value, Packet& out) {
  const int shape = ShapeOf(name);
  if (shape < 0) {
    ++out.unknown;
    return absl::OkStatus();
  }
  constexpr float kMost = 100 * kMostWeight;
  float percent = 0;
  if (!absl::SimpleAtof(value, &percent) || !(std::fabs(percent) <= kMost)) {
    return Fault(
        absl::StrCat(name, " ", wire::Quoted(value), ": ", -kMost, " to ", kMost, " is valid"));
  }
  out.weights[static_cast<size_t>(shape)] = percent / 100;
  out.has_weight.set(static_cast<size_t>(shape));
  return absl::OkStatus();
}

// Reads numbers that are separated by commas: a rotation, and if there are six a position.
absl::Status TakeNumbers(absl::string_view name, absl::string_view text, absl::Span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t comma = text.find(',');
    if ((comma == absl::string_view::npos) != (i + 1 == out.size())) {
      return Fault(absl::StrCat(name, ": ", comma == absl::string_view::npos ? "fewer" : "more",
                                " numbers than ", out.size(), ", which is valid"));
    }
    const absl::string_view number = text.substr(0, comma);
    const float most = i < kTurn ? kMostAngle_deg : kMostPlace_m;
    if (!absl::SimpleAtof(number, &out[i]) || !(std::fabs(out[i]) <= most)) {
      return Fault(absl::StrCat(name, " ", kAxes[i], " ", wire::Quoted(number), ": ", -most, " to ",
                                most, i < kTurn ? " degrees" : " m", " is valid"));
    }
    if (comma != absl::string_view::npos) text.remove_prefix(comma + 1);
  }
  return absl::OkStatus();
}

absl::Status TakePose(absl::string_view name, absl::string_view text, Packet& out) {
  absl::ConsumePrefix(&name, "=");
  std::array<float, kTurnAndPlace> v{};
  if (name == "head") {
    const absl::Status s = TakeNumbers(name, text, absl::MakeSpan(v));
    out.head = Head{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    return s;
  }
  if (name == "leftEye" || name == "rightEye") {
    const absl::Status s = TakeNumbers(name, text, absl::MakeSpan(v).first(kTurn));
    (name == "leftEye" ? out.left_eye_deg : out.right_eye_deg) = skel::Vec3{v[0], v[1], v[2]};
    return s;
  }
  ++out.unknown;
  return absl::OkStatus();
}

absl::Status TakeField(absl::string_view field, bool& has_status, Packet& out) {
  const size_t at = field.find_first_of("#&-");
  if (at == 0 || at == absl::string_view::npos) {
    return Fault(absl::StrCat("field ", wire::Quoted(field),
                              ": NAME-NUMBER, NAME&NUMBER or NAME#NUMBERS is valid"));
  }
  const absl::string_view name = field.substr(0, at), value = field.substr(at + 1);
  if (field[at] == '#') return TakePose(name, value, out);
  if (name != "trackingStatus") return TakeShape(name, value, out);
  if (value != "0" && value != "1") {
    return Fault(absl::StrCat(name, " ", wire::Quoted(value), ": 0 or 1 is valid"));
  }
  has_status = true;
  out.has_face = value == "1";
  return absl::OkStatus();
}

}  // namespace

absl::Status ParsePacket(absl::string_view datagram, Packet& out) {
  if (datagram.size() > kMostPacketBytes) {
    return Fault(absl::StrCat("datagram of ", datagram.size(), " bytes: at most ", kMostPacketBytes,
                              " is valid"));
  }
  if (absl::StartsWith(datagram, "FMV3")) {
    return Fault("version 3 (FMV3): version 1 or 2 is valid, which are text");
  }
  out = {};
  bool has_status = false;
  while (!datagram.empty()) {
    const size_t end = datagram.find('|');
    const absl::string_view field = datagram.substr(0, end);
    datagram.remove_prefix(end == absl::string_view::npos ? datagram.size() : end + 1);
    if (field.empty()) continue;
    if (absl::Status s = TakeField(field, has_status, out); !s.ok()) return s;
  }
  if (out.has_weight.none() && (!has_status || out.has_face)) {
    return Fault("shapes: none of ARKit's is there, one or more is valid");
  }
  return absl::OkStatus();
}

}  // namespace posewire::ifacialmocap
