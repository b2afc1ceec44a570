// Turns a face of iFacialMocap into live requests.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_IFACIALMOCAP_SESSION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_IFACIALMOCAP_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/ifacialmocap/packet.h"
#include "libs/livelink/angles.h"
#include "services/a2f_source/core/face_session.h"

namespace posewire::a2f_source {

struct IfacialmocapSessionSettings {
  VmcSessionSettings session = {.source_id = "ifacialmocap"};
  // Factors of the head's angles: -1 turns the other way. All 0: the head is left to the graph.
  livelink::Angles head = {1, 1, 1};
};

struct IfacialmocapCounts {
  uint64_t datagrams = 0;
  uint64_t refused = 0;       // malformed
  uint64_t without_face = 0;  // no face was seen
  uint64_t unknown = 0;       // fields with unknown names
};

// FaceSession takes its faces. Datagrams without a face count as silence. They hold no time and no
// name: arrival orders them, and the caller chooses the sender (ChosenSender). A shape or a
// head that one lacks stays as it was, 0 at first. The rotations of the eyes are left out: the
// shapes eyeLook... say the same. The position of the head is left out too.
//
// Times are seconds of one clock that does not go back. One thread.
class IfacialmocapSession {
 public:
  // Errors: those of FaceSession::Make. `output` must outlive the session.
  static absl::StatusOr<std::unique_ptr<IfacialmocapSession>> Make(
      const IfacialmocapSessionSettings& settings, VmcOutput* output);

  void Offer(absl::string_view datagram, double now_s);
  void Tick(double now_s) { faces_->Tick(now_s); }
  void Finish() { faces_->Finish(); }

  const IfacialmocapCounts& counts() const { return counts_; }
  const VmcCounts& requests() const { return faces_->counts(); }
  // The field, value and valid values of the last malformed datagram; "" if there was none.
  const std::string& last_refusal() const { return last_refusal_; }

 private:
  IfacialmocapSession(double gone_s, std::unique_ptr<FaceSession> faces)
      : gone_s_(gone_s), faces_(std::move(faces)) {}

  const double gone_s_;
  const std::unique_ptr<FaceSession> faces_;
  IfacialmocapCounts counts_;
  ifacialmocap::Packet packet_;  // the current one
  ArkitFace face_;               // the latest weights and head
  std::string last_refusal_;
  double last_heard_s_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_IFACIALMOCAP_SESSION_H_
