#include "libs/service/logger.h"

#include <unistd.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/service/flags/flags.h"
#include "libs/service/log_output.h"

namespace posewire::service {
namespace {

// Of a field; what is cut off shows as "...". With it the lines that wait have a bound.
constexpr size_t kMostText_bytes = 4096;

// Length of the UTF-8 sequence at the start of `text`, 0 when it is none (overlong forms,
// surrogates and what lies past U+10FFFF included).
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) {
    return 0;
  }
  return length;
}

void AppendAscii(char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '\r':
      out->append("\\r");
      return;
    default:
      break;
  }
  if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
    absl::StrAppend(out, "\\u", absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad4));
  } else {
    out->push_back(c);
  }
}

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
    const size_t length = SequenceLength(text);
    if (length == 0) {
      out.append("\xEF\xBF\xBD");
      text.remove_prefix(1);
      continue;
    }
    if (length == 1) {
      AppendAscii(text[0], &out);
    } else if (length == 2 && text[0] == '\xC2' && static_cast<uint8_t>(text[1]) < 0xA0) {
      absl::StrAppend(&out, "\\u", absl::Hex(static_cast<uint8_t>(text[1]), absl::kZeroPad4));
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(length);
  }
  out.push_back('"');
  return out;
}

void LogOptions::Declare(Flags& flags) {
  flags.Group("Log");
  flags.Add("log-level", &level, "Least level that is logged.",
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
