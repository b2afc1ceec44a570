// Source that turns a client's audio, received over a call, into the messages of a speaking face.
//
// Audio is read only when the face needs more of it. So a client that takes messages slowly is also
// read slowly, and a call keeps at most one message of audio in memory. Each message has one face
// and the samples that belong to it, unchanged. After the last sample come faces without samples,
// in which the face returns to rest. A sample may begin in one message and end in the next. Half a
// sample at the end is dropped and reported by Answer.
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
#include "services/a2f_source/core/heard_mood.h"
#include "services/a2f_source/core/sound_plan.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// Interface that delivers the audio. May block.
class AceReader {
 public:
  virtual ~AceReader() = default;
  // Reads the next part. Returns false at the end.
  virtual absl::StatusOr<bool> Read(nvidia_ace::a2f::v1::AudioStream& part) = 0;
};

struct AceSourceOptions {
  timecode::FrameRate fps{30, 1};  // faces per second; 23.976 to 120
  uint64_t seed = 0;               // selects among the movements other than the lips
  bool head = false;               // also moves neck and head; otherwise the stream names no joints
  double max_buffer_s = 10;        // audio in one message
  double max_sound_s = 300;        // audio in total
};

class AceSource : public Source {
 public:
  // Reads the header. INVALID_ARGUMENT names the invalid field, its value and what would be valid.
  // Errors of `reader`, which must outlive this, are returned unchanged.
  static absl::StatusOr<std::unique_ptr<AceSource>> Open(
      AceReader* reader, std::shared_ptr<const speech::SpeechNetwork> network,
      const AceSourceOptions& options);

  // The ids in the header; empty if it has none.
  const wire::StreamIds& ids() const { return ids_; }

  // See Open.
  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;

  // Returns the final status with a summary of the audio and faces. WARNING if something requested
  // had no effect, or half a sample was dropped.
  wire::StatusChunk Answer() const;

 private:
  AceSource(AceReader* reader, const AceSourceOptions& options, int rate_hz, wire::StreamIds ids,
            const FaceSettings& settings, IgnoredFields ignored_fields,
            std::unique_ptr<speech::SoundFace> face);

  absl::Status ReadMore();
  absl::Status Take(const nvidia_ace::a2f::v1::AudioWithEmotion& part);
  absl::Status TakeEmotions(const nvidia_ace::a2f::v1::AudioWithEmotion& part);
  // Feeds the face with samples that were read, up to a portion. Returns false if there are none.
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
  std::deque<speech::FaceFrame> faces_;  // made, not yet sent
  AceFace ace_face_;
  EmotionTrack emotions_;
  const float heard_contrast_;
  Emotions heard_{};  // in the voice, at the last message
  MoodAnnouncer moods_;
  // The emotions in the last message that had any: shown, and heard.
  std::optional<Emotions> told_;
  Emotions told_heard_{};
  std::vector<int16_t> samples_;  // not yet sent, from samples_sent_ on
  std::optional<uint8_t> half_;   // the first byte of a sample, at the end of the last message
  int64_t samples_sent_ = 0;
  // processed by the face; counted from the beginning, as are the other two
  int64_t samples_heard_ = 0;
  int64_t samples_read_ = 0;
  int64_t frames_ = 0;
  bool ended_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SOURCE_H_
