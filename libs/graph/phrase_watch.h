// Detects the ends of a speaker's phrases from loudness: the moments at which a listener is
// expected to answer with a nod (Yngve, "On getting a word in edgewise", 1970; Ward and Tsukahara,
// "Prosodic features which cue back-channel responses", 2000, who require at least 0.7 s of speech
// before it).
#ifndef POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_

namespace posewire::graph {

// Loudness of silence, and the loudness assumed for a user of whom only `speaks` is known, in dB
// relative to full scale.
inline constexpr float kSilent_db = -100, kSpeaks_db = -20;

// One voice. Sound 25 dB below its loudest recent moments, or under -55 dB of full scale, is a
// pause; a pause of 0.15 s, longer than in any plosive, ends a phrase. One thread; no allocation.
class PhraseWatch {
 public:
  // Returns true once for each phrase of at least 0.7 s, when its pause has lasted 0.15 s.
  bool Step(float voice_db, float dt_s);
  // Returns whether the voice speaks, or pauses no longer than within a phrase.
  bool speaks() const { return spoken_s_ > 0; }

 private:
  float loudest_db_ = kSilent_db;
  float spoken_s_ = 0, pause_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_
