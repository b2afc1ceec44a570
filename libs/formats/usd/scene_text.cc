#include "libs/formats/usd/scene_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "libs/formats/usd/camera.h"
#include "libs/formats/usd/layer.h"
#include "libs/formats/usd/stage_scene.h"
#include "libs/formats/usd/usda_text.h"
#include "libs/skel/key_track.h"
#include "libs/wire/chunk.h"

namespace posewire::usd {
namespace {

// Fraction of a frame. A sound that ends this soon after a frame ends with it.
constexpr double kSameFrame = 1e-3;

std::string FloatText(float number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
  return std::string(digits, end.ptr);
}

std::string TupleText(std::initializer_list<float> parts) {
  std::string out;
  for (const float part : parts) {
    absl::StrAppend(&out, out.empty() ? "(" : ", ", FloatText(part));
  }
  return out + ")";
}

}  // namespace

double CodeOf(double time_code_s, double rate) {
  return TimeCode(time_code_s, rate).value_or(time_code_s * rate);
}

std::optional<double> TimeCode(double time_code_s, double rate) {
  const double product = time_code_s * rate;
  const double down = std::nextafter(product, 0.0);
  const double up = std::nextafter(product, HUGE_VAL);
  for (const double code : {std::round(product), product, down, up}) {
    if (code / rate == time_code_s) return code;
  }
  return std::nullopt;
}

absl::Status PutIndented(absl::string_view text, bool& at_start, asset::PutBytes put,
                         absl::string_view by) {
  std::string out;
  for (const char c : text) {
    if (std::exchange(at_start, c == '\n') && c != '\n') absl::StrAppend(&out, by);
    out += c;
  }
  return put(out);
}

std::string NumberText(double number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
  return std::string(digits, end.ptr);
}

std::string PropAttributes(const asset::SceneProp& prop, double rate) {
  std::string out = absl::StrCat("    custom token ", kShapeAttribute, " = ", Quoted(prop.shape),
                                 "\n    custom float3 ", kSizeAttribute, " = ",
                                 TupleText({prop.size.x, prop.size.y, prop.size.z}), "\n");
  const auto track = [&](absl::string_view attribute, auto text_of) {
    absl::StrAppend(&out, "    ", attribute);
    if (prop.places.size() == 1) {
      absl::StrAppend(&out, " = ", text_of(prop.places[0]), "\n");
      return;
    }
    out += ".timeSamples = {\n";
    double last = -HUGE_VAL;
    for (size_t i = 0; i < prop.places.size(); ++i) {
      const double code = CodeOf(prop.times_s[i], rate);
      if (code <= last) continue;
      last = code;
      absl::StrAppend(&out, "        ", NumberText(code), ": ", text_of(prop.places[i]), ",\n");
    }
    out += "    }\n";
  };
  track("quatf xformOp:orient", [](const asset::RigidPlace& p) {
    return TupleText({p.turn.w, p.turn.x, p.turn.y, p.turn.z});
  });
  track("double3 xformOp:translate", [](const asset::RigidPlace& p) {
    return TupleText({p.at.x, p.at.y, p.at.z});
  });
  out += "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n";
  return out;
}

std::string PropText(const asset::SceneProp& prop, const std::string& prim, double rate) {
  std::string out =
      absl::StrCat("\ndef Xform \"", prim, "\"\n{\n", PropAttributes(prop, rate), "\n");
  // The origins of wire::Prop: a box's centre, the bottom of others.
  const bool stands = wire::StandsOnItsOrigin(prop.shape);
  absl::StrAppend(
      &out,
      "    def Cube \"Shape\"\n    {\n        double size = 1\n        float3 xformOp:scale = ",
      TupleText({prop.size.x, prop.size.y, prop.size.z}),
      "\n        double3 xformOp:translate = ", TupleText({0, stands ? prop.size.y / 2 : 0, 0}),
      "\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:scale\"]\n"
      "    }\n}\n");
  return out;
}

std::string ClipsMetadata(absl::Span<const double> starts, absl::Span<const std::string> files,
                          absl::string_view manifest, double first, double last) {
  const auto pair = [](double a, double b) {
    return absl::StrCat("(", NumberText(a), ", ", NumberText(b), ")");
  };
  std::vector<std::string> active;
  for (size_t i = 0; i < starts.size(); ++i) {
    active.push_back(pair(starts[i], static_cast<double>(i)));
  }
  const std::string in(20, ' ');
  return absl::StrCat(
      "            clips = {\n                dictionary default = {\n", in, "double2[] active = [",
      absl::StrJoin(active, ", "), "]\n", in, "asset[] assetPaths = [", absl::StrJoin(files, ", "),
      "]\n", in, "asset manifestAssetPath = ", manifest, "\n", in,
      "string primPath = \"/Animation\"\n", in, "double2[] times = [", pair(first, first), ", ",
      pair(last, last), "]\n                }\n            }\n");
}

// A stream's camera as UsdGeomCamera. Both look along their -Z axis. A stream has focal lengths in
// millimetres. A stage has the lengths of a camera in tenths of its unit, which is a metre here.
std::string CameraText(const asset::Motion& motion, double rate) {
  if (std::all_of(motion.camera.begin(), motion.camera.end(),
                  [](const skel::KeyTrack& track) { return track.empty(); })) {
    return "";
  }
  std::string out = absl::StrCat("\n    def Camera \"", kMainCamera,
                                 "\"\n    {\n        float2 clippingRange = (0.05, 1000)\n");
  const auto track = [&](wire::CameraTrack which, absl::string_view attribute, auto text_of) {
    const skel::KeyTrack& keys = motion.camera[which];
    if (keys.empty()) return;
    std::vector<float> between(static_cast<size_t>(keys.width()));
    absl::StrAppend(&out, "        ", attribute, ".timeSamples = {\n");
    for (const double time_code_s : motion.camera_time_codes_s[which]) {
      absl::StrAppend(&out, "            ", NumberText(CodeOf(time_code_s, rate)), ": ",
                      text_of(keys.Sample(time_code_s, absl::MakeSpan(between))), ",\n");
    }
    out += "        }\n";
  };
  using Values = absl::Span<const float>;
  track(wire::kFocalLength, "float focalLength",
        [](Values v) { return FloatText(static_cast<float>(v[0] / kMillimetresAUnit)); });
  track(wire::kFocusDistance, "float focusDistance", [](Values v) { return FloatText(v[0]); });
  out +=
      "        float horizontalAperture = 0.36\n"
      "        token projection = \"perspective\"\n"
      "        float verticalAperture = 0.24\n";
  track(wire::kCameraRotation, "quatf xformOp:orient", [](Values v) {
    return TupleText({v[0], v[1], v[2], v[3]});
  });
  track(wire::kCameraPosition, "double3 xformOp:translate", [](Values v) {
    return TupleText({v[0], v[1], v[2]});
  });
  std::vector<std::string> order;
  if (!motion.camera[wire::kCameraPosition].empty()) order.emplace_back("\"xformOp:translate\"");
  if (!motion.camera[wire::kCameraRotation].empty()) order.emplace_back("\"xformOp:orient\"");
  if (!order.empty()) {
    absl::StrAppend(&out, "        uniform token[] xformOpOrder = [", absl::StrJoin(order, ", "),
                    "]\n");
  }
  return out + "    }\n";
}

std::string VoiceText(const asset::VoiceFile& voice, double rate) {
  return absl::StrCat("\n    def SpatialAudio \"", kVoicePrim,
                      "\"\n    {\n"
                      "        uniform token auralMode = \"nonSpatial\"\n"
                      "        uniform asset filePath = ",
                      AssetOf(voice.name),
                      "\n        uniform token playbackMode = \"onceFromStart\"\n"
                      "        uniform timecode startTime = ",
                      NumberText(CodeOf(voice.start_s, rate)), "\n    }\n");
}

double LastFrameOf(const asset::VoiceFile& voice, double rate) {
  return std::ceil(voice.end_s * rate - kSameFrame) - 1;
}

}  // namespace posewire::usd
