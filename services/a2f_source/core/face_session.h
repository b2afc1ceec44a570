// Turns the faces that a phone app sends into live requests.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SESSION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SESSION_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/livelink/angles.h"
#include "libs/skel/arkit_shapes.h"
#include "libs/vmc/messages.h"
#include "services/a2f_source/core/vmc_session.h"

namespace posewire::a2f_source {

// A face at one time.
struct ArkitFace {
  skel::ArkitWeights weights{};  // Apple's
  livelink::Angles head;
};

// Feeds each face to a VmcSession, as a VMC performer with a head and the 52 ARKit expressions. The
// VmcSession smooths it over the network and decides when a request begins and ends. The head is
// left to the graph until one of its angles is not 0, because apps send zeros unless they stream
// the head's rotation.
//
// Times are seconds of one clock that does not go back. One thread.
class FaceSession {
 public:
  // `head`: factors of the head's angles. -1 turns the other way; if all are 0, the head is left to
  // the graph. Errors: those of VmcSession::Make. `output` must outlive the session.
  static absl::StatusOr<std::unique_ptr<FaceSession>> Make(const VmcSessionSettings& settings,
                                                           const livelink::Angles& head,
                                                           VmcOutput* output);

  // `sent_s` is the time by the sender's clock, if it has one.
  void Take(const ArkitFace& face, std::optional<double> sent_s, double now_s);
  void Tick(double now_s) { session_->Tick(now_s); }
  void Finish() { session_->Finish(); }
  // Forgets the sender's clock, because it cannot be trusted.
  void ForgetClock(double now_s) { session_->ForgetClock(now_s); }
  // Call when the sender changes: the new one has another clock, and may not stream the head.
  void Restart(double now_s) {
    has_head_ = false;
    session_->ForgetPerformer();
    session_->ForgetClock(now_s);
  }

  const VmcCounts& counts() const { return session_->counts(); }

 private:
  FaceSession(const livelink::Angles& head, std::unique_ptr<VmcSession> session)
      : head_(head), session_(std::move(session)) {}

  const livelink::Angles head_;
  const std::unique_ptr<VmcSession> session_;
  std::vector<vmc::Message> messages_;  // the current face as messages
  bool has_head_ = false;               // an angle of the head was not 0
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SESSION_H_
