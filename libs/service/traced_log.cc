#include "libs/service/traced_log.h"

#include <vector>

#include "libs/stream/trace.h"

namespace posewire::service {

void WriteTraced(const Logger& log, LogLevel level, absl::string_view message,
                 absl::string_view traceparent, std::initializer_list<LogField> fields) {
  std::vector<LogField> all(fields);
  if (!traceparent.empty()) all.emplace_back("trace_id", stream::TraceIdOf(traceparent));
  log.Write(level, message, all.data(), all.size());
}

}  // namespace posewire::service
