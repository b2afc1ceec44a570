#include "libs/vmc/argument_reader.h"

#include <cmath>
#include <limits>

#include "libs/vmc/text.h"

namespace posewire::vmc {
namespace {

// The direction of a shorter quaternion is unreliable.
constexpr double kLeastLength = 1e-6;
constexpr float kWidestView_deg = 180;

skel::Quat UnitLength(skel::Quat q) {
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  if (length < kLeastLength) return {};
  return {static_cast<float>(w / length), static_cast<float>(x / length),
          static_cast<float>(y / length), static_cast<float>(z / length)};
}

}  // namespace

bool ArgumentReader::AtNumber() const {
  return at_->IsFloat() || at_->IsInt32() || at_->IsDouble() || at_->IsInt64() ||
         at_->IsTimeTag() || at_->IsBool();
}

double ArgumentReader::Take() {
  if (rejection_) return 0;
  if (AtEnd()) return Reject(Rejection::kTooFewArguments), 0;
  double value = 0;
  if (at_->IsFloat()) {
    value = static_cast<double>(at_->AsFloatUnchecked());
  } else if (at_->IsInt32()) {
    value = at_->AsInt32Unchecked();
  } else if (at_->IsDouble()) {
    value = at_->AsDoubleUnchecked();
  } else if (at_->IsInt64()) {
    value = static_cast<double>(at_->AsInt64Unchecked());
  } else if (at_->IsTimeTag()) {
    value = static_cast<double>(at_->AsTimeTagUnchecked());
  } else if (at_->IsBool()) {
    value = at_->TypeTag() == osc::TRUE_TYPE_TAG ? 1 : 0;
  } else {
    return Reject(Rejection::kWrongType), 0;
  }
  if (!std::isfinite(value)) return Reject(Rejection::kNotFinite), 0;
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    return Reject(Rejection::kOutOfRange), 0;
  }
  return value;
}

void ArgumentReader::Int(int32_t& out) {
  const double value = std::round(Take());
  if (rejection_) return;
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    return Reject(Rejection::kOutOfRange);
  }
  out = static_cast<int32_t>(value);
  Advance();
}

void ArgumentReader::Bounded(float& out, float limit) {
  const double value = Take();
  if (rejection_) return;
  if (std::abs(value) > static_cast<double>(limit)) return Reject(Rejection::kOutOfRange);
  out = static_cast<float>(value);
  Advance();
}

void ArgumentReader::Number(float& out) { Bounded(out, std::numeric_limits<float>::max()); }

void ArgumentReader::Weight(float& out) { Bounded(out, kMaxWeight); }

void ArgumentReader::Angle(float& out) {
  const auto angle = static_cast<float>(Take());
  if (rejection_) return;
  if (!(angle > 0) || angle >= kWidestView_deg) return Reject(Rejection::kOutOfRange);
  out = angle;
  Advance();
}

void ArgumentReader::Text(absl::string_view& out) {
  if (rejection_) return;
  if (AtEnd()) return Reject(Rejection::kTooFewArguments);
  if (!at_->IsString() && !at_->IsSymbol()) return Reject(Rejection::kWrongType);
  const absl::string_view text = at_->AsStringUnchecked();
  if (!IsUtf8(text)) return Reject(Rejection::kNotText);
  out = text;
  Advance();
}

void ArgumentReader::Position(skel::Vec3& out) {
  Bounded(out.x, kMaxPosition_m);
  Bounded(out.y, kMaxPosition_m);
  Bounded(out.z, kMaxPosition_m);
}

void ArgumentReader::Vector(skel::Vec3& out) {
  Number(out.x);
  Number(out.y);
  Number(out.z);
}

void ArgumentReader::Pose(UnityPose& out) {
  Position(out.position);
  Number(out.rotation.x);
  Number(out.rotation.y);
  Number(out.rotation.z);
  Number(out.rotation.w);
  if (!rejection_) out.rotation = UnitLength(out.rotation);
}

void ArgumentReader::OptionalInt(std::optional<int32_t>& out) {
  if (rejection_ || AtEnd()) return;
  int32_t value = 0;
  Int(value);
  if (rejection_) {
    rejection_.reset();
    at_ = end_;
    return;
  }
  out = value;
}

void ArgumentReader::OptionalText(std::optional<absl::string_view>& out) {
  if (rejection_ || AtEnd()) return;
  absl::string_view text;
  Text(text);
  if (rejection_) {
    rejection_.reset();
    at_ = end_;
    return;
  }
  out = text;
}

void ArgumentReader::OptionalCompositing(std::optional<RootPose::Compositing>& out) {
  if (rejection_ || AtEnd()) return;
  RootPose::Compositing value;
  Position(value.scale);
  Position(value.offset);
  if (rejection_) {
    rejection_.reset();
    at_ = end_;
    return;
  }
  out = value;
}

void ArgumentReader::OptionalValue(std::variant<std::monostate, float, int32_t>& out) {
  if (rejection_ || AtEnd() || !AtNumber()) return;
  const bool whole = at_->IsInt32() || at_->IsInt64() || at_->IsBool();
  int32_t count = 0;
  float number = 0;
  if (whole) {
    Int(count);
  } else {
    Number(number);
  }
  if (rejection_) return rejection_.reset();
  if (whole) {
    out = count;
  } else {
    out = number;
  }
}

}  // namespace posewire::vmc
