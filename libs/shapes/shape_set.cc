#include "libs/shapes/shape_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/skel/arkit_mouth.h"
#include "libs/skel/arkit_shapes.h"
#include "libs/skel/rig_parser.h"
#include "libs/skel/shape_names.h"

namespace posewire::shapes {
namespace {

constexpr absl::string_view kHead = "shape,arkit,sent";
constexpr float kSameProportion = 1e-4f;

size_t Index(int i) { return static_cast<size_t>(i); }

// NaN becomes 0.
float Within(float weight) { return weight > 0 ? std::min(weight, 1.0f) : 0.0f; }

int FindTarget(absl::string_view name) {
  const absl::Span<const std::string> names = TargetNames();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Returns whether `a` is a multiple of `b`.
bool Proportional(const std::vector<Shape::Part>& a, const std::vector<Shape::Part>& b) {
  if (a.size() != b.size() || a.empty()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i].target == b[i].target && a[i].minor == b[i].minor;
    const float difference = a[i].factor * b[0].factor - b[i].factor * a[0].factor;
    if (!same || std::fabs(difference) > kSameProportion) return false;
  }
  return true;
}

}  // namespace

absl::Span<const std::string> TargetNames() {
  static const std::vector<std::string> names = *skel::BuiltinShapes("arkit68");
  return names;
}

absl::StatusOr<ShapeSet> ShapeSet::Parse(absl::string_view id, absl::string_view table) {
  ShapeSet set;
  set.id_ = std::string(id);
  bool has_head = false;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    absl::Status status;
    if (has_head) {
      status = set.AddLine(line);
    } else if (line != kHead) {
      status = absl::InvalidArgumentError(absl::StrCat("the first line must be ", kHead));
    }
    has_head = true;
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape set ", id, ", line ", number, ": ", status.message()));
    }
  }
  if (set.shapes_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("shape set ", id, ": has no shapes"));
  }
  set.MakeUnits();
  return set;
}

absl::Status ShapeSet::AddLine(absl::string_view line) {
  const std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
  if (cells.size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("has ", cells.size(), " cells; must have 3"));
  }
  Shape shape;
  const std::vector<absl::string_view> names = absl::StrSplit(cells[0], '|');
  for (const absl::string_view name : names) {
    if (absl::Status s = AddName(name, size()); !s.ok()) return s;
  }
  shape.name = std::string(names[0]);
  for (size_t n = 1; n < names.size(); ++n) shape.other_names.emplace_back(names[n]);
  if (absl::Status s = AddParts(cells[1], shape); !s.ok()) return s;
  if (cells[2] == "zero") {
    shape.sent = Shape::Sent::kZero;
  } else if (cells[2] == "no") {
    shape.sent = Shape::Sent::kNo;
  } else if (cells[2] != "yes") {
    return absl::InvalidArgumentError(
        absl::StrCat("sent is \"", cells[2], "\"; must be yes, zero or no"));
  }
  const bool any_major = std::any_of(shape.parts.begin(), shape.parts.end(),
                                     [](const Shape::Part& part) { return !part.minor; });
  if (shape.sent == Shape::Sent::kYes && !any_major) {
    return absl::InvalidArgumentError(
        absl::StrCat(shape.name, " has no part to be recognised by, so sent must be zero or no"));
  }
  is_arkit_ = is_arkit_ && shape.parts.size() == 1 && shape.parts[0].factor == 1 &&
              absl::EqualsIgnoreCase(shape.name, TargetNames()[Index(shape.parts[0].target)]);
  shapes_.push_back(std::move(shape));
  return absl::OkStatus();
}

absl::Status ShapeSet::AddName(absl::string_view name, int shape) {
  const skel::ShapeKey key(name);
  if (key.text().empty()) return absl::InvalidArgumentError("a name is empty");
  if (!by_key_.emplace(std::string(key.text()), shape).second) {
    return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" is there twice"));
  }
  return absl::OkStatus();
}

absl::Status ShapeSet::AddParts(absl::string_view words, Shape& shape) const {
  for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) {
    Shape::Part part;
    part.minor = absl::ConsumePrefix(&word, "(") && absl::ConsumeSuffix(&word, ")");
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(word, absl::MaxSplits('*', 1));
    part.target = FindTarget(halves.first);
    if (part.target < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", halves.first, "\" is not one of ARKit's shapes or of the tongue's"));
    }
    const bool given = halves.first.size() < word.size();
    if (given &&
        (!absl::SimpleAtof(halves.second, &part.factor) || !(part.factor > 0) || part.factor > 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("factor \"", halves.second, "\": must be above 0 and at most 1"));
    }
    for (const Shape::Part& other : shape.parts) {
      if (other.target == part.target) {
        return absl::InvalidArgumentError(absl::StrCat("\"", halves.first, "\" is there twice"));
      }
    }
    shape.parts.push_back(part);
  }
  std::sort(shape.parts.begin(), shape.parts.end(),
            [](const Shape::Part& a, const Shape::Part& b) { return a.target < b.target; });
  return absl::OkStatus();
}

void ShapeSet::MakeUnits() {
  std::array<int, kTargets> users{};
  for (int i = 0; i < size(); ++i) {
    const Shape& shape = shapes_[Index(i)];
    if (shape.sent != Shape::Sent::kYes) continue;
    auto unit = std::find_if(units_.begin(), units_.end(),
                             [&](const Unit& u) { return Proportional(shape.parts, u.parts); });
    if (unit == units_.end()) {
      unit = units_.insert(units_.end(), Unit{shape.parts, {}, true});
      for (const Shape::Part& part : shape.parts) users[Index(part.target)] += part.minor ? 0 : 1;
    } else {
      for (size_t p = 0; p < shape.parts.size(); ++p) {
        unit->parts[p].factor += shape.parts[p].factor;
      }
    }
    unit->members.push_back(i);
  }
  closes_mouth_ = users[skel::kArkitMouthClose] > 0;
  for (Unit& unit : units_) {
    for (const Shape::Part& part : unit.parts) {
      unit.alone = unit.alone && (part.minor || users[Index(part.target)] == 1);
    }
  }
}

int ShapeSet::Find(absl::string_view name) const {
  const auto found = by_key_.find(skel::ShapeKey(name).text());
  return found == by_key_.end() ? -1 : found->second;
}

void ShapeSet::ToArkit(absl::Span<const float> weights, TargetWeights& out) const {
  out.fill(0);
  for (size_t i = 0; i < shapes_.size() && i < weights.size(); ++i) {
    const float weight = Within(weights[i]);
    for (const Shape::Part& part : shapes_[i].parts) {
      float& target = out[Index(part.target)];
      target = std::min(target + part.factor * weight, 1.0f);
    }
  }
}

// Returns how much of the unit the face has.
float ShapeSet::Fit(const Unit& unit, const TargetWeights& face) {
  float most = 1;
  for (const Shape::Part& part : unit.parts) {
    if (!part.minor) most = std::min(most, face[Index(part.target)] / part.factor);
  }
  return Within(most);
}

// Returns how much of the face the unit shows with this weight.
float ShapeSet::Shown(const Unit& unit, float weight, const TargetWeights& face) {
  float sum = 0;
  for (const Shape::Part& part : unit.parts) {
    sum += std::min(weight * part.factor, std::max(0.0f, face[Index(part.target)]));
  }
  return sum;
}

void ShapeSet::FromArkit(const TargetWeights& face, absl::Span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0f);
  if (out.size() < shapes_.size()) return;
  TargetWeights left = face;
  if (!closes_mouth_) {
    left[skel::kArkitJawOpen] =
        skel::AceJawOpen(face[skel::kArkitJawOpen], Within(face[skel::kArkitMouthClose]));
  }
  const auto use = [&](const Unit& unit, float weight) {
    for (const int member : unit.members) out[Index(member)] = weight;
    for (const Shape::Part& part : unit.parts) {
      float& target = left[Index(part.target)];
      target = std::max(0.0f, target - weight * part.factor);
    }
  };
  size_t shared = 0;
  for (const Unit& unit : units_) {
    if (unit.alone) {
      use(unit, Fit(unit, left));
    } else {
      ++shared;
    }
  }
  // Units that share targets: again and again the one that shows the most of what is left.
  for (; shared > 0; --shared) {
    const Unit* best = nullptr;
    float weight = 0, most = 0;
    for (const Unit& unit : units_) {
      if (unit.alone || out[Index(unit.members[0])] > 0) continue;
      const float fit = Fit(unit, left);
      const float shown = Shown(unit, fit, left);
      if (shown <= most) continue;
      best = &unit;
      weight = fit;
      most = shown;
    }
    if (best == nullptr) return;
    use(*best, weight);
  }
}

}  // namespace posewire::shapes
