// The subcommands of animclip, each a function of its options.
//
// Results go to the console's out, faults to err together with the next step. Each returns an
// ExitCode. A command that writes a file leaves it whole or not at all.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/animclip/console.h"

namespace posewire::animclip {

struct InfoOptions {
  std::string file;
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
  std::string in, out;
  std::optional<std::string> request_id = {}, stream_id = {}, target_id = {}, source_id = {};
  std::optional<std::string> rig = {};  // carry the pose over to this one
};
// Rewrites a clip, in the format that `out` ends in, with the ids and for the rig that are given.
int RunConvert(const ConvertOptions& options, const Console& console);

struct CutOptions {
  std::string in, out;
  std::string from = "0", to = {};  // as TimeOf reads them; no end: the clip's
};
// Keeps what lies between two time codes; codes start at 0 again, and the epoch moves along.
int RunCut(const CutOptions& options, const Console& console);

struct DiffOptions {
  std::string a, b;
  std::optional<double> tolerance = {};  // weights, metres, scale factors, parts of a quaternion
  double shift_s = 0;                    // added to b's codes
  bool align = false;                    // shift b so that the first keys agree
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
  std::string out_dir;
  std::string format = "animdata";  // or "jsonl"
  bool sheets = false;              // a PNG beside each clip
  std::string overview;             // one picture of all of them; empty: none
};
int RunGestures(const GesturesOptions& options, const Console& console);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_COMMANDS_H_
