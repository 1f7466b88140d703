//go:build !linux

package downstream

import "net"

// measureTaken returns how many bytes the kernel has accepted, which is all that every system reports.
func (cl *client) measureTaken() (taken int64, all bool) { return cl.out.written.Load(), true }

// writePieces writes in pieces of answerStep, so that each counts as progress when it is accepted.
func (cl *client) writePieces(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		k := 0
		k, err = cl.Conn.Write(p[:min(len(p), answerStep)])
		cl.out.written.Add(int64(k))
		n, p = n+k, p[k:]
	}
	return n, err
}

// writeVector writes the buffers one after the other, in pieces.
func (cl *client) writeVector(b *net.Buffers) error {
	for _, p := range *b {
		if _, err := cl.writePieces(p); err != nil {
			return err
		}
	}
	return nil
}
