// Lines of one request, which its trace leads to.
#ifndef POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_
#define POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_

#include <initializer_list>

#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

// As Logger::Write, with "trace_id" behind the fields where there is a trace: `traceparent` is as
// of stream::TraceparentOf.
void WriteTraced(const Logger& log, LogLevel level, absl::string_view message,
                 absl::string_view traceparent, std::initializer_list<LogField> fields);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TRACED_LOG_H_
