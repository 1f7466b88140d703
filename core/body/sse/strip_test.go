package sse

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStripLeavesOnlyWhatAClientReads(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an event without more", "data: a b\n\n", "data: a b\n\n"},
		{"a name", "event: x\r\ndata: a b\r\n\r\n", "event: x\r\ndata: a b\r\n\r\n"},
		{"a name and an id, behind blank lines", "\nid: 7\nevent:x\ndata: a b\n\n", "\nid: 7\nevent:x\ndata: a b\n\n"},
		{"a comment before the data", ": a b\ndata: c\n\n", "data: c\n\n"},
		{"a comment behind the data", "data: c\n: a b\n\n", "data: c\n\n"},
		{"a comment between data", "data: c\r: a b\rdata: d\r\r", "data: c\rdata: d\r\r"},
		{"a comment alone", ": a b\n\n", ":\n\n"},
		{"an empty comment", ":\r\n\r\n", ":\n\r\n"},
		{"a name that is a text", "event: a b\ndata: c\n\n", "data: c\n\n"},
		{"an unknown field", "note: a\ndata: c\n\n", "data: c\n\n"},
		{"a line without a colon", "a b\ndata: c\n\n", "data: c\n\n"},
		{"several data lines", "data: {\ndata: }\n\n", "data: {\ndata: }\n\n"},
		{"a byte order mark", "\xEF\xBB\xBFdata: a\n\n", "data: a\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Strip(append([]byte("data: before\n\n"), c.in...), len("data: before\n\n"))
			assert.Equal(t, "data: before\n\n"+c.want, string(got))
			lo, hi, n := FindData([]byte(c.in))
			if n == 1 {
				assert.Equal(t, c.in == c.want, IsPure([]byte(c.in), lo, hi))
			}
		})
	}
}

func FuzzStrip(f *testing.F) {
	f.Add([]byte(": c\r\ndata: a\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := Strip(bytes.Clone(in), 0)
		assert.LessOrEqual(t, len(out), len(in))
		assert.Equal(t, string(Join(nil, in)), string(Join(nil, out)), "the data is the same")
		assert.Equal(t, string(out), string(Strip(bytes.Clone(out), 0)))
	})
}
