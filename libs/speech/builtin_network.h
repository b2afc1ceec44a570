// data/speech/visemes.nn, compiled into the library, so that no file is read at run time.
#ifndef POSEWIRE_LIBS_SPEECH_BUILTIN_NETWORK_H_
#define POSEWIRE_LIBS_SPEECH_BUILTIN_NETWORK_H_

#include "absl/strings/string_view.h"

namespace posewire::speech {

absl::string_view BuiltinNetworkBytes();

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_BUILTIN_NETWORK_H_
