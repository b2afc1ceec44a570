"""An MCP server with which a language model plays and composes motion on Posewire's avatars.

`posewire-mcp` serves the tools of `_tools` over stdio. All of them are calls of a running anim_graph
and a2f_source, made with the package posewire.
"""

__version__ = "0.1.0"
