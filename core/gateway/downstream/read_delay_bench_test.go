package downstream

import (
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkEar measures what net/http asks of a connection while it serves a request that is answered quickly.
func BenchmarkEar(b *testing.B) {
	near, _ := net.Pipe()
	cl := newClient(&clients{open: map[*client]struct{}{}}, near)
	cl.recordWait(forNothing)
	done := make(chan struct{}, 1)
	var one [1]byte
	var begun atomic.Bool
	read := func() {
		begun.Store(true)
		_, _ = cl.Read(one[:])
		done <- struct{}{}
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = cl.SetReadDeadline(time.Time{})
		begun.Store(false)
		go read()
		for !begun.Load() {
			runtime.Gosched()
		}
		_ = cl.SetReadDeadline(time.Unix(1, 0))
		<-done
	}
}
