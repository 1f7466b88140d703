package chain

import (
	"strconv"
	"testing"

	"github.com/headgate-dev/headgate/core"
)

// What a text costs does not depend on how many the stream has had.
func BenchmarkFollowOffsets(b *testing.B) {
	for _, texts := range []int{1, 16, maxMovedParts} {
		b.Run(strconv.Itoa(texts), func(b *testing.B) {
			s := &Stream{links: make([]streamLink, 1)}
			for i := range texts {
				s.followOffsets(&part{Part: core.Part{Kind: core.KindText, Index: int32(i)}, bufs: make([]tail, 1)})
			}
			again := &part{Part: core.Part{Kind: core.KindText}, bufs: make([]tail, 1)}
			for b.Loop() {
				s.followOffsets(again)
			}
		})
	}
}
