// Writes log lines to their destination. Logging never blocks on a slow reader.
//
// Lines wait in spdlog's bounded queue for its thread, the only one that writes. If the reader of
// standard error stops, only that thread waits; at the end it gives up.
#ifndef POSEWIRE_LIBS_SERVICE_LOG_OUTPUT_H_
#define POSEWIRE_LIBS_SERVICE_LOG_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/service/log_limiter.h"
#include "libs/service/logger.h"

namespace spdlog {
class logger;
namespace details {
class thread_pool;
}
}  // namespace spdlog

namespace posewire::service {

class DescriptorSink;

struct LogOutputOptions {
  std::string program;
  bool json = false;
  int most_a_second = 0;  // lines of one message; 0: no limit
  // Capacity of the queue. When it is full, the oldest lines are dropped. LogCounts::dropped counts
  // them, and a line in their place reports how many are missing.
  size_t queue_lines = 512;
  // How long the destructor waits for the reader to take the remaining lines.
  double last_s = 0.5;
};

// Thread-safe.
class LogOutput {
 public:
  // Writes to a descriptor, which stays open. Its flags are not changed.
  LogOutput(const LogOutputOptions& options, int descriptor);
  // Writes to a stream, synchronously and without a thread.
  LogOutput(const LogOutputOptions& options, std::ostream& stream);
  // Writes waiting lines, for at most last_s; the rest is lost.
  ~LogOutput();
  LogOutput(const LogOutput&) = delete;
  LogOutput& operator=(const LogOutput&) = delete;

  void Write(LogLevel level, absl::string_view message, const LogField* fields, size_t count);
  LogCounts counts() const;

 private:
  void Put(LogLevel level, absl::string_view message, const LogField* fields, size_t count);
  // Reports how many lines were held back in the seconds that are over at `now`.
  void TellHeld(LogLimiter::Time now);

  const bool json_;
  const double last_s_;
  mutable std::mutex mutex_;
  LogLimiter limiter_;                                  // guarded by mutex_
  std::shared_ptr<DescriptorSink> sink_;                // null for a stream
  std::shared_ptr<spdlog::details::thread_pool> pool_;  // null for a stream
  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LOG_OUTPUT_H_
