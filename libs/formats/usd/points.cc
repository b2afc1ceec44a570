#include "libs/formats/usd/points.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/shapes.h"
#include "libs/formats/usd/stage.h"
#include "libs/skel/affine.h"

namespace posewire::usd {
namespace {

using skel::Vec3;

class StagePoints : public character::PointAnimation {
 public:
  explicit StagePoints(Layer layer) : stage_(std::move(layer)) {}

  absl::Status Read(const character::Limits& limits) {
    std::vector<double> times;
    size_t all = 0;
    for (size_t i = 0; i < stage_.nodes().size(); ++i) {
      const auto prim = static_cast<int>(i);
      const Stage::Node& node = stage_.nodes()[i];
      if (!node.defined || node.prim->type != "Mesh" || !IsShown(stage_, prim)) continue;
      const size_t points = stage_.Numbers(prim, "points", kEarliest).size() / 3;
      if (points == 0) continue;
      all += points;
      if (all > limits.points) return character::OverLimit("points", limits.points);
      prims_.push_back(prim);
      parts_.push_back({node.prim->name, points});
      const std::vector<double> own = stage_.Times(prim, "points");
      times.insert(times.end(), own.begin(), own.end());
      stage_.AddTimesOfPlace(prim, times);
    }
    if (!times.empty()) {
      const auto [first, last] = std::minmax_element(times.begin(), times.end());
      first_ = *first;
      last_ = *last;
    }
    if (!std::isfinite(first_) || !(last_ - first_ <= 1e9)) {
      return absl::InvalidArgumentError(
          absl::StrCat("time samples lie from ", first_, " to ", last_));
    }
    return absl::OkStatus();
  }

  double natural_hz() const override {
    return NumberOf(stage_.layer().metadata, "framesPerSecond", stage_.time_codes_per_second());
  }
  size_t frames(double hz) const override {
    return 1 + static_cast<size_t>(
                   std::llround((last_ - first_) / stage_.time_codes_per_second() * hz));
  }

  absl::Status Frame(size_t frame, double hz, absl::Span<Vec3> out) override {
    const double time =
        std::min(last_, first_ + static_cast<double>(frame) / hz * stage_.time_codes_per_second());
    size_t at = 0;
    for (size_t k = 0; k < prims_.size(); ++k) {
      const std::vector<double> values = stage_.Numbers(prims_[k], "points", time);
      if (values.size() != 3 * parts_[k].points) {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", stage_.prim(prims_[k]).line, ": mesh \"", parts_[k].name,
                         "\" has ", values.size() / 3, " points at time code ", time, ", expected ",
                         parts_[k].points, ", as at the first"));
      }
      const skel::Affine place = skel::Mul(stage_.ToStage(prims_[k], time), stage_.to_our_space());
      const auto mine = out.subspan(at, parts_[k].points);
      for (size_t i = 0; i < mine.size(); ++i) {
        mine[i] = skel::TransformPoint(
            place, {static_cast<float>(values[3 * i]), static_cast<float>(values[3 * i + 1]),
                    static_cast<float>(values[3 * i + 2])});
      }
      if (absl::Status s = character::CheckPoints(mine, parts_[k].name); !s.ok()) return s;
      at += mine.size();
    }
    return absl::OkStatus();
  }

 private:
  const Stage stage_;
  std::vector<int> prims_;
  double first_ = 0, last_ = 0;  // time codes
};

}  // namespace

absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPoints(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar) {
  auto layer = Compose(bytes, read_sidecar, {.bytes = limits.bytes});
  if (!layer.ok()) return layer.status();
  auto out = std::make_unique<StagePoints>(*std::move(layer));
  if (absl::Status s = out->Read(limits); !s.ok()) return s;
  return out;
}

}  // namespace posewire::usd
