// The script for pages that show this one in a frame: the element of clients/typescript, which then
// knows where it came from.
import "posewire/element";
