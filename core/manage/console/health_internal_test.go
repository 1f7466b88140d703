package console

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestTheProbesNeedNoSession(t *testing.T) {
	var away error
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Ready = func(context.Context) error { return away } })
	b := s.browser()
	a := b.get("/actuator/health/liveness")
	assert.Equal(t, http.StatusOK, a.status)
	assert.JSONEq(t, `{"status":"UP"}`, a.body)
	a = b.get("/actuator/health/readiness")
	assert.Equal(t, http.StatusOK, a.status)
	assert.JSONEq(t, `{"status":"UP"}`, a.body)
	away = errors.New("the database does not answer")
	a = b.get("/actuator/health/readiness")
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.JSONEq(t, `{"status":"OUT_OF_SERVICE"}`, a.body)
	assert.Equal(t, http.StatusOK, b.get("/actuator/health/liveness").status, "the process is alive")
}
