package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/figures"
)

func TestTheDetectorsAreAsGoodAsTheFiguresSay(t *testing.T) {
	known, err := figures.Read(filepath.Join("../..", figuresFile))
	require.NoError(t, err)
	now, err := measureQuality("../..")
	require.NoError(t, err)
	for _, key := range now.ListKinds() {
		t.Logf("%-44s %s", key, now[key])
	}
	assert.Empty(t, now.Compare(known, isFind))
}
