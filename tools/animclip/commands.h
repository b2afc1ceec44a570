// The subcommands of animclip, each a function of its options.
//
// Results go to the console's out, errors to err together with the next step. Each returns an
// ExitCode. A command writes a file completely or not at all.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/animclip/console.h"

namespace posewire::animclip {

// Maximum size of an .offsets file that is read as a whole.
inline constexpr uint64_t kMostOffsetsFile_bytes = uint64_t{2} << 30;

struct InfoOptions {
  std::string file;
  std::optional<std::string> fps = {};  // see ConvertOptions
  bool outside_skel_root = false;       // likewise
};
// Prints ids, names, tracks, rate, voice, metadata and anomalies.
int RunInfo(const InfoOptions& options, const Console& console);

struct ValidateOptions {
  std::string file;
  // also check the requirements of a push: ids, and messages of at most 4 MiB
  bool as_push = false;
  bool quiet = false;  // only the exit code
  bool hanim = false;  // check the humanoid of an X3D file by H-Anim's rules instead
};
// Returns kDone if the file keeps every rule of the stream, otherwise kNo with the place and the
// rule. Of a humanoid, prints every rule that it breaks.
int RunValidate(const ValidateOptions& options, const Console& console);

struct ConvertOptions {
  std::string in = {}, out = {};
  std::optional<std::string> request_id = {}, stream_id = {}, target_id = {}, source_id = {};
  std::optional<std::string> rig = {};   // retarget the poses to this rig
  std::optional<std::string> rest = {};  // file with the clip's skeleton at rest
  std::optional<std::string> map = {};   // file that assigns its joints to bones
  std::string up = "auto", unit = {};    // up axis and unit of the clip's skeleton, as in CheckUp
  std::optional<std::string> columns = {};  // file that describes the columns of a table
  std::optional<std::string> fps = {};      // of IN, as clipio::OpenOptions::fps
  std::optional<std::string> shapes = {};   // shape set of OUT, as in shapes::FindSet
  bool overwrite = false;                   // replace an existing voice next to `out`
  bool split_usd = false;                   // write a USD stage as three: take, rig and clip
  double value_clips_s = 0;                 // write its animation as value clips; 0: do not
  bool outside_skel_root = false;           // of IN, as asset::ReadOptions has it
  std::string command = "convert";          // for errors
};
// Rewrites a clip in the format of `out`'s extension, with the given ids and for the given rig.
int RunConvert(const ConvertOptions& options, const Console& console);

struct CutOptions {
  std::string in, out;
  std::string from = "0", to = {};                // in the form of TimeOf; no end: the clip's
  std::vector<std::string> keep = {}, drop = {};  // parts, in the form of FindParts
  std::string rig = "auto";                       // defines the parts
};
// Keeps the span between two time codes, and optionally only some joints, shapes or parts. Time
// codes begin at 0 again, and the epoch is shifted accordingly.
int RunCut(const CutOptions& options, const Console& console);

struct ConcatOptions {
  std::vector<std::string> in;
  std::string out;
  std::optional<double> gap_s = {};  // between clips; default: a frame
  std::string rig = "auto";          // defines the rest pose
};
// Puts clips one after the other.
int RunConcat(const ConcatOptions& options, const Console& console);

struct MirrorOptions {
  std::string in, out;
  std::string rig = "auto";
};
// Swaps left and right.
int RunMirror(const MirrorOptions& options, const Console& console);

struct RetimeOptions {
  std::string in, out;
  std::optional<double> speed = {};  // 2: in half the time
  std::string to_fps = {};  // in the form of timecode::ParseFrameRate; empty: keys are unchanged
  bool drop_audio = false;
};
// Plays faster or slower, or resamples the keys at another rate.
int RunRetime(const RetimeOptions& options, const Console& console);

struct SmoothOptions {
  std::string in, out;
  double window_s = 0.2;
  std::vector<std::string> parts = {"joints", "shapes"};  // in the form of FindParts
  std::string rig = "auto";
};
// Removes jitter from the pose. The whole clip is kept in memory.
int RunSmooth(const SmoothOptions& options, const Console& console);

struct DiffOptions {
  std::string a, b;
  std::optional<double> tolerance = {};  // weights, metres, scale factors, parts of a quaternion
  double shift_s = 0;                    // added to b's time codes
  bool align = false;                    // shift b so that the first keys agree
  bool by_element = false;               // also a table by joint and shape
};
// Compares b with a: everything that a names, at all instants of a.
int RunDiff(const DiffOptions& options, const Console& console);

struct RecoverOptions {
  std::string in, out;
};
// Copies the intact messages. kDone: all of them; kLoss: a torn tail was dropped; kNo: nothing
// intact.
int RunRecover(const RecoverOptions& options, const Console& console);

struct SheetCommandOptions {
  std::string in, out;
  int instants = 12;
  std::string views = "front,side";
  int shapes = 16;
  int joints = 8;
  std::string rig = "auto";
  double translation_scale = 1;
  bool all_translations = false;
  std::string from = {}, to = {};  // in the form of TimeOf; empty: the clip's own
  double scale = 1.5;
};
int RunSheet(const SheetCommandOptions& options, const Console& console);

struct PlotCommandOptions {
  std::string in, out;
  std::string behind = {};               // another clip, drawn behind; empty: none
  std::vector<std::string> tracks = {};  // empty: the largest movers
  int instants = 6;
  int shapes = 16;
  int joints = 8;
  std::string rig = "auto";
  std::string from = {}, to = {};  // in the form of TimeOf; empty: the clip's own
  double scale = 1.5;
};
// Draws curves, voice with spectrogram, and the paths of joints on one page.
int RunPlot(const PlotCommandOptions& options, const Console& console);

struct GesturesOptions {
  std::vector<std::string> files;  // *.gesture.txtpb; none: the built-in ones
  std::string out_dir;
  std::string format = "animdata";  // or "jsonl"
  bool sheets = false;              // a PNG next to each clip
  std::string overview;             // one picture of all of them; empty: none
};
int RunGestures(const GesturesOptions& options, const Console& console);

struct BakeOptions {
  std::string clip = {}, out = {};
  std::string character = "woman";  // see character_file::OpenCharacter
  std::string method = {};          // see offsets::FindMethod; empty: spline, or box16 for shapes
  double variance = 0.9999;         // see offsets::Settings
  double tolerance_mm = 0.5;
  int clusters = 24;
  int quality = 90;
  int crf = 12;
  std::string by = "index";  // mapping of points to pixels, also "uv"
  std::string complex = {};  // meshes whose points move, as OpenPointAnimation takes them; empty:
                             // our film deformers
  std::string fps = {};      // of the clip and these; empty: theirs, or else 30
  double scale = 1;          // of their lengths
  std::string take = {};     // where to also write the clip; empty: nowhere
  std::string shapes = {};   // the shape set that the clip is baked on top of; empty: none
};
// Writes the result of our film deformers, or of external meshes, for a clip as offsets from the
// simple rig.
int RunBake(const BakeOptions& options, const Console& console);

struct FitOptions {
  // Clip, character, complex, fps and scale of it. Without a character, the complex meshes become
  // one; without both, it is the woman.
  BakeOptions film = {.character = ""};
  std::string out = {};       // a character (.glb), or the skin alone (.json); empty: none
  std::string what = {};      // what is fitted: "weights", "joints" or "points"; empty: "weights",
                              // or for meshes the joints too
  std::string skeleton = {};  // moves the meshes: a file, or a built-in rig; empty: the clip's
  int rest_frame = 0;         // of the meshes: where they are bound to it
  int influences = 4;         // per point
  int rounds = 8;
  int frames = 60;  // of the clip, spread evenly, at most
};
// Finds joints and weights that approximate the complex character, prints the error compared with
// that of the character's own weights, and writes a character that has them.
int RunFit(const FitOptions& options, const Console& console);

struct ExportOptions {
  std::string character, out;             // a name or a file, as in character_file::OpenCharacter
  std::string clip = {};                  // as in LoadNamed; empty: none
  std::string fps = {};                   // of the clip, in the form of timecode::ParseFrameRate
  std::vector<std::string> look = {};     // PART=CHOICE, as in character::Deformer::Choose
  std::vector<std::string> avatars = {};  // NAME=WHO, who shows a character of the clip's scene
  std::string props = {};                 // folder of models, as in prop_file::PropFolder
  bool overwrite = false;                 // replace an existing voice next to `out`
  int influences = 0;                     // at most so many per point; 0: what the format holds
  int hanim = 0;                   // of .x3d: the version of H-Anim whose names joints have; 0: 2
  bool frames = false;             // of .x3d: the motion is an HAnimMotion
  bool outside_skel_root = false;  // of character and clip, as asset::ReadOptions has it
};
// Writes a whole character, and its motion in the clip, in the format of `out`'s extension. Of a
// scene, writes all characters; with props, camera and voices. Pictures and sounds of formats that
// refer to them go next to it.
int RunExport(const ExportOptions& options, const Console& console);

struct OffsetsInfoOptions {
  std::string file;
};
// Prints the contents of an .offsets file, and opens each chunk: kNo if one is broken, or is video
// and there is no ffmpeg.
int RunOffsetsInfo(const OffsetsInfoOptions& options, const Console& console);

struct OffsetsCompareOptions {
  std::string clip = "exercise";
  std::string character = "woman";
  std::string page;  // a file with markers between which the table is inserted; empty: none
  std::string plot;  // a picture of it, .svg or .png; empty: none
};
// Bakes a clip with every method and prints a table of ratio and error.
int RunOffsetsCompare(const OffsetsCompareOptions& options, const Console& console);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
