#include "services/renderer_sink/core/staging.h"

#include <cmath>

#include "gtest/gtest.h"
#include "libs/vmc/coordinates.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/wire/vmc_entry.h"

namespace posewire::renderer_sink {
namespace {

std::vector<wire::MetadataEntry> EntryOf(const vmc::Message& message) {
  vmc::DatagramPacker packer;
  EXPECT_TRUE(packer.Add(message).ok());
  return {{"other", "x"}, wire::VmcEntry("a", 0, packer.Datagrams()[0])};
}

TEST(Staging, AVmcLightShinesFromWhereItComes) {
  Staging staging;
  // Turned about Unity's Y so that it shines to the avatar's right: it comes from the left.
  const skel::Quat turn = skel::FromAxisAngle({0, 1, 0}, static_cast<float>(M_PI) / 2);
  EXPECT_TRUE(
      TakeStaging(EntryOf(vmc::Light{"Sun", {{0, 3, 0}, turn}, {1, 0.5f, 100, 1}}), staging));
  ASSERT_TRUE(staging.light.has_value());
  EXPECT_NEAR(staging.light->way.x, 1, 1e-6);
  EXPECT_NEAR(staging.light->way.z, 0, 1e-6);
  EXPECT_FLOAT_EQ(staging.light->color.y, 0.5f);
  EXPECT_FLOAT_EQ(staging.light->color.z, 8);
  EXPECT_FALSE(staging.background.has_value());
}

TEST(Staging, ChangesAreSaidAndRepetitionsAreNot) {
  Staging staging;
  EXPECT_FALSE(TakeStaging({}, staging));
  const auto green = EntryOf(vmc::BackgroundColor{{0, 1, 0, 1}});
  EXPECT_TRUE(TakeStaging(green, staging));
  EXPECT_FALSE(TakeStaging(green, staging));
  EXPECT_FLOAT_EQ(staging.background->y, 1);
  EXPECT_FALSE(TakeStaging(EntryOf(vmc::Key{1, "A", 65}), staging));
  EXPECT_FALSE(TakeStaging({wire::VmcEntry("a", 1, "no bundle")}, staging));
}

}  // namespace
}  // namespace posewire::renderer_sink
