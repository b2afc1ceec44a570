#include "services/anim_graph/runtime/graph_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/gesture_loader/choreography.h"
#include "libs/graph_loader/carry_clips.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/names/known_names.h"
#include "libs/skel/mask.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/text_check.h"

namespace posewire::anim_graph {
namespace {

namespace fs = std::filesystem;

// Uploaded clips, and arrangements, held at once.
constexpr size_t kMostPut = 256;
constexpr size_t kMostArrangementBytes = 1 << 20;
// In total; a single clip is at most 10 minutes. A few bytes can describe many frames.
constexpr double kMostPut_s = 1800;

bool IsGestures(const fs::path& path) {
  return absl::EndsWith(path.filename().string(), gesture::kGestureFileEnding);
}
bool IsArrangements(const fs::path& path) {
  return (path.extension() == ".txtpb" && !IsGestures(path)) || path.extension() == ".json";
}
// A clip in any supported format.
bool IsClip(const fs::path& path) {
  return !IsArrangements(path) && !IsGestures(path) && clipio::FormatOf(path.string()).ok();
}

// Gestures are written for the standard rig, and retargeted to `rig`.
absl::StatusOr<std::vector<std::shared_ptr<const clip::Clip>>> ReadGestures(
    const std::string& path, const std::shared_ptr<const skel::Rig>& rig,
    const skel::RigCatalog& catalog) {
  const auto standard = catalog.Find("hanim_loa3");
  if (!standard.ok()) return standard.status();
  auto clips = gesture::ReadGestures(path, *standard);
  if (!clips.ok() || rig == *standard) return clips;
  return graph::CarryClips(std::make_shared<clip::ClipLibrary>(*std::move(clips)), rig)->clips();
}

absl::StatusOr<clip::ClipKind> KindNamed(const std::string& name) {
  for (const clip::ClipKind kind : {clip::ClipKind::kGesture, clip::ClipKind::kFacialGesture,
                                    clip::ClipKind::kPosture, clip::ClipKind::kLayer}) {
    if (name == clip::NameOf(kind)) return kind;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "kind \"", absl::CHexEscape(name), "\"; known are gesture, facial_gesture, posture, layer"));
}

// A clip of the face alone is a facial gesture.
clip::ClipKind GuessKind(const clip::Clip& clip) {
  if (clip.loops()) return clip::ClipKind::kPosture;
  const auto face = skel::Mask::Region(*clip.rig(), "head");
  if (!face.ok() || clip.frames() == 0) return clip::ClipKind::kGesture;
  const skel::PoseView first = clip.frame(0);
  bool shapes = false, body = false;
  for (int s = 0; s < first.shapes; ++s) shapes = shapes || first.has_w[s];
  for (int j = 0; j < first.joints; ++j) {
    body =
        body || (first.has_r[j] && face->joint(j) == 0) || (first.has_t[j] && face->joint(j) == 0);
  }
  return shapes && !body ? clip::ClipKind::kFacialGesture : clip::ClipKind::kGesture;
}

std::shared_ptr<const clip::Clip> WithKind(const clip::Clip& clip, clip::ClipKind kind) {
  std::vector<skel::Pose> frames;
  for (int i = 0; i < clip.frames(); ++i) {
    frames.emplace_back(clip.rig()->joints(), clip.rig()->shapes());
    clip.CopyFrame(i, frames.back().span());
  }
  auto made = std::make_shared<clip::Clip>(clip.name(), clip.rig(), clip.rate(), std::move(frames),
                                           clip.loops(), kind);
  if (clip.camera_at()) made->set_camera_at(*clip.camera_at());
  return made;
}

// Clips longer than this are not measured for best compression, so that an upload does not take
// seconds to save a little memory.
constexpr double kMostMeasured_s = 60;

std::shared_ptr<const clip::Clip> Compressed(std::shared_ptr<const clip::Clip> clip,
                                             const GraphStoreOptions& options,
                                             clip::StopCheck stopped) {
  clip::Precision precision = options.precision();
  precision.quick = clip->duration_s() > kMostMeasured_s;
  return clip::CompressedOrAsIs(std::move(clip), precision, stopped);
}

absl::Status TooManyPut(absl::string_view what) {
  return absl::ResourceExhaustedError(
      absl::StrCat(kMostPut, " ", what, " were put, which is the limit; remove one"));
}

}  // namespace

GraphStore::GraphStore(GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
                       std::shared_ptr<const skel::RigCatalog> catalog,
                       std::shared_ptr<const clip::ClipLibrary> builtin,
                       std::function<bool()> stopped)
    : options_(std::move(options)),
      rig_(std::move(rig)),
      catalog_(std::move(catalog)),
      builtin_(std::move(builtin)),
      stopped_(std::move(stopped)) {}

absl::StatusOr<std::unique_ptr<GraphStore>> GraphStore::Make(
    GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
    std::shared_ptr<const skel::RigCatalog> catalog,
    std::shared_ptr<const clip::ClipLibrary> builtin, std::function<bool()> stopped) {
  std::unique_ptr<GraphStore> store(new GraphStore(std::move(options), std::move(rig),
                                                   std::move(catalog), std::move(builtin),
                                                   stopped ? std::move(stopped) : clip::NeverStop));
  std::error_code error;
  const std::string& dir = store->options_.clips_dir;
  if (!dir.empty() && !fs::is_directory(dir, error)) {
    return absl::InvalidArgumentError(absl::StrCat("--clips ", dir, ": not a folder"));
  }
  store->built_ = store->taken_ = store->seen_ = store->Look();
  Sources sources;
  if (absl::Status s = store->ReadGraph(sources); !s.ok()) return s;
  if (absl::Status s = store->ReadFolder(store->taken_, {}, sources); !s.ok()) return s;
  auto version = store->Build(std::move(sources));
  if (!version.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--graph ", store->options_.graph, ":\n", version.status().message()));
  }
  store->version_ = *std::move(version);
  return store;
}

GraphStore::Stamps GraphStore::Look() const {
  Stamps stamps;
  const auto look = [&](const fs::path& path) {
    std::error_code error, gone;
    const auto time = fs::last_write_time(path, gone);
    // A pipe or device counts as existing, so that reading it fails with a reason.
    const uintmax_t size = fs::is_other(path, error) ? 0 : fs::file_size(path, error);
    if (!error && !gone) stamps[path.string()] = {time.time_since_epoch().count(), size};
  };
  if (options_.graph != "default" && options_.graph != "passthrough") look(options_.graph);
  std::error_code error;
  if (!options_.clips_dir.empty()) {
    fs::directory_iterator at(options_.clips_dir, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
      const fs::path& file = at->path();
      if (IsClip(file) || IsArrangements(file) || IsGestures(file)) look(file);
    }
  }
  return stamps;
}

bool GraphStore::IsGraph(const std::string& path) const {
  std::error_code ignored;
  return path == options_.graph || fs::equivalent(path, options_.graph, ignored);
}

bool GraphStore::FolderChanged(const Stamps& a, const Stamps& b) const {
  const auto folder = [this](Stamps stamps) {
    std::erase_if(stamps, [this](const auto& file) { return IsGraph(file.first); });
    return stamps;
  };
  return folder(a) != folder(b);
}

absl::Status GraphStore::ReadGraph(Sources& sources) const {
  absl::StatusOr<graph::v1::AnimationGraph> graph;
  graph::SourceMap places;
  if (options_.graph == "default" || options_.graph == "passthrough") {
    auto text = graph::BuiltinGraphText(options_.graph);
    if (!text.ok()) return text.status();
    graph = graph::ParseGraph(*text);
  } else {
    graph = graph::ReadGraph(options_.graph, &places);
  }
  if (graph.ok()) sources.graph = {*std::move(graph), std::move(places)};
  return graph.status();
}

absl::Status GraphStore::ReadFolder(const Stamps& stamps, const Stamps& before,
                                    Sources& sources) const {
  std::vector<std::string> errors;
  const Clips old = std::exchange(sources.files, {});
  const auto written = std::exchange(sources.arrangement_files, {});
  const auto gestures = std::exchange(sources.gesture_files, {});
  for (const auto& [path, stamp] : stamps) {
    if (stopped_()) break;
    const fs::path file(path);
    if (IsGraph(path)) continue;
    if (IsGestures(file)) {
      const auto kept = gestures.find(path);
      const auto known = before.find(path);
      if (kept != gestures.end() && known != before.end() && known->second == stamp) {
        sources.gesture_files.insert(*kept);
        continue;
      }
      auto made = ReadGestures(path, rig_, *catalog_);
      if (made.ok()) {
        for (auto& clip : *made) clip = Compressed(std::move(clip), options_, stopped_);
        sources.gesture_files[path] = *std::move(made);
      } else {
        errors.push_back(std::string(made.status().message()));
        if (kept != gestures.end()) sources.gesture_files.insert(*kept);
      }
      continue;
    }
    if (IsArrangements(file)) {
      graph::SourceMap places;
      auto more = graph::ReadGraph(path, &places);
      if (more.ok()) {
        sources.arrangement_files[path] = {*std::move(more), std::move(places)};
      } else {
        errors.push_back(std::string(more.status().message()));
        const auto kept = written.find(path);
        if (kept != written.end()) sources.arrangement_files.insert(*kept);
      }
      continue;
    }
    const std::string whole = file.filename().string();
    const std::string name = whole.substr(0, clipio::StemLength(whole));
    if (absl::Status s = wire::CheckId("the name of the clip", name); !s.ok()) {
      errors.push_back(absl::StrCat(absl::CHexEscape(path), ": ", s.message()));
      continue;
    }
    const auto kept = old.find(name);
    const auto known = before.find(path);
    if (kept != old.end() && known != before.end() && known->second == stamp) {
      sources.files.insert(*kept);
      continue;
    }
    clipio::LoadOptions load;
    load.stopped = stopped_;
    load.warn = [this, &path = path](const std::string& warning) {
      std::lock_guard lock(mutex_);
      notes_.push_back(absl::StrCat(path, ": ", warning));
    };
    auto clip = clipio::LoadClip(path, rig_, *catalog_, load);
    if (clip.ok()) {
      sources.files[name] = Compressed(WithKind(**clip, GuessKind(**clip)), options_, stopped_);
    } else {
      errors.push_back(absl::StrCat(path, ": ", clip.status().message()));
      if (kept != old.end()) sources.files.insert(*kept);
    }
  }
  if (stopped_()) return absl::CancelledError("the files were not read to their end");
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

absl::StatusOr<GraphStore::Version> GraphStore::Build(Sources sources) const {
  // Files override built-in clips; uploaded clips override files.
  Clips clips;
  if (builtin_ != nullptr) {
    for (const auto& clip : builtin_->clips()) clips[clip->name()] = clip;
  }
  for (const auto& [path, made] : sources.gesture_files) {
    for (const auto& clip : made) clips[clip->name()] = clip;
  }
  for (const auto& [name, clip] : sources.files) clips[name] = clip;
  for (const auto& [name, clip] : sources.put) clips[name] = clip;
  std::vector<std::shared_ptr<const clip::Clip>> list;
  for (auto& [name, clip] : clips) list.push_back(clip);
  Version version;
  version.graph = sources.graph.graph;
  graph::SourceMap places = sources.graph.places;
  Arrangements arrangements;
  for (const auto& a : version.graph.arrangements()) arrangements[a.name()] = a;
  for (const auto& [path, file] : sources.arrangement_files) {
    if (file.graph.nodes_size() + file.graph.variables_size() + file.graph.events_size() > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path,
                       ": it has nodes, variables or events, but a file of --clips may have only "
                       "arrangements and clip_aliases; move the others to the graph"));
    }
    for (const auto& a : file.graph.arrangements()) arrangements[a.name()] = a;
    places.Add(file.places);
  }
  for (const auto& [name, a] : sources.put_arrangements) arrangements[name] = a;
  // A name that occurs twice in the graph itself is a separate error, and stays.
  if (arrangements.size() >= static_cast<size_t>(version.graph.arrangements_size())) {
    version.graph.clear_arrangements();
    for (const auto& [name, a] : arrangements) *version.graph.add_arrangements() = a;
  }
  for (const auto& [path, file] : sources.arrangement_files) {
    version.graph.mutable_clip_aliases()->MergeFrom(file.graph.clip_aliases());
  }
  auto asset = graph::MakeGraphAsset(
      version.graph, rig_, std::make_shared<const clip::ClipLibrary>(std::move(list)), places);
  if (!asset.ok()) return asset.status();
  version.asset = *std::move(asset);
  version.sources = std::move(sources);
  return version;
}

absl::Status GraphStore::Change(Sources sources) {
  auto version = Build(std::move(sources));
  if (!version.ok()) return version.status();
  std::shared_ptr<const graph::GraphAsset> asset = version->asset;
  {
    std::lock_guard lock(mutex_);
    version_ = *std::move(version);
    ++revision_;
  }
  if (listener_) listener_(std::move(asset), absl::OkStatus());
  return absl::OkStatus();
}

// Reports the result of reading files, good or bad.
void GraphStore::NoteFiles(const absl::Status& files) {
  // Names and contents of files may be any bytes, but reports must be text.
  const absl::Status status = wire::IsUtf8(files.message())
                                  ? files
                                  : absl::Status(files.code(), absl::CHexEscape(files.message()));
  {
    std::lock_guard lock(mutex_);
    last_error_ = std::string(status.message());
  }
  if (!status.ok() && listener_) listener_(nullptr, status);
}

absl::Status GraphStore::ChangeFiles(const Sources& read) {
  Sources next = sources();
  next.graph = read.graph;
  next.files = read.files;
  next.gesture_files = read.gesture_files;
  next.arrangement_files = read.arrangement_files;
  return Change(std::move(next));
}

void GraphStore::Poll() {
  std::lock_guard files_lock(files_mutex_);
  Stamps now = Look();
  const bool steady = now == seen_;
  seen_ = now;
  if (!steady || now == taken_) return;
  Sources next = sources();
  std::vector<absl::Status> said = {ReadGraph(next), ReadFolder(now, built_, next)};
  if (absl::IsCancelled(said.back())) return;
  const bool folder_changed = FolderChanged(now, built_);
  taken_ = now;
  std::lock_guard lock(change_mutex_);
  bool taken = false;
  if (said.front().ok()) {
    said.push_back(ChangeFiles(next));
    taken = said.back().ok();
  }
  if (!taken && folder_changed) {
    next.graph = sources().graph;
    said.push_back(ChangeFiles(next));
    taken = said.back().ok();
  }
  if (taken) built_ = std::move(now);
  // The new graph and the old one may have the same error.
  std::vector<std::string> errors;
  for (const absl::Status& status : said) {
    const std::string text(status.message());
    if (!status.ok() && std::find(errors.begin(), errors.end(), text) == errors.end()) {
      errors.push_back(text);
    }
  }
  NoteFiles(errors.empty() ? absl::OkStatus()
                           : absl::InvalidArgumentError(absl::StrJoin(errors, "\n")));
}

absl::StatusOr<bool> GraphStore::PutClip(const std::string& name, const std::string& data,
                                         const std::string& kind, bool loop,
                                         const std::atomic<bool>* stopped) {
  const auto stop = [stopped] { return stopped != nullptr && *stopped; };
  const absl::Status was_stopped = absl::CancelledError("the clip was not read to its end");
  if (absl::Status s = wire::CheckId("name", name); !s.ok()) return s;
  auto reader = clipio::OpenClip(std::make_unique<files::MemorySource>("data", data),
                                 {{}, clipio::FormatOfBytes(data)});
  if (!reader.ok()) return reader.status();
  clipio::LoadOptions load;
  load.name = name;
  load.loops = loop;
  load.stopped = stop;
  auto clip = clipio::LoadClip(*std::move(reader), rig_, *catalog_, load);
  if (!clip.ok()) return clip.status();
  auto wanted = kind.empty() ? absl::StatusOr<clip::ClipKind>(GuessKind(**clip)) : KindNamed(kind);
  if (!wanted.ok()) return wanted.status();
  if (stop()) return was_stopped;
  std::shared_ptr<const clip::Clip> compressed =
      Compressed(WithKind(**clip, *wanted), options_, stop);
  if (stop()) return was_stopped;
  std::lock_guard lock(change_mutex_);
  Sources next = sources();
  const bool known =
      (builtin_ != nullptr && builtin_->Find(name) != nullptr) || next.files.contains(name);
  if (known) {
    return absl::AlreadyExistsError(absl::StrCat("clip \"", absl::CHexEscape(name),
                                                 "\" is built in or a file; choose another name"));
  }
  const bool replaced = next.put.contains(name);
  if (!replaced && next.put.size() >= kMostPut) return TooManyPut("clips");
  next.put[name] = std::move(compressed);
  double together_s = 0;
  for (const auto& [put, held] : next.put) together_s += held->duration_s();
  if (together_s > kMostPut_s) {
    return absl::ResourceExhaustedError(
        absl::StrCat("with this clip of ", (*clip)->duration_s(), " s, ", together_s,
                     " s of clips would be put; at most ", kMostPut_s, " s may be; remove one"));
  }
  if (absl::Status s = Change(std::move(next)); !s.ok()) return s;
  return replaced;
}

absl::Status GraphStore::RemoveClip(const std::string& name) {
  std::lock_guard lock(change_mutex_);
  Sources next = sources();
  if (next.put.erase(name) == 0) {
    std::vector<std::string> known;
    for (const auto& [put, clip] : next.put) known.push_back(put);
    return absl::NotFoundError(
        absl::StrCat("no clip \"", absl::CHexEscape(name), "\" was put", KnownNames(name, known)));
  }
  return Change(std::move(next));
}

absl::StatusOr<bool> GraphStore::PutArrangement(const graph::v1::Arrangement& arrangement) {
  if (absl::Status s = wire::CheckId("arrangement.name", arrangement.name()); !s.ok()) return s;
  std::lock_guard lock(change_mutex_);
  Sources next = sources();
  const bool replaced = next.put_arrangements.contains(arrangement.name());
  if (!replaced && next.put_arrangements.size() >= kMostPut) return TooManyPut("arrangements");
  next.put_arrangements[arrangement.name()] = arrangement;
  size_t bytes = 0;
  for (const auto& [name, put] : next.put_arrangements) bytes += put.ByteSizeLong();
  if (bytes > kMostArrangementBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "with it, the arrangements that were put would be ", bytes,
        " bytes long together; at most ", kMostArrangementBytes, " may be; remove one"));
  }
  if (absl::Status s = Change(std::move(next)); !s.ok()) return s;
  return replaced;
}

absl::Status GraphStore::RemoveArrangement(const std::string& name) {
  std::lock_guard lock(change_mutex_);
  Sources next = sources();
  if (next.put_arrangements.erase(name) == 0) {
    return absl::NotFoundError(
        absl::StrCat("no arrangement \"", absl::CHexEscape(name), "\" was put"));
  }
  return Change(std::move(next));
}

std::vector<GraphStore::Info> GraphStore::clips() const {
  const auto now = asset();
  const Sources known = sources();
  std::set<std::string> files;
  for (const auto& [name, clip] : known.files) files.insert(name);
  for (const auto& [path, made] : known.gesture_files) {
    for (const auto& clip : made) files.insert(clip->name());
  }
  std::vector<Info> out;
  for (const auto& clip : now->clips()->clips()) {
    Info info;
    info.set_name(clip->name());
    info.set_duration_s(clip->duration_s());
    info.set_kind(clip::NameOf(clip->kind()));
    info.set_loop(clip->loops());
    info.set_origin(known.put.contains(clip->name()) ? "put"
                    : files.contains(clip->name())   ? "file"
                                                     : "built-in");
    if (clip->frames() > 0) {
      const skel::PoseView first = clip->frame(0);
      info.set_joints(
          static_cast<uint32_t>(std::count(first.has_r, first.has_r + first.joints, 1)));
      info.set_shapes(
          static_cast<uint32_t>(std::count(first.has_w, first.has_w + first.shapes, 1)));
    }
    out.push_back(std::move(info));
  }
  return out;
}

std::shared_ptr<const graph::GraphAsset> GraphStore::asset() const {
  std::lock_guard lock(mutex_);
  return version_.asset;
}
graph::v1::AnimationGraph GraphStore::graph() const {
  std::lock_guard lock(mutex_);
  return version_.graph;
}
uint64_t GraphStore::revision() const {
  std::lock_guard lock(mutex_);
  return revision_;
}
std::string GraphStore::last_error() const {
  std::lock_guard lock(mutex_);
  return last_error_;
}
GraphStore::Sources GraphStore::sources() const {
  std::lock_guard lock(mutex_);
  return version_.sources;
}
std::vector<std::string> GraphStore::TakeNotes() {
  std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

void GraphStore::SetListener(Listener listener) {
  std::lock_guard lock(change_mutex_);
  listener_ = std::move(listener);
}

}  // namespace posewire::anim_graph
