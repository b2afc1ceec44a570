// A connection to a Redis server.
#ifndef POSEWIRE_LIBS_SERVICE_REDIS_REDIS_CONNECTION_H_
#define POSEWIRE_LIBS_SERVICE_REDIS_REDIS_CONNECTION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct redisContext;

namespace posewire::service {

struct RedisAddress {
  std::string host;  // Without brackets.
  int port = 6379;
  std::string user;      // Empty: the server's default user.
  std::string password;  // Empty: none is sent.
  int database = 0;
};
// Parses "HOST:PORT", "HOST", "[V6]:PORT" or "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]",
// with user and password percent-encoded. INVALID_ARGUMENT describes the problem, without the
// password.
absl::StatusOr<RedisAddress> ParseRedisAddress(absl::string_view text);

// Sends commands and waits for the answers. After an error of Call the connection is of no more
// use. One thread, whose SIGPIPE it blocks.
class RedisConnection {
 public:
  using Command = std::vector<std::string>;
  // Text or number; empty for nil. FAILED_PRECONDITION: Redis answered with an error. Lists are not
  // accepted, because memory is allocated for an announced list size.
  using Answer = absl::StatusOr<std::string>;
  // Limit on what is received of one answer.
  static constexpr size_t kMostAnswerBytes = 4096;

  // Connects, sends the password and selects the database. Returns only after the server has
  // answered, because a stopped server still accepts connections. UNAVAILABLE, DEADLINE_EXCEEDED,
  // or Redis's error.
  static absl::StatusOr<std::unique_ptr<RedisConnection>> Open(
      const RedisAddress& address, double timeout_s, size_t most_answer_bytes = kMostAnswerBytes);
  // Sends all commands at once, and returns their answers in order. DEADLINE_EXCEEDED: not all
  // answers came in time, or UNAVAILABLE: the connection broke; the server may still process the
  // commands. ABORTED: the connection was already closed, and has delivered nothing.
  absl::StatusOr<std::vector<Answer>> Call(const std::vector<Command>& commands);

 private:
  struct Closer {
    void operator()(redisContext* context) const;
  };
  RedisConnection(redisContext* context, double timeout_s, size_t most_answer_bytes);

  const std::unique_ptr<redisContext, Closer> context_;
  const double timeout_s_;
  const size_t most_answer_bytes_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_REDIS_REDIS_CONNECTION_H_
