package plugins

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reopenDir opens a folder as a restarted gateway does.
func reopenDir(t *testing.T, o Options) *Dir {
	t.Helper()
	o.Rules.Candidate = Candidate{MinCalls: 3}
	return openDir(t, o)
}

func stageOf(t *testing.T, d *Dir) Plugin {
	t.Helper()
	s := site{t: t, d: d}
	return s.stage()
}

func TestARestartDoesNotLetACandidateServeUntried(t *testing.T) {
	o := Options{Dir: t.TempDir(), CacheDir: filepath.Join(t.TempDir(), "cache")}
	put(t, o.Dir, file, sample(t, 1))
	stageOf(t, reopenDir(t, o))

	put(t, o.Dir, file, blind("2"))
	d := reopenDir(t, o)
	l := stageOf(t, d)
	assert.Equal(t, "1", l.Version().Manifest.Version)
	st := d.Status()[0]
	assert.Equal(t, DigestBytes(sample(t, 1)), st.Digest)
	assert.Equal(t, StateLive, st.State)
	assert.Equal(t, "1", st.Version)
	require.NotNil(t, st.Candidate)
	assert.Equal(t, DigestBytes(blind("2")), st.Candidate.Digest)
	assert.Equal(t, []string{EventLoaded, EventCandidate}, (&site{d: d}).types())
	require.Equal(t, 1, findings(t, l, "EMP-123456"))
	require.Equal(t, 1, findings(t, stageOf(t, reopenDir(t, o)), "EMP-123456"), "a held one too")

	put(t, o.Dir, DecisionsFile, FormatDecisions([]Decision{{File: file, Digest: DigestBytes(blind("2"))}}))
	d = reopenDir(t, o)
	assert.Equal(t, "1", stageOf(t, d).Version().Manifest.Version, "and a rejected one")
	assert.Contains(t, d.Problems()[0].Reason, "rejected")
	put(t, o.Dir, DecisionsFile, FormatDecisions([]Decision{{Promote: true, File: file, Digest: DigestBytes(blind("2"))}}))
	assert.Equal(t, "2", stageOf(t, reopenDir(t, o)).Version().Manifest.Version)
	put(t, o.Dir, file, sample(t, 3))
	assert.Equal(t, "2", stageOf(t, reopenDir(t, o)).Version().Manifest.Version, "the promoted version is stored")

	require.NoError(t, os.Remove(filepath.Join(o.Dir, file)))
	d = reopenDir(t, o)
	assert.Error(t, asks(t, d)(), "a stored version does not replace a missing file")
	put(t, o.Dir, file, sample(t, 3))
	o.CacheDir = filepath.Join(t.TempDir(), "other")
	assert.Equal(t, "3", stageOf(t, reopenDir(t, o)).Version().Manifest.Version, "nothing is stored to compare with")
}

func TestWhatIsKeptIsVerifiedAnew(t *testing.T) {
	key := newKey(t)
	o := Options{Dir: t.TempDir(), CacheDir: filepath.Join(t.TempDir(), "cache"), Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}}}
	name, manifest := "employee-id.wasm.yaml", []byte("name: x\nversion: beside\nkind: detector\nlabels: [a]\nmax_match: 10\n")
	put(t, o.Dir, file, bareModule(t))
	signedBy(t, o.Dir, file, key, bareModule(t))
	put(t, o.Dir, name, manifest)
	signedBy(t, o.Dir, name, key, manifest)
	d := reopenDir(t, o)
	require.Equal(t, "beside", stageOf(t, d).Version().Manifest.Version)

	put(t, o.Dir, file, sample(t, 2))
	signedBy(t, o.Dir, file, key, sample(t, 2))
	require.NoError(t, os.Remove(filepath.Join(o.Dir, name)))
	require.Equal(t, "beside", stageOf(t, reopenDir(t, o)).Version().Manifest.Version, "with its manifest and both signatures")

	kept := filepath.Join(d.findKeptDir(file), file)
	body, err := os.ReadFile(kept)
	require.NoError(t, err)
	body[len(body)-1] ^= 1
	require.NoError(t, os.WriteFile(kept, body, 0o600))
	d = reopenDir(t, o)
	require.Equal(t, "2", stageOf(t, d).Version().Manifest.Version)
	events := d.Events()
	require.NotEmpty(t, events)
	assert.Contains(t, events[0].Reason, "the version that served before the start: the signature")
}
