#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/retarget/change_shapes.h"
#include "libs/retarget/retarget.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const skel::RigCatalog& RigsOfFaces() {
  static const auto& rigs = *new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return rigs;
}

// Three frames of a face, the last with the weights as given.
Messages Face(const std::vector<std::string>& names, const std::vector<float>& weights) {
  Messages messages(5);
  auto& header = *messages[0].mutable_animation_data_stream_header();
  header.set_start_time_code_since_epoch(1);
  for (const std::string& name : names) {
    header.mutable_skel_animation_header()->add_blend_shapes(name);
  }
  for (size_t k = 0; k < 3; ++k) {
    auto& keys = *messages[k + 1]
                      .mutable_animation_data()
                      ->mutable_skel_animation()
                      ->add_blend_shape_weights();
    keys.set_time_code(static_cast<double>(k) / 30);
    for (const float weight : weights) keys.add_values(weight * static_cast<float>(k) / 2);
  }
  messages[4].mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
  return messages;
}

struct OnRig : ReadClip {
  std::vector<std::string> warnings;
  float weight(absl::string_view name) const {
    const std::vector<std::string> all = shapes();
    for (size_t s = 0; s < all.size(); ++s) {
      if (all[s] == name) return weights(frames() - 1).values(static_cast<int>(s));
    }
    return -99;
  }
};

OnRig ReadOn(const char* name, const std::string& bytes, std::shared_ptr<const skel::Rig> rig) {
  auto reader = OpenClip(std::make_unique<files::MemorySource>(name, bytes));
  OnRig out;
  if (!reader.ok()) {
    out.end = reader.status();
    return out;
  }
  const auto clip = retarget::Retarget(*std::move(reader), std::move(rig), RigsOfFaces());
  static_cast<ReadClip&>(out) = ReadAll(*clip);
  out.warnings = clip->warnings();
  EXPECT_TRUE(out.end.ok()) << name << ": " << out.end;
  return out;
}

std::shared_ptr<const skel::Rig> Standard68() { return *RigsOfFaces().Find("hanim_loa3"); }

TEST(ShapeSets, VisemesOfEveryFormatBecomeArkitsWithOneWarning) {
  const Messages face = Face({"viseme_aa", "viseme_PP", "viseme_ou"}, {0.5f, 0, 1});
  for (const char* name :
       {"face.animdata", "face.jsonl", "face.csv", "face.usda", "face.glb", "face.gltf"}) {
    const absl::StatusOr<std::string> bytes = MemoryFile{name}.Written(face);
    ASSERT_TRUE(bytes.ok()) << name << ": " << bytes.status();
    const OnRig read = ReadOn(name, *bytes, Standard68());
    EXPECT_NEAR(read.weight("mouthPucker"), 0.82f, 1e-5) << name;
    EXPECT_NEAR(read.weight("jawOpen"), 0.485f, 1e-5) << name;
    EXPECT_THAT(read.shapes(), Not(Contains("viseme_aa"))) << name;
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("3 of its 3 blend shapes are named as those "
                                                     "of the set oculus, and become ARKit's")))
        << name;
  }
}

TEST(ShapeSets, AFaceWithArkitsNamesAndAFewOthersStays) {
  const Messages face = Face({"jawOpen", "mouthPucker", "viseme_aa", "Hat"}, {1, 1, 1, 1});
  const OnRig read = ReadOn("face.animdata", MemoryFile{"face.animdata"}.Write(face), Standard68());
  EXPECT_THAT(read.shapes(), ElementsAre("jawOpen", "mouthPucker", "viseme_aa", "Hat"));
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(ShapeSets, ARigWithTheShapesOfTheSetTakesThemAsTheyAre) {
  skel::RigParts parts = Standard68()->parts();
  for (const char* name : {"viseme_aa", "viseme_PP", "viseme_ou"}) parts.shapes.emplace_back(name);
  const std::shared_ptr<const skel::Rig> own = *skel::Rig::Make(std::move(parts));
  const Messages face = Face({"viseme_aa", "viseme_PP", "viseme_ou"}, {0.5f, 0, 1});
  const OnRig read = ReadOn("face.animdata", MemoryFile{"face.animdata"}.Write(face), own);
  EXPECT_THAT(read.shapes(), ElementsAre("viseme_aa", "viseme_PP", "viseme_ou"));
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(ShapeSets, AClipCanBeChangedToASet) {
  const Messages face = Face({"jawOpen", "mouthFunnel", "cheekPuff", "Hat"}, {0.6f, 1, 0, 0.5f});
  const std::string bytes = MemoryFile{"face.animdata"}.Write(face);
  auto reader = OpenClip(std::make_unique<files::MemorySource>("face.animdata", bytes));
  ASSERT_TRUE(reader.ok()) << reader.status();
  OnRig out;
  const auto changed = retarget::ChangeShapes(*std::move(reader),
                                              retarget::StreamShapes(*shapes::FindSet("unified")));
  static_cast<ReadClip&>(out) = ReadAll(*changed);
  ASSERT_TRUE(out.end.ok()) << out.end;
  EXPECT_NEAR(out.weight("JawOpen"), 0.6f, 1e-6);
  EXPECT_NEAR(out.weight("LipFunnelLowerLeft"), 1, 1e-6);
  EXPECT_NEAR(out.weight("Hat"), 0.5f, 1e-6);
  EXPECT_EQ(out.weight("mouthFunnel"), -99);
  EXPECT_THAT(changed->warnings(), IsEmpty());
}

TEST(ShapeSets, ShapesOfNoSetStayAndTheClipSaysSo) {
  const std::string bytes =
      MemoryFile{"face.animdata"}.Write(Face({"Hat", "Nose", "Ear"}, {0.5f, 1, 0}));
  auto reader = OpenClip(std::make_unique<files::MemorySource>("face.animdata", bytes));
  ASSERT_TRUE(reader.ok()) << reader.status();
  OnRig out;
  const auto same = retarget::ChangeShapes(*std::move(reader),
                                           retarget::StreamShapes(*shapes::FindSet("oculus")));
  static_cast<ReadClip&>(out) = ReadAll(*same);
  EXPECT_NEAR(out.weight("Hat"), 0.5f, 1e-6);
  EXPECT_THAT(same->warnings(), ElementsAre(HasSubstr("3 blend shapes are those of no known set")));
}

}  // namespace
}  // namespace posewire::clipio
