// One avatar: pulled or pushed once, encoded once, sent to all viewers, and held for downloads.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FEED_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FEED_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "libs/wire/appearance.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "libs/wire/props.h"
#include "services/renderer_sink/core/stream_stats.h"
#include "services/renderer_sink/core/view_frame.h"
#include "services/renderer_sink/pushes/push_inbox.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/view/character_files.h"
#include "services/renderer_sink/view/history.h"
#include "services/renderer_sink/view/page_offsets.h"
#include "services/renderer_sink/view/viewers.h"

namespace posewire::renderer_sink {

struct AvatarFeedOptions {
  client::PullOptions pull;
  // Not null: what is pushed there is shown, and nothing is pulled.
  std::shared_ptr<PushInbox> pushes = nullptr;
  uint8_t avatar = 0;            // In what viewers are sent.
  ViewCharacter character = {};  // unless the stream asks for somebody
  // Whom a stream's own word for somebody means; nothing: nobody.
  std::function<std::optional<ViewCharacter>(const std::string& name)> find = nullptr;
  size_t offsets_bytes = 0;  // memory for the offsets of who is shown; 0: none are
  HistoryLimits history;
  double late_s = 0.05;
  // A pull that the server ended in order, as its stream was removed, is opened again at once. Else
  // it waits for Resume: pulling would make the stream anew.
  bool repull = true;
};

// Pulls on a thread of its own, from the constructor to the destructor, over reconnections. Posts
// to the viewers, as docs/view.md says: "layout", "look", "state" and "stats". Of what is pushed,
// code 0 is at the Unix time when it plays, since requests come one after the other whatever their
// epochs are.
class AvatarFeed : private Consumer {
 public:
  // `rigs` and `viewers` outlive this.
  AvatarFeed(AvatarFeedOptions options, const skel::RigCatalog* rigs, Viewers* viewers,
             service::Logger log);
  ~AvatarFeed() override;
  AvatarFeed(const AvatarFeed&) = delete;
  AvatarFeed& operator=(const AvatarFeed&) = delete;

  // The stream is there again. Does nothing while it is pulled.
  void Resume();
  // Since when its place may be had, by client::SteadySeconds: its stream was removed, or nothing
  // is pushed. None while it is pulled or plays.
  std::optional<double> ended_s() const;
  // Null: it is pulled.
  PushInbox* pushes() const { return options_.pushes.get(); }

  // Outlives this for as long as somebody reads it.
  std::shared_ptr<const History> history() const { return history_; }
  const std::string& stream_id() const { return options_.pull.ids.stream_id; }
  // Empty: the stream's only avatar.
  std::string target() const;
  // The name of the avatar that is pulled already, for pulls to come: that of a stream with several
  // must name one.
  void SetTarget(const std::string& target);

 private:
  void Run();
  void RunPulls();
  absl::Status RunEvents(const SessionOptions& options, const std::function<NextEvent()>& open);
  void SetEnded(std::optional<double> ended_s);
  // Those of who is shown; null: none.
  std::shared_ptr<const CharacterOffsets> OffsetsToShow() const;
  void MakeOffsets();
  void ShowOffsets(const wire::DataChunk& data);
  void ShowLayout();
  void PostLayout();
  void Wear(const wire::Appearance& asked);
  // Consumer
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override;
  void OnLost(const absl::Status& why) override;
  void OnEnd(const absl::Status& why) override;
  absl::Status Tick(double now_s) override;
  absl::Status Close() override { return absl::OkStatus(); }

  void Post(const std::string& kind, const std::string& fields);
  void PostState(const std::string& state, const std::string& detail);
  void PostStats(double now_s);

  const AvatarFeedOptions options_;
  const skel::RigCatalog* const rigs_;
  Viewers* const viewers_;
  const service::Logger log_;
  const std::shared_ptr<History> history_;

  // Of the feed's thread.
  ViewLayout layout_;
  uint32_t layout_number_ = 0;
  uint32_t frame_number_ = 0;
  wire::StreamHeader names_;       // of the newest connection
  wire::MessageBytes header_;      // whose layout is not shown yet
  bool layout_anew_ = true;        // it has other names than the one before
  std::vector<wire::Prop> props_;  // that the connection has told of
  StreamStats stats_;
  std::string state_;  // as it was posted
  std::string told_state_, told_detail_;
  bool lost_ = false;
  bool in_order_ = false;  // the pull has ended so
  ViewCharacter character_;
  std::shared_ptr<const CharacterOffsets> offsets_of_;  // what offsets_ is of
  std::unique_ptr<PageOffsets> offsets_;
  wire::Appearance worn_;
  std::optional<wire::Appearance> asked_;  // by the stream; to be worn
  double next_wear_s_ = 0;
  bool repull_ = false;  // in another rig
  double at_s_ = 0;      // Unix time of the newest message, by epoch and code
  double receive_s_ = 0;
  double next_stats_s_ = 0;
  double last_stats_s_ = 0;
  int64_t last_frames_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<client::PullClient> pull_;  // guarded by mutex_
  std::string target_;                        // guarded by mutex_
  bool resume_ = false;                       // guarded by mutex_
  std::optional<double> ended_s_;             // guarded by mutex_
  std::atomic<bool> stop_ = false;            // set under mutex_
  std::thread thread_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FEED_H_
