// One avatar of the page: pulled or pushed once, encoded once, sent to all viewers, and kept for
// downloads.
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
#include "services/renderer_sink/draw/prop_models.h"
#include "services/renderer_sink/pushes/push_inbox.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/view/character_files.h"
#include "services/renderer_sink/view/history.h"
#include "services/renderer_sink/view/page_offsets.h"
#include "services/renderer_sink/view/viewers.h"

namespace posewire::renderer_sink {

struct AvatarFeedOptions {
  client::PullOptions pull;
  // Not null: shows what is pushed there, and pulls nothing.
  std::shared_ptr<PushInbox> pushes = nullptr;
  uint8_t avatar = 0;            // number sent to viewers
  ViewCharacter character = {};  // unless the stream requests another
  // Returns the character for a name requested by a stream; nothing if it is unknown.
  std::function<std::optional<ViewCharacter>(const std::string& name)> find = nullptr;
  std::shared_ptr<const PropModels> props = nullptr;  // required
  size_t offsets_bytes = 0;  // memory limit for the offsets of the character shown; 0: no offsets
  HistoryLimits history;
  double late_s = 0.05;
  // A pull that the server ended in order, because its stream was removed, is opened again at once.
  // If false, it waits for Resume, because pulling would create the stream again.
  bool repull = true;
};

// Pulls on a thread of its own, from the constructor to the destructor, over reconnections. Posts
// "layout", "look", "state" and "stats" to the viewers, as described in docs/view.md. For pushes,
// time code 0 is at the Unix time when it plays, because requests follow each other whatever their
// epochs are.
class AvatarFeed : private Consumer {
 public:
  // `rigs` and `viewers` must outlive this.
  AvatarFeed(AvatarFeedOptions options, const skel::RigCatalog* rigs, Viewers* viewers,
             service::Logger log);
  ~AvatarFeed() override;
  AvatarFeed(const AvatarFeed&) = delete;
  AvatarFeed& operator=(const AvatarFeed&) = delete;

  // The stream exists again. Does nothing while it is pulled.
  void Resume();
  // Time since which its place is free, by client::SteadySeconds: its stream was removed, or
  // nothing is pushed. None while it is pulled or plays.
  std::optional<double> ended_s() const;
  // Null if it is pulled.
  PushInbox* pushes() const { return options_.pushes.get(); }

  // Outlives this as long as a download uses it.
  std::shared_ptr<const History> history() const { return history_; }
  const std::string& stream_id() const { return options_.pull.ids.stream_id; }
  // Empty: the stream's only avatar.
  std::string target() const;
  // Sets the name of the avatar that is already pulled, for future pulls, which must name an avatar
  // if the stream has several.
  void SetTarget(const std::string& target);

 private:
  void Run();
  void RunPulls();
  absl::Status RunEvents(const SessionOptions& options, const std::function<NextEvent()>& open);
  void SetEnded(std::optional<double> ended_s);
  // Returns the offsets of the character shown; null: none.
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

  // Used by the feed's thread.
  ViewLayout layout_;
  uint32_t layout_number_ = 0;
  uint32_t frame_number_ = 0;
  wire::StreamHeader names_;       // of the newest connection
  wire::MessageBytes header_;      // its layout is not shown yet
  bool layout_anew_ = true;        // it has other names than the previous one
  std::vector<wire::Prop> props_;  // received over the connection
  StreamStats stats_;
  std::string state_;  // as posted
  std::string told_state_, told_detail_;
  bool lost_ = false;
  bool in_order_ = false;  // the pull has ended in order
  ViewCharacter character_;
  std::shared_ptr<const CharacterOffsets> offsets_of_;  // source of offsets_
  std::unique_ptr<PageOffsets> offsets_;
  wire::Appearance worn_;
  std::optional<wire::Appearance> asked_;  // requested by the stream; to be shown
  double next_wear_s_ = 0;
  bool repull_ = false;  // on another rig
  double at_s_ = 0;      // Unix time of the newest message, by epoch and time code
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
