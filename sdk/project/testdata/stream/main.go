package main

import (
	"bytes"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/sdk/guest/stream"
)

func init() {
	guest.Detector(find)
	stream.Detector(follow)
}

func main() {}

var (
	word  = []byte("secret")
	parts = map[uint32]int{} // how much of the word was seen
)

func find(text []byte, f guest.Flags, emit func(guest.Span)) {
	for i := range text {
		if bytes.HasPrefix(text[i:], word) && (i+6 < len(text) || !f.After()) {
			emit(guest.Span{Start: i, End: i + 6, Score: 1})
		}
	}
}

func follow(part uint32, told stream.Told, text []byte, _ guest.Flags, emit func(guest.Span)) int {
	held := parts[part]
	seen := held
	for k, c := range text {
		switch {
		case c == word[seen]:
			seen++
		case c == 's':
			seen = 1
		default:
			seen = 0
		}
		if seen == 6 {
			emit(guest.Span{Start: held + k + 1 - 6, End: held + k + 1, Score: 1})
			seen = 0
		}
	}
	if parts[part] = seen; told != stream.Push {
		delete(parts, part)
		return 0
	}
	return held + len(text) - seen
}
