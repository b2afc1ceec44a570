// `renderer_sink stream`: what is pulled, as a live film with its voice.
//
// Three threads, and nothing that one of them does holds up another: the session's puts poses and
// voice on the film's line (JitterBuffer), one draws the slots whose time has come (PicturePacer
// says which), and one hands over a slot each frame period, drawn or not, and gives ffmpeg what it
// takes (FilmQueue, FilmPipe). So a film always has as many pictures and samples as there is time
// for; what is too slow costs pictures, which are counted.
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
#include "services/renderer_sink/core/film_queue.h"
#include "services/renderer_sink/core/jitter_buffer.h"
#include "services/renderer_sink/core/lateness.h"
#include "services/renderer_sink/core/picture_pacer.h"
#include "services/renderer_sink/core/prop_track.h"
#include "services/renderer_sink/core/seen_clips.h"
#include "services/renderer_sink/draw/character_set.h"
#include "services/renderer_sink/draw/live_offsets.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/stream/film_pipe.h"
#include "services/renderer_sink/stream/film_target.h"

namespace posewire::renderer_sink {

struct LiveFilmOptions {
  FilmTarget target;
  FilmFormat format;
  CharacterSetOptions characters;
  double delay_s = 0.1;  // from a frame's arrival to its drawing, as room for jitter
  // Where the offsets are (FindOffsets) that the avatar is drawn by as a film's character; empty:
  // it has its own shapes. And the memory that they may take.
  std::string offsets = "";
  size_t offsets_bytes = size_t{256} << 20;
  // Not null: what has come when it is closed is not shown to its end once this says so.
  std::function<bool()> stopped = nullptr;
  // Not null: gets a line for people when the film is over.
  std::function<void(const std::string&)> say = nullptr;
};

// A film for an address begins at once, at rest, and one for a file with the first frame; the file
// has its name when it is whole, and ends in .part before. Consumer's calls come on one thread.
class LiveFilm : public Consumer {
 public:
  // Errors: of the avatar, its offsets, Mesa and ffmpeg, and of a place where no file can be.
  static absl::StatusOr<std::unique_ptr<LiveFilm>> Create(LiveFilmOptions options,
                                                          service::Logger log);
  ~LiveFilm() override;

  // INVALID_ARGUMENT for names of which the avatar has none.
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  // UNAVAILABLE with ffmpeg's words when it has ended.
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

 private:
  LiveFilm(LiveFilmOptions options, std::unique_ptr<skel::RigCatalog> catalog,
           std::unique_ptr<CharacterSet> characters, std::unique_ptr<LiveOffsets> offsets,
           FilmPipe pipe, service::Logger log);
  // Of the thread that draws.
  void RunDrawer();
  absl::Status Draw();
  std::optional<wire::Appearance> AskedBy(double at_s);
  void LookForOffsets(const CharacterSet::Actor& actor);
  absl::Status DrawActor(const CharacterSet::Actor& actor, const skel::PoseView& pose, double at_s,
                         const wire::Contributions& seen, render::Picture& out);
  // Of the thread that hands over.
  void RunOutput();
  absl::Status HandOver();
  void Show(const PicturePacer::Shown& shown, double now_s);

  void Start(double now_s);
  void ShowTheRest();
  void Stop();
  // The first error counts.
  void Fail(const absl::Status& status);
  // With the place it is for, and without what may be a secret.
  absl::Status Named(const absl::Status& status) const;
  absl::Status FinishFile() const;
  void LogCounts() const;
  double FilmSeconds() const;

  const LiveFilmOptions options_;
  const std::unique_ptr<const skel::RigCatalog> catalog_;
  const std::unique_ptr<CharacterSet> characters_;  // of the thread that draws
  // Of the thread that draws. Null: none.
  const std::unique_ptr<LiveOffsets> offsets_;
  bool offsets_fit_ = true;  // what is drawn now is what they were made of
  const service::Logger log_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  JitterBuffer jitter_buffer_;
  std::deque<std::pair<double, wire::Appearance>> asked_;  // by the film's time; to be drawn
  SeenClips seen_;
  bool seen_told_ = false;  // data has come, and it said what it is made of, or the log that not
  PropTrack props_;         // the same
  bool begins_ = false;     // a connection, which tells what there is with its first message
  std::optional<PicturePacer> pacer_;  // once there is a first picture
  std::optional<double> start_s_;      // of the film, by client::SteadySeconds
  bool stop_ = false;
  absl::Status failure_;
  double draw_s_ = 0, longest_draw_s_ = 0;  // all drawing, and the longest
  int64_t drawn_ = 0;

  // Of the thread that hands over; of Close when it is over.
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
