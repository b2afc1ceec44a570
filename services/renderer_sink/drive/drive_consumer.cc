#include "services/renderer_sink/drive/drive_consumer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/rig_map.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kSilence_s = 1;
// A frame that comes this much early, by jitter, still counts as in time.
constexpr double kEarly = 0.4;

}  // namespace

DriveConsumer::DriveConsumer(double send_hz, absl::string_view face_rig, skel::RigCatalog catalog,
                             service::Logger log)
    : period_s_(1 / send_hz),
      face_rig_(face_rig),
      catalog_(std::move(catalog)),
      log_(std::move(log)) {}

absl::Status DriveConsumer::AddReceivers(absl::Span<const std::string> addresses,
                                         int default_port) {
  for (const std::string& address : addresses) {
    auto sender = service::UdpSender::To(address, default_port);
    if (!sender.ok()) return sender.status();
    senders_.push_back(*std::move(sender));
  }
  return absl::OkStatus();
}

void DriveConsumer::SendToAll(absl::string_view datagram) {
  for (service::UdpSender& sender : senders_) {
    ++counts_.datagrams;
    if (!sender.Send(datagram)) ++counts_.not_taken;
  }
}

// After a usable header, no later header ends the run.
absl::Status DriveConsumer::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) {
  absl::Status used = Use(header);
  if (used.ok() || rig_ == nullptr) return used;
  binding_.reset();
  log_.Warning("nothing is sent until a usable header arrives", {{"why", used.message()}});
  return absl::OkStatus();
}

absl::Status DriveConsumer::Use(const wire::StreamHeader& header) {
  auto rig = skel::RecognizeRig(header.joints, catalog_);
  if (rig == nullptr && header.joints.empty() && !face_rig_.empty()) {
    rig = catalog_.Find(face_rig_).value_or(nullptr);
  }
  if (rig == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the stream's ", header.joints.size(),
                     " joints match no known rig; pull it with --rig vrm"));
  }
  auto binding = wire::SourceBinding::Make(header, rig, catalog_, {.all_translations = true});
  if (!binding.ok()) return binding.status();
  if (absl::Status used = UseRig(rig); !used.ok()) return used;
  rig_ = std::move(rig);
  binding_ = *std::move(binding);
  pose_ = skel::Pose(rig_->joints(), rig_->shapes());
  pose_.span().ClearPresence();
  for (std::vector<float>& values : newest_) values.clear();
  return absl::OkStatus();
}

// A track that a message leaves out stays as it was.
void DriveConsumer::TakeFrame(const wire::DataChunk& data) {
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
}

absl::Status DriveConsumer::OnData(const wire::DataChunk& data, const wire::MessageBytes&,
                                   double receive_s) {
  if (!binding_) return absl::OkStatus();
  TakeFrame(data);
  Look(data);
  if (!IsFrame(data)) return absl::OkStatus();
  last_frame_s_ = receive_s;
  if (receive_s < next_send_s_ - kEarly * period_s_) {
    ++counts_.left_out;
    return absl::OkStatus();
  }
  next_send_s_ = std::max(next_send_s_ + period_s_, receive_s);
  if (!first_s_) first_s_ = receive_s;
  if (absl::Status sent = SendFrame(receive_s); !sent.ok()) return sent;
  ++counts_.frames;
  return absl::OkStatus();
}

absl::Status DriveConsumer::Tick(double now_s) {
  if (!last_frame_s_ || now_s - *last_frame_s_ < kSilence_s || now_s < next_nothing_s_) {
    return absl::OkStatus();
  }
  next_nothing_s_ = now_s + kSilence_s;
  return SendNothing(now_s);
}

absl::Status DriveConsumer::Close() {
  log_.Info("sent", {{"frames", counts_.frames},
                     {"left_out", counts_.left_out},
                     {"datagrams", counts_.datagrams},
                     {"not_taken", counts_.not_taken}});
  return rig_ == nullptr ? absl::OkStatus() : SendNothing(last_frame_s_.value_or(0));
}

}  // namespace posewire::renderer_sink
