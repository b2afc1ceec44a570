#include "tools/animclip/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "libs/clipio/clip_format.h"
#include "libs/names/known_names.h"
#include "libs/shapes/shape_set.h"
#include "libs/skel/body.h"
#include "libs/timecode/smpte.h"
#include "tools/animclip/cli_texts.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

std::string ClipToWrite() {
  return absl::StrCat("Clip to write: ", clipio::FormatEndings(clipio::FormatUse::kWrite));
}

using Command = std::function<int(const Console&)>;

// Each Add function declares one subcommand and the function that runs it.
class Cli {
 public:
  Cli() : app_(kAbout, "animclip") {
    app_.require_subcommand(1);
    app_.footer(kFooter);
    app_.set_version_flag("--version", std::string("animclip " POSEWIRE_VERSION));
    AddInfo();
    AddValidate();
    AddConvert();
    AddRetarget();
    AddCut();
    AddConcat();
    AddMirror();
    AddRetime();
    AddSmooth();
    AddDiff();
    AddRecover();
    AddSheet();
    AddPlot();
    AddGestures();
    AddBake();
    AddFit();
    AddExport();
    AddOffsets();
  }

  int Run(int argc, const char* const* argv, const Console& console) {
    const std::string first = argc > 1 ? argv[1] : "";
    std::vector<std::string> names;
    for (const CLI::App* sub : app_.get_subcommands(nullptr)) names.push_back(sub->get_name());
    const bool known = std::find(names.begin(), names.end(), first) != names.end();
    if (!known && !absl::StartsWith(first, "-")) {
      console.err << "animclip: "
                  << (first.empty() ? "a command is needed"
                                    : absl::StrCat("there is no command ", first))
                  << KnownNames(first, names) << "\nRun `animclip --help` for what they do.\n";
      return kUsage;
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == 0)
        return app_.exit(e, console.out.stream(), console.err.stream());  // --help
      std::string name = "animclip";
      const CLI::App& chosen = Chosen(&name);
      const std::string unknown = UnknownFlag(chosen, argc, argv);
      console.err << name << ": " << (unknown.empty() ? e.what() : unknown) << "\nRun `" << name
                  << " --help` for what it takes.\n";
      return kUsage;
    }
    return command_(console);
  }

 private:
  // Returns the innermost command that was named; `name` receives all of them.
  const CLI::App& Chosen(std::string* name) const {
    const CLI::App* chosen = &app_;
    for (std::vector<CLI::App*> named; !(named = chosen->get_subcommands()).empty();) {
      chosen = named.front();
      absl::StrAppend(name, " ", chosen->get_name());
    }
    return *chosen;
  }

  // Returns the error for the first flag that the command lacks, or "" if it has all of them.
  static std::string UnknownFlag(const CLI::App& command, int argc, const char* const* argv) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& flag : option->get_lnames()) flags.push_back("--" + flag);
    }
    for (const std::string arg : absl::MakeConstSpan(argv, static_cast<size_t>(argc)).subspan(1)) {
      const std::string flag = arg.substr(0, arg.find('='));
      if (!absl::StartsWith(flag, "--") || flag == "--" ||
          std::find(flags.begin(), flags.end(), flag) != flags.end()) {
        continue;
      }
      return absl::StrCat("there is no ", flag, KnownNames(flag, flags));
    }
    return "";
  }

  CLI::App* Add(const char* name, const char* about, Command command) {
    CLI::App* sub = app_.add_subcommand(name, about);
    sub->callback([this, command = std::move(command)] { command_ = command; });
    return sub;
  }

  void AddSpan(CLI::App* sub, std::string* from, std::string* to,
               const char* about_from = "First time code; the clip's own unless given") {
    const auto is_time = [](const std::string& text) -> std::string {
      if (absl::StrContains(text, ':')) return "";  // needs the clip's rate, which is not known yet
      return std::string(timecode::ParseTime(text, std::nullopt).status().message());
    };
    sub->add_option("--from", *from, about_from)->type_name("TIME")->check(is_time);
    sub->add_option("--to", *to, "Last time code; the clip's own unless given")
        ->type_name("TIME")
        ->check(is_time);
  }

  void AddParts(CLI::App* sub, const char* flag, std::vector<std::string>* parts,
                const char* about) {
    sub->add_option(flag, *parts, about)
        ->type_name("PARTS")
        ->delimiter(',')
        ->allow_extra_args(false);  // otherwise it would take the file names after it
  }

  void AddInfo() {
    auto* sub = Add("info", "Print ids, names, tracks, rate, voice and remarks",
                    [this](const Console& c) { return RunInfo(info_, c); });
    sub->add_option("FILE", info_.file, "Clip to look at")->required();
    AddReading(sub, &info_);
    sub->footer("\nExample: animclip info say.animdata\n");
  }

  template <typename Options>
  static void AddReading(CLI::App* sub, Options* options) {
    sub->add_option("--fps", options->fps,
                    "Rate of a .bvh or .a2f.json, or of Live Link Face's time codes (.csv), in "
                    "place of the file's")
        ->type_name("FPS");
    AddOutsideSkelRoot(sub, &options->outside_skel_root);
  }

  static void AddOutsideSkelRoot(CLI::App* sub, bool* to) {
    sub->add_flag("--outside-skel-root", *to,
                  "Of a stage: skeletons that are bound outside a SkelRoot count too");
  }

  void AddValidate() {
    auto* sub = Add("validate", "Check a clip by the rules of the stream",
                    [this](const Console& c) { return RunValidate(validate_, c); });
    sub->add_option("FILE", validate_.file, "Clip to check")->required();
    sub->add_flag("--push", validate_.as_push,
                  "Also what a push needs: ids, and messages of at most 4 MiB");
    sub->add_flag("--hanim", validate_.hanim, "Check an X3D file's humanoid by H-Anim's rules");
    sub->add_flag("-q,--quiet", validate_.quiet, "Print nothing; report by the exit code");
    sub->footer(
        "\nExits 0 when valid, 1 when not: the message's number, its byte or line, and the rule.\n"
        "Example: animclip validate --push say.jsonl\n");
  }

  static void AddStageFlags(CLI::App* sub, ConvertOptions* options) {
    auto* split = sub->add_flag(
        "--split-usd", options->split_usd,
        "Of .usda: the skeleton as OUT.rig.usda and the animation as OUT.clip.usda, which "
        "OUT refers to");
    sub->add_option("--value-clips", options->value_clips_s,
                    "Of .usda: the animation as value clips of this many seconds, OUT.clip001.usda "
                    "and on, with OUT.manifest.usda")
        ->type_name("S")
        ->excludes(split)
        ->check(CLI::Range(kLeastValueClip_s, kMostValueClip_s));
    sub->add_flag(
        "--overwrite", options->overwrite,
        "Replace a WAV next to OUT that holds another voice (stages and scenes keep theirs there), "
        "or another OUT.rig.usda");
  }

  static void AddShapes(CLI::App* sub, ConvertOptions* options) {
    sub->add_option("--shapes", options->shapes,
                    absl::StrCat("Write the face in the shapes of this set: ",
                                 absl::StrJoin(shapes::BuiltinSetNames(), ", ")))
        ->check([](const std::string& name) {
          return std::string(shapes::CheckSetName(name).message());
        });
  }

  void AddConvert() {
    auto* sub = Add("convert", "Change a clip's format, ids and rig",
                    [this](const Console& c) { return RunConvert(convert_, c); });
    sub->add_option("IN", convert_.in, "Clip to read")->required();
    sub->add_option("OUT", convert_.out, ClipToWrite())->required();
    sub->add_option("--request-id", convert_.request_id, "Set the request id");
    sub->add_option("--stream-id", convert_.stream_id, "Set the stream id");
    sub->add_option("--target-id", convert_.target_id, "Set the target object id");
    sub->add_option("--source-id", convert_.source_id, "Set the source service id");
    sub->add_option("--rig", convert_.rig,
                    "Carry the pose over to another rig: built in, or a rig file");
    sub->add_option("--map", convert_.columns,
                    "File that says what the columns of a table of joints (.npz, .csv) are");
    AddShapes(sub, &convert_);
    AddReading(sub, &convert_);
    AddStageFlags(sub, &convert_);
    sub->footer(kConvertFooter);
  }

  void AddRetarget() {
    auto* sub = Add("retarget", "Carry a clip over to another skeleton",
                    [this](const Console& c) { return RunConvert(retarget_, c); });
    sub->add_option("IN", retarget_.in, "Clip to read")->required();
    sub->add_option("OUT", retarget_.out, ClipToWrite())->required();
    sub->add_option("--to", retarget_.rig,
                    "Rig to carry it to: built in, a rig file, or a file with a skeleton")
        ->required();
    sub->add_option("--rest", retarget_.rest,
                    "File with the clip's skeleton at rest, for a clip without one");
    sub->add_option("--map", retarget_.map,
                    "File of lines JOINT = BONE, for a clip whose joint names are not recognised");
    sub->add_option("--up", retarget_.up,
                    "Axis of the clip that is up (x, y, z, -x, -y, -z); auto: the one along which "
                    "its skeleton stands at rest")
        ->check([](const std::string& axis) { return std::string(skel::CheckUp(axis).message()); })
        ->capture_default_str();
    sub->add_option(
           "--unit", retarget_.unit,
           "Unit of length of the clip: m, cm, mm, in, ft, or metres as a number. Default: "
           "chosen so that its skeleton has a person's height")
        ->check(
            [](const std::string& unit) { return std::string(skel::CheckUnit(unit).message()); });
    sub->add_option("--columns", retarget_.columns,
                    "File that says what the columns of a table of joints (.npz, .csv) are");
    AddShapes(sub, &retarget_);
    AddReading(sub, &retarget_);
    AddStageFlags(sub, &retarget_);
    sub->footer(
        "\nBones are known by their names, in about thirty conventions: docs/retargeting.md.\n"
        "Examples: animclip retarget walk.bvh walk.animdata --to hanim_loa3\n"
        "          animclip retarget dance.glb dance.animdata --to hanim_loa3 --rest dancer.glb\n");
  }

  void AddCut() {
    auto* sub = Add("cut", "Keep the part between two times; time codes start at 0 again",
                    [this](const Console& c) { return RunCut(cut_, c); });
    sub->add_option("IN", cut_.in, "Clip to read")->required();
    sub->add_option("OUT", cut_.out, ClipToWrite())->required();
    AddSpan(sub, &cut_.from, &cut_.to, "First time code; 0 unless given");
    AddParts(sub, "--keep", &cut_.keep, "Joints and shapes to keep, and no others");
    AddParts(sub, "--drop", &cut_.drop, "Parts to take out");
    sub->add_option("--rig", cut_.rig, kRigHelp)->capture_default_str();
    sub->footer(
        absl::StrCat("\nBoth ends are kept; if a track has no key at an end, one is added. "
                     "Audio is cut\nto the sample.\n",
                     kTimes, kParts,
                     "Examples: animclip cut say.animdata word.animdata --from 1.2 --to 1.9\n"
                     "          animclip cut say.animdata word.animdata --from 00:00:01:06\n"
                     "          animclip cut take.animdata wave.animdata --keep right_arm,head "
                     "--drop shapes,audio\n"));
  }

  void AddConcat() {
    auto* sub = Add("concat", "Put clips one after the other",
                    [this](const Console& c) { return RunConcat(concat_, c); });
    sub->add_option("IN", concat_.in, "Clips to read, two or more")->required()->expected(-2);
    sub->add_option("-o,--out", concat_.out, ClipToWrite())->required();
    sub->add_option("--gap", concat_.gap_s,
                    "Seconds from the end of one to the next, in which the pose moves over; a "
                    "frame unless given");
    sub->add_option("--rig", concat_.rig, kRigHelp)->capture_default_str();
    sub->footer(
        "\nWhat only some of the clips name is at rest in the others. Voices must have one rate.\n"
        "Example: animclip concat hello.animdata wave.animdata -o both.animdata --gap 0.4\n");
  }

  void AddMirror() {
    auto* sub = Add("mirror", "Swap left and right",
                    [this](const Console& c) { return RunMirror(mirror_, c); });
    sub->add_option("IN", mirror_.in, "Clip to read")->required();
    sub->add_option("OUT", mirror_.out, ClipToWrite())->required();
    sub->add_option("--rig", mirror_.rig, kRigHelp)->capture_default_str();
    sub->footer("\nExample: animclip mirror right.animdata left.animdata\n");
  }

  void AddRetime() {
    auto* sub = Add("retime", "Play faster or slower, or at another rate of keys",
                    [this](const Console& c) { return RunRetime(retime_, c); });
    sub->add_option("IN", retime_.in, "Clip to read")->required();
    sub->add_option("OUT", retime_.out, ClipToWrite())->required();
    sub->add_option("--speed", retime_.speed, "2: in half the time; 0.5: in twice the time");
    sub->add_option("--to-fps", retime_.to_fps, "Put a key at every frame of this rate");
    sub->add_flag("--drop-audio", retime_.drop_audio,
                  "Leave the voice out; it cannot be stretched");
    sub->footer(
        "\nWith --speed alone all keys stay, closer together or farther apart.\n"
        "Examples: animclip retime wave.animdata brisk.animdata --speed 1.25 --to-fps 30\n"
        "          animclip retime capture.animdata even.animdata --to-fps 60\n");
  }

  void AddSmooth() {
    auto* sub = Add("smooth", "Take jitter out of a clip",
                    [this](const Console& c) { return RunSmooth(smooth_, c); });
    sub->add_option("IN", smooth_.in, "Clip to read")->required();
    sub->add_option("OUT", smooth_.out, ClipToWrite())->required();
    sub->add_option("--window", smooth_.window_s, "Seconds over which a key is evened out")
        ->capture_default_str();
    AddParts(sub, "--parts", &smooth_.parts, "Joints and shapes to smooth; all unless given");
    sub->add_option("--rig", smooth_.rig, kRigHelp)->capture_default_str();
    sub->footer(absl::StrCat(
        "\nTime codes, and the first and last keys, stay. Lips lose their closures in a window "
        "over about "
        "0.1 s.\n",
        kParts,
        "Example: animclip smooth capture.animdata calm.animdata --window 0.15 --parts arms\n"));
  }

  void AddDiff() {
    auto* sub = Add("diff", "Compare what A names with B, at all instants of A",
                    [this](const Console& c) { return RunDiff(diff_, c); });
    sub->add_option("A", diff_.a, "Clip to compare with")->required();
    sub->add_option("B", diff_.b, "Clip that is compared")->required();
    sub->add_option("--tolerance", diff_.tolerance,
                    "Exit 1 when an error is over this: weights, metres, parts of a quaternion");
    auto* shift = sub->add_option("--shift", diff_.shift_s, "Seconds to add to B's time codes");
    sub->add_flag("--tracks", diff_.by_element, "Also a table by joint and shape");
    sub->add_flag("--align", diff_.align, "Shift B so that the first keys agree")->excludes(shift);
    sub->footer(
        "\nQuaternions count up to their sign. Audio must be equal to be within a tolerance, and "
        "B\n"
        "must have all that A has.\n"
        "Example: animclip diff pushed.animdata pulled.animdata --align --tolerance 1e-5\n");
  }

  void AddRecover() {
    auto* sub = Add("recover", "Copy the intact messages of a damaged clip",
                    [this](const Console& c) { return RunRecover(recover_, c); });
    sub->add_option("IN", recover_.in, "Clip to read")->required();
    sub->add_option("OUT", recover_.out, ClipToWrite())->required();
    sub->footer(
        "\nExits 0 when all of it was whole, 3 when a tail was lost, 1 when nothing is left.\n"
        "Example: animclip recover torn.animdata mended.animdata\n");
  }

  void AddSheet() {
    auto* sub = Add("sheet", "Draw stick figures and curves as SVG or PNG",
                    [this](const Console& c) { return RunSheet(sheet_, c); });
    sub->add_option("IN", sheet_.in, "Clip to draw")->required();
    sub->add_option("-o,--out", sheet_.out, "Picture to write: .svg or .png")->required();
    sub->add_option("--instants", sheet_.instants, "Number of figures")->capture_default_str();
    sub->add_option("--view", sheet_.views, "front, side, 3/4, with commas between")
        ->capture_default_str();
    AddSpan(sub, &sheet_.from, &sheet_.to);
    sub->add_option("--shapes", sheet_.shapes, "Lanes of face shapes")->capture_default_str();
    sub->add_option("--joints", sheet_.joints, "Lanes of joints")->capture_default_str();
    sub->add_option("--rig", sheet_.rig,
                    "Rig to draw on: built in, a rig file, or auto: by the clip's names")
        ->capture_default_str();
    sub->add_option("--translation-scale", sheet_.translation_scale, "0.01 for centimetres")
        ->capture_default_str();
    sub->add_flag("--all-translations", sheet_.all_translations,
                  "Take translations of all joints, not of root and hips only");
    sub->add_option("--scale", sheet_.scale, "Pixels a point, of a PNG")->capture_default_str();
    sub->footer(absl::StrCat(
        "\n", kTimes,
        "Examples: animclip sheet wave.animdata -o wave.png --instants 8 --view front,3/4\n"
        "          animclip sheet wave.animdata -o wave.png --from 00:00:01:00 --to "
        "00:00:02:15\n"));
  }

  void AddPlot() {
    auto* sub = Add("plot", "Draw curves, spectrogram and paths of the joints as SVG or PNG",
                    [this](const Console& c) { return RunPlot(plot_, c); });
    sub->add_option("IN", plot_.in, "Clip to draw")->required();
    sub->add_option("BEHIND", plot_.behind, "Another clip, whose curves go behind, broad and pale");
    sub->add_option("-o,--out", plot_.out, "Picture to write: .svg or .png")->required();
    sub->add_option("--tracks", plot_.tracks,
                    "Shapes and joints to draw, with commas between; else the largest movers")
        ->type_name("NAMES")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--instants", plot_.instants, "Numbered marks")->capture_default_str();
    AddSpan(sub, &plot_.from, &plot_.to);
    sub->add_option("--shapes", plot_.shapes, "Lanes of face shapes")->capture_default_str();
    sub->add_option("--joints", plot_.joints, "Lanes of joints")->capture_default_str();
    sub->add_option("--rig", plot_.rig,
                    "Rig to draw on: built in, a rig file, or auto: by the clip's names")
        ->capture_default_str();
    sub->add_option("--scale", plot_.scale, "Pixels a point, of a PNG")->capture_default_str();
    sub->footer(absl::StrCat(
        "\nBesides names of shapes and joints: \"spine\", \"neck and head\", \"position\".\n",
        kTimes,
        "Examples: animclip plot say.animdata -o say.png --tracks jawOpen,r_shoulder\n"
        "          animclip plot calm.animdata capture.animdata -o both.png\n"));
  }

  void AddGestures() {
    auto* sub = Add("gestures", "Write gestures, built-in or of files, as clips",
                    [this](const Console& c) { return RunGestures(gestures_, c); });
    sub->add_option("FILE", gestures_.files,
                    "Gestures as text (*.gesture.txtpb); the built-in ones unless given");
    sub->add_option("--out", gestures_.out_dir, "Folder to write to")->required();
    sub->add_option("--format", gestures_.format, "animdata or jsonl")
        ->check(CLI::IsMember({"animdata", "jsonl"}))
        ->capture_default_str();
    sub->add_flag("--sheets", gestures_.sheets, "Write a sheet (PNG) next to each clip");
    sub->add_option("--overview", gestures_.overview, "One picture of all: .svg or .png");
    sub->footer(
        "\nExamples: animclip gestures --out gestures --sheets\n          animclip gestures "
        "my_wave.gesture.txtpb --out . --sheets\n");
  }

  void AddBake() {
    auto* sub = Add("bake", "Write how a film's character differs from its simple rig",
                    [this](const Console& c) { return RunBake(bake_, c); });
    sub->add_option(
           "CLIP", bake_.clip,
           "Clip to bake: a file, a built-in gesture (wave), exercise, or shapes: the face "
           "at rest, then each shape of the rig alone, for --shapes")
        ->required();
    sub->add_option("OUT", bake_.out, "File to write: .offsets")->required();
    sub->add_option("--character", bake_.character, "woman, man, or a GLB, VRM or USD file")
        ->capture_default_str();
    sub->add_option("--complex", bake_.complex,
                    "Its meshes with points that move: USD, glTF, or a folder of OBJ files");
    sub->add_option("--take", bake_.take,
                    "Write the clip too, to be drawn with the offsets: .animdata");
    sub->add_option("--fps", bake_.fps,
                    "Frames a second of clip and --complex; else its own, or 30");
    sub->add_option("--scale", bake_.scale, "Factor for the lengths in --complex")
        ->capture_default_str();
    sub->add_option(
        "--shapes", bake_.shapes,
        "Shape set that the clip is baked on top of, so that a live face can change it: "
        ".offsets of the clip shapes");
    sub->add_option("--method", bake_.method,
                    "How to compress: animclip offsets compare lists them. Default: spline, and "
                    "box16 for shapes");
    sub->add_option("--variance", bake_.variance, "Share that pca and clusters keep")
        ->capture_default_str();
    sub->add_option("--tolerance", bake_.tolerance_mm, "Millimetres that spline may be off")
        ->capture_default_str();
    sub->add_option("--clusters", bake_.clusters, "Number of clusters, for clusters")
        ->capture_default_str();
    sub->add_option("--quality", bake_.quality,
                    "Quality of jpeg, webp (100: lossless) and mp3, 1 to 100")
        ->capture_default_str();
    sub->add_option("--crf", bake_.crf, "CRF of h264, h265 and vp9, 0 to 51: more is coarser")
        ->capture_default_str();
    sub->add_option("--by", bake_.by, "Which points are near in pictures, sound and films")
        ->check(CLI::IsMember({"index", "uv"}))
        ->capture_default_str();
    sub->footer(
        "\nThe film's character comes with --complex, or is made of ours: its own shapes and "
        "correctives, muscles\nthat bulge, a belly that swings, and smoothing where joints blend.\n"
        "Examples: animclip bake take.glb take.offsets --character hero.glb --complex sim.usda\n"
        "          animclip bake exercise exercise.offsets --take exercise.animdata\n"
        "          animclip bake shapes faces.offsets\n"
        "          animclip bake wave wave.offsets --shapes faces.offsets\n"
        "          renderer_sink render exercise.animdata film.mp4 --camera body --offsets "
        "exercise.offsets\n");
  }

  void AddFit() {
    auto* sub = Add("fit", "Make a character of moving meshes: find joints and weights",
                    [this](const Console& c) { return RunFit(fit_, c); });
    sub->add_option("CLIP", fit_.film.clip,
                    "Clip that it moves in: a file, a built-in gesture, or exercise")
        ->required();
    sub->add_option("OUT", fit_.out, "Character to write: .glb; .json: the skin alone");
    sub->add_option("--complex", fit_.film.complex, "As for bake; else our film deformers");
    sub->add_option("--character", fit_.film.character,
                    "woman, man, or a file; unless given, the meshes of --complex");
    sub->add_option("--skeleton", fit_.skeleton,
                    "What moves the meshes: a file or a built-in rig; else the clip's");
    sub->add_option("--rest-frame", fit_.rest_frame, "Frame in which the meshes are bound to it")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    sub->add_option("--fps", fit_.film.fps, "As for bake");
    sub->add_option("--scale", fit_.film.scale, "As for bake")->capture_default_str();
    sub->add_option("--write", fit_.what,
                    "weights for the clip's joints, joints with weights, or (.json) both from "
                    "points alone; weights unless given, joints for meshes")
        ->check(CLI::IsMember({"weights", "joints", "points"}));
    sub->add_option("--influences", fit_.influences, "Most joints per point; of a .glb 4")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    sub->add_option("--rounds", fit_.rounds, "Rounds of fitting weights and joints in turn")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    sub->add_option("--frames", fit_.frames, "Frames of the clip to fit, spread evenly")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    sub->footer(
        "\nExamples: animclip fit take.bvh hero.glb --complex sim/\n"
        "          animclip fit take.glb fitted.glb --character hero.glb --complex sim.usda\n");
  }

  void AddExport() {
    auto* sub = Add("export", "Write a character, and a clip that moves it, as one file",
                    [this](const Console& c) { return RunExport(export_, c); });
    sub->add_option("CHARACTER", export_.character, "woman, man, or a file")->required();
    sub->add_option("OUT", export_.out, "File to write: .glb, .usda or .x3d")->required();
    sub->add_option("--clip", export_.clip,
                    "Clip that it plays: a file, a built-in gesture (wave), or exercise");
    sub->add_option("--fps", export_.fps, "Frames a second of the clip; 30 unless given");
    sub->add_option("--avatar", export_.avatars,
                    "Who shows a character of the clip's scene, in place of CHARACTER")
        ->type_name("NAME=WHO")
        ->allow_extra_args(false);
    sub->add_option("--props", export_.props, "Folder of GLB files and pictures that show props");
    sub->add_flag("--overwrite", export_.overwrite,
                  "Replace a WAV next to OUT that holds another voice");
    sub->add_option("--look", export_.look, "Choices of its parts, such as hair=bob,skin=dark")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option(
           "--influences", export_.influences,
           "Joints that move a point, at most, for programs with a limit: the greatest are "
           "kept; 8 in a .glb, as many as there are in others, unless given")
        ->check(CLI::Range(1, 64));
    sub->add_option("--hanim", export_.hanim,
                    "Of .x3d: version of H-Anim's names, 1 or 2; 2 unless given")
        ->check(CLI::Range(1, 2));
    sub->add_flag("--frames", export_.frames, "Of .x3d: the clip as an HAnimMotion");
    AddOutsideSkelRoot(sub, &export_.outside_skel_root);
    sub->footer(
        "\nExamples: animclip export woman woman.glb --look hair=bob\n"
        "          animclip export woman take.glb --clip take.usda\n"
        "          animclip export woman table.glb --clip table.usda --avatar Bert=man\n");
  }

  void AddOffsets() {
    auto* sub = app_.add_subcommand("offsets", "Look at .offsets files, and compare methods");
    sub->require_subcommand(1);
    sub->footer("\nExample: animclip offsets info exercise.offsets\n");
    auto* info = sub->add_subcommand("info", "Print header and chunks, and check each chunk");
    info->add_option("FILE", offsets_info_.file, "File to look at")->required();
    info->callback([this] {
      command_ = [this](const Console& c) { return RunOffsetsInfo(offsets_info_, c); };
    });
    info->footer("\nExample: animclip offsets info exercise.offsets\n");
    auto* compare = sub->add_subcommand("compare", "A table of ratio against error, by method");
    compare->add_option("CLIP", offsets_compare_.clip, "Clip to bake")->capture_default_str();
    compare
        ->add_option("--character", offsets_compare_.character, "woman, man, or a GLB or VRM file")
        ->capture_default_str();
    compare->add_option("--into", offsets_compare_.page,
                        "Page that gets the table, between its marks");
    compare->add_option("--plot", offsets_compare_.plot, "Picture to draw it in: .svg or .png");
    compare->callback([this] {
      command_ = [this](const Console& c) { return RunOffsetsCompare(offsets_compare_, c); };
    });
    compare->footer(
        "\nh264, h265 and vp9 need the ffmpeg program; without it they are left out.\n"
        "Example: animclip offsets compare --into docs/evidence/complex-characters.md "
        "--plot ratio.svg\n");
  }

  CLI::App app_;
  Command command_;
  InfoOptions info_;
  ValidateOptions validate_;
  ConvertOptions convert_, retarget_{.command = "retarget"};
  CutOptions cut_;
  ConcatOptions concat_;
  MirrorOptions mirror_;
  RetimeOptions retime_;
  SmoothOptions smooth_;
  DiffOptions diff_;
  RecoverOptions recover_;
  SheetCommandOptions sheet_;
  PlotCommandOptions plot_;
  GesturesOptions gestures_;
  BakeOptions bake_;
  FitOptions fit_;
  ExportOptions export_;
  OffsetsInfoOptions offsets_info_;
  OffsetsCompareOptions offsets_compare_;
};

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const Console& console) {
  Cli cli;
  return cli.Run(argc, argv, console);
}

}  // namespace posewire::animclip
