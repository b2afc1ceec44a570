// Whether what a program printed has arrived.
#ifndef POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_
#define POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::program {

// Flushes standard output, that of stdio and of std::cout. Returns why something that was printed
// could not be written, such as "No space left on device"; "" if all was written, or if the reader
// of a pipe has gone, since `| head` has read what it wanted.
std::string FlushStandardOutput();

// The last call in main: the exit code of a program that would end with `code`. That is 1 instead
// of 0 if standard output could not be written; standard error says so.
int EndWith(absl::string_view program, int code);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_STANDARD_OUTPUT_H_
