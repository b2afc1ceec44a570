// Turns a face of Live Link Face into live requests.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_LIVELINK_SESSION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_LIVELINK_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/livelink/angles.h"
#include "libs/livelink/packet.h"
#include "services/a2f_source/core/face_session.h"

namespace posewire::a2f_source {

struct LivelinkSessionSettings {
  VmcSessionSettings session = {.source_id = "livelink"};
  std::string subject = {};  // empty: the first that comes
  // Factors of the head's angles: -1 turns the other way. All 0: the head is left to the graph.
  livelink::Angles head = {1, 1, 1};
};

struct LivelinkCounts {
  uint64_t datagrams = 0;
  uint64_t refused = 0;         // malformed
  uint64_t other_subjects = 0;  // of a subject that is not shown
  uint64_t without_face = 0;    // no face was seen
  uint64_t without_time = 0;    // timed by arrival
};

// FaceSession takes its faces. Datagrams without a face count as silence. The angles of the eyes
// are left out: the shapes eyeLook... say the same.
//
// One subject is shown: the one of the settings, or the first that comes, until it is silent for
// gone_s.
//
// The sender's frame times order datagrams. They are not used if they are missing, or if they jump
// by more than a quarter of a second against arrival three times in ten seconds, as those of some
// programs do; then arrival counts, until another subject is shown.
//
// Times are seconds of one clock that does not go back. One thread.
class LivelinkSession {
 public:
  // Errors: those of FaceSession::Make. `output` must outlive the session.
  static absl::StatusOr<std::unique_ptr<LivelinkSession>> Make(
      const LivelinkSessionSettings& settings, VmcOutput* output);

  void Offer(absl::string_view datagram, double now_s);
  void Tick(double now_s) { faces_->Tick(now_s); }
  void Finish() { faces_->Finish(); }

  const LivelinkCounts& counts() const { return counts_; }
  const VmcCounts& requests() const { return faces_->counts(); }
  // The field, value and valid values of the last malformed datagram; "" if there was none.
  const std::string& last_refusal() const { return last_refusal_; }
  // The subject that is shown, and the last other one; "" if there was none.
  const std::string& subject() const { return subject_; }
  const std::string& other_subject() const { return other_subject_; }
  bool ignores_times() const { return ignores_times_; }

 private:
  LivelinkSession(const LivelinkSessionSettings& settings, std::unique_ptr<FaceSession> faces)
      : settings_(settings), faces_(std::move(faces)) {}
  // Whether the packet's subject is shown.
  bool IsShown(double now_s);
  std::optional<double> SentTime(double now_s);
  void TakeFace(double now_s);

  const LivelinkSessionSettings settings_;
  const std::unique_ptr<FaceSession> faces_;
  LivelinkCounts counts_;
  livelink::Packet packet_;  // the current one
  ArkitFace face_;           // that it holds
  std::string subject_, other_subject_, last_refusal_;
  double last_heard_s_ = 0;  // from the subject
  std::optional<double> offset_s_;
  double first_jump_s_ = 0;
  int jumps_ = 0;  // since first_jump_s_
  bool ignores_times_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_LIVELINK_SESSION_H_
