package wasm

import (
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

var _ recall.Stage = (*Stage)(nil)

// SetMemory implements recall.Stage. The sources of texts that the link shows to the guest are part of the key, because a
// text that one link's guest did not see is not known to be clean for another. It has no effect unless the manifest
// declares that the guest judges each text independently. Only texts without findings are remembered; a text with matches
// is judged again.
func (s *Stage) SetMemory(m recall.Memory) {
	if s.v.Manifest.Remember {
		s.memory = recall.NewPart(m, fmt.Sprintf("wasm\x00%s\x00%d\x00%s", s.v.Digest, s.sources, s.v.config))
	}
}

// findRun looks up the run of a request that begins at segment k. clean is true if the run is known to contain no
// matches.
func (c *check) findRun(k int) (m recall.Run, clean bool) {
	if c.phase == core.Response {
		return m, false
	}
	m = c.s.memory.ComputeRun(c.x, c.body, k, c.phase)
	_, clean = c.s.memory.Recall(nil, &m)
	return m, clean
}
