"""The `sh` blocks of pages whose commands draw films and sheets, run as docs_blocks_test does."""

import unittest

from docs_blocks_test import Page


class DocsFilms(Page):
    PATIENCE_S = 400

    def test_gestures(self):
        """All sheets are drawn."""
        self.given("data/gestures/examples/my_wave.gesture.txtpb")
        (self.folder / "my_gestures").mkdir()
        self.run_page("gestures.md")

    def test_graph(self):
        """A cup is taken, drunk from and put back, and the film of it is drawn."""
        (self.folder / "clips").mkdir()
        self.run_page("graph.md")

    def test_films(self):
        self.take("take.animdata")
        self.person("person.vrm", "person.glb", "anna.vrm")
        for name in ("speech.wav", "speech.flac", "talk.mp3"):
            self.voice(name)
        self.graph()
        self.run_page("films.md")
        self.run_page("speech.md")
        self.run_page("characters.md")

    def test_formats(self):
        """A film of an X3D humanoid is drawn."""
        self.graph()
        self.run_page("formats.md")


if __name__ == "__main__":
    unittest.main()
