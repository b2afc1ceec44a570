// Factories of renderer_sink's commands. Each is implemented in the folder of its name.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_COMMANDS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_COMMANDS_H_

#include <memory>

#include "libs/service/command.h"
#include "services/renderer_sink/draw/draw_settings.h"
#include "services/renderer_sink/drive/drive_config.h"
#include "services/renderer_sink/pull/pull_settings.h"

namespace posewire::renderer_sink {

// The shared settings must outlive the commands.
std::unique_ptr<service::Command> MakeRecord(const PullSettings& pull);
std::unique_ptr<service::Command> MakePrint(const PullSettings& pull);
std::unique_ptr<service::Command> MakeView(const PullSettings& pull, const DrawSettings& draw);
std::unique_ptr<service::Command> MakeLivelink(const PullSettings& pull, const DriveConfig& drive);
std::unique_ptr<service::Command> MakeVmc(const PullSettings& pull, const DriveConfig& drive);
std::unique_ptr<service::Command> MakeRender(const DrawSettings& draw);
std::unique_ptr<service::Command> MakeFaces(const DrawSettings& draw);
std::unique_ptr<service::Command> MakeStream(const PullSettings& pull, const DrawSettings& draw);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_COMMANDS_H_
