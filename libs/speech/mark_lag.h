// How far a voice's own times lie behind its sound.
//
// A server may send times that are those of its model rather than of its sound, or of a sound that
// was cut afterwards. Lips that part 60 ms late look wrong to everybody, and worse than lips that
// follow the sound. Where the lips close can be heard: the network has an output for just that. So
// the closures that are heard are compared with the p, b and m of the marks, and the median of the
// differences is how late the marks are.
#ifndef POSEWIRE_LIBS_SPEECH_MARK_LAG_H_
#define POSEWIRE_LIBS_SPEECH_MARK_LAG_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "libs/speech/speech_network.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// What was measured of one voice. Thread-safe.
class MarkLag {
 public:
  static constexpr size_t kLeast = 20;     // closures that it takes
  static constexpr double kMost_s = 0.03;  // that nobody sees

  explicit MarkLag(std::shared_ptr<const SpeechNetwork> network) : network_(std::move(network)) {}

  // Hears a piece; costs about a hundredth of its length in time.
  void Measure(const SpeechPiece& piece);

  // By how much the marks are late, in seconds, negative where they are early; nothing until
  // kLeast closures were heard. The median of the last 200.
  std::optional<double> lag_s() const;

 private:
  const std::shared_ptr<const SpeechNetwork> network_;
  mutable std::mutex mutex_;
  std::deque<double> found_s_;  // guarded by mutex_
};

// Measures what `voice` says, and moves the marks of texts that begin later by what was found,
// where that is more than kMost_s. A note says so, once for each voice made here.
std::unique_ptr<Voice> WithoutLag(std::unique_ptr<Voice> voice, std::shared_ptr<MarkLag> lag);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MARK_LAG_H_
