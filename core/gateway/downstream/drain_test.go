package downstream

import (
	"bufio"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADrainClosesConnectionsWithTheirNextAnswerOnly(t *testing.T) {
	for name, way := range ways {
		for loop, netHTTP := range loops {
			t.Run(name+" of "+loop, func(t *testing.T) {
				o := Options{NetHTTP: netHTTP}
				if way.secure {
					o.TLS = newCertificate(t)
				}
				s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hi") }), o)
				request := "GET / HTTP/1.1\r\nHost: x\r\n" + way.mark + "\r\n"
				idle := dial(t, addr, way.secure)
				say(t, idle, request)
				require.Equal(t, "hi", readAnswer(t, idle))
				s.Drain()
				say(t, idle, request)
				fresh := dial(t, addr, way.secure)
				say(t, fresh, request)
				for _, c := range []io.Reader{idle, fresh} {
					r := bufio.NewReader(c)
					res, err := http.ReadResponse(r, nil)
					require.NoError(t, err)
					assert.True(t, res.Close, "the answer says that it is the last")
					b, err := io.ReadAll(res.Body)
					require.NoError(t, err)
					assert.Equal(t, "hi", string(b))
					_, err = r.ReadByte()
					require.ErrorIs(t, err, io.EOF)
				}
			})
		}
	}
}
