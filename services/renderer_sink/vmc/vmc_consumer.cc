#include "services/renderer_sink/vmc/vmc_consumer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/files/read.h"
#include "libs/names/known_names.h"
#include "libs/service/access/token_table.h"
#include "libs/service/address.h"
#include "libs/shapes/shape_set.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/extras.h"
#include "libs/vmc/messages.h"
#include "libs/vmc/time_tag.h"
#include "libs/wire/vmc_entry.h"
#include "services/renderer_sink/core/hex_color.h"

namespace posewire::renderer_sink {
namespace {

using Presets = vmc::PoseWriterSettings::Presets;

// Picture height of full-frame film, to which focal lengths in streams refer.
constexpr float kPictureHeight_mm = 24;
constexpr int kMarionettePort = 39539, kPerformerPort = 39540;
constexpr uint64_t kMostVrm_bytes = uint64_t{1} << 30;
constexpr size_t kMostExtras = 64;     // datagrams that wait for a frame
constexpr double kDevicesStale_s = 1;  // after which the virtual trackers return
constexpr double kSaidStale_s = 4;     // states are repeated every 1.5 s
constexpr float kDegree = 3.14159265358979f / 180;

absl::Status CheckBone(absl::string_view text) {
  if (vmc::FindBone(text) >= 0) return absl::OkStatus();
  const std::vector<std::string> bones(vmc::BoneNames().begin(), vmc::BoneNames().end());
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no bone of Unity's HumanBodyBones", KnownNames(text, bones)));
}

absl::StatusOr<skel::Vec3> ReadColor(absl::string_view text) {
  if (const auto color = ParseHexColor(text)) return *color;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not of the form #rrggbb, as in #00ff00"));
}

absl::Status CheckColor(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : ReadColor(text).status();
}

// Returns true if other machines can call this address: not for wildcards and loopback.
bool MayBeCalled(const std::string& host) {
  return host != "0.0.0.0" && host != "::" && !service::IsLoopback({host, 1, ""});
}

// Whether an assistant may send it to a performer.
bool FitsAssistant(const vmc::Message& message) {
  const auto* device = std::get_if<vmc::DevicePose>(&message);
  return (device != nullptr && !device->local) || std::holds_alternative<vmc::MidiValue>(message) ||
         std::holds_alternative<vmc::Light>(message) ||
         std::holds_alternative<vmc::Through>(message);
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
  flags.Add("vrm", &vrm,
            "Tell receivers that this VRM file is loaded: its path, its name as the title, its "
            "SHA-256. They may open it if they can.",
            {.value_name = "FILE"});
  flags.Add("option", &option, "Text that is sent as /VMC/Ext/Opt.");
  flags.Add("color", &color, "Colour that receivers are told for their background, #rrggbb.",
            {.value_name = "COLOUR", .check = CheckColor});
  flags.Add("assistant", &assistant,
            "Send face, gaze, camera and devices to somebody else's performer, at port 39540.");
  flags.Add(
      "time-tags", &time_tags,
      "Bundles say when they were sent, for receivers whose clock agrees with this machine's.");
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
  s.shape_set = posewire::shapes::FindSet(shapes);
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
  absl::Status added =
      consumer->AddReceivers(config.to, config.assistant ? kPerformerPort : kMarionettePort);
  if (!added.ok()) return added;
  if (!config.color.empty()) {
    const auto color = ReadColor(config.color);
    if (!color.ok()) return color.status();
    consumer->color_ = {color->x, color->y, color->z, 1};
  }
  if (!config.vrm.empty()) {
    auto bytes = files::ReadWhole(config.vrm, kMostVrm_bytes);
    if (!bytes.ok()) return bytes.status();
    consumer->vrm_path_ = std::filesystem::absolute(config.vrm).string();
    consumer->vrm_title_ = std::filesystem::path(config.vrm).stem().string();
    const stream::TokenHash hash = service::HashOf(*bytes);
    consumer->vrm_hash_ =
        absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
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
    : DriveConsumer(config.send_hz, /*face_rig=*/"", std::move(catalog), std::move(log)),
      config_(config),
      writer_settings_(writer),
      buffer_(service::kMaxUdpBytes),
      packer_(static_cast<size_t>(config.datagram_bytes)),
      vrm_title_(config.title),
      extras_(static_cast<size_t>(config.datagram_bytes)) {}

absl::Status VmcConsumer::UseRig(const std::shared_ptr<const skel::Rig>& rig) {
  auto vrm = catalog().Find("vrm");
  if (!vrm.ok()) return vrm.status();
  auto writer = vmc::PoseWriter::Make(*vrm, rig, writer_settings_);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  return absl::OkStatus();
}

// Messages that were VMC's before they came into the stream are sent as they were.
void VmcConsumer::LookForExtras(const wire::DataChunk& data) {
  for (const wire::MetadataEntry& entry : data.metadata) {
    const auto bundle = wire::VmcBundleIn(entry);
    if (!bundle) continue;
    extras_reader_.Read(*bundle, [this](const vmc::Message& m) { TakeExtra(m); });
  }
}

void VmcConsumer::TakeExtra(const vmc::Message& message) {
  if (!vmc::IsExtra(message)) {
    if (!std::exchange(told_no_extra_, true)) {
      log().Warning(
          "a message in the stream's metadata is not sent on: it is not one of those that a "
          "stream has no field for",
          {{"message", vmc::AddressOf(message)}});
    }
    return;
  }
  if (config_.assistant && !FitsAssistant(message)) return;
  if (const auto* ok = std::get_if<vmc::Ok>(&message)) {
    performer_ok_ = *ok;
    said_now_ = true;
    return;
  }
  if (const auto* vrm = std::get_if<vmc::VrmFile>(&message)) {
    if (!config_.vrm.empty()) return;
    remote_ = false;
    said_now_ = true;
    // Who pushes the stream names no file of the receivers' machines.
    vrm_path_ = std::string(vmc::NameInPath(vrm->path));
    vrm_title_ = std::string(vrm->title);
    vrm_hash_ = std::string(vrm->hash.value_or(""));
    return;
  }
  if (std::holds_alternative<vmc::RemoteAvatar>(message)) {
    if (!config_.vrm.empty()) return;
    remote_ = AddExtra(message);
    said_now_ = true;
    return;
  }
  if (const auto* file = std::get_if<vmc::ConfigFile>(&message)) {
    AddExtra(vmc::ConfigFile{vmc::NameInPath(file->path)});
    return;
  }
  if (std::holds_alternative<vmc::OptionText>(message) && !config_.option.empty()) return;
  if (std::holds_alternative<vmc::BackgroundColor>(message) && color_) return;
  devices_now_ = devices_now_ || std::holds_alternative<vmc::DevicePose>(message);
  AddExtra(message);
}

bool VmcConsumer::AddExtra(const vmc::Message& message) {
  const bool full = extras_.Datagrams().size() >= kMostExtras;
  if (full) extras_.Clear();
  TagNow(extras_);
  const absl::Status added = extras_.Add(message);
  if ((added.ok() && !full) || std::exchange(told_left_out_, true)) return added.ok();
  log().Warning("messages of the stream's performer are left out",
                {{"why", full ? "no frame comes that they could go with" : added.message()}});
  return added.ok();
}

void VmcConsumer::Look(const wire::DataChunk& data) {
  LookForExtras(data);
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
  if (std::exchange(devices_now_, false)) devices_at_s_ = now_s;
  if (std::exchange(said_now_, false)) said_at_s_ = now_s;
  if (said_at_s_ && now_s - *said_at_s_ > kSaidStale_s) ForgetPerformer();
  rests_ = false;
  const vmc::SendSchedule::Due due = schedule_.Next();
  vmc::FrameParts parts;
  parts.time_s = SinceFirst(now_s);
  parts.status = due.status && !config_.assistant;
  parts.root = due.root && !config_.assistant;
  parts.bones = due.bones && !config_.assistant;
  parts.shapes = due.shapes;
  parts.eye_target = due.shapes && config_.assistant;
  // The stream's own devices take the place of those that are made from bones.
  parts.devices = due.devices && !(devices_at_s_ && now_s - *devices_at_s_ < kDevicesStale_s);
  parts.performer = performer_ok_;
  if (due.camera) parts.camera = camera_;
  packer_.Clear();
  TagNow(packer_);
  if (due.seldom && !config_.assistant) {
    if (absl::Status s = WriteSeldom(); !s.ok()) return s;
    packer_.Break();
  }
  if (absl::Status s = writer_->Write(pose(), parts, packer_); !s.ok()) return s;
  SendPacked(packer_);
  SendPacked(extras_);
  extras_.Clear();
  return absl::OkStatus();
}

// The stream's performer has gone: neither their state nor their model outlives them.
void VmcConsumer::ForgetPerformer() {
  said_at_s_.reset();
  performer_ok_ = vmc::FrameParts().performer;
  remote_ = false;
  if (!config_.vrm.empty()) return;
  vrm_path_.clear();
  vrm_hash_.clear();
  vrm_title_ = config_.title;
}

// Some receivers wait for the model.
absl::Status VmcConsumer::WriteSeldom() {
  vmc::VrmFile vrm{vrm_path_, vrm_title_, std::nullopt};
  if (!vrm_hash_.empty()) vrm.hash = vrm_hash_;
  absl::Status status;
  if (!remote_) status = packer_.Add(vrm);
  vmc::Receives receives{performer_ ? 1 : 0, performer_ ? performer_->port() : 0, std::nullopt};
  if (performer_ && MayBeCalled(config_.performer_host)) receives.ip = config_.performer_host;
  status.Update(packer_.Add(receives));
  if (!config_.option.empty()) status.Update(packer_.Add(vmc::OptionText{config_.option}));
  if (color_) status.Update(packer_.Add(vmc::BackgroundColor{*color_}));
  return status;
}

absl::Status VmcConsumer::SendNothing(double now_s) {
  if (config_.assistant) return SendRest();
  vmc::FrameParts parts;
  parts.time_s = SinceFirst(now_s);
  parts.loaded = false;
  parts.root = parts.bones = parts.shapes = parts.devices = false;
  packer_.Clear();
  TagNow(packer_);
  if (absl::Status s = writer_->Write(pose(), parts, packer_); !s.ok()) return s;
  SendPacked(packer_);
  return absl::OkStatus();
}

// The performer's own face and gaze return.
absl::Status VmcConsumer::SendRest() {
  if (std::exchange(rests_, true)) return absl::OkStatus();
  skel::Pose rest(pose().joints, pose().shapes);
  rest.span().ClearPresence();
  for (int s = 0; s < pose().shapes; ++s) rest.span().SetWeight(s, 0);
  vmc::FrameParts parts;
  parts.status = parts.root = parts.bones = parts.devices = false;
  packer_.Clear();
  TagNow(packer_);
  absl::Status status = writer_->Write(rest.view(), parts, packer_);
  status.Update(packer_.Add(vmc::SetEye{0, {}}));
  SendPacked(packer_);
  return status;
}

void VmcConsumer::TagNow(vmc::DatagramPacker& packer) const {
  if (config_.time_tags) packer.SetTimeTag(client::UnixSeconds() + vmc::kUnixEpoch_s);
}

void VmcConsumer::HearPerformerPort() {
  if (!performer_) return;
  constexpr int kMost = 100;
  for (int i = 0; i < kMost; ++i) {
    const auto size = performer_->Receive(absl::MakeSpan(buffer_));
    if (!size) return;
    reader_.Read({buffer_.data(), *size}, [this](const vmc::Message& m) {
      schedule_.Take(m);
      if (std::holds_alternative<vmc::Through>(m)) return TakeExtra(m);
      const bool used =
          std::holds_alternative<vmc::SetPeriod>(m) || std::holds_alternative<vmc::SetRequest>(m);
      if (used || std::exchange(told_unused_, true)) return;
      log().Info("a marionette asks for what this performer does not do",
                 {{"message", vmc::AddressOf(m)}});
    });
  }
}

void VmcConsumer::SendPacked(const vmc::DatagramPacker& packer) {
  for (const std::string& datagram : packer.Datagrams()) SendToAll(datagram);
}

}  // namespace posewire::renderer_sink
