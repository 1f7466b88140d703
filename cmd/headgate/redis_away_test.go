package main_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAGatewayWhoseRedisIsAwaySaysSoAtItsStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: ratelimit\n")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close()) // nothing listens there
	f := s.run("serve", "--config", "gateway.yaml", "--set", "state.url=redis://:secret@"+address+"/0")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "state.url: the Redis server does not answer")
	assert.NotContains(t, f.err, "panic")
	assert.NotContains(t, f.err, "secret")
}
