#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "libs/asset/scene.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/open.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/body.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_time.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"
#include "tools/animclip/rig_choice.h"

namespace posewire::animclip {
namespace {

void Row(const Console& c, absl::string_view name, absl::string_view value) {
  c.out.Print("  %-16s %s\n", name, value);
}

std::string Shown(const std::string& id) { return id.empty() ? "(none)" : id; }

std::string EpochText(double epoch_s) {
  if (epoch_s <= 0) return "(none)";
  const absl::Time t = absl::UnixEpoch() + absl::Seconds(epoch_s);
  return absl::StrFormat("%.6f (%s)", epoch_s,
                         absl::FormatTime("%Y-%m-%d %H:%M:%E3S UTC", t, absl::UTCTimeZone()));
}

std::string Ends(const std::vector<std::string>& names) {
  const auto leaf = [](const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  };
  return names.size() == 1 ? leaf(names[0])
                           : absl::StrCat(leaf(names.front()), " ... ", leaf(names.back()));
}

void PrintHeader(const ClipFacts& facts, const Console& c) {
  const wire::StreamHeader& h = facts.header;
  c.out << "header\n";
  Row(c, "request id", Shown(h.ids.request_id));
  Row(c, "stream id", Shown(h.ids.stream_id));
  Row(c, "target id", Shown(h.ids.target_object_id));
  Row(c, "source", Shown(h.source_service_id));
  Row(c, "epoch", EpochText(h.epoch_s));
  const std::string rig = facts.own_skeleton != nullptr ? "a skeleton of its own" : GuessRig(h);
  Row(c, "joints",
      h.joints.empty() ? "0"
                       : absl::StrCat(h.joints.size(), " (", Ends(h.joints), ")",
                                      rig.empty() ? "" : " of ", rig));
  Row(c, "shapes",
      h.shapes.empty() ? "0" : absl::StrCat(h.shapes.size(), " (", Ends(h.shapes), ")"));
}

// Of a scene. Its faults are those of the clip, which has been read.
void PrintCharacters(const std::string& file, const clipio::OpenOptions& read, const Console& c) {
  if (IsReadOnce(file)) return;
  const absl::StatusOr<asset::Scene> scene = clipio::OpenScene(file, read);
  if (!scene.ok() || scene->characters.size() < 2) return;
  std::vector<std::string> names;
  for (const asset::SceneCharacter& one : scene->characters) names.push_back(one.name);
  Row(c, "characters", absl::StrCat(absl::StrJoin(names, ", "), "; the first one is:"));
}

void PrintBones(const ClipFacts& facts, const Console& c) {
  if (facts.own_skeleton == nullptr) return;
  const skel::Rig& skeleton = *facts.own_skeleton;
  const std::string& convention = skeleton.humanoid().convention();
  absl::string_view name = "bones";
  for (const std::string& limb : skel::FoundBones(skeleton)) {
    Row(c, std::exchange(name, ""), limb);
  }
  const std::string missing = skel::MissingBones(skeleton);
  if (!missing.empty()) Row(c, "missing", missing);
  Row(c, "named as", convention.empty() ? "no convention: by words" : convention);
}

void PrintTrack(absl::string_view name, const TrackFacts& t, const Console& c) {
  if (t.keys == 0) return;
  Row(c, name,
      absl::StrFormat("%d keys, %.3f to %.3f s, %s", t.keys, t.first_s, t.last_s, RateText(t)));
}

void PrintAudio(const ClipFacts& facts, const Console& c) {
  if (!facts.header.audio_rate_hz) return;
  const AudioFacts& a = facts.audio;
  const double rate = *facts.header.audio_rate_hz;
  Row(c, "audio",
      absl::StrFormat("%d Hz, %d samples (%.3f s), %.3f to %.3f s, peak %.0f %%",
                      *facts.header.audio_rate_hz, a.samples, static_cast<double>(a.samples) / rate,
                      static_cast<double>(a.first_sample) / rate,
                      static_cast<double>(a.end_sample) / rate, 100.0 * a.peak / 32768));
  if (a.gaps > 0) {
    Row(c, "",
        absl::StrFormat("%d gaps, %.3f s in all, are silence", a.gaps,
                        static_cast<double>(a.silence) / rate));
  }
  if (a.repeated > 0) Row(c, "", absl::StrFormat("%d samples are sent twice", a.repeated));
}

void PrintRemarks(const ClipFacts& facts, const Console& c) {
  std::vector<std::string> remarks;
  if (facts.zero_rotations > 0) {
    remarks.push_back(
        absl::StrCat(facts.zero_rotations, " rotations are all zero and read as identity"));
  }
  if (facts.normalized_rotations > 0) {
    remarks.push_back(absl::StrCat(facts.normalized_rotations,
                                   " rotations are a little off unit length and get normalised"));
  }
  if (facts.header.ids.request_id.empty() || facts.header.ids.stream_id.empty()) {
    remarks.push_back(
        "a push needs request and stream id: animclip convert --request-id ID --stream-id ID");
  }
  if (facts.largest_message_bytes > (4 << 20)) {
    remarks.push_back(
        absl::StrFormat("a message has %.1f MiB; gRPC servers take 4 MiB unless told otherwise",
                        static_cast<double>(facts.largest_message_bytes) / (1 << 20)));
  }
  if (!facts.last_status) {
    remarks.push_back(
        "the last message is not a status; it should be, but readers manage without one");
  }
  if (remarks.empty()) return;
  c.out << "remarks\n";
  for (const std::string& remark : remarks) c.out << "  " << remark << "\n";
}

void PrintStatuses(const ClipFacts& facts, const Console& c) {
  for (const wire::StatusChunk& status : facts.statuses) Row(c, "status", StatusText(status));
  const int64_t more = facts.status_count - static_cast<int64_t>(facts.statuses.size());
  if (more > 0) Row(c, "", absl::StrCat("and ", more, " more"));
  if (more > 0 && facts.last_status) Row(c, "last status", StatusText(*facts.last_status));
}

// Recognises a capture of VMC datagrams, which users may confuse with the clip made from it.
bool IsVmcCapture(const std::string& path) {
  const auto file = files::OpenToRead(path);
  if (!file.ok()) return false;
  std::string start(4096, '\0');
  const ssize_t got = read(file->get(), start.data(), start.size());
  start.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return absl::StrContains(start, "\"buffer\"") && absl::StrContains(start, "\"time\"") &&
         !absl::StrContains(start, "\"animation");
}

}  // namespace

int RunInfo(const InfoOptions& options, const Console& console) {
  clipio::OpenOptions read;
  read.outside_skel_root = options.outside_skel_root;
  if (options.fps) {
    const auto fps = timecode::ParseFrameRate(*options.fps);
    if (!fps.ok()) return Fail(console, "info", fps.status(), "--fps is wrong.");
    read.fps = *fps;
  }
  const absl::StatusOr<ClipFacts> facts = GatherFacts(options.file, console, nullptr, read);
  if (!facts.ok() && IsVmcCapture(options.file)) {
    return Fail(console, "info",
                absl::InvalidArgumentError(absl::StrCat(
                    "\"", options.file, "\" is a VMC capture: datagrams, and not yet a clip")),
                absl::StrCat("Make one of it: a2f_source vmc --replay ", options.file,
                             " --rate burst --out take.animdata"));
  }
  if (!facts.ok()) {
    return Fail(console, "info", facts.status(),
                facts.status().code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "");
  }
  console.out.Print("%s: %d messages, %.3f s (%.3f to %.3f)\n", options.file, facts->messages,
                    facts->end_s - facts->start_s, facts->start_s, facts->end_s);
  if (const std::string smpte = SmpteSpan(facts->start_s, facts->end_s, *facts); !smpte.empty()) {
    Row(console, "time code", smpte);
  }
  PrintCharacters(options.file, read, console);
  PrintHeader(*facts, console);
  PrintBones(*facts, console);
  console.out << "tracks\n";
  for (int t = 0; t < wire::kPoseTracks; ++t) PrintTrack(PoseTrackName(t), facts->pose[t], console);
  for (int t = 0; t < wire::kCameraTracks; ++t) {
    PrintTrack(CameraTrackName(t), facts->camera[t], console);
  }
  PrintAudio(*facts, console);
  for (const auto& [key, count] : facts->metadata) {
    Row(console, "metadata", absl::StrCat(key, " in ", count, " messages"));
  }
  PrintStatuses(*facts, console);
  PrintRemarks(*facts, console);
  return kDone;
}

}  // namespace posewire::animclip
