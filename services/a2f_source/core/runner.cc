#include "services/a2f_source/core/runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::a2f_source {

namespace {

constexpr char kDefaultSourceId[] = "a2f_source";
// How late a message may be before the source has to make do with its input so far. Less than the
// lead of messages, so that viewers do not notice.
constexpr double kPatience_s = 0.15;
// A message of a live source is sent at least this long before it plays.
constexpr double kLiveReserve_s = 0.02;
constexpr double kPoll_s = 0.005;

absl::Status Stopped() { return absl::CancelledError("told to stop"); }

// Sends the source's messages until it ends or fails, or the receiver wants no more.
class Carrier {
 public:
  Carrier(Source& source, MessageSink& sink, Pacer& pacer, Clock& clock,
          const wire::Appearance& appearance)
      : source_(source), sink_(sink), pacer_(pacer), clock_(clock), appearance_(appearance) {}

  // Returns errors of the sink. An error of the source, or CANCELLED, is in fault().
  absl::Status Carry(int audio_rate_hz, const std::function<void(const Progress&)>& on_progress) {
    begun_s_ = clock_.Now();
    while (wanted_) {
      const absl::StatusOr<bool> ready = WaitForSource();
      if (!ready.ok()) {
        fault_ = ready.status();
        break;
      }
      auto message = *ready ? source_.Next() : source_.NextNow();
      fault_ = message.status();
      if (!message.ok() || !*message) break;
      const wire::DataChunk* data = (*message)->data();
      ended_in_status_ = data == nullptr;
      if (data == nullptr) {
        if (absl::Status s = Send(**message); !s.ok()) return s;
        continue;
      }
      if (progress_.messages == 0 && appearance_ != wire::Appearance()) {
        *message = WithAppearance(*data);
        data = (*message)->data();
      }
      const wire::ChunkTimes times = wire::TimesOf(*data, audio_rate_hz);
      if (!clock_.SleepUntil(DueAt(times))) {
        fault_ = Stopped();
        break;
      }
      if (absl::Status s = SendData(**message, times); !s.ok()) return s;
      if (wanted_ && on_progress) on_progress(progress_);
    }
    const bool lacks_last = !fault_.ok() || !ended_in_status_;
    return wanted_ && lacks_last ? Send(LastStatus(fault_)) : absl::OkStatus();
  }

  const absl::Status& fault() const { return fault_; }
  const Progress& progress() const { return progress_; }
  bool wanted() const { return wanted_; }

 private:
  // Returns true if the source has its next message ready, and false if it is late. CANCELLED if
  // the run was stopped. In a burst nothing is ever late.
  absl::StatusOr<bool> WaitForSource() {
    while (!source_.Ready()) {
      const double now_s = clock_.Now();
      const double due_s = any_code_ ? pacer_.DueAt(progress_.last_time_code_s, now_s) : begun_s_;
      if (!pacer_.burst() && now_s >= due_s + Patience_s()) return false;
      if (!clock_.SleepUntil(now_s + kPoll_s)) return Stopped();
    }
    return true;
  }

  double Patience_s() const {
    const double lead_s = pacer_.lead_s();
    return source_.live() ? std::max(0.0, lead_s - kLiveReserve_s)
                          : std::min(kPatience_s, lead_s / 2);
  }

  absl::Status Send(const wire::Message& message) {
    const auto sent = sink_.Send(message);
    wanted_ = sent.ok() && *sent;
    return sent.status();
  }

  wire::Message WithAppearance(wire::DataChunk data) const {
    data.metadata.push_back(wire::ToMetadata(appearance_));
    return wire::MakeMessage(std::move(data));
  }

  double DueAt(const wire::ChunkTimes& times) {
    if (times.empty()) return clock_.Now();
    if (!std::exchange(any_code_, true)) {
      progress_.first_time_code_s = progress_.last_time_code_s = times.earliest_s;
    }
    return pacer_.DueAt(times.earliest_s, clock_.Now());
  }

  absl::Status SendData(const wire::Message& message, const wire::ChunkTimes& times) {
    if (absl::Status s = Send(message); !s.ok() || !wanted_) return s;
    ++progress_.messages;
    if (!times.empty())
      progress_.last_time_code_s = std::max(progress_.last_time_code_s, times.latest_s);
    return absl::OkStatus();
  }

  Source& source_;
  MessageSink& sink_;
  Pacer& pacer_;
  Clock& clock_;
  const wire::Appearance& appearance_;
  Progress progress_;
  double begun_s_ = 0;
  bool any_code_ = false;
  bool wanted_ = true;
  bool ended_in_status_ = false;
  absl::Status fault_;
};

}  // namespace

void SetIds(const RunIds& ids, wire::StreamHeader& header) {
  // Ids in a recording say nothing about where it plays now.
  header.ids = {ids.request_id, ids.stream_id, ids.target_id};
  if (!ids.source_id.empty()) header.source_service_id = ids.source_id;
  if (header.source_service_id.empty()) header.source_service_id = kDefaultSourceId;
}

wire::Message LastStatus(const absl::Status& fault) {
  if (fault.ok()) {
    return wire::MakeMessage(
        wire::StatusChunk{wire::StatusChunk::kSuccess, "the source has sent all"});
  }
  if (absl::IsCancelled(fault)) {
    return wire::MakeMessage(wire::StatusChunk{wire::StatusChunk::kInfo, "the source was stopped"});
  }
  // File names may be invalid UTF-8, which would make the message unreadable.
  return wire::MakeMessage(
      wire::StatusChunk{wire::StatusChunk::kError,
                        absl::StrCat("the source failed: ", absl::CHexEscape(fault.message()))});
}

absl::StatusOr<RunResult> Run(Source& source, MessageSink& sink, Pacer pacer, Clock& clock,
                              const RunIds& ids, double epoch_s,
                              const std::function<void(const Progress&)>& on_progress) {
  while (!source.Ready()) {
    if (!clock.SleepUntil(clock.Now() + kPoll_s)) return Stopped();
  }
  auto header = source.Header();
  if (!header.ok()) return header.status();
  SetIds(ids, *header);
  header->epoch_s = epoch_s;
  if (absl::Status s = sink.Begin(*header); !s.ok()) return s;
  Carrier carrier(source, sink, pacer, clock, ids.appearance);
  const absl::Status carried = carrier.Carry(header->audio_rate_hz.value_or(0), on_progress);
  if (!carried.ok()) return carrier.fault().ok() ? carried : carrier.fault();
  auto answer = sink.End();
  if (!carrier.fault().ok()) return carrier.fault();
  if (!answer.ok()) return answer.status();
  return RunResult{carrier.progress(), *std::move(answer), carrier.wanted()};
}

std::string ProgressText(const Progress& progress, double duration_s) {
  std::string text = absl::StrFormat("%.1f s", progress.sent_s());
  if (duration_s > 0) {
    const double percent = std::min(100.0, 100 * progress.sent_s() / duration_s);
    absl::StrAppendFormat(&text, " of %.1f s (%.0f %%)", duration_s, percent);
  }
  absl::StrAppendFormat(&text, " sent, %d messages", progress.messages);
  return text;
}

}  // namespace posewire::a2f_source
