// Consumer that drives receivers of Live Link Face, such as Unreal, with a pull.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_LIVELINK_LIVELINK_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_LIVELINK_LIVELINK_CONSUMER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/livelink/face_writer.h"
#include "libs/livelink/packet.h"
#include "libs/service/logger.h"
#include "services/renderer_sink/drive/drive_consumer.h"

namespace posewire::renderer_sink {

struct LivelinkSinkConfig {
  std::vector<std::string> to = {"127.0.0.1:11111"};
  double send_hz = 60;
  std::string subject = "Posewire";
  livelink::FaceWriterSettings face = {};
};

// Each frame is a datagram with the time of day, as a phone sends it. Without frames, the datagram
// has no face. A stream that has shapes and no joints is a face without a head. One thread.
class LivelinkConsumer : public DriveConsumer {
 public:
  // INVALID_ARGUMENT for settings out of range; the errors of the sockets.
  static absl::StatusOr<std::unique_ptr<LivelinkConsumer>> Create(const LivelinkSinkConfig& config,
                                                                  service::Logger log);

 private:
  LivelinkConsumer(const LivelinkSinkConfig& config, skel::RigCatalog catalog, service::Logger log);
  absl::Status UseRig(const std::shared_ptr<const skel::Rig>& rig) override;
  bool IsFrame(const wire::DataChunk& data) const override {
    return !data.pose[wire::kRotations].empty() || !data.pose[wire::kWeights].empty();
  }
  absl::Status SendFrame(double now_s) override;
  absl::Status SendNothing(double now_s) override;
  void Send(double now_s);

  const livelink::FaceWriterSettings face_;
  const livelink::FrameTime rate_;  // of which only the rate is used
  std::optional<livelink::FaceWriter> writer_;
  std::optional<double> midnight_s_;  // in the run's clock
  livelink::Packet packet_;
  std::string bytes_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_LIVELINK_LIVELINK_CONSUMER_H_
