// Pins the descriptors that foreign clients were compiled against: a change here breaks them.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nvidia_ace.animation_data.v1.pb.h"
#include "nvidia_ace.emotion_aggregate.v1.pb.h"
#include "nvidia_ace.services.a2f.v1.pb.h"
#include "nvidia_ace.services.a2f_controller.v1.pb.h"
#include "nvidia_ace.services.animation_controller.v1.pb.h"
#include "nvidia_ace.services.animation_data.v1.pb.h"

namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

// The type as a .proto file writes it, with the word before it.
std::string TypeOf(const FieldDescriptor& f) {
  if (f.is_map()) {
    return "map<" + TypeOf(*f.message_type()->map_key()) + ", " +
           TypeOf(*f.message_type()->map_value()) + ">";
  }
  std::string label = f.is_repeated() ? "repeated " : "";
  if (f.real_containing_oneof() != nullptr) {
    label = "oneof(" + f.real_containing_oneof()->name() + ") ";
  } else if (f.has_optional_keyword()) {
    label = "optional ";
  }
  if (f.message_type() != nullptr) return label + f.message_type()->full_name();
  if (f.enum_type() != nullptr) return label + f.enum_type()->full_name();
  return label + f.type_name();
}

void Describe(const EnumDescriptor& e, std::string* out) {
  *out += "enum " + e.full_name() + "\n";
  for (int i = 0; i < e.value_count(); ++i) {
    *out += "  " + e.value(i)->name() + " = " + std::to_string(e.value(i)->number()) + "\n";
  }
}

void Describe(const Descriptor& m, std::string* out) {
  *out += "message " + m.full_name() + "\n";
  for (int i = 0; i < m.field_count(); ++i) {
    const FieldDescriptor& f = *m.field(i);
    *out += "  " + TypeOf(f) + " " + f.name() + " = " + std::to_string(f.number()) + "\n";
  }
  for (int i = 0; i < m.enum_type_count(); ++i) Describe(*m.enum_type(i), out);
}

std::string Describe(const FileDescriptor& file) {
  std::string out = "package " + file.package() + "\n";
  for (int i = 0; i < file.dependency_count(); ++i)
    out += "import " + file.dependency(i)->name() + "\n";
  for (int i = 0; i < file.message_type_count(); ++i) Describe(*file.message_type(i), &out);
  for (int i = 0; i < file.enum_type_count(); ++i) Describe(*file.enum_type(i), &out);
  for (int i = 0; i < file.service_count(); ++i) {
    out += "service " + file.service(i)->full_name() + "\n";
    for (int k = 0; k < file.service(i)->method_count(); ++k) {
      const MethodDescriptor& m = *file.service(i)->method(k);
      out += "  " + m.name() + "(" + (m.client_streaming() ? "stream " : "") +
             m.input_type()->full_name() + ") returns (" + (m.server_streaming() ? "stream " : "") +
             m.output_type()->full_name() + ")\n";
    }
  }
  return out;
}

std::string DescribeFile(const std::string& name) {
  const FileDescriptor* file = DescriptorPool::generated_pool()->FindFileByName(name);
  return file == nullptr ? "no file " + name : Describe(*file);
}

TEST(Descriptors, AnimationIdIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.animation_id.v1.proto"), R"(package nvidia_ace.animation_id.v1
message nvidia_ace.animation_id.v1.AnimationIds
  string request_id = 1
  string stream_id = 2
  string target_object_id = 3
)");
}

TEST(Descriptors, AudioIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.audio.v1.proto"), R"(package nvidia_ace.audio.v1
message nvidia_ace.audio.v1.AudioHeader
  nvidia_ace.audio.v1.AudioHeader.AudioFormat audio_format = 1
  uint32 channel_count = 2
  uint32 samples_per_second = 3
  uint32 bits_per_sample = 4
enum nvidia_ace.audio.v1.AudioHeader.AudioFormat
  AUDIO_FORMAT_PCM = 0
)");
}

TEST(Descriptors, StatusIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.status.v1.proto"), R"(package nvidia_ace.status.v1
message nvidia_ace.status.v1.Status
  nvidia_ace.status.v1.Status.Code code = 1
  string message = 2
enum nvidia_ace.status.v1.Status.Code
  SUCCESS = 0
  INFO = 1
  WARNING = 2
  ERROR = 3
)");
}

TEST(Descriptors, AnimationDataIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.animation_data.v1.proto"),
            R"(package nvidia_ace.animation_data.v1
import nvidia_ace.animation_id.v1.proto
import nvidia_ace.audio.v1.proto
import nvidia_ace.status.v1.proto
import google/protobuf/any.proto
message nvidia_ace.animation_data.v1.AnimationDataStreamHeader
  nvidia_ace.animation_id.v1.AnimationIds animation_ids = 1
  optional string source_service_id = 2
  optional nvidia_ace.audio.v1.AudioHeader audio_header = 3
  optional nvidia_ace.animation_data.v1.SkelAnimationHeader skel_animation_header = 4
  double start_time_code_since_epoch = 5
message nvidia_ace.animation_data.v1.AnimationDataStream
  oneof(stream_part) nvidia_ace.animation_data.v1.AnimationDataStreamHeader animation_data_stream_header = 1
  oneof(stream_part) nvidia_ace.animation_data.v1.AnimationData animation_data = 2
  oneof(stream_part) nvidia_ace.status.v1.Status status = 3
message nvidia_ace.animation_data.v1.AnimationData
  optional nvidia_ace.animation_data.v1.SkelAnimation skel_animation = 1
  optional nvidia_ace.animation_data.v1.AudioWithTimeCode audio = 2
  optional nvidia_ace.animation_data.v1.Camera camera = 3
  map<string, google.protobuf.Any> metadata = 4
message nvidia_ace.animation_data.v1.AudioWithTimeCode
  double time_code = 1
  bytes audio_buffer = 2
message nvidia_ace.animation_data.v1.SkelAnimationHeader
  repeated string blend_shapes = 1
  repeated string joints = 2
message nvidia_ace.animation_data.v1.SkelAnimation
  repeated nvidia_ace.animation_data.v1.FloatArrayWithTimeCode blend_shape_weights = 1
  repeated nvidia_ace.animation_data.v1.Float3ArrayWithTimeCode translations = 2
  repeated nvidia_ace.animation_data.v1.QuatFArrayWithTimeCode rotations = 3
  repeated nvidia_ace.animation_data.v1.Float3ArrayWithTimeCode scales = 4
message nvidia_ace.animation_data.v1.Camera
  repeated nvidia_ace.animation_data.v1.Float3WithTimeCode position = 1
  repeated nvidia_ace.animation_data.v1.QuatFWithTimeCode rotation = 2
  repeated nvidia_ace.animation_data.v1.FloatWithTimeCode focal_length = 3
  repeated nvidia_ace.animation_data.v1.FloatWithTimeCode focus_distance = 4
message nvidia_ace.animation_data.v1.FloatArrayWithTimeCode
  double time_code = 1
  repeated float values = 2
message nvidia_ace.animation_data.v1.Float3ArrayWithTimeCode
  double time_code = 1
  repeated nvidia_ace.animation_data.v1.Float3 values = 2
message nvidia_ace.animation_data.v1.QuatFArrayWithTimeCode
  double time_code = 1
  repeated nvidia_ace.animation_data.v1.QuatF values = 2
message nvidia_ace.animation_data.v1.Float3WithTimeCode
  double time_code = 1
  nvidia_ace.animation_data.v1.Float3 value = 2
message nvidia_ace.animation_data.v1.QuatFWithTimeCode
  double time_code = 1
  nvidia_ace.animation_data.v1.QuatF value = 2
message nvidia_ace.animation_data.v1.FloatWithTimeCode
  double time_code = 1
  float value = 2
message nvidia_ace.animation_data.v1.QuatF
  float real = 1
  float i = 2
  float j = 3
  float k = 4
message nvidia_ace.animation_data.v1.Float3
  float x = 1
  float y = 2
  float z = 3
)");
}

TEST(Descriptors, EmotionsAreAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.emotion_with_timecode.v1.proto"),
            R"(package nvidia_ace.emotion_with_timecode.v1
message nvidia_ace.emotion_with_timecode.v1.EmotionWithTimeCode
  double time_code = 1
  map<string, float> emotion = 2
)");
  EXPECT_EQ(DescribeFile("nvidia_ace.emotion_aggregate.v1.proto"),
            R"(package nvidia_ace.emotion_aggregate.v1
import nvidia_ace.emotion_with_timecode.v1.proto
message nvidia_ace.emotion_aggregate.v1.EmotionAggregate
  repeated nvidia_ace.emotion_with_timecode.v1.EmotionWithTimeCode input_emotions = 1
  repeated nvidia_ace.emotion_with_timecode.v1.EmotionWithTimeCode a2e_output = 2
  repeated nvidia_ace.emotion_with_timecode.v1.EmotionWithTimeCode a2f_smoothed_output = 3
)");
}

TEST(Descriptors, ServiceIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.services.animation_data.v1.proto"),
            R"(package nvidia_ace.services.animation_data.v1
import nvidia_ace.animation_data.v1.proto
import nvidia_ace.animation_id.v1.proto
import nvidia_ace.status.v1.proto
service nvidia_ace.services.animation_data.v1.AnimationDataService
  PushAnimationDataStream(stream nvidia_ace.animation_data.v1.AnimationDataStream) returns (nvidia_ace.status.v1.Status)
  PullAnimationDataStream(nvidia_ace.animation_id.v1.AnimationIds) returns (stream nvidia_ace.animation_data.v1.AnimationDataStream)
)");
}

TEST(Descriptors, AudioToFaceIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.a2f.v1.proto"), R"(package nvidia_ace.a2f.v1
import nvidia_ace.animation_id.v1.proto
import nvidia_ace.audio.v1.proto
import nvidia_ace.emotion_with_timecode.v1.proto
message nvidia_ace.a2f.v1.AudioStream
  oneof(stream_part) nvidia_ace.a2f.v1.AudioStreamHeader audio_stream_header = 1
  oneof(stream_part) nvidia_ace.a2f.v1.AudioWithEmotion audio_with_emotion = 2
message nvidia_ace.a2f.v1.AudioStreamHeader
  nvidia_ace.animation_id.v1.AnimationIds animation_ids = 1
  nvidia_ace.audio.v1.AudioHeader audio_header = 2
  nvidia_ace.a2f.v1.FaceParameters face_params = 3
  nvidia_ace.a2f.v1.EmotionPostProcessingParameters emotion_post_processing_params = 4
  nvidia_ace.a2f.v1.BlendShapeParameters blendshape_params = 5
  nvidia_ace.a2f.v1.EmotionParameters emotion_params = 6
message nvidia_ace.a2f.v1.FloatArray
  repeated float values = 1
message nvidia_ace.a2f.v1.FaceParameters
  map<string, float> float_params = 1
  map<string, int32> integer_params = 2
  map<string, nvidia_ace.a2f.v1.FloatArray> float_array_params = 3
message nvidia_ace.a2f.v1.BlendShapeParameters
  map<string, float> bs_weight_multipliers = 1
  map<string, float> bs_weight_offsets = 2
  optional bool enable_clamping_bs_weight = 3
message nvidia_ace.a2f.v1.EmotionParameters
  optional float live_transition_time = 1
  map<string, float> beginning_emotion = 2
message nvidia_ace.a2f.v1.EmotionPostProcessingParameters
  optional float emotion_contrast = 1
  optional float live_blend_coef = 2
  optional bool enable_preferred_emotion = 3
  optional float preferred_emotion_strength = 4
  optional float emotion_strength = 5
  optional int32 max_emotions = 6
message nvidia_ace.a2f.v1.AudioWithEmotion
  bytes audio_buffer = 1
  repeated nvidia_ace.emotion_with_timecode.v1.EmotionWithTimeCode emotions = 2
)");
}

TEST(Descriptors, AudioToFaceServicesAreAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.services.a2f.v1.proto"),
            R"(package nvidia_ace.services.a2f.v1
import nvidia_ace.a2f.v1.proto
import nvidia_ace.status.v1.proto
service nvidia_ace.services.a2f.v1.A2FService
  PushAudioStream(stream nvidia_ace.a2f.v1.AudioStream) returns (nvidia_ace.status.v1.Status)
)");
  EXPECT_EQ(DescribeFile("nvidia_ace.services.a2f_controller.v1.proto"),
            R"(package nvidia_ace.services.a2f_controller.v1
import nvidia_ace.controller.v1.proto
service nvidia_ace.services.a2f_controller.v1.A2FControllerService
  ProcessAudioStream(stream nvidia_ace.controller.v1.AudioStream) returns (stream nvidia_ace.controller.v1.AnimationDataStream)
)");
}

TEST(Descriptors, AudioToFaceMessagesAreAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.controller.v1.proto"),
            R"(package nvidia_ace.controller.v1
import nvidia_ace.a2f.v1.proto
import nvidia_ace.animation_data.v1.proto
import nvidia_ace.audio.v1.proto
import nvidia_ace.status.v1.proto
import google/protobuf/any.proto
message nvidia_ace.controller.v1.AudioStream
  oneof(stream_part) nvidia_ace.controller.v1.AudioStreamHeader audio_stream_header = 1
  oneof(stream_part) nvidia_ace.a2f.v1.AudioWithEmotion audio_with_emotion = 2
  oneof(stream_part) nvidia_ace.controller.v1.AudioStream.EndOfAudio end_of_audio = 3
message nvidia_ace.controller.v1.AudioStreamHeader
  nvidia_ace.audio.v1.AudioHeader audio_header = 1
  nvidia_ace.a2f.v1.FaceParameters face_params = 2
  nvidia_ace.a2f.v1.EmotionPostProcessingParameters emotion_post_processing_params = 3
  nvidia_ace.a2f.v1.BlendShapeParameters blendshape_params = 4
  nvidia_ace.a2f.v1.EmotionParameters emotion_params = 5
message nvidia_ace.controller.v1.Event
  nvidia_ace.controller.v1.EventType event_type = 1
  optional google.protobuf.Any metadata = 2
message nvidia_ace.controller.v1.AnimationDataStreamHeader
  optional nvidia_ace.audio.v1.AudioHeader audio_header = 1
  optional nvidia_ace.animation_data.v1.SkelAnimationHeader skel_animation_header = 2
  double start_time_code_since_epoch = 3
message nvidia_ace.controller.v1.AnimationDataStream
  oneof(stream_part) nvidia_ace.controller.v1.AnimationDataStreamHeader animation_data_stream_header = 1
  oneof(stream_part) nvidia_ace.animation_data.v1.AnimationData animation_data = 2
  oneof(stream_part) nvidia_ace.controller.v1.Event event = 3
  oneof(stream_part) nvidia_ace.status.v1.Status status = 4
enum nvidia_ace.controller.v1.EventType
  END_OF_A2F_AUDIO_PROCESSING = 0
)");
}

TEST(Descriptors, AnimationControllerIsAsPublished) {
  EXPECT_EQ(DescribeFile("nvidia_ace.services.animation_controller.v1.proto"),
            R"(package nvidia_ace.services.animation_controller.v1
import google/protobuf/empty.proto
import nvidia_ace.a2f.v1.proto
import nvidia_ace.animation_data.v1.proto
import nvidia_ace.animation_id.v1.proto
import nvidia_ace.status.v1.proto
message nvidia_ace.services.animation_controller.v1.AnimationGraphRequest
  nvidia_ace.animation_id.v1.AnimationIds animation_ids = 1
  string animation_graph_variable_name = 2
  string animation_graph_variable_value = 3
message nvidia_ace.services.animation_controller.v1.AnimationIdsOrStatus
  oneof(response) nvidia_ace.animation_id.v1.AnimationIds animation_ids = 1
  oneof(response) nvidia_ace.status.v1.Status status = 2
service nvidia_ace.services.animation_controller.v1.AnimationControllerService
  RequestAnimationIds(google.protobuf.Empty) returns (nvidia_ace.services.animation_controller.v1.AnimationIdsOrStatus)
  PullAnimationDataStream(nvidia_ace.animation_id.v1.AnimationIds) returns (stream nvidia_ace.animation_data.v1.AnimationDataStream)
  PushAudioStream(stream nvidia_ace.a2f.v1.AudioStream) returns (nvidia_ace.status.v1.Status)
  UpdateAnimationGraphVariable(stream nvidia_ace.services.animation_controller.v1.AnimationGraphRequest) returns (nvidia_ace.status.v1.Status)
)");
}

TEST(Descriptors, FilesAreProto3WithoutOptions) {
  for (const char* name :
       {"a2f", "animation_data", "animation_id", "audio", "controller", "emotion_aggregate",
        "emotion_with_timecode", "services.a2f", "services.a2f_controller",
        "services.animation_controller", "services.animation_data", "status"}) {
    const std::string file_name = std::string("nvidia_ace.") + name + ".v1.proto";
    const FileDescriptor* file = DescriptorPool::generated_pool()->FindFileByName(file_name);
    ASSERT_NE(file, nullptr) << file_name;
    EXPECT_EQ(file->syntax(), FileDescriptor::SYNTAX_PROTO3) << file_name;
    EXPECT_EQ(file->options().ByteSizeLong(), 0u)
        << file_name << ": " << file->options().DebugString();
  }
}

// The source document has this field in a comment only.
TEST(Descriptors, HeaderFieldSixIsUndeclared) {
  const Descriptor& header =
      *nvidia_ace::animation_data::v1::AnimationDataStreamHeader::descriptor();
  EXPECT_EQ(header.FindFieldByNumber(6), nullptr);
  EXPECT_FALSE(header.IsReservedNumber(6));
}

}  // namespace
