"""An avatar in a pipecat pipeline: a processor between the TTS service and transport.output().

    avatar = PosewireAvatar(Avatar("127.0.0.1:51002", stream="demo"))
    Pipeline([transport.input(), stt, user, llm, tts, avatar, transport.output(), assistant])

The avatar plays the sound. So this processor does what an output transport does elsewhere: it holds
frames until the sound before them has been played, reports when the bot speaks, and gives the
assistant's aggregator the words that were heard, one by one.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import posewire
from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotSpeakingFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    StopFrame,
    SystemFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

# How far ahead in the text the next word is looked for, in characters.
_LOOK_AHEAD = 40
# How long the source may take to stop before the call is cancelled, which stops it too.
_STOP_TIMEOUT_S = 2.0
# The source does not count a word that is stopped as it begins. Longer than its answer to a stop takes.
_HEARD_AFTER_S = 0.15
_QUEUED_NS = "posewire_queued_ns"  # in the metadata of a sound: when it was queued here


@dataclass
class SpokenTextFrame(SystemFrame, TTSTextFrame):
    """Words that were heard. A SystemFrame, so that an interruption neither overtakes nor drops it."""


@dataclass(eq=False)
class _Text:
    """Text in the line. What comes after it waits until it has been heard."""

    frame: AggregatedTextFrame
    append_to_context: bool
    heard: int = 0  # characters


@dataclass(eq=False)
class _Speech:
    """A call of the source. In the line, it stands where its sound ends."""

    call: posewire.Speech
    interruptible: bool
    first_pts: int  # of its first sample, in nanoseconds
    sent_s: float = 0.0
    task: asyncio.Task | None = None
    reason: posewire.Reason | None = None  # None: it has not ended
    stopping: bool = False  # the source reports which words were heard


class PosewireAvatar(FrameProcessor):
    """Has an avatar play what the TTS service makes.

    Word times come from the TTS service if it has any (TTSTextFrame.pts); otherwise the source finds
    the words of each sentence in its sound. An InterruptionFrame is passed on once the avatar is
    silent, after the last word that was heard. Errors of the source become ErrorFrames.
    """

    def __init__(self, avatar: posewire.Avatar, **kwargs):
        """`avatar` is closed when the pipeline ends."""
        super().__init__(**kwargs)
        self.avatar = avatar
        self._line: deque[Frame | _Text | _Speech] = deque()
        self._order = asyncio.Lock()  # of what leaves the line
        self._speeches: list[_Speech] = []  # that have not ended, in the order in which they play
        self._writing: _Speech | None = None
        self._interrupting = False
        self._bot_speaks = False
        # Of the TTS context that is being written.
        self._timed = False  # its words have times
        self._last_pts = 0  # of a word
        self._kept_pts = 0  # of the last word that may not be interrupted
        self._append_to_context = True
        self._announced: AggregatedTextFrame | None = None  # a sentence whose sound is to come
        self._sentences: set[int] = set()  # ids of those whose words the source finds
        self._words: deque[posewire.Word] = deque()  # not sent yet; times of the speech
        self._early: list[TTSTextFrame] = []  # words that came before their sound
        self._sound: TTSAudioRawFrame | None = None  # its words may come after it
        self._lost = False  # the source does not take it

    async def cleanup(self):
        await super().cleanup()
        await self._silence(self._speeches)
        await self.avatar.close()

    async def queue_frame(self, frame: Frame, *args, **kwargs):
        if isinstance(frame, TTSAudioRawFrame):
            # The TTS service counts its words from here, not from when the frame's turn comes.
            frame.metadata[_QUEUED_NS] = self.get_clock().get_time()
        await super().queue_frame(frame, *args, **kwargs)

    async def process_frame(self, frame: Frame, direction: FrameDirection):
        await super().process_frame(frame, direction)
        if isinstance(frame, (InterruptionFrame, CancelFrame)):
            await self._interrupt(frame, direction)
        elif direction == FrameDirection.UPSTREAM or isinstance(frame, SystemFrame):
            await self.push_frame(frame, direction)
        elif isinstance(frame, TTSAudioRawFrame):
            await self._send_sound()
            if self._writing is None and not self._lost:
                await self._begin(frame)
            self._sound = frame
            if not self._timed:
                await self._send_sound()
        elif isinstance(frame, TTSTextFrame):
            await self._add_text(frame)
        else:
            if isinstance(frame, (TTSStoppedFrame, EndFrame, StopFrame)):
                await self._end_writing()
            elif isinstance(frame, TTSStartedFrame):
                self._append_to_context = frame.append_to_context
            elif isinstance(frame, AggregatedTextFrame) and frame.will_be_spoken:
                self._announced, self._timed = frame, frame.pts is not None
            frame.pts = None  # a transport would wait for it; the avatar has a clock of its own
            self._line.append(frame)
            await self._advance()

    # To the source.

    async def _begin(self, frame: TTSAudioRawFrame):
        # As the TTS service counts: its words follow one another, however fast its sound comes.
        first_pts = max(frame.metadata[_QUEUED_NS], self._last_pts)
        try:
            call = await self.avatar.say(rate=frame.sample_rate, channels=frame.num_channels)
        except posewire.Error as error:
            self._lost = True
            await self.push_error(f"the avatar takes no sound: {error}", exception=error)
            return
        self._writing = speech = _Speech(call, frame.interruptible, first_pts)
        self._speeches.append(speech)
        speech.task = self.create_task(self._listen(speech))
        early, self._early = self._early, []
        for text in early:
            await self._add_text(text)

    async def _add_text(self, frame: TTSTextFrame):
        speech = self._writing
        if speech is None:
            self._early.append(frame)
            return
        if frame.pts is not None:
            self._last_pts = frame.pts
            if not frame.interruptible:
                self._kept_pts = frame.pts
            at_s = max(0.0, (frame.pts - speech.first_pts) / 1e9)
            self._words.append(posewire.Word(frame.text, at_s, at_s))
        if frame.segment_id not in self._sentences:
            self._line.append(_Text(frame, frame.append_to_context))

    async def _send_sound(self):
        frame, self._sound = self._sound, None
        speech = self._writing
        if frame is None or speech is None:
            return
        try:
            sentence, self._announced = self._announced, None
            text = ""
            if sentence and not self._timed:
                text = sentence.text
                self._sentences.add(sentence.id)
                self._line.append(_Text(sentence, self._append_to_context))
            from_s = speech.sent_s
            speech.sent_s += len(frame.audio) / (2 * frame.num_channels * frame.sample_rate)
            words = []
            while self._words and self._words[0].start_s < speech.sent_s:
                word = self._words.popleft()
                at_s = max(0.0, word.start_s - from_s)
                words.append(posewire.Word(word.text, at_s, at_s))
            await speech.call.write(posewire.Sound(frame.audio, text, words))
        except posewire.SpeechEnded:
            pass  # _listen tells why
        except posewire.Error as error:
            await self.push_error(f"the avatar takes no sound: {error}", exception=error)

    async def _end_writing(self):
        await self._send_sound()
        speech, self._writing = self._writing, None
        self._forget()
        if speech:
            self._line.append(speech)
            await speech.call.end()

    def _forget(self):
        self._sound = self._announced = None
        self._lost = False
        self._early.clear()
        self._words.clear()
        self._sentences.clear()

    async def _interrupt(self, frame: Frame, direction: FrameDirection):
        everything = isinstance(frame, CancelFrame)
        self._interrupting = True
        if self._writing is None or self._writing.interruptible or everything:
            self._forget()
            self._last_pts = self._kept_pts
        await self._silence([s for s in self._speeches if everything or s.interruptible])
        async with self._order:
            if not self._speeches:
                kept = (f for f in self._line if isinstance(f, Frame) and not f.interruptible)
                self._line = deque(kept)
        await self.push_frame(frame, direction)
        self._interrupting = False
        await self._tell_bot_stopped()
        await self._advance()

    async def _silence(self, speeches: Iterable[_Speech]):
        async def stop(speech: _Speech):
            speech.stopping = True
            try:
                if speech.sent_s:
                    await asyncio.wait_for(speech.call.stop(), _STOP_TIMEOUT_S)
            except (TimeoutError, posewire.Error):
                pass
            speech.call.cancel()  # if it has not ended
            await asyncio.wait([speech.task])  # it has pushed all that was heard

        # Those that wait first, so that none of them begins.
        await asyncio.gather(*(stop(speech) for speech in reversed(list(speeches))))

    # From the source.

    async def _listen(self, speech: _Speech):
        words: deque[tuple[float, str]] = deque()  # that were begun; when they will have been heard
        letters = 0  # of those before
        events = aiter(speech.call)
        try:
            while True:
                timed = words and not speech.stopping
                wait_s = max(0.0, words[0][0] - time.monotonic()) if timed else None
                try:
                    event = await asyncio.wait_for(anext(events), wait_s)
                except TimeoutError:
                    if speech.stopping:
                        continue
                    word = words.popleft()[1]
                    letters += _letters(word)
                    await self._hear(speech, word)
                    continue
                if isinstance(event, posewire.Started) and not self._bot_speaks:
                    self._bot_speaks = True
                    await self.broadcast_frame(BotStartedSpeakingFrame)
                elif isinstance(event, posewire.Word):
                    words.append((time.monotonic() + _HEARD_AFTER_S, event.text))
                    await self.broadcast_frame(BotSpeakingFrame)
                elif isinstance(event, posewire.Ended):
                    for _, word in words:
                        letters += _letters(word)
                        if letters <= _letters(event.spoken_text):
                            await self._hear(speech, word)
                    speech.reason = event.reason
                    if event.reason == posewire.Reason.FAILED:
                        await self.push_error(f"the avatar failed: {event.detail}")
        except StopAsyncIteration:
            pass
        except posewire.Error as error:
            if not speech.reason and error.code != "CANCELLED":  # by _silence
                await self.push_error(f"the avatar is lost: {error}", exception=error)
        speech.reason = speech.reason or posewire.Reason.FAILED
        if self._writing is speech:
            self._writing = None
            self._line.append(speech)
        self._speeches.remove(speech)
        if not self._interrupting:
            await self._tell_bot_stopped()
        await self._advance()

    async def _tell_bot_stopped(self):
        if self._bot_speaks and not self._speeches:
            self._bot_speaks = False
            await self.broadcast_frame(BotStoppedSpeakingFrame)

    async def _hear(self, speech: _Speech, word: str):
        """Pushes the text up to and with this word, and the frames that stand before it."""
        async with self._order:
            looked = 0
            for place, item in enumerate(self._line):
                if item is speech or looked > _LOOK_AHEAD:
                    return
                if not isinstance(item, _Text):
                    continue
                end = _end_of(word, item.frame.text, item.heard, _LOOK_AHEAD - looked)
                if end:
                    for _ in range(place):
                        await self._push(self._line.popleft())
                    await self._push(item, end)
                    if item.heard == len(item.frame.text):
                        self._line.popleft()
                    break
                looked += len(item.frame.text) - item.heard
        await self._advance()

    async def _advance(self):
        """Pushes what waits for nothing any more."""
        async with self._order:
            while self._line and not self._interrupting:
                ended = next((s for s in self._line if isinstance(s, _Speech)), None)
                ended = ended if ended and ended.reason else None
                if not ended and not isinstance(self._line[0], Frame):
                    return
                item = self._line.popleft()
                if not isinstance(item, _Text) or ended.reason == posewire.Reason.COMPLETED:
                    await self._push(item)

    async def _push(self, item: Frame | _Text | _Speech, end: int | None = None):
        """Of a text, what comes before `end` and was not pushed."""
        if isinstance(item, Frame):
            await self.push_frame(item)
        elif isinstance(item, _Text):
            frame, from_ = item.frame, item.heard
            item.heard = len(frame.text) if end is None else end
            text, spaced = frame.text[from_ : item.heard], frame.includes_inter_frame_spaces
            if not text.strip():
                return
            if len(text) < len(frame.text):  # parts of one text are joined as they are
                text = text if from_ or spaced or text[0].isspace() else " " + text
                spaced = True
            spoken = SpokenTextFrame(text, frame.text_type, frame.context_id, segment_id=frame.id)
            spoken.append_to_context = item.append_to_context
            spoken.includes_inter_frame_spaces = spaced
            await self.push_frame(spoken)


def _letters(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _end_of(word: str, text: str, start: int, reach: int) -> int:
    """Where the word that begins within `reach` characters ends, with its punctuation; 0: nowhere."""
    for pattern in (rf"(?<!\w){re.escape(word)}(?!\w)", re.escape(word)):
        found = re.compile(pattern, re.IGNORECASE).search(text, start)
        if found and found.start() - start <= reach:
            end = found.end()
            while end < len(text) and not (text[end].isspace() or text[end].isalnum()):
                end += 1
            return end if text[end:].strip() else len(text)
    return 0
