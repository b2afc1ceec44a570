// Sessions of browsers, which send a cookie where programs send a token.
#ifndef POSEWIRE_LIBS_SERVICE_ACCESS_SESSION_TABLE_H_
#define POSEWIRE_LIBS_SERVICE_ACCESS_SESSION_TABLE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/stream/access.h"

namespace posewire::service {

// A session refers to the token with which it was opened and has no permissions of its own. Check
// the token with the Authorizer at each use, so that a change of the tokens file also affects the
// session. Stores only hashes of ids, so that its memory reveals none. Not thread-safe; time is an
// argument.
class SessionTable {
 public:
  struct Limits {
    // Sessions at once, in total and per token. At either limit, a new session ends the one that
    // was unused for the longest time.
    size_t most = 4096, most_of_token = 1024;
    absl::Duration life = absl::Hours(12);  // counted from its opening
  };

  SessionTable() : SessionTable(Limits()) {}
  explicit SessionTable(const Limits& limits) : limits_(limits) {}

  // Returns the id of a new session: 256 random bits as 43 characters of A-Z a-z 0-9 - _.
  // UNAVAILABLE if the system has no random numbers.
  absl::StatusOr<std::string> Open(const stream::TokenHash& token, absl::Time now);
  // Returns the token of a session, and counts as a use of it. Nothing: the id is unknown or has
  // expired.
  std::optional<stream::TokenHash> Use(absl::string_view id, absl::Time now);
  void Close(absl::string_view id);
  size_t size() const { return sessions_.size(); }

 private:
  struct Session {
    stream::TokenHash token;
    absl::Time until, used;
  };
  void MakeRoom(const stream::TokenHash& token, absl::Time now);

  const Limits limits_;
  std::map<stream::TokenHash, Session> sessions_;  // by the SHA-256 of the id
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_SESSION_TABLE_H_
