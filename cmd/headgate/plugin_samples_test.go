package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/project/guests"
)

// caseFiles returns the case files of all samples: each sample has one, named like the sample. The process module has none: it
// does nothing without the module that it hosts, and is tried with those in sdk/stagetest/equal.
func caseFiles(t *testing.T) (files []string) {
	t.Helper()
	for pattern, least := range map[string]int{"sdk/samples/*/": 15, "sdk/process/samples/*/": 2} {
		folders, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		found := 0
		for _, folder := range folders {
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				continue
			}
			if filepath.Base(folder) == "module" {
				continue
			}
			found++
			file := filepath.Join(folder, filepath.Base(folder)+".cases.yaml")
			assert.FileExists(t, file, "each sample has cases")
			files = append(files, file)
		}
		assert.GreaterOrEqual(t, found, least)
	}
	return files
}

func TestEverySamplePassesItsCases(t *testing.T) {
	if raceDetector {
		t.Skip("the gateway's compiler, slowed down by the race detector, may meet its time limit on a module of this size")
	}
	t.Parallel()
	s := newSite(t)
	for _, file := range caseFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".cases.yaml")
		t.Run(name, func(t *testing.T) {
			source := filepath.Dir(file)
			cases, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.Mkdir(s.path(name), 0o700))
			s.copy(name+"/"+name+".cases.yaml", cases)
			switch kept, err := os.ReadFile(filepath.Join(source, name+".wasm.yaml")); {
			case err == nil: // plugin build does not support its toolchain
				s.copy(name+"/"+name+".wasm.yaml", kept)
				s.bring(name+"/"+name+".wasm", filepath.Join(source, name+".wasm"))
			case filepath.Base(filepath.Dir(filepath.Dir(source))) == "process":
				s.bring(name+"/"+name, filepath.Join(guests.Processes(t), name))
			default:
				s.bring(name+"/"+name+".wasm", filepath.Join(guests.Sample(t, name), name+".wasm"))
			}
			f := s.run("plugin", "test", "-v", "--require-coverage", name)
			assert.Zero(t, f.code, f.out+f.err)
		})
	}
}

// bring copies a file with its permissions.
func (s *site) bring(name, from string) {
	s.t.Helper()
	b, err := os.ReadFile(from)
	require.NoError(s.t, err)
	info, err := os.Stat(from)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.path(name), b, info.Mode().Perm()))
}
