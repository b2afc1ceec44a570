#include "services/anim_graph/core/stream_control.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/names/known_names.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::anim_graph {
namespace {

constexpr size_t kMostUsers = 16;
constexpr size_t kMostUserNameBytes = 64;
constexpr double kMostHold_s = 3600;
constexpr float kDeg = 0.01745329252f;

skel::Quat Turn(const AvatarPlace& place) {
  return skel::FromAxisAngle({0, 1, 0}, place.turn_deg * kDeg);
}

// From the stream's space to that of an avatar at `place`.
skel::Vec3 Into(const AvatarPlace& place, skel::Vec3 p) {
  return Rotate(Conjugate(Turn(place)), p - skel::Vec3{place.x_m, 0, place.z_m});
}

skel::Vec3 OutOf(const AvatarPlace& place, skel::Vec3 p) {
  return Rotate(Turn(place), p) + skel::Vec3{place.x_m, 0, place.z_m};
}

skel::Placement ToPlacement(const AvatarPlace& place) {
  return {{place.x_m, 0, place.z_m}, Turn(place)};
}

bool IsNear(skel::Vec3 v) {
  return std::fabs(v.x) <= 1e4f && std::fabs(v.y) <= 1e4f && std::fabs(v.z) <= 1e4f;
}

bool AllFinite(const graph::UserInput& u) {
  const auto if_any = [&](const std::optional<skel::Vec3>& v) { return !v || IsNear(*v); };
  const auto unit = [](skel::Quat q) { return std::fabs(Dot(q, q) - 1) <= 2e-2f; };
  return IsNear(u.head) && IsNear(u.left_hand) && IsNear(u.right_hand) && IsNear(u.gaze) &&
         if_any(u.hips) && if_any(u.left_foot) && if_any(u.right_foot) && unit(u.head_rotation) &&
         unit(u.left_hand_rotation) && unit(u.right_hand_rotation);
}

absl::Status CheckMood(const StreamUser& user) {
  const auto within = [](const std::optional<float>& v) { return !v || std::fabs(*v) <= 1; };
  if (!within(user.input.arousal) || !within(user.input.valence)) {
    return absl::InvalidArgumentError("mood: arousal and valence must be from -1 to 1");
  }
  if (user.mood.size() <= kMostUserNameBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("mood.name is ", user.mood.size(), " bytes long; at most ", kMostUserNameBytes));
}

absl::Status CheckPoints(const std::vector<StreamUser::Point>& points) {
  if (points.size() > StreamUser::kMostPoints) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", points.size(), " points; at most ", StreamUser::kMostPoints));
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string& name = points[i].name;
    const auto wrong = [i](auto... what) {
      return absl::InvalidArgumentError(absl::StrCat("points[", i, "]", what...));
    };
    if (name.empty() || name.size() > kMostUserNameBytes || name.find('/') != std::string::npos) {
      return wrong(".name is \"", absl::CHexEscape(name.substr(0, 60)), "\"; it must have 1 to ",
                   kMostUserNameBytes, " bytes and no slash");
    }
    if (!IsNear(points[i].at)) return wrong(".position must be within 10 km");
    for (size_t k = 0; k < i; ++k) {
      if (points[k].name == name) return wrong(" has the name of points[", k, "]");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Stream*> StreamControl::Known(absl::string_view stream_id) const {
  if (Stream* stream = streams_.Find(stream_id)) return stream;
  return absl::NotFoundError(absl::StrCat("stream_id \"", stream_id, "\" is not known"));
}

absl::StatusOr<StreamAvatar*> StreamControl::KnownAvatar(absl::string_view stream_id,
                                                         absl::string_view target) const {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  for (const auto& a : (*stream)->avatars) {
    if (target.empty() || a->target == target) return a.get();
  }
  return absl::NotFoundError(
      target.empty()
          ? absl::StrCat("stream_id \"", stream_id, "\" has no avatar")
          : absl::StrCat("stream_id \"", stream_id, "\" has no avatar \"", target, "\""));
}

absl::StatusOr<StreamControl::SetDone> StreamControl::SetVariable(absl::string_view stream_id,
                                                                  absl::string_view target,
                                                                  absl::string_view name,
                                                                  absl::string_view text, Now now) {
  const graph::VariableSet& set = *parts_.asset->variables();
  auto index = set.Index(name);
  if (!index.ok()) return index.status();
  const graph::VariableSpec& spec = set.spec(*index);
  auto value = spec.Parse(text);
  if (!value.ok()) return value.status();
  auto stream = streams_.FindOrMake(stream_id, now);
  if (!stream.ok()) return stream.status();
  (*stream)->touched_s = streams_.Seconds(now);
  SetDone done;
  done.value = spec.Format(*value);
  done.note = parts_.asset->NoteOn(*index, text);
  for (const auto& a : (*stream)->avatars) {
    if (!target.empty() && a->target != target) continue;
    if (SetByText(a->avatar.graph_instance().variables(), name, text)) {
      ++done.avatars;
      a->waiting.erase(std::string(name));
    } else if (!a->avatar.has_own_rig() &&
               &a->avatar.graph_instance().asset() != parts_.asset.get()) {
      a->waiting[std::string(name)] = std::string(text);
      ++done.avatars;
    }
  }
  if (target.empty()) {
    (*stream)->variables[std::string(name)] = done.value;
  } else if (done.avatars == 0) {
    return absl::NotFoundError(
        absl::StrCat("stream_id \"", stream_id, "\" has no avatar \"", target, "\""));
  }
  return done;
}

void StreamControl::SetWaiting(StreamAvatar& avatar) {
  for (const auto& [name, text] : avatar.waiting) {
    SetByText(avatar.avatar.graph_instance().variables(), name, text);
  }
  avatar.waiting.clear();
}

absl::StatusOr<StreamControl::SetDone> StreamControl::SetGesture(absl::string_view stream_id,
                                                                 absl::string_view target,
                                                                 absl::string_view gesture,
                                                                 Now now) {
  if (parts_.asset->variables()->Find(kGestureVariable) < 0) {
    return absl::FailedPreconditionError(absl::StrCat("gesture \"", gesture, "\": the graph ",
                                                      parts_.asset->name(),
                                                      " plays no gestures: it has no choice "
                                                      "variable gesture_state, which is what "
                                                      "this sets"));
  }
  auto avatar = KnownAvatar(stream_id, target);
  if (!avatar.ok()) return avatar.status();
  auto done = SetVariable(stream_id, target, kGestureVariable, gesture, now);
  // A gesture plays once: avatars made later do not play it.
  if (done.ok()) {
    auto& variables = (*avatar)->stream->variables;
    if (const auto set = variables.find(kGestureVariable); set != variables.end()) {
      variables.erase(set);
    }
  }
  return done;
}

absl::StatusOr<std::vector<std::string>> StreamControl::Variables(absl::string_view stream_id,
                                                                  absl::string_view target) const {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  const StreamAvatar* avatar = nullptr;
  if (!target.empty() || !(*stream)->avatars.empty()) {
    auto found = KnownAvatar(stream_id, target);
    if (!found.ok()) return found.status();
    avatar = *found;
  }
  const graph::VariableSet& set = *parts_.asset->variables();
  std::vector<std::string> out;
  for (int i = 0; i < set.size(); ++i) {
    const graph::VariableSpec& spec = set.spec(i);
    const auto given = (*stream)->variables.find(spec.name);
    out.push_back(given != (*stream)->variables.end() ? given->second : spec.Format(spec.initial));
    if (avatar == nullptr) continue;
    const graph::Variables& live = avatar->avatar.graph_instance().variables();
    const int at = live.set().Find(spec.name);
    if (at >= 0) out.back() = live.set().spec(at).Format(live.value(at));
  }
  return out;
}

absl::StatusOr<int> StreamControl::FireEvent(absl::string_view stream_id, absl::string_view target,
                                             absl::string_view event) {
  auto avatar = KnownAvatar(stream_id, target);
  if (!avatar.ok()) return avatar.status();
  int fired = 0;
  for (const auto& a : (*avatar)->stream->avatars) {
    if (!target.empty() && a->target != target) continue;
    const auto events = a->avatar.graph_instance().asset().events();
    const auto it = std::find(events.begin(), events.end(), event);
    if (it == events.end()) {
      return absl::NotFoundError(
          absl::StrCat("no event \"", event, "\"", KnownNames(event, events)));
    }
    a->avatar.graph_instance().Fire(static_cast<int>(it - events.begin()));
    ++fired;
  }
  return fired;
}

absl::Status StreamControl::SetUser(absl::string_view stream_id, const StreamUser& user, Now now) {
  if (!AllFinite(user.input)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "user \"", user.name, "\": places must be within 10 km and rotations of unit length"));
  }
  absl::Status rest = CheckMood(user);
  if (rest.ok()) rest = CheckPoints(user.points);
  if (!rest.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("user \"", user.name, "\": ", rest.message()));
  }
  if (!(user.hold_s > 0 && user.hold_s <= kMostHold_s)) {
    return absl::InvalidArgumentError(absl::StrCat("user \"", user.name, "\": hold_s is ",
                                                   user.hold_s, "; it must be above 0 and at most ",
                                                   kMostHold_s));
  }
  auto stream = streams_.FindOrMake(stream_id, now);
  if (!stream.ok()) return stream.status();
  (*stream)->touched_s = streams_.Seconds(now);
  (*stream)->ForgetUsers(streams_.Seconds(now));
  auto& users = (*stream)->users;
  auto it =
      std::find_if(users.begin(), users.end(), [&](const auto& u) { return u.name == user.name; });
  if (it == users.end()) {
    if (users.size() >= kMostUsers) {
      return absl::ResourceExhaustedError(absl::StrFormat(
          "stream_id \"%s\" has %d users already; remove one", stream_id, kMostUsers));
    }
    it = users.insert(it, user);
  }
  it->input = user.input;
  it->mood = user.mood;
  it->points = user.points;
  it->hold_s = user.hold_s;
  it->heard_s = streams_.Seconds(now);
  it->liveliness.Note(user.input, it->heard_s);
  return absl::OkStatus();
}

absl::Status StreamControl::RemoveUser(absl::string_view stream_id, absl::string_view name) {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  if (std::erase_if((*stream)->users, [&](const auto& u) { return u.name == name; }) > 0) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat("stream_id \"", stream_id, "\" has no user \"", name, "\""));
}

absl::StatusOr<bool> StreamControl::SetProp(absl::string_view stream_id, SceneProp prop, Now now) {
  auto stream = streams_.FindOrMake(stream_id, now);
  if (!stream.ok()) return stream.status();
  prop.usual_size = prop.size.x == 0 && prop.size.y == 0 && prop.size.z == 0;
  if (parts_.props != nullptr) Complete(*parts_.props, prop);
  auto replaced = (*stream)->scene.Set(std::move(prop));
  if (!replaced.ok()) {
    streams_.CameToNothing(stream_id, now);
    return replaced.status();
  }
  (*stream)->touched_s = streams_.Seconds(now);
  return replaced;
}

absl::Status StreamControl::MoveProp(absl::string_view stream_id, absl::string_view name,
                                     skel::Vec3 to, const skel::Quat* rotation) {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  return (*stream)->scene.Move(name, to, rotation);
}

absl::Status StreamControl::RemoveProp(absl::string_view stream_id, absl::string_view name) {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  return (*stream)->scene.Remove(name);
}

absl::StatusOr<std::vector<SceneProp>> StreamControl::Props(absl::string_view stream_id) const {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  return (*stream)->scene.props();
}

absl::Status StreamControl::AttachProp(absl::string_view stream_id, absl::string_view name,
                                       absl::string_view site, absl::string_view target,
                                       absl::string_view at, bool at_once) {
  auto avatar = KnownAvatar(stream_id, target);
  if (!avatar.ok()) return avatar.status();
  StreamAvatar& a = **avatar;
  const auto where = skel::FindBodySite(a.avatar.rig(), at);
  if (!where.ok()) return where.status();
  const absl::Status s =
      a.stream->scene.Attach(name, site, HolderOf(&a.avatar, a.target, at, *where),
                             ToPlacement(a.place) * a.avatar.PlaceOf(*where), at_once);
  if (s.ok()) streams_.Tell(EngineEvent::kPropAttached, a, "", std::string(name));
  return s;
}

absl::Status StreamControl::DetachProp(absl::string_view stream_id, absl::string_view name) {
  auto stream = Known(stream_id);
  if (!stream.ok()) return stream.status();
  const SceneProp* const prop = (*stream)->scene.Find(name);
  const StreamAvatar* holder = nullptr;
  for (const auto& a : (*stream)->avatars) {
    if (prop != nullptr && prop->holder.avatar == &a->avatar) holder = a.get();
  }
  const auto held = (*stream)->scene.Detach(name);
  if (!held.ok()) return held.status();
  if (holder != nullptr) {
    streams_.Tell(EngineEvent::kPropDetached, *holder, "", std::string(name));
  }
  return absl::OkStatus();
}

void StreamControl::ActOnProps(const StreamAvatar& a) {
  const uint64_t fired = a.avatar.graph_instance().outputs().fired;
  if (fired == 0) return;
  for (const graph::PropAction& action : a.avatar.graph_instance().asset().prop_actions()) {
    if ((fired >> action.event & 1) == 0) continue;
    absl::Status done;
    if (!action.at.empty()) {
      done =
          AttachProp(a.stream->id, action.prop, action.site,
                     action.target.empty() ? a.target : action.target, action.at, action.at_once);
    } else if (const SceneProp* const prop = a.stream->scene.Find(action.prop);
               prop == nullptr || prop->holder.avatar == &a.avatar) {
      done = DetachProp(a.stream->id, action.prop);
    }
    if (!done.ok()) {
      streams_.Tell(EngineEvent::kPropFailed, a, "", std::string(done.message()));
    }
  }
}

absl::Status StreamControl::PlaceAvatar(absl::string_view stream_id, absl::string_view target,
                                        const AvatarPlace& place) {
  if (!(std::fabs(place.x_m) <= 1e4f) || !(std::fabs(place.z_m) <= 1e4f) ||
      !(std::fabs(place.turn_deg) <= 360)) {
    return absl::InvalidArgumentError("x_m and z_m must be within 10 km, turn_deg within +-360");
  }
  auto avatar = KnownAvatar(stream_id, target);
  if (!avatar.ok()) return avatar.status();
  (*avatar)->place = place;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StreamControl::SitePlace>> StreamControl::Sites(
    absl::string_view stream_id, absl::string_view target) const {
  auto entry = KnownAvatar(stream_id, target);
  if (!entry.ok()) return entry.status();
  const Avatar& avatar = (*entry)->avatar;
  const skel::Rig& rig = avatar.rig();
  std::vector<skel::Vec3> positions(static_cast<size_t>(rig.joints()));
  std::vector<skel::Quat> rotations(positions.size());
  skel::LocalToModelJob job;
  job.rig = &rig;
  job.local = avatar.tick() >= 0 ? avatar.pose() : rig.rest();
  job.positions = absl::MakeSpan(positions);
  job.rotations = absl::MakeSpan(rotations);
  if (!job.Run()) return absl::InternalError("the pose has not the rig's size");
  std::vector<SitePlace> out;
  for (size_t j = 0; j < positions.size(); ++j) {
    out.push_back({rig.joint_names()[j], positions[j], rotations[j]});
  }
  for (const skel::Site& site : rig.sites()) {
    const auto j = static_cast<size_t>(site.joint);
    out.push_back({site.name, positions[j] + Rotate(rotations[j], site.offset),
                   Mul(rotations[j], site.rotation.value_or(skel::Quat{}))});
  }
  return out;
}

void StreamControl::SetSurroundings(StreamAvatar& a, double now_s) {
  users_.clear();
  neighbours_.clear();
  a.stream->ForgetUsers(now_s);
  const skel::Quat turn = Conjugate(Turn(a.place));
  size_t points = 0;
  for (const auto& user : a.stream->users) points += user.points.size();
  points_.resize(points);  // users have views of it
  points = 0;
  for (const auto& user : a.stream->users) {
    graph::UserInput input = user.input;
    input.name = user.name;
    input.mood = user.mood;
    input.liveliness = user.liveliness.At(now_s);
    input.points = absl::MakeConstSpan(points_).subspan(points, user.points.size());
    for (const StreamUser::Point& point : user.points) {
      points_[points++] = {point.name, Into(a.place, point.at)};
    }
    for (skel::Vec3* p : {&input.head, &input.left_hand, &input.right_hand, &input.gaze}) {
      *p = Into(a.place, *p);
    }
    for (std::optional<skel::Vec3>* p : {&input.hips, &input.left_foot, &input.right_foot}) {
      if (*p) *p = Into(a.place, **p);
    }
    for (skel::Quat* q :
         {&input.head_rotation, &input.left_hand_rotation, &input.right_hand_rotation}) {
      *q = Mul(turn, *q);
    }
    users_.push_back(input);
  }
  for (const auto& other : a.stream->avatars) {
    if (other.get() == &a || other->avatar.tick() < 0) continue;
    neighbours_.push_back(
        {other->target, Into(a.place, OutOf(other->place, other->head)), other->voice_db});
  }
  const skel::Placement from = ToPlacement(a.place);
  a.stream->scene.Fill(&a.avatar, from, props_);
  a.avatar.SetScene(&a.stream->scene, from);
  a.avatar.SetSurroundings(users_, neighbours_, props_.props);
}

void StreamControl::Note(StreamAvatar& a, absl::Span<const int16_t> voice) {
  if (a.stream->avatars.size() < 2) return;
  const skel::Rig& rig = a.avatar.rig();
  skel::Vec3 at;
  for (int j = rig.humanoid().joint(skel::HumanBone::kHead); j >= 0; j = rig.topology().parent(j)) {
    at = a.avatar.pose().translation(j) + Rotate(a.avatar.pose().rotation(j), at);
  }
  a.head = at;
  // The sum of squares of one second fits into 64 bits.
  int64_t squares = 0;
  for (const int16_t v : voice) squares += int64_t{v} * v;
  const double mean =
      voice.empty() ? 0
                    : static_cast<double>(squares) / static_cast<double>(voice.size()) / (1 << 30);
  a.voice_db = mean > 1e-10 ? static_cast<float>(10 * std::log10(mean)) : -100;
}

}  // namespace posewire::anim_graph
