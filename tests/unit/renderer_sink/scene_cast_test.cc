// Several clips in one picture: where they are, what they say, and who films them.
#include "services/renderer_sink/render/scene_cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "libs/wire/chunk.h"
#include "services/renderer_sink/draw/stream_camera.h"

namespace posewire::renderer_sink {
namespace {

TEST(PlacedClip, HasAPlaceAfterAnAt) {
  const auto placed = ParsePlacedClip("a@b.animdata@1.5,-2,90");
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ(placed->file, "a@b.animdata");
  EXPECT_EQ(placed->place.x_m, 1.5f);
  EXPECT_EQ(placed->place.z_m, -2.0f);
  EXPECT_EQ(placed->place.turn_deg, 90.0f);
}

TEST(PlacedClip, WithoutAPlaceIsAFile) {
  for (const char* const name : {"b.animdata", "a@b.animdata", "take@2.animdata"}) {
    const auto placed = ParsePlacedClip(name);
    ASSERT_TRUE(placed.ok()) << placed.status();
    EXPECT_EQ(placed->file, name);
    EXPECT_EQ(placed->place.x_m, 0.0f);
  }
}

TEST(PlacedClip, SaysHowAPlaceIsWritten) {
  for (const char* const text : {"", "@1,2", "a@1", "a@1,x", "a@1,2,3,4", "a@1,20000"}) {
    EXPECT_FALSE(ParsePlacedClip(text).ok()) << text;
  }
  EXPECT_EQ(ParsePlacedClip("walk.bvh@1").status().message(),
            "\"walk.bvh@1\" is not of the form FILE, FILE@X,Z or FILE@X,Z,DEGREES, in metres up to "
            "10000, such as walk.bvh@1.5,0");
}

wire::DataChunk CameraAt(double time_code_s, float x, float focal_mm) {
  wire::DataChunk data;
  const auto put = [&](wire::CameraTrack track, std::vector<float> values) {
    data.camera[track].time_codes_s = {time_code_s};
    data.camera[track].values = std::move(values);
  };
  put(wire::kCameraPosition, {x, 1, 4});
  put(wire::kCameraRotation, {1, 0, 0, 0});
  put(wire::kFocalLength, {focal_mm});
  return data;
}

TEST(StreamCamera, MovesBetweenItsKeysAndLooksAlongMinusZ) {
  StreamCamera camera;
  EXPECT_TRUE(camera.empty());
  camera.Add(CameraAt(5, 0, 24));
  camera.Add(CameraAt(7, 2, 48));
  camera.MoveTo(5);
  EXPECT_FALSE(camera.empty());
  const render::Camera half_way = camera.At(1, {0, 1, 0});
  EXPECT_FLOAT_EQ(half_way.eye.x, 1);
  EXPECT_NEAR(half_way.target.z, 0, 1e-5);
  EXPECT_NEAR(half_way.target.x, 1, 1e-5);
  EXPECT_NEAR(half_way.view_rad, 2 * std::atan(12.0 / 36), 1e-5);
  EXPECT_NEAR(half_way.height_m, 4 * 24.0 / 36, 1e-4);
  EXPECT_FLOAT_EQ(camera.At(-1, {}).eye.x, 0);
  EXPECT_FLOAT_EQ(camera.At(9, {}).eye.x, 2);
}

}  // namespace
}  // namespace posewire::renderer_sink
