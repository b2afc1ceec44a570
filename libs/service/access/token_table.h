// The lines of a token file: which token has which permissions on which streams.
//
//   # name  permissions         streams     token                              until
//   studio  push,control  show-*,s1   3q2+7w...                          2027-01-01T00:00:00Z
//   wall    pull,watch    *           sha256:9f86d081884c7d659a2feaa0c5... pulls=4
//
// A token is at least 16 of A-Z a-z 0-9 - . _ ~ + / =, or its SHA-256, so that readers of the file
// cannot use it. A name may have several tokens, such as an old and a new one. Only hashes are
// stored, and all are compared in constant time. pushes=N and pulls=N limit how many calls of the
// name may be open at once; by default only the server's own limits apply.
#ifndef POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_TABLE_H_
#define POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/stream/access.h"

namespace posewire::service {

inline constexpr int kMostTokens = 1024;

stream::TokenHash HashOf(absl::string_view text);

// `authorization` is the header or metadata of that name. The token follows "Bearer ".
stream::Caller CallerOf(std::string peer, absl::string_view authorization);

// Immutable; thread-safe.
class TokenTable {
 public:
  // INVALID_ARGUMENT names the line and the problem, but never a token.
  static absl::StatusOr<TokenTable> Parse(absl::string_view text);

  // See stream::Authorizer::Check.
  absl::StatusOr<std::string> Check(const stream::Caller& caller, absl::string_view stream_id,
                                    stream::Permission permission, absl::Time now) const;
  size_t size() const { return tokens_.size(); }

  struct Quota {
    std::string name;
    int most = 0;
    bool operator==(const Quota&) const = default;
  };
  // Limit on the caller's pushes, or pulls; nothing: no limit.
  std::optional<Quota> QuotaOf(const stream::Caller& caller, stream::Permission permission) const;

 private:
  struct Token {
    std::string name;
    unsigned permissions = 0;          // one bit for each permission
    std::vector<std::string> streams;  // an id, or a prefix followed by "*"
    stream::TokenHash hash{};
    absl::Time until = absl::InfiniteFuture();
    int most_pushes = 0, most_pulls = 0;  // 0: no limit
  };
  static absl::StatusOr<Token> ParseLine(absl::string_view line);
  // Parses one of the fields after the token.
  static absl::Status ParseMore(absl::string_view field, Token* token);
  const Token* Find(const stream::TokenHash& hash) const;

  std::vector<Token> tokens_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_TABLE_H_
