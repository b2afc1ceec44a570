// Server of `renderer_sink view`: the page, its WebSocket, downloads, and its avatars.
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
#include "libs/service/http/probes.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "services/renderer_sink/core/avatar_choice.h"
#include "services/renderer_sink/draw/prop_models.h"
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

// Frames have one byte for the avatar; a page with this many would not be useful.
inline constexpr int kMostStreams = 64;

struct ViewOptions {
  service::HttpOptions http;
  // Of every avatar, except its stream. Without a rig, the one that fits its character: that of the
  // built-in people, or "vrm" for a file of a humanoid with other bones.
  client::PullOptions pull;
  // If set, nothing is pulled, and each avatar accepts these pushes of its stream.
  std::optional<PushInboxOptions> pushes = {};
  // At most kMostStreams. Empty: every stream of the server, as they appear, up to most_avatars;
  // then a new one takes the place of one that was removed.
  std::vector<std::string> stream_ids;
  int most_avatars = 4;
  double late_s = 0.05;
  HistoryLimits history;
  // A running source (a2f_source serve) for the page to make speak; empty: none.
  std::string say_to;
  AvatarChoice avatars;            // their files are GLB, VRM or glTF
  bool outside_skel_root = false;  // as of character_file::ReadOptions
  std::string props = "";          // folder of the models of props; empty: none
  // Location of the offsets (FindOffsets) with which pages that request it show their characters as
  // a film's; empty: none. And their memory limit, divided among the first avatars: most_avatars of
  // them, or as many as there are streams, if these are more.
  std::string offsets = "";
  size_t offsets_bytes = size_t{256} << 20;
  std::shared_ptr<RangeCache> offsets_cache = nullptr;  // for those of servers; null: none
  bool subdivide = false;                               // pages draw refined surfaces
  std::string background;  // "#rrggbb" or a picture's file; empty: the page's lit room
  LoginOptions login = {};
  std::string version;
};

class ViewServer {
 public:
  // Begins to serve. Errors: those of HttpHost, and of reading the avatars' files.
  static absl::StatusOr<std::unique_ptr<ViewServer>> Start(ViewOptions options,
                                                           service::Logger log);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  int port() const { return host_->port(); }
  // Returns 0 without --probes.
  int probes_port() const { return probes_ == nullptr ? 0 : probes_->port(); }
  const std::string& url() const { return host_->url(); }
  // Returns false if this build has no page, except one that explains that.
  static bool HasPage();
  // Receiver of pushed streams; null if they are pulled.
  ClosablePushes* pushes() { return options_.pushes ? &pushes_ : nullptr; }
  void Drain(double budget_s) { host_->Drain(budget_s); }

 private:
  ViewServer(ViewOptions options, service::Logger log);
  // Returns the page's description of the background; INVALID_ARGUMENT if it cannot be one.
  absl::StatusOr<std::string> LoadBackground();
  service::Reports Reports() const;
  std::vector<service::HttpRoute> Routes();
  // `ids` name the stream and its avatar; no target: its only one.
  std::unique_ptr<AvatarFeed> MakeFeed(const wire::StreamIds& ids, size_t avatar);
  // Returns the feed that shows an avatar of a stream: its current place, or a new one, if
  // necessary that of the stream that ended the longest time ago. Null if there is none. Requires
  // mutex_.
  AvatarFeed* PlaceFor(const wire::StreamIds& ids);
  // Returns true if avatars of the stream are shown: it was named, or none was.
  bool IsShown(const std::string& stream_id) const;
  // Shows and resumes all avatars of an existing stream: those of `targets`, or its next one.
  void ShowStream(const std::string& stream_id, absl::Span<const std::string> targets);
  // Once a second: lists the server's streams, and checks what viewers may still see.
  void RunPoll();
  // Logs when the list of streams is unavailable, once until it is available again.
  void OnListed(const absl::Status& status);
  void OnStreams(const std::string& json);
  // Share of the memory for offsets; 0: none.
  size_t OffsetBytesOf(size_t avatar) const;
  void OnText(const std::shared_ptr<service::WebSocket>& socket, const std::string& text);
  void Download(const service::HttpRequest& request, const service::HttpReplier& reply);

  // Passes each push to the avatar of its stream.
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

  ViewOptions options_;  // immutable after Start
  const service::Logger log_;
  skel::RigCatalog rigs_;
  CharacterFiles characters_;  // immutable after Start
  std::shared_ptr<const PropModels> props_;
  service::HttpBody picture_{""};  // background picture; immutable after Start
  // Members below are destroyed from the end, callers before what they call.
  const std::unique_ptr<Login> login_;  // null: all visitors may do everything
  Viewers viewers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<AvatarFeed>> feeds_;  // guarded by mutex_; by avatar
  bool stop_ = false;                               // guarded by mutex_
  bool unlisted_ = false;                           // guarded by mutex_
  Pushes pushes_{this};
  std::condition_variable wake_;
  FilmMaker films_;
  // Makes downloads, which take too long for a thread of the HTTP host.
  service::TaskThread downloads_{log_, {.what = "download", .most_waiting = 16, .finish = false}};
  // Makes films, which takes minutes.
  service::TaskThread drawings_{log_, {.what = "film", .most_waiting = 2, .finish = false}};
  std::unique_ptr<GraphControl> control_;    // null: the streams are pushed
  std::unique_ptr<JsonCalls> source_;        // null: none
  std::unique_ptr<SaySockets> say_sockets_;  // uses source_
  std::thread poll_;
  std::unique_ptr<service::HttpHost> host_;
  std::unique_ptr<service::HttpHost> probes_;  // null: none
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_SERVER_H_
