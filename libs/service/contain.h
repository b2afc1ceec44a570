// Ends what threw, and not the process: the border of every thread and of every callback.
#ifndef POSEWIRE_LIBS_SERVICE_CONTAIN_H_
#define POSEWIRE_LIBS_SERVICE_CONTAIN_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Runs `work`. What it throws becomes an error that says where it was and what was thrown:
// RESOURCE_EXHAUSTED for memory that is not there, else INTERNAL. Throws nothing. For those who
// pass the error on; thread-safe, as the rest.
absl::Status Try(absl::string_view where, absl::FunctionRef<void()> work) noexcept;

// The same, and logs the error.
absl::Status Contain(const Logger& log, absl::string_view where,
                     absl::FunctionRef<void()> work) noexcept;

// The whole life of a thread: runs `loop`, and again after a pause whenever it throws, until it
// returns. `loop` must be one that can begin anew.
void ContainLoop(const Logger& log, absl::string_view where,
                 absl::FunctionRef<void()> loop) noexcept;

// The whole life of a program: PrepareProcess, `run` and its code, EndWith; 1 when `run` throws.
int ContainMain(const char* program, absl::FunctionRef<int()> run) noexcept;

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_CONTAIN_H_
