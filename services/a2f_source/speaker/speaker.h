// Speaks texts for several avatars at once, and those of one avatar in order.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SPEAKER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SPEAKER_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "libs/service/logger.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/speaker/say_text.h"
#include "services/a2f_source/speaker/utterance.h"

namespace posewire::a2f_source {

struct SpeakerOptions {
  int max_waiting = 8;    // queued texts of one avatar
  int max_avatars = 16;   // that speak at once; each takes a thread while it does
  double rate = 1;        // of sending; infinite: at once
  double lead_s = 0.3;    // see Pacer
  double answer_s = 0.4;  // a client is answered when this much has been sent
  // How long a text may try to reach the compositor before its first message is sent.
  double first_contact_s = 2;
};

// The destination of one text.
struct SpeakerOutput {
  std::shared_ptr<MessageSink> sink;
  std::function<void()> cancel;  // ends all calls of the sink; any thread
};

// The voice and the destination, as functions so that tests can replace them.
struct SpeakerParts {
  std::function<absl::StatusOr<std::unique_ptr<Source>>(const SayText& text)> make_source;
  // The sink reports the state of its connection on the thread that uses it.
  std::function<SpeakerOutput(const SayText& text,
                              std::function<void(const client::ConnectionEvent&)> on_connection)>
      make_output;
  // Makes the compositor play the gesture or expression of a mark. `done` may be called on any
  // thread, also after the text. Null if there is no compositor.
  std::function<void(const RunIds& ids, const speech::TextMark& mark,
                     std::function<void(const absl::Status&)> done)>
      carry_out = {};
  // Returns the speed of a text when its turn has come; null: the text's own. May block for a
  // while.
  std::function<double(const SayText& text)> speed_of = {};
  // Asks the compositor to end a request; `done` may be called on any thread.
  std::function<void(const RunIds& ids, std::function<void(const absl::Status&)> done)>
      stop_request;
  service::Logger log;
};

// Thread-safe.
class Speaker {
 public:
  Speaker(const SpeakerOptions& options, SpeakerParts parts)
      : options_(options), parts_(std::move(parts)) {}
  ~Speaker() { Close(0); }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  // Speaks a text that CompleteSayText has completed. `done` is called on any thread, possibly at
  // once, when the text waits for others, or when the compositor has received its beginning.
  // Errors: RESOURCE_EXHAUSTED if too many texts are queued, or too many avatars speak;
  // ALREADY_EXISTS if the avatar already has a request of that id; UNAVAILABLE if the compositor
  // cannot be reached, or while it is away; CANCELLED if it was stopped before; and the errors of
  // the voice and of the compositor. If the text has a listener, that is told the same, and
  // max_waiting does not apply.
  void Say(SayText text, std::vector<std::string> notes, Utterance::Done done);

  // Stops and drops the texts of an avatar, or only that of one request. Returns how many there
  // were.
  int Stop(const std::string& stream_id, const std::string& target_id,
           const std::string& request_id);

  // The texts that an avatar is speaking and will speak, in that order.
  struct Entry {
    std::string request_id;
    std::string text;
    bool speaking;
  };
  std::vector<Entry> List(const std::string& stream_id, const std::string& target_id);

  // Stops everything, waits up to `budget_s` for the compositor to end current texts, and cuts off
  // the rest. Rejects further texts.
  void Close(double budget_s);

 private:
  using Key = std::pair<std::string, std::string>;
  using Texts = std::deque<std::shared_ptr<Utterance>>;
  struct Lane {
    Texts waiting;
    std::shared_ptr<Utterance> current;
    std::thread thread;
  };

  // Adds the text to its lane, which is created if needed. `current` gets the text that it
  // interrupts, `dropped` the queued ones. Returns how many are ahead of it.
  absl::StatusOr<int> Enter(const std::shared_ptr<Utterance>& text,
                            std::shared_ptr<Utterance>& current, Texts& dropped);
  absl::Status MakeLane(const Key& key);
  void RunLane(const Key& key);
  void Speak(const std::shared_ptr<Utterance>& text);
  struct Played {
    double began_s = -1;  // time of the first message on the utterance's clock; below 0: not yet
    double sent_s = 0;
  };
  absl::StatusOr<RunResult> Carry(Utterance& text, SaidLog& said_log, Played& played);
  double PlayedBy(double now_s, const Played& played) const;
  void CarryOut(const SayText& text, const speech::TextMark& mark);
  void StopNow(const std::shared_ptr<Utterance>& text, SayEnd how);
  void JoinEnded();

  const SpeakerOptions options_;
  const SpeakerParts parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;            // guarded by mutex_
  std::map<Key, Lane> lanes_;       // guarded by mutex_
  std::vector<std::thread> ended_;  // guarded by mutex_
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SPEAKER_H_
