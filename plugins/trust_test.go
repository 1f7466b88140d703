package plugins

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

func TestPinnedRunsWhatTheLockFileLists(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := opened(t, Options{Dir: dir, Trust: TrustPinned})
	ask := func() error {
		st, err := d.Stage(context.Background(), file, nil, wasm.Limits{}, core.Deps{Name: "x"})
		if err == nil {
			t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		}
		return err
	}
	require.ErrorContains(t, ask(), "no plugins.lock")
	put(t, dir, LockFile, []byte("nonsense\n"))
	require.ErrorContains(t, ask(), "line 1")
	put(t, dir, LockFile, []byte(Digest(sample(t, 2))+"  "+file+"\n"))
	require.ErrorContains(t, ask(), "not the one")
	put(t, dir, LockFile, []byte(Digest(sample(t, 1))+"  other.wasm\n"))
	require.ErrorContains(t, ask(), "does not list")
	put(t, dir, LockFile, []byte("# what may run\n"+Digest(sample(t, 1))+" *"+file+"\n"))
	require.NoError(t, ask())
	put(t, dir, "employee-id.wasm.yaml", []byte("name: x\nkind: detector\nlabels: [a]\nmax_match: 9\n"))
	require.NoError(t, ask(), "the last good one serves")
	require.Contains(t, d.Problems()[0].Reason, "employee-id.wasm.yaml", "a manifest is pinned as well")
}

func TestSignedRunsWhatHasAGoodSignature(t *testing.T) {
	dir := t.TempDir()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	_, stranger, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	put(t, dir, file, sample(t, 1))
	_, err = Open(Options{Dir: dir, Trust: TrustSigned})
	require.ErrorContains(t, err, "no public key")
	d := opened(t, Options{Dir: dir, Trust: TrustSigned, Keys: []ed25519.PublicKey{public}})
	ask := func() error {
		st, err := d.Stage(context.Background(), file, nil, wasm.Limits{}, core.Deps{Name: "x"})
		if err == nil {
			t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		}
		return err
	}
	require.ErrorContains(t, ask(), "not signed")
	put(t, dir, file+".sig", []byte("?"))
	require.ErrorContains(t, ask(), "not an Ed25519 signature")
	put(t, dir, file+".sig", ed25519.Sign(stranger, sample(t, 1)))
	require.ErrorContains(t, ask(), "none of the keys")
	put(t, dir, file+".sig", ed25519.Sign(private, sample(t, 2)))
	require.ErrorContains(t, ask(), "none of the keys")
	put(t, dir, file+".sig", []byte(base64.StdEncoding.EncodeToString(ed25519.Sign(private, sample(t, 1)))+"\n"))
	require.NoError(t, ask())
}

func TestTrustIsReadFromItsWord(t *testing.T) {
	for _, want := range []Trust{TrustOpen, TrustPinned, TrustSigned} {
		got, err := ParseTrust(want.String())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseTrust("yes")
	require.Error(t, err)
	assert.Equal(t, "pinned", Trust(0).String())
}
