#include "libs/render/painter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

#include "libs/character_file/builtin.h"
#include "libs/render/matrix.h"
#include "libs/skel/rig.h"

namespace posewire::render {
namespace {

constexpr int kWidth = 120, kHeight = 144;

class PainterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    figure_ = new std::shared_ptr<const character::Character>(
        *character_file::PlainFigure(*skel::RigCatalog::Builtin()));
    auto painter = Painter::Make(*figure_, kWidth, kHeight);
    ASSERT_TRUE(painter.ok()) << painter.status();
    painter_ = painter->release();
  }
  static void TearDownTestSuite() {
    delete painter_;
    delete figure_;
  }

  static Picture Draw(const char* camera, const char* shape = nullptr, float weight = 1) {
    return Draw(*painter_, camera, shape, weight);
  }
  static Picture Draw(Painter& painter, const char* camera, const char* shape = nullptr,
                      float weight = 1) {
    const skel::Rig& rig = *(*figure_)->rig;
    skel::Pose pose(rig.joints(), rig.shapes());
    if (shape != nullptr) pose.span().SetWeight(rig.FindShape(shape), weight);
    Picture out;
    const absl::Status drawn =
        painter.Draw(pose.view(), *CameraPreset(camera, (*figure_)->framing), out);
    EXPECT_TRUE(drawn.ok()) << drawn;
    return out;
  }
  // The mean difference over a part of the picture, in steps of 0..255.
  static double Difference(const Picture& a, const Picture& b, double from_x, double to_x) {
    double sum = 0;
    int count = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = static_cast<int>(from_x * kWidth); x < static_cast<int>(to_x * kWidth); ++x) {
        for (int c = 0; c < 3; ++c, ++count) {
          const auto i = static_cast<size_t>((y * kWidth + x) * 3 + c);
          sum += std::abs(a.rgb[i] - b.rgb[i]);
        }
      }
    }
    return sum / count;
  }

  static std::shared_ptr<const character::Character>* figure_;
  static Painter* painter_;
};
std::shared_ptr<const character::Character>* PainterTest::figure_ = nullptr;
Painter* PainterTest::painter_ = nullptr;

TEST_F(PainterTest, DrawsTheSameTwice) { EXPECT_EQ(Draw("face").rgb, Draw("face").rgb); }

TEST_F(PainterTest, LightAndBackgroundAreAsSet) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const auto red_of = [](const Picture& picture, double x, double y) {
    const auto row = static_cast<size_t>(y * kHeight), column = static_cast<size_t>(x * kWidth);
    return static_cast<int>(picture.rgb[(row * kWidth + column) * 3]);
  };
  (*painter)->SetLight({{1, 0.2f, 0.4f}, {1, 1, 1}});
  const Picture left = Draw(**painter, "face");
  (*painter)->SetLight({{-1, 0.2f, 0.4f}, {1, 1, 1}});
  const Picture right = Draw(**painter, "face");
  // The figure's left cheek is on the picture's right.
  EXPECT_GT(red_of(left, 0.6, 0.58), red_of(left, 0.4, 0.58) + 20);
  EXPECT_GT(red_of(right, 0.4, 0.58), red_of(right, 0.6, 0.58) + 20);
  (*painter)->SetLight({{-1, 0.2f, 0.4f}, {0, 0, 0}});
  EXPECT_LT(red_of(Draw(**painter, "face"), 0.4, 0.58), red_of(right, 0.4, 0.58) - 40);
  // From straight above, and a direction that is none.
  (*painter)->SetLight({{0, 1, 0}, {1, 1, 1}});
  const Picture above = Draw(**painter, "face");
  (*painter)->SetLight({{0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(Draw(**painter, "face").rgb, above.rgb);

  (*painter)->SetBackground({0, 1, 0});
  const Picture green = Draw(**painter, "face");
  EXPECT_LT(red_of(green, 0.02, 0.02), 60);
  EXPECT_GT(static_cast<int>(green.rgb[1]), 200);
}

TEST_F(PainterTest, TheFaceFillsTheMiddleInTheColourOfSkin) {
  const Picture face = Draw("face");
  ASSERT_EQ(face.rgb.size(), static_cast<size_t>(kWidth * kHeight * 3));
  // A cheek beside the nose; the upper corner is backdrop, light and without colour.
  const auto cheek = static_cast<size_t>((kHeight * 58 / 100 * kWidth + kWidth * 60 / 100) * 3);
  EXPECT_GT(face.rgb[cheek], face.rgb[cheek + 2] + 25);
  EXPECT_GT(face.rgb[0], 200);
  EXPECT_NEAR(face.rgb[0], face.rgb[2], 20);
}

TEST_F(PainterTest, AvatarsLeftIsOnTheRightOfThePicture) {
  const Picture rest = Draw("face");
  const Picture blink = Draw("face", "eyeBlinkLeft");
  EXPECT_GT(Difference(rest, blink, 0.5, 1), 0.15);
  EXPECT_LT(Difference(rest, blink, 0, 0.5), 0.03);
}

TEST_F(PainterTest, ACompanionIsDrawnAtItsPlaceOnceItIsPosed) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const Picture alone = Draw(**painter, "body");
  const absl::StatusOr<size_t> number = (*painter)->AddCompanion(*figure_);
  ASSERT_TRUE(number.ok()) << number.status();
  EXPECT_EQ(Draw(**painter, "body").rgb, alone.rgb);
  const skel::Rig& rig = *(*figure_)->rig;
  const skel::Pose pose(rig.joints(), rig.shapes());
  const auto put = [&](float x) {
    const skel::Affine place = skel::FromTrs({x, 0, -0.5f}, {}, {1, 1, 1});
    EXPECT_TRUE((*painter)->PoseCompanion(*number, {0, pose.view(), place}).ok());
    return Draw(**painter, "body");
  };
  const Picture right = put(0.7f);
  EXPECT_GT(Difference(alone, right, 0.6, 1), 3);
  EXPECT_LT(Difference(alone, right, 0, 0.4), 1);
  const Picture left = put(-0.7f);
  EXPECT_GT(Difference(alone, left, 0, 0.4), 3);
  EXPECT_LT(Difference(alone, left, 0.6, 1), 1);
}

// Out of view, it is not deformed; it is once it comes into view, also by another camera.
TEST_F(PainterTest, ACompanionOutOfViewIsLeftOutUntilItIsSeen) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const Picture alone = Draw(**painter, "face"), body = Draw(**painter, "body");
  const absl::StatusOr<size_t> number = (*painter)->AddCompanion(*figure_);
  ASSERT_TRUE(number.ok()) << number.status();
  const skel::Rig& rig = *(*figure_)->rig;
  const skel::Pose pose(rig.joints(), rig.shapes());
  const skel::Affine place = skel::FromTrs({0.8f, 0, -0.5f}, {}, {1, 1, 1});
  ASSERT_TRUE((*painter)->PoseCompanion(*number, {0, pose.view(), place}).ok());
  EXPECT_EQ(Draw(**painter, "face").rgb, alone.rgb);
  EXPECT_GT(Difference(body, Draw(**painter, "body"), 0.6, 1), 3);
  EXPECT_EQ(Draw(**painter, "face").rgb, alone.rgb);
}

TEST(MayBeSeen, IsFalseForABoxBeyondOneSideOfTheView) {
  const Matrix view = Perspective(1, 1, 0.1f, 10) * LookAt({0, 0, 5}, {0, 0, 0}, {0, 1, 0});
  const auto seen = [&](skel::Vec3 at, float half) {
    const skel::Vec3 to{half, half, half};
    return MayBeSeen({at - to, at + to}, view);
  };
  EXPECT_TRUE(seen({}, 1));
  EXPECT_TRUE(seen({2.9f, 0, 0}, 1));
  EXPECT_TRUE(seen({0, 0, 5}, 100));
  EXPECT_FALSE(seen({5, 0, 0}, 1));
  EXPECT_FALSE(seen({0, -5, 0}, 1));
  EXPECT_FALSE(seen({0, 0, 8}, 1));
  EXPECT_FALSE(seen({0, 0, -7}, 1));
}

TEST_F(PainterTest, CamerasDiffer) {
  EXPECT_GT(Difference(Draw("face"), Draw("bust"), 0, 1), 5);
  EXPECT_GT(Difference(Draw("bust"), Draw("body"), 0, 1), 5);
}

TEST_F(PainterTest, TheBackgroundIsAColourAPictureOrNothing) {
  const auto corner = [](const Picture& p) {
    return std::array<int, 3>{p.rgb[0], p.rgb[1], p.rgb[2]};
  };
  const auto with = [](const Background& background) {
    return *Painter::Make(*figure_, kWidth, kHeight, background);
  };
  EXPECT_EQ(corner(Draw(*with({.color = {1, 0, 0}, .picture = nullptr}), "face")),
            (std::array<int, 3>{255, 0, 0}));

  auto picture = std::make_shared<character::Texture>();
  picture->width = picture->height = 8;
  for (int i = 0; i < 64; ++i) {
    const uint8_t upper = i < 32 ? 255 : 0;
    picture->rgba.insert(picture->rgba.end(), {0, static_cast<uint8_t>(255 - upper), upper, 255});
  }
  const Picture over = Draw(*with({.color = {}, .picture = picture}), "body");
  EXPECT_EQ(corner(over), (std::array<int, 3>{0, 0, 255}));
  // Its first row is the upper one; shadow lies on the lower ones.
  EXPECT_GT(over.rgb[(kHeight - 1) * kWidth * 3 + 1], 100);
  EXPECT_EQ(over.rgb[(kHeight - 1) * kWidth * 3 + 2], 0);

  const Picture clear = Draw(*with({.color = {}, .picture = nullptr, .none = true}), "face");
  ASSERT_EQ(clear.alpha.size(), static_cast<size_t>(kWidth * kHeight));
  EXPECT_EQ(clear.alpha[0], 0);
  EXPECT_EQ(clear.alpha[kHeight / 2 * kWidth + kWidth / 2], 255);
  EXPECT_TRUE(over.alpha.empty());
}

TEST_F(PainterTest, DrawsWhatStandsBesideTheCharacter) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const Picture alone = Draw(**painter, "body");
  character::PropShape box;
  box.position = {0.45f, 1, 0};
  box.size = {0.3f, 0.3f, 0.3f};
  ASSERT_TRUE((*painter)->SetProps({&box, 1}).ok());
  const Picture with = Draw(**painter, "body");
  ASSERT_TRUE((*painter)->SetProps({}).ok());
  EXPECT_GT(Difference(alone, with, 0.6, 1), 1) << "it is to the avatar's left";
  EXPECT_LT(Difference(alone, with, 0, 0.3), 0.5);
  EXPECT_EQ(Draw(**painter, "body").rgb, alone.rgb) << "and gone";
}

TEST_F(PainterTest, DrawsModelsWithTheirTexturesWhereTheyArePut) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const Picture alone = Draw(**painter, "body");
  image::Image picture{2, 1, {255, 0, 0, 255, 0, 0, 255, 255}};
  const auto card =
      std::make_shared<const character::PropModel>(character::CardOf(std::move(picture)));
  character::PropShape sign;
  sign.model = card;
  sign.position = {0.45f, 1, 0};
  sign.size = {0.4f, 0.2f, 0.01f};
  std::vector<character::PropShape> signs = {sign, sign};
  signs[1].position.x = -0.45f;
  signs[1].rotation = skel::FromAxisAngle({0, 1, 0}, 3.14159265f);
  ASSERT_TRUE((*painter)->SetProps(signs).ok());
  const Picture with = Draw(**painter, "body");
  EXPECT_GT(Difference(alone, with, 0.6, 1), 1);
  EXPECT_GT(Difference(alone, with, 0, 0.4), 1) << "two of one model";
  const auto count = [&](const Picture& p, int channel) {
    int out = 0;
    for (size_t i = 0; i + 2 < p.rgb.size(); i += 3) {
      const int other = channel == 0 ? 2 : 0;
      out +=
          p.rgb[i + static_cast<size_t>(channel)] > 2 * p.rgb[i + static_cast<size_t>(other)] + 30;
    }
    return out;
  };
  EXPECT_GT(count(with, 0), 20) << "its red half";
  EXPECT_GT(count(with, 2), 20) << "its blue half";
  ASSERT_TRUE((*painter)->SetProps({&sign, 1}).ok());
  EXPECT_GT(Difference(with, Draw(**painter, "body"), 0, 0.4), 1) << "one is gone";
  ASSERT_TRUE((*painter)->SetProps({}).ok());
  EXPECT_EQ(Draw(**painter, "body").rgb, alone.rgb);
}

// Red over green of a pixel.
double Redness(const Picture& p, int x, int y) {
  const auto i = static_cast<size_t>((y * p.width + x) * 3);
  return (p.rgb[i] + 1.0) / (p.rgb[i + 1] + 1.0);
}

// The figure's face with a wall of skin in its place.
std::shared_ptr<const character::Character> WallOfSkin(const character::Character& figure) {
  auto out = std::make_shared<character::Character>(figure);
  const skel::Vec3 at = figure.framing.face;
  character::Mesh wall;
  wall.node = static_cast<int>(out->nodes.size());
  out->order.push_back(wall.node);
  out->nodes.emplace_back().name = "wall";
  for (const auto& [x, y] : {std::pair{-1.f, -1.f}, {1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}}) {
    wall.points.push_back(at + skel::Vec3{x, y, 0});
    wall.normals.push_back({0, 0, 1});
  }
  wall.triangles = {0, 1, 2, 0, 2, 3};
  wall.per_point = 1;
  wall.joints.assign(4, 0);
  wall.weights.assign(4, 1);
  out->materials.assign(1, {});
  out->materials[0].color = {0.8f, 0.5f, 0.4f};
  out->materials[0].skin = true;
  out->meshes = {wall};
  out->drives.clear();
  return out;
}

TEST_F(PainterTest, SeveralDrawInTurnsOnOneThread) {
  const Picture alone = Draw("face");
  const auto wall = WallOfSkin(**figure_);
  auto other = Painter::Make(wall, kWidth, kHeight);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(Draw("face").rgb, alone.rgb);
  const Picture second = Draw(**other, "face");
  EXPECT_GT(Difference(alone, second, 0, 1), 2);
  EXPECT_EQ(Draw("face").rgb, alone.rgb);
  EXPECT_EQ(Draw(**other, "face").rgb, second.rgb);
  other->reset();
  EXPECT_EQ(Draw("face").rgb, alone.rgb);
}

TEST_F(PainterTest, TheEdgeOfAShadowOnSkinIsNeitherRedNorGrainy) {
  auto painter = Painter::Make(WallOfSkin(**figure_), kWidth, kWidth);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const skel::Vec3 towards_key = skel::Normalized(skel::Vec3{-0.55f, 0.75f, 0.80f});
  const auto under = [&](float aside_m) {
    character::PropShape box;
    box.position = (*figure_)->framing.face + towards_key * 0.9f + skel::Vec3{aside_m, -0.3f, 0};
    box.size = {0.6f, 0.6f, 0.01f};
    EXPECT_TRUE((*painter)->SetProps({&box, 1}).ok());
    return Draw(**painter, "face");
  };
  const Picture lit = Draw(**painter, "face"), shade = under(0), edge = under(0.3f);
  const auto red = [](const Picture& p, int x, int y) {
    return static_cast<double>(p.rgb[static_cast<size_t>((y * kWidth + x) * 3)]);
  };
  int on_edge = 0;
  for (int y = kWidth * 50 / 100; y < kWidth * 60 / 100; ++y) {
    double before = 2;
    for (int x = kWidth * 40 / 100; x < kWidth * 75 / 100; ++x) {
      ASSERT_GT(red(lit, x, y), red(shade, x, y) + 20) << "no shade at " << x << ", " << y;
      const double share =
          (red(edge, x, y) - red(shade, x, y)) / (red(lit, x, y) - red(shade, x, y));
      if (share > 0.1 && share < 0.9) ++on_edge;
      EXPECT_LT(Redness(edge, x, y), std::max(Redness(lit, x, y), Redness(shade, x, y)) * 1.04);
      EXPECT_LT(share, before + 0.03) << "grain at " << x << ", " << y;
      before = share;
    }
  }
  EXPECT_GT(on_edge, 50) << "the edge is sharp, or out of sight";
}

// glTF's normal maps: green is up the picture, whose rows go down as v grows.
TEST_F(PainterTest, GreenOfANormalMapTurnsASurfaceUpThePicture) {
  const auto with_green = [](uint8_t green) {
    auto bumpy = std::make_shared<character::Character>(**figure_);
    character::Texture map;
    map.width = map.height = 1;
    map.rgba = {128, green, 200, 255};
    bumpy->textures.push_back(map);
    for (character::Material& material : bumpy->materials) {
      material.normal_map = static_cast<int>(bumpy->textures.size()) - 1;
    }
    for (character::Mesh& mesh : bumpy->meshes) {
      mesh.uv.clear();
      for (const skel::Vec3& point : mesh.points) mesh.uv.push_back({point.x, 2 - point.y});
    }
    auto painter = Painter::Make(bumpy, kWidth, kHeight);
    EXPECT_TRUE(painter.ok()) << painter.status();
    const Picture drawn = Draw(**painter, "bust");
    double sum = 0;
    for (const uint8_t value : drawn.rgb) sum += value;
    return sum / static_cast<double>(drawn.rgb.size());
  };
  // The light comes from above.
  EXPECT_GT(with_green(220), with_green(36) + 3);
}

// A globe in front of the face, of 24 by 12 faces, whose picture has a seam at the back, or is
// mirrored at a seam in front. With the same normals, once from a normal map of one colour, and
// once from the file, each corner with its own.
class Globe {
 public:
  Globe(const character::Character& like, bool mirrored, skel::Vec3 bump)
      : like_(like), mirrored_(mirrored), bump_(skel::Normalized(bump)) {}

  std::shared_ptr<character::Character> WithMap(bool own_tangents) const {
    auto out = Empty();
    character::Texture map;
    map.width = map.height = 1;
    const auto code = [](float x) { return static_cast<uint8_t>(std::lround((x + 1) * 127.5f)); };
    map.rgba = {code(bump_.x), code(bump_.y), code(bump_.z), 255};
    out->textures = {map};
    out->materials[0].normal_map = 0;
    character::Mesh& mesh = out->meshes[0];
    for (int r = 0; r <= kRows; ++r) {
      for (int c = 0; c <= kColumns; ++c) Add(mesh, r, c, NormalAt(r, c), own_tangents);
    }
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) {
        const auto e = static_cast<uint32_t>(r * (kColumns + 1) + c),
                   a = e + static_cast<uint32_t>(kColumns) + 1;
        mesh.triangles.insert(mesh.triangles.end(), {a, a + 1, e + 1, a, e + 1, e});
      }
    }
    return out;
  }

  std::shared_ptr<character::Character> WithNormals() const {
    auto out = Empty();
    // The bump as the map has it, in steps of 1/255.
    const auto coded = [](float x) {
      return static_cast<float>(std::lround((x + 1) * 127.5f)) / 127.5f - 1;
    };
    const skel::Vec3 m{coded(bump_.x), coded(bump_.y), coded(bump_.z)};
    character::Mesh& mesh = out->meshes[0];
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns; ++c) {
        const bool back = mirrored_ && c < kColumns / 2;
        const int at[6][2] = {{r + 1, c}, {r + 1, c + 1}, {r, c + 1},
                              {r + 1, c}, {r, c + 1},     {r, c}};
        for (const auto& [row, column] : at) {
          const skel::Vec3 n = NormalAt(row, column),
                           along = AlongAt(column) * (back ? -1.0f : 1.0f),
                           up = skel::Cross(n, AlongAt(column));
          mesh.triangles.push_back(static_cast<uint32_t>(mesh.points.size()));
          Add(mesh, row, column, skel::Normalized(along * m.x + up * m.y + n * m.z), false);
        }
      }
    }
    return out;
  }

 private:
  static constexpr int kColumns = 24, kRows = 12;
  static constexpr float kPi = 3.14159265f;

  static float TurnAt(int c) { return 2 * kPi * (static_cast<float>(c) / kColumns - 0.5f); }
  static skel::Vec3 AlongAt(int c) { return {std::cos(TurnAt(c)), 0, -std::sin(TurnAt(c))}; }
  static skel::Vec3 NormalAt(int r, int c) {
    const float up = (0.5f - static_cast<float>(r) / kRows) * 0.9f * kPi;
    return {std::cos(up) * std::sin(TurnAt(c)), std::sin(up), std::cos(up) * std::cos(TurnAt(c))};
  }

  std::shared_ptr<character::Character> Empty() const {
    auto out = std::make_shared<character::Character>(*WallOfSkin(like_));
    out->materials[0].color = {0.6f, 0.6f, 0.6f};
    out->materials[0].skin = false;
    out->variants.clear();
    character::Mesh& mesh = out->meshes[0];
    mesh.points.clear();
    mesh.normals.clear();
    mesh.triangles.clear();
    mesh.joints.clear();
    mesh.weights.clear();
    return out;
  }

  void Add(character::Mesh& mesh, int r, int c, skel::Vec3 normal, bool own_tangent) const {
    const float u = static_cast<float>(c) / kColumns;
    mesh.points.push_back(like_.framing.face + NormalAt(r, c) * 0.11f);
    mesh.normals.push_back(normal);
    mesh.joints.push_back(0);
    mesh.weights.push_back(1);
    mesh.uv.push_back({mirrored_ ? std::abs(2 * u - 1) : u, static_cast<float>(r) / kRows});
    if (own_tangent) {
      const skel::Vec3 t = AlongAt(c);
      mesh.tangents.push_back({t.x, t.y, t.z, 1});
    }
  }

  const character::Character& like_;
  const bool mirrored_;
  const skel::Vec3 bump_;
};

TEST_F(PainterTest, NormalMapsAreLitAsTheirNormals) {
  for (const skel::Vec3 bump : {skel::Vec3{0.5f, 0.3f, 0.8f}, skel::Vec3{-0.6f, 0, 0.8f}}) {
    for (const bool mirrored : {false, true}) {
      const Globe globe(**figure_, mirrored, bump);
      const auto drawn = [](std::shared_ptr<character::Character> character) {
        auto painter = Painter::Make(std::move(character), kWidth, kHeight);
        EXPECT_TRUE(painter.ok()) << painter.status();
        return Draw(**painter, "face");
      };
      const Picture right = drawn(globe.WithNormals());
      auto plain = globe.WithMap(false);
      plain->materials[0].normal_map = -1;
      const double effect = Difference(drawn(plain), right, 0, 1);
      EXPECT_GT(effect, 2);
      const double apart = Difference(drawn(globe.WithMap(false)), right, 0, 1);
      EXPECT_LT(apart, effect / 20) << "mirrored " << mirrored << ", bump " << bump.x;
      if (mirrored) continue;
      EXPECT_LT(Difference(drawn(globe.WithMap(true)), right, 0, 1), effect / 20);
    }
  }
}

TEST_F(PainterTest, DrawsTheSameCharacterFiner) {
  auto painter = Painter::Make(*figure_, kWidth, kHeight);
  ASSERT_TRUE(painter.ok()) << painter.status();
  const Picture before = Draw(**painter, "bust");
  const auto left = (*painter)->Subdivide(1);
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_EQ(*left, "");
  const Picture finer = Draw(**painter, "bust");
  EXPECT_GT(Difference(before, finer, 0, 1), 0.05) << "it is rounder";
  EXPECT_LT(Difference(before, finer, 0, 1), 6) << "and the same figure";
  ASSERT_TRUE((*painter)->Subdivide(1).ok());
  EXPECT_EQ(Draw(**painter, "bust").rgb, finer.rgb) << "asking again changes nothing";
  ASSERT_TRUE((*painter)->Subdivide(2).ok());
  const Picture finest = Draw(**painter, "bust");
  EXPECT_NE(finest.rgb, finer.rgb);
  EXPECT_LT(Difference(finer, finest, 0, 1), Difference(before, finer, 0, 1))
      << "the second level changes less than the first";
  ASSERT_TRUE((*painter)->Subdivide(1).ok());
  EXPECT_EQ(Draw(**painter, "bust").rgb, finer.rgb);
  ASSERT_TRUE((*painter)->Subdivide(0).ok());
  EXPECT_EQ(Draw(**painter, "bust").rgb, before.rgb);
  ASSERT_TRUE((*painter)->Subdivide(1).ok());
  EXPECT_FALSE((*painter)->Subdivide(3).ok());
  EXPECT_EQ(Draw(**painter, "bust").rgb, finer.rgb);
}

TEST_F(PainterTest, SaysWhatIsWrong) {
  EXPECT_FALSE(CameraPreset("feet", (*figure_)->framing).ok());
  EXPECT_EQ(Painter::Make(*figure_, 8, 100).status().code(), absl::StatusCode::kInvalidArgument);
  Picture out;
  EXPECT_FALSE(
      painter_->Draw(skel::Pose(1, 1).view(), *CameraPreset("face", (*figure_)->framing), out)
          .ok());
}

TEST(CameraPreset, FitsGiantsAndDwarfs) {
  character::Framing person;
  person.face = {0, 1.6f, 0.02f};
  person.head_m = 0.25f;
  person.extent = {{-0.3f, 0, -0.1f}, {0.3f, 1.75f, 0.2f}};
  character::Framing giant = person;
  giant.face = giant.face * 4;
  giant.head_m *= 4;
  giant.extent = {giant.extent.low * 4, giant.extent.high * 4};
  for (const char* name : {"face", "bust", "body"}) {
    const Camera small = *CameraPreset(name, person), large = *CameraPreset(name, giant);
    EXPECT_NEAR(large.height_m, small.height_m * 4, 1e-4f);
    EXPECT_NEAR(large.target.y, small.target.y * 4, 1e-4f);
    EXPECT_NEAR(large.eye.z, small.eye.z * 4, 1e-3f);
  }
}

TEST(CameraPreset, ABustHasItsEyesAtTheUpperThird) {
  for (const float size : {0.4f, 1.0f, 4.0f}) {
    for (const float head_share : {0.14f, 0.25f}) {  // a grown person, a child
      character::Framing person;
      person.face = skel::Vec3{0, 1.6f, 0.02f} * size;
      person.head_m = head_share * 1.75f * size;
      person.extent = {skel::Vec3{-0.3f, 0, -0.1f} * size, skel::Vec3{0.3f, 1.75f, 0.2f} * size};
      const Camera bust = *CameraPreset("bust", person);
      const float from_top = bust.target.y + bust.height_m / 2 - person.eyes().y;
      EXPECT_NEAR(from_top / bust.height_m, 1 / 3.f, 1e-4f);
    }
  }
}

}  // namespace
}  // namespace posewire::render
