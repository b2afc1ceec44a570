#include "services/a2f_source/core/face_session.h"

#include "libs/skel/humanoid.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/coordinates.h"

namespace posewire::a2f_source {

absl::StatusOr<std::unique_ptr<FaceSession>> FaceSession::Make(const VmcSessionSettings& settings,
                                                               const livelink::Angles& head,
                                                               VmcOutput* output) {
  auto session = VmcSession::Make(settings, output);
  if (!session.ok()) return session.status();
  return std::unique_ptr<FaceSession>(new FaceSession(head, *std::move(session)));
}

void FaceSession::Take(const ArkitFace& face, std::optional<double> sent_s, double now_s) {
  messages_.clear();
  const livelink::Angles head = {head_.yaw * face.head.yaw, head_.pitch * face.head.pitch,
                                 head_.roll * face.head.roll};
  has_head_ = has_head_ || head.yaw != 0 || head.pitch != 0 || head.roll != 0;
  if (has_head_) {
    messages_.push_back(vmc::BonePose{skel::NameOf(skel::HumanBone::kHead),
                                      vmc::ToUnity({{}, livelink::TurnOf(head)})});
  }
  for (size_t s = 0; s < face.weights.size(); ++s) {
    messages_.push_back(vmc::BlendValue{skel::ArkitNames()[s], face.weights[s]});
  }
  messages_.push_back(vmc::BlendApply{});
  session_->Take(messages_, sent_s, now_s);
}

}  // namespace posewire::a2f_source
