#include "services/a2f_source/core/vmc_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/any.pb.h"
#include "google/protobuf/wrappers.pb.h"
#include "libs/skel/humanoid.h"
#include "libs/vmc/eye_shapes.h"
#include "libs/wire/appearance.h"
#include "libs/wire/vmc_entry.h"

namespace posewire::a2f_source {
namespace {

constexpr double kUserPeriod_s = 1.0 / 30;
constexpr double kCameraStale_s = 1;
// Picture height of full-frame film, to which focal lengths in streams refer.
constexpr float kPictureHeight_mm = 24;
constexpr float kHalfDegree = 3.14159265358979f / 360;
constexpr int kSeldomFrames = 600;
constexpr double kExtrasPeriod_s = 1.5;
constexpr double kVariablesPeriod_s = 5;
constexpr double kEyeTargetStale_s = 1;
constexpr size_t kMostTold = 200;

void Add(skel::Vec3 v, wire::KeyBlock& to) { to.values.insert(to.values.end(), {v.x, v.y, v.z}); }

void Add(skel::Quat q, wire::KeyBlock& to) {
  to.values.insert(to.values.end(), {q.w, q.x, q.y, q.z});
}

// Appends one key, whose values the caller adds.
wire::KeyBlock& Open(double time_code_s, size_t width, wire::KeyBlock& block) {
  block.width = static_cast<int>(width);
  block.time_codes_s = {time_code_s};
  block.values.reserve(width);
  return block;
}

absl::Status CheckSettings(const VmcSessionSettings& s) {
  if (!(s.hold_s >= 0) || !(s.gone_s >= s.hold_s)) {
    return absl::InvalidArgumentError(absl::StrCat("hold ", s.hold_s, " s and gone ", s.gone_s,
                                                   " s: 0 <= hold <= gone is right"));
  }
  if (s.fps.num <= 0 || s.fps.den <= 0 || s.fps.hz() > 240) {
    return absl::InvalidArgumentError("fps is out of range, above 0 to 240 is right");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<VmcSession>> VmcSession::Make(const VmcSessionSettings& settings,
                                                             VmcOutput* output) {
  if (absl::Status s = CheckSettings(settings); !s.ok()) return s;
  auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  auto vrm = catalog->Find("vrm");
  if (!vrm.ok()) return vrm.status();
  auto rig = catalog->Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  auto reader = vmc::PoseReader::Make(*vrm, *rig, settings.pose);
  if (!reader.ok()) return reader.status();
  auto users = VmcUsers::Make(settings.users);
  if (!users.ok()) return users.status();
  auto events = VmcEvents::Parse(settings.events);
  if (!events.ok()) return events.status();
  auto variables = VmcVariables::Parse(settings.variables);
  if (!variables.ok()) return variables.status();
  auto characters = VmcCharacters::Parse(settings.characters);
  if (!characters.ok()) return characters.status();
  return std::unique_ptr<VmcSession>(
      new VmcSession(settings, *rig, *std::move(reader), *std::move(users), *std::move(events),
                     *std::move(variables), *std::move(characters), output));
}

VmcSession::VmcSession(const VmcSessionSettings& settings, std::shared_ptr<const skel::Rig> rig,
                       vmc::PoseReader pose_reader, VmcUsers users, VmcEvents events,
                       VmcVariables variables, VmcCharacters characters, VmcOutput* output)
    : settings_(settings),
      rig_(std::move(rig)),
      head_joint_(rig_->humanoid().joint(skel::HumanBone::kHead)),
      output_(output),
      pose_reader_(std::move(pose_reader)),
      pose_(rig_->joints(), rig_->shapes()),
      users_(std::move(users)),
      events_(std::move(events)),
      variables_(std::move(variables)),
      set_variable_(
          [output](const std::string& name, float value) { output->Variable(name, value); }),
      characters_(std::move(characters)),
      schedule_(kSeldomFrames) {}

void VmcSession::Offer(absl::string_view datagram, VmcPort port, double now_s) {
  messages_.clear();
  reader_.Read(datagram, [this](const vmc::Message& m) { messages_.push_back(m); });
  if (messages_.empty()) return;
  expressions_.Translate(messages_);
  bool has_time = false;
  for (const vmc::Message& m : messages_) {
    has_time = has_time || std::holds_alternative<vmc::Time>(m);
  }
  const std::optional<double> sent_s = tags_.Use(reader_.time_tag_s(), has_time, now_s);
  if (tags_.lost_trust()) motion_.ForgetClock(now_s);
  motion_.Take(messages_, now_s, sent_s);
  for (const vmc::Message& m : messages_) {
    if (port == VmcPort::kPerformer) schedule_.Take(m);
    extras_.Take(m, now_s);
    characters_.Take(m);
    variables_.Take(m, set_variable_);
    events_.Take(m, [this](const std::string& event) {
      ++counts_.events;
      output_->Event(event);
    });
    TellOnce(m);
    SeeTracking(m, now_s);
  }
  counts_.extras_dropped = extras_.dropped();
}

void VmcSession::SeeTracking(const vmc::Message& message, double now_s) {
  const auto* ok = std::get_if<vmc::Ok>(&message);
  if (ok == nullptr) return;
  if (ok->tracking_status != 0) {
    lost_since_s_.reset();
  } else if (!lost_since_s_) {
    lost_since_s_ = now_s;
  }
}

void VmcSession::TellOnce(const vmc::Message& message) {
  std::string value;
  if (const auto* receives = std::get_if<vmc::Receives>(&message)) {
    value = absl::StrCat(receives->enable, " ", receives->port, " ", receives->ip.value_or(""));
  } else if (const auto* window = std::get_if<vmc::WindowAttributes>(&message)) {
    value = absl::StrCat(window->is_top_most, " ", window->is_transparent, " ",
                         window->click_through, " ", window->hide_border);
  } else if (const auto* config = std::get_if<vmc::ConfigFile>(&message)) {
    value = std::string(config->path);
  } else if (const auto* set = std::get_if<vmc::SetConfig>(&message)) {
    value = std::string(set->path);
  } else if (const auto* response = std::get_if<vmc::SetResponse>(&message)) {
    value = std::string(response->text);
  } else {
    return;
  }
  if (told_[message.index()]) return;
  told_.set(message.index());
  output_->Told(std::string(vmc::AddressOf(message)), value.substr(0, kMostTold));
}

void VmcSession::Take(absl::Span<const vmc::Message> messages, std::optional<double> sent_s,
                      double now_s) {
  motion_.Take(messages, now_s, sent_s);
}

void VmcSession::Tick(double now_s) {
  if (!first_tick_s_) first_tick_s_ = now_s;
  const auto tick =
      static_cast<int64_t>(std::llround((now_s - *first_tick_s_) * settings_.fps.hz()));
  if (tick <= last_tick_) return;
  last_tick_ = tick;
  code_s_ = settings_.fps.SecondsAt(tick);
  TickMotion(now_s);
}

bool VmcSession::Wanted(double now_s) const {
  const vmc::Performer& p = motion_.performer();
  return p.loaded() && (p.any_bone() || p.any_expression()) &&
         now_s - p.last_motion_s() <= settings_.gone_s;
}

void VmcSession::TickMotion(double now_s) {
  const vmc::SendSchedule::Due due = schedule_.Next();
  if (due.devices) TellUsers(now_s);
  if (!Wanted(now_s)) {
    if (in_request_) expressions_.Reset();
    Finish();
    seen_ = {};
    ForgetGone(now_s);
    return;
  }
  present_ = true;
  RepeatVariables(now_s);
  double silent_s = now_s - motion_.performer().last_motion_s();
  if (lost_since_s_) silent_s = std::max(silent_s, now_s - *lost_since_s_);
  if (silent_s > settings_.hold_s) {
    if (!std::exchange(in_gap_, true)) ++counts_.gaps;
    return;
  }
  in_gap_ = false;
  if (silent_s > kExtrapolate_s) ++counts_.held;
  if (!lost_since_s_) {
    pose_.span().ClearPresence();
    pose_reader_.Write(motion_.Show(now_s), pose_.span());
    TurnEyes(now_s);
  }
  if (Presence present = PresentNow(); present != seen_) {
    seen_ = std::move(present);
    seen_since_s_ = now_s;
  }
  if (!seen_.any) return;
  const bool settled = now_s - seen_since_s_ >= settings_.warm_up_s;
  if (!in_request_ && settled) {
    LearnRest();
    Begin(seen_);
  }
  if (in_request_ && settled && !seen_.Within(sent_)) {
    Finish();
    Begin(seen_);
  }
  if (in_request_) SendFrame(code_s_, now_s, due);
}

// A server may have been restarted since they were set.
void VmcSession::RepeatVariables(double now_s) {
  if (now_s < next_variables_s_) return;
  next_variables_s_ = now_s + kVariablesPeriod_s;
  variables_.Repeat(set_variable_);
}

// What a performer said does not outlive their presence.
void VmcSession::ForgetGone(double now_s) {
  if (!present_ || now_s - motion_.performer().last_motion_s() <= settings_.gone_s) return;
  ForgetPerformer();
  variables_.Gone(set_variable_);
}

void VmcSession::ForgetPerformer() {
  present_ = false;
  motion_.Forget();
  pose_.span().ClearPresence();
  tags_ = {};
  extras_.Forget();
  events_.Forget();
  characters_.Forget();
  lost_since_s_.reset();
}

bool VmcSession::Presence::Within(const Presence& other) const {
  for (size_t j = 0; j < joints.size(); ++j) {
    if (joints[j] && !other.joints[j]) return false;
  }
  for (size_t s = 0; s < shapes.size(); ++s) {
    if (shapes[s] && !other.shapes[s]) return false;
  }
  return true;
}

VmcSession::Presence VmcSession::PresentNow() const {
  Presence present;
  const skel::PoseView pose = pose_.view();
  present.joints.assign(pose.has_r, pose.has_r + pose.joints);
  present.shapes.assign(pose.has_w, pose.has_w + pose.shapes);
  for (const bool has : present.joints) present.any = present.any || has;
  for (const bool has : present.shapes) present.any = present.any || has;
  return present;
}

void VmcSession::Begin(const Presence& present) {
  joints_.clear();
  shapes_.clear();
  wire::StreamHeader header;
  header.source_service_id = settings_.source_id;
  for (int j = 0; j < rig_->joints(); ++j) {
    if (!present.joints[static_cast<size_t>(j)]) continue;
    joints_.push_back(j);
    header.joints.push_back(rig_->joint_paths()[static_cast<size_t>(j)]);
  }
  for (int s = 0; s < rig_->shapes(); ++s) {
    if (!present.shapes[static_cast<size_t>(s)]) continue;
    shapes_.push_back(s);
    header.shapes.push_back(rig_->shape_names()[static_cast<size_t>(s)]);
  }
  sent_ = present;
  in_request_ = true;
  character_.clear();
  next_extras_s_ = 0;
  ++counts_.requests;
  output_->Begin(header);
}

// The current pose was read with the old rest pose, and is read again.
void VmcSession::LearnRest() {
  if (!settings_.t_pose_first || std::exchange(rest_known_, true)) return;
  pose_reader_.SetSenderRest(vmc::RestOf(motion_.performer()));
  pose_.span().ClearPresence();
  pose_reader_.Write(motion_.performer(), pose_.span());
}

void VmcSession::Finish() {
  if (!std::exchange(in_request_, false)) return;
  output_->End();
}

void VmcSession::SendFrame(double time_code_s, double now_s, const vmc::SendSchedule::Due& due) {
  wire::DataChunk data;
  AddPose(time_code_s, due, data);
  if (due.camera) AddCamera(time_code_s, now_s, data);
  if (due.seldom) AddModel(data);
  if (characters_.chosen() != character_) {
    character_ = characters_.chosen();
    data.metadata.push_back(wire::ToMetadata(wire::Appearance{.character = character_}));
  }
  AddExtras(now_s, data);
  ++counts_.frames;
  output_->Frame(wire::MakeMessage(std::move(data)));
}

void VmcSession::AddPose(double time_code_s, const vmc::SendSchedule::Due& due,
                         wire::DataChunk& out) const {
  const skel::PoseView pose = pose_.view();
  if (due.shapes && !shapes_.empty()) {
    auto& weights = Open(time_code_s, shapes_.size(), out.pose[wire::kWeights]);
    for (const int s : shapes_) weights.values.push_back(pose.has_w[s] != 0 ? pose.weights[s] : 0);
  }
  if (joints_.empty()) return;
  if (due.bones) {
    auto& rotations = Open(time_code_s, 4 * joints_.size(), out.pose[wire::kRotations]);
    for (const int j : joints_) {
      Add(pose.has_r[j] != 0 ? pose.rotation(j) : rig_->rest().rotation(j), rotations);
    }
  }
  bool any_place = false;
  for (const int j : joints_) any_place = any_place || pose.has_t[j] != 0;
  if (!due.root || !any_place) return;
  auto& places = Open(time_code_s, 3 * joints_.size(), out.pose[wire::kTranslations]);
  for (const int j : joints_) {
    Add(pose.has_t[j] != 0 ? pose.translation(j) : rig_->rest().translation(j), places);
  }
}

// VMC's camera faces along its Z, a stream's along its -Z.
void VmcSession::AddCamera(double time_code_s, double now_s, wire::DataChunk& out) {
  const auto& camera = motion_.performer().camera();
  if (!camera || now_s - camera->at_s > kCameraStale_s || camera->at_s <= last_camera_s_) return;
  last_camera_s_ = camera->at_s;
  Add(camera->pose.at, Open(time_code_s, 3, out.camera[wire::kCameraPosition]));
  Add(skel::Mul(camera->pose.turn, {0, 0, 1, 0}),
      Open(time_code_s, 4, out.camera[wire::kCameraRotation]));
  out.camera[wire::kFocalLength] = {
      1, {time_code_s}, {kPictureHeight_mm / (2 * std::tan(camera->fov_deg * kHalfDegree))}};
}

void VmcSession::AddModel(wire::DataChunk& out) const {
  const std::string& title = motion_.performer().model_title();
  if (title.empty()) return;
  google::protobuf::StringValue value;
  value.set_value(title);
  google::protobuf::Any any;
  any.PackFrom(value);
  out.metadata.push_back({"vmc_model", any.SerializeAsString()});
}

// Repeats states, as performers of VMC do, for pulls that begin later.
void VmcSession::AddExtras(double now_s, wire::DataChunk& out) {
  const bool all = now_s >= next_extras_s_;
  if (all) next_extras_s_ = now_s + kExtrasPeriod_s;
  for (const std::string& bundle : extras_.Next(all, now_s)) {
    out.metadata.push_back(wire::VmcEntry(settings_.extras_source, extras_sent_++, bundle));
  }
}

void VmcSession::TurnEyes(double now_s) {
  const vmc::Performer& p = motion_.performer();
  const auto& eye = p.eye_target();
  const bool own = p.eye_shapes_moved() || p.bone(vmc::IndexOf(skel::HumanBone::kLeftEye)).known ||
                   p.bone(vmc::IndexOf(skel::HumanBone::kRightEye)).known;
  if (!eye || !eye->enabled || now_s - eye->at_s > kEyeTargetStale_s || own) return;
  skel::Vec3 target = eye->target;
  if (settings_.users.eye_target_in_world) {
    const skel::Placement head = skel::PlaceOf(*rig_, pose_.view(), head_joint_);
    target = skel::Rotate(skel::Conjugate(head.turn), target - head.at);
  }
  vmc::ArkitWeights weights{};
  vmc::LookAt(target, weights);
  for (int s = skel::kArkitEyeLookDownLeft; s <= skel::kArkitEyeLookUpRight; ++s) {
    const absl::string_view name = vmc::ArkitNames()[static_cast<size_t>(s)];
    const int shape = absl::StartsWith(name, "EyeLook") ? rig_->FindShape(name) : -1;
    if (shape >= 0) pose_.span().SetWeight(shape, weights[static_cast<size_t>(s)]);
  }
}

void VmcSession::TellUsers(double now_s) {
  if (now_s < next_users_s_) return;
  const skel::Placement head = skel::PlaceOf(*rig_, pose_.view(), head_joint_);
  for (const VmcUser& user : users_.At(motion_.performer(), head, now_s)) output_->User(user);
  for (const VmcProp& prop : users_.PropsAt(motion_.performer(), now_s)) output_->Prop(prop);
  next_users_s_ = now_s + kUserPeriod_s;
}

}  // namespace posewire::a2f_source
