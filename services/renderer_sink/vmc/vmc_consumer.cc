#include "services/renderer_sink/vmc/vmc_consumer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/skel/rig_map.h"
#include "libs/vmc/bones.h"

namespace posewire::renderer_sink {
namespace {

using Presets = vmc::PoseWriterSettings::Presets;

constexpr double kSilence_s = 1;
// Picture height of full-frame film, to which focal lengths in streams refer.
constexpr float kPictureHeight_mm = 24;
constexpr float kDegree = 3.14159265358979f / 180;
// A frame that comes this much early, by jitter, still counts as in time.
constexpr double kEarly = 0.4;

absl::Status CheckPort(absl::string_view text) {
  int port = 0;
  if (text.empty() || (absl::SimpleAtoi(text, &port) && port >= 0 && port <= 65535)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no port from 0 to 65535"));
}

absl::Status CheckBone(absl::string_view text) {
  if (vmc::FindBone(text) >= 0) return absl::OkStatus();
  const std::vector<std::string> bones(vmc::BoneNames().begin(), vmc::BoneNames().end());
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no bone of Unity's HumanBodyBones", KnownNames(text, bones)));
}

// Uses VMC's own port by default, where most marionettes listen.
std::string WithPort(const std::string& to) {
  const bool bare = to.find(':') == std::string::npos || to.back() == ']';
  return bare ? absl::StrCat(to, ":39539") : to;
}

}  // namespace

void VmcSinkConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"vmc"});
  flags.Group("VMC");
  flags.Add("send-hz", &send_hz, "Frames a second that are sent at most.", {.min = 1, .max = 240});
  flags.Add("performer", &performer,
            "Port on which marionettes reach this performer (39540), with rates and requests; none "
            "unless given.",
            {.value_name = "PORT", .check = CheckPort});
  flags.Add("performer-host", &performer_host,
            "Address of that port; beyond loopback with --allow-plaintext.");
  flags.Add("presets", &presets, "Also send presets, for avatars without ARKit shapes.",
            {.choices = {"none", "vrm0", "vrm1", "both"}});
  flags.Add("arkit", &arkit, "Send the 52 ARKit shapes.");
  flags.Add("trackers", &trackers, "Send six virtual trackers.");
  flags.Add("root-scale", &root_scale, "Send the root with scale and offset.");
  flags.Add("hips-height", &hips_height_m,
            "Height of the receiver's hips in its T-pose, metres; 0: as in the rig vrm.",
            {.min = 0, .max = 100});
  flags.Add("mouth-close-jaw", &mouth_close_jaw,
            "How much of jawOpen the stream's mouthClose holds; 0 for ARKit's own.",
            {.min = 0, .max = 1});
  flags.Add("missing-bone", &missing_bones, "A bone that the receiver's avatar lacks.",
            {.value_name = "BONE", .check = CheckBone});
  flags.Add("title", &title, "Name of the model that is sent to receivers.");
  flags.Add("datagram-bytes", &datagram_bytes, "Largest datagram that is sent.",
            {.min = 256, .max = 65000});
}

absl::StatusOr<vmc::PoseWriterSettings> VmcSinkConfig::Writer() const {
  vmc::PoseWriterSettings s;
  s.arkit = arkit;
  s.presets = presets == "none"   ? Presets::kNone
              : presets == "vrm1" ? Presets::kVrm1
              : presets == "both" ? Presets::kBoth
                                  : Presets::kVrm0;
  s.receiver_hips_height_m = static_cast<float>(hips_height_m);
  s.mouth_close_jaw = static_cast<float>(mouth_close_jaw);
  s.trackers = trackers;
  s.root_with_scale = root_scale;
  for (const std::string& name : missing_bones) {
    if (absl::Status bad = CheckBone(name); !bad.ok()) return bad;
    s.missing_bones.set(static_cast<size_t>(vmc::FindBone(name)));
  }
  return s;
}

absl::StatusOr<std::unique_ptr<VmcConsumer>> VmcConsumer::Create(const VmcSinkConfig& config,
                                                                 bool allow_plaintext,
                                                                 service::Logger log) {
  auto settings = config.Writer();
  if (!settings.ok()) return settings.status();
  auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  std::unique_ptr<VmcConsumer> consumer(
      new VmcConsumer(config, *settings, *std::move(catalog), std::move(log)));
  for (const std::string& address : config.to) {
    auto sender = service::UdpSender::To(WithPort(address));
    if (!sender.ok()) return sender.status();
    consumer->senders_.push_back(*std::move(sender));
  }
  if (config.performer.empty()) return consumer;
  const bool v6 = config.performer_host.find(':') != std::string::npos;
  const std::string host =
      v6 ? absl::StrCat("[", config.performer_host, "]") : config.performer_host;
  auto performer =
      service::UdpReceiver::Bind(absl::StrCat(host, ":", config.performer), allow_plaintext);
  if (!performer.ok()) return performer.status();
  consumer->performer_ = *std::move(performer);
  std::printf("{\"performer_port\": %d}\n", consumer->performer_->port());
  std::fflush(stdout);
  return consumer;
}

VmcConsumer::VmcConsumer(const VmcSinkConfig& config, const vmc::PoseWriterSettings& writer,
                         skel::RigCatalog catalog, service::Logger log)
    : config_(config),
      writer_settings_(writer),
      catalog_(std::move(catalog)),
      log_(std::move(log)),
      buffer_(service::kMaxUdpBytes),
      packer_(static_cast<size_t>(config.datagram_bytes)) {}

// After a usable header, no later header ends the run.
absl::Status VmcConsumer::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) {
  absl::Status used = Use(header);
  if (used.ok() || !writer_) return used;
  binding_.reset();
  log_.Warning("nothing is sent until a usable header arrives", {{"why", used.message()}});
  return absl::OkStatus();
}

absl::Status VmcConsumer::Use(const wire::StreamHeader& header) {
  auto rig = skel::RecognizeRig(header.joints, catalog_);
  if (rig == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the stream's ", header.joints.size(),
                     " joints match no known rig; pull it with --rig vrm"));
  }
  auto binding = wire::SourceBinding::Make(header, rig, catalog_, {.all_translations = true});
  if (!binding.ok()) return binding.status();
  auto vrm = catalog_.Find("vrm");
  if (!vrm.ok()) return vrm.status();
  auto writer = vmc::PoseWriter::Make(*vrm, rig, writer_settings_);
  if (!writer.ok()) return writer.status();
  rig_ = std::move(rig);
  binding_ = *std::move(binding);
  writer_ = *std::move(writer);
  pose_ = skel::Pose(rig_->joints(), rig_->shapes());
  pose_.span().ClearPresence();
  for (std::vector<float>& values : newest_) values.clear();
  return absl::OkStatus();
}

// A track that a message leaves out stays as it was.
void VmcConsumer::TakeFrame(const wire::DataChunk& data) {
  wire::SourceBinding::Sample sample;
  for (size_t track = 0; track < wire::kPoseTracks; ++track) {
    const wire::KeyBlock& keys = data.pose[track];
    if (!keys.empty()) {
      const auto last = keys.key(keys.time_codes_s.size() - 1);
      newest_[track].assign(last.begin(), last.end());
    }
    sample.track[track] = newest_[track];
  }
  binding_->Apply(sample, pose_.span());
  const wire::KeyBlock& position = data.camera[wire::kCameraPosition];
  const wire::KeyBlock& rotation = data.camera[wire::kCameraRotation];
  const wire::KeyBlock& focal_length = data.camera[wire::kFocalLength];
  if (position.empty() || rotation.empty()) return;
  if (!camera_) camera_.emplace();
  const float* const p = &position.values[position.values.size() - 3];
  const float* const q = &rotation.values[rotation.values.size() - 4];
  camera_->pose.at = {p[0], p[1], p[2]};
  // A stream's camera faces along its -Z, VMC's along its Z.
  camera_->pose.turn = skel::Mul(skel::Quat{q[0], q[1], q[2], q[3]}, {0, 0, 1, 0});
  if (focal_length.empty()) return;
  const float focal_mm = focal_length.values.back();
  if (!(focal_mm > 0)) return;
  camera_->fov_deg = 2 * std::atan(kPictureHeight_mm / (2 * focal_mm)) / kDegree;
}

absl::Status VmcConsumer::OnData(const wire::DataChunk& data, const wire::MessageBytes&,
                                 double receive_s) {
  if (!binding_) return absl::OkStatus();
  TakeFrame(data);
  if (data.pose[wire::kRotations].empty()) return absl::OkStatus();
  last_frame_s_ = receive_s;
  const double period_s = 1 / config_.send_hz;
  if (receive_s < next_send_s_ - kEarly * period_s) {
    ++counts_.left_out;
    return absl::OkStatus();
  }
  next_send_s_ = std::max(next_send_s_ + period_s, receive_s);
  return SendFrame(receive_s);
}

absl::Status VmcConsumer::SendFrame(double now_s) {
  HearPerformerPort();
  if (!first_s_) first_s_ = now_s;
  const vmc::SendSchedule::Due due = schedule_.Next();
  vmc::FrameParts parts;
  parts.time_s = now_s - *first_s_;
  parts.status = due.status;
  parts.root = due.root;
  parts.bones = due.bones;
  parts.shapes = due.shapes;
  parts.devices = due.devices;
  if (due.camera) parts.camera = camera_;
  packer_.Clear();
  if (due.seldom) {
    if (absl::Status s = writer_->WriteSeldom(config_.title, packer_); !s.ok()) return s;
    packer_.Break();
  }
  if (absl::Status s = writer_->Write(pose_.view(), parts, packer_); !s.ok()) return s;
  SendAll();
  ++counts_.frames;
  return absl::OkStatus();
}

absl::Status VmcConsumer::SendNothingLoaded(double now_s) {
  if (!writer_) return absl::OkStatus();
  vmc::FrameParts parts;
  parts.time_s = now_s - first_s_.value_or(now_s);
  parts.loaded = false;
  parts.root = parts.bones = parts.shapes = parts.devices = false;
  packer_.Clear();
  if (absl::Status s = writer_->Write(pose_.view(), parts, packer_); !s.ok()) return s;
  SendAll();
  return absl::OkStatus();
}

void VmcConsumer::HearPerformerPort() {
  if (!performer_) return;
  constexpr int kMost = 100;
  for (int i = 0; i < kMost; ++i) {
    const auto size = performer_->Receive(absl::MakeSpan(buffer_));
    if (!size) return;
    reader_.Read({buffer_.data(), *size}, [this](const vmc::Message& m) { schedule_.Take(m); });
  }
}

void VmcConsumer::SendAll() {
  for (const std::string& datagram : packer_.Datagrams()) {
    for (service::UdpSender& sender : senders_) {
      ++counts_.datagrams;
      if (!sender.Send(datagram)) ++counts_.not_taken;
    }
  }
}

absl::Status VmcConsumer::Tick(double now_s) {
  if (!last_frame_s_ || now_s - *last_frame_s_ < kSilence_s || now_s < next_nothing_s_) {
    return absl::OkStatus();
  }
  next_nothing_s_ = now_s + kSilence_s;
  return SendNothingLoaded(now_s);
}

absl::Status VmcConsumer::Close() {
  log_.Info("sent", {{"frames", counts_.frames},
                     {"left_out", counts_.left_out},
                     {"datagrams", counts_.datagrams},
                     {"not_taken", counts_.not_taken}});
  return SendNothingLoaded(last_frame_s_.value_or(0));
}

}  // namespace posewire::renderer_sink
