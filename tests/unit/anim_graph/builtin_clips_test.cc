// The gestures that are in the program against those that are made now.
#include "services/anim_graph/builtin_clips.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "libs/clip/clip_blob.h"
#include "services/anim_graph/config.h"

namespace posewire::anim_graph {
namespace {

TEST(BuiltinClips, AreThoseThatTheirRigWouldGetNow) {
  for (const auto& [rig_name, shapes] : {std::pair("hanim_loa3", "arkit52"),
                                         {"hanim_loa3", "arkit68"},
                                         {"ace_biped", "arkit52"},
                                         {"ace_biped", "arkit68"}}) {
    const auto catalog = *skel::RigCatalog::Builtin(shapes);
    const auto rig = *catalog.Find(rig_name);
    const auto made = MakeBuiltinClips(catalog, rig, kDefaultPrecision_mm);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_GT((*made)->clips().size(), 50u);
    const absl::string_view blob = BuiltinClipsBlob(rig_name, shapes);
    EXPECT_TRUE(clip::WriteBlob(**made) == blob) << rig_name << " " << shapes;
    EXPECT_TRUE(clip::ReadBlob(blob, rig).ok());
  }
}

TEST(BuiltinClips, OtherRigsAndPrecisionsAreMadeAtTheStart) {
  EXPECT_TRUE(BuiltinClipsBlob("vrm", "arkit52").empty());
  EXPECT_TRUE(BuiltinClipsBlob("hanim_loa3", "other").empty());
  EXPECT_EQ(Config().graph.clip_precision_mm, kDefaultPrecision_mm);
  for (const char* rig : {"hanim_loa3", "vrm"}) {
    Config config;
    config.rig = rig;
    const auto fine = MakeParts(config);
    config.graph.clip_precision_mm = 5;
    const auto coarse = MakeParts(config);
    ASSERT_TRUE(fine.ok() && coarse.ok()) << fine.status() << coarse.status();
    const auto bytes = [](const Made& made) {
      return made.graphs->asset()->clips()->Find("wave")->bytes();
    };
    EXPECT_GT(bytes(*fine), bytes(*coarse)) << rig;
  }
}

}  // namespace
}  // namespace posewire::anim_graph
