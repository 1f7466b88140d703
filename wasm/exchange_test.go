package wasm

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// exchangeOf returns an exchange whose request holds the texts, each in its own run of raw bytes and otherwise like the given segment.
func exchangeOf(like core.Segment, texts ...string) *core.Exchange {
	x := &core.Exchange{}
	x.Request.Raw = []byte(strings.Join(texts, ""))
	at := 0
	for _, text := range texts {
		s := like
		s.Span = splice.Span{Start: at, End: at + len(text)}
		x.Request.Segments = append(x.Request.Segments, s)
		at += len(text)
	}
	return x
}
