// The clock of a run: sleeps until a time, or until the process is told to stop.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_STOP_CLOCK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_STOP_CLOCK_H_

#include "libs/client/connection.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

class StopClock : public Clock {
 public:
  explicit StopClock(service::Process& process) : process_(process) {}
  double Now() override { return client::SteadySeconds(); }
  bool SleepUntil(double time_s) override {
    const double left_s = time_s - Now();
    return left_s > 0 ? !process_.WaitForStopFor(left_s) : !process_.StopRequested();
  }

 private:
  service::Process& process_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_STOP_CLOCK_H_
