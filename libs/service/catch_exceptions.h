// Catches exceptions at the boundary of every thread and callback, so that they do not end the
// process.
#ifndef POSEWIRE_LIBS_SERVICE_CATCH_EXCEPTIONS_H_
#define POSEWIRE_LIBS_SERVICE_CATCH_EXCEPTIONS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Runs `work`. An exception becomes an error with `where` and the exception's text:
// RESOURCE_EXHAUSTED if memory ran out, otherwise INTERNAL. Never throws. Use it if the caller
// passes the error on. Thread-safe, like all functions here.
absl::Status Try(absl::string_view where, absl::FunctionRef<void()> work) noexcept;

// The same, and logs the error.
absl::Status CatchExceptions(const Logger& log, absl::string_view where,
                             absl::FunctionRef<void()> work) noexcept;

// Body of a long-running thread: runs `loop`, and restarts it after a pause whenever it throws,
// until it returns. `loop` must be able to restart.
void CatchExceptionsInLoop(const Logger& log, absl::string_view where,
                           absl::FunctionRef<void()> loop) noexcept;

// Body of main: runs PrepareProcess, `run`, and EndWith with its exit code, which is 1 if `run`
// throws.
int CatchExceptionsInMain(const char* program, absl::FunctionRef<int()> run) noexcept;

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_CATCH_EXCEPTIONS_H_
