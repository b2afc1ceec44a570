// Replays the corpus of a fuzz target, whole, cut off and damaged.
//
// POSEWIRE_CORPUS names the folders of its inputs, with a colon between them; a folder without
// inputs may be missing. POSEWIRE_DAMAGED is how often each input is damaged (and cut off, too).
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// In the order of their names, so that each is damaged in the same ways everywhere.
std::vector<std::vector<uint8_t>> Inputs() {
  std::vector<std::vector<uint8_t>> out;
  const char* const corpus = std::getenv("POSEWIRE_CORPUS");
  if (corpus == nullptr) return out;
  std::set<std::filesystem::path> paths;
  std::istringstream folders(corpus);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
      paths.insert(entry.path());
  }
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return out;
}

int TimesDamaged() {
  const char* const times = std::getenv("POSEWIRE_DAMAGED");
  return times == nullptr ? 0 : std::atoi(times);
}

TEST(Corpus, IsTakenWholeAndCutOffAndDamaged) {
  const std::vector<std::vector<uint8_t>> inputs = Inputs();
  ASSERT_GT(inputs.size(), 20u);
  const int times = TimesDamaged();
  ASSERT_GT(times, 0);
  std::mt19937 random(17);
  for (const std::vector<uint8_t>& input : inputs) {
    EXPECT_EQ(LLVMFuzzerTestOneInput(input.data(), input.size()), 0);
    for (int i = 0; i < times && !input.empty(); ++i) {
      std::vector<uint8_t> damaged = input;
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
      damaged.resize(1 + random() % damaged.size());
      EXPECT_EQ(LLVMFuzzerTestOneInput(damaged.data(), damaged.size()), 0);
      damaged = input;
      for (int k = 0; k < 3; ++k)
        damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
      EXPECT_EQ(LLVMFuzzerTestOneInput(damaged.data(), damaged.size()), 0);
    }
  }
}

}  // namespace
