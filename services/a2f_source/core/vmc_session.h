// Turns a VMC performer into live requests: decides when one begins and ends, and what is sent.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_SESSION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_SESSION_H_

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/expression_translator.h"
#include "libs/vmc/extras.h"
#include "libs/vmc/pose_reader.h"
#include "libs/vmc/send_schedule.h"
#include "libs/wire/message.h"
#include "services/a2f_source/core/vmc_characters.h"
#include "services/a2f_source/core/vmc_events.h"
#include "services/a2f_source/core/vmc_motion.h"
#include "services/a2f_source/core/vmc_tags.h"
#include "services/a2f_source/core/vmc_users.h"
#include "services/a2f_source/core/vmc_variables.h"

namespace posewire::a2f_source {

struct VmcSessionSettings {
  timecode::FrameRate fps{60, 1};
  double warm_up_s = 0.15;  // of listening, before a request names its joints and shapes
  double hold_s = 0.5;      // how long the last pose is held when packets stop
  double gone_s = 3;        // silence after which the performer counts as gone
  vmc::PoseReaderSettings pose = {};
  // The sender is in its T-pose when its first request begins, possibly with rotated bones (raw
  // skeletons of VRM 1). If false, no bone is assumed to be rotated in its T-pose.
  bool t_pose_first = false;
  VmcUserSettings users = {};
  std::vector<std::string> events = {};      // see VmcEvents
  std::vector<std::string> variables = {};   // see VmcVariables
  std::vector<std::string> characters = {};  // see VmcCharacters
  std::string source_id = "vmc";             // of the requests
  std::string extras_source = "0";  // differs between the sources of an avatar: wire::VmcEntry
};

// Receives a session's output. No method may call the session.
class VmcOutput {
 public:
  virtual ~VmcOutput() = default;
  // A request begins. The receiver fills in ids and epoch.
  virtual void Begin(const wire::StreamHeader& header) = 0;
  virtual void Frame(wire::Message message) = 0;
  virtual void End() = 0;
  // Position of a person; called repeatedly while they are present.
  virtual void User(const VmcUser& user) = 0;
  virtual void Event(const std::string& name) = 0;
  virtual void Variable(const std::string& name, float value) = 0;
  // Called repeatedly while a tracker moves the thing.
  virtual void Prop(const VmcProp& prop) = 0;
  // What the sender says about itself, such as its settings file: once for each kind.
  virtual void Told(const std::string& what, const std::string& value) = 0;
};

// The port of a marionette (39539) takes what performers send; that of a performer (39540) what
// marionettes and assistants send. Settings of the rate and requests are accepted on the second
// only, everything else on both.
enum class VmcPort { kMarionette, kPerformer };

struct VmcCounts {
  uint64_t requests = 0;
  uint64_t frames = 0;
  uint64_t held = 0;  // frames without new data for kExtrapolate_s
  uint64_t gaps = 0;  // silences longer than hold_s
  uint64_t events = 0;
  uint64_t extras_dropped = 0;  // see vmc::Extras
};

// Call Offer with datagrams as they arrive and Tick at the frame rate. A request begins when bones
// or expressions come from a sender that has a model loaded, and names what the sender has. It ends
// when the sender reports that it has no model any more, or is silent for gone_s. After a silence
// of hold_s nothing is sent, so that the avatar idles; the request continues when the sender does.
// If a sender adds joints or shapes later, a new request begins. While the sender reports that it
// has lost its performer, the pose holds; after hold_s this counts as silence. Messages without a
// place in the stream travel as metadata (vmc::Extras, wire::VmcEntry). Time codes increase over
// all requests, from the first tick. Times are seconds of one clock that does not go back. One
// thread.
class VmcSession {
 public:
  // INVALID_ARGUMENT for invalid settings. `output` must outlive the session.
  static absl::StatusOr<std::unique_ptr<VmcSession>> Make(const VmcSessionSettings& settings,
                                                          VmcOutput* output);

  void Offer(absl::string_view datagram, VmcPort port, double now_s);
  // Takes messages that another protocol was converted to, as one datagram to the marionette port.
  // `sent_s` is the time by the sender's clock, if it has one.
  void Take(absl::Span<const vmc::Message> messages, std::optional<double> sent_s, double now_s);
  // Forgets the sender's clock, which is not to be trusted.
  void ForgetClock(double now_s) { motion_.ForgetClock(now_s); }
  // Forgets all that the performer has sent: another one comes.
  void ForgetPerformer();
  void Tick(double now_s);
  // Ends the request, if any.
  void Finish();

  const VmcCounts& counts() const { return counts_; }
  // Whether a performer is there, and whether the sender reports that it has lost its performer.
  bool present() const { return present_; }
  bool tracking_lost() const { return lost_since_s_.has_value(); }
  const vmc::DatagramReader& reader() const { return reader_; }
  const vmc::Performer& performer() const { return motion_.performer(); }
  // The shape set of the sender's expressions, as far as it is known now.
  const shapes::Detected& shape_set() const { return expressions_.detected(); }

 private:
  // The joints and shapes that a pose has.
  struct Presence {
    std::vector<bool> joints, shapes;
    bool any = false;
    bool operator==(const Presence&) const = default;
    // Returns true if `other` contains all of this.
    bool Within(const Presence& other) const;
  };

  VmcSession(const VmcSessionSettings& settings, std::shared_ptr<const skel::Rig> rig,
             vmc::PoseReader pose_reader, VmcUsers users, VmcEvents events, VmcVariables variables,
             VmcCharacters characters, VmcOutput* output);
  void TickMotion(double now_s);
  void RepeatVariables(double now_s);
  void ForgetGone(double now_s);
  bool Wanted(double now_s) const;
  Presence PresentNow() const;
  void LearnRest();
  void Begin(const Presence& present);
  void SendFrame(double time_code_s, double now_s, const vmc::SendSchedule::Due& due);
  void AddPose(double time_code_s, const vmc::SendSchedule::Due& due, wire::DataChunk& out) const;
  void AddCamera(double time_code_s, double now_s, wire::DataChunk& out);
  void AddModel(wire::DataChunk& out) const;
  void AddExtras(double now_s, wire::DataChunk& out);
  // Eyes look at the sender's target, unless the sender moves them itself.
  void TurnEyes(double now_s);
  void SeeTracking(const vmc::Message& message, double now_s);
  void TellOnce(const vmc::Message& message);
  void TellUsers(double now_s);

  const VmcSessionSettings settings_;
  const std::shared_ptr<const skel::Rig> rig_;
  const int head_joint_;
  VmcOutput* const output_;
  vmc::DatagramReader reader_;
  vmc::ExpressionTranslator expressions_;
  std::vector<vmc::Message> messages_;  // of the current datagram
  VmcMotion motion_;
  vmc::PoseReader pose_reader_;
  skel::Pose pose_;
  VmcUsers users_;
  VmcEvents events_;
  VmcVariables variables_;
  const std::function<void(const std::string& name, float value)> set_variable_;
  VmcCharacters characters_;
  VmcTags tags_;
  vmc::Extras extras_;
  vmc::SendSchedule schedule_;
  VmcCounts counts_;

  std::optional<double> first_tick_s_;
  int64_t last_tick_ = -1;
  double code_s_ = 0;
  bool present_ = false;  // a performer is there, or has been silent for less than gone_s
  bool in_request_ = false, in_gap_ = false, rest_known_ = false;
  Presence sent_, seen_;              // in the request's header; recently
  double seen_since_s_ = 0;           // time of seen_'s last change
  std::vector<int> joints_, shapes_;  // named in the header
  double last_camera_s_ = -1;
  double next_users_s_ = 0;
  std::optional<double> lost_since_s_;  // the sender reports lost tracking
  double next_extras_s_ = 0;            // next time that states are repeated
  double next_variables_s_ = 0;         // likewise, variables
  uint64_t extras_sent_ = 0;
  std::string character_;  // of the request's last message about it
  std::bitset<std::variant_size_v<vmc::Message>> told_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_SESSION_H_
