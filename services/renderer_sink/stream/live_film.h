// `renderer_sink stream`: shows a pull as a live film with audio.
//
// Three threads that never block each other: the session's adds poses and audio to the film's time
// line (JitterBuffer), one draws the slots whose time has come (selected by PicturePacer), and one
// outputs a slot each frame period, drawn or not, as fast as ffmpeg takes them (FilmQueue,
// FilmPipe). So a film always has exactly as many pictures and samples as its duration requires;
// slowness costs pictures, which are counted.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "services/renderer_sink/core/detail_control.h"
#include "services/renderer_sink/core/film_queue.h"
#include "services/renderer_sink/core/jitter_buffer.h"
#include "services/renderer_sink/core/lateness.h"
#include "services/renderer_sink/core/picture_pacer.h"
#include "services/renderer_sink/core/prop_track.h"
#include "services/renderer_sink/core/seen_clips.h"
#include "services/renderer_sink/core/staging.h"
#include "services/renderer_sink/draw/character_set.h"
#include "services/renderer_sink/draw/live_offsets.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/stream/film_counts.h"
#include "services/renderer_sink/stream/film_pipe.h"
#include "services/renderer_sink/stream/film_target.h"

namespace posewire::renderer_sink {

struct LiveFilmOptions {
  FilmTarget target;
  FilmFormat format;
  CharacterSetOptions characters;
  double delay_s = 0.1;  // from a frame's arrival to its drawing, to absorb jitter
  // Location of the offsets (FindOffsets) with which the avatar is drawn as a film's character;
  // empty: it uses its own shapes. And their memory limit.
  std::string offsets = "";
  size_t offsets_bytes = size_t{256} << 20;
  std::shared_ptr<RangeCache> offsets_cache = nullptr;  // for those of servers; null: none
  // Whether detail is left out when it is too small to be seen, or pictures take too long
  // (DetailControl).
  bool adapts = false;
  std::shared_ptr<FilmCounts> counts = std::make_shared<FilmCounts>();
  // Not null: when it returns true, Close does not show the remaining frames.
  std::function<bool()> stopped = nullptr;
  // Not null: called with a line for users when the film is over.
  std::function<void(const std::string&)> say = nullptr;
};

// A film for an address begins at once, at rest, and one for a file with the first frame. The file
// gets its name when it is complete, and ends in .part before. One thread calls Consumer's methods.
class LiveFilm : public Consumer {
 public:
  // Errors: those of the avatar, its offsets, Mesa and ffmpeg, and of a location where no file can
  // be created.
  static absl::StatusOr<std::unique_ptr<LiveFilm>> Create(LiveFilmOptions options,
                                                          service::Logger log);
  ~LiveFilm() override;

  // INVALID_ARGUMENT if the avatar has none of the header's names.
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  // UNAVAILABLE, with ffmpeg's messages, if it has ended.
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

 private:
  LiveFilm(LiveFilmOptions options, std::unique_ptr<skel::RigCatalog> catalog,
           std::unique_ptr<CharacterSet> characters, std::unique_ptr<LiveOffsets> offsets,
           FilmPipe pipe, service::Logger log);
  // On the thread that draws.
  void RunDrawer();
  absl::Status Draw();
  std::optional<wire::Appearance> AskedBy(double at_s);
  void LookForOffsets(const CharacterSet::Actor& actor);
  // Draws the actor by this detail from now on.
  void SetDetail(const Detail& detail, CharacterSet::Actor& actor);
  absl::Status DrawActor(const CharacterSet::Actor& actor, const skel::PoseView& pose, double at_s,
                         const wire::Contributions& seen, render::Picture& out);
  // On the thread that outputs.
  void RunOutput();
  absl::Status HandOver();
  void Show(const PicturePacer::Shown& shown, double now_s);

  void Start(double now_s);
  void ShowTheRest();
  void Stop();
  // The first error counts.
  void Fail(const absl::Status& status);
  // Adds the target to an error, without secrets.
  absl::Status Named(const absl::Status& status) const;
  absl::Status FinishFile() const;
  void LogCounts() const;
  double FilmSeconds() const;

  const LiveFilmOptions options_;
  const std::unique_ptr<const skel::RigCatalog> catalog_;
  const std::unique_ptr<CharacterSet> characters_;  // used by the thread that draws
  // Used by the thread that draws. Null: none.
  const std::unique_ptr<LiveOffsets> offsets_;
  bool offsets_fit_ = true;  // they were made for the character drawn now
  DetailControl detail_control_;
  Detail detail_;  // of the last picture
  const service::Logger log_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  JitterBuffer jitter_buffer_;
  std::deque<std::pair<double, wire::Appearance>> asked_;  // by the film's time; to be drawn
  Staging staging_;
  std::deque<std::pair<double, Staging>> stagings_;  // likewise
  SeenClips seen_;
  bool seen_told_ = false;             // contributions have arrived, or their absence was logged
  PropTrack props_;                    // likewise
  bool begins_ = false;                // a new connection, whose first message has all objects
  std::optional<PicturePacer> pacer_;  // set once there is a first picture
  std::optional<double> start_s_;      // beginning of the film, by client::SteadySeconds
  bool stop_ = false;
  absl::Status failure_;
  double draw_s_ = 0, longest_draw_s_ = 0;  // total and longest drawing time
  int64_t drawn_ = 0;

  // Used by the thread that outputs, and by Close when that has ended.
  FilmPipe pipe_;
  FilmQueue queue_;
  Lateness late_;
  std::vector<int16_t> voice_;
  double next_log_s_ = 0;

  bool closed_ = false;
  std::thread drawer_, output_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_
