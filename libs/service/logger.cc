#include "libs/service/logger.h"

#include <unistd.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/program/terminal_text.h"
#include "libs/service/flags/flags.h"
#include "libs/service/log_output.h"

namespace posewire::service {
namespace {

// Limit on one field; cut text ends in "...". It bounds the memory of waiting lines.
constexpr size_t kMostText_bytes = 4096;

LogLevel LevelOf(absl::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  if (text == "off") return LogLevel::kOff;
  return LogLevel::kInfo;
}

LogOutputOptions OutputOptions(absl::string_view program, const LogOptions& options) {
  return {.program = std::string(program),
          .json = options.format == "json",
          .most_a_second = options.limit};
}

}  // namespace

std::string QuoteText(absl::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const program::Utf8Char next = program::FirstUtf8Char(text);
    if (!next.valid) {
      out.append("\xEF\xBF\xBD");
    } else if (program::IsUnsafeOnTerminal(next.code)) {
      program::AppendEscaped(next.code, &out);
    } else {
      if (next.code == '"' || next.code == '\\') out.push_back('\\');
      out.append(text.data(), next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  out.push_back('"');
  return out;
}

void LogOptions::Declare(Flags& flags) {
  flags.Group("Log");
  flags.Add("log-level", &level, "Lowest level that is logged.",
            {.choices = {"debug", "info", "warning", "error", "off"}});
  flags.Add("log-format", &format, "Form of the lines on standard error.",
            {.choices = {"text", "json"}});
  flags.Add("log-limit", &limit, "Lines a second of one message; the rest is counted. 0: no limit.",
            {.min = 0, .max = 1e6, .rare = true});
}

LogField::LogField(absl::string_view name, absl::string_view text)
    : name_(name),
      json_(QuoteText(text.size() <= kMostText_bytes
                          ? text
                          : absl::StrCat(text.substr(0, kMostText_bytes), "..."))) {}
LogField::LogField(absl::string_view name, double value)
    : name_(name), json_(std::isfinite(value) ? absl::StrCat(value) : "null") {}
LogField::LogField(absl::string_view name, bool value)
    : name_(name), json_(value ? "true" : "false") {}
LogField::LogField(absl::string_view name, const std::vector<std::string>& texts)
    : name_(name),
      json_(absl::StrCat("[",
                         absl::StrJoin(texts, ",",
                                       [](std::string* out, const std::string& text) {
                                         absl::StrAppend(out, LogField("", text).json());
                                       }),
                         "]")) {}
LogField::LogField(absl::string_view name, int64_t value, int)
    : name_(name), json_(absl::StrCat(value)) {}

Logger::Logger() = default;

Logger::Logger(absl::string_view program, const LogOptions& options)
    : level_(LevelOf(options.level)),
      output_(std::make_shared<LogOutput>(OutputOptions(program, options), STDERR_FILENO)) {}

Logger::Logger(absl::string_view program, const LogOptions& options, std::ostream& stream)
    : level_(LevelOf(options.level)),
      output_(std::make_shared<LogOutput>(OutputOptions(program, options), stream)) {}

bool Logger::Enabled(LogLevel level) const { return level >= level_ && level != LogLevel::kOff; }

void Logger::Write(LogLevel level, absl::string_view message, const LogField* fields,
                   size_t count) const {
  if (Enabled(level)) output_->Write(level, message, fields, count);
}

void Logger::Write(LogLevel level, absl::string_view message,
                   std::initializer_list<LogField> fields) const {
  Write(level, message, fields.begin(), fields.size());
}

void Logger::Debug(absl::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kDebug, message, fields);
}
void Logger::Info(absl::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kInfo, message, fields);
}
void Logger::Warning(absl::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kWarning, message, fields);
}
void Logger::Error(absl::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kError, message, fields);
}

LogCounts Logger::counts() const { return output_ == nullptr ? LogCounts() : output_->counts(); }

void LogConfig(const Logger& log, const Flags& flags) {
  const bool whole = log.Enabled(LogLevel::kDebug);
  std::vector<LogField> fields = {{"version", flags.info().version}};
  if (!flags.command().empty()) fields.push_back({"command", flags.command()});
  std::vector<std::string> from_file, from_environment;
  for (const FlagValue& flag : flags.Effective()) {
    if (!whole && !flag.changed) continue;
    fields.push_back(
        std::visit([&](const auto& value) { return LogField(flag.name, value); }, flag.value));
    if (flag.origin == FlagOrigin::kFile) from_file.push_back(flag.name);
    if (flag.origin == FlagOrigin::kEnvironment) from_environment.push_back(flag.name);
  }
  const auto add = [&](const char* name, const std::vector<std::string>& settings) {
    if (!settings.empty()) fields.push_back({name, settings});
  };
  add("from_file", from_file);
  add("from_environment", from_environment);
  if (whole) add("passed_over", flags.PassedOver());
  log.Write(whole ? LogLevel::kDebug : LogLevel::kInfo, "configuration", fields.data(),
            fields.size());
}

}  // namespace posewire::service
