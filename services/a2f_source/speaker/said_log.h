// Tracks how much of a text has been heard.
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

// Receives the progress of a text for the client that requested it. Calls come on any thread, in
// order and one at a time, except that OnNote may come at any time. They must not block, and must
// not call the Speaker, which may hold its lock. Times are seconds from the request's start.
class SayListener {
 public:
  virtual ~SayListener() = default;
  // The text was queued; `ahead` texts are spoken before it. Not called for a rejected text.
  virtual void OnAccepted(const std::string& request_id, int ahead) = 0;
  // The first audio plays now, at this Unix time.
  virtual void OnStarted(double unix_s) = 0;
  // Called as soon as a clause is made. `index` counts clauses with text from 0.
  virtual void OnClause(int64_t index, const SaidClause& clause) = 0;
  // Called when they are played.
  virtual void OnWord(absl::string_view text, double start_s, double end_s) = 0;
  virtual void OnPhoneme(const speech::Phoneme& phoneme) = 0;
  // An omission or assumption, one sentence. May come after OnEnded.
  virtual void OnNote(const std::string& note) = 0;
  // Always called once, last. `spoken_text` is as in SaidLog::Spoken, for the `spoken_s` that were
  // played. `why` is OK unless the text failed. `detail`: the compositor's answer, if any.
  virtual void OnEnded(SayEnd end, const std::string& spoken_text, double spoken_s,
                       const absl::Status& why, const std::string& detail) = 0;
};

// One thread.
class SaidLog {
 public:
  // Only this many last bytes of a long text are kept.
  static constexpr size_t kMostBytes = size_t{64} * 1024;

  using OnMark = std::function<void(const speech::TextMark& mark)>;

  // `listener` may be null and must outlive this. `on_mark` is called with each mark when it is
  // played.
  SaidLog(SayListener* listener, OnMark on_mark)
      : listener_(listener), on_mark_(std::move(on_mark)) {}

  // Adds a clause that will be heard after the previous ones.
  void Add(SaidClause clause);
  // Reports the words, phonemes and marks that have begun by then. Ignores a time earlier than
  // before.
  void PlayTo(double played_s);
  // Returns the text that was heard, up to the word begun last; a word begun in the last 0.05 s
  // does not count. A clause with unknown word times counts as a whole or not at all.
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
