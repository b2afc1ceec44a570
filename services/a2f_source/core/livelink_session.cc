#include "services/a2f_source/core/livelink_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace posewire::a2f_source {
namespace {

constexpr double kTimeJump_s = 0.25, kTimeJumpsWithin_s = 10;
constexpr int kMostTimeJumps = 2;

}  // namespace

absl::StatusOr<std::unique_ptr<LivelinkSession>> LivelinkSession::Make(
    const LivelinkSessionSettings& settings, VmcOutput* output) {
  auto faces = FaceSession::Make(settings.session, settings.head, output);
  if (!faces.ok()) return faces.status();
  return std::unique_ptr<LivelinkSession>(new LivelinkSession(settings, *std::move(faces)));
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
    ignores_times_ = false;
    faces_->Restart(now_s);
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
  faces_->ForgetClock(now_s);
  return std::nullopt;
}

void LivelinkSession::TakeFace(double now_s) {
  std::copy_n(packet_.curves.begin(), face_.weights.size(), face_.weights.begin());
  constexpr size_t kHead = livelink::kHeadYaw;
  face_.head = {packet_.curves[kHead], packet_.curves[kHead + 1], packet_.curves[kHead + 2]};
  const std::optional<double> sent_s = SentTime(now_s);
  if (!sent_s) ++counts_.without_time;
  faces_->Take(face_, sent_s, now_s);
}

}  // namespace posewire::a2f_source
