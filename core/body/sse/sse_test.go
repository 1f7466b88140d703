package sse

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func split(t *testing.T, in []byte, cut ...int) (events []string, rest string) {
	t.Helper()
	var s Splitter
	at := 0
	for _, c := range append(cut, len(in)) {
		require.NoError(t, s.Write(in[at:c]))
		at = c
		for ev := s.Next(); ev != nil; ev = s.Next() {
			events = append(events, string(ev))
		}
	}
	return events, string(s.Rest())
}

func TestSplitter(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		rest     string
	}{
		{"line feeds end lines", "data: a\n\ndata: b\n\n", []string{"data: a\n\n", "data: b\n\n"}, ""},
		{"carriage return and line feed end lines", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"data: a\r\n\r\n", "data: b\r\n\r\n"}, ""},
		{"bare carriage returns end lines", "data: a\r\rdata: b\r\rx", []string{"data: a\r\r", "data: b\r\r"}, "x"},
		{"line ends may be mixed", "data: a\n\r\ndata: b\r\n\ndata: c\r\n\rx", []string{"data: a\n\r\n", "data: b\r\n\n", "data: c\r\n\r"}, "x"},
		{"comments and event names stay with their event", ": hi\nevent: e\ndata: a\n\n", []string{": hi\nevent: e\ndata: a\n\n"}, ""},
		{"a blank line alone is an event without data", "\n\ndata: a\n\n", []string{"\n", "\n", "data: a\n\n"}, ""},
		{"an event that was cut off is the rest", "data: a\n\ndata: b\n", []string{"data: a\n\n"}, "data: b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, rest := split(t, []byte(c.in))
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.rest, rest)
			for i := range c.in {
				got, rest = split(t, []byte(c.in), i)
				assert.Equal(t, c.want, got, "cut at %d", i)
				assert.Equal(t, c.rest, rest, "cut at %d", i)
			}
		})
	}
}

func TestAnEventBeyondTheLimitIsAnError(t *testing.T) {
	s := Splitter{Limit: 10}
	require.NoError(t, s.Write(bytes.Repeat([]byte("x"), 11)))
	assert.Nil(t, s.Next())
	assert.ErrorIs(t, s.Write([]byte("x")), ErrTooLarge)
}

func TestData(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		n              int
	}{
		{"one space after the colon is not data", "data:  a\n\n", " a", 1},
		{"no space is needed", "data:a\r\n\r\n", "a", 1},
		{"the line may have other fields around it", "id: 1\nevent: x\ndata: {}\n: c\n\n", "{}", 1},
		{"several lines are counted", "data: {\ndata: }\n\n", "{", 2},
		{"a name that only begins like data is another field", "database: 1\n\n", "", 0},
		{"a byte order mark hides nothing", "\xEF\xBB\xBFdata: a\n\n", "a", 1},
		{"a field without a colon is empty", "data\n\n", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			lo, hi, n := FindData([]byte(c.in))
			assert.Equal(t, c.want, c.in[lo:hi])
			assert.Equal(t, c.n, n)
		})
	}
	assert.Equal(t, "data: { }\n\n", string(Join(nil, []byte("event: x\r\ndata: {\r\ndata: }\r\n\r\n"))))
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\ndata: b\r\r\n\n"), uint16(3), uint16(9))
	f.Fuzz(func(t *testing.T, in []byte, a, b uint16) {
		i, j := int(a)%(len(in)+1), int(b)%(len(in)+1)
		if i > j {
			i, j = j, i
		}
		whole, rest := split(t, in)
		var all string
		for _, ev := range whole {
			all += ev
		}
		require.Equal(t, string(in), all+rest)
		cut, rest2 := split(t, in, i, j)
		require.Equal(t, whole, cut)
		require.Equal(t, rest, rest2)
	})
}
