package plugins

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm"
)

func TestPinnedRunsWhatTheLockFileLists(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustPinned})
	ask := asks(t, d)
	require.ErrorContains(t, ask(), "plugins.lock, which lists")
	put(t, dir, LockFile, []byte("nonsense\n"))
	require.ErrorContains(t, ask(), "line 1")
	put(t, dir, LockFile, []byte(DigestBytes(sample(t, 2))+"  "+file+"\n"))
	require.ErrorContains(t, ask(), "not the one")
	put(t, dir, LockFile, []byte(DigestBytes(sample(t, 1))+"  other.wasm\n"))
	require.ErrorContains(t, ask(), "does not list it; inspect the file, then run: headgate plugin lock employee-id.wasm")
	put(t, dir, LockFile, []byte("# what may run\n"+DigestBytes(sample(t, 1))+" *"+file+"\n"))
	require.NoError(t, ask())
	put(t, dir, "employee-id.wasm.yaml", []byte("name: x\nkind: detector\nlabels: [a]\nmax_match: 9\n"))
	require.NoError(t, ask(), "the last good version serves")
	require.Contains(t, d.Problems()[0].Reason, "employee-id.wasm.yaml", "a manifest is pinned as well")
}

func TestTheTrustOfTheFolderHoldsForProcesses(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	body := []byte("#!/bin/sh\n")
	read := func() ([]byte, error) { return body, nil }
	ask := func(o Options) func() error {
		o.Dir = dir
		d := openDir(t, o)
		return func() error { return d.CheckTrust("guard", DigestBytes(body), read) }
	}
	require.NoError(t, ask(Options{Trust: TrustOpen})())

	pinned := ask(Options{Trust: TrustPinned})
	require.ErrorContains(t, pinned(), "but plugins.lock, which lists what may run, is missing")
	put(t, dir, LockFile, []byte(DigestBytes(body)+"  other\n"))
	require.ErrorContains(t, pinned(), "run: headgate plugin lock guard")
	put(t, dir, LockFile, []byte(DigestBytes([]byte("x"))+"  guard\n"))
	require.ErrorContains(t, pinned(), "is not the one that plugins.lock lists")
	put(t, dir, LockFile, []byte(DigestBytes(body)+"  guard\n"))
	require.NoError(t, pinned())

	signed := ask(Options{Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}}})
	require.ErrorContains(t, signed(), "run: headgate plugin sign guard")
	signedBy(t, dir, "guard", key, []byte("other"))
	require.ErrorContains(t, signed(), "was changed after it was signed")
	signedBy(t, dir, "guard", key, body)
	require.NoError(t, signed())
}

func TestAVersionThatNoRequiredSignatureCoversStopsServing(t *testing.T) {
	old, newer := DigestBytes(sample(t, 1)), DigestBytes(sample(t, 2))
	for name, c := range map[string]struct {
		rules  Rules
		served string
	}{
		"no key is required": {Rules{}, newer},
		"nothing is signed":  {Rules{Vouched: map[string][]string{file: nil}}, ""},
		"the old version is signed, and the new one in the folder is not": {Rules{Vouched: map[string][]string{file: {old}}}, old},
		"the new version is signed": {
			Rules{Vouched: map[string][]string{file: {newer}}, Pins: map[string]string{file: newer}}, newer,
		},
		"the new version is signed, and not the one that the configuration names": {
			Rules{Vouched: map[string][]string{file: {newer}}, Pins: map[string]string{file: old}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, file, sample(t, 1))
			d := openDir(t, Options{Dir: dir})
			ask := asks(t, d)
			require.NoError(t, ask())
			require.NoError(t, d.SetRules(c.rules))
			put(t, dir, file, sample(t, 2))
			if err := ask(); c.served == "" {
				require.ErrorIs(t, err, errNotVouched)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, c.served, d.serving[file].digest)
		})
	}
}

func TestAManifestBesideAModuleNeedsTheRequiredSignatureToo(t *testing.T) {
	dir, digest, beside := t.TempDir(), DigestBytes(sample(t, 1)), "employee-id.wasm.yaml"
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Rules: Rules{
		Vouched: map[string][]string{file: {digest}, beside: nil}, Pins: map[string]string{file: digest},
	}})
	require.NoError(t, d.Files()[0].Err)
	put(t, dir, beside, []byte("name: x\nkind: detector\nlabels: [a]\nmax_match: 9\n"))
	require.ErrorIs(t, d.Files()[0].Err, errNotVouched)
}

// signedBy writes the signature of a file beside it.
func signedBy(t testing.TB, dir, name string, k SecretKey, body []byte) {
	t.Helper()
	sig, err := k.Sign(name, body, "", time.Now())
	require.NoError(t, err)
	put(t, dir, name+".sig", sig)
}

func newKey(t testing.TB) SecretKey {
	t.Helper()
	k, err := GenerateKey()
	require.NoError(t, err)
	return k
}

func TestSignedRunsWhatHasAGoodSignature(t *testing.T) {
	dir := t.TempDir()
	key, stranger := newKey(t), newKey(t)
	put(t, dir, file, sample(t, 1))
	_, err := Open(Options{Dir: dir, Trust: TrustSigned})
	require.ErrorContains(t, err, "no public key")
	d := openDir(t, Options{Dir: dir, Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}}})
	ask := asks(t, d)
	require.ErrorContains(t, ask(), "not signed: employee-id.wasm.sig not found; run: headgate plugin sign employee-id.wasm")
	put(t, dir, file+".sig", []byte("?"))
	require.ErrorContains(t, ask(), "four lines")
	signedBy(t, dir, file, stranger, sample(t, 1))
	require.ErrorContains(t, ask(), "signed with the key "+stranger.Public().ID()+", which is not listed in plugins.keys")
	signedBy(t, dir, file, key, sample(t, 2))
	require.ErrorContains(t, ask(), "was changed after it was signed")
	signedBy(t, dir, file, key, sample(t, 1))
	require.NoError(t, ask())

	manifest := []byte("name: x\nkind: detector\nlabels: [a]\nmax_match: 9\n")
	put(t, dir, "employee-id.wasm.yaml", manifest)
	require.NoError(t, ask(), "the last good version serves")
	require.Contains(t, d.Problems()[0].Reason, "employee-id.wasm.yaml: not signed", "a manifest is signed as well")
	signedBy(t, dir, "employee-id.wasm.yaml", key, manifest)
	require.NoError(t, ask())
	require.Empty(t, d.Problems())
}

// asks returns a function that requests the file's stage.
func asks(t testing.TB, d *Dir) func() error {
	return func() error {
		st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
		if err == nil {
			t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		}
		return err
	}
}

func TestASignatureIsForOneFileName(t *testing.T) {
	dir := t.TempDir()
	key := newKey(t)
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}}})
	sig, err := key.Sign("other.wasm", sample(t, 1), "", time.Now())
	require.NoError(t, err)
	put(t, dir, file+".sig", sig)
	require.ErrorContains(t, asks(t, d)(), `made for "other.wasm"`)
}

func TestKeysAreRotatedWhilePluginsServe(t *testing.T) {
	dir := t.TempDir()
	old, fresh := newKey(t), newKey(t)
	put(t, dir, file, sample(t, 1))
	signedBy(t, dir, file, old, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustSigned, Rules: Rules{Keys: []Key{old.Public()}}})
	first := link(t, d, "")
	require.NoError(t, d.SetRules(Rules{Keys: []Key{old.Public(), fresh.Public()}}))
	put(t, dir, file, sample(t, 2))
	signedBy(t, dir, file, fresh, sample(t, 2))
	second := link(t, d, "")
	assert.Equal(t, "2", second.Version().Manifest.Version)
	require.NoError(t, d.SetRules(Rules{Keys: []Key{fresh.Public()}}))
	put(t, dir, file, sample(t, 1))
	signedBy(t, dir, file, old, sample(t, 1))
	assert.Equal(t, "2", link(t, d, "").Version().Manifest.Version, "a file signed with a removed key is refused")
	assert.Contains(t, d.Problems()[0].Reason, "not listed in plugins.keys")
	require.ErrorContains(t, d.SetRules(Rules{}), "no public key")
	assert.Len(t, d.Rules().Keys, 1)
	assert.NotSame(t, first, second)
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
