#include "libs/service/log_output.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace posewire::service {
namespace {

using Clock = std::chrono::steady_clock;

// How often a wait for room checks whether it must end.
constexpr int kLook_ms = 50;

spdlog::level::level_enum SpdLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

std::unique_ptr<spdlog::formatter> Formatter(const LogOutputOptions& options) {
  const std::string name = absl::StrReplaceAll(options.program, {{"%", "%%"}});
  const std::string time = "%Y-%m-%dT%H:%M:%S.%eZ";
  const std::string pattern =
      options.json ? absl::StrCat(R"({"time":")", time, R"(","level":"%l","program":)",
                                  QuoteText(name), ",%v}")
                   : absl::StrCat(time, " %l ", name, ": %v");
  return std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n");
}

std::string LineOf(bool json, absl::string_view message, const LogField* fields, size_t count) {
  std::string line =
      json ? absl::StrCat(R"("message":)", QuoteText(message)) : std::string(message);
  for (size_t i = 0; i < count; ++i) {
    if (json) {
      absl::StrAppend(&line, ",", QuoteText(fields[i].name()), ":", fields[i].json());
    } else {
      absl::StrAppend(&line, " ", fields[i].name(), "=", fields[i].json());
    }
  }
  return line;
}

// If the reader has closed the pipe, the write fails, but the thread continues.
void BlockSigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace

// Writes to a descriptor on the pool's thread. Before each write it waits for room, at most until
// GiveUpAt, so that no write blocks.
class DescriptorSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  DescriptorSink(int descriptor, bool json) : descriptor_(descriptor), json_(json) {}

  // Call before the first line. `pool` must outlive the sink's use.
  void CountDropsOf(spdlog::details::thread_pool* pool) { pool_ = pool; }
  void GiveUpAt(Clock::time_point time) { give_up_ = time.time_since_epoch().count(); }
  int64_t dropped() const {
    return static_cast<int64_t>(pool_->overrun_counter()) + not_written_.load();
  }

 private:
  // If lines before this one are missing, reports that once, in their place.
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    const int64_t missing = dropped() - told_;
    if (missing > 0) {
      const LogField lines("lines", missing);
      const std::string line =
          LineOf(json_, "log lines were dropped: standard error was not read in time", &lines, 1);
      const spdlog::details::log_msg told(message.time, {}, "", spdlog::level::warn, line);
      formatter_->format(told, text);
    }
    formatter_->format(message, text);
    if (WriteAll({text.data(), text.size()})) {
      told_ += missing;
    } else {
      ++not_written_;
    }
  }
  void flush_() override {}

  bool HasRoom() const {
    pollfd polled{descriptor_, POLLOUT, 0};
    while (true) {
      const bool last = Clock::now().time_since_epoch().count() >= give_up_;
      const int ready = poll(&polled, 1, last ? 0 : kLook_ms);
      if (ready == 1) return (polled.revents & POLLOUT) != 0;
      if (last || (ready < 0 && errno != EINTR)) return false;
    }
  }

  // Returns false if the bytes can no longer be written.
  bool WriteAll(absl::string_view text) const {
    while (!text.empty()) {
      if (!HasRoom()) return false;
      // A pipe with room accepts at least this many at once.
      const ssize_t written =
          write(descriptor_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
      if (written >= 0) {
        text.remove_prefix(static_cast<size_t>(written));
      } else if (errno != EAGAIN && errno != EINTR) {
        return false;
      }
    }
    return true;
  }

  const int descriptor_;
  const bool json_;
  spdlog::details::thread_pool* pool_ = nullptr;
  std::atomic<Clock::rep> give_up_ = std::numeric_limits<Clock::rep>::max();
  std::atomic<int64_t> not_written_ = 0;
  int64_t told_ = 0;  // number of missing lines already reported; used on the pool's thread
};

LogOutput::LogOutput(const LogOutputOptions& options, int descriptor)
    : json_(options.json),
      last_s_(options.last_s),
      limiter_(options.most_a_second),
      sink_(std::make_shared<DescriptorSink>(descriptor, options.json)),
      pool_(std::make_shared<spdlog::details::thread_pool>(options.queue_lines, 1, BlockSigpipe)) {
  sink_->CountDropsOf(pool_.get());
  log_ = std::make_shared<spdlog::async_logger>("", sink_, pool_,
                                                spdlog::async_overflow_policy::overrun_oldest);
  log_->set_formatter(Formatter(options));
  log_->set_level(spdlog::level::debug);
}

LogOutput::LogOutput(const LogOutputOptions& options, std::ostream& stream)
    : json_(options.json),
      last_s_(options.last_s),
      limiter_(options.most_a_second),
      log_(std::make_shared<spdlog::logger>(
          "", std::make_shared<spdlog::sinks::ostream_sink_mt>(stream, /*force_flush=*/true))) {
  log_->set_formatter(Formatter(options));
  log_->set_level(spdlog::level::debug);
}

LogOutput::~LogOutput() {
  {
    std::lock_guard lock(mutex_);
    TellHeld(LogLimiter::Time::max());
  }
  if (pool_ == nullptr) return;
  sink_->GiveUpAt(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(last_s_)));
  // Its thread ends after all waiting lines.
  pool_.reset();
}

void LogOutput::Put(LogLevel level, absl::string_view message, const LogField* fields,
                    size_t count) {
  const std::string line = LineOf(json_, message, fields, count);
  log_->log(SpdLevel(level), spdlog::string_view_t(line.data(), line.size()));
}

void LogOutput::TellHeld(LogLimiter::Time now) {
  for (const LogLimiter::Held& held : limiter_.TakeHeld(now)) {
    const LogField lines("lines", held.lines);
    Put(held.level, absl::StrCat(held.message, ": and more like this"), &lines, 1);
  }
}

void LogOutput::Write(LogLevel level, absl::string_view message, const LogField* fields,
                      size_t count) {
  const auto now = Clock::now();
  std::lock_guard lock(mutex_);
  TellHeld(now);
  if (limiter_.Take(level, message, now)) Put(level, message, fields, count);
}

LogCounts LogOutput::counts() const {
  std::lock_guard lock(mutex_);
  return {sink_ == nullptr ? 0 : sink_->dropped(), limiter_.held_back()};
}

}  // namespace posewire::service
