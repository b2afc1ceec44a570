#include "tools/animclip/point_match.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posewire::animclip {
namespace {

using character::PointPart;

// A mesh of the simple rig, with its points as its file counts them.
struct Simple {
  std::string name;
  size_t points = 0, first = 0;
  const character::Mesh* mesh = nullptr;

  // The animation may be the character's own file, whose points are already split.
  bool Has(size_t other) const { return other == points || other == mesh->points.size(); }
};

std::string ListOf(const std::vector<std::pair<std::string, size_t>>& all) {
  return absl::StrJoin(all, ", ", [](std::string* out, const auto& one) {
    absl::StrAppend(out, "\"", one.first, "\" of ", one.second, " points");
  });
}

absl::Status Different(const Simple& simple, const PointPart& part) {
  return absl::InvalidArgumentError(absl::StrCat(
      "mesh \"", part.name, "\" has ", part.points, " points, expected ", simple.points,
      ", those of the character's mesh \"", simple.name,
      "\" in its order; export both from one mesh, without merging or splitting points"));
}

}  // namespace

absl::StatusOr<PointMatch> MatchPoints(const std::vector<PointPart>& parts,
                                       const character::PointSkin& skin,
                                       const character::Character& character) {
  std::vector<Simple> simples;
  std::vector<std::pair<std::string, size_t>> here, there;
  size_t all = 0;
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    const character::Mesh& mesh = character.meshes[skin.meshes()[k]];
    const size_t points = mesh.point_of.empty() ? mesh.points.size() : mesh.file_points;
    simples.push_back({mesh.name, points, skin.first()[k], &mesh});
    here.emplace_back(mesh.name, points);
    all += points;
  }
  std::map<std::string, std::vector<size_t>> by_name;
  std::vector<size_t> first(parts.size(), 0);
  for (size_t p = 0; p < parts.size(); ++p) {
    by_name[parts[p].name].push_back(p);
    there.emplace_back(parts[p].name, parts[p].points);
    if (p > 0) first[p] = first[p - 1] + parts[p - 1].points;
  }
  const bool named = std::any_of(simples.begin(), simples.end(), [&](const Simple& s) {
    return by_name.find(s.name) != by_name.end();
  });
  // The index of each mesh's first point; -1: the mesh has no twin.
  std::vector<int64_t> begins(simples.size(), -1);
  std::vector<bool> used(parts.size(), false), split(simples.size(), false);
  PointMatch out;
  const auto twins = [&](size_t s, size_t p) {
    begins[s] = static_cast<int64_t>(first[p]);
    used[p] = true;
    split[s] = simples[s].points != parts[p].points;
    return simples[s].Has(parts[p].points) ? absl::OkStatus() : Different(simples[s], parts[p]);
  };
  if (named) {
    std::map<std::string, size_t> seen;
    for (size_t s = 0; s < simples.size(); ++s) {
      const auto it = by_name.find(simples[s].name);
      if (it == by_name.end()) {
        out.notes.push_back(absl::StrCat("mesh \"", simples[s].name,
                                         "\" is not among the complex ones, and stays simple"));
        continue;
      }
      // A mesh with several materials becomes several of the character's meshes, which share its
      // points.
      const size_t nth = std::min(seen[it->first]++, it->second.size() - 1);
      if (absl::Status status = twins(s, it->second[nth]); !status.ok()) return status;
    }
  } else if (parts.size() == simples.size()) {
    for (size_t s = 0; s < simples.size(); ++s) {
      if (absl::Status status = twins(s, s); !status.ok()) return status;
    }
  } else if (parts.size() == 1 && parts[0].points == all) {
    used[0] = true;
    for (size_t s = 0, at = 0; s < simples.size(); ++s) {
      begins[s] = static_cast<int64_t>(at);
      at += simples[s].points;
    }
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    if (used[p]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "mesh \"", parts[p].name, "\" is none of the character's; it has ", ListOf(here),
        ", and the complex file ", ListOf(there), ": give meshes the same names"));
  }
  out.point_of.assign(skin.points(), -1);
  for (size_t s = 0; s < simples.size(); ++s) {
    if (begins[s] < 0) continue;
    const character::Mesh& mesh = *simples[s].mesh;
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      const size_t of = mesh.point_of.empty() || split[s] ? i : mesh.point_of[i];
      out.point_of[simples[s].first + i] = begins[s] + static_cast<int64_t>(of);
    }
  }
  return out;
}

}  // namespace posewire::animclip
