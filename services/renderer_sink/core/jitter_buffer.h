// What a pull brings, on the time line of a film: which pose and which samples belong to a moment.
//
// The film's clock is that of this machine and never waits; frames come by the server's clock, by a
// network. So each connection is laid on the film's line by one shift, chosen so that its first
// frame is shown `delay_s` after it came; poses and voice have the same shift, which keeps the lips
// on the voice to the sample. The shift stays as it is, and with it the voice bit for bit, but
// - a frame that comes too late moves it, so that nothing is lost: the pose waits, in silence;
// - what that has added, and what two clocks drift apart, is taken back by a twentieth of the time,
//   where the voice is silent.
// Where nothing comes the pose stays for a moment and goes to rest.
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
  static constexpr double kHold_s = 0.5;        // without frames, before the pose goes to rest
  static constexpr double kToRest_s = 0.4;      // and back
  static constexpr double kMostAhead_s = 30;    // what comes further ahead is left out
  static constexpr size_t kMostKeys = 1 << 13;  // of a track; more are left out
  static constexpr int16_t kSilence = 66;       // -54 dB

  // Poses are on `rig`; where nothing comes they stand as `at_ease` says, and at the rig's rest
  // where that is absent, or empty.
  JitterBuffer(std::shared_ptr<const skel::Rig> rig, double delay_s,
               const skel::Pose& at_ease = {});

  // A connection's header. Of a rig of the catalog the root and the hips take translations; one
  // that a file brought has joints of any kind, and all do. INVALID_ARGUMENT when the rig has none
  // of its names; then nothing has changed.
  absl::Status OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& catalog);
  // Of the newest header; before it, nothing is taken. False: this was not.
  bool OnData(const wire::DataChunk& data, double now_s);

  // The pose at `at_s`, which rises from call to call; every value is present.
  void PoseAt(double at_s, const skel::PoseSpan& out);
  // How much of the last pose was the stream's, 0 to 1; the rest was at rest.
  double share() const { return shown_ < 0 ? 0 : shown_; }
  // Samples at VoiceLine::kRate_hz from `first` on, which never falls.
  void TakeVoice(int64_t first, absl::Span<int16_t> out) { voice_.Take(first, out); }

  // The end of what has come.
  double end_s() const;

  struct Counts {
    int64_t late = 0;      // messages that came too late and moved the shift
    int64_t left_out = 0;  // messages too far ahead, or too many
  };
  const Counts& counts() const { return counts_; }
  // Samples of the voice that came too late to be heard.
  int64_t late_samples() const { return voice_.late(); }
  // From the code to the moment at which it is shown; moves in silence.
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
  std::vector<skel::KeyTrack> tracks_;  // by PoseTrack, at moments of the film
  std::array<std::vector<float>, wire::kPoseTracks> between_;
  std::vector<std::string> shapes_, joints_;  // that they are of
  std::vector<double> codes_s_;
  skel::Pose pose_, rest_;
  VoiceLine voice_;
  std::optional<timecode::AudioPlacer> placer_;  // none: the connection has no voice

  bool anchored_ = false;
  int64_t shift_ = 0;   // samples of the line
  bool silent_ = true;  // the voice of the message before
  double last_code_s_ = 0;
  // How much was still held, at least, when a message came: in this stretch of time, and in the one
  // before.
  double stretch_end_s_ = 0;
  double margin_s_ = 0, margin_before_s_ = 0;

  double shown_ = -1;  // 0: rest, 1: the stream; below 0: nothing was asked for yet
  double last_at_s_ = 0;
  Counts counts_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_JITTER_BUFFER_H_
