// `renderer_sink stream`: shows one avatar, or all of a stream, as a live film with audio.
//
// Threads that never block each other: those of the sessions, one for each avatar, add poses and
// audio to the film's time line (FilmAvatar), one draws the slots whose time has come (selected by
// PicturePacer), and one outputs a slot each frame period, drawn or not, as fast as ffmpeg takes
// them (FilmQueue, FilmPipe). So a film always has exactly as many pictures and samples as its
// duration requires; slowness costs pictures, which are counted.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/asset/scene.h"
#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "services/renderer_sink/core/detail_control.h"
#include "services/renderer_sink/core/film_queue.h"
#include "services/renderer_sink/core/lateness.h"
#include "services/renderer_sink/core/picture_pacer.h"
#include "services/renderer_sink/core/staging.h"
#include "services/renderer_sink/draw/character_set.h"
#include "services/renderer_sink/draw/companions.h"
#include "services/renderer_sink/draw/live_offsets.h"
#include "services/renderer_sink/pull/cast.h"
#include "services/renderer_sink/stream/film_avatar.h"
#include "services/renderer_sink/stream/film_counts.h"
#include "services/renderer_sink/stream/film_pipe.h"
#include "services/renderer_sink/stream/film_target.h"

namespace posewire::renderer_sink {

struct LiveFilmOptions {
  FilmTarget target;
  FilmFormat format;
  CharacterSetOptions characters;
  enum class View { kOne, kAll, kShot };
  // What is seen: the first avatar by its character's camera, or all of them from the front, or
  // all of them by the first one's own camera track; without that, as kAll, or of one as kOne.
  View view = View::kOne;
  std::string stream_id = "";  // for the characters of its avatars
  double delay_s = 0.1;        // from a frame's arrival to its drawing, to absorb jitter
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
//
// The first avatar that is there is the lead: the others are drawn next to it, and the objects, the
// light, the camera track and the offsets are its own. If nobody has a place, they are side by
// side. One that leaves, or is silent, never holds up the film; when nobody is there, the default
// character is at rest.
class LiveFilm : public Cast {
 public:
  // Errors: those of the avatar, its offsets, Mesa and ffmpeg, and of a location where no file can
  // be created.
  static absl::StatusOr<std::unique_ptr<LiveFilm>> Create(LiveFilmOptions options,
                                                          service::Logger log);
  ~LiveFilm() override;

  // Errors: those of the character. The member's OnHeader returns INVALID_ARGUMENT if its character
  // has none of the header's names.
  absl::StatusOr<std::unique_ptr<CastMember>> Join(const std::string& target,
                                                   const asset::GroundPlace& place) override;
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
  using Avatars = std::vector<std::shared_ptr<FilmAvatar>>;
  // Draws these; the first is the lead.
  absl::Status DrawAvatars(const Avatars& shown, double at_s, render::Picture& out);
  // Shows the lead in what it wears. Returns whether something has changed for the eye.
  absl::StatusOr<bool> ShowLead(FilmAvatar& lead);
  absl::Status PoseOthers(const Avatars& shown, double at_s);
  render::Camera CameraFor(const Avatars& shown, double at_s) const;
  void LookForOffsets(const CharacterSet::Actor& actor);
  // Draws the actor by this detail from now on.
  void SetDetail(const Detail& detail, CharacterSet::Actor& actor);
  // On the thread that outputs.
  void RunOutput();
  absl::Status HandOver();
  void Show(const PicturePacer::Shown& shown, double now_s);

  class Member;
  // Guarded by mutex_.
  void OnData(FilmAvatar& avatar, const wire::DataChunk& data);
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
  // Who is at rest while nobody is there.
  const std::shared_ptr<FilmAvatar> idle_;
  // Used by the thread that draws:
  int lead_ = -1;                                  // id of the last picture's
  CharacterSet::Actor* actor_ = nullptr;           // who shows it
  Staging staging_;                                // of the last picture
  std::vector<int> ids_;                           // of those in it
  std::map<int, CharacterSet::Companion> others_;  // by id; in what they wear
  Companions companions_;
  const service::Logger log_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  Avatars avatars_;  // in the order in which they came
  int next_id_ = 1;
  // Characters that were read, by the names of the command line.
  std::map<std::string, std::shared_ptr<const character::Character>> opened_;
  bool seen_told_ = false;  // the absence of contributions was logged
  struct {
    int64_t late = 0, left_out = 0, contributions = 0;
  } gone_;                             // counts of avatars that are no more
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
  std::vector<int16_t> voice_, one_voice_;
  double next_log_s_ = 0;

  bool closed_ = false;
  std::thread drawer_, output_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_FILM_H_
