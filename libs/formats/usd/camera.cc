#include "libs/formats/usd/camera.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/string_view.h"

namespace posewire::usd {
namespace {

// The default of USD's Camera.
constexpr double kUsualVerticalAperture = 15.2908;

std::vector<double> InOrder(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty()) times.push_back(kEarliest);
  return times;
}

}  // namespace

int FindCamera(const Stage& stage) {
  int first = -1;
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    const Stage::Node& node = stage.nodes()[i];
    if (!node.defined || node.prim->type != "Camera") continue;
    if (node.prim->name == kMainCamera) return static_cast<int>(i);
    if (first < 0) first = static_cast<int>(i);
  }
  return first;
}

skel::Trs CameraMotion::PlaceAt(double time) const {
  skel::Trs out = skel::Decompose(skel::Mul(stage_.ToStage(camera_, time), stage_.to_our_space()));
  out.scale = {1, 1, 1};
  return out;
}

std::optional<double> CameraMotion::FocalLengthAt(double time) const {
  if (!stage_.Has(camera_, "focalLength")) return std::nullopt;
  if (stage_.Text(camera_, "projection") == "orthographic") return std::nullopt;
  const std::vector<double> focal = stage_.Numbers(camera_, "focalLength", time);
  const std::vector<double> height = stage_.Numbers(camera_, "verticalAperture", time);
  const double of = height.size() == 1 ? height[0] : kUsualVerticalAperture;
  const double out = focal.size() == 1 ? focal[0] / of * kPictureHeight_mm : 0;
  return std::isfinite(out) && out > 0 ? std::optional(out) : std::nullopt;
}

std::optional<double> CameraMotion::FocusDistanceAt(double time) const {
  const std::vector<double> distance = stage_.Numbers(camera_, "focusDistance", time);
  if (distance.size() != 1 || !std::isfinite(distance[0])) return std::nullopt;
  return distance[0] * static_cast<double>(skel::Length(stage_.to_our_space().row[0]));
}

std::vector<double> CameraMotion::TimesOfPlace() const {
  std::vector<double> out;
  stage_.AddTimesOfPlace(camera_, out);
  return InOrder(std::move(out));
}

std::vector<double> CameraMotion::TimesOfFocalLength() const {
  std::vector<double> out = stage_.Times(camera_, "focalLength");
  const std::vector<double> height = stage_.Times(camera_, "verticalAperture");
  out.insert(out.end(), height.begin(), height.end());
  return InOrder(std::move(out));
}

std::vector<double> CameraMotion::TimesOfFocusDistance() const {
  return InOrder(stage_.Times(camera_, "focusDistance"));
}

}  // namespace posewire::usd
