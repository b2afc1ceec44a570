// The signals that ask a program to stop.
#ifndef POSEWIRE_LIBS_PROGRAM_STOP_SIGNALS_H_
#define POSEWIRE_LIBS_PROGRAM_STOP_SIGNALS_H_

#include <signal.h>

namespace posewire::program {

// Returns SIGTERM, SIGINT, SIGQUIT, and SIGHUP unless the process ignores it, as under nohup. (A
// blocked signal would be received although it is ignored.)
sigset_t StopSignals();

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_STOP_SIGNALS_H_
