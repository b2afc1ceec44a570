#include "services/a2f_source/serve/speaker.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/service/contain.h"
#include "libs/service/traced_log.h"
#include "services/a2f_source/core/pacer.h"

namespace posewire::a2f_source {
namespace {

absl::Status Stopped() { return absl::CancelledError("the text was stopped before it was said"); }

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
  for (const auto& other : dropped) other->Answer(Stopped());
  if (current != nullptr) StopNow(current);
  if (!ahead.ok()) {
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
        absl::StrCat("request_id: \"", ids.request_id, "\" is being said, or is to be"));
  }
  // The first of these is being said, or is about to be.
  if (text->text().policy == "interrupt") {
    dropped.swap(lane.waiting);
    current = lane.current;
  } else if (all.size() > static_cast<size_t>(options_.max_waiting)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        options_.max_waiting, " texts of this avatar wait, which is the most; say it later"));
  }
  lane.waiting.push_back(text);
  return static_cast<int>(lane.waiting.size()) - 1 + (lane.current != nullptr ? 1 : 0);
}

absl::Status Speaker::MakeLane(const Key& key) {
  if (lanes_.size() >= static_cast<size_t>(options_.max_avatars)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        options_.max_avatars, " avatars speak at once, which is the most; say it later"));
  }
  try {
    // Waits for the lock that is held here.
    lanes_[key].thread = std::thread([this, key] { RunLane(key); });
  } catch (const std::system_error&) {
    lanes_.erase(key);
    return absl::ResourceExhaustedError("there is no thread for another avatar; say it later");
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

void Speaker::Speak(const std::shared_ptr<Utterance>& text) {
  const RunIds& ids = text->text().ids;
  const auto log = [&](service::LogLevel level, absl::string_view what,
                       std::initializer_list<service::LogField> fields) {
    service::WriteTraced(parts_.log, level, what, text->text().traceparent, fields);
  };
  const auto run = [&]() -> absl::StatusOr<RunResult> {
    SayText said = text->text();
    if (parts_.speed_of) said.speed = parts_.speed_of(said);
    auto source = parts_.make_source(said);
    if (!source.ok()) return source.status();
    const SpeakerOutput output = parts_.make_output(
        text->text(), [text, first_contact_s = options_.first_contact_s](const auto& event) {
          text->OnConnection(event, first_contact_s);
        });
    text->SetCancel(output.cancel);
    NewNotes notes(**source);
    const auto note = [&] {
      notes.Tell([&](const std::string& what) {
        log(service::LogLevel::kWarning, "note", {{"request_id", ids.request_id}, {"text", what}});
      });
    };
    const auto on_progress = [&](const Progress& progress) {
      note();
      if (progress.sent_s() < options_.answer_s || text->stopping()) return;
      text->Answer((*source)->duration_s().value_or(EstimateDuration(said)));
    };
    auto result = Run(**source, *output.sink, {options_.rate, options_.lead_s}, *text, ids,
                      client::UnixSeconds(), on_progress);
    note();
    return result;
  };
  log(service::LogLevel::kInfo, "says",
      {{"stream_id", ids.stream_id}, {"request_id", ids.request_id}});
  absl::StatusOr<RunResult> result = absl::UnknownError("");
  const absl::Status thrown = service::Try("speech", [&] { result = run(); });
  if (!thrown.ok()) result = thrown;
  // The sink holds the text, by what it tells, and the text holds the sink: one must let go.
  text->SetCancel([] {});
  if (text->stopping()) {
    text->Answer(Stopped());
    log(service::LogLevel::kInfo, "stopped", {{"request_id", ids.request_id}});
  } else if (result.ok()) {
    text->Answer(result->progress.sent_s());
    log(service::LogLevel::kInfo, "said",
        {{"request_id", ids.request_id},
         {"sent", ProgressText(result->progress, 0)},
         {"answer", result->answer}});
  } else {
    const absl::Status why = text->why();
    const absl::Status status = why.ok() ? result.status() : Away(why);
    text->Answer(status);
    log(service::LogLevel::kWarning, "not said",
        {{"request_id", ids.request_id}, {"why", status.ToString()}});
  }
}

void Speaker::StopNow(const std::shared_ptr<Utterance>& text) {
  if (!text->BeginStop()) return;
  // A request that the compositor does not have yet is just not sent.
  if (!text->connected() || !text->lost().ok()) return text->Cancel(Stopped());
  parts_.stop_request(text->text().ids,
                      [weak = std::weak_ptr<Utterance>(text)](const absl::Status& status) {
                        const std::shared_ptr<Utterance> stopped = weak.lock();
                        if (!status.ok() && stopped != nullptr) stopped->Cancel(status);
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
  for (const auto& text : dropped) text->Answer(Stopped());
  if (current != nullptr) StopNow(current);
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
  for (const auto& text : dropped) text->Answer(Stopped());
  for (const auto& text : current) StopNow(text);
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
