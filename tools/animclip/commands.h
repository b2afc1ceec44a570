// The subcommands of animclip, each a function of its options.
//
// Results go to the console's out, faults to err together with the next step. Each returns an
// ExitCode. A command that writes a file leaves it whole or not at all.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/animclip/console.h"

namespace posewire::animclip {

// Of an .offsets file that is looked at as a whole.
inline constexpr uint64_t kMostOffsetsFile_bytes = uint64_t{2} << 30;

struct InfoOptions {
  std::string file;
  std::optional<std::string> fps = {};  // as of ConvertOptions
};
// Prints ids, names, tracks, rate, voice, metadata and what is unusual.
int RunInfo(const InfoOptions& options, const Console& console);

struct ValidateOptions {
  std::string file;
  bool as_push = false;  // also what a push needs: ids, and messages of at most 4 MiB
  bool quiet = false;    // only the exit code
};
// kDone when the file keeps every rule of the stream, else kNo with the place and the rule.
int RunValidate(const ValidateOptions& options, const Console& console);

struct ConvertOptions {
  std::string in = {}, out = {};
  std::optional<std::string> request_id = {}, stream_id = {}, target_id = {}, source_id = {};
  std::optional<std::string> rig = {};      // carry the pose over to this one
  std::optional<std::string> rest = {};     // file with the clip's skeleton at rest
  std::optional<std::string> map = {};      // file that says which of its joints are which bones
  std::string up = "auto", unit = {};       // how the clip's skeleton stands, as CheckUp has it
  std::optional<std::string> columns = {};  // file that says what the columns of a table are
  std::optional<std::string> fps = {};      // of IN, as clipio::OpenOptions::fps
  bool overwrite = false;                   // replace a voice that lies beside `out`
  bool split_usd = false;                   // a stage as three: take, rig and clip
  std::string command = "convert";          // for errors
};
// Rewrites a clip, in the format that `out` ends in, with the ids and for the rig that are given.
int RunConvert(const ConvertOptions& options, const Console& console);

struct CutOptions {
  std::string in, out;
  std::string from = "0", to = {};                // as TimeOf reads them; no end: the clip's
  std::vector<std::string> keep = {}, drop = {};  // parts, as FindParts reads them
  std::string rig = "auto";                       // by which parts are known
};
// Keeps what lies between two time codes; codes start at 0 again, and the epoch moves along. Of
// that only some joints, shapes or parts.
int RunCut(const CutOptions& options, const Console& console);

struct ConcatOptions {
  std::vector<std::string> in;
  std::string out;
  std::optional<double> gap_s = {};  // between clips; a frame unless given
  std::string rig = "auto";          // says how joints are at rest
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
  std::string to_fps = {};           // as timecode::ParseFrameRate reads it; empty: keys stay
  bool drop_audio = false;
};
// Plays faster or slower, or has its keys at another rate.
int RunRetime(const RetimeOptions& options, const Console& console);

struct SmoothOptions {
  std::string in, out;
  double window_s = 0.2;
  std::vector<std::string> parts = {"joints", "shapes"};  // as FindParts reads them
  std::string rig = "auto";
};
// Takes jitter out of the pose. The clip is held in memory as a whole.
int RunSmooth(const SmoothOptions& options, const Console& console);

struct DiffOptions {
  std::string a, b;
  std::optional<double> tolerance = {};  // weights, metres, scale factors, parts of a quaternion
  double shift_s = 0;                    // added to b's codes
  bool align = false;                    // shift b so that the first keys agree
  bool by_element = false;               // also a table by joint and shape
};
// Compares b with a: everything that a names, at all instants of a.
int RunDiff(const DiffOptions& options, const Console& console);

struct RecoverOptions {
  std::string in, out;
};
// Copies what is whole. kDone: all of it; kLoss: a torn tail was left out; kNo: nothing whole.
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
  std::string from = {}, to = {};  // as TimeOf reads them; empty: the clip's own
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
  std::string from = {}, to = {};  // as TimeOf reads them; empty: the clip's own
  double scale = 1.5;
};
// Curves, voice with spectrogram, and the ways of the joints on one page.
int RunPlot(const PlotCommandOptions& options, const Console& console);

struct GesturesOptions {
  std::vector<std::string> files;  // *.gesture.txtpb; none: the built-in ones
  std::string out_dir;
  std::string format = "animdata";  // or "jsonl"
  bool sheets = false;              // a PNG beside each clip
  std::string overview;             // one picture of all of them; empty: none
};
int RunGestures(const GesturesOptions& options, const Console& console);

struct BakeOptions {
  std::string clip = {}, out = {};
  std::string character = "woman";  // as character_file::OpenCharacter takes it
  std::string method = "spline";    // as offsets::FindMethod takes it
  double variance = 0.9999;         // as offsets::Settings
  double tolerance_mm = 0.5;
  int clusters = 24;
  int quality = 90;
  int crf = 12;
  std::string by = "index";  // how points become pixels, also "uv"
  std::string complex = {};  // meshes whose points move, as OpenPointAnimation takes them; empty:
                             // our film deformers
  std::string fps = {};      // of the clip and these; empty: theirs, or else 30
  double scale = 1;          // of their lengths
  std::string take = {};     // where the clip is written too; empty: nowhere
};
// Writes what our film deformers, or meshes of others, make of a clip as offsets from the simple
// rig.
int RunBake(const BakeOptions& options, const Console& console);

struct FitOptions {
  BakeOptions film;              // clip, character, complex, fps and scale of it
  std::string out = {};          // JSON; empty: none
  std::string what = "weights";  // what it gets: also "joints", "points"
  int influences = 4;            // a point
  int rounds = 8;
  int frames = 60;  // of the clip, spread evenly, at most
};
// Finds joints and weights that come near the complex character, and prints how near, against the
// weights that the character has.
int RunFit(const FitOptions& options, const Console& console);

struct OffsetsInfoOptions {
  std::string file;
};
// Prints what an .offsets file holds, and opens each chunk: kNo if one is broken, or is a film and
// there is no ffmpeg.
int RunOffsetsInfo(const OffsetsInfoOptions& options, const Console& console);

struct OffsetsCompareOptions {
  std::string clip = "exercise";
  std::string character = "woman";
  std::string page;  // with marks between which the table goes; empty: none
  std::string plot;  // a picture of it, .svg or .png; empty: none
};
// Bakes a clip with every method and prints a table of ratio against error.
int RunOffsetsCompare(const OffsetsCompareOptions& options, const Console& console);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
