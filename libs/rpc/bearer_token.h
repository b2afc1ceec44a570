// The bearer token that a client sends with each call (RFC 6750).
#ifndef POSEWIRE_LIBS_RPC_BEARER_TOKEN_H_
#define POSEWIRE_LIBS_RPC_BEARER_TOKEN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::rpc {

// INVALID_ARGUMENT, without the token in its text, unless `token` is 16 to 4096 of A-Z a-z 0-9 - .
// _ ~ + / =.
absl::Status CheckToken(absl::string_view token);

// Reads a file that contains one token and otherwise only whitespace. Errors: see files::ReadWhole
// and CheckToken. Any thread.
absl::StatusOr<std::string> ReadToken(const std::string& path);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_BEARER_TOKEN_H_
