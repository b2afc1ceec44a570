"""A handler of OpenAvatarChat that makes the face of a voice with a2f_source, on the CPU.

It takes the place of LAM_Audio2Expression: AVATAR_AUDIO in, AVATAR_MOTION_DATA out, that is ARKit's 52
shapes at 30 frames a second and the sound that belongs to them. The face comes from ACE's
ProcessAudioStream (docs/a2f.md); its messages are learnt from the running a2f_source, by reflection.
"""

import queue
import threading
from typing import Dict, List, Optional

import grpc
import numpy as np
from chat_engine.common.handler_base import (
    ChatDataConsumeMode,
    HandlerBase,
    HandlerBaseInfo,
    HandlerDataInfo,
    HandlerDetail,
)
from chat_engine.contexts.handler_context import HandlerContext
from chat_engine.contexts.session_context import SessionContext
from chat_engine.data_models.chat_data.chat_data_model import ChatData
from chat_engine.data_models.chat_data_type import ChatDataType
from chat_engine.data_models.chat_engine_config_data import (
    ChatEngineConfigModel,
    HandlerBaseConfigModel,
)
from chat_engine.data_models.runtime_data.data_bundle import (
    DataBundle,
    DataBundleDefinition,
    DataBundleEntry,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from loguru import logger
from pydantic import Field

SERVICE = "nvidia_ace.services.a2f_controller.v1.A2FControllerService"
MESSAGES = "nvidia_ace.controller.v1"
FPS = 30
# How many frames are handed on at once.
BATCH = 6
# How long the end of a voice's face may take; it is made many times faster than it plays.
END_TIMEOUT_S = 30


class PosewireConfig(HandlerBaseConfigModel):
    address: str = Field(default="127.0.0.1:51002")  # of a2f_source
    audio_sample_rate: int = Field(default=24000)  # of the TTS handler
    face_params: Dict[str, float] = Field(default_factory=dict)  # docs/a2f.md#parameters


class Speech:
    """A voice that goes to the source while its face comes back, in a thread of its own."""

    def __init__(
        self, handler: "PosewireAvatarHandler", context: "PosewireContext", definition, about
    ):
        self.id, self.text = about
        self.ended = False
        self._context = context
        self._definition = definition
        self._columns: List[int] = []
        self._weights: List[List[float]] = []
        self._sound = b""
        self._first = True
        self._parts: "queue.Queue" = queue.Queue()
        self._message = handler.message
        header = self._message()
        audio = header.audio_stream_header.audio_header
        audio.samples_per_second, audio.bits_per_sample, audio.channel_count = (
            context.config.audio_sample_rate,
            16,
            1,
        )
        header.audio_stream_header.face_params.float_params.update(context.config.face_params)
        self._parts.put(header)
        self._call = handler.process_audio(iter(self._parts.get, None))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def write(self, sound: np.ndarray) -> None:
        """Samples from -1 to 1, or of 16 bit; of any shape, one channel."""
        if sound.dtype.kind == "f":
            sound = np.clip(sound, -1, 1) * 32767
        message = self._message()
        message.audio_with_emotion.audio_buffer = sound.astype("<i2").tobytes()
        self._parts.put(message)

    def end(self) -> None:
        message = self._message()
        message.end_of_audio.SetInParent()
        self._parts.put(message)
        self._parts.put(None)
        self.ended = True

    def finish(self) -> None:
        """Waits for the end of the face, or gives up the rest when the voice has not ended."""
        if not self.ended:
            self._call.cancel()
            self._parts.put(None)
        self._thread.join(END_TIMEOUT_S)

    def _read(self) -> None:
        try:
            for message in self._call:
                part = message.WhichOneof("stream_part")
                if part == "animation_data_stream_header":
                    header = message.animation_data_stream_header.skel_animation_header
                    names = [name.lower() for name in header.blend_shapes]
                    self._columns = [names.index(shape.lower()) for shape in ARKIT_SHAPES]
                elif part == "animation_data":
                    data = message.animation_data
                    keys = data.skel_animation.blend_shape_weights
                    self._weights += [
                        [key.values[column] for column in self._columns] for key in keys
                    ]
                    # The frames in which the face comes to rest have no sound of their own.
                    rest = 2 * round(self._context.config.audio_sample_rate * len(keys) / FPS)
                    self._sound += data.audio.audio_buffer or bytes(rest)
                    if len(self._weights) >= BATCH:
                        self._submit(last=False)
        except (grpc.RpcError, ValueError) as error:
            code = error.code() if isinstance(error, grpc.RpcError) else None
            if code == grpc.StatusCode.CANCELLED:
                return
            logger.error(f"posewire: no face for speech {self.id}: {error}")
        # Its last bundle tells the client that the avatar has finished, whatever happened.
        self._submit(last=True)

    def _submit(self, last: bool) -> None:
        # A bundle is never empty.
        weights = self._weights or [[0.0] * len(ARKIT_SHAPES)]
        sound = self._sound or bytes(2 * round(self._context.config.audio_sample_rate / FPS))
        self._weights, self._sound = [], b""
        output = DataBundle(self._definition)
        output.set_main_data(np.array(weights, dtype=np.float32))
        samples = np.frombuffer(sound, "<i2").astype(np.float32) / 32768
        output.set_data("avatar_audio", samples[np.newaxis, :])
        output.add_meta("speech_id", self.id)
        output.add_meta("avatar_speech_end", last)
        if self.text is not None:
            output.add_meta("avatar_speech_text", self.text)
        output.start_of_stream, output.end_of_stream = self._first, last
        self._first = False
        self._context.submit_data(output)


class PosewireContext(HandlerContext):
    def __init__(self, session_id: str, config: PosewireConfig):
        super().__init__(session_id)
        self.config = config
        self.speech: Optional[Speech] = None


class PosewireAvatarHandler(HandlerBase):
    def __init__(self):
        super().__init__()
        self.message = None
        self.process_audio = None
        self._channel: Optional[grpc.Channel] = None

    def get_handler_info(self) -> HandlerBaseInfo:
        return HandlerBaseInfo(config_model=PosewireConfig)

    def load(
        self, engine_config: ChatEngineConfigModel, handler_config: Optional[PosewireConfig] = None
    ):
        config = handler_config if isinstance(handler_config, PosewireConfig) else PosewireConfig()
        self._channel = grpc.insecure_channel(config.address)
        try:
            grpc.channel_ready_future(self._channel).result(timeout=5)
        except grpc.FutureTimeoutError:
            raise RuntimeError(
                f"posewire: cannot reach a2f_source at {config.address}; start it with "
                "`a2f_source serve --to none`, or set `address` of this handler"
            ) from None
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(self._channel))
        pool.FindServiceByName(SERVICE)
        self.message = GetMessageClass(pool.FindMessageTypeByName(f"{MESSAGES}.AudioStream"))
        answer = GetMessageClass(pool.FindMessageTypeByName(f"{MESSAGES}.AnimationDataStream"))
        self.process_audio = self._channel.stream_stream(
            f"/{SERVICE}/ProcessAudioStream",
            request_serializer=self.message.SerializeToString,
            response_deserializer=answer.FromString,
        )

    def create_context(
        self, session_context: SessionContext, handler_config=None
    ) -> HandlerContext:
        config = handler_config if isinstance(handler_config, PosewireConfig) else PosewireConfig()
        return PosewireContext(session_context.session_info.session_id, config)

    def get_handler_detail(
        self, session_context: SessionContext, context: HandlerContext
    ) -> HandlerDetail:
        rate = context.config.audio_sample_rate
        face = DataBundleEntry.create_framed_entry(
            "arkit_face",
            [1, 52],
            time_axis=0,
            sample_rate=FPS,
            channel_axis=1,
            channel_names=ARKIT_SHAPES,
        )
        definition = DataBundleDefinition()
        definition.add_entry(face)
        definition.add_entry(DataBundleEntry.create_audio_entry("avatar_audio", 1, rate))
        once = ChatDataConsumeMode.ONCE
        sound, motion = ChatDataType.AVATAR_AUDIO, ChatDataType.AVATAR_MOTION_DATA
        return HandlerDetail(
            inputs={sound: HandlerDataInfo(type=sound, input_consume_mode=once)},
            outputs={motion: HandlerDataInfo(type=motion, definition=definition)},
        )

    def start_context(self, session_context: SessionContext, handler_context: HandlerContext):
        pass

    def handle(
        self,
        context: HandlerContext,
        inputs: ChatData,
        output_definitions: Dict[ChatDataType, HandlerDataInfo],
    ):
        speech_id = inputs.data.get_meta("speech_id")
        if context.speech and (context.speech.ended or context.speech.id != speech_id):
            context.speech.finish()
            context.speech = None
        if context.speech is None:
            definition = output_definitions[ChatDataType.AVATAR_MOTION_DATA].definition
            about = speech_id, inputs.data.get_meta("avatar_speech_text")
            context.speech = Speech(self, context, definition, about)
        sound = inputs.data.get_main_data()
        if sound is not None and sound.size:
            context.speech.write(sound.reshape(-1))
        if inputs.data.get_meta("avatar_speech_end", False):
            context.speech.end()

    def destroy_context(self, context: HandlerContext):
        if context.speech:
            context.speech.ended = False  # nobody takes the rest
            context.speech.finish()
            context.speech = None

    def destroy(self):
        if self._channel:
            self._channel.close()


# In the order of OpenAvatarChat's own list, which is the alphabet's.
ARKIT_SHAPES = """
browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight cheekPuff cheekSquintLeft
cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight eyeLookInLeft
eyeLookInRight eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight
eyeWideLeft eyeWideRight jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft
mouthDimpleRight mouthFrownLeft mouthFrownRight mouthFunnel mouthLeft mouthLowerDownLeft
mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker mouthRight mouthRollLower mouthRollUpper
mouthShrugLower mouthShrugUpper mouthSmileLeft mouthSmileRight mouthStretchLeft mouthStretchRight
mouthUpperUpLeft mouthUpperUpRight noseSneerLeft noseSneerRight tongueOut
""".split()
