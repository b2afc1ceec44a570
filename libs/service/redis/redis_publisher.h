// Publishes to a Redis server without blocking.
#ifndef POSEWIRE_LIBS_SERVICE_REDIS_REDIS_PUBLISHER_H_
#define POSEWIRE_LIBS_SERVICE_REDIS_REDIS_PUBLISHER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/service/redis/redis_connection.h"

namespace posewire::service {

struct RedisOptions {
  RedisAddress address;
  // Maximum number of waiting messages. If there are more, the oldest is dropped, and dropped()
  // counts it.
  size_t capacity = 1024;
  // Messages that have waited longer are dropped, because they are no longer useful.
  double keep_s = 10;
  // Limit for connecting, and for the answer to a message.
  double timeout_s = 1;
  // Pause before the second attempt to connect. Each further pause is 1.6 times as long.
  double first_pause_s = 0.2;
  double longest_pause_s = 2;
};

// Has its own thread and one connection, and reconnects after a loss even if no message waits. A
// message whose answer does not arrive in time counts as dropped and is not sent again, because the
// server may still process it: no event is published twice. Each dropped message is logged.
// Thread-safe.
class RedisPublisher {
 public:
  RedisPublisher(RedisOptions options, Logger log);
  // Publishes waiting messages while the server answers, for at most about timeout_s.
  ~RedisPublisher();
  RedisPublisher(const RedisPublisher&) = delete;
  RedisPublisher& operator=(const RedisPublisher&) = delete;

  // Queues the message and returns immediately.
  void Publish(std::string channel, std::string message);

  int64_t dropped() const { return dropped_; }
  bool connected() const { return connected_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Message {
    std::string channel, text;
    Clock::time_point since;
  };

  void Run();
  bool Over();
  void WaitForWork();
  void DropStale();
  void Drop(const Message& message, absl::string_view why);
  absl::Status Connect();
  void SendAll();
  void Lose(const absl::Status& error);
  void Complain(absl::string_view text, const absl::Status& error);
  bool Pause();

  const RedisOptions options_;
  const Logger log_;
  std::atomic<int64_t> dropped_ = 0;
  std::atomic<bool> connected_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> queue_;  // guarded by mutex_
  bool stop_ = false;          // guarded by mutex_
  Clock::time_point stop_at_;  // guarded by mutex_

  // Used on the thread.
  std::unique_ptr<RedisConnection> connection_;
  double pause_s_ = 0;
  std::minstd_rand random_;
  bool complained_ = false;
  int64_t dropped_before_ = 0;
  std::thread thread_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_REDIS_REDIS_PUBLISHER_H_
