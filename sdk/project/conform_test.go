package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
	"github.com/headgate-dev/headgate/wasm"
	abirules "github.com/headgate-dev/headgate/wasm/conform"
)

// Every sample, whatever its language, keeps all rules of plugin conform that say something about it.
func TestEverySampleConformsToTheABI(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(samples, "*", "*"+cases.Suffix))
	require.NoError(t, err)
	require.Greater(t, len(folders), 15)
	languages := map[string]bool{}
	for _, file := range folders {
		name := strings.TrimSuffix(filepath.Base(file), cases.Suffix)
		t.Run(name, func(t *testing.T) {
			o := abirules.Options{File: name + ".wasm", Limits: wasm.Limits{Timeout: 30 * time.Second}}
			var err error
			if o.Cache, err = compiled(); err != nil {
				require.NoError(t, err)
			}
			if beside, err := os.ReadFile(filepath.Join(samples, name, name+".wasm.yaml")); err == nil { // kept beside its source
				o.Manifest, err = plugins.ReadManifest(beside)
				require.NoError(t, err)
				o.Source, err = os.ReadFile(filepath.Join(samples, name, name+".wasm"))
				require.NoError(t, err)
			} else {
				p := sample(t, name)
				o.Source = p.source
				languages[p.built.Language] = true
			}
			list, err := cases.Read(file, name+".wasm")
			require.NoError(t, err)
			for _, c := range list.Cases {
				if !c.Accepted() {
					continue
				}
				if o.Config == nil {
					s, err := wasm.ReadSettings(c.Link.Config)
					require.NoError(t, err)
					o.Config, err = s.Config()
					require.NoError(t, err)
				}
				o.Texts = append(o.Texts, c.Texts()...)
			}
			r, err := abirules.Run(t.Context(), o)
			require.NoError(t, err)
			var b strings.Builder
			require.NoError(t, r.Write(&b, false))
			assert.True(t, r.Conforms(), b.String())
		})
	}
	if !raceDetector && !t.Failed() && os.Getenv("CI") == "true" {
		assert.Len(t, languages, 6, "C, Rust, Go, AssemblyScript, Zig and WebAssembly text")
	}
}
