// Checks whether printed text was written.
#ifndef POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_
#define POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::program {

// Flushes standard output, both stdio's and std::cout. Returns why printed text could not be
// written, such as "No space left on device". Returns "" if all was written, or if the reader of a
// pipe has closed it, since `| head` has read all it needs.
std::string FlushStandardOutput();

// Must be the last call in main. Returns the exit code for a program that would end with `code`: 1
// instead of 0 if standard output could not be written, with a message on standard error.
int EndWith(absl::string_view program, int code);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_
