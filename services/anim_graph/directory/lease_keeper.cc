#include "services/anim_graph/directory/lease_keeper.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::anim_graph {
namespace {

constexpr size_t kMostTriedBytes = 8 * 33;

}  // namespace

LeasePtr LeaseKeeper::Find(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  const auto at = held_.find(stream_id);
  if (at == held_.end()) return nullptr;
  at->second.used_ns = options_.clock().ns;
  return at->second.lease;
}

void LeaseKeeper::Renew() {
  const int64_t sent_ns = options_.clock().ns;
  absl::Status status =
      session_.id.empty() ? absl::NotFoundError("") : store_->Renew(session_, sent_ns);
  if (status.ok()) {
    term_ns_ = sent_ns + LeaseStore::kTerm_ns - kMargin_ns;
    Extend(term_ns_, /*all=*/false);
    status = Reclaim();
  } else if (absl::IsNotFound(status)) {
    status = OpenSession();
  }
  NoteOutcome(status, sent_ns);
  if (status.ok()) ReleaseUnused();
}

absl::Status LeaseKeeper::OpenSession() {
  session_ = {};
  const int64_t sent_ns = options_.clock().ns;
  auto session = store_->Open(address_, sent_ns);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  term_ns_ = sent_ns + LeaseStore::kTerm_ns - kMargin_ns;
  return Reclaim();
}

// Claims again the streams that were claimed in an earlier session, or long ago.
absl::Status LeaseKeeper::Reclaim() {
  const int64_t began_ns = options_.clock().ns;
  std::vector<LeaseStore::Claim> claims;
  for (auto& [id, held] : held_) {
    const bool earlier = held.claim.session != session_.id;
    if (!earlier && began_ns - held.written_ns < kRewriteEvery_ns) continue;
    claims.push_back(held.claim);
    if (earlier) claims.back().number = ++last_claim_;
  }
  for (size_t at = 0; at < claims.size(); at += kMostClaims) {
    const Now now = options_.clock();
    if (now.ns - began_ns > kReclaim_ns) break;  // the rest after the next renewal
    std::vector<LeaseStore::Claim> part(
        claims.begin() + static_cast<ptrdiff_t>(at),
        claims.begin() + static_cast<ptrdiff_t>(std::min(at + kMostClaims, claims.size())));
    for (auto& claim : part) claim.in_term = now.ns < held_.find(claim.stream_id)->second.term_ns;
    const absl::Status status = ReclaimPart(part, now);
    if (status.ok()) continue;
    // The session is not used any more: the store may have granted a lease in it too late.
    for (const auto& claim : part) {
      Held& held = held_.find(claim.stream_id)->second;
      if (held.claim.session == session_.id) continue;
      std::string& tried = held.claim.tried;
      absl::StrAppend(&tried, session_.id, " ");
      if (tried.size() > kMostTriedBytes) tried.erase(0, tried.find(' ') + 1);
    }
    session_ = {};
    return status;
  }
  return absl::OkStatus();
}

absl::Status LeaseKeeper::ReclaimPart(const std::vector<LeaseStore::Claim>& claims, Now now) {
  auto answers = store_->Take(session_, now, claims);
  if (!answers.ok()) return answers.status();
  const int64_t answered_ns = options_.clock().ns;
  for (size_t i = 0; i < claims.size(); ++i) {
    // Another process may have claimed the stream before the store read this claim.
    if (claims[i].in_term && answered_ns >= held_.find(claims[i].stream_id)->second.term_ns) {
      return absl::DeadlineExceededError("the leases ended before the answer came");
    }
    if (std::holds_alternative<LeaseStore::NoSession>((*answers)[i])) {
      return absl::UnavailableError("the session has ended");
    }
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string& id = claims[i].stream_id;
    Held& held = held_.find(id)->second;
    const LeaseStore::Answer& answer = (*answers)[i];
    if (std::holds_alternative<LeaseStore::Granted>(answer)) {
      held.claim = claims[i];
      held.claim.session = session_.id;
      held.claim.tried.clear();
      held.written_ns = now.ns;
      held.lease->until_ns = held.term_ns = term_ns_;
    } else if (const auto* taken = std::get_if<LeaseStore::Taken>(&answer);
               taken != nullptr && taken->address != address_) {
      Lose(id, taken->address);
    } else if (std::holds_alternative<LeaseStore::Lost>(answer)) {
      Lose(id, "");
    } else if (std::holds_alternative<LeaseStore::Wait>(answer) && !options_.pause) {
      held.lease->until_ns = answered_ns + LeaseStore::kTerm_ns;
    }
  }
  return absl::OkStatus();
}

void LeaseKeeper::ReleaseUnused() {
  const int64_t now_ns = options_.clock().ns;
  std::vector<LeaseStore::Claim> unused;
  {
    std::lock_guard lock(mutex_);
    for (auto at = held_.begin(); at != held_.end();) {
      Held& held = at->second;
      if (held.lease.use_count() > 1) held.used_ns = now_ns;
      if (now_ns - held.used_ns < kUnused_ns) {
        ++at;
        continue;
      }
      if (held.claim.session == session_.id) unused.push_back(held.claim);
      at = held_.erase(at);
    }
    counters_.leases = static_cast<int64_t>(held_.size());
  }
  // If this fails, the entries name this process until it ends or claims the streams again.
  if (!unused.empty()) (void)store_->Release(session_, unused);
}

// Sets the ends of all leases, or of those that belong to the session.
void LeaseKeeper::Extend(int64_t until_ns, bool all) {
  for (auto& [id, held] : held_) {
    if (!all && held.claim.session != session_.id) continue;
    held.lease->until_ns = until_ns;
    if (!all) held.term_ns = until_ns;
  }
}

void LeaseKeeper::Lose(const std::string& stream_id, const std::string& owner) {
  StreamDirectory::LostLease lost{stream_id, nullptr, {}};
  {
    std::lock_guard lock(mutex_);
    const auto at = held_.find(stream_id);
    lost.lease = at->second.lease;
    at->second.lease->until_ns = 0;
    held_.erase(at);
    counters_.leases = static_cast<int64_t>(held_.size());
  }
  ++counters_.lost;
  log_.Warning("lease lost", {{"stream_id", stream_id}, {"owner", owner}});
  lost.why = absl::UnavailableError(
      owner.empty() ? absl::StrCat("stream_id \"", stream_id, "\" was served elsewhere; call again")
                    : absl::StrCat("stream_id \"", stream_id, "\" is served by ", owner));
  lost_(lost);
}

void LeaseKeeper::NoteOutcome(const absl::Status& status, int64_t sent_ns) {
  const bool was_away = !away_.ok();
  away_ = status;
  if (status.ok()) {
    if (was_away) log_.Info("directory connected", {{"address", address_}});
    complained_ = false;
    return;
  }
  ++counters_.errors;
  const int64_t now_ns = options_.clock().ns;
  const bool stopped = now_ns - sent_ns > kLongestAttempt_ns || absl::IsDeadlineExceeded(status);
  if (!options_.pause && !stopped) Extend(now_ns + LeaseStore::kTerm_ns, /*all=*/true);
  if (std::exchange(complained_, true)) return;
  log_.Warning(options_.pause ? "directory is away: streams pause, and no new stream is served"
                              : "directory is away: streams continue, and no new stream is served",
               {{"error", status.message()}});
}

absl::Status LeaseKeeper::Away(absl::string_view stream_id) const {
  return absl::UnavailableError(
      absl::StrCat("stream_id \"", stream_id, "\": Redis (--directory) cannot be asked which ",
                   "server has this stream: ", away_.message(), "; call again when it answers"));
}

std::vector<absl::StatusOr<Location>> LeaseKeeper::Claim(
    const std::vector<std::string>& stream_ids) {
  std::vector<absl::StatusOr<Location>> out;
  std::vector<LeaseStore::Claim> claims;
  for (const std::string& id : stream_ids) claims.push_back({id, ++last_claim_});
  const Now now = options_.clock();
  absl::StatusOr<std::vector<LeaseStore::Answer>> answers = absl::UnavailableError("");
  for (int tries = 0; away_.ok() && tries < 2; ++tries) {
    answers = store_->Take(session_, now, claims);
    if (!answers.ok()) NoteOutcome(answers.status(), now.ns);
    if (!answers.ok() || !std::holds_alternative<LeaseStore::NoSession>(answers->front())) break;
    NoteOutcome(OpenSession(), now.ns);
  }
  const int64_t now_ns = options_.clock().ns;
  std::vector<LeaseStore::Claim> unwanted;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string& id = stream_ids[i];
    out.push_back(answers.ok() ? Settle(id, claims[i].number, (*answers)[i], now_ns) : Away(id));
    const bool granted = answers.ok() && std::holds_alternative<LeaseStore::Granted>((*answers)[i]);
    if (granted && !out.back().ok()) unwanted.push_back(claims[i]);
  }
  if (!unwanted.empty()) (void)store_->Release(session_, unwanted);
  return out;
}

absl::StatusOr<Location> LeaseKeeper::Settle(const std::string& stream_id, uint64_t number,
                                             const LeaseStore::Answer& answer, int64_t now_ns) {
  if (const auto* taken = std::get_if<LeaseStore::Taken>(&answer);
      taken != nullptr && taken->address != address_) {
    return At{taken->address};
  }
  if (const auto* wait = std::get_if<LeaseStore::Wait>(&answer)) {
    return absl::UnavailableError(
        absl::StrFormat("stream_id \"%s\": Redis (--directory) has lost its data or was restarted, "
                        "and leaves the streams to their owners for %.1f s; call again",
                        stream_id, wait->s));
  }
  const auto* granted = std::get_if<LeaseStore::Granted>(&answer);
  if (granted == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("stream_id \"", stream_id, "\": an earlier lease ends soon; call again"));
  }
  std::lock_guard lock(mutex_);
  if (held_.size() >= kMostLeases) {
    return absl::UnavailableError(absl::StrCat("this server has ", kMostLeases, " leases"));
  }
  Held& held = held_[stream_id];
  held.claim = {stream_id, number, session_.id, granted->unix_offset_s};
  held.lease = std::make_shared<StreamLease>();
  held.lease->unix_offset_s = granted->unix_offset_s;
  held.lease->until_ns = held.term_ns = term_ns_;
  held.written_ns = held.used_ns = now_ns;
  ++counters_.claims;
  counters_.leases = static_cast<int64_t>(held_.size());
  return Here{};
}

void LeaseKeeper::Close() {
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, held] : held_) held.lease->until_ns = 0;
    held_.clear();
    counters_.leases = 0;
  }
  if (!session_.id.empty()) (void)store_->Close(session_, options_.clock().ns);
  session_ = {};
}

}  // namespace posewire::anim_graph
