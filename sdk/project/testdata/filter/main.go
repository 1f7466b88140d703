package main

import (
	"bytes"

	"github.com/headgate-dev/headgate/sdk/guest/stream"
)

func init() { stream.Filter(follow) }

func main() {}

var word = []byte("secret")

func follow(h *stream.Held) (hold int, err error) {
	for at := 0; ; at += len(word) {
		next := bytes.Index(h.Text[at:], word)
		if next < 0 {
			break
		}
		at += next
		h.Edit(at, at+len(word), "******")
	}
	if h.Last {
		return 0, nil
	}
	for hold = len(word) - 1; !bytes.HasSuffix(h.Text, word[:hold]); hold-- {
	}
	return hold, nil
}
