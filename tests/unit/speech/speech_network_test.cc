#include "libs/speech/speech_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/speech/builtin_network.h"
#include "libs/speech/network_kernel.h"
#include "libs/speech/speech_features.h"
#include "tests/unit/skel/targets.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;

// What tools/speech_model/training computed: rows of numbers by their name and frame.
using Vector = std::map<std::pair<std::string, size_t>, std::vector<float>>;

Vector ReadVector() {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(absl::StrCat(source == nullptr ? "." : source,
                                  "/tests/unit/speech/testdata/visemes_vector.txt"));
  Vector vector;
  std::string line;
  while (std::getline(file, line)) {
    if (absl::StartsWith(line, "#")) continue;
    std::istringstream in(line);
    std::string name;
    size_t frame = 0;
    in >> name >> frame;
    std::vector<float>& row = vector[{name, frame}];
    for (float value; in >> value;) row.push_back(value);
  }
  return vector;
}

TEST(SpeechNetwork, HearsWhatTheTrainerHears) {
  const Vector vector = ReadVector();
  ASSERT_GE(vector.size(), 20u);
  const std::vector<float> sound = VectorSound();
  SpeechFeatures features;
  SpeechNetworkRun run(SpeechNetwork::Builtin());
  FeatureFrame frame;
  for (size_t k = 0; k < sound.size() / kHopSamples; ++k) {
    features.Step(absl::MakeConstSpan(sound).subspan(k * kHopSamples, kHopSamples), frame);
    const absl::Span<const float> outputs = run.Step(frame);
    for (const auto& [name, got] :
         {std::pair{"features", absl::Span<const float>(frame)}, std::pair{"outputs", outputs}}) {
      const auto expected = vector.find({name, k});
      if (expected == vector.end()) continue;
      ASSERT_EQ(got.size(), expected->second.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], expected->second[i], 1e-3) << name << " " << i << " of frame " << k;
      }
    }
  }
}

TEST(SpeechNetwork, ProbabilitiesAreWhatTheirNamesSay) {
  const auto network = SpeechNetwork::Builtin();
  SpeechNetworkRun run(network);
  std::vector<float> logits(network->outputs().size(), 0.0f);
  const auto at = [&](const std::string& name) {
    const auto names = network->outputs();
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  logits[at("ou")] = 3;
  logits[at("bilabial")] = 2;
  logits[at("arousal")] = -2;
  const SoundFrame frame = run.Read(logits);
  EXPECT_NEAR(frame.classes[kClassOu], std::exp(3.0f) / (std::exp(3.0f) + 15), 1e-5);
  EXPECT_NEAR(frame.classes[kClassSil], 1 / (std::exp(3.0f) + 15), 1e-5);
  EXPECT_NEAR(frame.bilabial, 1 / (1 + std::exp(-2.0f)), 1e-5);
  EXPECT_NEAR(frame.arousal, 1 / (1 + std::exp(2.0f)), 1e-5);
  EXPECT_NEAR(frame.labiodental, 0.5f, 1e-6);
}

TEST(NetworkKernel, EqualsThePlainSum) {
  std::mt19937 rng(7);
  std::normal_distribution<float> normal;
  for (const size_t rows : {kPanelRows, 2 * kPanelRows}) {
    for (const size_t columns : std::vector<size_t>{1, 2, 42, 128, 131}) {
      std::vector<float> panels(rows * columns), x(columns), y(rows);
      for (auto* v : {&panels, &x, &y}) {
        for (float& value : *v) value = normal(rng);
      }
      std::vector<double> expected(y.begin(), y.end());
      for (size_t r = 0; r < rows; ++r) {
        const size_t panel = r / kPanelRows * kPanelRows * columns + r % kPanelRows;
        for (size_t c = 0; c < columns; ++c) {
          expected[r] += static_cast<double>(panels[panel + c * kPanelRows]) * x[c];
        }
      }
      for (const int64_t target : skel::Targets()) {
        skel::UseTarget(target);
        std::vector<float> got = y;
        AddProduct(panels.data(), rows, columns, x.data(), got.data());
        for (size_t r = 0; r < rows; ++r) EXPECT_NEAR(got[r], expected[r], 1e-4) << target;
      }
    }
  }
  skel::UseBestTarget();
}

// A file is told by its head; these change one line of it.
std::string With(absl::string_view key, absl::string_view value) {
  const std::string file(BuiltinNetworkBytes());
  const size_t line = file.find(absl::StrCat("\n", key, " "));
  const size_t end = file.find('\n', line + 1);
  return file.substr(0, line) + "\n" + std::string(key) + " " + std::string(value) +
         file.substr(end);
}

TEST(SpeechNetwork, RejectsAFileThatIsWrongAndSaysWhere) {
  const std::string file(BuiltinNetworkBytes());
  const size_t body = file.find("\n\n") + 2;
  std::string infinite = file;
  infinite[body + 11] = 0x7c;
  infinite[body + 10] = 0;
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1 is not"},
      {"posewire-nn 2\n\n", "line 1 is not"},
      {file.substr(0, 40), "no empty line"},
      {file.substr(0, file.size() - 1), "by its sizes"},
      {file + "x", "by its sizes"},
      {infinite, absl::StrCat("byte ", body + 10)},
      {With("features", "41"), "features is \"41\", 42 to 42 is right"},
      {With("channels", "0"), "line 3: channels"},
      {With("channels", "99999999999999999999"), "channels"},
      {With("channels", "500"), "by its sizes"},
      {With("dilations", "1 x"), "a dilation is \"x\""},
      {With("dilations", "4000 4000"), "together 8000"},
      {With("kernel", "99"), "kernel"},
      {With("lookahead", "21"), "0 to 20 is right"},
      {With("rate", "8000"), "rate"},
      {With("softmax", "15"), "softmax"},
      {With("outputs", "sil pp"), "have no \"ff\""},
      {With("hop", "160\nhop 160"), "second time"},
  };
  for (const auto& [bytes, what] : cases) {
    const auto network = SpeechNetwork::Read(bytes);
    ASSERT_EQ(network.status().code(), absl::StatusCode::kInvalidArgument) << what;
    EXPECT_THAT(std::string(network.status().message()), HasSubstr(what));
  }
}

TEST(SpeechNetwork, MutatedFilesAreReadOrRejected) {
  const std::string file(BuiltinNetworkBytes());
  const size_t head = file.find("\n\n") + 2;
  std::mt19937 rng(11);
  int read = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = file.substr(0, head + 64);
    // Only the head decides on sizes.
    for (int n = 0; n < 1 + i % 4; ++n) {
      bytes[rng() % head] = static_cast<char>(i % 2 == 0 ? rng() % 256 : '0' + rng() % 10);
    }
    bytes += file.substr(head + 64);
    read += SpeechNetwork::Read(bytes).ok() ? 1 : 0;
  }
  EXPECT_LT(read, 1000);
}

}  // namespace
}  // namespace posewire::speech
