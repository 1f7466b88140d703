package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSamplesInGoPassTheirCases(t *testing.T) {
	if raceDetector {
		t.Skip("the gateway's compiler, slowed down by the race detector, may meet its time limit on a module of this size")
	}
	t.Parallel()
	files, err := filepath.Glob("../../sdk/samples/*/*.cases.yaml")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		if _, err := os.Stat(filepath.Join(folder, "main.go")); err != nil {
			continue // in another language, with the module beside its source: it has a test of its own
		}
		tried++
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", s.path(name+".wasm"), ".")
			build.Dir, build.Env = folder, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
			said, err := build.CombinedOutput()
			require.NoError(t, err, string(said))
			s.copy(name+".wasm.yaml", fromRoot(t, "sdk/samples/"+name+"/manifest.yaml"))
			s.copy(name+".cases.yaml", fromRoot(t, "sdk/samples/"+name+"/"+name+".cases.yaml"))
			f := s.run("plugin", "test", "-v", "--require-coverage")
			assert.Zero(t, f.code, f.out+f.err)
		})
	}
	assert.Positive(t, tried)
}
