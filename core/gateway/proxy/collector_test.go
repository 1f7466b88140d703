package proxy_test

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector that accepts OTLP over HTTP and keeps what it receives.
type receiver struct {
	url      string
	mu       sync.Mutex
	spans    []*otlp.Span
	resource map[string]string
	header   http.Header
	raw      []byte
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{resource: map[string]string{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		assert.Equal(t, "/v1/traces", q.URL.Path)
		assert.Equal(t, "application/x-protobuf", q.Header.Get("Content-Type"))
		body := io.Reader(q.Body)
		if q.Header.Get("Content-Encoding") == "gzip" {
			var err error
			body, err = gzip.NewReader(q.Body)
			if !assert.NoError(t, err) {
				return
			}
		}
		raw, err := io.ReadAll(body)
		assert.NoError(t, err)
		var req collector.ExportTraceServiceRequest
		if !assert.NoError(t, proto.Unmarshal(raw, &req)) {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.header, r.raw = q.Header.Clone(), append(r.raw, raw...)
		for _, rs := range req.GetResourceSpans() {
			for _, a := range rs.GetResource().GetAttributes() {
				r.resource[a.GetKey()] = a.GetValue().GetStringValue()
			}
			for _, ss := range rs.GetScopeSpans() {
				r.spans = append(r.spans, ss.GetSpans()...)
			}
		}
		answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{})
		assert.NoError(t, err)
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

// requireSpan returns the only span of that name.
func (r *receiver) requireSpan(t testing.TB, name string) *otlp.Span {
	t.Helper()
	list := r.listSpans(name)
	require.Len(t, list, 1, name)
	return list[0]
}

func (r *receiver) listSpans(name string) (list []*otlp.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if s.GetName() == name {
			list = append(list, s)
		}
	}
	return list
}

// attributes returns the attributes of a span as Go values.
func attributes(s *otlp.Span) map[string]any {
	out := map[string]any{}
	for _, a := range s.GetAttributes() {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.GetKey()] = int(v.IntValue)
		case *common.AnyValue_BoolValue:
			out[a.GetKey()] = v.BoolValue
		case *common.AnyValue_DoubleValue:
			out[a.GetKey()] = v.DoubleValue
		case *common.AnyValue_ArrayValue:
			var list []string
			for _, e := range v.ArrayValue.GetValues() {
				list = append(list, e.GetStringValue())
			}
			out[a.GetKey()] = list
		}
	}
	return out
}

func hexOf(id []byte) string { return hex.EncodeToString(id) }
