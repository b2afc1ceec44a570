// Settings of a program. Each field of its config struct is declared once, and that line gives it a
// command-line flag, an environment variable and a key in the config file.
//
//   struct SinkConfig {
//     std::string from = "127.0.0.1:51000";  // Address of the anim_graph.
//     double start_wait_s = 2.0;
//     std::string out;
//   };
//   service::Flags flags({.name = "renderer_sink", .summary = "Pulls and records.",
//                         .examples = {"renderer_sink record take.animdata --stream-id s1"}});
//   flags.Add("from", &config.from, "Address of the anim_graph.", {.value_name = "HOST:PORT"});
//   flags.Add("start-wait-s", &config.start_wait_s, "Seconds to wait.", {.min = 0, .max = 60});
//   flags.AddCommand("record", "Writes a pull to disk.");
//   flags.AddPositional("record", "OUT", &config.out, "File to write.", {.required = true});
//   if (std::optional<int> code = flags.Parse(argc, argv)) return *code;
//
// The flag `--start-wait-s 3`, the variable POSEWIRE_START_WAIT_S=3 and the line `start-wait-s = 3`
// in the TOML or INI file named by --config (POSEWIRE_CONFIG) set the same field. A flag overrides
// the environment, the environment the file, and the file the default in the struct. Flags may be
// before or after the command. A bool is `--x`, `--x=false` or `--no-x`. A scalar given twice takes
// the last value; a list takes one value per flag, or an array in the file.
#ifndef POSEWIRE_LIBS_SERVICE_FLAGS_FLAGS_H_
#define POSEWIRE_LIBS_SERVICE_FLAGS_FLAGS_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::service {

struct ProgramInfo {
  std::string name = {};                   // As typed, "anim_graph".
  std::string summary = {};                // One or two sentences.
  std::vector<std::string> examples = {};  // Whole command lines.
  std::string version = {};                // Empty: the version of this build.
};

// Constraints on a value. All are checked before Parse returns.
struct FlagRules {
  std::string value_name = {};            // In the help, such as "HOST:PORT"; else by type.
  std::vector<std::string> choices = {};  // Not empty: the value is one of these.
  double min = -std::numeric_limits<double>::infinity();  // Numbers only, inclusive.
  double max = std::numeric_limits<double>::infinity();
  // Not empty, of a whole number: its value if the flag is given without one. The next argument is
  // its value if it is a number. In the environment and the file, "true" is this value, and "false"
  // the default.
  std::string alone = {};
  bool required = false;                   // From flag, environment or file.
  bool secret = false;                     // Effective() shows "***".
  bool secret_url = false;                 // Effective() shows "***" for a URL, which may contain a
                                           // key.
  bool exclusive = false;                  // If given, no other flag is required.
  bool rare = false;                       // Shown only by --help-all.
  std::vector<std::string> commands = {};  // Not empty: only these commands have the flag; else see
                                           // OnlyFor.
  // Not null: called with the value's text (for a list, with each).
  std::function<absl::Status(absl::string_view)> check = {};
};

enum class FlagOrigin { kDefault, kFile, kEnvironment, kFlag };

struct FlagValue {
  using Value = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;
  std::string name;  // "start-wait-s"
  Value value;       // "***" for a secret, unless it is empty
  FlagOrigin origin = FlagOrigin::kDefault;
  bool changed = false;  // differs from its value at declaration
};

// Not thread-safe; used once, at the start of main. The pointers to values must be valid until
// Parse returns. Declaring a name twice is a programming error and ends the process.
class Flags {
 public:
  // The possible types of a field.
  using Target =
      std::variant<bool*, int*, int64_t*, double*, std::string*, std::vector<std::string>*>;

  explicit Flags(ProgramInfo info);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  // Sets the heading in --help for flags that are added after this.
  void Group(absl::string_view heading);
  // Restricts flags that are added after this, and have no commands of their own, to these
  // commands; an empty list ends the restriction. On the command line, other commands reject them.
  // In the file and the environment, which commands share, other commands ignore them.
  void OnlyFor(std::vector<std::string> commands);
  // Adds the flag `--name`. The current value in the struct is the default.
  void Add(absl::string_view name, Target value, absl::string_view help, FlagRules rules = {});
  // Adds a command. If a program has commands, the command line must name one.
  void AddCommand(absl::string_view name, absl::string_view help);
  // Adds a positional argument, in the order of the calls; the command "" is the program itself. It
  // has no variable and no key in the file. A list takes all remaining arguments.
  void AddPositional(absl::string_view command, absl::string_view name, Target value,
                     absl::string_view help, FlagRules rules = {});
  // Adds a check over several fields, run after all values are set. Its text joins the other
  // errors.
  void AddCheck(std::function<absl::Status()> check);

  // Fills the fields. Returns the exit code if the program must end now: 0 after --help, --help-all
  // and --version (written to `out`), 2 after errors, all of which are written to `err`. Otherwise
  // nullopt.
  std::optional<int> Parse(int argc, const char* const* argv, std::ostream& out, std::ostream& err);
  // The same with std::cout and std::cerr.
  std::optional<int> Parse(int argc, const char* const* argv);

  // Returns the command on the command line, or an empty string. Call after Parse.
  const std::string& command() const;
  const ProgramInfo& info() const;
  // Returns every flag of the command with its value and origin, in the order of declaration.
  std::vector<FlagValue> Effective() const;
  // Returns the names set by file and environment that belong to other commands.
  std::vector<std::string> PassedOver() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_FLAGS_FLAGS_H_
