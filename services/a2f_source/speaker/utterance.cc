#include "services/a2f_source/speaker/utterance.h"

#include <chrono>
#include <utility>

namespace posewire::a2f_source {

void Utterance::Answer(absl::StatusOr<double> duration_s, int ahead) {
  Done done;
  {
    std::lock_guard lock(mutex_);
    done = std::exchange(done_, nullptr);
  }
  if (!done) return;
  if (!duration_s.ok()) return done(duration_s.status());
  done(Said{text_.ids.request_id, *duration_s, ahead, notes_});
}

void Utterance::SetCancel(const std::function<void()>& cancel) {
  {
    std::lock_guard lock(mutex_);
    cancel_ = cancel;
    if (why_.ok()) return;
  }
  cancel();
}

void Utterance::Cancel(absl::Status why) {
  std::function<void()> cancel;
  {
    std::lock_guard lock(mutex_);
    if (!why_.ok()) return;
    why_ = std::move(why);
    cancel = cancel_;
  }
  wake_.notify_all();
  if (cancel) cancel();
}

absl::Status Utterance::why() const {
  std::lock_guard lock(mutex_);
  return why_;
}

bool Utterance::BeginStop(SayEnd how) {
  std::lock_guard lock(mutex_);
  if (stop_) return false;
  stop_ = {how, Now()};
  return true;
}

std::optional<Utterance::Stop> Utterance::stop() const {
  std::lock_guard lock(mutex_);
  return stop_;
}

void Utterance::EndWaits() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
}

void Utterance::OnConnection(const client::ConnectionEvent& event, double first_contact_s) {
  const double now_s = Now();
  {
    std::lock_guard lock(mutex_);
    const bool away = event.kind == client::ConnectionEvent::kLost ||
                      event.kind == client::ConnectionEvent::kGaveUp;
    lost_ = away ? event.why : absl::OkStatus();
    if (!away) connected_ = true;
    if (!away || connected_) return;
    if (first_lost_s_ < 0) first_lost_s_ = now_s;
    if (now_s - first_lost_s_ < first_contact_s) return;
  }
  Cancel(event.why);
}

bool Utterance::connected() const {
  std::lock_guard lock(mutex_);
  return connected_;
}

absl::Status Utterance::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

bool Utterance::SleepUntil(double time_s) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return !why_.ok() || ended_; };
  const double left_s = time_s - Now();
  if (left_s <= 0) return !over();
  return !wake_.wait_for(lock, std::chrono::duration<double>(left_s), over);
}

}  // namespace posewire::a2f_source
