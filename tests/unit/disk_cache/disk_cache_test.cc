#include "libs/disk_cache/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace posewire::disk_cache {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBlock = 4096;

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest()
      : folder_(fs::path(testing::TempDir()) /
                absl::StrCat("disk_cache_test.", getpid(), ".",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
  }
  ~DiskCacheTest() override { fs::remove_all(folder_); }

  static std::string Got(DiskCache& cache, const std::string& key, size_t most = 100000) {
    std::string to(most, '?');
    const std::optional<size_t> size = cache.Get(key, absl::MakeSpan(to));
    return size ? to.substr(0, *size) : "nothing";
  }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder_)) files.push_back(file.path());
    return files;
  }
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (const fs::path& file : Files())
      sum += (fs::file_size(file) + kBlock - 1) / kBlock * kBlock;
    return sum;
  }
  // Values of a test are used in the order of its calls, however coarse the disk's clock is.
  void Age(const fs::path& file, int seconds) const {
    struct stat info = {};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    const timespec times[] = {info.st_mtim, {info.st_mtim.tv_sec - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  void AgeAll(int seconds) const {
    for (const fs::path& file : Files()) Age(file, seconds);
  }

  const fs::path folder_;
};

TEST_F(DiskCacheTest, ReturnsWhatWasPut) {
  DiskCache cache(folder_, 1 << 20);
  ASSERT_TRUE(cache.Open().ok());
  EXPECT_EQ(Got(cache, "a"), "nothing");
  ASSERT_TRUE(cache.Put("a", "one").ok());
  ASSERT_TRUE(cache.Put("b", "").ok());
  EXPECT_EQ(Got(cache, "a"), "one");
  EXPECT_EQ(Got(cache, "a", 3), "one");
  EXPECT_EQ(Got(cache, "a", 2), "nothing");
  EXPECT_EQ(Got(cache, "b"), "");
  ASSERT_TRUE(cache.Put("a", "two, and longer").ok());
  EXPECT_EQ(Got(cache, "a"), "two, and longer");
  DiskCache other(folder_, 1 << 20);
  EXPECT_EQ(Got(other, "a"), "two, and longer");
  EXPECT_EQ(cache.damaged() + other.damaged(), 0);
  EXPECT_EQ(Files().size(), 2u);
  struct stat info = {};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, RemovesTheLeastRecentlyUsedFirst) {
  DiskCache cache(folder_, 4 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  for (const char* key : {"a", "b", "c", "d"}) {
    AgeAll(10);
    ASSERT_TRUE(cache.Put(key, std::string(kBlock - DiskCache::kHeadBytes, *key)).ok());
  }
  EXPECT_EQ(Sum(), 4 * kBlock);
  AgeAll(10);
  EXPECT_NE(Got(cache, "a"), "nothing");
  AgeAll(10);
  ASSERT_TRUE(cache.Put("e", "5").ok());
  EXPECT_EQ(Got(cache, "b"), "nothing");
  AgeAll(10);
  ASSERT_TRUE(cache.Put("f", std::string(kBlock, 'f')).ok());  // two blocks with the head
  EXPECT_EQ(Got(cache, "c"), "nothing");
  EXPECT_EQ(Got(cache, "d"), "nothing");
  EXPECT_NE(Got(cache, "a"), "nothing");
  EXPECT_EQ(Got(cache, "e"), "5");
  EXPECT_EQ(Sum(), 4 * kBlock);
}

TEST_F(DiskCacheTest, LeavesOutWhatIsLargerThanTheBudget) {
  DiskCache cache(folder_, 2 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  ASSERT_TRUE(cache.Put("a", "kept").ok());
  ASSERT_TRUE(cache.Put("b", std::string(2 * kBlock, 'b')).ok());
  EXPECT_EQ(Got(cache, "b"), "nothing");
  EXPECT_EQ(Got(cache, "a"), "kept");
}

TEST_F(DiskCacheTest, ObeysASmallerBudgetOnceItIsOpened) {
  {
    DiskCache cache(folder_, 8 * kBlock);
    ASSERT_TRUE(cache.Open().ok());
    for (int k = 0; k < 8; ++k) ASSERT_TRUE(cache.Put(absl::StrCat(k), "value").ok());
  }
  DiskCache cache(folder_, 3 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  EXPECT_EQ(Sum(), 3 * kBlock);
}

TEST_F(DiskCacheTest, LeavesForeignFilesAlone) {
  fs::create_directories(folder_ / "deeper");
  const std::string name(64, 'a');
  for (const std::string& foreign :
       {std::string("notes.txt"), name, name + ".cachedd", name.substr(1) + ".cached",
        name + ".part", std::string(64, 'A') + ".cached"}) {
    std::ofstream(folder_ / foreign) << std::string(3 * kBlock, 'x');
  }
  fs::create_directories(folder_ / (name + ".cached"));
  DiskCache cache(folder_, kBlock);
  ASSERT_TRUE(cache.Open().ok());
  ASSERT_TRUE(cache.Put("a", "one").ok());
  ASSERT_TRUE(cache.Put("b", "two").ok());
  EXPECT_EQ(Got(cache, "b"), "two");
  EXPECT_EQ(Files().size(), 6u + 2 + 1);
}

TEST_F(DiskCacheTest, CountsUnfinishedFilesAndRemovesOldOnes) {
  DiskCache cache(folder_, 4 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  ASSERT_TRUE(cache.Put("a", "one").ok());
  const fs::path part = folder_ / absl::StrCat(std::string(64, 'b'), ".0123456789abcdef.part");
  std::ofstream(part) << std::string(3 * kBlock, 'x');
  ASSERT_TRUE(cache.Put("b", "two").ok());
  EXPECT_EQ(Got(cache, "a"), "nothing") << "there is no room for it next to the unfinished one";
  EXPECT_EQ(Got(cache, "b"), "two");
  std::ofstream(part, std::ios::app) << std::string(kBlock, 'x');
  ASSERT_TRUE(cache.Put("c", "three").ok());
  EXPECT_EQ(Got(cache, "c"), "nothing");
  EXPECT_TRUE(fs::exists(part));
  Age(part, 700);
  ASSERT_TRUE(cache.Put("d", "four").ok());
  EXPECT_EQ(Got(cache, "d"), "four");
  EXPECT_FALSE(fs::exists(part));
}

TEST_F(DiskCacheTest, ReportsAFolderThatCannotBe) {
  std::ofstream(folder_.string()) << "a file";
  EXPECT_FALSE(DiskCache(folder_, kBlock).Open().ok());
  EXPECT_FALSE(DiskCache(folder_ / "below", kBlock).Open().ok());
  DiskCache nowhere("/proc/nothing/here", kBlock);
  EXPECT_FALSE(nowhere.Open().ok());
  EXPECT_FALSE(nowhere.Put("a", "one").ok());
  EXPECT_EQ(Got(nowhere, "a"), "nothing");
}

TEST_F(DiskCacheTest, IgnoresPipesAndLinksToOtherFiles) {
  DiskCache cache(folder_, 8 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  ASSERT_TRUE(cache.Put("a", "one").ok());
  const fs::path file = Files().front();
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(Got(cache, "a"), "nothing");
  fs::remove(file);
  fs::create_symlink("/proc/self/status", file);
  EXPECT_EQ(Got(cache, "a"), "nothing");
  ASSERT_TRUE(cache.Put("a", "two").ok());
  EXPECT_EQ(Got(cache, "a"), "two");
  EXPECT_FALSE(fs::is_symlink(file));
}

TEST_F(DiskCacheTest, DoesNotAcceptTheFileOfAnotherKey) {
  DiskCache cache(folder_, 8 * kBlock);
  ASSERT_TRUE(cache.Open().ok());
  ASSERT_TRUE(cache.Put("a", "one").ok());
  const fs::path a = Files().front();
  ASSERT_TRUE(cache.Put("b", "two").ok());
  for (const fs::path& file : Files()) {
    if (file != a) fs::copy_file(a, file, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(Got(cache, "b"), "nothing");
  EXPECT_EQ(Got(cache, "a"), "one");
  EXPECT_EQ(cache.damaged(), 1);
}

// Each damage is a number of changed bits, a cut, or bytes at the end.
TEST_F(DiskCacheTest, FindsEveryDamage) {
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return random() % n; };
  DiskCache cache(folder_, 1 << 20);
  ASSERT_TRUE(cache.Open().ok());
  for (int seed = 0; seed < 4000; ++seed) {
    std::string value(below(300), '\0');
    for (char& c : value) c = static_cast<char>(random());
    ASSERT_TRUE(cache.Put("a", value).ok());
    const fs::path file = Files().front();
    std::ifstream in(file, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    ASSERT_EQ(whole.size(), value.size() + DiskCache::kHeadBytes);
    std::string bad = whole;
    switch (below(3)) {
      case 0:
        for (size_t k = below(4) + 1; k > 0; --k) {
          bad[below(bad.size())] ^= static_cast<char>(1 << below(8));
        }
        break;
      case 1:
        bad.resize(below(bad.size()));
        break;
      default:
        bad.append(below(20) + 1, '\0');
    }
    std::ofstream(file, std::ios::binary) << bad;
    ASSERT_EQ(Got(cache, "a"), bad == whole ? value : "nothing") << "seed " << seed;
    ASSERT_EQ(fs::exists(file), bad == whole);
  }
  EXPECT_GT(cache.damaged(), 3900);
}

TEST_F(DiskCacheTest, KeepsTheBudgetWithManyWriters) {
  constexpr uint64_t kBudget = 20 * kBlock;
  ASSERT_TRUE(DiskCache(folder_, kBudget).Open().ok());
  std::atomic<int> left{4}, wrong{0}, found{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      DiskCache own(folder_, kBudget);
      std::mt19937 random(static_cast<unsigned>(t));
      for (int k = 0; k < 300; ++k) {
        const int key = static_cast<int>(random() % 40);
        const std::string value(static_cast<size_t>(key) * 300, static_cast<char>('a' + key % 26));
        if (!own.Put(absl::StrCat(key), value).ok()) ++wrong;
        const std::string got = Got(own, absl::StrCat(key));
        if (got == value) ++found;
        if (got != value && got != "nothing") ++wrong;
      }
      wrong += static_cast<int>(own.damaged());
      --left;
    });
  }
  // Data on the disk; a file that is reserved has none yet.
  uint64_t most = 0;
  while (left > 0) {
    uint64_t sum = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
      struct stat info = {};
      if (lstat(it->path().c_str(), &info) == 0) sum += static_cast<uint64_t>(info.st_blocks) * 512;
    }
    most = std::max(most, sum);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 600);
  EXPECT_LE(Sum(), kBudget);
  // The walk is no snapshot: it may count a file that was removed, and the one that replaced it.
  EXPECT_LE(most, 2 * kBudget);
}

TEST_F(DiskCacheTest, LooksAtALargeFolderRarelyAndKeepsItsBudget) {
  constexpr uint64_t kBudget = 16 << 20;
  constexpr int kWriters = 8;
  std::vector<std::unique_ptr<DiskCache>> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.push_back(std::make_unique<DiskCache>(folder_, kBudget));
    ASSERT_TRUE(writers.back()->Open().ok());
  }
  const std::string value(30000, 'v');  // eight blocks
  uint64_t most = 0;
  for (int k = 0; k < 1200; ++k) {
    ASSERT_TRUE(writers[static_cast<size_t>(k % kWriters)]->Put(absl::StrCat(k), value).ok());
    if (k % 10 == 0) most = std::max(most, Sum());
  }
  EXPECT_LE(most, kBudget);
  EXPECT_GT(most, kBudget * 7 / 8);
  EXPECT_GT(Sum(), kBudget * 3 / 4);
  EXPECT_EQ(Got(*writers[0], "1199"), value);
  EXPECT_EQ(Got(*writers[0], "0"), "nothing");
}

}  // namespace
}  // namespace posewire::disk_cache
