package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyPagesThatEqualTheirFileAreDropped(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00003000 fe:00 11527779                   /usr/bin/headgate
Size:               1024 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00500000-00600000 r-xp 00003000 fe:00 11527779                   /usr/bin/with a breakpoint
Anonymous:             4 kB
00600000-00700000 r--p 00103000 fe:00 11527779                   /usr/bin/headgate (deleted)
AnonHugePages:         0 kB
Anonymous:             0 kB
00700000-00701000 r--p 00203000 fe:00 11527779                   /usr/bin/relocations
Anonymous:             4 kB
00701000-00702000 rw-p 00204000 fe:00 11527779                   /usr/bin/headgate
Anonymous:             0 kB
00800000-00900000 r--s 00000000 fe:00 11527780                   /var/lib/shared
Anonymous:             0 kB
c000000000-c000400000 r--p 00000000 00:00 0
Anonymous:             0 kB
7ffd2a5f4000-7ffd2a5f6000 r-xp 00000000 00:00 0                  [vdso]
Anonymous:             0 kB
`
	got, err := unwritten(strings.NewReader(smaps))
	require.NoError(t, err)
	assert.Equal(t, []span{{0x400000, 0x500000}, {0x600000, 0x700000}}, got)
}

func TestTheProgramRunsOnAfterItsPagesWereDropped(t *testing.T) {
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	spans, err := unwritten(f)
	require.NoError(t, err)
	require.NotEmpty(t, spans)
	for range 3 {
		dropMapped()
		_, err := os.ReadFile("/proc/self/maps")
		require.NoError(t, err)
	}
}
