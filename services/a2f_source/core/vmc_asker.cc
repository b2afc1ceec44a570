#include "services/a2f_source/core/vmc_asker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/vmc/text_form.h"

namespace posewire::a2f_source {
namespace {

constexpr double kAgain_s = 1;
constexpr absl::string_view kModes[] = {"normal", "mr", "floor"};

}  // namespace

absl::StatusOr<VmcAsker> VmcAsker::Make(const VmcAskerSettings& settings) {
  VmcAsker asker;
  const auto add = [&asker](double after_s, absl::string_view line,
                            bool once = false) -> absl::Status {
    auto datagram = vmc::EncodeLine(line);
    if (!datagram.ok()) return datagram.status();
    asker.steps_.push_back({after_s, *std::move(datagram), once});
    return absl::OkStatus();
  };
  absl::Status status = add(0, "/VMC/Ext/Set/Req");
  status.Update(add(kAgain_s, "/VMC/Ext/Set/Req"));
  if (!settings.period.empty()) {
    const std::vector<std::string> numbers = absl::StrSplit(settings.period, ',');
    std::string line = "/VMC/Ext/Set/Period";
    int n = 0;
    for (const std::string& number : numbers) {
      if (!absl::SimpleAtoi(number, &n) || n < 1) break;
      absl::StrAppend(&line, " ", n);
    }
    if (numbers.size() != 6 || std::count(line.begin(), line.end(), ' ') != 6) {
      return absl::InvalidArgumentError(absl::StrCat(
          "period \"", settings.period,
          "\" is not of the form STATUS,ROOT,BONE,SHAPES,CAMERA,DEVICES, each a number from 1"));
    }
    status.Update(add(0, line));
    status.Update(add(kAgain_s, line));
  }
  if (settings.calibration != "none") {
    const auto* const mode = std::find(std::begin(kModes), std::end(kModes), settings.calibration);
    if (mode == std::end(kModes)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "calibration \"", settings.calibration, "\" is not one of none, normal, mr and floor"));
    }
    if (!(settings.calibrate_after_s >= 0) || settings.calibrate_after_s > 3600) {
      return absl::InvalidArgumentError(
          absl::StrCat("calibrate_after_s ", settings.calibrate_after_s, ": 0 to 3600 is valid"));
    }
    status.Update(add(0, "/VMC/Ext/Set/Calib/Ready", /*once=*/true));
    status.Update(add(settings.calibrate_after_s,
                      absl::StrCat("/VMC/Ext/Set/Calib/Exec ", mode - std::begin(kModes)),
                      /*once=*/true));
  }
  for (const std::string& line : settings.messages) status.Update(add(0, line));
  if (!status.ok()) return status;
  std::stable_sort(asker.steps_.begin(), asker.steps_.end(),
                   [](const Step& a, const Step& b) { return a.after_s < b.after_s; });
  return asker;
}

absl::Span<const std::string> VmcAsker::Due(bool present, double now_s) {
  due_.clear();
  if (!present) {
    since_s_.reset();
    return due_;
  }
  if (!since_s_) {
    since_s_ = now_s;
    next_ = 0;
  }
  for (; next_ < steps_.size() && now_s - *since_s_ >= steps_[next_].after_s; ++next_) {
    Step& step = steps_[next_];
    if (step.once && std::exchange(step.sent, true)) continue;
    due_.push_back(step.datagram);
  }
  return due_;
}

}  // namespace posewire::a2f_source
