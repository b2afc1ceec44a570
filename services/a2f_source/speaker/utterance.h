// One text on its way from a client to the compositor.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_UTTERANCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_UTTERANCE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/speaker/say_text.h"

namespace posewire::a2f_source {

struct Said {
  std::string request_id;
  double duration_s = 0;
  int ahead = 0;
  std::vector<std::string> notes;
};

// Thread-safe. Also the clock of its run: seconds of the steady clock, until it is cancelled.
class Utterance : public Clock, public std::enable_shared_from_this<Utterance> {
 public:
  using Done = std::function<void(absl::StatusOr<Said>)>;

  // `done` is called at most once. Null if the client has been answered.
  Utterance(SayText text, std::vector<std::string> notes, Done done)
      : text_(std::move(text)), notes_(std::move(notes)), done_(std::move(done)) {}

  const SayText& text() const { return text_; }

  // Answers the client. Only the first answer counts.
  void Answer(absl::StatusOr<double> duration_s, int ahead = 0);

  // Sets how the run's push is cancelled. Calls it at once if this was already cancelled.
  void SetCancel(const std::function<void()>& cancel);
  // Ends the run with `why`. Only the first one counts.
  void Cancel(absl::Status why);
  // OK unless it was cancelled.
  absl::Status why() const;
  // Returns true for the first call. The run ends by itself when the compositor ends the request.
  bool BeginStop(SayEnd how);
  struct Stop {
    SayEnd how = SayEnd::kStopped;
    double time_s = 0;
  };
  std::optional<Stop> stop() const;
  // The compositor has ended the request. Ends the wait of a run that waits for its source and
  // would not notice.
  void EndWaits();

  // Follows the push's connection. Cancels if the first one is not made within first_contact_s.
  void OnConnection(const client::ConnectionEvent& event, double first_contact_s);
  // Returns true if there ever was a connection.
  bool connected() const;
  // Returns OK, or why the compositor is currently away.
  absl::Status lost() const;

  double Now() override { return client::SteadySeconds(); }
  bool SleepUntil(double time_s) override;

 private:
  const SayText text_;
  const std::vector<std::string> notes_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // All below is guarded by mutex_.
  Done done_;
  std::function<void()> cancel_;
  absl::Status why_;
  absl::Status lost_;
  std::optional<Stop> stop_;
  bool ended_ = false;  // by the compositor
  bool connected_ = false;
  double first_lost_s_ = -1;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_UTTERANCE_H_
