// Matchers for absl::Status, which this abseil does not have.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_STATUS_MATCHERS_H_
#define POSEWIRE_TESTS_UNIT_WIRE_STATUS_MATCHERS_H_

#include <gmock/gmock.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire {

inline const absl::Status& StatusOf(const absl::Status& s) { return s; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& s) {
  return s.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// The code, and a matcher for the text.
MATCHER_P2(Fails, code, text, "") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code &&
         ::testing::Matches(text)(std::string(StatusOf(arg).message()));
}

template <typename M>
auto Invalid(M text) {
  return Fails(absl::StatusCode::kInvalidArgument, text);
}

}  // namespace posewire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_STATUS_MATCHERS_H_
