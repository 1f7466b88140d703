package recall

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
)

// Sums remembers the sums of edited texts for one exchange. It implements payload.EditedSums.
type Sums struct {
	memory Memory
	key    Key
	room   payload.Sum
}

var _ payload.EditedSums = (*Sums)(nil)

// sumPlace tells the key of a sum from that of a run or a stretch.
const sumPlace = 1 << 30

// NewSums returns the part's sums of edited texts of a tenant.
func (r *Part) NewSums(x *core.Exchange) Sums {
	if r.memory == nil {
		return Sums{}
	}
	s := Sums{memory: r.memory, key: r.computeKey(x)}
	s.key.Place = sumPlace
	return s
}

// RecallSum implements payload.EditedSums.
func (s *Sums) RecallSum(from *payload.Sum) (sum payload.Sum, ok bool) {
	if s.memory == nil {
		return sum, false
	}
	_, ok = s.memory.Recall(s.room[:0], s.key.mixText(from), 0)
	return s.room, ok
}

// StoreSum implements payload.EditedSums.
func (s *Sums) StoreSum(from *payload.Sum, sum payload.Sum) {
	if s.memory != nil {
		s.room = sum
		s.memory.Store(s.key.mixText(from), s.room[:])
	}
}
