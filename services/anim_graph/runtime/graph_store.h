// The graph that runs, with its clips and arrangements: from files, which are watched, and from
// what was put over the API.
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
#include "libs/graph/composite.h"
#include "libs/graph_loader/source_map.h"
#include "libs/skel/rig.h"
#include "posewire.control.v1.pb.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::anim_graph {

struct GraphStoreOptions {
  // "default", "passthrough" or a file.
  std::string graph = "default";
  // A folder of clips (*.animdata, *.jsonl and others), gestures (*.gesture.txtpb) and arrangements
  // (*.txtpb, *.json: AnimationGraph messages with nothing but arrangements and clip_aliases); "":
  // none.
  std::string clips_dir;
  // How far compressed clips may be off, at a point 3 cm off any joint; 0: clips as they are.
  double clip_precision_mm = 0.1;

  clip::Precision precision() const { return {static_cast<float>(clip_precision_mm * 1e-3)}; }
};

// Thread-safe. A version that is wrong changes nothing: the old one goes on, and last_error says
// why.
class GraphStore {
 public:
  using Info = posewire::control::v1::ClipInfo;

  // Errors of the first version are errors of the start. `builtin` are the clips that come with the
  // program; they are played as they are. All others are compressed when they are read or put. Once
  // `stopped` says true, files are read no further: Make and Reload are CANCELLED, and Poll changes
  // nothing. It is asked often, on the thread that reads.
  static absl::StatusOr<std::unique_ptr<GraphStore>> Make(
      GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
      std::shared_ptr<const skel::RigCatalog> catalog,
      std::shared_ptr<const clip::ClipLibrary> builtin, std::function<bool()> stopped = {});

  std::shared_ptr<const graph::GraphPlan> plan() const;
  graph::v1::AnimationGraph graph() const;
  uint64_t revision() const;
  std::string last_error() const;
  // What was assumed of clips of the folder that were read since the last call, a sentence each.
  std::vector<std::string> TakeNotes();
  const std::string& source() const { return options_.graph; }

  // Told of each new version, and of each change of files that was refused (with a null plan). On
  // the thread that brought it about, without a lock.
  using Listener =
      std::function<void(std::shared_ptr<const graph::GraphPlan> plan, const absl::Status& status)>;
  void SetListener(Listener listener);

  // Looks at the files; a change is taken up when they have been the same for two looks. A graph
  // file that is wrong leaves the old graph, with what is new of the clips. Reading holds up nobody
  // who changes something else meanwhile.
  void Poll();

  // `data` holds a recording. INVALID_ARGUMENT when it is none for this rig; ALREADY_EXISTS for the
  // name of a clip that is built in or a file; RESOURCE_EXHAUSTED for more than 256 clips, or half
  // an hour of them; CANCELLED when `stopped` is set meanwhile. May take seconds, in which it holds
  // up nobody.
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
  // As written, and where.
  struct GraphFile {
    graph::v1::AnimationGraph graph;
    graph::SourceMap places;
  };
  // All that a version is made of.
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
    std::shared_ptr<const graph::GraphPlan> plan;
  };

  GraphStore(GraphStoreOptions options, std::shared_ptr<const skel::Rig> rig,
             std::shared_ptr<const skel::RigCatalog> catalog,
             std::shared_ptr<const clip::ClipLibrary> builtin, std::function<bool()> stopped);

  Stamps Look() const;
  bool IsGraph(const std::string& path) const;
  // Reads the graph into `sources`; an error leaves the one that is there.
  absl::Status ReadGraph(Sources& sources) const;
  // Reads the folder into `sources`. What is wrong with single files keeps their old version and is
  // returned. CANCELLED when it was stopped, and then the sources are not whole.
  absl::Status ReadFolder(const Stamps& stamps, const Stamps& before, Sources& sources) const;
  // Whether files other than the graph's differ.
  bool FolderChanged(const Stamps& a, const Stamps& b) const;
  absl::StatusOr<Version> Build(Sources sources) const;
  // Takes `sources` up, if they are right. With change_mutex_ held, as the next two.
  absl::Status Change(Sources sources);
  // Of `read`, what comes from files.
  absl::Status ChangeFiles(const Sources& read);
  void NoteFiles(const absl::Status& files);
  Sources sources() const;

  const GraphStoreOptions options_;
  const std::shared_ptr<const skel::Rig> rig_;
  const std::shared_ptr<const skel::RigCatalog> catalog_;
  const std::shared_ptr<const clip::ClipLibrary> builtin_;
  const std::function<bool()> stopped_;

  std::mutex files_mutex_;  // one reader of files at a time; comes before change_mutex_
  // What was looked at last, what was tried last, and what `version_` is made from.
  Stamps seen_, taken_, built_;  // guarded by files_mutex_
  std::mutex change_mutex_;      // one change at a time; none waits for files or compression
  Listener listener_;            // guarded by change_mutex_

  mutable std::mutex mutex_;
  mutable std::vector<std::string> notes_;  // guarded by mutex_
  Version version_;                         // guarded by mutex_
  uint64_t revision_ = 1;                   // guarded by mutex_
  std::string last_error_;                  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_STORE_H_
