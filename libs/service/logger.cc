#include "libs/service/logger.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/service/flags.h"

namespace posewire::service {
namespace {

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

LogLevel LevelOf(absl::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  if (text == "off") return LogLevel::kOff;
  return LogLevel::kInfo;
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
}

LogField::LogField(absl::string_view name, absl::string_view text)
    : name_(name), json_(QuoteText(text)) {}
LogField::LogField(absl::string_view name, double value)
    : name_(name), json_(std::isfinite(value) ? absl::StrCat(value) : "null") {}
LogField::LogField(absl::string_view name, bool value)
    : name_(name), json_(value ? "true" : "false") {}
LogField::LogField(absl::string_view name, int64_t value, int)
    : name_(name), json_(absl::StrCat(value)) {}

struct Logger::Impl {
  Impl(absl::string_view program, const LogOptions& options, spdlog::sink_ptr sink)
      : json(options.format == "json"), level(LevelOf(options.level)), log("", std::move(sink)) {
    const std::string name = absl::StrReplaceAll(program, {{"%", "%%"}});
    const std::string time = "%Y-%m-%dT%H:%M:%S.%eZ";
    const std::string pattern =
        json ? absl::StrCat(R"({"time":")", time, R"(","level":"%l","program":)", QuoteText(name),
                            ",%v}")
             : absl::StrCat(time, " %l ", name, ": %v");
    log.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
    log.set_level(SpdLevel(level));
    log.flush_on(spdlog::level::debug);
  }

  bool json;
  LogLevel level;
  // spdlog's write is thread-safe but not const.
  mutable spdlog::logger log;
};

Logger::Logger() = default;

Logger::Logger(absl::string_view program, const LogOptions& options)
    : impl_(std::make_shared<Impl>(program, options,
                                   std::make_shared<spdlog::sinks::stderr_sink_mt>())) {}

Logger::Logger(absl::string_view program, const LogOptions& options, std::ostream& stream)
    : impl_(std::make_shared<Impl>(program, options,
                                   std::make_shared<spdlog::sinks::ostream_sink_mt>(stream))) {}

bool Logger::Enabled(LogLevel level) const { return impl_ != nullptr && level >= impl_->level; }

void Logger::Write(LogLevel level, absl::string_view message, const LogField* fields,
                   size_t count) const {
  if (!Enabled(level) || level == LogLevel::kOff) return;
  std::string line =
      impl_->json ? absl::StrCat(R"("message":)", QuoteText(message)) : std::string(message);
  for (size_t i = 0; i < count; ++i) {
    if (impl_->json) {
      absl::StrAppend(&line, ",", QuoteText(fields[i].name()), ":", fields[i].json());
    } else {
      absl::StrAppend(&line, " ", fields[i].name(), "=", fields[i].json());
    }
  }
  impl_->log.log(SpdLevel(level), spdlog::string_view_t(line.data(), line.size()));
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

void LogConfig(const Logger& log, const Flags& flags) {
  std::vector<LogField> fields = {{"version", flags.info().version}};
  if (!flags.command().empty()) fields.push_back({"command", flags.command()});
  for (const FlagValue& value : flags.Effective()) {
    std::string shown = value.value;
    if (value.origin != FlagOrigin::kDefault) {
      absl::StrAppend(&shown, " (", ToString(value.origin), ")");
    }
    fields.push_back({value.name, shown});
  }
  log.Write(LogLevel::kInfo, "configuration", fields.data(), fields.size());
}

}  // namespace posewire::service
