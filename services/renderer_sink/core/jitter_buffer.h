// Jitter buffer: maps the frames and audio of a pull to the time line of a live film.
//
// The film's clock is that of this machine and never waits; frames arrive over a network, by the
// server's clock. So each connection is shifted to the film's time line such that its first frame
// is shown `delay_s` after its arrival. Poses and audio have the same shift, which keeps lips and
// voice in sync to the sample. The shift, and with it the audio bit for bit, stays unchanged,
// except:
// - A frame that arrives too late increases it, so that nothing is lost: the pose holds, in
//   silence.
// - That increase, and the drift between the two clocks, is corrected by a twentieth of the time
//   while the voice is silent.
// If no frames arrive, the pose is held for a moment and then returns to rest.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_JITTER_BUFFER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_JITTER_BUFFER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/key_track.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/chunk.h"
#include "libs/wire/source_binding.h"
#include "services/renderer_sink/core/voice_line.h"

namespace posewire::renderer_sink {

// Times are seconds of the film, from 0. One thread.
class JitterBuffer {
 public:
  static constexpr double kHold_s = 0.5;        // without frames, until the pose returns to rest
  static constexpr double kToRest_s = 0.4;      // and back
  static constexpr double kMostAhead_s = 30;    // data further ahead is dropped
  static constexpr size_t kMostKeys = 1 << 13;  // per track; more are dropped
  static constexpr int16_t kSilence = 66;       // -54 dB

  // Poses are on `rig`. Without frames they are as in `at_ease`, or at the rig's rest pose if that
  // is absent or empty.
  JitterBuffer(std::shared_ptr<const skel::Rig> rig, double delay_s,
               const skel::Pose& at_ease = {});

  // Begins a connection. On a rig of the catalog, the root and the hips take translations; on a rig
  // from a file, all joints do. INVALID_ARGUMENT if the rig has none of the header's names; nothing
  // changes then.
  absl::Status OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& catalog);
  // Adds data of the newest header. Returns false if it was not taken, as before the first header.
  bool OnData(const wire::DataChunk& data, double now_s);

  // Writes the pose at `at_s`, which must not decrease; every value is present.
  void PoseAt(double at_s, const skel::PoseSpan& out);
  // Share of the stream in the last pose, 0 to 1; the rest is the rest pose.
  double share() const { return shown_ < 0 ? 0 : shown_; }
  // Writes samples at VoiceLine::kRate_hz from `first` on, which must not decrease.
  void TakeVoice(int64_t first, absl::Span<int16_t> out) { voice_.Take(first, out); }

  // End of the data received.
  double end_s() const;

  struct Counts {
    int64_t late = 0;      // messages that arrived too late and increased the shift
    int64_t left_out = 0;  // messages too far ahead, or too many
  };
  const Counts& counts() const { return counts_; }
  // Audio samples that arrived too late to be heard.
  int64_t late_samples() const { return voice_.late(); }
  // From a time code to the time at which it is shown; changes in silence.
  double shift_s() const { return static_cast<double>(shift_) / VoiceLine::kRate_hz; }

 private:
  void Anchor(double time_code_s, double now_s);
  void Adjust(const wire::DataChunk& data, double now_s);
  void AppendVoice(const wire::AudioBuffer& audio);
  double EndOfKeys() const;
  double EndOfVoice() const { return static_cast<double>(voice_.end()) / VoiceLine::kRate_hz; }

  const std::shared_ptr<const skel::Rig> rig_;
  const double delay_s_;
  std::optional<wire::SourceBinding> binding_;
  std::vector<skel::KeyTrack> tracks_;  // by PoseTrack, in the film's time
  std::array<std::vector<float>, wire::kPoseTracks> between_;
  std::vector<std::string> shapes_, joints_;  // of these tracks
  std::vector<double> codes_s_;
  skel::Pose pose_, rest_;
  VoiceLine voice_;
  std::optional<timecode::AudioPlacer> placer_;  // none: the connection has no audio

  bool anchored_ = false;
  int64_t shift_ = 0;   // in samples of the film's time line
  bool silent_ = true;  // the previous message's audio was silent
  double last_code_s_ = 0;
  // The least that was still buffered when a message arrived, in this period and in the previous
  // one.
  double stretch_end_s_ = 0;
  double margin_s_ = 0, margin_before_s_ = 0;

  double shown_ = -1;  // 0: rest, 1: the stream; below 0: no pose was requested yet
  double last_at_s_ = 0;
  Counts counts_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_JITTER_BUFFER_H_
