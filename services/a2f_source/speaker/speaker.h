// Speaks texts for several avatars at once, those of one avatar in turn.
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
  int max_waiting = 8;    // texts of one avatar that wait
  int max_avatars = 16;   // that speak at once; each takes a thread meanwhile
  double rate = 1;        // of sending; infinite: at once
  double lead_s = 0.3;    // as of Pacer
  double answer_s = 0.4;  // whoever asked is answered when so much has been taken
  // How long a text may look for the compositor before its first message goes out.
  double first_contact_s = 2;
};

// Where one text goes.
struct SpeakerOutput {
  std::shared_ptr<MessageSink> sink;
  std::function<void()> cancel;  // ends all calls of the sink; from any thread
};

// The voice and the far end, as functions for tests.
struct SpeakerParts {
  std::function<absl::StatusOr<std::unique_ptr<Source>>(const SayText& text)> make_source;
  // The sink tells how its connection fares, on the thread that uses it.
  std::function<SpeakerOutput(const SayText& text,
                              std::function<void(const client::ConnectionEvent&)> on_connection)>
      make_output;
  // Has the compositor play the gesture or expression of a mark. `done` may come on any thread,
  // also after the text. Null: there is no compositor.
  std::function<void(const RunIds& ids, const speech::TextMark& mark,
                     std::function<void(const absl::Status&)> done)>
      carry_out = {};
  // How fast a text whose turn has come is spoken; null: as it says. May block for a while.
  std::function<double(const SayText& text)> speed_of = {};
  // Asks the compositor to end a request; `done` may come on any thread.
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

  // `text` as CompleteSayText leaves it. `done` gets, on any thread and perhaps at once: that the
  // text waits behind others; or that the compositor has taken its beginning. Errors:
  // RESOURCE_EXHAUSTED when too many texts wait, or too many avatars speak; ALREADY_EXISTS when
  // the avatar says or is to say a request of that id; UNAVAILABLE when the compositor cannot be
  // reached, or while it is away; CANCELLED when it was stopped before; and what the voice and the
  // compositor say. If the text has a listener, that is told the same, and max_waiting does not
  // apply.
  void Say(SayText text, std::vector<std::string> notes, Utterance::Done done);

  // Stops and drops the texts of an avatar, or just that of one request; how many there were.
  int Stop(const std::string& stream_id, const std::string& target_id,
           const std::string& request_id);

  // What an avatar is saying and is to say, in that order.
  struct Entry {
    std::string request_id;
    std::string text;
    bool speaking;
  };
  std::vector<Entry> List(const std::string& stream_id, const std::string& target_id);

  // Stops everything, waits up to `budget_s` for the compositor to end what is being said, and cuts
  // the rest. No text is taken any more.
  void Close(double budget_s);

 private:
  using Key = std::pair<std::string, std::string>;
  using Texts = std::deque<std::shared_ptr<Utterance>>;
  struct Lane {
    Texts waiting;
    std::shared_ptr<Utterance> current;
    std::thread thread;
  };

  // Puts the text into its lane, which is made if need be. `current` gets what it interrupts,
  // `dropped` what waited. The result is how many are ahead of it.
  absl::StatusOr<int> Enter(const std::shared_ptr<Utterance>& text,
                            std::shared_ptr<Utterance>& current, Texts& dropped);
  absl::Status MakeLane(const Key& key);
  void RunLane(const Key& key);
  void Speak(const std::shared_ptr<Utterance>& text);
  struct Played {
    double began_s = -1;  // when the first message went out, of the utterance's clock; below 0: not
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
