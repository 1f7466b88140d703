package downstream

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkARequest sends a request of 1 KB with the header of a common client, and answers as the data plane does. The
// client's share of the cost is the same in both.
func BenchmarkARequest(b *testing.B) {
	answer := make([]byte, 600)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, buf); err != nil {
			b.Error(err)
		}
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(answer))}
		_, _ = w.Write(answer)
	})
	head := "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: Bearer gw_0123456789abcdef0123456789\r\n" +
		"Content-Type: application/json\r\nUser-Agent: client/1.0\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: 1000\r\n"
	for name, mark := range map[string]string{"plain": "", "net/http": "Pragma: x\r\n"} {
		b.Run(name, func(b *testing.B) {
			_, addr, _ := startServer(b, h, Options{})
			c, err := net.Dial("tcp", addr)
			require.NoError(b, err)
			defer func() { _ = c.Close() }()
			req := append([]byte(head+mark+"\r\n"), make([]byte, 1000)...)
			r := bufio.NewReader(c)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(req); err != nil {
					b.Fatal(err)
				}
				for n := 0; ; {
					line, err := r.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					if n++; len(line) == 2 {
						break
					}
				}
				if _, err := r.Discard(len(answer)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
