#include "libs/service/about/reflection.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "grpc.reflection.v1alpha.pb.h"

namespace posewire::service {
namespace {

namespace pb = ::grpc::reflection::v1alpha;
using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

void NotFound(absl::string_view what, const std::string& name, pb::ServerReflectionResponse* out) {
  out->mutable_error_response()->set_error_code(static_cast<int>(absl::StatusCode::kNotFound));
  out->mutable_error_response()->set_error_message(absl::StrCat("there is no ", what, " ", name));
}

// Adds the file and everything that it imports.
void AddFiles(const FileDescriptor* first, pb::FileDescriptorResponse* out) {
  std::vector<const FileDescriptor*> files = {first};
  for (size_t i = 0; i < files.size(); ++i) {
    const FileDescriptor* const file = files[i];
    google::protobuf::FileDescriptorProto described;
    file->CopyTo(&described);
    *out->add_file_descriptor_proto() = described.SerializeAsString();
    for (int d = 0; d < file->dependency_count(); ++d) {
      const FileDescriptor* const next = file->dependency(d);
      if (std::find(files.begin(), files.end(), next) == files.end()) files.push_back(next);
    }
  }
}

void AddFound(const FileDescriptor* file, absl::string_view what, const std::string& name,
              pb::ServerReflectionResponse* out) {
  if (file == nullptr) return NotFound(what, name, out);
  AddFiles(file, out->mutable_file_descriptor_response());
}

void AddExtensionNumbers(const DescriptorPool& pool, const std::string& type,
                         pb::ServerReflectionResponse* out) {
  const Descriptor* const found = pool.FindMessageTypeByName(type);
  if (found == nullptr) return NotFound("message", type, out);
  std::vector<const FieldDescriptor*> extensions;
  pool.FindAllExtensions(found, &extensions);
  out->mutable_all_extension_numbers_response()->set_base_type_name(type);
  for (const FieldDescriptor* extension : extensions) {
    out->mutable_all_extension_numbers_response()->add_extension_number(extension->number());
  }
}

}  // namespace

absl::StatusOr<std::string> AnswerReflection(const std::string& request,
                                             const std::vector<std::string>& services) {
  using Request = pb::ServerReflectionRequest;
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  pb::ServerReflectionResponse out;
  Request& asked = *out.mutable_original_request();
  if (!asked.ParseFromString(request)) {
    return absl::InvalidArgumentError("the message is no ServerReflectionRequest");
  }
  out.set_valid_host(asked.host());
  switch (asked.message_request_case()) {
    case Request::kFileByFilename: {
      const std::string& name = asked.file_by_filename();
      AddFound(pool.FindFileByName(name), "file", name, &out);
      break;
    }
    case Request::kFileContainingSymbol: {
      const std::string& name = asked.file_containing_symbol();
      AddFound(pool.FindFileContainingSymbol(name), "symbol", name, &out);
      break;
    }
    case Request::kFileContainingExtension: {
      const pb::ExtensionRequest& extension = asked.file_containing_extension();
      const Descriptor* const type = pool.FindMessageTypeByName(extension.containing_type());
      const FieldDescriptor* const field =
          type == nullptr ? nullptr
                          : pool.FindExtensionByNumber(type, extension.extension_number());
      AddFound(field == nullptr ? nullptr : field->file(), "such extension of",
               extension.containing_type(), &out);
      break;
    }
    case Request::kAllExtensionNumbersOfType:
      AddExtensionNumbers(pool, asked.all_extension_numbers_of_type(), &out);
      break;
    case Request::kListServices:
      for (const std::string& name : services) {
        out.mutable_list_services_response()->add_service()->set_name(name);
      }
      break;
    case Request::MESSAGE_REQUEST_NOT_SET:
      return absl::InvalidArgumentError("message_request is not set");
  }
  return out.SerializeAsString();
}

}  // namespace posewire::service
