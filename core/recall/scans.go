package recall

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
)

// Scans remembers what scans have found, for one exchange. It implements payload.ScanMemory.
type Scans struct {
	Memory
	key Key
}

var _ payload.ScanMemory = (*Scans)(nil)

// scanPlace tells the key of a scan from those of texts.
const scanPlace = 1 << 29

// Set makes the value that of an exchange.
func (s *Scans) Set(m Memory, x *core.Exchange) {
	t := x.HashTenant(m)
	s.Memory, s.key = m, Key{Place: scanPlace}.mixText(&t)
}

// RecallScan implements payload.ScanMemory.
func (s *Scans) RecallScan(dst []byte, of payload.Sum) (value []byte, ok bool) {
	return s.Recall(dst, s.key.mixText(&of), 0)
}

// StoreScan implements payload.ScanMemory.
func (s *Scans) StoreScan(of payload.Sum, value []byte) { s.Store(s.key.mixText(&of), value) }
