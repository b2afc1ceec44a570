// Interface of everything that makes animation: a clip file, text to speak, a performer.
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

// Makes the messages of one request in order of time, already serialized, so that no later stage
// serializes them again. One thread. Work is done as messages are requested, so that the first one
// leaves early.
class Source {
 public:
  virtual ~Source() = default;

  // Returns the stream's header; the caller fills in ids and epoch. Call once, first.
  virtual absl::StatusOr<wire::StreamHeader> Header() = 0;

  // Returns the next data, or a status of the source's own; nothing at the end.
  virtual absl::StatusOr<std::optional<wire::Message>> Next() = 0;

  // Returns true if Header and Next have what they need and will not block. Takes in available
  // input.
  virtual bool Ready() { return true; }

  // Returns true if it turns events into messages as they happen, so that each second of lead is a
  // second of delay.
  virtual bool live() const { return false; }

  // Like Next, for a message that is due while Ready is false: makes do with the input so far.
  virtual absl::StatusOr<std::optional<wire::Message>> NextNow() { return Next(); }

  // Total duration if known, for progress.
  virtual std::optional<double> duration_s() const { return std::nullopt; }

  // Assumptions and omissions so far, one sentence each. Each message may add some.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Reports the notes of a running source, each once. One thread.
class NewNotes {
 public:
  // `source` must outlive this.
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
