# Writes OUT, a .cc file that holds each of FILES as a string: cmake -DOUT=x.cc -DFILES="a;b" -P this.
set(body "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND body "    {\"${name}\", R\"posewire(${text})posewire\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"libs/skel/builtin_data.h\"

namespace posewire::skel {
namespace {

struct File {
  absl::string_view name;
  absl::string_view text;
};

constexpr File kFiles[] = {
${body}};

}  // namespace

absl::string_view BuiltinData(absl::string_view file_name) {
  for (const File& file : kFiles) {
    if (file.name == file_name) return file.text;
  }
  return {};
}

}  // namespace posewire::skel
")
