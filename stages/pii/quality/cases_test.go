package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/figures"
)

func TestTheTypesAreFoundAsTheFiguresSay(t *testing.T) {
	known, err := figures.Read(filepath.Join("..", figuresFile))
	require.NoError(t, err)
	now, err := measureCases("..", t.Output())
	require.NoError(t, err)
	for _, kind := range now.ListKinds() {
		t.Logf("%-44s %s", kind, now[kind])
	}
	require.Len(t, now, 4*len(sixTypes)+7)
	assert.Empty(t, now.Compare(known, isFind))
}
