// A voice that comes over a call, as the messages of a speaking face.
//
// Sound is read when the face needs more of it, and not before: whoever takes the messages slowly
// is sent sound slowly, and a call holds one message of sound at the most. Each message has one
// face and the samples that belong to it, as they came; the faces after the last sample, in which
// the face comes to rest, have none. A sample may begin in one message and end in the next; half a
// sample at the end is dropped, and Answer says so.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SOURCE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/speech/sound_face.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/chunk.h"
#include "nvidia_ace.a2f.v1.pb.h"
#include "services/a2f_source/core/ace_face.h"
#include "services/a2f_source/core/emotion_track.h"
#include "services/a2f_source/core/face_settings.h"
#include "services/a2f_source/core/sound_plan.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// Where the sound comes from. May block.
class AceReader {
 public:
  virtual ~AceReader() = default;
  // The next part; false when there is no more.
  virtual absl::StatusOr<bool> Read(nvidia_ace::a2f::v1::AudioStream& part) = 0;
};

struct AceSourceOptions {
  timecode::FrameRate fps{30, 1};  // faces a second; 23.976 to 120
  uint64_t seed = 0;               // chooses among the ways to move beside the lips
  bool head = false;               // moves neck and head too; else the stream names no joints
  double max_buffer_s = 10;        // sound in one message
  double max_sound_s = 300;        // sound in all
};

class AceSource : public Source {
 public:
  // Reads the header. INVALID_ARGUMENT names the field that is wrong, what it is and what would be
  // right; errors of `reader`, which outlives this, come as they are.
  static absl::StatusOr<std::unique_ptr<AceSource>> Open(
      AceReader* reader, std::shared_ptr<const speech::SpeechNetwork> network,
      const AceSourceOptions& options);

  // As the header has them; empty where it has none.
  const wire::StreamIds& ids() const { return ids_; }

  // As of Open.
  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;

  // What was made of how much sound: WARNING where something that was asked for has no effect, or
  // half a sample was dropped.
  wire::StatusChunk Answer() const;

 private:
  AceSource(AceReader* reader, const AceSourceOptions& options, int rate_hz, wire::StreamIds ids,
            const FaceSettings& settings, IgnoredFields ignored_fields,
            std::unique_ptr<speech::SoundFace> face);

  absl::Status ReadMore();
  absl::Status Take(const nvidia_ace::a2f::v1::AudioWithEmotion& part);
  absl::Status TakeEmotions(const nvidia_ace::a2f::v1::AudioWithEmotion& part);
  // Feeds the face with what was read, up to a portion; false: there is no more of it.
  bool FeedFace();
  wire::Message MakeMessage(const speech::FaceFrame& face);
  void AddAudio(int64_t frame, wire::DataChunk& data);
  void AddEmotions(const speech::FaceFrame& face, const Emotions& emotions, wire::DataChunk& data);

  AceReader* const reader_;
  const AceSourceOptions options_;
  const int rate_hz_;
  const wire::StreamIds ids_;
  IgnoredFields ignored_fields_;
  const std::unique_ptr<speech::SoundFace> sound_face_;
  SoundPlan plan_;
  std::deque<speech::FaceFrame> faces_;  // heard and not sent
  AceFace ace_face_;
  EmotionTrack emotions_;
  std::optional<Emotions> told_;  // the emotions that a message had last
  std::vector<int16_t> samples_;  // that were not sent, from samples_sent_ on
  std::optional<uint8_t> half_;   // the first byte of a sample, at the end of the last message
  int64_t samples_sent_ = 0;
  int64_t samples_heard_ = 0;  // by the face; of the whole sound, as the other two
  int64_t samples_read_ = 0;
  int64_t frames_ = 0;
  bool ended_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SOURCE_H_
