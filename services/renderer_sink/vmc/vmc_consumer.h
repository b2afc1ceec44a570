// Consumer that drives VMC marionettes with a pull.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_

#include <array>
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
#include "services/renderer_sink/drive/drive_consumer.h"

namespace posewire::renderer_sink {

// Each field is a flag, an environment variable and a config key; see --help.
struct VmcSinkConfig {
  std::vector<std::string> to = {"127.0.0.1:39539"};
  double send_hz = 60;
  std::string performer = {};  // empty: does not listen
  std::string performer_host = "127.0.0.1";
  std::string presets = "vrm0";
  bool arkit = true;
  std::string shapes = {};  // a shape set instead of both; empty: none
  bool trackers = true;
  bool root_scale = false;
  double hips_height_m = 0;
  double mouth_close_jaw = 1;
  std::vector<std::string> missing_bones = {};
  std::string title = "Posewire";
  std::string vrm = {};     // empty: the stream's, or only the title
  std::string option = {};  // empty: the stream's
  std::string color = {};   // likewise, "#rrggbb"
  bool assistant = false;
  bool time_tags = false;
  int datagram_bytes = static_cast<int>(vmc::kSafeDatagramBytes);

  // Declares the flags of vmc alone: not --to, --shapes, --send-hz and
  // --mouth-close-jaw.
  void Declare(service::Flags& flags);
  // INVALID_ARGUMENT for an unknown bone, or a colour of another form.
  absl::StatusOr<vmc::PoseWriterSettings> Writer() const;
};

// One thread.
class VmcConsumer : public DriveConsumer {
 public:
  // Errors: those of the settings, and of the sockets. With a performer port, prints it on standard
  // output: {"performer_port": 39540}.
  static absl::StatusOr<std::unique_ptr<VmcConsumer>> Create(const VmcSinkConfig& config,
                                                             bool allow_plaintext,
                                                             service::Logger log);

 private:
  VmcConsumer(const VmcSinkConfig& config, const vmc::PoseWriterSettings& writer,
              skel::RigCatalog catalog, service::Logger log);
  absl::Status UseRig(const std::shared_ptr<const skel::Rig>& rig) override;
  bool IsFrame(const wire::DataChunk& data) const override {
    return !data.pose[wire::kRotations].empty();
  }
  void Look(const wire::DataChunk& data) override;
  absl::Status SendFrame(double now_s) override;
  // Says that no model is loaded.
  absl::Status SendNothing(double now_s) override;
  void LookForExtras(const wire::DataChunk& data);
  void TakeExtra(const vmc::Message& message);
  // Returns whether it will be sent.
  bool AddExtra(const vmc::Message& message);
  void ForgetPerformer();
  absl::Status SendRest();
  void TagNow(vmc::DatagramPacker& packer) const;
  // Adds what receivers are told from time to time.
  absl::Status WriteSeldom();
  void HearPerformerPort();
  void SendPacked(const vmc::DatagramPacker& packer);

  const VmcSinkConfig config_;
  const vmc::PoseWriterSettings writer_settings_;
  std::optional<service::UdpReceiver> performer_;
  std::vector<char> buffer_;
  vmc::DatagramReader reader_;
  vmc::SendSchedule schedule_;
  vmc::DatagramPacker packer_;
  std::optional<vmc::PoseWriter> writer_;
  std::optional<vmc::FrameParts::View> camera_;

  // Of the settings.
  std::string vrm_path_, vrm_title_, vrm_hash_;
  std::optional<std::array<float, 4>> color_;
  // From the stream's metadata.
  vmc::DatagramReader extras_reader_;
  vmc::DatagramPacker extras_;  // to be sent with the next frame
  vmc::Ok performer_ok_ = vmc::FrameParts().performer;
  std::optional<double> devices_at_s_;  // the stream's own trackers and controllers
  bool devices_now_ = false;            // in this message
  bool remote_ = false;    // the model is an online service's, which excludes a VRM file
  bool said_now_ = false;  // likewise, the performer's state or model
  std::optional<double> said_at_s_;
  bool rests_ = false;  // as an assistant: the performer's own face was given back
  bool told_unused_ = false, told_left_out_ = false, told_no_extra_ = false;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VMC_VMC_CONSUMER_H_
