package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
)

type oneProvider struct{}

func (oneProvider) FindTarget(model, _ string, _ bool) (provider, target string, ok bool) {
	return "p", "routed", model != ""
}

type noBackend struct{ backend.Backend }

// newIntake is an intake whose lines all go to one provider.
func newIntake(t testing.TB) *intake {
	out, err := newSpool(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, out.close()) })
	s := &Service{}
	s.Dialect = func(string) core.Dialect { return openai.Chat{} }
	s.fill()
	c := &call{Service: s, r: &http.Request{}, rules: Rules{Router: oneProvider{}, Backends: map[string]backend.Backend{"p": noBackend{}}}}
	c.x.Principal = &core.Principal{}
	return &intake{call: c, out: out, seen: map[[16]byte]struct{}{}}
}

func readUpload(t testing.TB, in *intake) string {
	u, err := in.out.buildUpload()
	require.NoError(t, err)
	b := make([]byte, u.End-u.Start)
	_, err = u.File.ReadAt(b, u.Start)
	require.NoError(t, err)
	return string(b)
}

func chatLine(id, text string) string {
	return fmt.Sprintf(
		`{"custom_id":%q,"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":%q}]}}`,
		id,
		text,
	)
}

func TestLinesAreTheSameHoweverTheyArrive(t *testing.T) {
	text := "a\n\r\n" + strings.Repeat("b", 70_000) + "\n" + strings.Repeat("é", 200_000) + "\nc"
	for name, r := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "halves": iotest.HalfReader, "late end": iotest.DataErrReader,
	} {
		l := newLines(r(strings.NewReader(text)), 100_000)
		var got string
		var whole []bool
		for {
			part, ok, err := l.readLine()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			assert.LessOrEqual(t, len(part), 100_000+64<<10)
			got += string(part)
			if n := len(whole); n == 0 || whole[n-1] || ok { // the pieces of a long line count once
				whole = append(whole, ok)
			}
		}
		assert.Equal(t, text, got, name)
		assert.Equal(t, []bool{true, true, true, false, true}, whole, name)
	}
	l := newLines(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab\ncd"))), 10)
	_, _, err := l.readLine()
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

func FuzzIntake(f *testing.F) {
	f.Add([]byte(chatLine("a", "x") + "\n" + chatLine("b", "y\n") + "\r\n\n"))
	f.Add(
		[]byte(`{"custom_id":"\ud83d\ude00","method":"POST","url":"\/v1/chat/completions",` + "\r" + `"body":{"messages":[],"model":"\u006d"}}`),
	)
	f.Add([]byte(`{"body":{"model":"m","messages":[{"role":"user","content":null}]},"body":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := newIntake(t)
		e := in.read(context.Background(), bytes.NewReader(b))
		out := readUpload(t, in)
		if e != nil {
			return
		}
		require.Equal(t, in.n, strings.Count(out, "\n"))
		require.NotContains(t, out, "\r")
		sent := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		for i, came := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
			var was, is struct {
				ID   string `json:"custom_id"`
				Body map[string]any
			}
			require.NoError(t, json.Unmarshal(came, &was))
			require.NoError(t, json.Unmarshal([]byte(sent[i]), &is), sent[i])
			was.Body["model"] = "routed"
			require.Equal(t, was, is)
		}
	})
}

func FuzzUsage(f *testing.F) {
	f.Add([]byte(`{"response":{"body":{"model":"m","usage":{"prompt_tokens":1,"completion_tokens":-2}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, u := readLineUsage(b)
		require.GreaterOrEqual(t, min(u.Input, u.Output, u.Cached, u.Reasoning), int64(0))
	})
}

func BenchmarkIntake(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10} {
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			in := newIntake(b)
			line := []byte(chatLine("a", strings.Repeat("x y ", size/4)))
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				clear(in.seen)
				in.n = 0
				in.out.w.Reset(io.Discard)
				if e := in.acceptLine(context.Background(), 1, line); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}
