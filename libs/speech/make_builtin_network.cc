// Embeds the file of weights in the library at build time:
//   make_builtin_network IN OUT
// writes OUT, a .cc file that defines BuiltinNetworkBytes() of builtin_network.h.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cmake/bytes_literal.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "make_builtin_network IN OUT\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::ofstream out(argv[2], std::ios::binary);
  out << "#include \"libs/speech/builtin_network.h\"\n\n"
      << "namespace posewire::speech {\n\n"
      << "absl::string_view BuiltinNetworkBytes() {\n"
      << "  static constexpr char kBytes[] =\n"
      << posewire::BytesLiteral(bytes) << ";\n"
      << "  return {kBytes, sizeof(kBytes) - 1};\n}\n\n}  // namespace posewire::speech\n";
  if (bytes.empty() || !out.flush()) {
    std::fprintf(stderr, "cannot read %s or write %s\n", argv[1], argv[2]);
    return 1;
  }
  return 0;
}
