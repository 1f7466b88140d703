package wasm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// employeeID returns the small detector in C, which is committed beside its source.
func employeeID(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "employee-id", "employee-id.wasm"))
	require.NoError(t, err)
	return b
}

// loadModule loads a module and closes it when the test ends.
func loadModule(t testing.TB, o LoadOptions) *Version {
	t.Helper()
	if o.Name == "" {
		o.Name = "employee-id.wasm"
	}
	if o.Source == nil {
		o.Source = employeeID(t)
	}
	v, err := Load(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { v.Release(context.Background()) })
	return v
}
