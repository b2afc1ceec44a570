// The pages that look on: who is there, and what each is sent.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libs/service/http/web_socket.h"
#include "services/renderer_sink/core/view_frame.h"

namespace posewire::renderer_sink {

// Thread-safe. Each message is made once and shared by all viewers.
class Viewers : public service::WebSocketEndpoint {
 public:
  // A viewer with more than this unwritten besides offsets, a second or so of frames, gets the
  // voice alone until it has caught up; poses_dropped counts. One with much more is cut by the
  // host.
  static constexpr size_t kPoseBacklog_bytes = 96 << 10;
  // Offsets, which are large, go to viewers with no more than this unwritten: they are the first
  // that a slow one gets no more. offsets_dropped counts.
  static constexpr size_t kOffsetsBacklog_bytes = 8 << 10;
  // The newest events, which a new viewer gets first.
  static constexpr size_t kEvents = 200;

  using OnText =
      std::function<void(const std::shared_ptr<service::WebSocket>& socket, std::string text)>;

  // `on_text` gets what viewers say.
  explicit Viewers(OnText on_text) : on_text_(std::move(on_text)) {}

  // Sends to all, and first of all to those who come later: the newest text of each slot, in the
  // order of the slots' names.
  void Post(const std::string& slot, std::string text);
  // Sends to all, and to those who come later.
  void PostEvent(std::string text);
  void SendFrame(const ViewFrame& frame);
  // The avatar whose offsets a viewer is sent from now on; below 0: none.
  void WantOffsets(const service::WebSocket& viewer, int avatar);
  bool WantsOffsets(int avatar) const;
  void SendOffsets(int avatar, const std::shared_ptr<const std::string>& bytes);

  bool empty() const;
  int count() const;
  int64_t poses_dropped() const;
  int64_t offsets_dropped() const;

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Viewer {
    std::shared_ptr<service::WebSocket> socket;
    int offsets_of = -1;       // avatar
    size_t offsets_bytes = 0;  // of the last ones, which may be unwritten
  };
  static size_t PoseBacklog(Viewer& viewer);
  void SendAll(const Text& text);

  const OnText on_text_;
  // Ends what a new viewer gets of the past.
  const Text present_ = std::make_shared<const std::string>("{\"type\":\"present\"}");
  mutable std::mutex mutex_;  // Guards what follows.
  std::map<uint64_t, Viewer> viewers_;
  std::map<std::string, Text> slots_;
  std::deque<Text> events_;
  int64_t poses_dropped_ = 0, offsets_dropped_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_
