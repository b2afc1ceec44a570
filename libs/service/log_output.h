// Where the lines of a log go. Nobody who logs ever waits for who reads them.
//
// Lines wait in spdlog's bounded queue for its thread, the only one that writes. When the reader of
// standard error stops, that thread waits for room and nothing else does; at the end it gives up.
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
  // Of the lines that wait. In a full queue the oldest give way; LogCounts::dropped counts them,
  // and a line says how many are missing where they are missing.
  size_t queue_lines = 512;
  // How long the end waits for the reader to take what is left.
  double last_s = 0.5;
};

// Thread-safe.
class LogOutput {
 public:
  // To a descriptor, which stays open; whatever it is, its flags are left alone.
  LogOutput(const LogOutputOptions& options, int descriptor);
  // To a stream, at once and without a thread.
  LogOutput(const LogOutputOptions& options, std::ostream& stream);
  // Writes what waits, for at most last_s; what is left then is lost.
  ~LogOutput();
  LogOutput(const LogOutput&) = delete;
  LogOutput& operator=(const LogOutput&) = delete;

  void Write(LogLevel level, absl::string_view message, const LogField* fields, size_t count);
  LogCounts counts() const;

 private:
  void Put(LogLevel level, absl::string_view message, const LogField* fields, size_t count);
  // Says how many lines were held back in the seconds that are over at `now`.
  void TellHeld(LogLimiter::Time now);

  const bool json_;
  const double last_s_;
  mutable std::mutex mutex_;
  LogLimiter limiter_;                                  // guarded by mutex_
  std::shared_ptr<DescriptorSink> sink_;                // null: to a stream
  std::shared_ptr<spdlog::details::thread_pool> pool_;  // null: to a stream
  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LOG_OUTPUT_H_
