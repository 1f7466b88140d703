package node

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnlySpansOfTheProgramThatAreNotWrittenToAreDropped(t *testing.T) {
	for line, want := range map[string]struct {
		start, size uintptr
		ok          bool
	}{
		"00403000-01aaf000 r-xp 00003000 fe:00 11526578                           /bin/headgate": {0x403000, 0x16ac000, true},
		"01aaf000-03a16000 r--p 016af000 fe:00 11526578                           /bin/headgate": {0x1aaf000, 0x1f67000, true},
		"03a19000-03bca000 rw-p 03619000 fe:00 11526578                           /bin/headgate": {},
		"7f0000000000-7f0000001000 r-xp 00000000 fe:00 1                          /lib/libc.so":  {},
		"c000000000-c000400000 rw-p 00000000 00:00 0":                                            {},
		"xyz-03a16000 r--p 016af000 fe:00 11526578 /bin/headgate":                                {},
	} {
		start, size, ok := ofProgram(line, "/bin/headgate")
		assert.Equal(t, want.ok, ok, line)
		assert.Equal(t, want.start, start, line)
		assert.Equal(t, want.size, size, line)
		assert.True(t, isHead(line), line)
	}
	assert.False(t, isHead("Anonymous:             0 kB"))
	assert.False(t, isHead(""))
}

func TestTheProgramGoesOnWhenItsPagesAreDropped(t *testing.T) {
	for range 3 {
		dropProgram() // a page that did not come back would end the process
		assert.Equal(t, "[1 2]", fmt.Sprint([]int{1, 2}))
	}
}
