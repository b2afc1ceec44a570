#include "services/a2f_source/core/livelink_session.h"

#include <cmath>
#include <utility>

#include "libs/skel/humanoid.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/coordinates.h"

namespace posewire::a2f_source {
namespace {

constexpr double kTimeJump_s = 0.25, kTimeJumpsWithin_s = 10;
constexpr int kMostTimeJumps = 2;

livelink::Angles HeadOf(const livelink::Packet& packet, const livelink::Angles& factors) {
  constexpr size_t kHead = livelink::kHeadYaw;
  return {factors.yaw * packet.curves[kHead], factors.pitch * packet.curves[kHead + 1],
          factors.roll * packet.curves[kHead + 2]};
}

}  // namespace

absl::StatusOr<std::unique_ptr<LivelinkSession>> LivelinkSession::Make(
    const LivelinkSessionSettings& settings, VmcOutput* output) {
  auto session = VmcSession::Make(settings.session, output);
  if (!session.ok()) return session.status();
  return std::unique_ptr<LivelinkSession>(new LivelinkSession(settings, *std::move(session)));
}

void LivelinkSession::Offer(absl::string_view datagram, double now_s) {
  ++counts_.datagrams;
  if (const absl::Status read = livelink::ParsePacket(datagram, packet_); !read.ok()) {
    ++counts_.refused;
    last_refusal_.assign(read.message().data(), read.message().size());
    return;
  }
  if (!IsShown(now_s)) {
    ++counts_.other_subjects;
    other_subject_ = packet_.subject;
    return;
  }
  last_heard_s_ = now_s;
  if (!packet_.has_face) {
    ++counts_.without_face;
    return;
  }
  TakeFace(now_s);
}

bool LivelinkSession::IsShown(double now_s) {
  if (!settings_.subject.empty() && packet_.subject != settings_.subject) return false;
  const bool gone = subject_.empty() || now_s - last_heard_s_ > settings_.session.gone_s;
  if (packet_.subject != subject_ && gone) {
    subject_ = packet_.subject;
    offset_s_.reset();
    jumps_ = 0;
    ignores_times_ = has_head_ = false;
    session_->ForgetClock(now_s);
  }
  return packet_.subject == subject_;
}

std::optional<double> LivelinkSession::SentTime(double now_s) {
  const std::optional<double> sent_s = packet_.time.Seconds();
  if (!sent_s || ignores_times_) return std::nullopt;
  const double offset_s = now_s - *sent_s;
  const bool jumped = offset_s_ && std::fabs(offset_s - *offset_s_) > kTimeJump_s;
  offset_s_ = offset_s;
  if (!jumped) return sent_s;
  if (jumps_ == 0 || now_s - first_jump_s_ > kTimeJumpsWithin_s) {
    jumps_ = 0;
    first_jump_s_ = now_s;
  }
  if (++jumps_ <= kMostTimeJumps) return sent_s;
  ignores_times_ = true;
  session_->ForgetClock(now_s);
  return std::nullopt;
}

void LivelinkSession::TakeFace(double now_s) {
  messages_.clear();
  const livelink::Angles head = HeadOf(packet_, settings_.head);
  has_head_ = has_head_ || head.yaw != 0 || head.pitch != 0 || head.roll != 0;
  if (has_head_) {
    messages_.push_back(vmc::BonePose{skel::NameOf(skel::HumanBone::kHead),
                                      vmc::ToUnity({{}, livelink::TurnOf(head)})});
  }
  for (size_t s = 0; s < size_t{skel::kArkitShapes}; ++s) {
    messages_.push_back(vmc::BlendValue{skel::ArkitNames()[s], packet_.curves[s]});
  }
  messages_.push_back(vmc::BlendApply{});
  const std::optional<double> sent_s = SentTime(now_s);
  if (!sent_s) ++counts_.without_time;
  session_->Take(messages_, sent_s, now_s);
}

}  // namespace posewire::a2f_source
