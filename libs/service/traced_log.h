// Log lines that can be found by a request's trace id.
#ifndef POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_
#define POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_

#include <initializer_list>

#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Same as Logger::Write, with "trace_id" after the fields if there is a trace. `traceparent` is the
// result of stream::TraceparentOf.
void WriteTraced(const Logger& log, LogLevel level, absl::string_view message,
                 absl::string_view traceparent, std::initializer_list<LogField> fields);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_
