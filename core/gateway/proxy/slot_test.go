package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// stuck is a client that reads nothing of its answer until it is released.
type stuck struct {
	*httptest.ResponseRecorder
	once          sync.Once
	began, resume chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.began) })
	<-s.resume
	return s.ResponseRecorder.Write(b)
}

func TestAClientThatDoesNotTakeItsAnswerHoldsNoSlot(t *testing.T) {
	for name, c := range map[string]struct{ body, answer string }{
		"whole":    {chat("hi"), buildWhole(200, "application/json", completion("hi"))},
		"streamed": {chatStream("hi"), stream(roleEvent, textEvent("hi"), stopEvent, doneEvent)},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(c.answer))
			tiers := route.NewTiers(route.TierSettings{Max: 1, Threshold: [3]int{100, 100, 100}})
			g := open(t, setup{url: up.url, runtime: func(rt *snapshot.Runtime) { rt.Tiers = tiers }})
			e := gin.New()
			g.proxy.Mount(e)
			post := func(w http.ResponseWriter) {
				r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(c.body))
				r.Header.Set("Authorization", "Bearer "+g.key["dev"])
				e.ServeHTTP(w, r)
			}
			slow := &stuck{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), resume: make(chan struct{})}
			var done sync.WaitGroup
			done.Go(func() { post(slow) })
			<-slow.began
			other := httptest.NewRecorder()
			post(other)
			close(slow.resume)
			done.Wait()
			assert.Equal(t, http.StatusOK, other.Code, other.Body.String())
			assert.Equal(t, http.StatusOK, slow.Code)
		})
	}
}
