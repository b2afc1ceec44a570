#include "tests/bench/film/film_measures.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/film_deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/refined_surface.h"
#include "libs/character_file/read_character.h"
#include "libs/offsets/offsets_file.h"

namespace posewire {
namespace {

using skel::Vec3;
using Clock = std::chrono::steady_clock;

constexpr size_t kFrames = 60;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Microseconds of one call, the least of several rounds.
double Time(const std::function<void()>& call) {
  double least = 1e9;
  for (int round = 0; round < 5; ++round) {
    int calls = 0;
    const auto start = Clock::now();
    while (Since(start) < 0.1) {
      call();
      ++calls;
    }
    least = std::min(least, Since(start) / calls * 1e6);
  }
  return least;
}

skel::Pose PoseAt(const skel::Rig& rig, size_t frame) {
  skel::Pose pose(rig.joints(), rig.shapes());
  pose.span().CopyFrom(rig.rest());
  const auto phase = static_cast<float>(frame) / kFrames * 6.2831853f;
  for (const char* joint : {"l_elbow", "r_elbow", "l_hip", "r_knee", "l_shoulder"}) {
    const int j = rig.FindJoint(joint);
    pose.span().SetRotation(
        j, skel::Mul(skel::FromAxisAngle({-1, 0, 0}, 0.8f - 0.8f * std::cos(phase)),
                     pose.view().rotation(j)));
  }
  pose.span().SetWeight(rig.FindShape("jawOpen"), 0.3f + 0.3f * std::sin(phase));
  return pose;
}

struct Film {
  std::shared_ptr<const character::Character> woman;
  std::vector<skel::Pose> poses;
  std::vector<Vec3> offsets;
  size_t points = 0;
};

absl::StatusOr<Film> Bake() {
  const auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  auto woman = character_file::OpenCharacter("woman", *rigs);
  if (!woman.ok()) return woman.status();
  auto film = character::FilmDeformer::Make(*woman);
  if (!film.ok()) return film.status();
  Film out{*woman, {}, {}, (*film)->skin().points()};
  std::vector<Vec3> complex(out.points), simple(out.points);
  std::vector<skel::Affine> s(out.points);
  out.offsets.resize(out.points * kFrames);
  for (size_t f = 0; f < kFrames; ++f) {
    out.poses.push_back(PoseAt(*out.woman->rig, f));
    size_t singular = 0;
    if (auto w = (*film)->Pose(out.poses[f].view(), 1 / 30.0, absl::MakeSpan(complex)); !w.ok())
      return w;
    if (auto w = (*film)->Transforms(absl::MakeSpan(s), &singular); !w.ok()) return w;
    const auto to = absl::MakeSpan(out.offsets).subspan(f * out.points, out.points);
    (*film)->skin().Gather((*film)->deformer(), absl::MakeSpan(simple), {});
    if (auto w = mesh::OffsetsJob{s, simple, complex, to}.Run(); !w.ok()) return w;
    for (Vec3& o : to) {
      if (skel::Length(o) < 1e-6f) o = {};
    }
  }
  return out;
}

// Pictures a second that `threads` make of so many characters, all told.
double Together(const Film& film, const offsets::OffsetsFile& file, int characters, int threads,
                double seconds) {
  std::atomic<int64_t> made{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      struct Shown {
        character::Deformer deformer;
        std::unique_ptr<character::OffsetPoints> points;
        std::unique_ptr<offsets::Chunk> chunk;
        std::vector<Vec3> offsets;
      };
      std::vector<std::unique_ptr<Shown>> shown;
      for (int c = t; c < characters; c += threads) {
        shown.push_back(std::make_unique<Shown>(
            Shown{character::Deformer(film.woman), nullptr, *file.Open(0), {}}));
        shown.back()->points = *character::OffsetPoints::Make(shown.back()->deformer);
        shown.back()->offsets.resize(film.points);
      }
      const auto began = Clock::now();
      for (size_t frame = 0; Since(began) < seconds; ++frame) {
        for (size_t c = 0; c < shown.size(); ++c) {
          Shown& one = *shown[c];
          const size_t f = (frame + 7 * c) % kFrames;
          one.chunk->Frame(f, absl::MakeSpan(one.offsets));
          const mesh::WeighedOffsets clip{one.offsets, 1};
          if (!one.deformer.Pose(film.poses[f].view()).ok()) std::abort();
          if (!one.points->Pose(one.deformer, {&clip, 1}).ok()) std::abort();
          ++made;
        }
      }
    });
  }
  for (std::thread& one : all) one.join();
  return static_cast<double>(made) / seconds / characters;
}

}  // namespace

int RunFilm(int characters, int threads, double seconds) {
  auto film = Bake();
  if (!film.ok()) {
    std::fprintf(stderr, "posewire_film: %s\n", film.status().ToString().c_str());
    return 1;
  }
  const offsets::OffsetsHeader header{.points = static_cast<uint32_t>(film->points),
                                      .frames = kFrames};
  std::printf(
      "%zu points, %zu frames\n\n| step | us a character | ns a point |\n| --- | --- | --- |\n",
      film->points, kFrames);
  const auto row = [&](const std::string& name, double us, size_t points) {
    std::printf("| %s | %.0f | %.1f |\n", name.c_str(), us, us * 1e3 / static_cast<double>(points));
    std::fflush(stdout);
  };
  std::vector<Vec3> out(film->points);
  size_t frame = 0;
  std::unique_ptr<offsets::OffsetsFile> spline;
  for (const offsets::MethodEntry& method : offsets::Methods()) {
    offsets::OffsetsHeader of = header;
    of.method = method.method;
    auto bytes = offsets::WriteOffsets(of, {}, film->offsets);
    if (!bytes.ok()) return 1;
    auto file = offsets::OffsetsFile::Parse(*std::move(bytes));
    const auto chunk = file->Open(0);
    row(absl::StrCat("decode `", std::string(method.name), "`"),
        Time([&] { (*chunk)->Frame(frame++ % kFrames, absl::MakeSpan(out)); }), film->points);
    if (method.method == offsets::Method::kSpline) {
      spline = std::make_unique<offsets::OffsetsFile>(*std::move(file));
    }
  }
  character::Deformer deformer(film->woman);
  auto points = *character::OffsetPoints::Make(deformer);
  row("shapes and skin, as without offsets",
      Time([&] { (void)deformer.Pose(film->poses[frame++ % kFrames].view()); }), film->points);
  const mesh::WeighedOffsets clip{absl::MakeConstSpan(film->offsets).subspan(0, film->points), 1};
  row("p + o S, and normals", Time([&] {
        (void)points->Pose(deformer, {&clip, 1});
      }),
      film->points);
  // Simple points, offsets, S and neighbours come in; points and normals go out.
  const size_t moved = film->points * (12 + 12 + 48 + 16 + 12 + 12 + 12);
  std::vector<char> from(moved, 1), to(moved);
  row("a copy of as many bytes", Time([&] { std::memcpy(to.data(), from.data(), moved); }),
      film->points);
  const auto fine = character::RefinedSurface::Make(deformer);
  if (fine.ok()) {
    row(absl::StrCat("refined to ", (*fine)->fine_points(), " points, with normals"),
        Time([&] { (void)(*fine)->Pose([&](size_t mesh) { return points->points(mesh); }); }),
        (*fine)->fine_points());
  } else {
    std::printf("not refined: %s\n", fine.status().ToString().c_str());
  }
  std::printf("\n%d characters on %d threads, splines: %.1f pictures a second of each\n",
              characters, threads, Together(*film, *spline, characters, threads, seconds));
  return 0;
}

}  // namespace posewire
