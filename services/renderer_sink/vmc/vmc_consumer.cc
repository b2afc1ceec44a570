#include "services/renderer_sink/vmc/vmc_consumer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/service/address.h"
#include "libs/vmc/bones.h"

namespace posewire::renderer_sink {
namespace {

using Presets = vmc::PoseWriterSettings::Presets;

// Picture height of full-frame film, to which focal lengths in streams refer.
constexpr float kPictureHeight_mm = 24;
constexpr int kMarionettePort = 39539;
constexpr float kDegree = 3.14159265358979f / 180;

absl::Status CheckBone(absl::string_view text) {
  if (vmc::FindBone(text) >= 0) return absl::OkStatus();
  const std::vector<std::string> bones(vmc::BoneNames().begin(), vmc::BoneNames().end());
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no bone of Unity's HumanBodyBones", KnownNames(text, bones)));
}

}  // namespace

void VmcSinkConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"vmc"});
  flags.Group("VMC");
  flags.Add("performer", &performer,
            "Port on which marionettes reach this performer (39540), with rates and requests; none "
            "unless given.",
            {.value_name = "PORT", .check = service::CheckOptionalPort});
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
  absl::Status added = consumer->AddReceivers(config.to, kMarionettePort);
  if (!added.ok()) return added;
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
    : DriveConsumer(config.send_hz, /*face_rig=*/"", std::move(catalog), std::move(log)),
      config_(config),
      writer_settings_(writer),
      buffer_(service::kMaxUdpBytes),
      packer_(static_cast<size_t>(config.datagram_bytes)) {}

absl::Status VmcConsumer::UseRig(const std::shared_ptr<const skel::Rig>& rig) {
  auto vrm = catalog().Find("vrm");
  if (!vrm.ok()) return vrm.status();
  auto writer = vmc::PoseWriter::Make(*vrm, rig, writer_settings_);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  return absl::OkStatus();
}

void VmcConsumer::Look(const wire::DataChunk& data) {
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

absl::Status VmcConsumer::SendFrame(double now_s) {
  HearPerformerPort();
  const vmc::SendSchedule::Due due = schedule_.Next();
  vmc::FrameParts parts;
  parts.time_s = SinceFirst(now_s);
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
  if (absl::Status s = writer_->Write(pose(), parts, packer_); !s.ok()) return s;
  SendPacked();
  return absl::OkStatus();
}

absl::Status VmcConsumer::SendNothing(double now_s) {
  vmc::FrameParts parts;
  parts.time_s = SinceFirst(now_s);
  parts.loaded = false;
  parts.root = parts.bones = parts.shapes = parts.devices = false;
  packer_.Clear();
  if (absl::Status s = writer_->Write(pose(), parts, packer_); !s.ok()) return s;
  SendPacked();
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

void VmcConsumer::SendPacked() {
  for (const std::string& datagram : packer_.Datagrams()) SendToAll(datagram);
}

}  // namespace posewire::renderer_sink
