"""The plugin for pipecat, with the framework itself and the real services. Arguments are unittest's."""

import environment

environment.main("pipecat")
