// Consumer that drives VMC marionettes with a pull.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/flags/flags.h"
#include "libs/service/logger.h"
#include "libs/service/udp_socket.h"
#include "libs/skel/rig.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/pose_writer.h"
#include "libs/vmc/send_schedule.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "libs/wire/source_binding.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Each field is a flag, an environment variable and a config key; see --help.
struct VmcSinkConfig {
  std::vector<std::string> to = {"127.0.0.1:39539"};
  double send_hz = 60;
  std::string performer = {};  // empty: does not listen
  std::string performer_host = "127.0.0.1";
  std::string presets = "vrm0";
  bool arkit = true;
  bool trackers = true;
  bool root_scale = false;
  double hips_height_m = 0;
  double mouth_close_jaw = 1;
  std::vector<std::string> missing_bones = {};
  std::string title = "Posewire";
  int datagram_bytes = static_cast<int>(vmc::kSafeDatagramBytes);

  // Declares all flags of vmc except --to.
  void Declare(service::Flags& flags);
  // INVALID_ARGUMENT for an unknown bone.
  absl::StatusOr<vmc::PoseWriterSettings> Writer() const;
};

// Sends each frame to all receivers, at most `send_hz` per second; further frames are dropped.
// After a second without frames, and at the end, tells receivers that nothing is loaded. One
// thread.
class VmcConsumer : public Consumer {
 public:
  // Errors: those of the settings, and of the sockets. With a performer port, prints it on standard
  // output: {"performer_port": 39540}.
  static absl::StatusOr<std::unique_ptr<VmcConsumer>> Create(const VmcSinkConfig& config,
                                                             bool allow_plaintext,
                                                             service::Logger log);

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

 private:
  VmcConsumer(const VmcSinkConfig& config, const vmc::PoseWriterSettings& writer,
              skel::RigCatalog catalog, service::Logger log);
  absl::Status Use(const wire::StreamHeader& header);
  void TakeFrame(const wire::DataChunk& data);
  absl::Status SendFrame(double now_s);
  absl::Status SendNothingLoaded(double now_s);
  void HearPerformerPort();
  void SendAll();

  const VmcSinkConfig config_;
  const vmc::PoseWriterSettings writer_settings_;
  const skel::RigCatalog catalog_;
  service::Logger log_;
  std::vector<service::UdpSender> senders_;
  std::optional<service::UdpReceiver> performer_;
  std::vector<char> buffer_;
  vmc::DatagramReader reader_;
  vmc::SendSchedule schedule_;
  vmc::DatagramPacker packer_;

  std::shared_ptr<const skel::Rig> rig_;        // of the pull
  std::optional<wire::SourceBinding> binding_;  // from the header's names to it
  std::vector<float> newest_[wire::kPoseTracks];
  std::optional<vmc::PoseWriter> writer_;
  skel::Pose pose_;
  std::optional<vmc::FrameParts::View> camera_;
  std::optional<double> first_s_, last_frame_s_;
  double next_send_s_ = 0, next_nothing_s_ = 0;
  Counts counts_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_
