#include "services/anim_graph/core/prop_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/names/known_names.h"

namespace posewire::anim_graph {
namespace {

using skel::Placement;
using skel::Quat;
using skel::Vec3;

constexpr float kFar_m = 1e4f, kMostSize_m = 100;
constexpr size_t kMostNameBytes = 128;
// Average speed and shortest duration of a prop's glide into a hand.
constexpr double kGlide_m_s = 0.5, kLeastGlide_s = 0.25;

absl::Status CheckName(absl::string_view field, absl::string_view name) {
  if (!name.empty() && name.size() <= kMostNameBytes && name.find('/') == absl::string_view::npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(field, " is \"", name.substr(0, 60),
                                                 "\"; it must have 1 to ", kMostNameBytes,
                                                 " bytes, none of them /"));
}

absl::Status CheckPlace(absl::string_view field, const Placement& p) {
  for (const float v : {p.at.x, p.at.y, p.at.z}) {
    if (std::fabs(v) <= kFar_m) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(field, "position has ", v, "; it must be within 10 km"));
  }
  const float length = std::sqrt(Dot(p.turn, p.turn));
  if (std::fabs(length - 1) <= 1e-2f) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, "rotation has the length ", length, "; it must be 1"));
}

absl::Status Check(SceneProp& prop) {
  if (absl::Status s = CheckName("prop.name", prop.name); !s.ok()) return s;
  if (prop.shape.size() > kMostNameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("prop.shape is ", prop.shape.size(), " bytes long; at most ", kMostNameBytes));
  }
  if (absl::Status s = CheckPlace("prop.", prop.place); !s.ok()) return s;
  if (prop.size.x == 0 && prop.size.y == 0 && prop.size.z == 0) {
    prop.size = wire::UsualSize(prop.shape);
    prop.usual_size = true;
  }
  for (const float v : {prop.size.x, prop.size.y, prop.size.z}) {
    if (v > 0 && v <= kMostSize_m) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "prop.size has ", v, "; each must be above 0 and at most ", kMostSize_m, " metres"));
  }
  if (prop.sites.size() > PropScene::kMostSites) {
    return absl::InvalidArgumentError(absl::StrCat("prop.sites has ", prop.sites.size(),
                                                   " entries; at most ", PropScene::kMostSites));
  }
  prop.place.turn = Normalized(prop.place.turn);
  for (size_t i = 0; i < prop.sites.size(); ++i) {
    PropSite& site = prop.sites[i];
    const std::string field = absl::StrCat("prop.sites[", i, "].");
    if (absl::Status s = CheckSite(field, site); !s.ok()) return s;
    site.place.turn = Normalized(site.place.turn);
    for (size_t k = 0; k < i; ++k) {
      if (prop.sites[k].name != site.name) continue;
      return absl::InvalidArgumentError(absl::StrCat(field, "name is \"", site.name,
                                                     "\", as that of prop.sites[", k,
                                                     "]; each must be another"));
    }
  }
  return absl::OkStatus();
}

// Minimum-jerk interpolation, like a hand's motion (libs/graph/hand_way.h).
float Gone(double s) {
  const auto t = static_cast<float>(std::clamp(s, 0.0, 1.0));
  return t * t * t * (10 + t * (-15 + t * 6));
}

}  // namespace

absl::Status CheckSite(absl::string_view field, const PropSite& site) {
  if (absl::Status s = CheckName(absl::StrCat(field, "name"), site.name); !s.ok()) return s;
  return CheckPlace(field, site.place);
}

PropHolder HolderOf(const void* avatar, absl::string_view target, absl::string_view at,
                    const skel::BodySite& where) {
  const int hand = at == "left_hand" ? 0 : at == "right_hand" ? 1 : -1;
  return {avatar, std::string(target), std::string(at), hand, where};
}

const SceneProp* PropScene::Find(absl::string_view name) const {
  const auto it = std::find_if(props_.begin(), props_.end(),
                               [&](const SceneProp& p) { return p.name == name; });
  return it == props_.end() ? nullptr : &*it;
}

SceneProp* PropScene::FindOwn(absl::string_view name) { return const_cast<SceneProp*>(Find(name)); }

absl::Status PropScene::NotFound(absl::string_view name) const {
  std::vector<std::string> known;
  for (const SceneProp& p : props_) known.push_back(p.name);
  return absl::NotFoundError(
      absl::StrCat("there is no prop \"", name.substr(0, 60), "\"", KnownNames(name, known)));
}

absl::StatusOr<bool> PropScene::Set(SceneProp prop) {
  if (absl::Status s = Check(prop); !s.ok()) return s;
  SceneProp* const old = FindOwn(prop.name);
  if (old == nullptr && props_.size() >= kMost) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("the stream has %d props already; remove one", kMost));
  }
  ++revision_;
  if (old == nullptr) {
    props_.push_back(std::move(prop));
    return false;
  }
  if (old->is_held()) {
    prop.holder = old->holder;
    prop.taken = old->taken, prop.held = old->held, prop.in_hand = old->in_hand;
    prop.held_s = old->held_s, prop.glide_s = old->glide_s;
    prop.place = old->place;
  }
  *old = std::move(prop);
  return true;
}

absl::Status PropScene::Move(absl::string_view name, Vec3 to, const Quat* rotation) {
  SceneProp* const prop = FindOwn(name);
  if (prop == nullptr) return NotFound(name);
  const Placement place{to, rotation == nullptr ? prop->place.turn : *rotation};
  if (absl::Status s = CheckPlace("", place); !s.ok()) return s;
  prop->place = {place.at, Normalized(place.turn)};
  prop->holder = {};
  ++revision_;
  return absl::OkStatus();
}

absl::Status PropScene::Remove(absl::string_view name) {
  if (std::erase_if(props_, [&](const SceneProp& p) { return p.name == name; }) == 0) {
    return NotFound(name);
  }
  ++revision_;
  return absl::OkStatus();
}

absl::Status PropScene::Attach(absl::string_view name, absl::string_view site, PropHolder holder,
                               const Placement& place, bool at_once) {
  SceneProp* const prop = FindOwn(name);
  if (prop == nullptr) return NotFound(name);
  const bool in_hand = holder.hand >= 0;
  const absl::string_view wanted = site.empty() && !in_hand ? holder.at : site;
  const PropSite* at = nullptr;
  for (const PropSite& s : prop->sites) {
    if (at == nullptr && (wanted.empty() || s.name == wanted)) at = &s;
  }
  if (at == nullptr && !site.empty()) {
    std::vector<std::string> known;
    for (const PropSite& s : prop->sites) known.push_back(s.name);
    return absl::NotFoundError(absl::StrCat("prop \"", name, "\" has no site \"",
                                            site.substr(0, 60), "\"", KnownNames(site, known)));
  }
  prop->taken = Inverse(place) * prop->place;
  Placement in_prop = at == nullptr ? Placement{} : at->place;
  if (in_hand && (at == nullptr || at->any_side)) {
    // Gripped from any side: keep the rotation about the site's +Y with which the hand reached it.
    const Placement seen = prop->taken * in_prop;
    const Vec3 y = Rotate(seen.turn, {0, 1, 0});
    const Quat back = skel::BetweenDirections(Normalized(y), {0, 1, 0});
    const Quat upright = Normalized(Mul(back, seen.turn));
    prop->held = Placement{{}, upright} * Inverse(in_prop);
  } else {
    prop->held = Inverse(in_prop);
  }
  prop->holder = std::move(holder);
  const float way = Length(prop->held.at - prop->taken.at);
  prop->held_s = 0;
  prop->glide_s = std::max(kLeastGlide_s, static_cast<double>(way) / kGlide_m_s);
  if (at_once) prop->taken = prop->held;
  prop->in_hand = prop->taken;
  ++revision_;
  return absl::OkStatus();
}

void PropScene::Hold(absl::string_view name, PropHolder holder, const Placement& held) {
  SceneProp* const prop = FindOwn(name);
  if (prop == nullptr) return;
  prop->holder = std::move(holder);
  prop->taken = prop->held = prop->in_hand = held;
  prop->held_s = prop->glide_s = kLeastGlide_s;
  ++revision_;
}

absl::StatusOr<bool> PropScene::Detach(absl::string_view name) {
  SceneProp* const prop = FindOwn(name);
  if (prop == nullptr) return NotFound(name);
  const bool held = prop->is_held();
  prop->holder = {};
  revision_ += held;
  return held;
}

void PropScene::LetGo(const void* avatar) {
  for (SceneProp& prop : props_) {
    if (prop.holder.avatar == avatar) (void)Detach(prop.name);
  }
}

void PropScene::Follow(const void* avatar,
                       absl::FunctionRef<Placement(const skel::BodySite&)> place_of, double dt_s) {
  for (SceneProp& prop : props_) {
    if (prop.holder.avatar != avatar) continue;
    prop.held_s += dt_s;
    const float gone = Gone(prop.held_s / prop.glide_s);
    prop.in_hand = {Lerp(prop.taken.at, prop.held.at, gone),
                    Normalized(Slerp(prop.taken.turn, prop.held.turn, gone))};
    const Placement next = place_of(prop.holder.where) * prop.in_hand;
    if (Length(next.at - prop.place.at) > 1e-5f ||
        AngleBetween(next.turn, prop.place.turn) > 1e-4f) {
      prop.place = next;
      ++revision_;
    }
  }
}

void PropScene::Tell(const Placement& from, PropsTold& told,
                     std::vector<wire::MetadataEntry>& metadata) const {
  const bool moved =
      Length(from.at - told.from.at) > 1e-5f || AngleBetween(from.turn, told.from.turn) > 1e-5f;
  const bool news = told.revision != revision_ || (moved && !props_.empty());
  if (!news && !(told.again && told.any)) {
    told.again = false;
    return;
  }
  told = {revision_, from, told.any || !props_.empty(), false};
  if (!told.any) return;
  const Placement into = Inverse(from);
  std::vector<wire::Prop> out;
  out.reserve(props_.size());
  for (const SceneProp& p : props_) {
    const Placement seen = into * p.place;
    out.push_back(
        {p.name, seen.at, seen.turn, p.shape, p.size, p.is_held(), p.holder.target, p.usual_size});
  }
  metadata.push_back(wire::ToMetadata(out));
  told.any = !props_.empty();
}

void PropScene::Fill(const void* self, const Placement& from, Inputs& out) const {
  out.props.clear();
  out.sites.clear();
  if (props_.empty()) return;
  const Placement into = Inverse(from);
  size_t count = 0;
  for (const SceneProp& p : props_) count += p.sites.size();
  out.sites.reserve(count);  // reserved so that the spans below stay valid
  for (const SceneProp& p : props_) {
    graph::PropInput prop;
    prop.name = p.name;
    prop.place = into * p.place;
    prop.hand = p.holder.avatar == self ? p.holder.hand : -1;
    prop.in_hand = p.in_hand;
    const size_t first = out.sites.size();
    for (const PropSite& site : p.sites) {
      out.sites.push_back(
          {site.name, prop.place * site.place, site.any_side, p.in_hand * site.place});
    }
    prop.sites = absl::MakeConstSpan(out.sites).subspan(first);
    out.props.push_back(prop);
  }
}

}  // namespace posewire::anim_graph
