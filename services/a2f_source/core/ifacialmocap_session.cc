#include "services/a2f_source/core/ifacialmocap_session.h"

namespace posewire::a2f_source {
namespace {

livelink::Angles AnglesOfHead(const ifacialmocap::Head& head) {
  const skel::Vec3 turn = head.turn_deg;
  return {-turn.y * skel::kDeg, turn.x * skel::kDeg, -turn.z * skel::kDeg};
}

}  // namespace

absl::StatusOr<std::unique_ptr<IfacialmocapSession>> IfacialmocapSession::Make(
    const IfacialmocapSessionSettings& settings, VmcOutput* output) {
  auto faces = FaceSession::Make(settings.session, settings.head, output);
  if (!faces.ok()) return faces.status();
  return std::unique_ptr<IfacialmocapSession>(
      new IfacialmocapSession(settings.session.gone_s, *std::move(faces)));
}

void IfacialmocapSession::Offer(absl::string_view datagram, double now_s) {
  ++counts_.datagrams;
  if (const absl::Status read = ifacialmocap::ParsePacket(datagram, packet_); !read.ok()) {
    ++counts_.refused;
    last_refusal_.assign(read.message().data(), read.message().size());
    return;
  }
  counts_.unknown += static_cast<uint64_t>(packet_.unknown);
  if (now_s - last_heard_s_ > gone_s_) {  // another person may come
    face_ = {};
    faces_->Restart(now_s);
  }
  last_heard_s_ = now_s;
  if (!packet_.has_face) {
    ++counts_.without_face;
    return;
  }
  for (size_t s = 0; s < face_.weights.size(); ++s) {
    if (packet_.has_weight[s]) face_.weights[s] = packet_.weights[s];
  }
  if (packet_.head) face_.head = AnglesOfHead(*packet_.head);
  faces_->Take(face_, /*sent_s=*/std::nullopt, now_s);
}

}  // namespace posewire::a2f_source
