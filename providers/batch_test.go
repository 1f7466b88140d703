package providers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// batchOf returns a batch service whose provider answers with h.
func batchOf(t *testing.T, suffix string, h http.HandlerFunc) backend.Backend {
	srv := httptest.NewServer(h)
	client := upstream.NewLean(upstream.LeanOptions{})
	t.Cleanup(func() {
		assert.NoError(t, client.Close())
		srv.Close()
	})
	base, err := url.Parse(srv.URL + suffix)
	require.NoError(t, err)
	return NewBatchOpenAI(BatchSettings{
		Label: "Azure OpenAI", Base: base, Client: client, Header: []upstream.Field{{Name: "Api-Key", Value: "k"}},
		Timeouts: upstream.Timeouts{Connect: time.Minute, FirstByte: time.Minute, Idle: time.Minute},
	})
}

// batchFile returns a temporary file with the content.
func batchFile(t *testing.T, content string) *backend.Upload {
	f, err := os.CreateTemp(t.TempDir(), "x")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	_, err = f.WriteAt([]byte(content), backend.Room)
	require.NoError(t, err)
	return &backend.Upload{Name: "file-1.jsonl", File: f, Start: backend.Room, End: backend.Room + int64(len(content))}
}

func TestBatchCallsGoBelowTheBaseWithItsQuery(t *testing.T) {
	var seen []string
	b := batchOf(t, "/openai?api-version=2024-10-21", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		assert.Equal(t, "k", r.Header.Get("Api-Key"))
		if r.URL.Path == "/openai/files" {
			body = nil
		}
		seen = append(
			seen,
			r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Content-Type")[:min(len(r.Header.Get("Content-Type")), 19)]+" "+string(body),
		)
		_, _ = io.WriteString(w, `{"id":"batch_1","status":"validating"}`)
	})
	ctx := context.Background()
	id, e := b.Upload(ctx, batchFile(t, "{}\n"))
	require.Nil(t, e)
	assert.Equal(t, "batch_1", id)
	for _, call := range []func() *core.Error{
		func() *core.Error {
			_, e := b.Create(ctx, &backend.Order{File: "file-1", Endpoint: "/v1/embeddings", Window: "24h"})
			return e
		},
		func() *core.Error { _, e := b.Get(ctx, "batch_1"); return e },
		func() *core.Error { _, e := b.Cancel(ctx, "batch_1"); return e },
		func() *core.Error { return b.Delete(ctx, "file-1") },
		func() *core.Error {
			c, e := b.OpenContent(ctx, "file-1")
			if e == nil {
				assert.NoError(t, c.Close())
			}
			return e
		},
	} {
		require.Nil(t, call())
	}
	q := "?api-version=2024-10-21"
	assert.Equal(t, []string{
		"POST /openai/files" + q + " multipart/form-data ",
		"POST /openai/batches" + q + ` application/json {"input_file_id":"file-1","endpoint":"/v1/embeddings","completion_window":"24h"}`,
		"GET /openai/batches/batch_1" + q + "  ",
		"POST /openai/batches/batch_1/cancel" + q + "  ",
		"DELETE /openai/files/file-1" + q + "  ",
		"GET /openai/files/file-1/content" + q + "  ",
	}, seen)
}

func TestAFileIsUploadedAsAForm(t *testing.T) {
	content := strings.Repeat("{\"line\":1}\r\n--headgate\n", 50_000)
	b := batchOf(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if !assert.NoError(t, err) {
			return
		}
		for _, want := range [][3]string{
			{"purpose", "", "batch"}, {"expires_after[anchor]", "", "created_at"}, {"expires_after[seconds]", "", "3600"}, {"file", "file-1.jsonl", content},
		} {
			p, err := parts.NextPart()
			if !assert.NoError(t, err) {
				return
			}
			body, err := io.ReadAll(p)
			assert.NoError(t, err)
			got := [3]string{p.FormName(), p.FileName(), string(body)}
			assert.Equal(t, want, got)
		}
		_, err = parts.NextPart()
		assert.ErrorIs(t, err, io.EOF)
		_, _ = io.WriteString(w, `{"id":"file-abc"}`)
	})
	f := batchFile(t, content)
	f.Expires = time.Hour
	id, e := b.Upload(context.Background(), f)
	require.Nil(t, e)
	assert.Equal(t, "file-abc", id)
}

func TestABatchAnswerThatCannotBeUsedIsRefused(t *testing.T) {
	for name, answer := range map[string]string{
		"no JSON": "<html>", "no id": `{"status":"validating"}`, "no status": `{"id":"b"}`, "an id that is a path": `{"id":"../x","status":"validating"}`,
		"a file that is a path": `{"id":"b","status":"completed","output_file_id":"a/b"}`, "a number for an id": `{"id":7,"status":"validating"}`,
		"an id with a query": `{"id":"a?b","status":"x"}`, "far too long": `{"id":"b","status":"validating","x":"` + strings.Repeat("x", maxBatchAnswer) + `"}`,
	} {
		b := batchOf(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, answer)
		})
		_, e := b.Get(context.Background(), "b")
		require.NotNil(t, e, name)
		assert.Equal(t, core.CodeUpstreamInvalid, e.Code, name)
		assert.Equal(t, 502, e.HTTPStatus(), name)
	}
}

func TestABatchRefusalIsToldInOneLine(t *testing.T) {
	status, body := 400, `{"error":{"code":"bad_file","message":"line\n`+strings.Repeat("é", 400)+`"}}`
	b := batchOf(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		http.Error(w, body, status)
	})
	_, e := b.Get(context.Background(), "b")
	require.NotNil(t, e)
	assert.True(t, strings.HasPrefix(e.Public, "Azure OpenAI API error 400: bad_file: line é"), e.Public)
	assert.Len(t, []rune(e.Public), 300)
	assert.Equal(t, "bad_file", e.Code)
	status = 429
	_, e = b.Get(context.Background(), "b")
	assert.Equal(t, 7*time.Second, e.RetryAfter)
	assert.Equal(t, core.RateLimited, e.Kind)
	status = 404
	_, e = b.Get(context.Background(), "b")
	assert.Equal(t, core.NotFound, e.Kind)
	for _, secret := range []int{401, 403, 500, 503, 307} {
		status = secret
		_, e = b.Get(context.Background(), "b")
		assert.Equal(t, core.BadGateway, e.Kind)
		assert.NotContains(t, e.Public, "line")
	}
}

func TestABatchProviderThatIsAwayIsAnError(t *testing.T) {
	b := batchOf(t, "/v1", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, e := b.Get(context.Background(), "b")
	require.NotNil(t, e)
	assert.Equal(t, core.BadGateway, e.Kind)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, e = b.Get(ctx, "b")
	assert.Equal(t, core.Canceled, e.Kind)
	ctx, cancel = context.WithTimeout(context.Background(), 0)
	defer cancel()
	_, e = b.Get(ctx, "b")
	assert.Equal(t, core.GatewayTimeout, e.Kind)
}

func TestTheMockForgetsItsOldestFilesAndBatches(t *testing.T) {
	m, ctx := NewBatchMock(), context.Background()
	var files, batches []string
	for range mockBatchKeeps + 1 {
		id, e := m.Upload(ctx, batchFile(t, "x"))
		require.Nil(t, e)
		s, e := m.Create(ctx, &backend.Order{File: id})
		require.Nil(t, e)
		files, batches = append(files, id), append(batches, s.ID)
	}
	for i, held := range map[int]bool{0: false, 1: true, mockBatchKeeps: true} {
		assert.Equal(t, held, m.Holds(files[i]))
		assert.Equal(t, held, m.Holds(batches[i]))
	}
	for _, e := range []*core.Error{
		m.Delete(ctx, files[0]), m.Delete(ctx, "file-mock-output-unknown"),
		func() *core.Error { _, e := m.OpenContent(ctx, files[0]); return e }(), func() *core.Error { _, e := m.Get(ctx, batches[0]); return e }(),
		func() *core.Error { _, e := m.Cancel(ctx, batches[0]); return e }(), func() *core.Error { _, e := m.Create(ctx, &backend.Order{File: files[0]}); return e }(),
	} {
		require.NotNil(t, e)
		assert.Equal(t, core.NotFound, e.Kind)
	}
	s, e := m.Get(ctx, batches[1])
	require.Nil(t, e)
	require.True(t, m.Holds(s.OutputFile))
	require.Nil(t, m.Delete(ctx, s.OutputFile))
	assert.False(t, m.Holds(s.OutputFile))
	require.Nil(t, m.Delete(ctx, files[1]))
	assert.False(t, m.Holds(files[1]))
}
