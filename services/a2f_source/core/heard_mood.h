// The mood that is heard in a voice, as emotions of the face and as metadata of the stream.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_HEARD_MOOD_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_HEARD_MOOD_H_

#include <vector>

#include "libs/speech/voice_mood.h"
#include "libs/wire/chunk.h"
#include "services/a2f_source/core/emotion_track.h"

namespace posewire::a2f_source {

// Returns the emotions that go with a mood, each 0 to 1. Arousal raises brows and lids, and valence
// decides between joy and anger; a tired voice looks sad. `contrast` above 1 favours the strongest,
// below 1 evens them out; 0.3 to 3.
Emotions EmotionsOf(const speech::Mood& mood, float contrast = 1);

// Announces a mood when it has changed by enough to be seen, and again every two seconds, because a
// server may have been replaced by another. One thread.
class MoodAnnouncer {
 public:
  // Appends the metadata entry posewire.voice_mood, if it is time.
  void Announce(double time_s, const speech::Mood& mood, std::vector<wire::MetadataEntry>& out);

 private:
  speech::Mood told_;
  double told_s_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_HEARD_MOOD_H_
