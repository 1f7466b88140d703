package tools_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// broken panics when it is asked for its era.
type broken struct{ tools.Upstream }

func (broken) Probe(context.Context) (mcp.Era, error) { panic("no era") }

func TestAPanicOverTheEraOfAServerIsAnErrorAndDoesNotEndTheProcess(t *testing.T) {
	s := &tools.Server{Name: "peer", Upstream: broken{}}
	_, err := s.DetectModern(t.Context())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "no era")
}

// probed answers probes for each user of its own.
type probed struct {
	tools.Upstream
	asked int
	as    func(user string) (mcp.Era, error)
}

func (p *probed) Probe(ctx context.Context) (mcp.Era, error) {
	p.asked++
	return p.as(tools.FindUser(ctx).Token)
}

func TestWhatAServerTellsOneUserOfItsEraConcernsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := &probed{as: func(user string) (mcp.Era, error) {
			switch user {
			case "ann":
				return mcp.Modern, nil
			case "eve": // the server knows no such user, and answers with 404
				return mcp.Legacy, nil
			}
			return 0, errors.New("the token cannot be exchanged")
		}}
		s := &tools.Server{Name: "peer", Upstream: up, PerUser: true}
		detect := func(user string) (bool, error) {
			return s.DetectModern(tools.WithUser(t.Context(), tools.User{Token: user, Tenant: "of " + user}))
		}
		_, err := detect("")
		require.ErrorContains(t, err, "is missing")
		assert.Zero(t, up.asked, "without a user there is nothing to ask")
		_, err = detect("mallory")
		require.Error(t, err)
		isModern, err := detect("eve")
		require.NoError(t, err)
		assert.False(t, isModern)
		isModern, err = detect("ann")
		require.NoError(t, err)
		assert.True(t, isModern, "neither a failure nor a refusal of others is hers")
		assert.Equal(t, 3, up.asked)
		isModern, err = detect("mallory")
		require.NoError(t, err)
		assert.True(t, isModern)
		time.Sleep(6 * time.Minute)
		isModern, err = detect("mallory")
		require.NoError(t, err, "a failure leaves what was known")
		assert.True(t, isModern)
		assert.Equal(t, 4, up.asked)
	})
}

func TestAServerWhoseProbeFailsKeepsTheEraThatWasKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := error(nil)
		s := &tools.Server{Name: "peer", Upstream: &probed{as: func(string) (mcp.Era, error) { return mcp.Modern, fails }}}
		_, err := s.DetectModern(t.Context())
		require.NoError(t, err)
		fails = errors.New("away")
		time.Sleep(6 * time.Minute)
		isModern, err := s.DetectModern(t.Context())
		require.NoError(t, err)
		assert.True(t, isModern)
	})
}
