#include "libs/service/catch_exceptions.h"

#include <cxxabi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <typeinfo>

#include "absl/strings/str_cat.h"
#include "libs/program/prepare_process.h"
#include "libs/program/standard_output.h"
#include "libs/program/terminal_text.h"

namespace posewire::service {
namespace {

constexpr std::chrono::milliseconds kPause{100};

// Type name of the exception that is being handled.
std::string TypeOfCurrent() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "exception";
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string out = status == 0 ? name : type->name();
  std::free(name);
  return out;
}

// Status for the exception that is being handled.
absl::Status StatusOfCurrent(absl::string_view where) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(where, ": there is not enough memory"));
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat(where, ": ", TypeOfCurrent(), ": ", e.what()));
  } catch (...) {
    return absl::InternalError(absl::StrCat(where, ": ", TypeOfCurrent(), " was thrown"));
  }
}

// Used if there is not even memory for the error's text.
void WriteOutOfMemory() {
  constexpr char kText[] = "an exception was caught, and there is no memory to say which\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof(kText) - 1);
}

}  // namespace

absl::Status Try(absl::string_view where, absl::FunctionRef<void()> work) noexcept {
  try {
    work();
    return absl::OkStatus();
  } catch (...) {
    try {
      return StatusOfCurrent(where);
    } catch (...) {
      WriteOutOfMemory();
      // Has no message, and so needs no memory.
      return absl::Status(absl::StatusCode::kResourceExhausted, "");
    }
  }
}

absl::Status CatchExceptions(const Logger& log, absl::string_view where,
                             absl::FunctionRef<void()> work) noexcept {
  absl::Status status = Try(where, work);
  if (status.ok()) return status;
  const absl::Status logged = Try("log", [&] {
    log.Error("exception",
              {{"code", absl::StatusCodeToString(status.code())}, {"error", status.message()}});
  });
  if (!logged.ok()) WriteOutOfMemory();
  return status;
}

void CatchExceptionsInLoop(const Logger& log, absl::string_view where,
                           absl::FunctionRef<void()> loop) noexcept {
  while (!CatchExceptions(log, where, loop).ok()) std::this_thread::sleep_for(kPause);
}

int CatchExceptionsInMain(const char* name, absl::FunctionRef<int()> run) noexcept {
  program::PrepareProcess();
  int code = 1;
  const absl::Status status = Try(name, [&] { code = program::EndWith(name, run()); });
  if (!status.ok()) {
    (void)Try(name, [&] {
      std::fprintf(stderr, "%s\n", program::TerminalText(status.message()).c_str());
    });
  }
  return code;
}

}  // namespace posewire::service
