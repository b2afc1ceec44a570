#include "services/renderer_sink/view/viewers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace posewire::renderer_sink {
namespace {

// RFC 6455: policy violation. Of IANA's registry: service restart; try again later.
constexpr int kNotAdmitted = 1008;
constexpr int kComeAgain = 1012, kComeLater = 1013;

// Maximum per viewer; more than avatars can be shown, because events also come from other streams.
constexpr size_t kMostRights = 512;

std::string Join(const Viewers::Text& text, const std::vector<absl::string_view>& parts) {
  return absl::StrCat(text.head, absl::StrJoin(parts, ","), text.tail);
}

}  // namespace

Viewers::Posted Viewers::Whole(Text text) {
  std::vector<absl::string_view> parts;
  for (const Text::Part& part : text.parts) parts.push_back(part.text);
  auto whole = std::make_shared<const std::string>(Join(text, parts));
  return {std::move(text), std::move(whole)};
}

bool Viewers::MaySee(Viewer& viewer, const std::string& stream_id, stream::Permission permission) {
  if (login_ == nullptr) return true;
  if (viewer.rights.size() >= kMostRights) viewer.rights.clear();
  const auto [at, is_new] = viewer.rights.try_emplace({permission, stream_id}, false);
  if (is_new) at->second = login_->Check(viewer.visitor, stream_id, permission).ok();
  return at->second;
}

void Viewers::SendText(Viewer& viewer, const Posted& posted) {
  const Text& text = posted.text;
  if (!text.stream_id.empty() && !MaySee(viewer, text.stream_id, text.permission)) return;
  std::vector<absl::string_view> parts;
  for (const Text::Part& part : text.parts) {
    if (MaySee(viewer, part.stream_id, text.permission)) parts.push_back(part.text);
  }
  if (parts.size() == text.parts.size()) {
    viewer.socket->Send(posted.whole);
  } else {
    viewer.socket->Send(Join(text, parts));
  }
}

void Viewers::SendAll(const Posted& posted) {
  for (auto& [id, viewer] : viewers_) SendText(viewer, posted);
}

void Viewers::Post(const std::string& slot, Text text) {
  Posted posted = Whole(std::move(text));
  std::lock_guard lock(mutex_);
  SendAll(slots_[slot] = std::move(posted));
}

void Viewers::PostEvent(std::string text, const std::string& stream_id) {
  Posted posted = Whole({std::move(text), stream_id, stream::Permission::kWatch});
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(posted));
  if (events_.size() > kEvents) events_.pop_front();
  SendAll(events_.back());
}

void Viewers::CheckRights() {
  if (login_ == nullptr) return;
  std::lock_guard lock(mutex_);
  for (auto& [id, viewer] : viewers_) {
    const absl::Status status =
        login_->Check(viewer.visitor, "", stream::Permission::kPull).status();
    // If the tokens cannot be read, viewers stay.
    if (absl::IsUnavailable(status)) continue;
    if (!status.ok()) {
      viewer.socket->Close(kNotAdmitted, status.message());
      continue;
    }
    for (const auto& [right, had] : viewer.rights) {
      if (login_->Check(viewer.visitor, right.second, right.first).ok() == had) continue;
      viewer.socket->Close(kComeAgain, "the permissions of the token have changed");
      break;
    }
  }
}

std::optional<Visitor> Viewers::VisitorOf(const service::WebSocket& viewer) const {
  std::lock_guard lock(mutex_);
  const auto found = viewers_.find(viewer.id());
  if (found == viewers_.end()) return std::nullopt;
  return found->second.visitor;
}

// Offsets go to viewers that have nearly all behind them, so no more than the last ones wait.
size_t Viewers::PoseBacklog(Viewer& viewer) {
  const size_t queued = viewer.socket->queued_bytes();
  if (queued < viewer.offsets_bytes) viewer.offsets_bytes = 0;
  return queued - viewer.offsets_bytes;
}

void Viewers::SendFrame(const ViewFrame& frame, const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  for (auto& [id, viewer] : viewers_) {
    if (!MaySee(viewer, stream_id, stream::Permission::kPull)) continue;
    const auto& socket = viewer.socket;
    if (PoseBacklog(viewer) <= kPoseBacklog_bytes) {
      socket->SendBinary(frame.whole);
      continue;
    }
    ++poses_dropped_;
    if (frame.voice != nullptr) socket->SendBinary(frame.voice);
  }
}

void Viewers::WantOffsets(const service::WebSocket& viewer, int avatar) {
  std::lock_guard lock(mutex_);
  const auto known = viewers_.find(viewer.id());
  if (known != viewers_.end()) known->second.offsets_of = avatar;
}

bool Viewers::WantsOffsets(int avatar) const {
  std::lock_guard lock(mutex_);
  return std::any_of(viewers_.begin(), viewers_.end(),
                     [&](const auto& viewer) { return viewer.second.offsets_of == avatar; });
}

void Viewers::SendOffsets(int avatar, const Bytes& bytes, const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  for (auto& [id, viewer] : viewers_) {
    if (viewer.offsets_of != avatar) continue;
    if (!MaySee(viewer, stream_id, stream::Permission::kPull)) continue;
    if (viewer.socket->queued_bytes() <= kOffsetsBacklog_bytes) {
      viewer.socket->SendBinary(bytes);
      viewer.offsets_bytes = bytes->size();
    } else {
      ++offsets_dropped_;
    }
  }
}

bool Viewers::empty() const {
  std::lock_guard lock(mutex_);
  return viewers_.empty();
}

int Viewers::count() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(viewers_.size());
}

int64_t Viewers::poses_dropped() const {
  std::lock_guard lock(mutex_);
  return poses_dropped_;
}

int64_t Viewers::offsets_dropped() const {
  std::lock_guard lock(mutex_);
  return offsets_dropped_;
}

void Viewers::OnOpen(const std::shared_ptr<service::WebSocket>& socket) {
  Viewer viewer{socket};
  if (login_ != nullptr) {
    auto visitor = login_->Enter(socket->request());
    if (!visitor.ok()) return socket->Close(kNotAdmitted, visitor.status().message());
    viewer.visitor = *std::move(visitor);
    auto place = login_->TakePlace(viewer.visitor);
    if (!place.ok()) return socket->Close(kComeLater, place.status().message());
    viewer.place = *std::move(place);
  }
  std::lock_guard lock(mutex_);
  for (const auto& [slot, posted] : slots_) SendText(viewer, posted);
  for (const Posted& posted : events_) SendText(viewer, posted);
  socket->Send(present_);
  viewers_[socket->id()] = std::move(viewer);
}

void Viewers::OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                        bool is_text) {
  if (is_text) on_text_(socket, std::move(message));
}

void Viewers::OnClose(const std::shared_ptr<service::WebSocket>& socket) {
  std::lock_guard lock(mutex_);
  viewers_.erase(socket->id());
}

}  // namespace posewire::renderer_sink
