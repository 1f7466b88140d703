package batch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// vendor is a scripted service of OpenAI's shape.
type vendor struct {
	t   testing.TB
	url string

	calls atomic.Int64 // also those that wait for mu

	mu      sync.Mutex
	files   map[string]string
	batches map[string]string // the members of their answers
	sent    []string          // method, path and body of each call but uploads
	forms   []map[string]string
	n       int
	broken  int  // the status that every call gets
	cuts    bool // downloads break off

	discards bool // uploads are read and forgotten
}

func newVendor(t testing.TB) *vendor {
	v := &vendor{t: t, files: map[string]string{}, batches: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/files", v.upload)
	mux.HandleFunc("GET /v1/files/{id}/content", v.content)
	mux.HandleFunc("DELETE /v1/files/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if v.files[id] == "" {
			http.Error(w, `{"error":{"message":"no such file","code":null,"type":"invalid_request_error"}}`, 404)
			return
		}
		delete(v.files, id)
		_, _ = fmt.Fprintf(w, `{"id":%q,"object":"file","deleted":true}`, id)
	})
	mux.HandleFunc("POST /v1/batches", func(w http.ResponseWriter, r *http.Request) {
		v.n++
		id := fmt.Sprint("batch_vendor", v.n)
		v.batches[id] = `"status":"validating","request_counts":{"total":0,"completed":0,"failed":0}`
		v.state(w, id)
	})
	mux.HandleFunc("GET /v1/batches/{id}", func(w http.ResponseWriter, r *http.Request) { v.state(w, r.PathValue("id")) })
	mux.HandleFunc("POST /v1/batches/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		v.batches[r.PathValue("id")] = `"status":"cancelling","cancelling_at":77`
		v.state(w, r.PathValue("id"))
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer sk-own", r.Header.Get("Authorization"))
		v.calls.Add(1)
		v.mu.Lock()
		defer v.mu.Unlock()
		if r.URL.Path != "/v1/files" {
			b, _ := io.ReadAll(r.Body)
			v.sent = append(v.sent, r.Method+" "+r.URL.Path+" "+string(b))
		}
		if v.broken != 0 {
			http.Error(w, `{"error":{"message":"not today","code":"quota","type":"x"}}`, v.broken)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	v.url = srv.URL
	t.Cleanup(srv.Close)
	return v
}

func (v *vendor) upload(w http.ResponseWriter, r *http.Request) {
	if v.discards {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"file-gone"}`)
		return
	}
	if !assert.NoError(v.t, r.ParseMultipartForm(1<<20)) {
		return
	}
	form := map[string]string{}
	for k, values := range r.MultipartForm.Value {
		form[k] = values[0]
	}
	f, h, err := r.FormFile("file")
	if !assert.NoError(v.t, err) {
		return
	}
	b, err := io.ReadAll(f)
	assert.NoError(v.t, err)
	form["filename"] = h.Filename
	v.n++
	id := fmt.Sprint("file-vendor", v.n)
	v.files[id], v.forms = string(b), append(v.forms, form)
	_, _ = fmt.Fprintf(w, `{"id":%q,"object":"file","bytes":%d,"purpose":"batch"}`, id, len(b))
}

func (v *vendor) content(w http.ResponseWriter, r *http.Request) {
	b, ok := v.files[r.PathValue("id")]
	if !ok {
		http.Error(w, `{"error":{"message":"no such file"}}`, 404)
		return
	}
	if v.cuts {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)+100))
	}
	_, _ = io.WriteString(w, b)
}

func (v *vendor) state(w http.ResponseWriter, id string) {
	if v.batches[id] == "" {
		http.Error(w, `{"error":{"message":"no such batch"}}`, 404)
		return
	}
	_, _ = io.WriteString(w, `{"id":"`+id+`","object":"batch","errors":null,"output_file_id":null,`+v.batches[id]+`}`)
}

// script changes what the vendor says from now on.
func (v *vendor) script(change func(v *vendor)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(v)
}

// last is the newest file.
func (v *vendor) last() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.files[fmt.Sprint("file-vendor", len(v.forms))]
}

// count tells how many calls began so.
func (v *vendor) count(prefix string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.sent {
		if strings.HasPrefix(s, prefix) {
			n++
		}
	}
	return n
}

// finish lets the first batch end with an output file.
func (v *vendor) finish(output string) {
	v.script(func(v *vendor) {
		v.files["file-out"] = output
		for id := range v.batches {
			v.batches[id] = `"status":"completed","output_file_id":"file-out","in_progress_at":11,"finalizing_at":12,"completed_at":13,"expires_at":14,"request_counts":{"total":2,"completed":1,"failed":1}`
		}
	})
}
