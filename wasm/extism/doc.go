// Package extism implements the parts of an Extism host that need no runtime: the memory shared by host and guest, a guest's settings and
// variables, and the list of a detector's findings. It does not handle instances; package wasm runs the guests.
//
// A guest is a detector with one export, detect, which takes no parameter and returns 0 on success. Its input is the text, as bytes; its
// output is a JSON list of findings. An empty output means that it found nothing:
//
//	[{"start": 0, "end": 7, "label": "codename", "score": 1}]
//
// Offsets count bytes; the score is 1 by default. Its configuration consists of the link's settings and the three keys below, which
// change from text to text.
//
// The host provides the kernel that all PDKs use, without the network: https://extism.org/docs/concepts/.
package extism

// Module is the module name of the host functions.
const Module = "extism:host/env"

// Hook is the export that the host calls.
const Hook = "detect"

// Keys of a guest's configuration that describe the text.
const (
	KeySource = "headgate.source"      // user, tool_result, …: as in the manifest's reads.text
	KeyBefore = "headgate.more_before" // 1: other text precedes this text
	KeyAfter  = "headgate.more_after"  // 1: more text follows, so a match at the end must wait
)

// LogLevel is the lowest level that guests log: info, in the numbering of the PDKs.
const LogLevel = 2
