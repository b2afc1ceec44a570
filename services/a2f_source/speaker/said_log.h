// Follows what of a text has been heard so far.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAID_LOG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAID_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/speech/text_mark.h"
#include "services/a2f_source/core/say_source.h"

namespace posewire::a2f_source {

enum class SayEnd { kCompleted, kStopped, kInterrupted, kFailed };

// Follows a text for whoever asked for it. Calls come on any thread, in order and one at a time,
// but OnNote may come at any time. None may wait, or call the Speaker, which may hold its lock.
// Times are seconds from the request's start.
class SayListener {
 public:
  virtual ~SayListener() = default;
  // The text has its place; `ahead` texts are said before it. Not called for one that is refused.
  virtual void OnAccepted(const std::string& request_id, int ahead) = 0;
  // The first sound is played now, by the Unix time.
  virtual void OnStarted(double unix_s) = 0;
  // As soon as a clause is made. `index` counts clauses with text from 0.
  virtual void OnClause(int64_t index, const SaidClause& clause) = 0;
  // When they are played.
  virtual void OnWord(absl::string_view text, double start_s, double end_s) = 0;
  virtual void OnPhoneme(const speech::Phoneme& phoneme) = 0;
  // What was left out or assumed, one sentence. Perhaps after OnEnded.
  virtual void OnNote(const std::string& note) = 0;
  // Last, once, and always. `spoken_text` is as of SaidLog::Spoken, of the `spoken_s` that were
  // played. `why` is OK unless the text failed. `detail`: what the compositor answered, if
  // anything.
  virtual void OnEnded(SayEnd end, const std::string& spoken_text, double spoken_s,
                       const absl::Status& why, const std::string& detail) = 0;
};

// One thread.
class SaidLog {
 public:
  // Of a long text, the last so many bytes are kept.
  static constexpr size_t kMostBytes = size_t{64} * 1024;

  using OnMark = std::function<void(const speech::TextMark& mark)>;

  // `listener` may be null; it outlives this. `on_mark` gets each mark when it is played.
  SaidLog(SayListener* listener, OnMark on_mark)
      : listener_(listener), on_mark_(std::move(on_mark)) {}

  // Adds a clause that will be heard, after those before it.
  void Add(SaidClause clause);
  // Reports the words, phonemes and marks that have begun by then. An earlier time than before
  // changes nothing.
  void PlayTo(double played_s);
  // The text that was heard, up to the word begun last; a word begun in the last 0.05 s does not
  // count. Of a clause whose words are not known, all or nothing.
  std::string Spoken(double played_s) const;

 private:
  struct Clause {
    SaidClause said;
    size_t words = 0, phonemes = 0, marks = 0;  // how many were reported
  };
  void AddMore(SaidClause more);
  void Tell(Clause& clause, double played_s);

  SayListener* const listener_;
  const OnMark on_mark_;
  std::deque<Clause> clauses_;  // the one being played, and those after it
  std::string spoken_;          // of the clauses before those
  int64_t count_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAID_LOG_H_
