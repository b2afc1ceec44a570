// Where animation comes from: a clip file, text to speak, later a performer.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOURCE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::a2f_source {

// Makes the messages of one request in order of time, and their bytes, which nobody behind it makes
// again. One thread. Work is done as messages are asked for, so that the first one leaves early.
class Source {
 public:
  virtual ~Source() = default;

  // The stream's header; ids and epoch are filled in by the caller. Called once, first.
  virtual absl::StatusOr<wire::StreamHeader> Header() = 0;

  // The next data, or a word of the source's own; nothing at the end.
  virtual absl::StatusOr<std::optional<wire::Message>> Next() = 0;

  // Whether Header and Next have what they need, and return at once. Takes what has come.
  virtual bool Ready() { return true; }

  // Whether it makes messages of what comes as it happens, so that each second ahead is a second of
  // delay.
  virtual bool live() const { return false; }

  // Next, for when the message is due and Ready is false: makes do with what has come.
  virtual absl::StatusOr<std::optional<wire::Message>> NextNow() { return Next(); }

  // Whole length where it is known, for progress.
  virtual std::optional<double> duration_s() const { return std::nullopt; }

  // What was assumed or left out so far, one sentence each; more may come with each message.
  virtual std::vector<std::string> notes() const { return {}; }
};

// What a source notes while it runs, each note once. One thread.
class NewNotes {
 public:
  // Borrows the source.
  explicit NewNotes(const Source& source) : source_(source) {}

  // Calls `tell` for each note since the last call.
  void Tell(absl::FunctionRef<void(const std::string& note)> tell) {
    const std::vector<std::string> notes = source_.notes();
    for (; told_ < notes.size(); ++told_) tell(notes[told_]);
  }

 private:
  const Source& source_;
  size_t told_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOURCE_H_
