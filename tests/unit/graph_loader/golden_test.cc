// Golden graphs: what they showed is what they show. tests/golden/README.md says how they are
// written and how they are made anew.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "absl/strings/str_format.h"
#include "libs/skel/mask.h"
#include "tests/unit/graph/runner.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

constexpr int kFrames = 91, kEvery = 10;
constexpr double kTolerance = 2e-5;
constexpr const char* kGoldenGraphs[] = {"blends",       "layers",    "states", "past",
                                         "arrangements", "timelines", "looks",  "constraints"};
constexpr const char* kJoints[] = {"HumanoidRoot", "vl5",     "skullbase", "l_shoulder",
                                   "r_shoulder",   "l_elbow", "r_elbow",   "l_hip"};
constexpr const char* kShapes[] = {"jawOpen",     "mouthSmileLeft", "mouthSmileRight",
                                   "browInnerUp", "eyeLookOutLeft", "eyeLookUpLeft"};

std::filesystem::path GoldenFolder() {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "tests/golden";
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const clip::ClipLibrary> Clips() {
  static const auto* library = new std::shared_ptr<const clip::ClipLibrary>([] {
    const auto rig = BuiltinRig();
    // The lower half of "b" is not said.
    const auto upper = *skel::Mask::Region(*rig, "upper_body");
    const auto whole = SwingingClip("b", 46, false, 32);
    std::vector<skel::Pose> frames;
    for (int i = 0; i < whole->frames(); ++i) {
      frames.emplace_back(rig->joints(), rig->shapes()).span().CopyFrom(whole->frame(i));
      for (int j = 0; j < rig->joints(); ++j) {
        if (upper.joint(j) > 0) continue;
        frames.back().span().has_r[j] = frames.back().span().has_t[j] = 0;
      }
    }
    return std::make_shared<clip::ClipLibrary>(std::vector<std::shared_ptr<const clip::Clip>>{
        SwingingClip("a", 31, false, 31),
        std::make_shared<clip::Clip>("b", rig, timecode::FrameRate{30, 1}, std::move(frames)),
        SwingingClip("round", 60, true, 33)});
  }());
  return *library;
}

// One line of a script.
struct Act {
  int tick = 0;
  std::string what, name, value;
};

std::vector<Act> ScriptOf(const std::string& text) {
  std::vector<Act> steps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#! ", 0) != 0) continue;
    std::istringstream words(line.substr(3));
    double at_s = 0;
    Act step;
    words >> at_s >> step.what >> step.name >> step.value;
    EXPECT_TRUE(step.what == "set" || step.what == "fire" || step.what == "source" ||
                step.what == "reload")
        << line;
    step.tick = static_cast<int>(std::lround(at_s * 30));
    steps.push_back(step);
  }
  return steps;
}

// Plays a graph with its script and calls `see` with every frame.
template <typename See>
void Play(const std::string& name, uint64_t seed, See see) {
  const std::string text = Read(GoldenFolder() / (name + ".graph.txtpb"));
  const std::vector<Act> script = ScriptOf(text);
  GraphRun run(text, seed, Clips());
  ASSERT_NE(run.graph, nullptr);
  skel::Pose turned(run.rig->joints(), run.rig->shapes());
  std::vector<ProviderInput> live;
  for (int k = 0; k < kFrames; ++k) {
    for (const Act& step : script) {
      if (step.tick != k) continue;
      if (step.what == "set") run.Set(step.name, step.value);
      if (step.what == "fire") run.Fire(step.name);
      if (step.what == "reload") run.Reload(text, Clips());
      if (step.what == "source") live.resize(step.name == "on" ? 1 : 0);
    }
    const auto angle = static_cast<float>(0.4 * std::sin(k / 5.0));
    turned.span().SetRotation(run.rig->FindJoint("skullbase"),
                              skel::FromAxisAngle({0, 1, 0}, angle));
    for (ProviderInput& p : live) p.playback_id = 1, p.pose = turned.view();
    run.inputs.providers = live;
    run.Tick();
    see(k, run);
  }
}

using Values = std::vector<double>;

// By "frame name".
std::map<std::string, Values> Shown(const std::string& name) {
  std::map<std::string, Values> shown;
  Play(name, 17, [&](int k, const GraphRun& run) {
    if (k % kEvery != 0) return;
    const skel::PoseView p = run.pose.view();
    for (const char* joint : kJoints) {
      const int j = run.rig->FindJoint(joint);
      skel::Quat q = p.rotation(j);
      if (q.w < 0) q = -q;
      const skel::Vec3 t = p.translation(j);
      shown[absl::StrFormat("%02d %s", k, joint)] = {q.w, q.x, q.y, q.z, t.x, t.y, t.z};
    }
    for (const char* shape : kShapes) {
      shown[absl::StrFormat("%02d %s", k, shape)] = {p.weights[run.rig->FindShape(shape)]};
    }
  });
  return shown;
}

std::map<std::string, Values> Stored(const std::string& name) {
  std::map<std::string, Values> stored;
  std::istringstream lines(Read(GoldenFolder() / (name + ".poses.txt")));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string frame, what;
    words >> frame >> what;
    Values& values = stored[frame + " " + what];
    for (double v = 0; words >> v;) values.push_back(v);
  }
  return stored;
}

void Write(const std::string& name, const std::map<std::string, Values>& shown) {
  std::ofstream file(GoldenFolder() / (name + ".poses.txt"));
  for (const auto& [what, values] : shown) {
    file << what;
    for (const double v : values) file << absl::StrFormat(" %.6f", v);
    file << "\n";
  }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, ShowsWhatIsStored) {
  const auto shown = Shown(GetParam());
  if (std::getenv("POSEWIRE_WRITE_GOLDEN") != nullptr) {
    Write(GetParam(), shown);
    return;
  }
  const auto stored = Stored(GetParam());
  ASSERT_EQ(shown.size(), (kFrames / kEvery + 1) * (std::size(kJoints) + std::size(kShapes)));
  ASSERT_EQ(stored.size(), shown.size());
  for (const auto& [what, values] : shown) {
    const auto it = stored.find(what);
    ASSERT_TRUE(it != stored.end()) << what << " is not stored";
    ASSERT_EQ(it->second.size(), values.size()) << what;
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], it->second[i], kTolerance) << what << ", value " << i;
    }
  }
}

// A stored pose that never moves would hold nothing.
TEST_P(Golden, Moves) {
  skel::Pose first;
  float most = 0;
  Play(GetParam(), 17, [&](int k, const GraphRun& run) {
    if (k == 0) first = run.pose;
    most = std::max(most, LargestStep(first.view(), run.pose.view()).degrees);
    if (k > 0) {
      EXPECT_LT(run.step().degrees, 30) << k;
    }
  });
  EXPECT_GT(most, 10);
}

TEST_P(Golden, TheSameSeedInputsAndClockGiveTheSameBytes) {
  std::vector<skel::Pose> first;
  Play(GetParam(), 5, [&](int, const GraphRun& run) { first.push_back(run.pose); });
  Play(GetParam(), 5, [&](int k, const GraphRun& run) {
    ASSERT_TRUE(SameBytes(first[static_cast<size_t>(k)].view(), run.pose.view())) << k;
  });
}

INSTANTIATE_TEST_SUITE_P(Graphs, Golden, testing::ValuesIn(kGoldenGraphs),
                         [](const auto& info) { return std::string(info.param); });

TEST(GoldenSeed, AnotherSeedShuffles) {
  std::vector<skel::Pose> first;
  Play("arrangements", 1, [&](int, const GraphRun& run) { first.push_back(run.pose); });
  float most = 0;
  Play("arrangements", 2, [&](int k, const GraphRun& run) {
    const auto& other = first[static_cast<size_t>(k)];
    most = std::max(most, LargestStep(other.view(), run.pose.view()).degrees);
  });
  EXPECT_GT(most, 5);
}

}  // namespace
}  // namespace posewire::graph
