#include "libs/graph/phrase_watch.h"

#include <algorithm>

namespace posewire::graph {
namespace {

constexpr float kBelow_db = 25, kLeast_db = -55;
// Rate at which the loudest moments are forgotten.
constexpr float kForget_db_s = 3;
constexpr float kPause_s = 0.15f, kPhrase_s = 0.7f;

}  // namespace

bool PhraseWatch::Step(float voice_db, float dt_s) {
  loudest_db_ = std::max(voice_db, loudest_db_ - kForget_db_s * dt_s);
  if (voice_db > std::max(loudest_db_ - kBelow_db, kLeast_db)) {
    spoken_s_ += pause_s_ + dt_s;
    pause_s_ = 0;
    return false;
  }
  if (spoken_s_ == 0) return false;
  pause_s_ += dt_s;
  if (pause_s_ < kPause_s - 1e-4f) return false;
  const bool phrase = spoken_s_ >= kPhrase_s;
  spoken_s_ = pause_s_ = 0;
  return phrase;
}

}  // namespace posewire::graph
