#include "services/renderer_sink/view/viewers.h"

#include <algorithm>
#include <utility>

namespace posewire::renderer_sink {

void Viewers::SendAll(const Text& text) {
  for (const auto& [id, viewer] : viewers_) viewer.socket->Send(text);
}

void Viewers::Post(const std::string& slot, std::string text) {
  const auto shared = std::make_shared<const std::string>(std::move(text));
  std::lock_guard lock(mutex_);
  slots_[slot] = shared;
  SendAll(shared);
}

void Viewers::PostEvent(std::string text) {
  const auto shared = std::make_shared<const std::string>(std::move(text));
  std::lock_guard lock(mutex_);
  events_.push_back(shared);
  if (events_.size() > kEvents) events_.pop_front();
  SendAll(shared);
}

// Offsets go to viewers that have nearly all behind them, so no more than the last ones wait.
size_t Viewers::PoseBacklog(Viewer& viewer) {
  const size_t queued = viewer.socket->queued_bytes();
  if (queued < viewer.offsets_bytes) viewer.offsets_bytes = 0;
  return queued - viewer.offsets_bytes;
}

void Viewers::SendFrame(const ViewFrame& frame) {
  std::lock_guard lock(mutex_);
  for (auto& [id, viewer] : viewers_) {
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

void Viewers::SendOffsets(int avatar, const Text& bytes) {
  std::lock_guard lock(mutex_);
  for (auto& [id, viewer] : viewers_) {
    if (viewer.offsets_of != avatar) continue;
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
  std::lock_guard lock(mutex_);
  for (const auto& [slot, text] : slots_) socket->Send(text);
  for (const Text& text : events_) socket->Send(text);
  socket->Send(present_);
  viewers_[socket->id()].socket = socket;
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
