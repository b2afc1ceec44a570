#include "libs/service/access/session_table.h"

#include <openssl/rand.h>

#include <array>

#include "absl/strings/escaping.h"
#include "libs/service/access/token_table.h"

namespace posewire::service {

absl::StatusOr<std::string> SessionTable::Open(const stream::TokenHash& token, absl::Time now) {
  std::array<unsigned char, 32> bits;
  if (RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1) {
    return absl::UnavailableError("the system has no random numbers; log in later");
  }
  MakeRoom(token, now);
  std::string id =
      absl::WebSafeBase64Escape({reinterpret_cast<const char*>(bits.data()), bits.size()});
  sessions_[HashOf(id)] = {token, now + limits_.life, now};
  return id;
}

void SessionTable::MakeRoom(const stream::TokenHash& token, absl::Time now) {
  std::erase_if(sessions_, [&](const auto& entry) { return now >= entry.second.until; });
  size_t of_token = 0;
  auto idlest = sessions_.end(), idlest_of_token = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    const auto older = [&](auto other) {
      return other == sessions_.end() || at->second.used < other->second.used;
    };
    if (older(idlest)) idlest = at;
    if (at->second.token != token) continue;
    ++of_token;
    if (older(idlest_of_token)) idlest_of_token = at;
  }
  if (of_token >= limits_.most_of_token) {
    sessions_.erase(idlest_of_token);
  } else if (sessions_.size() >= limits_.most) {
    sessions_.erase(idlest);
  }
}

std::optional<stream::TokenHash> SessionTable::Use(absl::string_view id, absl::Time now) {
  const auto found = sessions_.find(HashOf(id));
  if (found == sessions_.end()) return std::nullopt;
  if (now >= found->second.until) {
    sessions_.erase(found);
    return std::nullopt;
  }
  found->second.used = now;
  return found->second.token;
}

void SessionTable::Close(absl::string_view id) { sessions_.erase(HashOf(id)); }

}  // namespace posewire::service
