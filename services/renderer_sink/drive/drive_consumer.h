// Consumer that drives other programs with the poses of a pull, by UDP. A protocol derives from it.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONSUMER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/service/logger.h"
#include "libs/service/udp_socket.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "libs/wire/source_binding.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Frames of one pull to all receivers, at most `send_hz` per second; further frames are dropped.
// After a second without frames, and at the end, receivers are told that there is nothing. One
// thread.
class DriveConsumer : public Consumer {
 public:
  // FAILED_PRECONDITION for joints of an unknown rig, unless an earlier header was usable: then
  // frames are dropped until there is a usable one again.
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

  struct Counts {
    uint64_t frames = 0;     // sent
    uint64_t left_out = 0;   // arrived faster than send_hz
    uint64_t datagrams = 0;  // to all receivers together
    uint64_t not_taken = 0;  // rejected by the system, mostly because no process listens there
  };
  const Counts& counts() const { return counts_; }

 protected:
  // `face_rig`: the rig of streams that have shapes and no joints; empty if these are not usable.
  DriveConsumer(double send_hz, absl::string_view face_rig, skel::RigCatalog catalog,
                service::Logger log);

  // Errors: those of UdpSender::To. An address without a port gets `default_port`.
  absl::Status AddReceivers(absl::Span<const std::string> addresses, int default_port);
  void SendToAll(absl::string_view datagram);

  // Prepares for poses of another rig. On an error, nothing changes.
  virtual absl::Status UseRig(const std::shared_ptr<const skel::Rig>& rig) = 0;
  // Whether the message is a frame to send, and not, say, only a voice.
  virtual bool IsFrame(const wire::DataChunk& data) const = 0;
  // Called for each message of a usable stream, before the frame is sent.
  virtual void Look(const wire::DataChunk&) {}
  // Sends pose(), or that there is nothing.
  virtual absl::Status SendFrame(double now_s) = 0;
  virtual absl::Status SendNothing(double now_s) = 0;

  const skel::RigCatalog& catalog() const { return catalog_; }
  const service::Logger& log() const { return log_; }
  skel::PoseView pose() const { return pose_.view(); }
  // Seconds since the first frame; 0 before it.
  double SinceFirst(double now_s) const { return now_s - first_s_.value_or(now_s); }

 private:
  absl::Status Use(const wire::StreamHeader& header);
  void TakeFrame(const wire::DataChunk& data);

  const double period_s_;
  const std::string face_rig_;
  const skel::RigCatalog catalog_;
  service::Logger log_;
  std::vector<service::UdpSender> senders_;

  std::shared_ptr<const skel::Rig> rig_;        // of the pull
  std::optional<wire::SourceBinding> binding_;  // from the header's names to it
  std::vector<float> newest_[wire::kPoseTracks];
  skel::Pose pose_;
  std::optional<double> first_s_, last_frame_s_;
  double next_send_s_ = 0, next_nothing_s_ = 0;
  Counts counts_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONSUMER_H_
