//go:build !race

package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With the race detector the training takes minutes.
func TestTheFilesMakeTheModel(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for 12 s of CPU time")
	}
	set, err := readSet("../..")
	require.NoError(t, err)
	want, err := os.ReadFile("../data/model.bin")
	require.NoError(t, err)
	got := trainModel(set.generateSamples(everything)).Append(nil)
	assert.True(t, bytes.Equal(want, got), "the model is not what its files make: run make guard-model")
}
