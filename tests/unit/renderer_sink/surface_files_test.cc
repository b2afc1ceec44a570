#include "services/renderer_sink/view/surface_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/refined_surface.h"
#include "libs/character_file/read_character.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;
using testing::HasSubstr;

std::shared_ptr<const character::Character> Woman() {
  static const auto* const rigs = new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return *character_file::OpenCharacter("woman", *rigs);
}

// Reads a file from its beginning on.
class SurfaceReader {
 public:
  explicit SurfaceReader(const std::string& bytes) : bytes_(bytes) {
    json_ = bytes_.substr(4, Array<uint32_t>(1)[0]);
    at_ += json_.size();
  }

  const std::string& json() const { return json_; }
  bool ended() const { return at_ == bytes_.size(); }
  template <typename T>
  std::vector<T> Array(size_t n) {
    std::vector<T> out(n);
    EXPECT_LE(at_ + n * sizeof(T), bytes_.size());
    std::memcpy(out.data(), bytes_.data() + at_, n * sizeof(T));
    at_ += n * sizeof(T);
    return out;
  }

 private:
  const std::string& bytes_;
  std::string json_;
  size_t at_ = 0;
};

// What a page makes of the file is what `render` draws.
TEST(SurfaceFiles, MakeTheSurfaceOfFilms) {
  const auto woman = Woman();
  const character::Deformer deformer(woman);
  const auto surface = *character::RefinedSurface::Make(deformer);
  const auto points_of = [&](size_t m) { return absl::Span<const Vec3>(woman->meshes[m].points); };
  ASSERT_TRUE(surface->Pose(points_of).ok());
  std::string left_out;
  const auto bytes = WriteSurface(deformer, -1, left_out);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(left_out, "");
  SurfaceReader reader(*bytes);
  EXPECT_THAT(reader.json(), HasSubstr("\"left_out\":\"\""));
  EXPECT_EQ(reader.json().size() % 4, 0);

  std::vector<Vec3> all;  // points of all meshes
  for (size_t m = 0; m < woman->meshes.size(); ++m) {
    all.insert(all.end(), points_of(m).begin(), points_of(m).end());
  }
  const size_t fine = surface->fine_points(), weights = surface->subdivision()->weights();
  const auto cage = reader.Array<uint32_t>(surface->coarse_points());
  const auto begins = reader.Array<uint32_t>(fine + 1);
  const auto sources = reader.Array<int32_t>(weights);
  const auto factors = reader.Array<float>(weights);
  const auto neighbours = reader.Array<std::array<int32_t, 4>>(fine);
  std::vector<Vec3> points(fine);
  for (size_t i = 0; i < fine; ++i) {
    for (size_t k = begins[i]; k < begins[i + 1]; ++k) {
      points[i] = points[i] + all[cage[static_cast<size_t>(sources[k])]] * factors[k];
    }
  }
  size_t refined = 0;
  for (size_t m = 0; m < woman->meshes.size(); ++m) {
    if (!surface->has(m)) continue;
    ++refined;
    const auto& part = surface->part(m);
    const auto place = reader.Array<uint32_t>(part.points.size());
    EXPECT_EQ(reader.Array<uint32_t>(part.triangles.size()), part.triangles);
    const auto mean_of = reader.Array<std::array<uint32_t, 4>>(part.points.size());
    for (size_t i = 0; i < place.size(); ++i) {
      ASSERT_LT(skel::Length(points[place[i]] - part.points[i]), 1e-6f) << m << " " << i;
      const auto& [a, b, c, d] = neighbours[place[i]];
      const auto at = [&](int32_t p) { return points[static_cast<size_t>(p)]; };
      const Vec3 normal = skel::Cross(at(a) - at(c), at(b) - at(d));
      ASSERT_LE(skel::Length(skel::Cross(normal, part.normals[i])), 1e-4f * skel::Length(normal));
      if (part.uv.empty()) continue;
      std::array<float, 2> uv{};
      float n = 0;
      for (const uint32_t p : mean_of[i]) {
        if (p == character::kNoPoint) continue;
        uv[0] += woman->meshes[m].uv[p][0], uv[1] += woman->meshes[m].uv[p][1];
        ++n;
      }
      ASSERT_NEAR(uv[0] / n, part.uv[i][0], 1e-5f);
      ASSERT_NEAR(uv[1] / n, part.uv[i][1], 1e-5f);
    }
  }
  EXPECT_GT(refined, 5);
  EXPECT_TRUE(reader.ended());
}

TEST(SurfaceFiles, AreOnePerSetOfMeshesThatALookShows) {
  SurfaceFiles files(Woman(), -1, service::Logger());
  const auto usual = files.Of({}), dark = files.Of({{"skin", "dark"}}),
             other = files.Of({{"hair", "bob"}});
  ASSERT_TRUE(usual.ok() && dark.ok() && other.ok());
  EXPECT_EQ(&usual->bytes(), &dark->bytes());
  EXPECT_NE(usual->bytes(), other->bytes());
  const auto unknown = files.Of({{"hair", "green"}});
  EXPECT_TRUE(absl::IsInvalidArgument(unknown.status())) << unknown.status();
}

// Nodes and points are those of the GLB that the page gets, which is written from the character.
TEST(SurfaceFiles, NameTheNodesOfAConvertedFile) {
  const auto woman = Woman();
  std::string left_out;
  const auto bytes = WriteSurface(character::Deformer(woman), 100, left_out);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  SurfaceReader reader(*bytes);
  const std::string first = absl::StrCat("[100,", woman->meshes[0].points.size(), ",");
  EXPECT_THAT(reader.json(), HasSubstr(first));
  EXPECT_THAT(reader.json(), HasSubstr(",[101,"));
}

TEST(SurfaceFiles, LeaveOutWhatIsNoSurfaceAndSayWhy) {
  auto character = std::make_shared<character::Character>(*Woman());
  // Three faces at each edge of the first triangle.
  character::Mesh& mesh = character->meshes[0];
  const std::string name = mesh.name;
  for (int i = 0; i < 2; ++i) {
    mesh.triangles.insert(mesh.triangles.end(),
                          {mesh.triangles[0], mesh.triangles[1], mesh.triangles[2]});
  }
  std::string left_out;
  const auto bytes = WriteSurface(character::Deformer(character), -1, left_out);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_THAT(left_out, HasSubstr(name));
  SurfaceReader reader(*bytes);
  EXPECT_THAT(reader.json(), HasSubstr(name));
  EXPECT_THAT(reader.json(),
              HasSubstr(absl::StrCat("[", mesh.node, ",", mesh.points.size(), ",0,0]")));
}

}  // namespace
}  // namespace posewire::renderer_sink
