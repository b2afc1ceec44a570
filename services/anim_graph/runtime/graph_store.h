// The current graph with its clips and arrangements, from watched files and from API calls.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_STORE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_STORE_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/source_map.h"
#include "libs/skel/rig.h"
#include "posewire.control.v1.pb.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::anim_graph {

struct GraphStoreOptions {
  // "default", "passthrough" or a file.
  std::string graph = "default";
  // A folder of clips (*.animdata, *.jsonl and others), gestures (*.gesture.txtpb) and arrangements
  // (*.txtpb, *.json: AnimationGraph messages that contain only arrangements and clip_aliases). "":
  // none.
  std::string clips_dir;
  // Largest error of compressed clips, at a point 3 cm from any joint. 0: clips are not compressed.
  double clip_precision_mm = 0.1;

  clip::Precision precision() const { return {static_cast<float>(clip_precision_mm * 1e-3)}; }
};

// If a new version is invalid, the old one stays, and last_error reports why. Thread-safe.
class GraphStore {
 public:
  using Info = posewire::control::v1::ClipInfo;

  // Errors in the first version are returned. `builtin` are the clips that come with the program;
  // they are used as they are. All other clips are compressed when they are read or uploaded. Once
  // `stopped` returns true, file reading stops: Make returns CANCELLED, and Poll changes nothing.
  // `stopped` is called often, on the reading thread.
  static absl::StatusOr<std::unique_ptr<GraphStore>> Make(
      GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
      std::shared_ptr<const skel::RigCatalog> catalog,
      std::shared_ptr<const clip::ClipLibrary> builtin, std::function<bool()> stopped = {});

  std::shared_ptr<const graph::GraphAsset> asset() const;
  graph::v1::AnimationGraph graph() const;
  uint64_t revision() const;
  std::string last_error() const;
  // Returns assumptions made about clips of the folder since the last call, one sentence each.
  std::vector<std::string> TakeNotes();
  const std::string& source() const { return options_.graph; }

  // Called for each new version, and with a null plan for each change of files that was rejected.
  // Runs on the thread that made the change, without a lock.
  using Listener = std::function<void(std::shared_ptr<const graph::GraphAsset> asset,
                                      const absl::Status& status)>;
  void SetListener(Listener listener);

  // Checks the files. A change is read once the files were the same in two checks. If a graph file
  // is invalid, the old graph stays, and new clips are still used. Other changes do not wait while
  // files are read.
  void Poll();

  // `data` is a recording. INVALID_ARGUMENT if it is not a recording for this rig. ALREADY_EXISTS
  // for the name of a built-in clip or a file. RESOURCE_EXHAUSTED for more than 256 clips, or more
  // than half an hour of them. CANCELLED if `stopped` becomes true. May take seconds, during which
  // nothing else waits for it.
  absl::StatusOr<bool> PutClip(const std::string& name, const std::string& data,
                               const std::string& kind, bool loop,
                               const std::atomic<bool>* stopped = nullptr);
  absl::Status RemoveClip(const std::string& name);
  std::vector<Info> clips() const;
  absl::StatusOr<bool> PutArrangement(const graph::v1::Arrangement& arrangement);
  absl::Status RemoveArrangement(const std::string& name);

 private:
  struct Stamp {
    int64_t time = 0;
    uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::string, Stamp>;
  using Clips = std::map<std::string, std::shared_ptr<const clip::Clip>>;
  using Arrangements = std::map<std::string, graph::v1::Arrangement>;
  // A graph as written, with the place of each part in its file.
  struct GraphFile {
    graph::v1::AnimationGraph graph;
    graph::SourceMap places;
  };
  // Everything that a version is made from.
  struct Sources {
    GraphFile graph;
    Clips files;
    std::map<std::string, std::vector<std::shared_ptr<const clip::Clip>>> gesture_files;  // by path
    std::map<std::string, GraphFile> arrangement_files;                                   // by path
    Clips put;
    Arrangements put_arrangements;
  };
  struct Version {
    Sources sources;
    graph::v1::AnimationGraph graph;  // with all arrangements
    std::shared_ptr<const graph::GraphAsset> asset;
  };

  GraphStore(GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
             std::shared_ptr<const skel::RigCatalog> catalog,
             std::shared_ptr<const clip::ClipLibrary> builtin, std::function<bool()> stopped);

  Stamps Look() const;
  bool IsGraph(const std::string& path) const;
  // Reads the graph into `sources`. On error, keeps the current one.
  absl::Status ReadGraph(Sources& sources) const;
  // Reads the folder into `sources`. Invalid files keep their old version, and their errors are
  // returned. CANCELLED if stopped; then `sources` is incomplete.
  absl::Status ReadFolder(const Stamps& stamps, const Stamps& before, Sources& sources) const;
  // Returns whether files other than the graph's differ.
  bool FolderChanged(const Stamps& a, const Stamps& b) const;
  absl::StatusOr<Version> Build(Sources sources) const;
  // Uses `sources` as the new version if they are valid. This and the next two require
  // change_mutex_.
  absl::Status Change(Sources sources);
  // Changes only the parts of `read` that come from files.
  absl::Status ChangeFiles(const Sources& read);
  void NoteFiles(const absl::Status& files);
  Sources sources() const;

  const GraphStoreOptions options_;
  const std::shared_ptr<const skel::Rig> rig_;
  const std::shared_ptr<const skel::RigCatalog> catalog_;
  const std::shared_ptr<const clip::ClipLibrary> builtin_;
  const std::function<bool()> stopped_;

  std::mutex files_mutex_;  // one reader of files at a time; lock before change_mutex_
  // State of the files at the last check, at the last attempt, and for `version_`.
  Stamps seen_, taken_, built_;  // guarded by files_mutex_
  std::mutex change_mutex_;      // one change at a time; never held while reading files or
                                 // compressing
  Listener listener_;            // guarded by change_mutex_

  mutable std::mutex mutex_;
  mutable std::vector<std::string> notes_;  // guarded by mutex_
  Version version_;                         // guarded by mutex_
  uint64_t revision_ = 1;                   // guarded by mutex_
  std::string last_error_;                  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_STORE_H_
