#include "libs/disk_cache/disk_cache.h"

#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/files/open.h"

namespace posewire::disk_cache {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kMagic = "PWCACHE1";
constexpr absl::string_view kWhole = ".cached", kPart = ".part";
constexpr size_t kSizeAt = 40, kSumAt = 48;
constexpr uint64_t kDiskBlock_bytes = 4096;
// An unfinished file that old was left by a process that ended.
constexpr int64_t kPartLife_s = 600;
constexpr uint64_t kLargeBudget_bytes = 16 << 20;
constexpr uint64_t kFreeShare = 8, kUnseenShare = 64;

Hash HashOf(std::initializer_list<absl::string_view> texts) {
  Hash hash{};
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (const absl::string_view text : texts) {
    EVP_DigestUpdate(context.get(), text.data(), text.size());
  }
  EVP_DigestFinal_ex(context.get(), hash.data(), nullptr);
  return hash;
}

absl::string_view TextOf(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

// The fields before the checksum.
std::string HeadOf(const Hash& key, uint64_t size) {
  std::string head = absl::StrCat(kMagic, TextOf(key));
  for (int bit = 0; bit < 64; bit += 8) head.push_back(static_cast<char>(size >> bit & 0xff));
  return head;
}

uint64_t OnDisk(uint64_t bytes) {
  return (bytes + kDiskBlock_bytes - 1) / kDiskBlock_bytes * kDiskBlock_bytes;
}

// 64 digits and an ending, or these with 16 more digits of an unfinished file.
enum class Kind { kForeign, kWhole, kPart };
Kind KindOf(absl::string_view name) {
  const auto digits = [](absl::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
    });
  };
  constexpr size_t kHash = 64, kRandom = 16;
  if (name.size() == kHash + kWhole.size() && absl::EndsWith(name, kWhole) &&
      digits(name.substr(0, kHash))) {
    return Kind::kWhole;
  }
  if (name.size() == kHash + 1 + kRandom + kPart.size() && absl::EndsWith(name, kPart) &&
      name[kHash] == '.' && digits(name.substr(0, kHash)) &&
      digits(name.substr(kHash + 1, kRandom))) {
    return Kind::kPart;
  }
  return Kind::kForeign;
}

struct Entry {
  std::string path;
  Kind kind = Kind::kForeign;
  uint64_t bytes = 0;
  timespec used{};
};

bool UsedBefore(const Entry& a, const Entry& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

std::vector<Entry> EntriesIn(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    Entry entry{.path = it->path().string(), .kind = KindOf(it->path().filename().string())};
    struct stat info = {};
    if (entry.kind == Kind::kForeign || ::lstat(entry.path.c_str(), &info) != 0 ||
        S_ISDIR(info.st_mode)) {
      continue;
    }
    entry.bytes = OnDisk(static_cast<uint64_t>(info.st_size));
    entry.used = info.st_mtim;
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Reads to.size() bytes.
bool ReadExactly(int fd, absl::Span<char> to) {
  while (!to.empty()) {
    const ssize_t n = ::read(fd, to.data(), to.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Removes the file unless Done is called.
class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)) {}
  ~PartFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  const std::string& path() const { return path_; }
  void Done() { path_.clear(); }

 private:
  std::string path_;
};

uint64_t RandomNumber() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

}  // namespace

DiskCache::DiskCache(std::string folder, uint64_t budget_bytes)
    : folder_(std::move(folder)),
      budget_bytes_(budget_bytes),
      limit_bytes_(budget_bytes < kLargeBudget_bytes ? budget_bytes
                                                     : budget_bytes - budget_bytes / kFreeShare) {}

std::string DiskCache::PathOf(const Hash& hash) const {
  return absl::StrCat(folder_, "/", absl::BytesToHexString(TextOf(hash)), kWhole);
}

absl::Status DiskCache::Open() {
  std::error_code error;
  if (!fs::is_directory(folder_, error)) {
    const fs::path parent = fs::absolute(folder_, error).lexically_normal().parent_path();
    fs::create_directories(parent, error);
    if (error) return files::Fault(folder_, "cannot be created", error.value());
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
      return files::Fault(folder_, "cannot be created", errno);
    }
    if (!fs::is_directory(folder_, error)) {
      return absl::InvalidArgumentError(absl::StrCat(folder_, ": is no folder"));
    }
  }
  (void)MakeRoom();
  return absl::OkStatus();
}

std::optional<size_t> DiskCache::Get(absl::string_view key, absl::Span<char> to) {
  const Hash hash = HashOf({key});
  const std::string path = PathOf(hash);
  const absl::StatusOr<files::Descriptor> file = files::OpenToRead(path);
  if (!file.ok()) return std::nullopt;
  struct stat info = {};
  if (::fstat(file->get(), &info) != 0) return std::nullopt;
  const auto damaged = [&] {
    ++damaged_;
    ::unlink(path.c_str());
    return std::nullopt;
  };
  const auto bytes = static_cast<uint64_t>(info.st_size);
  if (bytes < kHeadBytes) return damaged();
  const size_t size = bytes - kHeadBytes;
  std::array<char, kHeadBytes> head{};
  if (!ReadExactly(file->get(), absl::MakeSpan(head))) return damaged();
  const absl::string_view fields(head.data(), kSumAt);
  if (fields != HeadOf(hash, size)) return damaged();
  if (size > to.size()) return std::nullopt;
  if (!ReadExactly(file->get(), to.first(size))) return damaged();
  const Hash sum = HashOf({fields, {to.data(), size}});
  if (std::memcmp(sum.data(), head.data() + kSumAt, sum.size()) != 0) return damaged();
  (void)::futimens(file->get(), nullptr);  // fails where the folder is read-only
  return size;
}

absl::Status DiskCache::Put(absl::string_view key, absl::string_view value) {
  const uint64_t bytes = kHeadBytes + value.size();
  if (OnDisk(bytes) > limit_bytes_) return absl::OkStatus();
  const Hash hash = HashOf({key});
  const std::string path = PathOf(hash);
  const std::string part_path = absl::StrFormat(
      "%s/%s.%016x%s", folder_, absl::BytesToHexString(TextOf(hash)), RandomNumber(), kPart);
  absl::StatusOr<files::Descriptor> file = files::OpenToWrite(part_path, files::Writing::kNew);
  if (!file.ok()) return file.status();
  PartFile part(part_path);
  if (::ftruncate(file->get(), static_cast<off_t>(bytes)) != 0) {
    return files::Fault(part.path(), "cannot write", errno);
  }
  if (!HasRoom(OnDisk(bytes))) return absl::OkStatus();
  std::string head = HeadOf(hash, value.size());
  const Hash sum = HashOf({head, value});
  absl::StrAppend(&head, TextOf(sum));
  if (absl::Status s = files::WriteAll(file->get(), part.path(), head); !s.ok()) return s;
  if (absl::Status s = files::WriteAll(file->get(), part.path(), value); !s.ok()) return s;
  // A network file system may report here that it has no space.
  if (::close(file->Release()) != 0) return files::Fault(part.path(), "cannot write", errno);
  if (std::rename(part.path().c_str(), path.c_str()) != 0) {
    if (errno == ENOENT) return absl::OkStatus();  // another process took it for a leftover
    return files::Fault(path, "cannot be replaced", errno);
  }
  part.Done();
  return absl::OkStatus();
}

bool DiskCache::HasRoom(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > unseen_bytes_) {
    if (!MakeRoom()) return false;
    unseen_bytes_ = limit_bytes_ < budget_bytes_ ? budget_bytes_ / kUnseenShare : 0;
  } else {
    unseen_bytes_ -= bytes;
  }
  return true;
}

bool DiskCache::MakeRoom() const {
  std::vector<Entry> entries = EntriesIn(folder_);
  if (entries.empty()) return true;
  std::sort(entries.begin(), entries.end(), UsedBefore);
  // The folder's own clock, which may be that of another machine.
  const time_t newest_s = entries.back().used.tv_sec;
  uint64_t sum = 0;
  for (Entry& entry : entries) {
    if (entry.kind == Kind::kPart && newest_s - entry.used.tv_sec > kPartLife_s) {
      ::unlink(entry.path.c_str());
      entry.bytes = 0;
    }
    sum += entry.bytes;
  }
  for (const Entry& entry : entries) {
    if (sum <= limit_bytes_) break;
    if (entry.kind != Kind::kWhole) continue;
    if (::unlink(entry.path.c_str()) != 0 && errno != ENOENT) continue;
    sum -= entry.bytes;
  }
  return sum <= limit_bytes_;
}

}  // namespace posewire::disk_cache
