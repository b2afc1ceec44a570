// What of a text has been heard so far.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SERVE_SAID_LOG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SERVE_SAID_LOG_H_

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

// Whoever asked for a text and follows it. Calls come in order, one at a time, and must not wait;
// none but OnNote comes after OnEnded. Times are seconds from the request's start.
class SayListener {
 public:
  virtual ~SayListener() = default;
  virtual void OnAccepted(const std::string& request_id, int ahead) = 0;
  // The first sound is played now.
  virtual void OnStarted(double unix_s) = 0;
  // As soon as a clause is made.
  virtual void OnClause(int64_t index, const SaidClause& clause) = 0;
  // When they are played.
  virtual void OnWord(absl::string_view text, double start_s, double end_s) = 0;
  virtual void OnPhoneme(const speech::Phoneme& phoneme) = 0;
  // From any thread, and perhaps after the end.
  virtual void OnNote(const std::string& note) = 0;
  // `why` is OK unless the text failed.
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

  // A clause that will be heard.
  void Add(SaidClause clause);
  // Tells what has begun by then. Times that go back change nothing.
  void PlayTo(double played_s);
  // What was heard, to the word last begun; a word that began in the last 0.05 s was not heard.
  std::string Spoken(double played_s) const;

 private:
  struct Clause {
    SaidClause said;
    size_t words = 0, phonemes = 0, marks = 0;  // that were told
  };
  void Tell(Clause& clause, double played_s);

  SayListener* const listener_;
  const OnMark on_mark_;
  std::deque<Clause> clauses_;  // of which something is still to be told, and the one before
  std::string spoken_;          // of the clauses before those
  int64_t count_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SERVE_SAID_LOG_H_
