#include "services/anim_graph/directory/redis_lease_store.h"

#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace posewire::anim_graph {
namespace {

// An attempt is at most three of these: a request on an old connection, a new connection, and the
// request again.
constexpr double kTimeout_s = 0.4;
// A snapshot and some text.
constexpr size_t kMostAnswerBytes = StreamDirectory::kMostSnapshotBytes + 4096;

constexpr char kEpoch[] = "posewire:epoch";
constexpr char kNodesKey[] = "posewire:nodes";  // addresses, by the ends of their terms

std::string Node(const std::string& session) { return absl::StrCat("posewire:node:", session); }
std::string ClockOf(const std::string& session) { return absl::StrCat("posewire:clock:", session); }
std::string StreamKey(const std::string& id) { return absl::StrCat("posewire:stream:", id); }
std::string SnapshotKey(const std::string& id) { return absl::StrCat("posewire:snapshot:", id); }

std::string Seconds(int64_t ns) { return absl::StrFormat("%.6f", static_cast<double>(ns) * 1e-9); }
std::string TermEnd(int64_t now_ns) { return Seconds(now_ns + LeaseStore::kTerm_ns); }

// Returns the id of this run of Redis, and the milliseconds since its data began.
constexpr char kRun[] = R"lua(
local function run_and_age()
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local epoch = redis.call('GET', 'posewire:epoch')
  local began = epoch and string.match(epoch, '^' .. run .. ' (%d+)$')
  if not began then
    began = now
    redis.call('SET', 'posewire:epoch', run .. ' ' .. string.format('%.0f', now))
  end
  return run, now - began
end
local function note_node(address)
  local time = redis.call('TIME')
  redis.call('ZADD', 'posewire:nodes', time[1] * 1000 + math.floor(time[2] / 1000) + 2000, address)
end
)lua";

// KEYS: epoch, node, clock. ARGV: address, end of the term.
constexpr char kOpen[] = R"lua(
local run = run_and_age()
redis.call('SET', KEYS[2], ARGV[1], 'PX', 2000)
redis.call('SET', KEYS[3], ARGV[2], 'EX', 3600)
note_node(ARGV[1])
return run
)lua";

// KEYS: epoch, node, clock. ARGV: address, end of the term, run.
constexpr char kRenew[] = R"lua(
if run_and_age() ~= ARGV[3] or not redis.call('SET', KEYS[2], ARGV[1], 'PX', 2000, 'XX') then
  return 'none'
end
redis.call('SET', KEYS[3], ARGV[2], 'EX', 3600)
note_node(ARGV[1])
return 'renewed'
)lua";

// Addresses have no spaces.
constexpr char kNodes[] = R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return table.concat(redis.call('ZRANGE', KEYS[1], 0, -1), ' ')
)lua";

// KEYS: epoch, node, stream, snapshot. ARGV: session, number, earlier session or '', offset or 0, 1
// if in term, Unix time, monotonic time, sessions tried. An entry is the session of its owner, the
// number of the claim, the offset, and, until it saves a snapshot, until when the one who saved the
// last was alive. Of a stream that was handed over: "moved 0", the absolute time of its end, and
// the same.
constexpr char kTake[] = R"lua(
if redis.call('EXISTS', KEYS[2]) == 0 then return 'none' end
local session, earlier, offset, in_term = ARGV[1], ARGV[3], ARGV[4], ARGV[5] == '1'
local owner, owner_offset, alive =
  string.match(redis.call('GET', KEYS[3]) or '', '^(%S+) %S+ (%S+) ?(%S*)$')
local own = owner == session or (in_term and owner == earlier)
own = own or (owner and string.find(ARGV[8], owner, 1, true))
if owner and not own then
  local address = redis.call('GET', 'posewire:node:' .. owner)
  if address then return 'taken ' .. address end
end
if not own and not in_term then
  local _, age = run_and_age()
  local closed = earlier == '' and 3000 or 2000
  if age < closed then return 'wait ' .. (closed - age) end
  if earlier ~= '' and owner and owner ~= earlier then return 'lost' end
end
if earlier ~= '' then
  local entry = session .. ' ' .. ARGV[2] .. ' ' .. offset
  if own and alive and alive ~= '' then entry = entry .. ' ' .. alive end
  redis.call('SET', KEYS[3], entry, 'EX', 3600)
  redis.call('EXPIRE', KEYS[4], 3600)
  return 'granted ' .. offset
end
local unix, mono, start = tonumber(ARGV[6]), tonumber(ARGV[7]), 0
if owner then
  local clock = redis.call('GET', 'posewire:clock:' .. owner)
  start = owner_offset + (owner == session and mono or clock or 0) + 0.001
  if alive == '' then alive = owner_offset + (clock and clock - 2 or 0) end
end
offset = string.format('%.6f', math.max(unix, start) - mono)
alive = string.format('%.6f', tonumber(alive) or 0)
redis.call('SET', KEYS[3], session .. ' ' .. ARGV[2] .. ' ' .. offset .. ' ' .. alive, 'EX', 3600)
return 'granted ' .. offset .. ' ' .. alive .. ' ' .. (redis.call('GET', KEYS[4]) or '')
)lua";

// KEYS: stream, snapshot. ARGV: session, number.
constexpr char kRelease[] = R"lua(
local claim = ARGV[1] .. ' ' .. ARGV[2] .. ' '
if string.sub(redis.call('GET', KEYS[1]) or '', 1, #claim) == claim then
  redis.call('DEL', KEYS[1], KEYS[2])
end
return ''
)lua";

// KEYS: stream, snapshot. ARGV: session, number, bytes, and of a stream that is handed over the
// absolute times of its end and until when the one who saved it was alive, or ''.
constexpr char kSave[] = R"lua(
local claim = ARGV[1] .. ' ' .. ARGV[2] .. ' '
local entry = redis.call('GET', KEYS[1]) or ''
if string.sub(entry, 1, #claim) ~= claim then return 'none' end
redis.call('SET', KEYS[2], ARGV[3], 'EX', 3600)
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[1], 'moved 0 ' .. ARGV[4] .. ' ' .. ARGV[5], 'EX', 3600)
else
  local saved = string.match(entry, '^(%S+ %S+ %S+) ')
  if saved then redis.call('SET', KEYS[1], saved, 'EX', 3600) end
end
return 'saved'
)lua";

// Reads an offset, and for a new owner the time until when the last one was alive, and a snapshot.
absl::StatusOr<LeaseStore::Answer> ParseGranted(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits(' ', 2));
  LeaseStore::Granted granted{};
  if (!absl::SimpleAtod(parts[0], &granted.unix_offset_s)) {
    return absl::UnavailableError(absl::StrCat("Redis granted \"", parts[0], "\""));
  }
  if (parts.size() < 3 || parts[2].empty()) return granted;
  granted.saved.emplace();
  granted.saved->snapshot = std::string(parts[2]);
  if (absl::SimpleAtod(parts[1], &granted.saved->alive_s)) return granted;
  return absl::UnavailableError(absl::StrCat("Redis granted until \"", parts[1], "\""));
}

absl::StatusOr<LeaseStore::Answer> ParseAnswer(absl::string_view text) {
  const absl::string_view whole = text;
  double number = 0;
  if (text == "none") return LeaseStore::NoSession{};
  if (text == "lost") return LeaseStore::Lost{};
  if (absl::ConsumePrefix(&text, "taken ")) return LeaseStore::Taken{std::string(text)};
  if (absl::ConsumePrefix(&text, "granted ")) return ParseGranted(text);
  if (absl::ConsumePrefix(&text, "wait ") && absl::SimpleAtod(text, &number)) {
    return LeaseStore::Wait{number * 1e-3};
  }
  return absl::UnavailableError(absl::StrCat("Redis answered \"", whole, "\""));
}

std::string RandomId() {
  std::random_device random;
  return absl::StrFormat("%08x%08x%08x%08x", random(), random(), random(), random());
}

}  // namespace

absl::StatusOr<std::vector<service::RedisConnection::Answer>> RedisLeaseStore::Try(
    const std::vector<Command>& commands) {
  if (connection_ == nullptr) {
    auto connection = service::RedisConnection::Open(address_, kTimeout_s, kMostAnswerBytes);
    if (!connection.ok()) return connection.status();
    connection_ = *std::move(connection);
  }
  auto answers = connection_->Call(commands);
  if (!answers.ok()) connection_ = nullptr;
  return answers;
}

// Returns UNAVAILABLE for all errors.
absl::StatusOr<std::vector<std::string>> RedisLeaseStore::Call(
    const std::vector<Command>& commands) {
  const bool old = connection_ != nullptr;
  auto answers = Try(commands);
  // Commands that were late are not repeated: Redis may be busy with them.
  if (!answers.ok() && old && !absl::IsDeadlineExceeded(answers.status())) answers = Try(commands);
  if (!answers.ok()) return absl::UnavailableError(answers.status().message());
  std::vector<std::string> out;
  for (auto& answer : *answers) {
    if (!answer.ok()) return absl::UnavailableError(answer.status().message());
    out.push_back(*std::move(answer));
  }
  return out;
}

absl::StatusOr<LeaseStore::Session> RedisLeaseStore::Open(const std::string& address,
                                                          int64_t now_ns) {
  Session session{RandomId(), "", address};
  auto run = Call({{"EVAL", absl::StrCat(kRun, kOpen), "3", kEpoch, Node(session.id),
                    ClockOf(session.id), address, TermEnd(now_ns)}});
  if (!run.ok()) return run.status();
  session.store = std::move(run->front());
  return session;
}

absl::Status RedisLeaseStore::Renew(const Session& session, int64_t now_ns) {
  const auto renewed =
      Call({{"EVAL", absl::StrCat(kRun, kRenew), "3", kEpoch, Node(session.id), ClockOf(session.id),
             session.address, TermEnd(now_ns), session.store}});
  if (!renewed.ok()) return renewed.status();
  return renewed->front() == "renewed" ? absl::OkStatus()
                                       : absl::NotFoundError("the session has ended");
}

absl::StatusOr<std::vector<LeaseStore::Answer>> RedisLeaseStore::Take(
    const Session& session, Now now, const std::vector<Claim>& claims) {
  const std::string script = absl::StrCat(kRun, kTake);
  std::vector<Command> commands;
  for (const Claim& claim : claims) {
    commands.push_back({"EVAL", script, "4", kEpoch, Node(session.id), StreamKey(claim.stream_id),
                        SnapshotKey(claim.stream_id), session.id, absl::StrCat(claim.number),
                        claim.session, absl::StrFormat("%.6f", claim.unix_offset_s),
                        claim.in_term ? "1" : "0", absl::StrFormat("%.6f", now.unix_s),
                        Seconds(now.ns), claim.tried});
  }
  const auto texts = Call(commands);
  if (!texts.ok()) return texts.status();
  std::vector<Answer> answers;
  for (const std::string& text : *texts) {
    auto answer = ParseAnswer(text);
    if (!answer.ok()) return answer.status();
    answers.push_back(*std::move(answer));
  }
  return answers;
}

absl::Status RedisLeaseStore::Release(const Session& session, const std::vector<Claim>& claims) {
  std::vector<Command> commands;
  for (const Claim& claim : claims) {
    commands.push_back({"EVAL", kRelease, "2", StreamKey(claim.stream_id),
                        SnapshotKey(claim.stream_id), session.id, absl::StrCat(claim.number)});
  }
  return Call(commands).status();
}

absl::StatusOr<std::vector<bool>> RedisLeaseStore::Save(const Session& session,
                                                        const std::vector<Snapshot>& snapshots) {
  std::vector<Command> commands;
  for (const Snapshot& snapshot : snapshots) {
    const Claim& claim = snapshot.claim;
    const auto& moved = snapshot.moved;
    commands.push_back({"EVAL", kSave, "2", StreamKey(claim.stream_id),
                        SnapshotKey(claim.stream_id), session.id, absl::StrCat(claim.number),
                        snapshot.bytes,
                        moved ? absl::StrFormat("%.6f", moved->end_s) : std::string(),
                        moved ? absl::StrFormat("%.6f", moved->alive_s) : std::string()});
  }
  const auto texts = Call(commands);
  if (!texts.ok()) return texts.status();
  std::vector<bool> saved;
  for (const std::string& text : *texts) saved.push_back(text == "saved");
  return saved;
}

absl::StatusOr<std::vector<std::string>> RedisLeaseStore::Nodes() {
  const auto text = Call({{"EVAL", kNodes, "1", kNodesKey}});
  if (!text.ok()) return text.status();
  return std::vector<std::string>(absl::StrSplit(text->front(), ' ', absl::SkipEmpty()));
}

absl::Status RedisLeaseStore::Close(const Session& session, int64_t now_ns) {
  return Call({{"SET", ClockOf(session.id), Seconds(now_ns), "EX", "3600"},
               {"DEL", Node(session.id)},
               {"ZREM", kNodesKey, session.address}})
      .status();
}

}  // namespace posewire::anim_graph
