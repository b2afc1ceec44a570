#include "libs/formats/x3d/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/materials.h"
#include "libs/formats/x3d/polygon.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

// Limit on faces around a point. With more faces, the point is smooth at any angle.
constexpr size_t kMostAround = 64;

// Values on a surface, and how a corner selects one of them.
struct Values {
  size_t width = 3;
  std::vector<float> numbers;
  std::vector<int32_t> index;  // may be empty
  bool by_face = false;
  const X3dNode* node = nullptr;  // the node that has the numbers

  bool exists() const { return node != nullptr; }
};

class FaceReader {
 public:
  FaceReader(const Scene& scene, const X3dNode& node, bool textured,
             const character::Limits& limits, X3dNumbers& numbers, const X3dNode* skin_normals)
      : scene_(scene),
        node_(node),
        textured_(textured),
        limits_(limits),
        numbers_(numbers),
        skin_normals_(skin_normals),
        polygons_(node.type == "IndexedFaceSet") {}

  absl::StatusOr<X3dSurface> Read() {
    out_.solid = X3dFlag(node_, "solid", true);
    const X3dNode* const coord = X3dChild(scene_, node_, "coord");
    if (coord == nullptr || !absl::StartsWith(coord->type, "Coordinate")) return std::move(out_);
    absl::StatusOr<std::vector<Vec3>> points = numbers_.ReadPoints(*coord, "point");
    if (!points.ok()) return points.status();
    points_ = *std::move(points);
    out_.file_points = points_.size();
    if (points_.size() > limits_.points) return character::OverLimit("points", limits_.points);
    for (const auto step :
         {&FaceReader::ReadFaces, &FaceReader::CheckFaces, &FaceReader::ReadValues,
          &FaceReader::MakeNormals, &FaceReader::MakePoints}) {
      if (absl::Status s = (this->*step)(); !s.ok()) return s;
    }
    return std::move(out_);
  }

 private:
  struct Corner {
    uint32_t point;
    uint32_t entry;  // index in lists that run along coordIndex
  };

  void EndFace() {
    // Two corners are a line without a surface, but the face counts.
    starts_.push_back(corners_.size());
  }
  size_t faces() const { return starts_.size() - 1; }

  absl::Status ReadFaces() {
    starts_ = {0};
    const bool listed = absl::StartsWith(node_.type, "Indexed");
    std::vector<int32_t> list;
    if (listed) {
      const bool ends = !absl::EndsWith(node_.type, "TriangleSet") && node_.type[7] != 'Q';
      absl::StatusOr<std::vector<int32_t>> read =
          numbers_.ReadIndices(node_, polygons_ ? "coordIndex" : "index", ends ? -1 : 0);
      if (!read.ok()) return read.status();
      list = *std::move(read);
    } else {
      for (size_t i = 0; i < points_.size(); ++i) list.push_back(static_cast<int32_t>(i));
    }
    if (list.size() > 3 * limits_.triangles)
      return character::OverLimit("triangles", limits_.triangles);
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i] < static_cast<int32_t>(points_.size())) continue;
      return X3dFault(
          node_, absl::StrCat(polygons_ ? "coordIndex[" : "index[", i, "]"),
          absl::StrCat("is ", list[i], ", expected a point from 0 to ", points_.size(), " - 1"));
    }
    const absl::string_view type = node_.type;
    if (polygons_) {
      for (size_t i = 0; i < list.size(); ++i) {
        if (list[i] < 0) {
          EndFace();
        } else {
          corners_.push_back({static_cast<uint32_t>(list[i]), static_cast<uint32_t>(i)});
        }
      }
      if (!list.empty() && list.back() >= 0) EndFace();
      return absl::OkStatus();
    }
    if (absl::StrContains(type, "Strip")) return AddRuns(list, "stripCount", listed, false);
    if (absl::StrContains(type, "Fan")) return AddRuns(list, "fanCount", listed, true);
    const size_t each = absl::StrContains(type, "Quad") ? 4 : 3;
    for (size_t i = 0; i + each <= list.size(); i += each) {
      for (size_t k = 0; k < each; ++k) AddCorner(list[i + k]);
      EndFace();
    }
    return absl::OkStatus();
  }

  void AddCorner(int32_t point) {
    corners_.push_back({static_cast<uint32_t>(point), static_cast<uint32_t>(point)});
  }

  // Reads strips and fans. `count` has their lengths, unless they are `listed`: then each ends at
  // -1.
  absl::Status AddRuns(const std::vector<int32_t>& list, absl::string_view count, bool listed,
                       bool fan) {
    std::vector<int32_t> lengths;
    if (listed) {
      int32_t length = 0;
      for (const int32_t i : list) {
        if (i >= 0) {
          ++length;
        } else {
          lengths.push_back(std::exchange(length, 0));
        }
      }
      lengths.push_back(length);
    } else {
      absl::StatusOr<std::vector<int32_t>> read = numbers_.ReadIndices(node_, count, 3);
      if (!read.ok()) return read.status();
      lengths = *std::move(read);
    }
    size_t first = 0;
    for (size_t run = 0; run < lengths.size(); ++run) {
      const auto length = static_cast<size_t>(lengths[run]);
      if (length > list.size() - first) {
        return X3dFault(
            node_, absl::StrCat(count, "[", run, "]"),
            absl::StrCat("is ", length, ", and ", list.size() - first, " points are left"));
      }
      for (size_t k = 2; k < length; ++k) {
        const size_t a = fan ? first : first + k - 2, b = first + k - 1, c = first + k;
        const bool turned = !fan && k % 2 == 1;
        AddCorner(list[turned ? b : a]);
        AddCorner(list[turned ? a : b]);
        AddCorner(list[c]);
        EndFace();
      }
      first = std::min(first + length + (listed ? 1 : 0), list.size());
    }
    return absl::OkStatus();
  }

  absl::Status CheckFaces() {
    if (corners_.size() > 3 * limits_.triangles)
      return character::OverLimit("triangles", limits_.triangles);
    return numbers_.Take(corners_.size());
  }

  absl::Status ReadList(absl::string_view child, absl::string_view field, absl::string_view index,
                        absl::string_view by, Values& out) {
    const X3dNode* node = X3dChild(scene_, node_, child);
    if (node != nullptr && node->type == "MultiTextureCoordinate") {
      node = X3dChild(scene_, *node, "texCoord");
    }
    if (node == nullptr || node->Find(field) == nullptr) return absl::OkStatus();
    absl::StatusOr<std::vector<float>> numbers = numbers_.Read(*node, field);
    if (!numbers.ok()) return numbers.status();
    out.numbers = *std::move(numbers);
    out.node = node;
    out.by_face = !by.empty() && !X3dFlag(node_, by, true);
    if (out.numbers.size() % out.width != 0) {
      return X3dFault(
          *node, field,
          absl::StrCat("has ", out.numbers.size(), " numbers, expected ", out.width, " a value"));
    }
    if (!polygons_) return absl::OkStatus();
    absl::StatusOr<std::vector<int32_t>> list = numbers_.ReadIndices(node_, index, -1);
    if (!list.ok()) return list.status();
    out.index = *std::move(list);
    return absl::OkStatus();
  }

  absl::Status ReadValues() {
    uv_.width = 2;
    const X3dNode* const color = X3dChild(scene_, node_, "color");
    if (color != nullptr && color->type == "ColorRGBA") colors_.width = 4;
    absl::Status s = ReadList("normal", "vector", "normalIndex", "normalPerVertex", normals_);
    if (s.ok() && !normals_.exists()) s = ReadSkinNormals();
    if (s.ok()) s = ReadList("color", "color", "colorIndex", "colorPerVertex", colors_);
    if (s.ok()) s = ReadList("texCoord", "point", "texCoordIndex", "", uv_);
    return s;
  }

  absl::Status ReadSkinNormals() {
    if (skin_normals_ == nullptr || skin_normals_->Find("vector") == nullptr) {
      return absl::OkStatus();
    }
    absl::StatusOr<std::vector<float>> numbers = numbers_.Read(*skin_normals_, "vector");
    if (!numbers.ok()) return numbers.status();
    if (numbers->size() < 3 * points_.size()) return absl::OkStatus();
    normals_.numbers = *std::move(numbers);
    normals_.node = skin_normals_;
    return absl::OkStatus();
  }

  // Returns the value at a corner.
  absl::StatusOr<const float*> At(const Values& values, absl::string_view index, size_t face,
                                  const Corner& corner) const {
    size_t at = values.by_face ? face : corner.point;
    if (!values.index.empty()) {
      const size_t entry = values.by_face ? face : corner.entry;
      if (entry >= values.index.size() || values.index[entry] < 0) {
        return X3dFault(
            node_, index,
            absl::StrCat(entry < values.index.size() ? "is -1 at " : "ends before ", entry,
                         ", where there is a ", values.by_face ? "face" : "corner"));
      }
      at = static_cast<size_t>(values.index[entry]);
    }
    const size_t count = values.numbers.size() / values.width;
    if (at < count) return values.numbers.data() + at * values.width;
    return X3dFault(*values.node,
                    values.node->Find("vector")  ? "vector"
                    : values.node->Find("color") ? "color"
                                                 : "point",
                    absl::StrCat("has ", count, " values, and the ", node_.type, " of line ",
                                 node_.line, " asks for that of index ", at));
  }

  absl::Status MakeNormals() {
    corner_normals_.resize(corners_.size());
    if (normals_.exists()) {
      for (size_t f = 0; f < faces(); ++f) {
        for (size_t c = starts_[f]; c < starts_[f + 1]; ++c) {
          const absl::StatusOr<const float*> n = At(normals_, "normalIndex", f, corners_[c]);
          if (!n.ok()) return n.status();
          corner_normals_[c] = {(*n)[0], (*n)[1], (*n)[2]};
        }
      }
      return absl::OkStatus();
    }
    const absl::StatusOr<float> crease =
        polygons_ ? X3dNumber(node_, "creaseAngle", 0)
                  : absl::StatusOr<float>(
                        X3dFlag(node_, "normalPerVertex", true) ? std::numbers::pi_v<float> : 0);
    if (!crease.ok()) return crease.status();
    // The size of a face is its weight: a polygon's sum of cross products is twice its area.
    std::vector<Vec3> of_face(faces());
    const float way = X3dFlag(node_, "ccw", true) ? 1.0f : -1.0f;
    std::vector<Vec3> loop;
    for (size_t f = 0; f < faces(); ++f) {
      loop.clear();
      for (size_t c = starts_[f]; c < starts_[f + 1]; ++c)
        loop.push_back(points_[corners_[c].point]);
      of_face[f] = PolygonNormal(loop) * way;
    }
    if (*crease <= 0) {
      for (size_t f = 0; f < faces(); ++f) {
        for (size_t c = starts_[f]; c < starts_[f + 1]; ++c) corner_normals_[c] = of_face[f];
      }
      return absl::OkStatus();
    }
    SmoothUpTo(*crease, of_face);
    return absl::OkStatus();
  }

  void SmoothUpTo(float crease, const std::vector<Vec3>& of_face) {
    // The faces around each point, one list after another.
    std::vector<size_t> begin(points_.size() + 1);
    for (const Corner& corner : corners_) ++begin[corner.point + 1];
    for (size_t p = 0; p < points_.size(); ++p) begin[p + 1] += begin[p];
    std::vector<size_t> fill = begin;
    std::vector<uint32_t> around(corners_.size());
    std::vector<Vec3> sums(points_.size()), units(faces());
    for (size_t f = 0; f < faces(); ++f) {
      units[f] = skel::Length(of_face[f]) > 0 ? skel::Normalized(of_face[f]) : Vec3{};
      for (size_t c = starts_[f]; c < starts_[f + 1]; ++c) {
        around[fill[corners_[c].point]++] = static_cast<uint32_t>(f);
        sums[corners_[c].point] = sums[corners_[c].point] + of_face[f];
      }
    }
    const float least = std::cos(std::min(crease, std::numbers::pi_v<float>)) - 1e-5f;
    for (size_t f = 0; f < faces(); ++f) {
      for (size_t c = starts_[f]; c < starts_[f + 1]; ++c) {
        const uint32_t p = corners_[c].point;
        if (crease >= std::numbers::pi_v<float> || begin[p + 1] - begin[p] > kMostAround) {
          corner_normals_[c] = sums[p];
          continue;
        }
        Vec3 sum;
        for (size_t i = begin[p]; i < begin[p + 1]; ++i) {
          if (skel::Dot(units[f], units[around[i]]) >= least) sum = sum + of_face[around[i]];
        }
        corner_normals_[c] = sum;
      }
    }
  }

  // For a shape without coordinates: S is 0 to 1 along its longest side, and T has the same scale
  // along the second.
  void MakeUv(std::vector<std::array<float, 2>>& uv) const {
    Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
    for (const Corner& corner : corners_) {
      const Vec3 p = points_[corner.point];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const std::array<float, 3> size = {high.x - low.x, high.y - low.y, high.z - low.z};
    std::array<size_t, 3> axes = {0, 1, 2};
    std::stable_sort(axes.begin(), axes.end(),
                     [&](size_t a, size_t b) { return size[a] > size[b]; });
    const float scale = size[axes[0]] > 0 ? 1 / size[axes[0]] : 0;
    for (size_t c = 0; c < corners_.size(); ++c) {
      const Vec3 p = points_[corners_[c].point] - low;
      const std::array<float, 3> at = {p.x, p.y, p.z};
      uv[c] = {at[axes[0]] * scale, 1 - at[axes[1]] * scale};
    }
  }

  absl::Status MakePoints() {
    const bool has_uv = uv_.exists() || textured_;
    std::vector<std::array<float, 2>> uv(has_uv ? corners_.size() : 0);
    std::vector<std::array<uint8_t, 4>> colors(colors_.exists() ? corners_.size() : 0);
    for (size_t f = 0; f < faces(); ++f) {
      for (size_t c = starts_[f]; c < starts_[f + 1]; ++c) {
        if (uv_.exists()) {
          const absl::StatusOr<const float*> at = At(uv_, "texCoordIndex", f, corners_[c]);
          if (!at.ok()) return at.status();
          uv[c] = {(*at)[0], 1 - (*at)[1]};
        }
        if (colors_.exists()) {
          const absl::StatusOr<const float*> at = At(colors_, "colorIndex", f, corners_[c]);
          if (!at.ok()) return at.status();
          const auto byte = [](float v) {
            return static_cast<uint8_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255));
          };
          for (size_t k = 0; k < 3; ++k) colors[c][k] = byte(LinearOf((*at)[k]));
          colors[c][3] = colors_.width == 4 ? byte((*at)[3]) : 255;
        }
      }
    }
    if (has_uv && !uv_.exists()) MakeUv(uv);
    absl::flat_hash_map<
        std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t>
        known;
    std::vector<uint32_t> place(corners_.size());
    const auto bits = [](float v) {
      uint32_t out;
      std::memcpy(&out, &v, sizeof out);
      return out;
    };
    for (size_t c = 0; c < corners_.size(); ++c) {
      Vec3 n = corner_normals_[c];
      n = skel::Length(n) > 0 ? skel::Normalized(n) : Vec3{0, 1, 0};
      uint32_t color = 0;
      if (!colors.empty()) std::memcpy(&color, colors[c].data(), sizeof color);
      const auto [it, fresh] =
          known.try_emplace({corners_[c].point, bits(n.x), bits(n.y), bits(n.z),
                             has_uv ? bits(uv[c][0]) : 0, has_uv ? bits(uv[c][1]) : 0, color},
                            static_cast<uint32_t>(out_.points.size()));
      place[c] = it->second;
      if (!fresh) continue;
      out_.point_of.push_back(corners_[c].point);
      out_.points.push_back(points_[corners_[c].point]);
      out_.normals.push_back(n);
      if (has_uv) out_.uv.push_back(uv[c]);
      if (!colors.empty()) out_.colors.push_back(colors[c]);
    }
    AddTriangles(place);
    return absl::OkStatus();
  }

  void AddTriangles(const std::vector<uint32_t>& place) {
    const bool ccw = X3dFlag(node_, "ccw", true);
    const bool convex = X3dFlag(node_, "convex", true);
    std::vector<Vec3> loop;
    std::vector<std::array<uint32_t, 3>> triangles;
    for (size_t f = 0; f < faces(); ++f) {
      loop.clear();
      for (size_t c = starts_[f]; c < starts_[f + 1]; ++c)
        loop.push_back(points_[corners_[c].point]);
      triangles.clear();
      CutPolygon(loop, convex, numbers_.effort, triangles);
      for (const auto& [a, b, c] : triangles) {
        const size_t at = starts_[f];
        const uint32_t p = place[at + a], q = place[at + b], r = place[at + c];
        out_.triangles.insert(out_.triangles.end(), {p, ccw ? q : r, ccw ? r : q});
      }
    }
  }

  const Scene& scene_;
  const X3dNode& node_;
  const bool textured_;
  const character::Limits& limits_;
  X3dNumbers& numbers_;
  const X3dNode* const skin_normals_;
  const bool polygons_;
  std::vector<Vec3> points_;
  std::vector<Corner> corners_;
  std::vector<size_t> starts_;  // the first corner of each face, and the end
  Values normals_, colors_, uv_;
  std::vector<Vec3> corner_normals_;
  X3dSurface out_;
};

}  // namespace

bool HasX3dSurface(absl::string_view type) {
  for (const absl::string_view each :
       {"IndexedFaceSet", "IndexedTriangleSet", "IndexedTriangleStripSet", "IndexedTriangleFanSet",
        "IndexedQuadSet", "TriangleSet", "TriangleStripSet", "TriangleFanSet", "QuadSet", "Box",
        "Sphere", "Cylinder", "Cone"}) {
    if (type == each) return true;
  }
  return false;
}

absl::StatusOr<X3dSurface> ReadX3dSurface(const Scene& scene, const X3dNode& geometry,
                                          bool textured, const character::Limits& limits,
                                          X3dNumbers& numbers, const X3dNode* normals) {
  if (absl::EndsWith(geometry.type, "Set")) {
    return FaceReader(scene, geometry, textured, limits, numbers, normals).Read();
  }
  return ReadX3dSolid(geometry);
}

}  // namespace posewire::x3d
