// internal-host is a sample detector in Go: it finds the names of hosts that
// only exist inside, those that end in .internal or .corp.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o internal-host.wasm .
//
// The manifest lies beside it, in manifest.yaml: pack it into the module, or
// copy it into the plugins folder as internal-host.wasm.yaml.
package main

import (
	"bytes"

	"github.com/headgate-dev/headgate/sdk/guest"
)

func init() { guest.Detector(find) }

func main() {}

// longest is the max_match of the manifest.
const longest = 253

var endings = [][]byte{[]byte(".internal"), []byte(".corp")}

func find(text []byte, f guest.Flags, emit func(guest.Span)) {
	for at := 0; ; {
		dot := bytes.IndexByte(text[at:], '.')
		if dot < 0 {
			return
		}
		dot += at
		start, end := dot, dot
		for start > at && inName(text[start-1]) {
			start--
		}
		for end < len(text) && inName(text[end]) {
			end++
		}
		at = end
		if end == len(text) && f.After() {
			return // it may go on
		}
		if start == 0 && f.Before() {
			continue // it may have begun earlier
		}
		if end-start > longest {
			continue // no name is so long; the bytes after the limit must not matter
		}
		name := bytes.TrimRight(text[start:end], ".-")
		for _, ending := range endings {
			if len(name) > len(ending) && name[0] != '.' && bytes.HasSuffix(name, ending) {
				emit(guest.Span{Start: start, End: start + len(name), Score: 0.9})
			}
		}
	}
}

func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}
