package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPeersAreNamedOnTheCommandLine(t *testing.T) {
	o, err := parsePeersFlags([]string{"-litellm", "/opt/venv/bin/litellm", "-peer", "other=/opt/other --port {port} --to {upstream}/v1", "-path", "other=/chat"})
	require.NoError(t, err)
	require.Len(t, o.peers, 2)
	assert.Equal(t, "/opt/venv/bin/litellm", o.peers[0].command[0])
	assert.Equal(t, peer{"other", []string{"/opt/other", "--port", "{port}", "--to", "{upstream}/v1"}, "/chat"}, o.peers[1])
	for name, args := range map[string][]string{
		"no peer":                  nil,
		"a peer without a name":    {"-peer", "=/opt/other"},
		"a peer without a command": {"-peer", "other= "},
		"a path of nothing":        {"-peer", "a=/opt/a", "-path", "b=/chat"},
		"a path that is none":      {"-peer", "a=/opt/a", "-path", "a=chat"},
	} {
		_, err := parsePeersFlags(args)
		assert.Error(t, err, name)
	}
}

// The mock stands for another gateway: it answers a chat as well as one.
func TestAPeerIsStartedByItsCommandAndMeasured(t *testing.T) {
	o := testOptions(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := &session{dir: t.TempDir(), key: "k", opts: o}
	defer s.end()
	require.NoError(t, s.startPeer(t.Context(), &peer{"other", []string{o.self, "mock", "-addr", "127.0.0.1:{port}"}, chatPath}, time.Minute))
	assert.True(t, s.systems[0].child.isAlive())
	err := s.startPeer(t.Context(), &peer{"broken", []string{o.self, "mock", "-no-such-flag"}, chatPath}, time.Minute)
	require.ErrorContains(t, err, "broken ended before it answered")
	var b strings.Builder
	s.samples = []sample{
		{Cell: "plain_1k", System: sysRevproxy, Load: loadReport{Server: &serverReport{CPUMicros: 50}}},
		{Cell: "plain_1k", System: "other", Load: loadReport{Server: &serverReport{CPUMicros: 100, RSSPeak: 3 << 20}}},
	}
	s.printPeers(&b, []string{sysRevproxy, "other"}, []string{"plain_1k", "plain_8k"})
	assert.Contains(t, b.String(), "| other | 100 us (0.5) | – | 3 |")
}
