package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// toolNames holds the known names of a server's tools. Reading takes no lock.
type toolNames struct {
	mu    sync.Mutex // of writers
	names atomic.Pointer[map[string]bool]
}

const (
	// maxListed limits the remembered names of one server, which may list different names each time.
	maxListed = 4096
	// maxRecorded limits the names that are recorded unchanged, in bytes. The specification recommends at most 128.
	maxRecorded = 128
)

func (l *toolNames) has(name string) bool {
	names := l.names.Load()
	return names != nil && (*names)[name]
}

func (l *toolNames) add(tools []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := map[string]bool{}
	if now := l.names.Load(); now != nil {
		if len(*now) >= maxListed {
			return
		}
		names = maps.Clone(*now)
	}
	for _, name := range tools {
		if len(names) < maxListed && len(name) <= maxRecorded {
			names[strings.Clone(name)] = true
		}
	}
	l.names.Store(&names)
}

// RecordTools records that the server has tools, because it listed them or answered a call.
func (s *Server) RecordTools(tools ...string) {
	if s.listed != nil && slices.ContainsFunc(tools, func(name string) bool { return !s.listed.has(name) }) {
		s.listed.add(tools)
	}
}

// Knows reports whether the configuration names a tool, or the server is known to have it.
func (s *Server) Knows(tool string) bool {
	if _, ok := s.Prices[tool]; ok || s.listed != nil && s.listed.has(tool) || slices.Contains(s.Tools, tool) {
		return true
	}
	return slices.ContainsFunc(s.Access, func(a Access) bool { return slices.Contains(a.Tools, tool) })
}

// FormatRecordName returns the name of a tool for records, metrics and pages. An unknown name is arbitrary client text,
// which might be a key; so it returns a digest, which distinguishes names without repeating them.
func (s *Server) FormatRecordName(tool string) string {
	if len(tool) <= maxRecorded && s.Knows(tool) {
		return tool
	}
	sum := sha256.Sum256([]byte(tool))
	return "unknown:" + hex.EncodeToString(sum[:6])
}

// Adopt takes over what the replaced configuration has learned about servers. Both may serve meanwhile.
func (s Servers) Adopt(before Servers) {
	for name, server := range s {
		if old := before[name]; old != nil && old.listed != nil {
			server.listed, server.history = old.listed, old.history
		} else {
			server.listed, server.history = new(toolNames), new(history)
		}
	}
}
