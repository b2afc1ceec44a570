// Measures how far a voice's own times lag its audio.
//
// A server may send times of its model instead of its audio, or of audio that was trimmed
// afterwards. Lips that part 60 ms late look wrong to every viewer, and worse than lips that follow
// the audio. Closed lips can be detected in the audio: the network has an output for that. So the
// detected closures are compared with the p, b and m of the marks, and the median of the
// differences is the lag of the marks.
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

// Measurements of one voice. Thread-safe.
class MarkLag {
 public:
  static constexpr size_t kLeast = 20;     // closures required for a result
  static constexpr double kMost_s = 0.03;  // smallest lag that viewers can see

  explicit MarkLag(std::shared_ptr<const SpeechNetwork> network) : network_(std::move(network)) {}

  // Measures a piece; takes about a hundredth of its duration.
  void Measure(const SpeechPiece& piece);

  // Returns by how much the marks are late, in seconds, negative if they are early; nothing until
  // kLeast closures were detected. The median of the last 200.
  std::optional<double> lag_s() const;

 private:
  const std::shared_ptr<const SpeechNetwork> network_;
  mutable std::mutex mutex_;
  std::deque<double> found_s_;  // guarded by mutex_
};

// Measures the audio of `voice`, and corrects the marks of texts that begin later by the result, if
// that is more than kMost_s. A note reports it, once for each voice made here.
std::unique_ptr<Voice> WithoutLag(std::unique_ptr<Voice> voice, std::shared_ptr<MarkLag> lag);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MARK_LAG_H_
