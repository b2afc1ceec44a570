#include "libs/service/flags/flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/files/read.h"
#include "libs/names/known_names.h"
#include "libs/names/nearest_names.h"
#include "libs/program/terminal_text.h"
#include "libs/service/flags/flag_values.h"

namespace posewire::service {
namespace {

using internal::IsBool;
using internal::IsList;

constexpr uint64_t kMostConfig_bytes = 1 << 20;
constexpr char kRequired[] = "(required)";
constexpr char kHelpGroup[] = "Help";

std::string VariableName(absl::string_view flag) {
  return absl::StrCat("POSEWIRE_",
                      absl::AsciiStrToUpper(absl::StrReplaceAll(flag, {{"-", "_"}, {".", "_"}})));
}

bool VariableSet(absl::string_view flag) {
  const char* value = std::getenv(VariableName(flag).c_str());
  return value != nullptr && *value != '\0';
}

// Returns "; did you mean --fps?" if one of the names is similar; otherwise "".
std::string Meant(absl::string_view before, absl::string_view name,
                  const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = NearestNames(name, names, 1);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", before, nearest.front(), "?");
}

struct Field {
  std::string name = {};
  std::string command = {};  // Of a positional.
  bool positional = false;
  Flags::Target target = {};
  FlagRules rules = {};
  std::string initially = {};  // its text when it was declared
  std::string place = {};      // position in the config file, if that set it
  bool passed_over = false;    // set in file or environment, but belongs to other commands
  CLI::Option* option = nullptr;
  FlagOrigin origin = FlagOrigin::kDefault;

  std::string Label() const { return positional ? name : absl::StrCat("--", name); }
  bool AppliesTo(const std::string& chosen) const {
    if (positional) return command.empty() || command == chosen;
    return rules.commands.empty() ||
           std::find(rules.commands.begin(), rules.commands.end(), chosen) != rules.commands.end();
  }
};

// CLI11 reads the file before the environment and keeps the first value. This reader drops keys
// whose variable is set, so that the environment overrides the file. It collects unknown keys
// instead of throwing, so that all errors are shown together. CLI11 would open a pipe and wait for
// it, so it gets /dev/null to open, and the text that TakeFile has read.
class FileReader : public CLI::ConfigTOML {
 public:
  FileReader(std::vector<Field>* fields, std::vector<std::string>* errors)
      : fields_(fields), errors_(errors) {}

  // Reads the file, and replaces its path by /dev/null. Returns the error, or "".
  std::string TakeFile(std::string& path) {
    if (path == kTaken && !path_.empty()) return "";  // CLI11 calls this twice
    // /dev/null disables a file that was set elsewhere.
    const absl::StatusOr<std::string> text =
        path == "/dev/null" ? std::string() : files::ReadWhole(path, kMostConfig_bytes);
    if (!text.ok()) return std::string(text.status().message());
    text_ = *text;
    path_ = std::exchange(path, kTaken);
    return "";
  }

  std::vector<CLI::ConfigItem> from_config(std::istream&) const override {
    std::vector<CLI::ConfigItem> kept;
    std::vector<std::string> names;
    for (const Field& field : *fields_) {
      if (!field.positional) names.push_back(field.name);
    }
    std::istringstream in(text_);
    for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(in)) {
      if (item.name == "++" || item.name == "--") continue;  // Section marks.
      const std::string place = Place(item.name);
      const auto field = std::find_if(fields_->begin(), fields_->end(), [&](const Field& f) {
        return !f.positional && f.name == item.name;
      });
      if (!item.parents.empty() || field == fields_->end()) {
        errors_->push_back(absl::StrCat(place, ": there is no setting ", item.fullname(),
                                        Meant("", item.name, names)));
      } else if (!VariableSet(item.name)) {
        field->place = place;
        kept.push_back(std::move(item));
      }
    }
    return kept;
  }

 private:
  // Returns "FILE:LINE" of the first line that sets `key`.
  std::string Place(absl::string_view key) const {
    int number = 0;
    for (absl::string_view line : absl::StrSplit(text_, '\n')) {
      ++number;
      const absl::string_view name = absl::StripAsciiWhitespace(line.substr(0, line.find('=')));
      if (name == key) return absl::StrCat(path_, ":", number);
    }
    return path_;
  }

  static constexpr char kTaken[] = "/dev/null";

  std::string path_, text_;
  std::vector<Field>* fields_;
  std::vector<std::string>* errors_;
};

// Shows a bool's two names without CLI11's mark for the second.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return absl::StrReplaceAll(CLI::Formatter::make_option_name(option, positional),
                               {{"{false}", ""}, {",", ", "}});
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    std::string name = make_option_name(option, true);
    if (option->get_allow_extra_args()) name += "...";
    return option->get_option_text() == kRequired ? name : absl::StrCat("[", name, "]");
  }

  // Returns the text before the settings: the commands of a program, or the arguments of a command.
  std::string Head(const CLI::App& program, const CLI::App* command) const {
    if (command == nullptr) {
      return absl::StrCat(make_description(&program), make_usage(&program, program.get_name()),
                          make_subcommands(&program, CLI::AppFormatMode::Normal));
    }
    return absl::StrCat(
        make_description(command),
        make_usage(command, absl::StrCat(program.get_name(), " ", command->get_name())),
        make_positionals(command));
  }
};

// Includes the examples of a command; of all commands if it is "".
std::string Footer(const ProgramInfo& info, absl::string_view command) {
  std::vector<std::string> examples = info.examples;
  if (!command.empty()) {
    std::erase_if(examples, [&](const std::string& line) {
      return !absl::StrContains(line, absl::StrCat(info.name, " ", command));
    });
  }
  std::string text = "\n";
  if (!examples.empty()) {
    absl::StrAppend(&text, "Examples:\n  ", absl::StrJoin(examples, "\n  "), "\n\n");
  }
  absl::StrAppend(
      &text,
      "Each --some-flag is also the variable POSEWIRE_SOME_FLAG and the key some-flag of "
      "the\nconfig file. A flag goes before the environment, that before the file.\n");
  return text;
}

}  // namespace

struct Flags::Impl {
  ProgramInfo info;
  CLI::App app;
  std::shared_ptr<HelpFormatter> formatter = std::make_shared<HelpFormatter>();
  std::string group = "Options";
  std::vector<std::string> only_for;
  std::vector<Field> fields;
  std::vector<std::function<absl::Status()>> checks;
  std::vector<std::string> errors;
  std::string command;
  bool unknown_command = false;  // the first word is not a command, so the remaining words are not
                                 // checked
  CLI::Option* config = nullptr;

  // Parses with CLI11. Returns the exit code after --help and --version.
  std::optional<int> RunCli(int argc, const char* const* argv, std::ostream& out);
  std::vector<std::string> WithValues(int argc, const char* const* argv) const;
  std::string Help(const CLI::App* chosen, bool all) const;
  void ListUnknown();
  std::vector<std::string> DoubtfulVariables() const;
  void SetFields(int argc, const char* const* argv);
  void CheckRequired();
  bool ExclusiveGiven() const;
  std::vector<std::string> FlagNames() const;  // flags that the command accepts
  std::vector<std::string> CommandNames() const;
};

Flags::Flags(ProgramInfo info) : impl_(std::make_unique<Impl>()) {
  if (info.version.empty()) info.version = POSEWIRE_VERSION;
  impl_->info = std::move(info);
  CLI::App& app = impl_->app;
  app.name(impl_->info.name);
  app.description(impl_->info.summary);
  app.allow_extras();
  app.set_help_flag("-h,--help", "Prints this help and ends.")->group(kHelpGroup);
  app.set_help_all_flag("--help-all", "Prints every setting and ends.")->group(kHelpGroup);
  app.set_version_flag(
         "--version", absl::StrCat(impl_->info.name, " ", impl_->info.version, "\n" POSEWIRE_BUILT),
         "Prints the version, and what was built with what, and ends.")
      ->group(kHelpGroup);
  impl_->formatter->column_width(38);
  impl_->formatter->label("SUBCOMMAND", "COMMAND");
  app.formatter(impl_->formatter);
  const char* file = std::getenv("POSEWIRE_CONFIG");
  const bool has_file = file != nullptr && *file != '\0';
  impl_->config = app.set_config("--config", has_file ? file : "",
                                 "TOML or INI file with any of these settings.", has_file)
                      ->option_text("FILE");
  impl_->config->group(kHelpGroup);
}

Flags::~Flags() = default;

void Flags::Group(absl::string_view heading) { impl_->group = std::string(heading); }

void Flags::OnlyFor(std::vector<std::string> commands) { impl_->only_for = std::move(commands); }

void Flags::Add(absl::string_view name, Target value, absl::string_view help, FlagRules rules) {
  Field field{.name = std::string(name),
              .target = value,
              .rules = std::move(rules),
              .initially = internal::ShowTarget(value)};
  if (field.rules.commands.empty()) field.rules.commands = impl_->only_for;
  const std::string flag = absl::StrCat("--", name);
  const std::string text(help);
  const std::string& shown = field.initially;
  if (IsBool(value)) {
    // CLI11 would take the second argument for the variable to set.
    field.option = impl_->app.add_flag(absl::StrCat(flag, ",!--no-", name));
    field.option->description(text)->option_text(absl::StrCat("[", shown, "]"));
  } else {
    field.option =
        impl_->app.add_option(flag, CLI::callback_t([](const auto&) { return true; }), text);
    field.option->type_size(1)->expected(1)->allow_extra_args(false);
    std::string label = internal::TypeName(value, field.rules);
    if (field.rules.required) {
      absl::StrAppend(&label, " (required)");
    } else if (!shown.empty() && field.rules.alone.empty()) {
      absl::StrAppend(&label, " [", shown, "]");
    }
    field.option->option_text(label);
  }
  field.option->multi_option_policy(IsList(value) ? CLI::MultiOptionPolicy::TakeAll
                                                  : CLI::MultiOptionPolicy::TakeLast);
  field.option->envname(VariableName(name))->group(impl_->group);
  impl_->fields.push_back(std::move(field));
}

void Flags::AddCommand(absl::string_view name, absl::string_view help) {
  CLI::App* command = impl_->app.add_subcommand(std::string(name), std::string(help));
  command->fallthrough()->allow_extras()->group("Commands");
}

void Flags::AddPositional(absl::string_view command, absl::string_view name, Target value,
                          absl::string_view help, FlagRules rules) {
  Field field{.name = std::string(name),
              .command = std::string(command),
              .positional = true,
              .target = value,
              .rules = std::move(rules),
              .initially = internal::ShowTarget(value)};
  CLI::App* app = command.empty() ? &impl_->app : impl_->app.get_subcommand(field.command);
  field.option = app->add_option(field.name, CLI::callback_t([](const auto&) { return true; }),
                                 std::string(help));
  field.option->type_size(1)->option_text(field.rules.required ? kRequired : " ");
  if (IsList(value)) {
    field.option->expected(-1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else {
    field.option->expected(1);
  }
  impl_->fields.push_back(std::move(field));
}

void Flags::AddCheck(std::function<absl::Status()> check) {
  impl_->checks.push_back(std::move(check));
}

std::vector<std::string> Flags::Impl::CommandNames() const {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> Flags::Impl::FlagNames() const {
  std::vector<std::string> names = {"help", "help-all", "version", "config"};
  for (const Field& field : fields) {
    if (!field.positional && (command.empty() || field.AppliesTo(command))) {
      names.push_back(field.name);
    }
  }
  return names;
}

// Gives flags that may be alone their value.
std::vector<std::string> Flags::Impl::WithValues(int argc, const char* const* argv) const {
  std::vector<std::string> words(argv, argv + argc);
  for (int i = 1; i < argc; ++i) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) {
      return !f.rules.alone.empty() && words[static_cast<size_t>(i)] == f.Label();
    });
    if (field == fields.end()) continue;
    int64_t number = 0;
    if (i + 1 < argc && absl::SimpleAtoi(argv[i + 1], &number)) continue;
    absl::StrAppend(&words[static_cast<size_t>(i)], "=", field->rules.alone);
  }
  return words;
}

std::optional<int> Flags::Impl::RunCli(int argc, const char* const* argv, std::ostream& out) {
  const std::vector<std::string> words = WithValues(argc, argv);
  std::vector<const char*> given;
  for (const std::string& word : words) given.push_back(word.c_str());
  const auto reader = std::make_shared<FileReader>(&fields, &errors);
  app.config_formatter(reader);
  // Applies to both --config and POSEWIRE_CONFIG.
  config->transform(CLI::Validator(
      [reader = reader.get()](std::string& path) { return reader->TakeFile(path); }, ""));
  try {
    app.parse(argc, given.data());
  } catch (const CLI::CallForHelp& e) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    out << Help(chosen.empty() ? nullptr : chosen.front(), /*all=*/false);
    return 0;
  } catch (const CLI::CallForAllHelp& e) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    out << Help(chosen.empty() ? nullptr : chosen.front(), /*all=*/true);
    return 0;
  } catch (const CLI::Success& e) {
    return app.exit(e, out, out);  // --version
  } catch (const CLI::Error& e) {
    errors.push_back(e.what());
  }
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (!chosen.empty()) command = chosen.front()->get_name();
  return std::nullopt;
}

// Returns the help of a command; without one, of the flags that all commands have. Sections with
// flags of the fewest commands come first. `all`: includes rare flags, and for the program also
// flags of single commands, with the commands' names.
std::string Flags::Impl::Help(const CLI::App* chosen, bool all) const {
  constexpr size_t kOfAll = std::numeric_limits<size_t>::max();
  struct Section {
    std::string heading;
    size_t commands = 0;  // largest number of commands that share one of its flags
    std::vector<const CLI::Option*> options = {};
  };
  std::vector<Section> sections;
  const auto section_of = [&](const std::string& heading) -> Section& {
    for (Section& section : sections) {
      if (section.heading == heading) return section;
    }
    return sections.emplace_back(Section{heading});
  };
  int left_out = 0;
  for (const Field& field : fields) {
    const std::vector<std::string>& commands = field.rules.commands;
    if (field.positional || (chosen != nullptr && !field.AppliesTo(chosen->get_name()))) continue;
    const bool of_some = chosen == nullptr && !commands.empty();
    if (!all && (field.rules.rare || of_some)) {
      ++left_out;
      continue;
    }
    if (of_some) {
      field.option->description(
          absl::StrCat(field.option->get_description(), " (", absl::StrJoin(commands, ", "), ")"));
    }
    Section& section = section_of(field.option->get_group());
    section.commands = std::max(section.commands, commands.empty() ? kOfAll : commands.size());
    section.options.push_back(field.option);
  }
  const std::vector<const CLI::Option*> own = {app.get_help_ptr(), app.get_help_all_ptr(),
                                               app.get_version_ptr(), config};
  for (const CLI::Option* option : own) {
    Section& help = section_of(kHelpGroup);
    help.commands = kOfAll;
    help.options.push_back(option);
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.commands < b.commands; });
  std::string text = formatter->Head(app, chosen);
  for (const Section& section : sections) {
    absl::StrAppend(&text, formatter->make_group(section.heading, false, section.options));
  }
  if (left_out > 0) {
    absl::StrAppend(&text, "\n--help-all shows ", left_out, " more settings");
    if (chosen == nullptr && !CommandNames().empty()) {
      absl::StrAppend(&text, ", COMMAND --help those of a command");
    }
    text += ".\n";
  }
  return absl::StrCat(text, Footer(info, chosen == nullptr ? "" : chosen->get_name()));
}

void Flags::Impl::ListUnknown() {
  const std::vector<std::string> names = FlagNames();
  bool after_flag = false;
  bool has_command = !command.empty() || CommandNames().empty();
  for (const std::string& extra : app.remaining(true)) {
    absl::string_view name = extra;
    if (absl::ConsumePrefix(&name, "-")) {
      absl::ConsumePrefix(&name, "-");
      name = name.substr(0, name.find('='));
      errors.push_back(absl::StrCat("unknown flag ", extra, Meant("--", name, names)));
      after_flag = true;
      continue;
    }
    // A word after an unknown flag is most likely its value.
    if (!std::exchange(after_flag, false)) {
      if (!has_command) {
        errors.push_back(
            absl::StrCat("unknown command \"", extra, "\"", KnownNames(extra, CommandNames())));
        has_command = true;
        unknown_command = true;
      } else if (!unknown_command) {  // otherwise it is an argument of the mistyped command
        errors.push_back(absl::StrCat("unexpected argument \"", extra, "\""));
      }
    }
  }
}

void Flags::Impl::SetFields(int argc, const char* const* argv) {
  const auto on_command_line = [&](const std::string& name) {
    for (int i = 1; i < argc; ++i) {
      absl::string_view arg = argv[i];
      if (!absl::ConsumePrefix(&arg, "--")) continue;
      arg = arg.substr(0, arg.find('='));
      if (arg == name || arg == absl::StrCat("no-", name)) return true;
    }
    return false;
  };
  for (Field& field : fields) {
    if (field.option->count() == 0) continue;
    if (field.positional || on_command_line(field.name)) {
      field.origin = FlagOrigin::kFlag;
    } else {
      field.origin = VariableSet(field.name) ? FlagOrigin::kEnvironment : FlagOrigin::kFile;
    }
    if (!command.empty() && !field.AppliesTo(command)) {
      field.passed_over = field.origin != FlagOrigin::kFlag;
      if (!field.passed_over) {
        errors.push_back(absl::StrCat(field.Label(), ": can be used only with ",
                                      absl::StrJoin(field.rules.commands, " and "),
                                      Meant("--", field.name, FlagNames())));
      }
      field.origin = FlagOrigin::kDefault;
      continue;
    }
    absl::Status s = internal::SetTarget(field.target, field.rules, field.option->results());
    if (!s.ok()) {
      const std::string where =
          field.origin == FlagOrigin::kEnvironment
              ? absl::StrCat(" (from ", VariableName(field.name), ")")
              : (field.origin == FlagOrigin::kFile ? absl::StrCat(" (from ", field.place, ")")
                                                   : "");
      errors.push_back(absl::StrCat(field.Label(), where, ": ",
                                    absl::string_view(s.message().data(), s.message().size())));
    }
  }
}

bool Flags::Impl::ExclusiveGiven() const {
  return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
    return field.rules.exclusive && field.origin != FlagOrigin::kDefault;
  });
}

void Flags::Impl::CheckRequired() {
  if (ExclusiveGiven()) return;
  const std::vector<std::string> commands = CommandNames();
  if (!commands.empty() && command.empty() && errors.empty()) {
    errors.push_back(absl::StrCat("a command is needed: one of ", absl::StrJoin(commands, ", ")));
    return;
  }
  for (const Field& field : fields) {
    if (field.rules.required && field.origin == FlagOrigin::kDefault && field.AppliesTo(command)) {
      errors.push_back(absl::StrCat(field.Label(), ": is required"));
    }
  }
  if (!errors.empty()) return;
  for (const auto& check : checks) {
    if (absl::Status s = check(); !s.ok()) errors.push_back(std::string(s.message()));
  }
}

// The environment may contain settings of other programs. Names that are not similar to a known one
// are ignored; similar ones are reported, but not as errors.
std::vector<std::string> Flags::Impl::DoubtfulVariables() const {
  const std::string prefix = VariableName("");
  const auto short_name = [&](absl::string_view flag) {
    return VariableName(flag).substr(prefix.size());
  };
  std::vector<std::string> known = {short_name("config")};
  for (const Field& field : fields) {
    if (!field.positional) known.push_back(short_name(field.name));
  }
  std::vector<std::string> lines;
  for (char** at = environ; *at != nullptr; ++at) {
    absl::string_view name(*at);
    name = name.substr(0, name.find('='));
    if (!absl::ConsumePrefix(&name, prefix)) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = Meant(prefix, name, known);
    if (meant.empty()) continue;
    lines.push_back(absl::StrCat("the variable ", prefix, name, " matches no setting", meant));
  }
  return lines;
}

std::optional<int> Flags::Parse(int argc, const char* const* argv, std::ostream& out,
                                std::ostream& err) {
  if (std::optional<int> code = impl_->RunCli(argc, argv, out)) return code;
  impl_->SetFields(argc, argv);
  impl_->ListUnknown();
  impl_->CheckRequired();
  for (const std::string& line : impl_->DoubtfulVariables()) {
    err << impl_->info.name << ": " << program::TerminalLines(line) << "\n";
  }
  if (impl_->errors.empty()) return std::nullopt;
  for (const std::string& error : impl_->errors) {
    err << impl_->info.name << ": " << program::TerminalLines(error) << "\n";
  }
  err << "Run `" << impl_->info.name << (impl_->command.empty() ? "" : " ") << impl_->command
      << " --help` for the settings.\n";
  return 2;
}

std::optional<int> Flags::Parse(int argc, const char* const* argv) {
  return Parse(argc, argv, std::cout, std::cerr);
}

const std::string& Flags::command() const { return impl_->command; }
const ProgramInfo& Flags::info() const { return impl_->info; }

std::vector<FlagValue> Flags::Effective() const {
  std::vector<FlagValue> values;
  for (const Field& field : impl_->fields) {
    if (!impl_->command.empty() && !field.AppliesTo(impl_->command)) continue;
    const std::string text = internal::ShowTarget(field.target);
    FlagValue value{.name = field.name,
                    .value = internal::ValueOf(field.target),
                    .origin = field.origin,
                    .changed = text != field.initially};
    if ((field.rules.secret && !text.empty()) ||
        (field.rules.secret_url && absl::StrContains(text, "://")))
      value.value = std::string("***");
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<std::string> Flags::PassedOver() const {
  std::vector<std::string> names;
  for (const Field& field : impl_->fields) {
    if (field.passed_over) names.push_back(field.name);
  }
  return names;
}

}  // namespace posewire::service
