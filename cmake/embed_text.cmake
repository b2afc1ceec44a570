# Writes OUT, a .cc file that defines FUNCTION of HEADER in NAMESPACE: file name -> text of FILES.
#   cmake -DOUT=x.cc -DFILES="a;b" -DHEADER=libs/x/y.h -DNAMESPACE=a::b -DFUNCTION=Name -P this
set(body "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND body "    {\"${name}\", R\"posewire(${text})posewire\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

struct File {
  absl::string_view name;
  absl::string_view text;
};

constexpr File kFiles[] = {
${body}};

}  // namespace

absl::string_view ${FUNCTION}(absl::string_view file_name) {
  for (const File& file : kFiles) {
    if (file.name == file_name) return file.text;
  }
  return {};
}

}  // namespace ${NAMESPACE}
")
