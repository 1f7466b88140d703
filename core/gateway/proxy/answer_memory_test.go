package proxy_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// TestLargeAnswersThatWaitForTheirClientsAreBounded uses a client that does not read a large answer.
func TestLargeAnswersThatWaitForTheirClientsAreBounded(t *testing.T) {
	large := completion(strings.Repeat("x", 3<<19))
	for name, raw := range map[string]string{
		"of a known length":    buildWhole(200, "application/json", large),
		"of an unknown length": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(large) + chunk(""),
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, func(c net.Conn, r sent) {
				if strings.Contains(r.body, "small") {
					says(buildWhole(200, "application/json", completion("small")))(c, r)
					return
				}
				says(raw)(c, r)
			})
			g := open(t, setup{url: up.url, runtime: func(rt *snapshot.Runtime) {
				rt.Answers = snapshot.AnswerLimits{Process: 5 << 20, Tenant: 3 << 20}
			}})
			e := gin.New()
			g.proxy.Mount(e)
			post := func(w http.ResponseWriter, key, text string) {
				r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(chat(text)))
				r.Header.Set("Authorization", "Bearer "+g.key[key])
				e.ServeHTTP(w, r)
			}
			get := func(key, text string) *httptest.ResponseRecorder {
				w := httptest.NewRecorder()
				post(w, key, text)
				return w
			}
			slow := &stuck{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), resume: make(chan struct{})}
			var done sync.WaitGroup
			done.Go(func() { post(slow, "dev", "large") })
			<-slow.began
			refused := get("other", "large") // of the same tenant
			assert.Equal(t, http.StatusServiceUnavailable, refused.Code)
			assert.Contains(t, refused.Body.String(), `"code":"overloaded"`)
			assert.Equal(t, "1", refused.Header().Get("Retry-After"))
			assert.Positive(t, g.usage().Input, "the call is charged")
			assert.Equal(t, http.StatusOK, get("dev", "small").Code, "small answers are not counted")
			assert.Equal(t, http.StatusOK, get("foreign", "large").Code, "each tenant has its own share")

			second := &stuck{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), resume: make(chan struct{})}
			done.Go(func() { post(second, "foreign", "large") })
			<-second.began
			assert.Equal(t, http.StatusServiceUnavailable, get("foreign", "large").Code)
			assert.Equal(t, proxy.AnswerMemoryUse{Bytes: 4 << 20, PastTenants: 2}, g.proxy.Answers.Use(), "the metrics")
			close(slow.resume)
			close(second.resume)
			done.Wait()
			assert.Equal(t, http.StatusOK, slow.Code)
			for range 3 {
				assert.Equal(t, http.StatusOK, get("dev", "large").Code, "the memory is released")
			}
			assert.Zero(t, g.proxy.Answers.Use().Bytes)
			asked := len(up.requests())
			assert.Equal(t, 9, asked, "a refused answer is not requested again")
		})
	}
}
