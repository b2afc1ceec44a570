#include "services/renderer_sink/draw/character_set.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "tests/unit/character/small_glb.h"

namespace posewire::renderer_sink {
namespace {

TEST(CharacterSet, OneFileIsOneCharacterUnderHoweverManyNames) {
  const std::string file = testing::TempDir() + "/cast_test_person.glb";
  std::ofstream(file, std::ios::binary) << character::SmallPerson().Glb();
  const auto rigs = skel::RigCatalog::Builtin("arkit68");
  ASSERT_TRUE(rigs.ok()) << rigs.status();
  CharacterSetOptions options;
  options.avatars = *AvatarChoice::Parse({"anna=" + file, "bob=" + file});
  options.who = file;
  options.width = options.height = 32;
  const auto characters = CharacterSet::Make(std::move(options), &*rigs, service::Logger());
  ASSERT_TRUE(characters.ok()) << characters.status();
  const auto lead = (*characters)->Show({});
  ASSERT_TRUE(lead.ok()) << lead.status();
  for (const char* name : {"anna", "bob"}) {
    wire::Appearance asked;
    asked.character = name;
    const auto actor = (*characters)->Show(asked);
    ASSERT_TRUE(actor.ok()) << actor.status();
    EXPECT_EQ(*actor, *lead);
  }
  std::remove(file.c_str());
}

}  // namespace
}  // namespace posewire::renderer_sink
