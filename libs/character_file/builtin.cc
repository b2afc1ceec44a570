#include "libs/character_file/builtin.h"

// The assembler includes the files as they are. As C++ text they would take a minute to compile.
#define POSEWIRE_EMBED(name, path)                                                  \
  asm(".section .rodata\n.balign 16\nposewire_character_" name ":\n.incbin \"" path \
      "\"\nposewire_character_" name "_end:\n.byte 0\n.previous\n")

POSEWIRE_EMBED("woman", POSEWIRE_WOMAN);
POSEWIRE_EMBED("man", POSEWIRE_MAN);

extern "C" {
extern const char posewire_character_woman[], posewire_character_woman_end[];
extern const char posewire_character_man[], posewire_character_man_end[];
}

namespace posewire::character_file {

absl::string_view BuiltinFile(absl::string_view name) {
  const auto bytes = [](const char* begin, const char* end) {
    return absl::string_view(begin, static_cast<size_t>(end - begin));
  };
  if (name == "woman") return bytes(posewire_character_woman, posewire_character_woman_end);
  if (name == "man") return bytes(posewire_character_man, posewire_character_man_end);
  return {};
}

}  // namespace posewire::character_file
