// The connected pages, and what is sent to each.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/service/http/web_socket.h"
#include "libs/stream/access.h"
#include "services/renderer_sink/core/view_frame.h"
#include "services/renderer_sink/view/login.h"

namespace posewire::renderer_sink {

// Thread-safe. Each message is made once and shared by all viewers who may see its stream: frames
// and the state of avatars need the permission `pull`, events and lists of streams `watch`.
class Viewers : public service::WebSocketEndpoint {
 public:
  // A viewer with more than this unwritten, not counting offsets, about a second of frames, only
  // gets the audio until it has caught up; poses_dropped counts. The host disconnects one with much
  // more.
  static constexpr size_t kPoseBacklog_bytes = 96 << 10;
  // Offsets, which are large, go to viewers with at most this much unwritten: they are the first
  // data that a slow viewer no longer gets. offsets_dropped counts.
  static constexpr size_t kOffsetsBacklog_bytes = 8 << 10;
  // Number of newest events, which are sent to a new viewer first.
  static constexpr size_t kEvents = 200;

  using OnText =
      std::function<void(const std::shared_ptr<service::WebSocket>& socket, std::string text)>;

  // `on_text` is called with the messages of viewers. `login` must outlive this; null: all visitors
  // may see everything.
  explicit Viewers(OnText on_text, Login* login = nullptr)
      : on_text_(std::move(on_text)), login_(login) {}

  // A text about one stream, or with an empty `stream_id` about none, with parts about other
  // streams. A viewer gets only the parts that it may see, joined by commas.
  struct Text {
    std::string head;
    std::string stream_id = "";
    stream::Permission permission = stream::Permission::kPull;
    struct Part {
      std::string stream_id, text;
    };
    std::vector<Part> parts = {};
    std::string tail = "";
  };

  // Sends a text to all viewers. New viewers first get the newest text of each slot, in the order
  // of the slots' names.
  void Post(const std::string& slot, Text text);
  void Post(const std::string& slot, std::string text) { Post(slot, Text{std::move(text)}); }
  // Sends an event to all viewers, and to later ones.
  void PostEvent(std::string text, const std::string& stream_id = "");
  void SendFrame(const ViewFrame& frame, const std::string& stream_id = "");
  // Sets the avatar whose offsets a viewer is sent from now on; below 0: none.
  void WantOffsets(const service::WebSocket& viewer, int avatar);
  bool WantsOffsets(int avatar) const;
  void SendOffsets(int avatar, const std::shared_ptr<const std::string>& bytes,
                   const std::string& stream_id = "");
  // Disconnects viewers whose session or token has expired, or whose permissions have changed; the
  // latter reconnect. Call each second.
  void CheckRights();
  // Nothing if it has disconnected.
  std::optional<Visitor> VisitorOf(const service::WebSocket& viewer) const;

  bool empty() const;
  int count() const;
  int64_t poses_dropped() const;
  int64_t offsets_dropped() const;

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;

 private:
  using Bytes = std::shared_ptr<const std::string>;
  struct Viewer {
    std::shared_ptr<service::WebSocket> socket;
    int offsets_of = -1;       // avatar
    size_t offsets_bytes = 0;  // of the last ones, which may be unwritten
    Visitor visitor = {};
    std::shared_ptr<const void> place = nullptr;  // among its pulls
    // What it may see, by permission and stream, as of the first check.
    std::map<std::pair<stream::Permission, std::string>, bool> rights = {};
  };
  // A text, and its full form for viewers who may see everything.
  struct Posted {
    Text text;
    Bytes whole;
  };
  static size_t PoseBacklog(Viewer& viewer);
  bool MaySee(Viewer& viewer, const std::string& stream_id, stream::Permission permission);
  void SendText(Viewer& viewer, const Posted& posted);
  static Posted Whole(Text text);
  void SendAll(const Posted& posted);

  const OnText on_text_;
  Login* const login_;
  // Ends the history that a new viewer is sent.
  const Bytes present_ = std::make_shared<const std::string>("{\"type\":\"present\"}");
  mutable std::mutex mutex_;  // guards all below
  std::map<uint64_t, Viewer> viewers_;
  std::map<std::string, Posted> slots_;
  std::deque<Posted> events_;
  int64_t poses_dropped_ = 0, offsets_dropped_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEWERS_H_
