// The log: lines on standard error, as text or as JSON, one event per line.
//
//   log.Info("push opened", {{"stream_id", id}, {"peer", peer}, {"queued", 2}});
//   2026-01-02T03:04:05.678Z info anim_graph: push opened stream_id="s1" peer="ipv4:..." queued=2
//
// The message is a fixed text of ours. Text from outside goes into fields, where it is quoted,
// control characters are escaped, invalid UTF-8 is replaced, and everything beyond 4096 bytes is
// cut off. Therefore no client can forge a line, send control codes to a terminal or fill memory.
//
// Logging never blocks. Lines that the reader does not take in time are dropped, and lines of one
// message beyond --log-limit per second are held back. The next written line reports how many.
#ifndef POSEWIRE_LIBS_SERVICE_LOGGER_H_
#define POSEWIRE_LIBS_SERVICE_LOGGER_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::service {

class Flags;
class LogOutput;

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// `level` is one of debug, info, warning, error, off; `format` is text or json; `limit` is lines
// per second of one message, 0 for no limit.
struct LogOptions {
  std::string level = "info";
  std::string format = "text";
  int limit = 50;
  void Declare(Flags& flags);  // --log-level, --log-format, --log-limit
};

// Lines that were not written.
struct LogCounts {
  int64_t dropped = 0;    // standard error was not read in time
  int64_t held_back = 0;  // over the limit
};

// A field's name (fixed text) and value.
class LogField {
 public:
  LogField(absl::string_view name, absl::string_view text);
  LogField(absl::string_view name, const char* text) : LogField(name, absl::string_view(text)) {}
  LogField(absl::string_view name, const std::string& text)
      : LogField(name, absl::string_view(text)) {}
  LogField(absl::string_view name, double value);
  LogField(absl::string_view name, bool value);
  LogField(absl::string_view name, const std::vector<std::string>& texts);  // A JSON array.
  template <std::integral T>
  requires(!std::same_as<T, bool>) LogField(absl::string_view name, T value)
      : LogField(name, static_cast<int64_t>(value), 0) {}

  const std::string& name() const { return name_; }
  const std::string& json() const { return json_; }  // The value as JSON.

 private:
  LogField(absl::string_view name, int64_t value, int);
  std::string name_;
  std::string json_;
};

// A cheap handle that is passed by value; copies write to the same destination. Thread-safe. There
// is no global logger. Never used on the hot path: it locks and allocates. Destroying the last copy
// waits up to half a second for the remaining lines to be read.
class Logger {
 public:
  Logger();  // Writes nothing; for tests.
  // Logs to standard error. Every line contains `program`.
  Logger(absl::string_view program, const LogOptions& options);
  // Logs to `stream`, which must outlive every copy; for tests.
  Logger(absl::string_view program, const LogOptions& options, std::ostream& stream);

  bool Enabled(LogLevel level) const;
  void Write(LogLevel level, absl::string_view message,
             std::initializer_list<LogField> fields = {}) const;
  void Write(LogLevel level, absl::string_view message, const LogField* fields, size_t count) const;

  void Debug(absl::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Info(absl::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Warning(absl::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Error(absl::string_view message, std::initializer_list<LogField> fields = {}) const;

  LogCounts counts() const;

 private:
  LogLevel level_ = LogLevel::kOff;
  std::shared_ptr<LogOutput> output_;
};

// Returns `text` as a JSON string with its quotes. Characters of IsUnsafeOnTerminal are escaped,
// and invalid UTF-8 becomes U+FFFD.
std::string QuoteText(absl::string_view text);

// Logs the settings of a program as one line: those that differ from their defaults, and which of
// them the file and the environment set. At level debug: all of them, and ignored ones.
void LogConfig(const Logger& log, const Flags& flags);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LOGGER_H_
