package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDetectAllocatesNothingWithoutAMatch(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes the pool forget")
	}
	for name, text := range map[string]string{
		"plain prose":              prose(8<<10, 0),
		"prose with smart quotes":  strings.Repeat("it’s “just words” — page 12 of 1998, ", 200),
		"digits of another script": strings.Repeat("страница ١٢ ", 200),
		"addresses that are wrong": strings.Repeat("card 4539824553459856 1.2.3.4.5 12:34:56 a@b DE76370400440513110086 call 12 ", 50),
	} {
		dst := make([]Match, 0, 4)
		all := engine(t, Options{Packs: []string{packAll}})
		if all.Detect(dst, text); len(all.Detect(nil, text)) == 0 {
			assert.Zero(t, testing.AllocsPerRun(50, func() { dst = all.Detect(dst[:0], text) }), name)
		}
		e := engine(t, Options{})
		assert.Zero(t, testing.AllocsPerRun(50, func() { dst = e.Detect(dst[:0], text) }), name)
		assert.Empty(t, dst, name)
		assert.Zero(t, testing.AllocsPerRun(50, func() { e.CountHeld(text) }), name)
	}
}
