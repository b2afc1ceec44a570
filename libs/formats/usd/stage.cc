#include "libs/formats/usd/stage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/value_at.h"
#include "libs/skel/math.h"

namespace posewire::usd {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;
using Part = Property::Part;

constexpr double kCentimetre = 0.01;  // the unit of a stage without metersPerUnit
constexpr double kRadians = 3.14159265358979323846 / 180;

Affine Turn(Vec3 axis, double degrees) {
  return skel::FromTrs({}, skel::FromAxisAngle(axis, static_cast<float>(degrees * kRadians)),
                       {1, 1, 1});
}

// Returns the transform of one operation of an xformOpOrder.
Affine Operation(absl::string_view kind, const std::vector<double>& v) {
  const auto vec = [&] {
    return Vec3{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  };
  constexpr Vec3 kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (kind == "transform" && v.size() == 16) return AffineOf(v);
  if (kind == "orient" && v.size() == 4) {
    return skel::FromTrs({},
                         skel::Normalized(Quat{static_cast<float>(v[0]), static_cast<float>(v[1]),
                                               static_cast<float>(v[2]), static_cast<float>(v[3])}),
                         {1, 1, 1});
  }
  if (kind == "translate" && v.size() == 3) return skel::FromTrs(vec(), {}, {1, 1, 1});
  if (kind == "scale" && v.size() == 3) return skel::FromTrs({}, {}, vec());
  if (absl::ConsumePrefix(&kind, "rotate") && v.size() == kind.size()) {
    Affine out;
    for (size_t i = 0; i < kind.size(); ++i) {
      const int axis = kind[i] - 'X';
      if (axis < 0 || axis > 2) return {};
      out = skel::Mul(out, Turn(kAxes[axis], v[v.size() == 1 ? 0 : static_cast<size_t>(axis)]));
    }
    return out;
  }
  return {};
}

}  // namespace

Affine AffineOf(absl::Span<const double> m) {
  Affine out;
  for (size_t r = 0; m.size() == 16 && r < 4; ++r) {
    out.row[r] = {static_cast<float>(m[4 * r]), static_cast<float>(m[4 * r + 1]),
                  static_cast<float>(m[4 * r + 2])};
  }
  return out;
}

Stage::Stage(Layer layer) : layer_(std::move(layer)) {
  for (const Prim& prim : layer_.prims) Add(prim, -1);
  time_codes_per_second_ = TimeCodesPerSecond(layer_);
  const double unit = NumberOf(layer_.metadata, "metersPerUnit", kCentimetre);
  const auto scale = static_cast<float>(unit > 0 ? unit : kCentimetre);
  const Value* const up = FindMetadata(layer_.metadata, "upAxis");
  const bool z_up = up != nullptr && !up->texts.empty() && up->texts[0] == "Z";
  to_our_space_ =
      skel::Mul(skel::FromTrs({}, {}, {scale, scale, scale}),
                z_up ? Affine{{Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 1, 0}, Vec3{}}} : Affine{});
}

void Stage::Add(const Prim& prim, int parent) {
  const bool under = parent < 0 || nodes_[static_cast<size_t>(parent)].defined;
  const auto index = static_cast<int>(nodes_.size());
  nodes_.push_back({&prim, parent, absl::StrCat(parent < 0 ? "" : path(parent), "/", prim.name),
                    under && prim.specifier == "def"});
  by_path_.try_emplace(nodes_.back().path, index);
  for (const Prim& child : prim.children) Add(child, index);
}

int Stage::Find(absl::string_view path) const {
  const auto it = by_path_.find(path);
  return it == by_path_.end() ? -1 : it->second;
}

const Property* Stage::Find(int prim, absl::string_view name, Part part) const {
  return nodes_[static_cast<size_t>(prim)].prim->Find(name, part);
}

std::vector<double> Stage::Numbers(int prim, absl::string_view name, double time) const {
  const Property* p = Find(prim, name, Part::kTimeSamples);
  if (p == nullptr || p->samples.empty()) {
    p = Find(prim, name, Part::kDefault);
    if (p == nullptr) return {};
    std::vector<double> out = p->value.numbers;
    RoundAs(p->type, out);
    return out;
  }
  return ValueAt(*p, time).numbers;
}

std::vector<double> Stage::Numbers(int prim, absl::string_view name) const {
  return Numbers(prim, name, kEarliest);
}

const std::vector<std::string>& Stage::Texts(int prim, absl::string_view name) const {
  static const std::vector<std::string>& none = *new std::vector<std::string>();
  const Property* const p = Find(prim, name, Part::kDefault);
  return p == nullptr ? none : p->value.texts;
}

std::string Stage::Text(int prim, absl::string_view name) const {
  const std::vector<std::string>& texts = Texts(prim, name);
  return texts.empty() ? "" : texts.front();
}

std::string Stage::Asset(int prim, absl::string_view name) const {
  const Property* const p = Find(prim, name, Part::kDefault);
  return p == nullptr || p->value.references.empty() ? "" : p->value.references.front().asset;
}

std::vector<double> Stage::Times(int prim, absl::string_view name) const {
  std::vector<double> out;
  if (const Property* const p = Find(prim, name, Part::kTimeSamples); p != nullptr) {
    for (const TimeSample& sample : p->samples) out.push_back(sample.time_code);
  }
  return out;
}

const Value* Stage::Metadata(int prim, absl::string_view name, absl::string_view key) const {
  for (const Property& p : nodes_[static_cast<size_t>(prim)].prim->properties) {
    if (p.name != name) continue;
    if (const Value* const value = FindMetadata(p.metadata, key)) return value;
  }
  return nullptr;
}

bool Stage::Has(int prim, absl::string_view name) const {
  const auto says = [](const Value& value) { return value.kind != Value::Kind::kNone; };
  if (const Property* const p = Find(prim, name, Part::kTimeSamples);
      p != nullptr && !p->samples.empty()) {
    return std::any_of(p->samples.begin(), p->samples.end(),
                       [&](const TimeSample& s) { return says(s.value); });
  }
  const Property* const p = Find(prim, name, Part::kDefault);
  return p != nullptr && says(p->value);
}

std::vector<int> Stage::Targets(int prim, absl::string_view name) const {
  std::vector<int> out;
  const Property* const p = Find(prim, name, Part::kDefault);
  if (p == nullptr) return out;
  for (const Reference& reference : p->value.references) out.push_back(Find(reference.path));
  return out;
}

int Stage::Inherited(int prim, absl::string_view name) const {
  for (int i = prim; i >= 0; i = nodes_[static_cast<size_t>(i)].parent) {
    for (const Part part : {Part::kDefault, Part::kTimeSamples}) {
      if (Find(i, name, part) != nullptr) return i;
    }
  }
  return -1;
}

Affine Stage::Local(int prim, double time) const {
  Affine out;
  // The last operation is applied to the points first.
  for (const std::string& listed : Texts(prim, "xformOpOrder")) {
    absl::string_view name = listed;
    if (name == "!resetXformStack!") continue;
    const bool inverse = absl::ConsumePrefix(&name, "!invert!");
    const std::vector<double> value = Numbers(prim, name, time);
    absl::string_view kind = name;
    absl::ConsumePrefix(&kind, "xformOp:");
    Affine operation = Operation(kind.substr(0, kind.find(':')), value);
    if (inverse) operation = skel::Inverse(operation).value_or(Affine{});
    out = skel::Mul(operation, out);
  }
  return out;
}

Affine Stage::ToStage(int prim, double time) const {
  Affine out;
  for (int i = prim; i >= 0; i = nodes_[static_cast<size_t>(i)].parent) {
    out = skel::Mul(out, Local(i, time));
    const std::vector<std::string>& order = Texts(i, "xformOpOrder");
    if (!order.empty() && order.front() == "!resetXformStack!") break;
  }
  return out;
}

void Stage::AddTimesOfPlace(int prim, std::vector<double>& times) const {
  for (int i = prim; i >= 0; i = nodes_[static_cast<size_t>(i)].parent) {
    absl::flat_hash_set<absl::string_view> seen;
    for (absl::string_view name : Texts(i, "xformOpOrder")) {
      absl::ConsumePrefix(&name, "!invert!");
      if (!seen.insert(name).second) continue;
      const std::vector<double> own = Times(i, name);
      times.insert(times.end(), own.begin(), own.end());
    }
  }
}

absl::Status AtPrim(const Stage& stage, int prim, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", stage.prim(prim).line, ": ", stage.path(prim), ": ", why));
}

}  // namespace posewire::usd
