#include "services/renderer_sink/livelink/livelink_consumer.h"

#include <cmath>
#include <ctime>
#include <utility>

#include "libs/client/connection.h"
#include "libs/client/uuid.h"

namespace posewire::renderer_sink {
namespace {

// The rig of streams without joints.
constexpr char kFaceRig[] = "hanim_loa3";

livelink::FrameTime RateOf(double hz) {
  const auto whole = static_cast<int32_t>(std::lround(hz));
  if (std::fabs(hz - whole) < 1e-9) return {.rate_num = whole, .rate_den = 1};
  return {.rate_num = static_cast<int32_t>(std::lround(1000 * hz)), .rate_den = 1000};
}

// Seconds since midnight where the machine is.
double SecondsOfDay() {
  const double now_s = client::UnixSeconds();
  const auto whole = static_cast<std::time_t>(std::floor(now_s));
  std::tm local{};
  localtime_r(&whole, &local);
  return local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec +
         (now_s - static_cast<double>(whole));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LivelinkConsumer>> LivelinkConsumer::Create(
    const LivelinkSinkConfig& config, service::Logger log) {
  absl::Status named = livelink::CheckName("subject", config.subject);
  if (!named.ok()) return named;
  auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  std::unique_ptr<LivelinkConsumer> consumer(
      new LivelinkConsumer(config, *std::move(catalog), std::move(log)));
  absl::Status added = consumer->AddReceivers(config.to, livelink::kDefaultPort);
  if (!added.ok()) return added;
  return consumer;
}

LivelinkConsumer::LivelinkConsumer(const LivelinkSinkConfig& config, skel::RigCatalog catalog,
                                   service::Logger log)
    : DriveConsumer(config.send_hz, kFaceRig, std::move(catalog), std::move(log)),
      face_(config.face),
      rate_(RateOf(config.send_hz)) {
  packet_.device_id = client::MakeUuid();
  packet_.subject = config.subject;
}

absl::Status LivelinkConsumer::UseRig(const std::shared_ptr<const skel::Rig>& rig) {
  auto vrm = catalog().Find("vrm");
  if (!vrm.ok()) return vrm.status();
  auto writer = livelink::FaceWriter::Make(*vrm, rig, face_);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  return absl::OkStatus();
}

absl::Status LivelinkConsumer::SendFrame(double now_s) {
  if (absl::Status s = writer_->Write(pose(), packet_.curves); !s.ok()) return s;
  packet_.has_face = true;
  Send(now_s);
  return absl::OkStatus();
}

absl::Status LivelinkConsumer::SendNothing(double now_s) {
  packet_.has_face = false;
  Send(now_s);
  return absl::OkStatus();
}

void LivelinkConsumer::Send(double now_s) {
  if (!midnight_s_) midnight_s_ = now_s - SecondsOfDay();
  packet_.time = livelink::FrameTimeAt(now_s - *midnight_s_, rate_.rate_num, rate_.rate_den);
  livelink::WritePacket(packet_, bytes_);
  SendToAll(bytes_);
}

}  // namespace posewire::renderer_sink
