#include "libs/asset/scene.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/wire/text_check.h"

namespace posewire::asset {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr size_t kMostNameBytes = 120;  // leaves room for a number
constexpr float kThinnest_m = 1e-3f;
constexpr float kMoved_m = 1e-5f, kTurned = 1e-5f;
constexpr size_t kListed = 4;
constexpr float kRadiansPerDegree = std::numbers::pi_v<float> / 180;

Quat TurnOf(const GroundPlace& place) {
  const float half = place.turn_deg * kRadiansPerDegree / 2;
  return {std::cos(half), 0, std::sin(half), 0};
}

// Cuts between characters of UTF-8.
absl::string_view Shortened(absl::string_view text) {
  if (text.size() <= kMostNameBytes) return text;
  size_t end = kMostNameBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

GroundPlace OnGround(const skel::Affine& transform) {
  const skel::Trs parts = skel::Decompose(transform);
  GroundPlace out{parts.translation.x, parts.translation.z, 0};
  const float w = parts.rotation.w, y = parts.rotation.y;
  if (w * w + y * y > 1e-8f) {
    out.turn_deg = std::remainder(2 * std::atan2(y, w) / kRadiansPerDegree, 360.0f);
  }
  const bool finite = std::isfinite(out.x_m + out.z_m + out.turn_deg);
  return finite ? out : GroundPlace{};
}

skel::Affine Into(const GroundPlace& place) {
  const Quat back = skel::Conjugate(TurnOf(place));
  return skel::FromTrs(skel::Rotate(back, Vec3{-place.x_m, 0, -place.z_m}), back, {1, 1, 1});
}

RigidPlace Seen(const GroundPlace& from, const RigidPlace& place) {
  const Quat back = skel::Conjugate(TurnOf(from));
  return {skel::Rotate(back, place.at - Vec3{from.x_m, 0, from.z_m}),
          skel::Normalized(skel::Mul(back, place.turn))};
}

const RigidPlace& SceneProp::At(double time_s) const {
  const auto next = std::upper_bound(times_s.begin(), times_s.end(), time_s + 1e-9);
  const auto index = next == times_s.begin() ? 0 : std::distance(times_s.begin(), next) - 1;
  return places[static_cast<size_t>(index)];
}

absl::StatusOr<std::vector<double>> PlaceTimes(absl::Span<const double> keys, double keys_per_s,
                                               absl::FunctionRef<RigidPlace(double)> place_at,
                                               absl::string_view name, size_t& places) {
  std::vector<double> out;
  for (size_t k = 0; k < keys.size(); ++k) {
    if (k > 0) {
      const RigidPlace from = place_at(keys[k - 1]), to = place_at(keys[k]);
      const bool still = skel::Length(to.at - from.at) < kMoved_m &&
                         skel::AngleBetween(to.turn, from.turn) < kTurned;
      const double seconds = (keys[k] - keys[k - 1]) / keys_per_s;
      const double parts = still ? 1 : std::ceil(seconds * kPropRate_hz - 1e-3);
      if (parts + static_cast<double>(places) > static_cast<double>(kMostPropPlaces)) {
        return absl::ResourceExhaustedError(absl::StrCat(
            name, " moves for too long; all props may have ", kMostPropPlaces, " places"));
      }
      for (double part = 1; part < parts; ++part) {
        out.push_back(keys[k - 1] + (keys[k] - keys[k - 1]) * part / parts);
      }
      places += static_cast<size_t>(std::max(parts, 1.0));
    }
    out.push_back(keys[k]);
  }
  return out;
}

std::string FirstFew(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kListed));
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + shown, ", "),
                      names.size() > kListed ? ", ..." : "");
}

absl::Status CheckCharacterCount(size_t count) {
  if (count <= kMostCharacters) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the scene has ", count, " characters, and at most ", kMostCharacters, " are read"));
}

bool IsCharacter(const skel::Rig* skeleton) {
  return skeleton != nullptr && skeleton->humanoid().Count() >= kLeastCharacterBones;
}

std::string ShapeOfName(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const absl::string_view word : {"cup", "mug", "beaker"}) {
    if (absl::StrContains(lower, word)) return "cup";
  }
  for (const absl::string_view word : {"table", "desk"}) {
    if (absl::StrContains(lower, word)) return "table";
  }
  for (const absl::string_view word : {"box", "crate", "book", "cube"}) {
    if (absl::StrContains(lower, word)) return "box";
  }
  return "";
}

void Bounds::Add(Vec3 p) {
  if (!std::isfinite(p.x + p.y + p.z)) return;
  if (!any) low = high = p;
  any = true;
  low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
  high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
}

Vec3 FitShape(absl::string_view shape, bool named_by_file, const Bounds& bounds, Vec3* size) {
  if (!bounds.any) {
    *size = wire::UsualSize(shape);
    return {};
  }
  const Vec3 spans = bounds.high - bounds.low;
  *size = {std::max(spans.x, kThinnest_m), std::max(spans.y, kThinnest_m),
           std::max(spans.z, kThinnest_m)};
  Vec3 origin = bounds.low + spans * 0.5f;
  const bool stands = wire::StandsOnItsOrigin(shape);
  if (stands) origin.y = bounds.low.y;
  if (named_by_file && !stands && shape != "box") return {};
  return origin;
}

std::string ValidText(absl::string_view text) {
  constexpr size_t kMostOfCharacter = 4;
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() <= kMostNameBytes;) {
    size_t bytes = 1;
    while (bytes < kMostOfCharacter && !wire::IsUtf8(text.substr(at, bytes))) ++bytes;
    const absl::string_view character = text.substr(at, bytes);
    if (wire::IsUtf8(character) && !wire::HasControlCharacter(character)) {
      out.append(character.data(), character.size());
    } else {
      out += '_';
      if (!wire::IsUtf8(character)) bytes = 1;
    }
    at += bytes;
  }
  return std::string(Shortened(out));
}

std::string SceneNames::Take(absl::string_view wanted) {
  std::string name = absl::StrReplaceAll(ValidText(wanted), {{"/", "_"}});
  if (name.empty()) name = "unnamed";
  std::string out = name;
  for (int n = 2; !taken_.insert(out).second; ++n) out = absl::StrCat(name, "_", n);
  return out;
}

std::vector<double> PropTimes(const std::vector<SceneProp>& props, double first_s, double last_s) {
  std::vector<double> out;
  if (props.empty()) return out;
  for (const SceneProp& prop : props) {
    for (const double time_s : prop.times_s) out.push_back(std::max(time_s, first_s));
  }
  constexpr double kMost = 1 << 16;
  const double seconds = std::min(std::floor(last_s - first_s), kMost);
  for (double k = 0; k <= seconds; ++k) out.push_back(first_s + k);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

wire::MetadataEntry PropsAt(const std::vector<SceneProp>& props, const GroundPlace& from,
                            double time_s) {
  std::vector<wire::Prop> out;
  for (const SceneProp& prop : props) {
    const RigidPlace seen = Seen(from, prop.At(time_s));
    out.push_back({prop.name, seen.at, seen.turn, prop.shape, prop.size});
  }
  return wire::ToMetadata(out);
}

}  // namespace posewire::asset
