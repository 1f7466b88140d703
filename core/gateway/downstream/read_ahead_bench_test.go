package downstream

import (
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkReadRequest measures reading a request as net/http reads it: 4 KiB, then the rest. Size 1 shows the cost of
// writing it.
func BenchmarkReadRequest(b *testing.B) {
	for _, size := range []int{1, 1300, 8400} {
		for _, whole := range []bool{false, true} {
			name := strconv.Itoa(size) + " as asked"
			if whole {
				name = strconv.Itoa(size) + " at once"
			}
			b.Run(name, func(b *testing.B) {
				ln, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(b, err)
				defer func() { _ = ln.Close() }()
				far, err := net.Dial("tcp", ln.Addr().String())
				require.NoError(b, err)
				near, err := ln.Accept()
				require.NoError(b, err)
				cl := newClient(&clients{open: map[*client]struct{}{}}, near)
				if !whole {
					cl.socket = nil
				}
				request, p, rest := make([]byte, size), make([]byte, 4096), make([]byte, max(0, size-4096))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := far.Write(request); err != nil {
						b.Fatal(err)
					}
					cl.recordWait(forRequest)
					if _, err := cl.Read(p); err != nil {
						b.Fatal(err)
					}
					cl.recordWait(forNothing)
					if _, err := io.ReadFull(cl, rest); err != nil {
						b.Fatal(err)
					}
				}
				require.NoError(b, far.Close())
				require.NoError(b, near.Close())
			})
		}
	}
}
