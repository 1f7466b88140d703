package downstream

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// measureTaken returns how many bytes the client's host has acknowledged, and whether that is all of them. A blocked
// write cannot measure this: the kernel wakes it only when a third of the socket's buffer, up to megabytes, is free.
func (cl *client) measureTaken() (taken int64, all bool) {
	s, ok := cl.Conn.(syscall.Conn)
	if !ok {
		return cl.out.written.Load(), true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0, false
	}
	var info *unix.TCPInfo
	failed := raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
	if failed != nil || err != nil { // closed meanwhile, or not TCP
		return cl.out.written.Load(), true
	}
	return int64(info.Bytes_acked), info.Unacked == 0 && info.Notsent_bytes == 0
}

// writePieces writes p at once: progress is measured, not counted.
func (cl *client) writePieces(p []byte) (int, error) {
	n, err := cl.Conn.Write(p)
	cl.out.written.Add(int64(n))
	return n, err
}

// writeVector writes all buffers in one system call where possible.
func (cl *client) writeVector(b *net.Buffers) error {
	n, err := b.WriteTo(cl.Conn)
	cl.out.written.Add(n)
	return err
}
