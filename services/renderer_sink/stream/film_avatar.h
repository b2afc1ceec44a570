// One avatar of a live film: what has arrived for it, and its state at the time of a picture.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_AVATAR_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_AVATAR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/asset/scene.h"
#include "libs/character/character.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/appearance.h"
#include "libs/wire/chunk.h"
#include "libs/wire/contributions.h"
#include "libs/wire/props.h"
#include "services/renderer_sink/core/jitter_buffer.h"
#include "services/renderer_sink/core/prop_track.h"
#include "services/renderer_sink/core/seen_clips.h"
#include "services/renderer_sink/core/staging.h"
#include "services/renderer_sink/draw/stream_camera.h"

namespace posewire::renderer_sink {

// Times are seconds of the film. One thread at a time; only `drawn` is of the thread that draws.
class FilmAvatar {
 public:
  // `who`: the character, as for character_file::OpenCharacter. `contributions`: whether to keep
  // which clips its frames are made of.
  FilmAvatar(int id, std::string who, std::shared_ptr<const character::Character> character,
             double delay_s, bool contributions);

  // Errors: those of JitterBuffer::OnHeader.
  absl::Status OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& catalog);
  void OnData(const wire::DataChunk& data, double now_s);
  void PlaceAt(const asset::GroundPlace& place) { place_ = place; }
  // Shows it no more once all that has arrived is shown.
  void Leave() { left_ = true; }

  const int id;  // of the film
  const std::string who;
  const std::shared_ptr<const character::Character> character;

  // Whether it is in the picture: from its first header on.
  bool shown(double at_s) const { return came_ && (!left_ || at_s <= end_s()); }
  // Whether it never will be again, nor be heard.
  bool gone(double at_s) const;
  double end_s() const { return jitter_buffer_.end_s(); }
  const JitterBuffer::Counts& counts() const { return jitter_buffer_.counts(); }
  int64_t contributions_left_out() const { return seen_.left_out(); }
  // Returns true, once, if it has sent a frame without contributions although they are kept.
  bool TakeHasNoContributions() { return std::exchange(says_nothing_, false); }
  // As JitterBuffer::TakeVoice.
  void TakeVoice(int64_t first, absl::Span<int16_t> out) { jitter_buffer_.TakeVoice(first, out); }

  // At the time of a picture.
  struct Moment {
    explicit Moment(const skel::Rig& rig) : pose(rig.joints(), rig.shapes()) {}
    skel::Pose pose;
    wire::Appearance worn;
    bool worn_changed = false;  // since the last picture
    Staging staging;
    wire::Contributions seen;
    std::vector<wire::Prop> props;
    asset::GroundPlace place;
    StreamCamera camera;
  };
  Moment drawn;
  // Sets `drawn`. `at_s` must not decrease. Forgets what is over.
  void MoveTo(double at_s);

 private:
  const bool contributions_;
  JitterBuffer jitter_buffer_;
  std::deque<std::pair<double, wire::Appearance>> asked_;  // to be drawn
  Staging staging_;
  std::deque<std::pair<double, Staging>> stagings_;  // likewise
  SeenClips seen_;
  bool judged_ = false;        // contributions have arrived, or their absence was noted
  bool says_nothing_ = false;  // and was not taken yet
  PropTrack props_;
  StreamCamera camera_;
  bool begins_ = false;  // a new connection, whose first message has all objects
  asset::GroundPlace place_;
  bool came_ = false, left_ = false;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_AVATAR_H_
