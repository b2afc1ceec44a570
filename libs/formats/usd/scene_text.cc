#include "libs/formats/usd/scene_text.h"

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/formats/usd/layer.h"
#include "libs/formats/usd/stage_scene.h"

namespace posewire::usd {
namespace {

std::string TupleText(std::initializer_list<float> parts) {
  std::string out;
  for (const float part : parts) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), part);
    absl::StrAppend(&out, out.empty() ? "(" : ", ", std::string(digits, end.ptr));
  }
  return out + ")";
}

}  // namespace

std::optional<double> TimeCode(double time_code_s, double rate) {
  const double product = time_code_s * rate;
  const double down = std::nextafter(product, 0.0);
  const double up = std::nextafter(product, HUGE_VAL);
  for (const double code : {std::round(product), product, down, up}) {
    if (code / rate == time_code_s) return code;
  }
  return std::nullopt;
}

absl::Status PutIndented(absl::string_view text, bool& at_start, asset::PutBytes put) {
  std::string out;
  for (const char c : text) {
    if (std::exchange(at_start, c == '\n') && c != '\n') out += "    ";
    out += c;
  }
  return put(out);
}

std::string NumberText(double number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
  return std::string(digits, end.ptr);
}

std::string PropText(const asset::SceneProp& prop, const std::string& prim, double rate) {
  std::string out =
      absl::StrCat("\ndef Xform \"", prim, "\"\n{\n    custom token ", kShapeAttribute, " = ",
                   Quoted(prop.shape), "\n    custom float3 ", kSizeAttribute, " = ",
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
      const double code = TimeCode(prop.times_s[i], rate).value_or(prop.times_s[i] * rate);
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
  // The origins of wire::Prop: a box's centre, the bottom of others.
  const bool stands = wire::StandsOnItsOrigin(prop.shape);
  absl::StrAppend(
      &out,
      "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n\n"
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

}  // namespace posewire::usd
