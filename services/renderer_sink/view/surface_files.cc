#include "services/renderer_sink/view/surface_files.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/character/refined_surface.h"
#include "services/renderer_sink/view/json_text.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostKept = 8;

template <typename T>
void Append(std::string& out, absl::Span<const T> values) {
  const size_t at = out.size();
  out.resize(at + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(&out[at], values.data(), values.size() * sizeof(T));
}

// Quickly, for the first viewer who waits: more time would gain nothing.
std::string Deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, 0);
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_SPEED);
  out.resize(size);
  return out;
}

}  // namespace

absl::StatusOr<std::string> WriteSurface(const character::Deformer& deformer, int first_node,
                                         std::string& left_out) {
  const character::Character& c = deformer.character();
  const auto made = character::RefinedSurface::Make(deformer);
  if (!made.ok()) return made.status();
  const character::RefinedSurface& surface = **made;
  left_out = surface.left_out();

  std::vector<uint32_t> first;  // of each mesh's points, among those of all
  std::string meshes, arrays;
  uint32_t points = 0;
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    const character::Mesh& mesh = c.meshes[m];
    const size_t fine = surface.has(m) ? surface.part(m).place.size() : 0;
    const size_t corners = surface.has(m) ? surface.part(m).triangles.size() : 0;
    absl::StrAppend(&meshes, m > 0 ? ",[" : "[",
                    first_node < 0 ? mesh.node : first_node + static_cast<int>(m), ",",
                    mesh.points.size(), ",", fine, ",", corners, "]");
    first.push_back(points);
    points += static_cast<uint32_t>(mesh.points.size());
  }
  std::vector<uint32_t> cage;
  for (const character::SurfaceWeld::Source& s : surface.sources()) {
    cage.push_back(first[s.mesh] + s.point);
  }
  Append<uint32_t>(arrays, cage);
  const mesh::Subdivision* rule = surface.subdivision();
  if (rule != nullptr) {
    Append(arrays, rule->rule_begins());
    Append(arrays, rule->rule_points());
    Append(arrays, rule->rule_weights());
    Append(arrays, surface.neighbours());
  }
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    if (!surface.has(m)) continue;
    const character::RefinedSurface::Part& part = surface.part(m);
    Append<uint32_t>(arrays, part.place);
    Append<uint32_t>(arrays, part.triangles);
    Append<std::array<uint32_t, 4>>(arrays, part.mean_of);
  }
  std::string json =
      absl::StrCat("{\"cage\":", cage.size(), ",\"fine\":", surface.fine_points(),
                   ",\"weights\":", rule == nullptr ? 0 : rule->weights(),
                   ",\"left_out\":", service::QuoteText(left_out), ",\"meshes\":[", meshes, "]}");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto size = static_cast<uint32_t>(json.size());
  std::string out;
  out.reserve(sizeof(size) + json.size() + arrays.size());
  Append<uint32_t>(out, {&size, 1});
  absl::StrAppend(&out, json, arrays);
  return out;
}

absl::StatusOr<service::HttpBody> SurfaceFiles::Of(const std::map<std::string, std::string>& look) {
  character::Deformer deformer(character_);
  for (const auto& [part, choice] : look) {
    if (absl::Status s = deformer.Choose(part, choice); !s.ok()) return s;
  }
  std::vector<bool> shown;
  for (size_t m = 0; m < character_->meshes.size(); ++m) shown.push_back(deformer.shown(m));
  std::lock_guard lock(mutex_);
  for (const auto& [known, file] : kept_) {
    if (known == shown) return file;
  }
  std::string left_out;
  auto file = WriteSurface(deformer, first_node_, left_out);
  Report(file.ok() ? left_out : std::string(file.status().message()));
  if (!file.ok()) return file.status();
  if (kept_.size() == kMostKept) kept_.pop_front();
  return kept_.emplace_back(std::move(shown), Deflated(*file)).second;
}

void SurfaceFiles::Report(const std::string& why) {
  if (why.empty() || why == reported_) return;
  reported_ = why;
  log_.Warning("not all of the character is subdivided",
               {{"character", character_->name}, {"why", why}});
}

}  // namespace posewire::renderer_sink
