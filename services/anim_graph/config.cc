#include "services/anim_graph/config.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/clip/clip_blob.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/files/read.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/inline.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/prop_file/prop_folder.h"
#include "libs/retarget/joint_map.h"
#include "libs/service/address.h"
#include "libs/service/flags/flags.h"
#include "libs/service/redis/redis_publisher.h"
#include "libs/service/tls_flags.h"
#include "libs/skel/rig_parser.h"
#include "libs/timecode/frame_rate.h"
#include "services/anim_graph/builtin_clips.h"

namespace posewire::anim_graph {
namespace {

absl::Status CheckFps(absl::string_view text) { return timecode::ParseFrameRate(text).status(); }

// The two files of a source's skeleton; "" for none.
struct SkeletonFiles {
  std::string rest, map;
};

absl::Status ApplyKey(absl::string_view key, absl::string_view value, SourceSettings& s,
                      SkeletonFiles& files) {
  double number = 0;
  if (key == "mode" && (value == "stall" || value == "live")) {
    s.mode = value == "live" ? Mode::kLive : Mode::kStall;
  } else if (key == "policy" && (value == "queue" || value == "interrupt")) {
    s.policy = value == "interrupt" ? Policy::kInterrupt : Policy::kQueue;
  } else if (key == "translations" && (value == "root" || value == "all")) {
    s.all_translations = value == "all";
  } else if (key == "prebuffer-s" && absl::SimpleAtod(value, &number) && number >= 0) {
    s.prebuffer_s = number;
  } else if (key == "live-delay-s" && absl::SimpleAtod(value, &number) && number >= 0) {
    s.live_delay_s = number;
  } else if (key == "translation-scale" && absl::SimpleAtod(value, &number) && number > 0) {
    s.translation_scale = static_cast<float>(number);
  } else if (key == "rest" && !value.empty()) {
    files.rest = std::string(value);
  } else if (key == "map" && !value.empty()) {
    files.map = std::string(value);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", key, "=", value,
        "\" is none of mode=stall|live, policy=queue|interrupt, prebuffer-s=S, ",
        "live-delay-s=S, translation-scale=X, translations=root|all, rest=FILE, ", "map=FILE"));
  }
  return absl::OkStatus();
}

absl::Status ReadSkeleton(const SkeletonFiles& files, const skel::Rig& rig, SourceSettings& s) {
  if (files.rest.empty()) {
    return absl::InvalidArgumentError(
        "map says which joints are which bones, but not how they stand at rest: give a file with "
        "the source's skeleton too (rest=FILE)");
  }
  auto skeleton = clipio::ReadSkeleton(files.rest);
  if (!skeleton.ok()) return skeleton.status();
  s.skeleton = *std::move(skeleton);
  if (files.map.empty()) return absl::OkStatus();
  const auto map = retarget::JointMap::Read(files.map);
  if (!map.ok()) return map.status();
  auto named = map->NameBones(*s.skeleton, rig);
  if (!named.ok()) return named.status();
  s.skeleton = *std::move(named);
  return absl::OkStatus();
}

// Parses NAME:key=value,key=value on top of the common settings, for avatars of `rig`.
absl::StatusOr<std::pair<std::string, SourceSettings>> ParseSource(absl::string_view text,
                                                                   SourceSettings settings,
                                                                   const skel::Rig& rig) {
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(':', equals);
  SkeletonFiles files;
  if (colon == absl::string_view::npos || colon == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--source \"", text, "\" is not of the form NAME:key=value,..."));
  }
  for (absl::string_view part : absl::StrSplit(text.substr(colon + 1), ',')) {
    const std::pair<absl::string_view, absl::string_view> kv =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (absl::Status s = ApplyKey(kv.first, kv.second, settings, files); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--source: ", s.message()));
    }
  }
  if (!files.rest.empty() || !files.map.empty()) {
    if (absl::Status s = ReadSkeleton(files, rig, settings); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("--source ", text, ": ", s.message()));
    }
  }
  return std::pair(std::string(text.substr(0, colon)), settings);
}

// Returns the humanoid in an X3D file, with the face shapes of built-in rigs.
absl::StatusOr<std::shared_ptr<const skel::Rig>> X3dRig(const std::string& name,
                                                        absl::string_view bytes,
                                                        absl::string_view shapes,
                                                        const skel::RigCatalog& catalog,
                                                        std::vector<std::string>* notes) {
  const auto read = [&](const std::string& other) {
    return files::ReadNamed(name, other, clipio::kMostRigFile_bytes);
  };
  const auto scene = x3d::ReadSceneWithInlines(bytes, {}, read);
  if (!scene.ok()) return scene.status();
  const auto standard = catalog.Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  auto humanoid = x3d::ReadHumanoid(*scene, **standard);
  if (!humanoid.ok()) return humanoid.status();
  skel::RigParts parts = x3d::RigOf(*humanoid);
  auto names = skel::BuiltinShapes(shapes);
  if (!names.ok()) return names.status();
  parts.shapes = *std::move(names);
  *notes = std::move(humanoid->notes);
  return skel::Rig::Make(std::move(parts));
}

bool IsX3d(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".x3d") || absl::EndsWithIgnoreCase(path, ".x3dv") ||
         absl::EndsWithIgnoreCase(path, ".wrl");
}

// Returns a built-in rig, or one from a rig file or X3D file. Errors do not name the flag.
absl::StatusOr<std::shared_ptr<const skel::Rig>> FindRig(const std::string& name,
                                                         absl::string_view shapes,
                                                         const skel::RigCatalog& catalog,
                                                         std::vector<std::string>* notes) {
  auto found = catalog.Find(name);
  if (found.ok()) return found;
  const auto text = files::ReadWhole(name, clipio::kMostRigFile_bytes);
  if (absl::IsNotFound(text.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(found.status().message(), ", and there is no file of that name"));
  }
  if (!text.ok()) return text.status();
  auto rig = IsX3d(name) ? X3dRig(name, *text, shapes, catalog, notes) : skel::Rig::Parse(*text);
  if (!rig.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", rig.status().message()));
  }
  return rig;
}

// Returns a graph that plays pushed poses unchanged, on any rig.
absl::StatusOr<GraphAssetPtr> AssetOfPushed(std::shared_ptr<const skel::Rig> rig) {
  return graph::MakeBuiltinGraphAsset("passthrough", std::move(rig),
                                      std::make_shared<const clip::ClipLibrary>());
}

// Parses NAME:rig=NAME|FILE|header. The plan is null for "header".
absl::StatusOr<std::pair<std::string, GraphAssetPtr>> ParseTarget(absl::string_view text,
                                                                  absl::string_view shapes,
                                                                  const skel::RigCatalog& catalog,
                                                                  std::vector<std::string>* notes) {
  constexpr absl::string_view kKey = ":rig=";
  const size_t at = text.find(kKey);
  const std::string rig_name(at == text.npos ? "" : text.substr(at + kKey.size()));
  if (rig_name.empty() || at == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--target \"", text, "\" is not of the form NAME:rig=RIG; RIG is a built-in rig, a file ",
        "that has a skeleton (.rig, .x3d, .glb, .vrm, .usda, .bvh), or header: the joints that are "
        "pushed"));
  }
  std::pair<std::string, GraphAssetPtr> target(text.substr(0, at), nullptr);
  if (rig_name == "header") return target;
  // A rig file or a humanoid defines more than a rest pose.
  const bool whole = IsX3d(rig_name) || absl::EndsWithIgnoreCase(rig_name, ".rig");
  const bool other = clipio::HoldsSkeleton(rig_name) && !whole;
  auto rig = other ? clipio::ReadSkeleton(rig_name) : FindRig(rig_name, shapes, catalog, notes);
  if (!rig.ok()) {
    return absl::Status(rig.status().code(),
                        absl::StrCat("--target ", target.first, ": ", rig.status().message()));
  }
  auto asset = AssetOfPushed(*std::move(rig));
  if (!asset.ok()) return asset.status();
  target.second = *std::move(asset);
  return target;
}

// Returns the clips embedded in the program, or makes them if it has none for this rig.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> BuiltinClips(
    const Config& config, const skel::RigCatalog& catalog,
    const std::shared_ptr<const skel::Rig>& rig) {
  const double precision_mm = config.graph.clip_precision_mm;
  const absl::string_view blob = BuiltinClipsBlob(config.rig, config.shapes);
  if (!blob.empty() && precision_mm == kDefaultPrecision_mm) return clip::ReadBlob(blob, rig);
  return MakeBuiltinClips(catalog, rig, precision_mm);
}

absl::StatusOr<std::shared_ptr<const PropCatalog>> ReadProps(const std::string& folder,
                                                             const std::function<bool()>& stopped,
                                                             std::vector<std::string>& notes) {
  const auto props = prop_file::PropFolder::Open(folder);
  if (!props.ok()) {
    return absl::Status(props.status().code(), absl::StrCat("--props: ", props.status().message()));
  }
  auto out = std::make_shared<PropCatalog>();
  for (const std::string& name : (*props)->names()) {
    if (stopped && stopped()) return absl::CancelledError("the props were not read to their end");
    const auto model = (*props)->Read(name);
    if (!model.ok()) {
      notes.emplace_back(model.status().message());
      continue;
    }
    KnownProp& known = (*out)[name];
    known.size = model->size();
    for (const character::PropModelSite& site : model->sites) {
      known.sites.push_back({site.name, {site.position, site.rotation}});
    }
  }
  return out;
}

}  // namespace

service::ProgramInfo Config::About() {
  return {.name = "anim_graph",
          .summary =
              "Blends what sources push into one pose per avatar, and serves all "
              "who pull it (ACE's AnimationDataService).",
          .examples = {"anim_graph", "anim_graph --listen 127.0.0.1:0 --graph passthrough",
                       "anim_graph --graph my.graph.txtpb --clips clips/",
                       "anim_graph graph --help", "anim_graph --rig ace_biped --joint-names leaf",
                       "anim_graph --http 127.0.0.1:8020",
                       "anim_graph --source 'mocap:mode=live,translations=all'"}};
}

void Config::Declare(service::Flags& flags) {
  flags.Group("Avatars");
  flags.Add("graph", &graph.graph,
            "What makes the pose: default, passthrough (only the sources), or a graph file.",
            {.value_name = "NAME|FILE"});
  flags.Add("clips", &graph.clips_dir,
            "Folder of clips, gestures (*.gesture.txtpb) and arrangements, in addition to the "
            "built-in ones.",
            {.value_name = "DIR"});
  flags.Add("props", &props,
            "Folder of props (NAME.glb, or a picture), whose sizes and sites a prop of that shape "
            "has; read at the start.",
            {.value_name = "FOLDER"});
  flags.Add(
      "clip-precision-mm", &graph.clip_precision_mm,
      "Largest error of a compressed clip, at 3 cm from any joint; 0 keeps clips uncompressed.",
      {.value_name = "MM", .min = 0, .max = 100});
  flags.Add("rig", &rig, "Rig of the avatars: a built-in name, a rig file or an X3D file.",
            {.value_name = "NAME|FILE"});
  flags.Add("target", &targets,
            "Rig of one target_object_id that plays what is pushed, and nothing else: a prop, an "
            "animal; header: the joints of the first push to it.",
            {.value_name = "NAME:rig=NAME|FILE|header"});
  flags.Add("shapes", &shapes, "Blend shapes.", {.choices = {"arkit52", "arkit68"}});
  flags.Add("fps", &fps, "Frames a second: 25, 29.97, 30, any number or NUM/DEN.",
            {.check = CheckFps});
  flags.Add("audio-rate", &audio_rate_hz, "Samples a second of the voice that is sent.",
            {.min = 8000, .max = 192000});
  flags.Add("joint-names", &joint_names,
            "Joint names that are sent: paths, or their last elements.",
            {.choices = {"path", "leaf"}});
  flags.Add("shape-names", &shape_names,
            "First letter of the shape names that are sent: jawOpen, or JawOpen as ACE has it.",
            {.choices = {"lower", "upper"}});
  flags.Add("output-translations", &output_translations,
            "Joints whose translation moves when sent.", {.choices = {"all", "root"}});
  flags.Add("clamp-shapes", &clamp_shapes, "Send shape weights within 0..1.");
  flags.Add("require-registration", &require_registration,
            "Refuse streams that were not registered first.");
  flags.Add("seed", &seed, "Seed of the idle motion.");
  flags.Group("Sources");
  flags.Add("mode", &mode, "stall holds a late source, live shows the newest.",
            {.choices = {"stall", "live"}});
  flags.Add("policy", &policy, "What a new request of a source does to the one that plays.",
            {.choices = {"queue", "interrupt"}});
  flags.Add("prebuffer-s", &prebuffer_s, "Seconds held before a request starts.",
            {.min = 0, .max = 30});
  flags.Add("live-delay-s", &live_delay_s,
            "Delay in live mode, so that there is a next key to interpolate to.",
            {.min = 0, .max = 10});
  flags.Add("translation-scale", &translation_scale, "Metres in a source's unit of length.",
            {.min = 1e-6, .max = 1e6});
  flags.Add("translations", &translations, "Joints whose pushed translation is used.",
            {.choices = {"root", "all"}});
  flags.Add("source", &sources,
            "Settings of one source_service_id: NAME:mode=live,policy=interrupt",
            {.value_name = "NAME:KEY=VALUE,..."});
  flags.Add("a2f", &a2f,
            "Address of an a2f_source serve, which makes faces for the voices of PushAudioStream.",
            {.value_name = "HOST:PORT"});
  flags.Add("start-wait-s", &start_wait_s, "Seconds that a request waits for the first pull.",
            {.min = 0, .max = 60});
  flags.Add("silence-timeout-s", &silence_timeout_s,
            "Seconds after which a source that sends nothing is given up.",
            {.min = 0.1, .max = 3600});
  flags.Add("resume-s", &resume_s, "Seconds that a request waits for its lost source to come back.",
            {.min = 0, .max = 30});
  service::DeclareDialTls(flags, &dial_tls);
  service::DeclareDialToken(flags, &a2f_token_file, &dial_tls, &grpc.allow_plaintext, &a2f);
  flags.Group("Limits");
  flags.Add("max-streams", &max_streams, "Streams at once.", {.min = 1});
  flags.Add("max-avatars", &max_avatars, "Avatars at once.", {.min = 1});
  flags.Add("max-pushes", &limits.max_pushes, "Pushes at once.", {.min = 1});
  flags.Add("max-pulls", &limits.max_pulls, "Pulls at once.", {.min = 1});
  flags.Add("max-pulls-per-stream", &limits.max_stream_pulls, "Pulls of one stream at once.",
            {.min = 1});
  flags.Add("max-requests-per-avatar", &limits.max_avatar_requests,
            "Requests that play or wait on one avatar.", {.min = 1, .max = 64});
  flags.Add("max-watchers", &limits.max_watchers, "Calls that watch events at once.", {.min = 1});
  flags.Add("max-calls", &limits.max_calls, "Control calls at once, over HTTP and WebSocket.",
            {.min = 1});
  flags.Add("max-relayed", &limits.max_relayed,
            "Calls at once that are relayed to other anim_graphs.", {.min = 1});
  flags.Add("max-remembered", &limits.max_remembered, "Ended requests that are remembered.",
            {.min = 1});
  flags.Add("max-buffered-mib", &max_buffered_mib, "MiB buffered of all requests together.",
            {.min = 1, .max = 1 << 20});
  flags.Add("max-frames-mib", &max_frames_mib, "MiB of frames that pulls have not taken yet.",
            {.min = 8, .max = 1 << 20});
  flags.Add("pull-buffer-mib", &pull_buffer_mib, "MiB that may wait for one pull.",
            {.min = 1, .max = 1 << 20});
  flags.Add("buffer-s", &buffer_s, "Seconds buffered of a request.", {.min = 0.1, .max = 3600});
  flags.Add("buffer-mib", &buffer_mib, "MiB buffered of a request.", {.min = 1, .max = 1024});
  flags.Add("workers", &workers, "Threads that run avatars.", {.min = 1, .max = 256});
  const auto check_redis = [](absl::string_view text) {
    return text.empty() ? absl::OkStatus() : service::ParseRedisAddress(text).status();
  };
  flags.Group("Redis");
  flags.Add("redis", &redis,
            "Redis server that gets an event when a request ends (channel animation_graph_events).",
            {.value_name = "HOST:PORT", .secret = true, .check = check_redis});
  flags.Group("Several nodes");
  flags.Add("directory", &directory.redis,
            "Redis server that gives each stream to one of several nodes.",
            {.value_name = "redis://HOST:PORT", .secret = true, .check = check_redis});
  flags.Add("directory-address", &directory.address,
            "What other nodes and clients call this node, if not by --listen.",
            {.value_name = "HOST:PORT", .check = [](absl::string_view text) {
               return text.empty() ? absl::OkStatus() : service::ParseListenAddress(text).status();
             }});
  flags.Add("directory-lost", &directory.if_lost,
            "What streams do while --directory cannot be reached: continue, perhaps on two nodes, "
            "or pause.",
            {.choices = {"continue", "pause"}});
  flags.Group("Compatibility with ACE");
  flags.Add(
      "ace-compat", &ace_compat,
      "Other defaults: --http 127.0.0.1:8020 --rig ace_biped --joint-names leaf "
      "--shape-names upper --ignore-target-ids --ignore-pull-request-ids --faults-as-status.");
  flags.Add("ignore-target-ids", &ignore_target_ids,
            "A stream has one avatar, whatever target a push or pull names.");
  flags.Add("ignore-pull-request-ids", &ignore_pull_request_ids,
            "A pull is of the whole stream, whatever request it names.");
  flags.Add("faults-as-status", &faults_as_status,
            "Faults in pushed data are answered with Status ERROR, not with a gRPC error.");
  grpc.Declare(flags);
  http.Declare(flags);
  shell.Declare(flags);
}

client::ConnectionOptions Config::A2f() const {
  return {.address = a2f, .tls = dial_tls, .token_file = a2f_token_file};
}

CallParts Config::Calls(const service::Logger& log) const {
  CallParts calls;
  calls.header_timeout_s = silence_timeout_s;
  calls.limits.message_bytes = static_cast<size_t>(grpc.max_message_bytes);
  calls.ignore_targets = ignore_target_ids;
  calls.ignore_pull_requests = ignore_pull_request_ids;
  calls.faults_as_status = faults_as_status;
  calls.require_registration = require_registration;
  calls.log = log;
  return calls;
}

void Config::ApplyProfile(const service::Flags& flags) {
  http.SpeakAs(grpc);
  if (!ace_compat) return;
  for (const service::FlagValue& flag : flags.Effective()) {
    if (flag.origin != service::FlagOrigin::kDefault) continue;
    if (flag.name == "http") http.listen = "127.0.0.1:8020";
    if (flag.name == "rig") rig = "ace_biped";
    if (flag.name == "joint-names") joint_names = "leaf";
    if (flag.name == "shape-names") shape_names = "upper";
    if (flag.name == "ignore-target-ids") ignore_target_ids = true;
    if (flag.name == "ignore-pull-request-ids") ignore_pull_request_ids = true;
    if (flag.name == "faults-as-status") faults_as_status = true;
  }
}

void Made::LogNotes(const Config& config, const service::Logger& log) const {
  for (const std::string& note : rig_notes) log.Warning(note, {{"rig", config.rig}});
  for (const std::string& note : prop_notes) log.Warning("a prop is left out", {{"error", note}});
}

absl::StatusOr<Made> MakeParts(const Config& config, const std::function<bool()>& stopped) {
  auto settings = std::make_shared<EngineSettings>(config.limits);
  auto fps = timecode::ParseFrameRate(config.fps);
  if (!fps.ok()) return fps.status();
  settings->fps = *fps;
  settings->audio_rate_hz = config.audio_rate_hz;
  settings->joint_paths = config.joint_names == "path";
  settings->upper_shapes = config.shape_names == "upper";
  settings->root_translations_only = config.output_translations == "root";
  settings->clamp_shapes = config.clamp_shapes;
  settings->create_streams = !config.require_registration;
  settings->seed = static_cast<uint64_t>(config.seed);
  settings->max_streams = config.max_streams;
  settings->max_avatars = config.max_avatars;
  settings->max_buffered_bytes = int64_t{config.max_buffered_mib} << 20;
  settings->max_frame_bytes = int64_t{config.max_frames_mib} << 20;
  settings->pull_buffer_bytes = static_cast<size_t>(config.pull_buffer_mib) << 20;
  settings->buffer_s = config.buffer_s;
  settings->buffer_bytes = static_cast<size_t>(config.buffer_mib) << 20;
  settings->start_wait_s = config.start_wait_s;
  settings->silence_timeout_s = config.silence_timeout_s;
  settings->resume_s = config.resume_s;
  SourceSettings& source = settings->source;
  source.mode = config.mode == "live" ? Mode::kLive : Mode::kStall;
  source.policy = config.policy == "interrupt" ? Policy::kInterrupt : Policy::kQueue;
  source.prebuffer_s = config.prebuffer_s;
  source.live_delay_s = config.live_delay_s;
  source.translation_scale = static_cast<float>(config.translation_scale);
  source.all_translations = config.translations == "all";

  auto catalog = skel::RigCatalog::Builtin(config.shapes);
  if (!catalog.ok()) return catalog.status();
  auto shared_catalog = std::make_shared<skel::RigCatalog>(*std::move(catalog));
  Made made;
  auto rig = FindRig(config.rig, config.shapes, *shared_catalog, &made.rig_notes);
  if (!rig.ok()) {
    return absl::Status(rig.status().code(), absl::StrCat("--rig: ", rig.status().message()));
  }
  if (const auto known = shared_catalog->Find((*rig)->name()); !known.ok() || *known != *rig) {
    if (absl::Status s = shared_catalog->Add(*rig); !s.ok()) return s;
  }
  for (const std::string& text : config.sources) {
    auto parsed = ParseSource(text, source, **rig);
    if (!parsed.ok()) return parsed.status();
    settings->sources.insert(*std::move(parsed));
  }
  auto gestures = BuiltinClips(config, *shared_catalog, *rig);
  if (!gestures.ok()) return gestures.status();

  EngineParts& parts = made.parts;
  parts.settings = std::move(settings);
  parts.catalog = std::move(shared_catalog);
  auto graphs = GraphStore::Make(config.graph, *std::move(rig), parts.catalog, *gestures, stopped);
  if (!graphs.ok()) return graphs.status();
  made.graphs = *std::move(graphs);
  parts.asset = made.graphs->asset();
  parts.asset_of = AssetOfPushed;
  for (const std::string& text : config.targets) {
    auto target = ParseTarget(text, config.shapes, *parts.catalog, &made.rig_notes);
    if (!target.ok()) return target.status();
    parts.targets.insert(*std::move(target));
  }
  parts.capacity = std::make_shared<Capacity>(*parts.settings);
  if (!config.props.empty()) {
    auto props = ReadProps(config.props, stopped, made.prop_notes);
    if (!props.ok()) return props.status();
    parts.props = *std::move(props);
  }
  return made;
}

}  // namespace posewire::anim_graph
