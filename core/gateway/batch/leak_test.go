package batch_test

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/batch"
)

func TestAServiceThatIsClosedLeavesNothingRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("service", func(t *testing.T) {
		g := open(t, func(o *batch.Options) { o.Watch = time.Millisecond })
		id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
		g.vendor.finish(result("r0", "x", 1, 1))
		g.get("dev", "/v1/batches/"+id)
		g.upload("dev", "nonsense")
		http.DefaultClient.CloseIdleConnections()
	})
	looking := 1 // Eventually looks from its own goroutine
	if !assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+looking }, generous, time.Millisecond) {
		stacks := make([]byte, 1<<20)
		t.Fatal(string(stacks[:runtime.Stack(stacks, true)]))
	}
}

func TestClosingDoesNotWaitForAProvider(t *testing.T) {
	g := open(t, func(o *batch.Options) { o.Watch = time.Millisecond })
	g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	calls := g.vendor.calls.Load()
	g.vendor.mu.Lock() // it does not answer
	defer g.vendor.mu.Unlock()
	require.Eventually(t, func() bool {
		g.pass(time.Hour) // again and again: an answer that was on its way sets when it is asked next
		return g.vendor.calls.Load() > calls
	}, generous, time.Millisecond)
	closed := make(chan struct{})
	go func() {
		g.service.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Fatal("it waits")
	}
}

func TestALargeFileTakesLittleMemory(t *testing.T) {
	g := open(t, nil)
	g.vendor.script(func(v *vendor) { v.discards = true })
	const lines = 4000
	line := strings.Repeat("lorem ipsum ", 2000) // 24 KB
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		_ = form.WriteField("purpose", "batch")
		part, err := form.CreateFormFile("file", "f")
		for i := 0; i < lines && err == nil; i++ {
			_, err = io.WriteString(part, request(fmt.Sprint(i), "gpt-4o", line))
		}
		_ = form.Close()
		_ = w.CloseWithError(err)
	}()
	var start runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&start)
	peak, stop := uint64(0), make(chan struct{})
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	a := g.call("dev", "POST", "/v1/files", form.FormDataContentType(), r)
	close(stop)
	<-measured
	require.Equal(t, 200, a.status, a.body)
	assert.Greater(t, a.json(t)["bytes"], 90e6)
	assert.Less(t, peak, start.HeapAlloc+32<<20, "far less than the file")
}
