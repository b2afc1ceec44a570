// Process setup that every program does first.
#ifndef POSEWIRE_LIBS_PROGRAM_PREPARE_PROCESS_H_
#define POSEWIRE_LIBS_PROGRAM_PREPARE_PROCESS_H_

namespace posewire::program {

// Must be the first call in main.
//
// - Opens /dev/null as each of descriptors 0 to 2 that is closed, so that no file or socket opened
//   later gets one of these numbers and receives printed text. Linking this function is enough: it
//   also runs before libraries open files.
// - Ignores SIGXFSZ, so that a write past the limit on file sizes (`ulimit -f`) fails with EFBIG
//   instead of ending the process.
void PrepareProcess();

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_PREPARE_PROCESS_H_
