#include "libs/service/redis/redis_publisher.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::service {

RedisPublisher::RedisPublisher(RedisOptions options, Logger log)
    : options_(std::move(options)), log_(std::move(log)), pause_s_(options_.first_pause_s) {
  random_.seed(std::random_device{}());
  thread_ = std::thread([this] { CatchExceptionsInLoop(log_, "redis", [this] { Run(); }); });
}

RedisPublisher::~RedisPublisher() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    stop_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options_.timeout_s));
  }
  wake_.notify_one();
  thread_.join();
}

void RedisPublisher::Publish(std::string channel, std::string message) {
  std::optional<Message> oldest;
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(channel), std::move(message), Clock::now()});
    if (queue_.size() > options_.capacity) {
      oldest = std::move(queue_.front());
      queue_.pop_front();
    }
  }
  wake_.notify_one();
  if (oldest) Drop(*oldest, "too many wait");
}

void RedisPublisher::Drop(const Message& message, absl::string_view why) {
  ++dropped_;
  log_.Warning("event not published",
               {{"why", why}, {"channel", message.channel}, {"event", message.text}});
}

void RedisPublisher::Run() {
  while (!Over()) {
    if (connection_ == nullptr) {
      if (const absl::Status connected = Connect(); !connected.ok()) {
        Lose(connected);
        if (!Pause()) break;
        continue;
      }
    }
    SendAll();
    if (connection_ != nullptr) WaitForWork();
  }
  std::lock_guard lock(mutex_);
  for (const Message& message : queue_) Drop(message, "the process ends");
}

// Returns whether the thread must end.
bool RedisPublisher::Over() {
  std::lock_guard lock(mutex_);
  return stop_ && (queue_.empty() || Clock::now() >= stop_at_);
}

void RedisPublisher::WaitForWork() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
}

// Waits after a failed attempt to connect. Returns false if the thread must end.
bool RedisPublisher::Pause() {
  const double jitter = std::uniform_real_distribution<double>(0.8, 1.2)(random_);
  const std::chrono::duration<double> pause(pause_s_ * jitter);
  pause_s_ = std::min(options_.longest_pause_s, pause_s_ * 1.6);
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, pause, [this] { return stop_; });
  return !stop_;
}

void RedisPublisher::DropStale() {
  const auto oldest = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(options_.keep_s));
  std::lock_guard lock(mutex_);
  while (!queue_.empty() && queue_.front().since < oldest) {
    Drop(queue_.front(), absl::StrCat("redis was away for ", options_.keep_s, " s"));
    queue_.pop_front();
  }
}

absl::Status RedisPublisher::Connect() {
  auto connection = RedisConnection::Open(options_.address, options_.timeout_s);
  if (!connection.ok()) return connection.status();
  connection_ = *std::move(connection);
  connected_ = true;
  pause_s_ = options_.first_pause_s;
  complained_ = false;
  log_.Info("redis connected", {{"host", options_.address.host},
                                {"port", options_.address.port},
                                {"dropped", dropped_ - dropped_before_}});
  dropped_before_ = dropped_;
  return absl::OkStatus();
}

void RedisPublisher::Lose(const absl::Status& error) {
  connection_ = nullptr;
  connected_ = false;
  DropStale();
  Complain("redis is away: events wait, then are dropped", error);
}

// Logs once per connection, and once per time without a connection.
void RedisPublisher::Complain(absl::string_view text, const absl::Status& error) {
  if (std::exchange(complained_, true)) return;
  log_.Warning(text, {{"host", options_.address.host},
                      {"port", options_.address.port},
                      {"error", error.message()}});
}

void RedisPublisher::SendAll() {
  while (true) {
    DropStale();
    Message message;
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty() || (stop_ && Clock::now() >= stop_at_)) return;
      message = std::move(queue_.front());
      queue_.pop_front();
    }
    const auto sent = connection_->Call({{"PUBLISH", message.channel, message.text}});
    if (sent.ok() && sent->front().ok()) continue;
    const absl::Status error = sent.ok() ? sent->front().status() : sent.status();
    if (absl::IsAborted(error)) {
      std::lock_guard lock(mutex_);
      queue_.push_front(std::move(message));
    } else {
      Drop(message, error.message());
    }
    if (!sent.ok()) return Lose(error);
    Complain("redis refuses events: they are dropped", error);
  }
}

}  // namespace posewire::service
