package main_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
)

// state is the part of the status document that tests read.
type state struct {
	ConfigVersion int64
	Status        string
	Warnings      []string
	Chain         []struct{ Name string }
	Plugins       []struct{ File, Name, Digest string }
}

func (s state) links() (names []string) {
	for _, l := range s.Chain {
		names = append(names, l.Name)
	}
	return names
}

// digest returns the digest of the file in force, or "" if it is not in force.
func (s state) digest(file string) string {
	for _, p := range s.Plugins {
		if p.File == file {
			return p.Digest
		}
	}
	return ""
}

func (s state) warned(parts ...string) bool {
	for _, w := range s.Warnings {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(w, p)
		}
		if all {
			return true
		}
	}
	return false
}

func (g *gate) status() state {
	g.t.Helper()
	return g.statusFor(testKey)
}

// statusFor returns the status document for the holder of a key.
func (g *gate) statusFor(key string) (s state) {
	g.t.Helper()
	c := g.client(key)
	defer c.http.CloseIdleConnections() // each connection would hold goroutines of the gateway
	a, err := c.do("GET", "/status", nil)
	require.NoError(g.t, err)
	require.Equal(g.t, http.StatusOK, a.status)
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &s))
	return s
}

// metric sums the samples of a metric that have all the labels, each name="value".
func (g *gate) metric(name string, labels ...string) (sum float64) {
	g.t.Helper()
	c := g.client("")
	c.base = "http://" + g.metrics
	defer c.http.CloseIdleConnections()
	a, err := c.do("GET", "/metrics", nil)
	require.NoError(g.t, err)
	for line := range strings.Lines(a.body) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || series != name && !strings.HasPrefix(series, name+"{") {
			continue
		}
		fits := true
		for _, l := range labels {
			fits = fits && strings.Contains(series, l)
		}
		if fits {
			v, err := strconv.ParseFloat(value, 64)
			require.NoError(g.t, err)
			sum += v
		}
	}
	return sum
}
