package plugins

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm"
)

func TestAnOlderSignedVersionNeedsADecision(t *testing.T) {
	dir, cache, key := t.TempDir(), filepath.Join(t.TempDir(), "cache"), newKey(t)
	options := Options{Dir: dir, CacheDir: cache, Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}}}
	lay := func(n int) {
		put(t, dir, file, sample(t, n))
		signedBy(t, dir, file, key, sample(t, n))
	}
	lay(2)
	d := openDir(t, options)
	assert.Equal(t, "2", link(t, d, "").Version().Manifest.Version)
	lay(1)
	assert.Equal(t, "2", link(t, d, "").Version().Manifest.Version)
	require.Len(t, d.Problems(), 1)
	assert.Contains(t, d.Problems()[0].Reason, `version "1" is older than "2"`)

	again := openDir(t, options)
	_, err := again.OpenStage(t.Context(), file, nil, wasm.Limits{Timeout: 5 * time.Second}, Deps{Name: "employees"})
	require.ErrorContains(t, err, "older than", "a restart does not forget")

	put(t, dir, DecisionsFile, FormatDecisions([]Decision{{Promote: true, File: file, Digest: DigestBytes(sample(t, 1))}}))
	assert.Equal(t, "1", link(t, d, "").Version().Manifest.Version)
	lay(3)
	assert.Equal(t, "3", link(t, d, "").Version().Manifest.Version)
}

func TestVersionsAreOrderedByTheirParts(t *testing.T) {
	order := []string{"", "0.9", "1.0.0-rc1", "1.0.0-rc2", "1.0.0", "1.0.1", "1.2", "1.10.0", "v2.0"}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i != j {
				want = 1
				if i < j {
					want = -1
				}
			}
			assert.Equal(t, want, compareVersions(a, b), "%q and %q", a, b)
		}
	}
	assert.Zero(t, compareVersions("1.0", "1.0.0"))
}

func TestAModuleBelowItsLowestVersionIsNotLoaded(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 2))
	for least, says := range map[string]string{"2": "", "1.9.9": "", "2.0.1": `version "2" is older than "2.0.1", which plugins.min_versions asks for`} {
		d := openDir(t, Options{Dir: dir, CacheDir: filepath.Join(t.TempDir(), "cache"), Trust: TrustOpen, Rules: Rules{MinVersions: map[string]string{file: least}}})
		if says == "" {
			assert.Equal(t, "2", link(t, d, "").Version().Manifest.Version)
			continue
		}
		_, err := d.OpenStage(t.Context(), file, nil, wasm.Limits{Timeout: 5 * time.Second}, Deps{Name: "employees"})
		require.ErrorContains(t, err, says)
	}
}

func TestTheDigestsOfArtifactsArePinnedBesidesTheLock(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	pinned := map[string]string{file: DigestBytes(sample(t, 1))}
	d := openDir(t, Options{Dir: dir, CacheDir: filepath.Join(t.TempDir(), "cache"), Trust: TrustPinned, Rules: Rules{Pins: pinned}})
	assert.Equal(t, "1", link(t, d, "").Version().Manifest.Version, "without a lock")
	put(t, dir, file, sample(t, 2))
	require.ErrorContains(t, d.Files()[0].Err, "not that of the artifact that plugins.artifacts names")
	put(t, dir, "other.wasm", sample(t, 2))
	require.ErrorContains(t, d.Files()[1].Err, "does not list it")
}
