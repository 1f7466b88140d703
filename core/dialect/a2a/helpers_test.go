package a2a

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// read reads an example of the specification.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return b
}

// scanRequest scans a request of a client.
func scanRequest(body string, header ...string) (*Call, *core.Exchange, *core.Error) {
	x, c := &core.Exchange{}, &Call{}
	x.Request.Raw, x.Request.Header = []byte(body), http.Header{}
	for i := 0; i < len(header); i += 2 {
		x.Request.Header.Add(header[i], header[i+1])
	}
	return c, x, c.Scan(x)
}

// scanAnswer scans an answer to a request.
func scanAnswer(t *testing.T, request, answer string) (*Call, *core.Exchange, error) {
	t.Helper()
	c, x, e := scanRequest(request)
	require.Nil(t, e)
	x.Response.Status, x.Response.Raw = http.StatusOK, []byte(answer)
	return c, x, c.ScanResponse(x)
}

// texts lists the texts of a body with their kinds.
func texts(p *core.Payload) (out []string) {
	kinds := map[core.SegmentKind]string{
		core.KindText: "text", core.KindToolArgs: "data", core.KindToolResult: "result", core.KindDefinition: "definition", core.KindOther: "other",
	}
	for i := range p.Segments {
		out = append(out, kinds[p.Segments[i].Kind]+" "+p.ReadText(i))
	}
	return out
}

// events splits a stream.
func events(t *testing.T, stream []byte) (out [][]byte) {
	t.Helper()
	var s sse.Splitter
	require.NoError(t, s.Write(stream))
	for raw := s.Next(); raw != nil; raw = s.Next() {
		out = append(out, append([]byte{}, raw...))
	}
	return out
}
