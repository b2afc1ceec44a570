#include "libs/formats/usd/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/character/smooth_normals.h"

namespace posewire::usd {
namespace {

using skel::Vec3;

constexpr int kUsdSides = 32, kCapRings = 16;

// A list of values on a surface, and how a corner selects one of them.
struct Primvar {
  enum class By { kAll, kFace, kPoint, kCorner };

  By by = By::kAll;
  size_t width = 1;
  std::vector<double> values;
  std::vector<double> indices;

  bool exists() const { return !values.empty(); }
  bool differs_at_a_point() const { return exists() && (by == By::kFace || by == By::kCorner); }
  // Returns null if the file has too few values.
  const double* At(size_t face, size_t point, size_t corner) const {
    size_t i = by == By::kAll ? 0 : by == By::kFace ? face : by == By::kPoint ? point : corner;
    if (!indices.empty()) {
      const bool there =
          i < indices.size() && indices[i] >= 0 && indices[i] < static_cast<double>(values.size());
      if (!there) return nullptr;
      i = static_cast<size_t>(indices[i]);
    }
    return i < values.size() / width ? values.data() + i * width : nullptr;
  }
};

Primvar ReadPrimvar(const Stage& stage, int prim, absl::string_view name, size_t width,
                    Primvar::By by) {
  Primvar out;
  out.width = width;
  out.by = by;
  out.values = stage.Numbers(prim, name);
  out.indices = stage.Numbers(prim, absl::StrCat(name, ":indices"));
  const Value* const said = stage.Metadata(prim, name, "interpolation");
  const std::string text = said == nullptr || said->texts.empty() ? "" : said->texts[0];
  if (text == "constant") out.by = Primvar::By::kAll;
  if (text == "uniform") out.by = Primvar::By::kFace;
  if (text == "vertex" || text == "varying") out.by = Primvar::By::kPoint;
  if (text == "faceVarying") out.by = Primvar::By::kCorner;
  return out;
}

uint8_t ByteOf(double color) {
  return static_cast<uint8_t>(std::lround(std::clamp(color, 0.0, 1.0) * 255));
}

// Finds the first texture coordinates by type, because their name varies.
std::string UvName(const Stage& stage, int prim) {
  for (const Property& p : stage.prim(prim).properties) {
    const bool uv = absl::StartsWith(p.type, "texCoord2") || p.name == "primvars:st";
    if (uv && absl::StartsWith(p.name, "primvars:") && stage.Has(prim, p.name)) return p.name;
  }
  return "primvars:st";
}

class MeshReader {
 public:
  MeshReader(const Stage& stage, int prim) : stage_(stage), prim_(prim) {}

  absl::StatusOr<Surface> Read() {
    const std::vector<double> points = stage_.Numbers(prim_, "points");
    counts_ = stage_.Numbers(prim_, "faceVertexCounts");
    indices_ = stage_.Numbers(prim_, "faceVertexIndices");
    out_.file_points = points.size() / 3;
    if (absl::Status s = Check(); !s.ok()) return s;
    normals_ = ReadPrimvar(stage_, prim_, "primvars:normals", 3, Primvar::By::kAll);
    if (!normals_.exists()) {
      normals_ = ReadPrimvar(stage_, prim_, "normals", 3, Primvar::By::kPoint);
    }
    colors_ = ReadPrimvar(stage_, prim_, "primvars:displayColor", 3, Primvar::By::kAll);
    uv_ = ReadPrimvar(stage_, prim_, UvName(stage_, prim_), 2, Primvar::By::kAll);
    const bool flat = !normals_.exists() && stage_.Text(prim_, "subdivisionScheme") == "none";
    by_corner_ = flat || normals_.differs_at_a_point() || colors_.differs_at_a_point() ||
                 uv_.differs_at_a_point();
    AddPoints(points);
    AddTriangles();
    if (!normals_.exists()) {
      const std::vector<uint32_t> twins =
          flat ? std::vector<uint32_t>() : character::TwinsOf(out_.points, {});
      if (flat) {
        AddFlatNormals();
      } else {
        out_.normals = character::SmoothNormals(out_.points, out_.triangles, twins);
      }
    }
    return std::move(out_);
  }

 private:
  absl::Status Check() const {
    size_t corners = 0;
    for (size_t f = 0; f < counts_.size(); ++f) {
      if (!(counts_[f] >= 0) || counts_[f] != std::floor(counts_[f])) {
        return AtPrim(stage_, prim_, absl::StrCat("faceVertexCounts[", f, "] is ", counts_[f]));
      }
      if (counts_[f] > static_cast<double>(indices_.size() - corners)) {
        corners = indices_.size() + 1;
        break;
      }
      corners += static_cast<size_t>(counts_[f]);
    }
    if (corners != indices_.size()) {
      return AtPrim(stage_, prim_,
                    absl::StrCat("faceVertexIndices has ", indices_.size(),
                                 " entries, and faceVertexCounts asks for another number"));
    }
    for (size_t c = 0; c < indices_.size(); ++c) {
      if (indices_[c] >= 0 && indices_[c] < static_cast<double>(out_.file_points)) continue;
      return AtPrim(stage_, prim_,
                    absl::StrCat("faceVertexIndices[", c, "] is ", indices_[c], ", expected 0 to ",
                                 out_.file_points, " - 1"));
    }
    return absl::OkStatus();
  }

  void AddPoint(const std::vector<double>& points, size_t face, size_t point, size_t corner) {
    out_.point_of.push_back(static_cast<uint32_t>(point));
    const auto vec = [](const double* v) {
      return Vec3{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
    };
    out_.points.push_back(vec(points.data() + 3 * point));
    if (normals_.exists()) {
      const double* const n = normals_.At(face, point, corner);
      out_.normals.push_back(n == nullptr ? Vec3{0, 1, 0} : skel::Normalized(vec(n)));
    }
    if (colors_.exists() && colors_.by != Primvar::By::kAll) {
      const double* const c = colors_.At(face, point, corner);
      out_.colors.push_back(
          c == nullptr ? std::array<uint8_t, 4>{255, 255, 255, 255}
                       : std::array<uint8_t, 4>{ByteOf(c[0]), ByteOf(c[1]), ByteOf(c[2]), 255});
    }
    if (uv_.exists()) {
      const double* const st = uv_.At(face, point, corner);
      out_.uv.push_back(st == nullptr ? std::array<float, 2>{0, 0}
                                      : std::array<float, 2>{static_cast<float>(st[0]),
                                                             static_cast<float>(1 - st[1])});
    }
  }

  void AddPoints(const std::vector<double>& points) {
    if (!by_corner_) {
      for (size_t p = 0; p < out_.file_points; ++p) AddPoint(points, 0, p, 0);
      return;
    }
    size_t corner = 0;
    for (size_t f = 0; f < counts_.size(); ++f) {
      for (double k = 0; k < counts_[f]; ++k, ++corner) {
        AddPoint(points, f, static_cast<size_t>(indices_[corner]), corner);
      }
    }
  }

  void AddTriangles() {
    const bool left = stage_.Text(prim_, "orientation") == "leftHanded";
    size_t first = 0;
    for (size_t f = 0; f < counts_.size(); ++f) {
      const auto count = static_cast<size_t>(counts_[f]);
      for (size_t k = 2; k < count; ++k) {
        const auto at = [&](size_t corner) {
          return by_corner_ ? static_cast<uint32_t>(corner)
                            : static_cast<uint32_t>(indices_[corner]);
        };
        const uint32_t a = at(first), b = at(first + k - 1), c = at(first + k);
        out_.triangles.insert(out_.triangles.end(), {a, left ? c : b, left ? b : c});
        out_.face_of.push_back(static_cast<uint32_t>(f));
      }
      first += count;
    }
  }

  void AddFlatNormals() {
    out_.normals.assign(out_.points.size(), {0, 0, 0});
    for (size_t t = 0; t + 3 <= out_.triangles.size(); t += 3) {
      const uint32_t* const v = out_.triangles.data() + t;
      const Vec3 a = out_.points[v[0]];
      const Vec3 n = skel::Cross(out_.points[v[1]] - a, out_.points[v[2]] - a);
      // Only triangles of the same face share corners, and they follow one another.
      for (size_t k = 0; k < 3; ++k) out_.normals[v[k]] = out_.normals[v[k]] + n;
    }
    for (Vec3& n : out_.normals) n = skel::Length(n) > 0 ? skel::Normalized(n) : Vec3{0, 1, 0};
  }

  const Stage& stage_;
  const int prim_;
  std::vector<double> counts_, indices_;
  Primvar normals_, colors_, uv_;
  bool by_corner_ = false;
  Surface out_;
};

// Rings of a surface of revolution, from low to high: radius, height and normal.
struct Ring {
  float radius, height, out, up;
};

Surface Revolved(const std::vector<Ring>& rings, char axis) {
  Surface s;
  const auto place = [axis](float x, float y, float h) {
    return axis == 'X' ? Vec3{h, x, y} : axis == 'Y' ? Vec3{y, h, x} : Vec3{x, y, h};
  };
  for (const Ring& ring : rings) {
    for (int side = 0; side < kUsdSides; ++side) {
      const float turn = 2 * std::numbers::pi_v<float> * static_cast<float>(side) / kUsdSides;
      const float x = std::cos(turn), y = std::sin(turn);
      s.points.push_back(place(x * ring.radius, y * ring.radius, ring.height));
      s.normals.push_back(skel::Normalized(place(x * ring.out, y * ring.out, ring.up)));
    }
  }
  for (size_t r = 0; r + 1 < rings.size(); ++r) {
    for (int side = 0; side < kUsdSides; ++side) {
      const auto at = [&](size_t ring, int k) {
        return static_cast<uint32_t>(ring * kUsdSides + static_cast<size_t>(k % kUsdSides));
      };
      const uint32_t a = at(r, side), b = at(r, side + 1), c = at(r + 1, side + 1),
                     d = at(r + 1, side);
      s.triangles.insert(s.triangles.end(), {a, b, c, a, c, d});
    }
  }
  return s;
}

void AddCap(float radius, float height, float way, std::vector<Ring>& rings) {
  for (int i = 0; i <= kCapRings; ++i) {
    const float angle = std::numbers::pi_v<float> / 2 * static_cast<float>(i) / kCapRings;
    const float c = std::cos(angle), s = std::sin(angle);
    const Ring ring{radius * c, height + way * radius * s, c, way * s};
    rings.insert(way > 0 ? rings.end() : rings.begin(), ring);
  }
}

Surface Cube(float size) {
  Surface s;
  const float h = size / 2;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float way : {-1.0f, 1.0f}) {
      const auto first = static_cast<uint32_t>(s.points.size());
      const auto place = [axis](float n, float u, float v) {
        return axis == 0 ? Vec3{n, u, v} : axis == 1 ? Vec3{v, n, u} : Vec3{u, v, n};
      };
      for (const auto& [u, v] : {std::pair(-h, -h), {h, -h}, {h, h}, {-h, h}}) {
        s.points.push_back(place(way * h, way * u, v));
        s.normals.push_back(place(way, 0, 0));
      }
      s.triangles.insert(s.triangles.end(),
                         {first, first + 1, first + 2, first, first + 2, first + 3});
    }
  }
  return s;
}

Surface Solid(const Stage& stage, int prim) {
  const std::string& type = stage.prim(prim).type;
  const auto number = [&](const char* name, float otherwise) {
    const std::vector<double> value = stage.Numbers(prim, name);
    return value.empty() ? otherwise : static_cast<float>(value[0]);
  };
  if (type == "Cube") return Cube(number("size", 2));
  const std::string axis = stage.Text(prim, "axis");
  std::vector<Ring> rings;
  if (type == "Sphere") {
    const float radius = number("radius", 1);
    AddCap(radius, 0, -1, rings);
    AddCap(radius, 0, 1, rings);
  } else if (type == "Capsule") {
    const float radius = number("radius", 0.5f), half = number("height", 1) / 2;
    AddCap(radius, -half, -1, rings);
    AddCap(radius, half, 1, rings);
  } else {
    const float radius = number("radius", 1), half = number("height", 2) / 2;
    const bool cone = type == "Cone";
    const float top = cone ? 0 : radius, slope = cone ? radius : 0, side = cone ? 2 * half : 1;
    rings = {{0, -half, 0, -1},
             {radius, -half, 0, -1},
             {radius, -half, side, slope},
             {top, half, side, slope}};
    if (!cone) rings.insert(rings.end(), {{radius, half, 0, 1}, {0, half, 0, 1}});
  }
  return Revolved(rings, axis.empty() ? 'Z' : axis[0]);
}

}  // namespace

bool IsShown(const Stage& stage, int prim) {
  const int purpose = stage.Inherited(prim, "purpose");
  if (purpose >= 0) {
    const std::string word = stage.Text(purpose, "purpose");
    if (word == "proxy" || word == "guide") return false;
  }
  for (int i = prim; i >= 0; i = stage.nodes()[static_cast<size_t>(i)].parent) {
    if (stage.Text(i, "visibility") == "invisible") return false;
  }
  return true;
}

bool HasSurface(absl::string_view type) {
  for (const absl::string_view each : {"Mesh", "Cube", "Sphere", "Capsule", "Cylinder", "Cone"}) {
    if (type == each) return true;
  }
  return false;
}

absl::StatusOr<Surface> ReadSurface(const Stage& stage, int prim) {
  if (stage.prim(prim).type == "Mesh") return MeshReader(stage, prim).Read();
  Surface out = Solid(stage, prim);
  out.file_points = out.points.size();
  for (size_t i = 0; i < out.points.size(); ++i) out.point_of.push_back(static_cast<uint32_t>(i));
  out.face_of.resize(out.triangles.size() / 3);
  return out;
}

}  // namespace posewire::usd
