#include "tools/loadgen/push_message.h"

#include <cstring>
#include <utility>

#include "libs/wire/frame_writer.h"
#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {
namespace {

constexpr int kRate_hz = 16000;
constexpr int kFps = 30;
// Found nowhere else in a message.
constexpr double kCode = 1234.56789012345;
constexpr int16_t kSample = 0x5a3c;

std::string Join(const wire::EncodedFrame& frame) {
  std::string bytes;
  for (const auto& slice : frame.Whole()) {
    bytes.append(reinterpret_cast<const char*>(slice.data()), slice.size());
  }
  return bytes;
}

int64_t FirstSample(int64_t k) { return k * kRate_hz / kFps; }

}  // namespace

absl::StatusOr<PushMessage> PushMessage::Make() {
  auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  auto rig = catalog->Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  return PushMessage(*std::move(rig));
}

PushMessage::PushMessage(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {
  forms_[0] = MakeForm(*rig_, kRate_hz / kFps);
  forms_[1] = MakeForm(*rig_, kRate_hz / kFps + 1);
}

PushMessage::Form PushMessage::MakeForm(const skel::Rig& rig, size_t samples) {
  skel::Pose pose(rig.joints(), rig.shapes());
  pose.span().CopyFrom(rig.rest());
  for (int j = 1; j < rig.joints(); ++j) {
    const float angle = 0.01f * static_cast<float>(j % 20);
    pose.span().SetRotation(j, skel::FromAxisAngle({0.6f, 0, 0.8f}, angle));
  }
  for (int s = 0; s < rig.shapes(); ++s) pose.span().SetWeight(s, 0.01f * static_cast<float>(s));
  const std::vector<int16_t> audio(samples, kSample);
  wire::OutputFrame frame;
  frame.time_code_s = frame.audio_time_code_s = kCode;
  frame.pose = pose.view();
  frame.audio = audio;

  Form form;
  wire::FrameWriter writer(rig.joints(), rig.shapes());
  form.bytes = Join(writer.Write(frame));
  form.samples = static_cast<int64_t>(samples);
  char code[sizeof kCode];
  std::memcpy(code, &kCode, sizeof code);
  const std::string pattern(code, sizeof code);
  for (size_t at = 0; (at = form.bytes.find(pattern, at)) != std::string::npos; at += 8) {
    form.codes.push_back(at);
  }
  const std::string voice(reinterpret_cast<const char*>(audio.data()), 2 * samples);
  form.samples_at = form.bytes.find(voice);
  return form;
}

std::string PushMessage::Header(const std::string& stream_id, double epoch_s) const {
  wire::StreamHeader header;
  header.ids = {"load", stream_id, ""};
  header.source_service_id = "loadgen";
  header.audio_rate_hz = kRate_hz;
  header.shapes.assign(rig_->shape_names().begin(), rig_->shape_names().end());
  header.joints.assign(rig_->joint_paths().begin(), rig_->joint_paths().end());
  header.epoch_s = epoch_s;
  return Join(wire::EncodeHeader(header));
}

const std::string& PushMessage::Frame(int64_t k) {
  const int64_t first = FirstSample(k);
  const int64_t samples = FirstSample(k + 1) - first;
  Form& form = forms_[samples - forms_[0].samples];
  const double time_code_s = static_cast<double>(k) / kFps;
  for (size_t at : form.codes)
    std::memcpy(form.bytes.data() + at, &time_code_s, sizeof time_code_s);
  for (int64_t i = 0; i < samples; ++i) {
    const int16_t sample = VoiceSample(first + i);
    std::memcpy(form.bytes.data() + form.samples_at + 2 * static_cast<size_t>(i), &sample, 2);
  }
  return form.bytes;
}

}  // namespace posewire::loadgen
