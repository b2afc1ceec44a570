// `renderer_sink view`: the page, its WebSocket, downloads, and the avatars behind them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_SERVER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_SERVER_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/client/pull_client.h"
#include "libs/service/http/http_host.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "services/renderer_sink/core/avatar_choice.h"
#include "services/renderer_sink/grpc/graph_control.h"
#include "services/renderer_sink/grpc/json_calls.h"
#include "services/renderer_sink/pushes/push_inbox.h"
#include "services/renderer_sink/view/avatar_feed.h"
#include "services/renderer_sink/view/character_files.h"
#include "services/renderer_sink/view/film_maker.h"
#include "services/renderer_sink/view/login.h"
#include "services/renderer_sink/view/say_sockets.h"
#include "services/renderer_sink/view/viewers.h"

namespace posewire::renderer_sink {

// Frames have one byte for the avatar; a page is of no use with as many.
inline constexpr int kMostStreams = 64;

struct ViewOptions {
  service::HttpOptions http;
  // Of every avatar but for its stream. Without a rig, the one that fits its character: that of the
  // built-in people, or "vrm" for a file of a humanoid with other bones.
  client::PullOptions pull;
  // Set: nothing is pulled, and this is what each avatar takes of pushes of its stream.
  std::optional<PushInboxOptions> pushes = {};
  // At most kMostStreams. Empty: every stream that the server has, as they come, up to
  // most_avatars; then one that is new takes the place of one that was removed.
  std::vector<std::string> stream_ids;
  int most_avatars = 4;
  double late_s = 0.05;
  HistoryLimits history;
  // A running source (a2f_source serve) that the page may ask to speak; empty: none.
  std::string say_to;
  AvatarChoice avatars;  // whose files are GLB, VRM or glTF
  // Where the offsets are (FindOffsets) by which pages that ask show who is chosen there as a
  // film's character; empty: none. And the memory that they may take, divided among the first
  // avatars: as many as most_avatars, or as streams are named, if these are more.
  std::string offsets = "";
  size_t offsets_bytes = size_t{256} << 20;
  std::string background;  // "#rrggbb" or a picture's file; empty: the page's lit room
  LoginOptions login = {};
  std::string version;
};

class ViewServer {
 public:
  // Serves at once. Errors: those of HttpHost, and of reading the avatar's file.
  static absl::StatusOr<std::unique_ptr<ViewServer>> Start(ViewOptions options,
                                                           service::Logger log);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  int port() const { return host_->port(); }
  const std::string& url() const { return host_->url(); }
  // False: this build has no page, but for one that says so.
  static bool HasPage();
  // Where streams are pushed to; null when they are pulled.
  ClosablePushes* pushes() { return options_.pushes ? &pushes_ : nullptr; }
  void Drain(double budget_s) { host_->Drain(budget_s); }

 private:
  ViewServer(ViewOptions options, service::Logger log);
  // What the page is told of the background; INVALID_ARGUMENT where it can be none.
  absl::StatusOr<std::string> LoadBackground();
  std::vector<service::HttpRoute> Routes();
  // `ids` name the stream and its avatar; no target: its only one.
  std::unique_ptr<AvatarFeed> MakeFeed(const wire::StreamIds& ids, size_t avatar);
  // Where an avatar of a stream is shown: the place that it has, or a new one, if need be that of
  // the stream that ended the longest time ago. Null: there is no place. With mutex_ held.
  AvatarFeed* PlaceFor(const wire::StreamIds& ids);
  // Whether avatars of the stream are shown: it was named, or none was.
  bool IsShown(const std::string& stream_id) const;
  // Shows all avatars of a stream that there is, and goes on with them: those of `targets`, or the
  // one to come.
  void ShowStream(const std::string& stream_id, absl::Span<const std::string> targets);
  // Once a second: asks the server for its streams, and looks what viewers may still see.
  void RunPoll();
  // Logs when the list of streams cannot be had, once until it is had again.
  void OnListed(const absl::Status& status);
  void OnStreams(const std::string& json);
  // Of the memory for offsets; 0: it gets none.
  size_t OffsetBytesOf(size_t avatar) const;
  void OnText(const std::shared_ptr<service::WebSocket>& socket, const std::string& text);
  void Download(const service::HttpRequest& request, const service::HttpReplier& reply);

  // Gives each push to the avatar of its stream.
  class Pushes : public ClosablePushes {
   public:
    explicit Pushes(ViewServer* server) : server_(server) {}
    absl::StatusOr<service::TakenPush> OpenPush(const wire::StreamHeader& header,
                                                const wire::MessageBytes& bytes,
                                                const stream::PushCallOptions& options,
                                                std::shared_ptr<stream::PushPeer> peer) override;
    void Close(const stream::PushAnswer& answer) override;

   private:
    ViewServer* const server_;
  };

  ViewOptions options_;  // Fixed once Start is over.
  const service::Logger log_;
  skel::RigCatalog rigs_;
  CharacterFiles characters_;      // Fixed once Start is over.
  service::HttpBody picture_{""};  // behind the avatars; fixed once Start is over
  // The order of what follows is that in which it must go, from the end: whoever calls first.
  const std::unique_ptr<Login> login_;  // null: everyone may do everything
  Viewers viewers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<AvatarFeed>> feeds_;  // guarded by mutex_; by avatar
  bool stop_ = false;                               // guarded by mutex_
  bool unlisted_ = false;                           // guarded by mutex_
  Pushes pushes_{this};
  std::condition_variable wake_;
  FilmMaker films_;
  // For downloads, which take longer than a thread of the HTTP host may be held.
  service::TaskThread downloads_{log_, {.what = "download", .most_waiting = 16, .finish = false}};
  // A film takes minutes.
  service::TaskThread drawings_{log_, {.what = "film", .most_waiting = 2, .finish = false}};
  std::unique_ptr<GraphControl> control_;    // null: what is shown is pushed
  std::unique_ptr<JsonCalls> source_;        // null: none
  std::unique_ptr<SaySockets> say_sockets_;  // of source_
  std::thread poll_;
  std::unique_ptr<service::HttpHost> host_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_SERVER_H_
