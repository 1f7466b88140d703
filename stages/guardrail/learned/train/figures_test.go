package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheDetectorsAreAsGoodAsTheFiguresSay(t *testing.T) {
	known, err := readFigures(filepath.Join("../..", figuresFile))
	require.NoError(t, err)
	now, err := measureQuality("../..")
	require.NoError(t, err)
	for _, key := range sortKeys(now) {
		t.Logf("%-44s %s", key, now[key])
	}
	assert.Empty(t, now.compare(known))
}

func TestWorseFiguresAreReported(t *testing.T) {
	known := table{"own cases, attack, direct": {80, 100}, "session's files": {1, 200}}
	for name, c := range map[string]struct {
		now  table
		want int
	}{
		"the same":          {table{"own cases, attack, direct": {80, 100}, "session's files": {1, 200}}, 0},
		"within the bounds": {table{"own cases, attack, direct": {75, 100}, "session's files": {2, 200}}, 0},
		"better":            {table{"own cases, attack, direct": {99, 100}, "session's files": {0, 200}}, 0},
		"less found":        {table{"own cases, attack, direct": {60, 100}, "session's files": {1, 200}}, 1},
		"more alarms":       {table{"own cases, attack, direct": {80, 100}, "session's files": {12, 200}}, 1},
		"other texts":       {table{"own cases, attack, direct": {80, 101}, "session's files": {1, 200}}, 1},
		"a kind is missing": {table{"session's files": {1, 200}}, 1},
		"a kind is new":     {table{"own cases, attack, direct": {80, 100}, "session's files": {1, 200}, "other": {0, 1}}, 1},
	} {
		assert.Len(t, c.now.compare(known), c.want, name)
	}
}
