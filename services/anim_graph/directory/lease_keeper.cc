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
  if (at == held_.end() || at->second.leaving) return nullptr;
  at->second.used_ns = options_.clock().ns;
  return at->second.lease;
}

std::optional<StreamDirectory::SavedStream> LeaseKeeper::TakeSaved(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  const auto at = held_.find(stream_id);
  return at == held_.end() ? std::nullopt : std::exchange(at->second.saved, std::nullopt);
}

void LeaseKeeper::Save(const std::string& stream_id, const LeasePtr& lease, std::string snapshot) {
  std::lock_guard lock(mutex_);
  const auto at = held_.find(stream_id);
  if (at == held_.end() || at->second.lease != lease || at->second.leaving) return;
  if (snapshot.size() > StreamDirectory::kMostSnapshotBytes) return;
  if (saves_bytes_ + snapshot.size() > kMostWaitingBytes) {
    ++at->second.lease->losses;
    return;
  }
  std::string& waits = saves_[stream_id];
  saves_bytes_ += snapshot.size();
  saves_bytes_ -= waits.size();
  waits = std::move(snapshot);
}

void LeaseKeeper::HandOver(const std::string& stream_id, const LeasePtr& lease,
                           std::string snapshot, double end_s) {
  std::lock_guard lock(mutex_);
  const auto at = held_.find(stream_id);
  if (at == held_.end() || at->second.lease != lease || at->second.leaving) return;
  at->second.leaving = true;
  ForgetSave(stream_id);
  if (snapshot.size() > StreamDirectory::kMostSnapshotBytes) snapshot.clear();
  leaving_.push_back({{stream_id}, std::move(snapshot), {{end_s, end_s}}});
}

void LeaseKeeper::ForgetSave(const std::string& stream_id) {
  const auto waits = saves_.extract(stream_id);
  if (!waits.empty()) saves_bytes_ -= waits.mapped().size();
}

std::vector<LeaseStore::Snapshot> LeaseKeeper::NextLeaving() {
  std::vector<LeaseStore::Snapshot> part;
  std::lock_guard lock(mutex_);
  for (size_t bytes = 0; !leaving_.empty() && bytes < kMostBytesAtOnce;) {
    LeaseStore::Snapshot next = std::move(leaving_.back());
    leaving_.pop_back();
    const auto at = held_.find(next.claim.stream_id);
    if (at == held_.end()) continue;
    next.claim = at->second.claim;
    if (next.claim.session != session_.id) {
      held_.erase(at);  // the claim is in doubt: it is left to the end of the session
      continue;
    }
    bytes += next.bytes.size();
    part.push_back(std::move(next));
  }
  return part;
}

void LeaseKeeper::WriteLeaving() {
  while (away_.ok()) {
    auto part = NextLeaving();
    const int64_t sent_ns = options_.clock().ns;
    absl::StatusOr<std::vector<bool>> saved = std::vector<bool>();
    if (!part.empty()) saved = store_->Save(session_, part);
    {
      std::lock_guard lock(mutex_);
      for (LeaseStore::Snapshot& snapshot : part) {
        if (saved.ok()) {
          held_.erase(snapshot.claim.stream_id);
        } else {
          leaving_.push_back(std::move(snapshot));  // for the next time
        }
      }
      counters_.leases = static_cast<int64_t>(held_.size());
    }
    if (!saved.ok()) return NoteOutcome(saved.status(), sent_ns);
    if (part.empty()) return;
    counters_.moves += std::count(saved->begin(), saved->end(), true);
  }
}

std::vector<LeaseStore::Snapshot> LeaseKeeper::NextSaves() {
  std::vector<LeaseStore::Snapshot> part;
  std::lock_guard lock(mutex_);
  for (size_t bytes = 0; !saves_.empty() && bytes < kMostBytesAtOnce;) {
    auto next = saves_.extract(saves_.begin());
    bytes += next.mapped().size();
    saves_bytes_ -= next.mapped().size();
    const auto at = held_.find(next.key());
    if (at == held_.end() || at->second.leaving) continue;
    if (at->second.claim.session != session_.id) {
      ++at->second.lease->losses;
    } else {
      part.push_back({at->second.claim, std::move(next.mapped())});
    }
  }
  return part;
}

void LeaseKeeper::WriteSaves() {
  const int64_t began_ns = options_.clock().ns;
  while (away_.ok() && options_.clock().ns - began_ns < kSave_ns) {
    const auto part = NextSaves();
    if (part.empty()) return;
    const int64_t sent_ns = options_.clock().ns;
    const auto saved = store_->Save(session_, part);
    for (size_t i = 0; i < part.size(); ++i) {
      if (saved.ok() && (*saved)[i]) continue;
      const auto at = held_.find(part[i].claim.stream_id);
      if (at != held_.end()) ++at->second.lease->losses;
    }
    if (!saved.ok()) return NoteOutcome(saved.status(), sent_ns);
    counters_.saves += static_cast<int64_t>(part.size());
  }
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
      // The store may have lost its data, or have given the snapshot to another process.
      if (claims[i].session != session_.id) ++held.lease->losses;
      held.claim = claims[i];
      held.claim.session = session_.id;
      held.claim.tried.clear();
      // After a loss, not all are written again at the same time.
      held.written_ns =
          now.ns - static_cast<int64_t>(held.claim.number % 64) * kRewriteEvery_ns / 64;
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
  Unwanted unused;
  {
    std::lock_guard lock(mutex_);
    for (auto at = held_.begin(); at != held_.end();) {
      Held& held = at->second;
      if (held.leaving || held.lease.use_count() > 1) held.used_ns = now_ns;
      if (now_ns - held.used_ns < kUnused_ns) {
        ++at;
        continue;
      }
      if (held.claim.session == session_.id) unused.Add(held.claim, held.saved, now_ns);
      at = held_.erase(at);
    }
    counters_.leases = static_cast<int64_t>(held_.size());
  }
  Release(unused);
}

void LeaseKeeper::Unwanted::Add(const LeaseStore::Claim& claim,
                                std::optional<StreamDirectory::SavedStream>& saved,
                                int64_t now_ns) {
  if (!saved) return claims.push_back(claim);
  // The times of the next owner begin after those of the owner before, like those of this claim.
  const double end_s = claim.unix_offset_s + static_cast<double>(now_ns) * 1e-9;
  untouched.push_back({claim, std::move(saved->snapshot), {{end_s, saved->alive_s}}});
}

// If this fails, the entries name this process until it ends or claims the streams again.
void LeaseKeeper::Release(const Unwanted& unwanted) {
  if (!unwanted.claims.empty()) (void)store_->Release(session_, unwanted.claims);
  if (!unwanted.untouched.empty()) (void)store_->Save(session_, unwanted.untouched);
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
    ForgetSave(stream_id);
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
  Unwanted unwanted;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string& id = stream_ids[i];
    out.push_back(answers.ok() ? Settle(id, claims[i].number, (*answers)[i], now_ns) : Away(id));
    auto* const granted = answers.ok() ? std::get_if<LeaseStore::Granted>(&(*answers)[i]) : nullptr;
    if (granted == nullptr || out.back().ok()) continue;
    claims[i].unix_offset_s = granted->unix_offset_s;
    unwanted.Add(claims[i], granted->saved, now_ns);
  }
  Release(unwanted);
  return out;
}

absl::StatusOr<Location> LeaseKeeper::Settle(const std::string& stream_id, uint64_t number,
                                             LeaseStore::Answer& answer, int64_t now_ns) {
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
  auto* const granted = std::get_if<LeaseStore::Granted>(&answer);
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
  held.saved = std::move(granted->saved);
  held.lease = std::make_shared<StreamLease>();
  held.lease->unix_offset_s = granted->unix_offset_s;
  held.lease->until_ns = held.term_ns = term_ns_;
  held.written_ns = held.used_ns = now_ns;
  ++counters_.claims;
  counters_.leases = static_cast<int64_t>(held_.size());
  return Here{};
}

absl::StatusOr<std::vector<std::string>> LeaseKeeper::FindOthers() {
  if (!away_.ok()) return away_;
  const int64_t sent_ns = options_.clock().ns;
  auto nodes = store_->Nodes();
  if (nodes.ok()) {
    std::erase(*nodes, address_);
  } else {
    NoteOutcome(nodes.status(), sent_ns);
  }
  return nodes;
}

void LeaseKeeper::Close() {
  WriteLeaving();
  Unwanted unused;  // by streams that are gone, or were never made
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, held] : held_) {
      held.lease->until_ns = 0;
      const bool own = held.claim.session == session_.id && held.lease.use_count() == 1;
      if (own && !held.leaving) unused.Add(held.claim, held.saved, options_.clock().ns);
    }
    held_.clear();
    counters_.leases = 0;
  }
  if (away_.ok()) Release(unused);
  if (!session_.id.empty()) (void)store_->Close(session_, options_.clock().ns);
  session_ = {};
}

}  // namespace posewire::anim_graph
