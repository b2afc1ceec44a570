// Computes the tongue's sixteen shapes from the sounds that are heard.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_TONGUE_TRACK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_TONGUE_TRACK_H_

#include <array>

#include "libs/speech/speech_network.h"
#include "services/a2f_source/core/ace_shapes.h"

namespace posewire::a2f_source {

struct TongueSettings {
  float strength = 1;
  // Added to the position that follows from the sounds: up, and forward. 3 is the tongue's full
  // range.
  float height_offset = 0, depth_offset = 0;
};

// Uses simple rules of phonetics: the tip is up for t, d, n and l, the back for k and g, the tongue
// low and back for open vowels, and so on, eased over 40 ms. No sound turns the tongue to a side or
// rolls it down, so TongueTipLeft, TongueTipRight, TongueRollDown, TongueRollLeft, TongueRollRight,
// TongueLeft and TongueRight stay 0. TongueOut is one of the mouth's shapes and is not set here.
// One thread.
class TongueTrack {
 public:
  explicit TongueTrack(const TongueSettings& settings) : settings_(settings) {}

  // Adds the tongue's shapes for the sounds `heard` to `face`; nothing in silence. `step_s` is the
  // time since the previous face.
  void Add(const std::array<float, speech::kSoundClasses>& heard, double step_s, AceWeights& face);

 private:
  const TongueSettings settings_;
  std::array<float, speech::kSoundClasses> eased_{};
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_TONGUE_TRACK_H_
