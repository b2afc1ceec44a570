// Tells from how loud somebody is where a phrase of theirs ends: the moments at which a listener is
// expected to answer with a nod (Yngve, "On getting a word in edgewise", 1970; Ward and Tsukahara,
// "Prosodic features which cue back-channel responses", 2000, who ask for at least 0.7 s of speech
// before it).
#ifndef POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_

namespace posewire::graph {

// How loud silence is, and what stands for the voice of somebody of whom it is only known that they
// speak: dB of full scale.
inline constexpr float kSilent_db = -100, kSpeaks_db = -20;

// One voice. What is 25 dB below its loudest moments of late, or under -55 dB of full scale, is a
// pause; one of 0.15 s, which no plosive has, ends a phrase. One thread; no allocation.
class PhraseWatch {
 public:
  // True once for each phrase of at least 0.7 s, when its pause has lasted 0.15 s.
  bool Step(float voice_db, float dt_s);
  // Speaks, or pauses no longer than within a phrase.
  bool speaks() const { return spoken_s_ > 0; }

 private:
  float loudest_db_ = kSilent_db;
  float spoken_s_ = 0, pause_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PHRASE_WATCH_H_
