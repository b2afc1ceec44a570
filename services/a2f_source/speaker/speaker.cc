#include "services/a2f_source/speaker/speaker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/traced_log.h"
#include "services/a2f_source/core/pacer.h"

namespace posewire::a2f_source {
namespace {

absl::Status Stopped() { return absl::CancelledError("the text was stopped before it was spoken"); }

// Ends a text that has not begun.
void Drop(Utterance& text, SayEnd how) {
  if (text.text().listener) text.text().listener->OnEnded(how, "", 0, absl::OkStatus(), "");
  text.Answer(Stopped());
}

// Counts the texts, except those whose writers wait themselves.
int Counted(const std::deque<std::shared_ptr<Utterance>>& texts) {
  return static_cast<int>(std::count_if(texts.begin(), texts.end(), [](const auto& text) {
    return text->text().listener == nullptr;
  }));
}

absl::Status Away(const absl::Status& why) {
  return absl::UnavailableError(absl::StrCat("the compositor cannot be reached: ", why.message()));
}

}  // namespace

void Speaker::Say(SayText text, std::vector<std::string> notes, Utterance::Done done) {
  JoinEnded();
  const double duration_s = EstimateDuration(text);
  const bool interrupts = text.policy == "interrupt";
  auto utterance = std::make_shared<Utterance>(std::move(text), std::move(notes), std::move(done));
  std::shared_ptr<Utterance> current;
  Texts dropped;
  const absl::StatusOr<int> ahead = Enter(utterance, current, dropped);
  for (const auto& other : dropped) Drop(*other, SayEnd::kInterrupted);
  if (current != nullptr) StopNow(current, SayEnd::kInterrupted);
  if (!ahead.ok()) {
    const auto& listener = utterance->text().listener;
    if (listener) listener->OnEnded(SayEnd::kFailed, "", 0, ahead.status(), "");
    utterance->Answer(ahead.status());
  } else if (*ahead > 0 && !interrupts) {
    utterance->Answer(duration_s, *ahead);
  }
}

absl::StatusOr<int> Speaker::Enter(const std::shared_ptr<Utterance>& text,
                                   std::shared_ptr<Utterance>& current, Texts& dropped) {
  const RunIds& ids = text->text().ids;
  const Key key{ids.stream_id, ids.target_id};
  std::lock_guard lock(mutex_);
  if (closing_) return absl::UnavailableError("the source is stopping");
  if (lanes_.count(key) == 0) {
    if (absl::Status s = MakeLane(key); !s.ok()) return s;
  }
  Lane& lane = lanes_[key];
  Texts all = lane.waiting;
  if (lane.current != nullptr) {
    if (absl::Status lost = lane.current->lost(); !lost.ok()) return Away(lost);
    all.push_back(lane.current);
  }
  for (const auto& other : all) {
    if (other->text().ids.request_id != ids.request_id) continue;
    return absl::AlreadyExistsError(
        absl::StrCat("request_id: \"", ids.request_id,
                     "\" is being spoken already, or waits to be; use a new request_id"));
  }
  // The first of these is being spoken, or about to be.
  if (text->text().policy == "interrupt") {
    dropped.swap(lane.waiting);
    current = lane.current;
  } else if (text->text().listener == nullptr && Counted(all) > options_.max_waiting) {
    return absl::ResourceExhaustedError(absl::StrCat(
        options_.max_waiting,
        " texts already wait for this avatar, which is the limit (--max-waiting); send "
        "it again later"));
  }
  lane.waiting.push_back(text);
  const int ahead = static_cast<int>(lane.waiting.size()) - 1 + (lane.current != nullptr ? 1 : 0);
  // The lane's thread cannot begin before this returns.
  if (text->text().listener) text->text().listener->OnAccepted(ids.request_id, ahead);
  return ahead;
}

absl::Status Speaker::MakeLane(const Key& key) {
  if (lanes_.size() >= static_cast<size_t>(options_.max_avatars)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        options_.max_avatars,
        " avatars are already speaking, which is the limit (--max-speakers); send it again later"));
  }
  try {
    // Waits for the lock that is held here.
    lanes_[key].thread = std::thread([this, key] { RunLane(key); });
  } catch (const std::system_error&) {
    lanes_.erase(key);
    return absl::ResourceExhaustedError(
        "there is no thread for another avatar; send it again later");
  }
  return absl::OkStatus();
}

void Speaker::RunLane(const Key& key) {
  std::unique_lock lock(mutex_);
  Lane& lane = lanes_[key];
  while (!lane.waiting.empty()) {
    lane.current = lane.waiting.front();
    lane.waiting.pop_front();
    const std::shared_ptr<Utterance> text = lane.current;
    lock.unlock();
    Speak(text);
    lock.lock();
    lane.current = nullptr;
  }
  ended_.push_back(std::move(lane.thread));
  lanes_.erase(key);
  changed_.notify_all();
}

// Sends a text to its sink, and records when it began and how much was sent.
absl::StatusOr<RunResult> Speaker::Carry(Utterance& text, SaidLog& said_log, Played& played) {
  const RunIds& ids = text.text().ids;
  SayListener* const listener = text.text().listener.get();
  SayText said = text.text();
  said.on_clause = [&](SaidClause clause) { said_log.Add(std::move(clause)); };
  if (parts_.speed_of && said.sound_rate_hz == 0) said.speed = parts_.speed_of(said);
  auto source = parts_.make_source(said);
  if (!source.ok()) return source.status();
  const SpeakerOutput output = parts_.make_output(
      text.text(), [weak = text.weak_from_this(),
                    first_contact_s = options_.first_contact_s](const auto& event) {
        if (const auto self = weak.lock()) self->OnConnection(event, first_contact_s);
      });
  text.SetCancel(output.cancel);
  NewNotes notes(**source);
  const auto note = [&] {
    notes.Tell([&](const std::string& what) {
      service::WriteTraced(parts_.log, service::LogLevel::kWarning, "note", text.text().traceparent,
                           {{"request_id", ids.request_id}, {"text", what}});
      if (listener != nullptr) listener->OnNote(what);
    });
  };
  const auto on_progress = [&](const Progress& progress) {
    note();
    played.sent_s = progress.sent_s();
    if (played.began_s < 0) {
      played.began_s = text.Now();
      if (listener != nullptr) listener->OnStarted(client::UnixSeconds());
    }
    if (!text.stop()) said_log.PlayTo(PlayedBy(text.Now(), played));
    if (progress.sent_s() < options_.answer_s || text.stop()) return;
    text.Answer((*source)->duration_s().value_or(EstimateDuration(said)));
  };
  auto result = Run(**source, *output.sink, {options_.rate, options_.lead_s}, text, ids,
                    client::UnixSeconds(), on_progress);
  note();
  return result;
}

// Returns how much has been played: the compositor begins as soon as it has the first message.
double Speaker::PlayedBy(double now_s, const Played& played) const {
  if (played.began_s < 0) return 0;
  if (std::isinf(options_.rate)) return played.sent_s;
  return std::clamp((now_s - played.began_s) * options_.rate, 0.0, played.sent_s);
}

void Speaker::CarryOut(const SayText& text, const speech::TextMark& mark) {
  if (mark.kind != speech::TextMark::kGesture && mark.kind != speech::TextMark::kExpression) return;
  const auto done = [listener = text.listener, log = parts_.log, mark](const absl::Status& status) {
    if (status.ok()) return;
    const std::string what =
        absl::StrCat(mark.kind == speech::TextMark::kGesture ? "gesture" : "expression", " \"",
                     mark.name, "\" is not played: ",
                     status.message().empty() ? status.ToString() : std::string(status.message()));
    log.Warning("note", {{"text", what}});
    if (listener) listener->OnNote(what);
  };
  if (parts_.carry_out) return parts_.carry_out(text.ids, mark, done);
  done(absl::UnavailableError("the source has no compositor to play it (--to)"));
}

void Speaker::Speak(const std::shared_ptr<Utterance>& text) {
  const RunIds& ids = text->text().ids;
  const auto log = [&](service::LogLevel level, absl::string_view what,
                       std::initializer_list<service::LogField> fields) {
    service::WriteTraced(parts_.log, level, what, text->text().traceparent, fields);
  };
  log(service::LogLevel::kInfo, "says",
      {{"stream_id", ids.stream_id}, {"request_id", ids.request_id}});
  SayListener* const listener = text->text().listener.get();
  SaidLog said_log(listener, [&](const speech::TextMark& mark) { CarryOut(text->text(), mark); });
  Played played;
  absl::StatusOr<RunResult> result = absl::UnknownError("");
  const absl::Status thrown =
      service::Try("speech", [&] { result = Carry(*text, said_log, played); });
  if (!thrown.ok()) result = thrown;
  text->SetCancel([] {});
  const std::optional<Utterance::Stop> stop = text->stop();
  const absl::Status why = text->why();
  const absl::Status failure = stop || result.ok() ? absl::OkStatus()
                               : why.ok()          ? result.status()
                                                   : Away(why);
  if (listener != nullptr) {
    const bool completed = !stop && result.ok() && result->wanted;
    const double played_s =
        completed ? played.sent_s : PlayedBy(stop ? stop->time_s : text->Now(), played);
    if (completed) said_log.PlayTo(1e9);
    listener->OnEnded(stop           ? stop->how
                      : !result.ok() ? SayEnd::kFailed
                      : completed    ? SayEnd::kCompleted
                                     : SayEnd::kInterrupted,
                      said_log.Spoken(completed ? 1e9 : played_s), played_s, failure,
                      result.ok() ? result->answer : "");
  }
  if (stop) {
    text->Answer(Stopped());
    log(service::LogLevel::kInfo, "stopped", {{"request_id", ids.request_id}});
  } else if (result.ok()) {
    text->Answer(result->progress.sent_s());
    log(service::LogLevel::kInfo, "said",
        {{"request_id", ids.request_id},
         {"sent", ProgressText(result->progress, 0)},
         {"answer", result->answer}});
  } else {
    text->Answer(failure);
    log(service::LogLevel::kWarning, "not said",
        {{"request_id", ids.request_id}, {"why", failure.ToString()}});
  }
}

void Speaker::StopNow(const std::shared_ptr<Utterance>& text, SayEnd how) {
  if (!text->BeginStop(how)) return;
  // A request that the compositor does not have yet is simply not sent.
  if (!text->connected() || !text->lost().ok()) return text->Cancel(Stopped());
  parts_.stop_request(text->text().ids,
                      [weak = std::weak_ptr<Utterance>(text)](const absl::Status& status) {
                        const std::shared_ptr<Utterance> stopped = weak.lock();
                        if (stopped == nullptr) return;
                        status.ok() ? stopped->EndWaits() : stopped->Cancel(status);
                      });
}

int Speaker::Stop(const std::string& stream_id, const std::string& target_id,
                  const std::string& request_id) {
  std::shared_ptr<Utterance> current;
  Texts dropped;
  const auto wanted = [&](const std::shared_ptr<Utterance>& text) {
    return request_id.empty() || text->text().ids.request_id == request_id;
  };
  {
    std::lock_guard lock(mutex_);
    const auto found = lanes_.find(Key{stream_id, target_id});
    if (found == lanes_.end()) return 0;
    Lane& lane = found->second;
    Texts kept;
    for (const auto& text : lane.waiting) (wanted(text) ? dropped : kept).push_back(text);
    lane.waiting = std::move(kept);
    if (lane.current != nullptr && wanted(lane.current)) current = lane.current;
  }
  for (const auto& text : dropped) Drop(*text, SayEnd::kStopped);
  if (current != nullptr) StopNow(current, SayEnd::kStopped);
  return static_cast<int>(dropped.size()) + (current != nullptr ? 1 : 0);
}

std::vector<Speaker::Entry> Speaker::List(const std::string& stream_id,
                                          const std::string& target_id) {
  std::vector<Entry> entries;
  const auto add = [&](const Utterance& text, bool speaking) {
    entries.push_back({text.text().ids.request_id, text.text().text, speaking});
  };
  std::lock_guard lock(mutex_);
  const auto found = lanes_.find(Key{stream_id, target_id});
  if (found == lanes_.end()) return entries;
  if (found->second.current != nullptr) add(*found->second.current, true);
  for (const auto& text : found->second.waiting) add(*text, false);
  return entries;
}

void Speaker::Close(double budget_s) {
  Texts dropped, current;
  const auto empty = [this] { return lanes_.empty(); };
  std::unique_lock lock(mutex_);
  closing_ = true;
  for (auto& [key, lane] : lanes_) {
    dropped.insert(dropped.end(), lane.waiting.begin(), lane.waiting.end());
    lane.waiting.clear();
    if (lane.current != nullptr) current.push_back(lane.current);
  }
  lock.unlock();
  for (const auto& text : dropped) Drop(*text, SayEnd::kStopped);
  for (const auto& text : current) StopNow(text, SayEnd::kStopped);
  lock.lock();
  changed_.wait_for(lock, std::chrono::duration<double>(budget_s), empty);
  lock.unlock();
  for (const auto& text : current) text->Cancel(Stopped());
  lock.lock();
  changed_.wait(lock, empty);
  lock.unlock();
  JoinEnded();
}

void Speaker::JoinEnded() {
  std::vector<std::thread> ended;
  {
    std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) thread.join();
}

}  // namespace posewire::a2f_source
