#include "libs/service/access/token_table.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/rpc/bearer_token.h"

namespace posewire::service {
namespace {

using stream::Permission;

constexpr char kHashMark[] = "sha256:";
constexpr std::pair<const char*, Permission> kPermissions[] = {{"push", Permission::kPush},
                                                               {"pull", Permission::kPull},
                                                               {"watch", Permission::kWatch},
                                                               {"control", Permission::kControl},
                                                               {"clips", Permission::kClips}};

unsigned BitOf(Permission permission) { return 1u << static_cast<unsigned>(permission); }

std::string NamesOf(unsigned permissions) {
  std::vector<absl::string_view> names;
  for (const auto& [name, permission] : kPermissions) {
    if ((permissions & BitOf(permission)) != 0) names.push_back(name);
  }
  return absl::StrJoin(names, ", ");
}

absl::StatusOr<unsigned> ParsePermissions(absl::string_view text) {
  unsigned permissions = 0;
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    const auto at = std::find_if(std::begin(kPermissions), std::end(kPermissions),
                                 [&](const auto& known) { return known.first == word; });
    if (at == std::end(kPermissions)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no permission \"", absl::CHexEscape(word), "\"; there are ", NamesOf(~0u)));
    }
    permissions |= BitOf(at->second);
  }
  return permissions;
}

absl::StatusOr<stream::TokenHash> ParseToken(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, kHashMark)) {
    const absl::Status ok = rpc::CheckToken(text);
    if (!ok.ok()) return ok;
    return HashOf(text);
  }
  stream::TokenHash hash{};
  if (text.size() != 2 * hash.size() ||
      !std::all_of(text.begin(), text.end(), absl::ascii_isxdigit)) {
    return absl::InvalidArgumentError("sha256: is followed by 64 hexadecimal digits");
  }
  const std::string bytes = absl::HexStringToBytes(text);
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

bool Fits(absl::string_view pattern, absl::string_view stream_id) {
  return absl::ConsumeSuffix(&pattern, "*") ? absl::StartsWith(stream_id, pattern)
                                            : stream_id == pattern;
}

}  // namespace

stream::TokenHash HashOf(absl::string_view text) {
  stream::TokenHash hash{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return hash;
}

stream::Caller CallerOf(std::string peer, absl::string_view authorization) {
  stream::Caller caller{std::move(peer)};
  constexpr absl::string_view kScheme = "Bearer ";
  if (absl::StartsWithIgnoreCase(authorization, kScheme)) {
    caller.token = HashOf(absl::StripAsciiWhitespace(authorization.substr(kScheme.size())));
  }
  return caller;
}

absl::StatusOr<TokenTable::Token> TokenTable::ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> fields =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (fields.size() < 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", fields.size(),
        " fields; a line has NAME VERBS STREAMS TOKEN, and may have UNTIL, pushes=N and pulls=N"));
  }
  Token token;
  token.name = std::string(fields[0]);
  const auto permissions = ParsePermissions(fields[1]);
  if (!permissions.ok()) return permissions.status();
  token.permissions = *permissions;
  token.streams = absl::StrSplit(fields[2], ',', absl::SkipEmpty());
  for (const std::string& pattern : token.streams) {
    const size_t star = pattern.find('*');
    if (star == std::string::npos || star + 1 == pattern.size()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the stream \"", absl::CHexEscape(pattern), "\": a * may only be at the end"));
  }
  const auto hash = ParseToken(fields[3]);
  if (!hash.ok()) return hash.status();
  token.hash = *hash;
  for (size_t i = 4; i < fields.size(); ++i) {
    if (absl::Status s = ParseMore(fields[i], &token); !s.ok()) return s;
  }
  return token;
}

absl::Status TokenTable::ParseMore(absl::string_view field, Token* token) {
  for (const auto& [name, most] :
       {std::pair{"pushes=", &token->most_pushes}, std::pair{"pulls=", &token->most_pulls}}) {
    absl::string_view number = field;
    if (!absl::ConsumePrefix(&number, name)) continue;
    if (absl::SimpleAtoi(number, most) && *most > 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is followed by how many may be open at once, 1 or more"));
  }
  if (std::string why; absl::ParseTime(absl::RFC3339_full, field, &token->until, &why)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", absl::CHexEscape(field),
      "\": after the token may come a time such as 2027-01-31T12:00:00Z, pushes=N and pulls=N"));
}

absl::StatusOr<TokenTable> TokenTable::Parse(absl::string_view text) {
  TokenTable table;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    auto token = ParseLine(line);
    if (token.ok() && table.Find(token->hash) != nullptr) {
      token = absl::InvalidArgumentError("this token has a line already");
    }
    if (token.ok() && table.tokens_.size() >= static_cast<size_t>(kMostTokens)) {
      token = absl::InvalidArgumentError(absl::StrCat("at most ", kMostTokens, " tokens"));
    }
    if (!token.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", token.status().message()));
    }
    table.tokens_.push_back(*std::move(token));
  }
  return table;
}

const TokenTable::Token* TokenTable::Find(const stream::TokenHash& hash) const {
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (CRYPTO_memcmp(token.hash.data(), hash.data(), hash.size()) == 0) found = &token;
  }
  return found;
}

std::optional<TokenTable::Quota> TokenTable::QuotaOf(const stream::Caller& caller,
                                                     Permission permission) const {
  const Token* const token = caller.token ? Find(*caller.token) : nullptr;
  if (token == nullptr) return std::nullopt;
  const int most = permission == Permission::kPush   ? token->most_pushes
                   : permission == Permission::kPull ? token->most_pulls
                                                     : 0;
  if (most == 0) return std::nullopt;
  return Quota{token->name, most};
}

absl::StatusOr<std::string> TokenTable::Check(const stream::Caller& caller,
                                              absl::string_view stream_id, Permission permission,
                                              absl::Time now) const {
  if (!caller.token) {
    return absl::UnauthenticatedError(
        "this server requires a token: \"authorization: Bearer TOKEN\" (--token-file of our "
        "clients)");
  }
  const Token* const token = Find(*caller.token);
  if (token == nullptr) {
    return absl::UnauthenticatedError("this server does not know the token");
  }
  if (now >= token->until) {
    return absl::UnauthenticatedError(
        absl::StrCat("the token of ", token->name, " was good until ",
                     absl::FormatTime(absl::RFC3339_sec, token->until, absl::UTCTimeZone())));
  }
  if ((token->permissions & BitOf(permission)) == 0) {
    return absl::PermissionDeniedError(absl::StrCat("the token of ", token->name, " is for ",
                                                    NamesOf(token->permissions), "; this is ",
                                                    NamesOf(BitOf(permission))));
  }
  const auto fits = [&](const std::string& pattern) { return Fits(pattern, stream_id); };
  if (stream_id.empty() || std::any_of(token->streams.begin(), token->streams.end(), fits)) {
    return token->name;
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "the token of ", token->name, " is for the streams ", absl::StrJoin(token->streams, ","),
      "; this is ",
      stream_id == stream::kAllStreams ? "all of them"
                                       : absl::StrCat("\"", absl::CHexEscape(stream_id), "\"")));
}

}  // namespace posewire::service
