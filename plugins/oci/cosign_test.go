package oci

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins/oci/ocitest"
)

// newSigner returns a private key, and its public key as cosign.pub has it.
func newSigner(t *testing.T) (*ecdsa.PrivateKey, CosignKey) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	key, err := ParseCosignKey(formatPublic(t, &private.PublicKey))
	require.NoError(t, err)
	return private, key
}

func formatPublic(t *testing.T, public any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// payloadOf is what cosign signs for an artifact.
func payloadOf(digest, typ string) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":"r/x"},"image":{"docker-manifest-digest":%q},"type":%q},"optional":null}`, digest, typ)
}

// sign returns the manifest that cosign stores for a payload, and keeps its layer.
func (s shelf) sign(t *testing.T, key *ecdsa.PrivateKey, payload []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(payload)
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	require.NoError(t, err)
	s.Stored[ocitest.DigestBytes(payload)] = payload
	m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, Layers: []ocispec.Descriptor{{
		MediaType: typePayload, Digest: digest.FromBytes(payload), Size: int64(len(payload)),
		Annotations: map[string]string{annotationSignature: base64.StdEncoding.EncodeToString(signature)},
	}}}
	m.SchemaVersion = 2
	text, err := json.Marshal(m)
	require.NoError(t, err)
	return text
}

// putSignature stores a manifest under cosign's tag.
func (s shelf) putSignature(ref Reference, manifest []byte) {
	tag := strings.Replace(ref.ref.Reference, ":", "-", 1) + ".sig"
	for _, name := range []string{tag, ocitest.DigestBytes(manifest)} {
		s.Stored[name], s.Types[name] = manifest, ocispec.MediaTypeImageManifest
	}
}

func TestAnArtifactIsPulledOnlyWithASignatureOfCosign(t *testing.T) {
	right, key := newSigner(t)
	other, _ := newSigner(t)
	const typ = "cosign container image signature"
	for name, c := range map[string]struct {
		signature func(t *testing.T, s shelf, ref Reference)
		valid     bool
	}{
		"the tag of cosign": {func(t *testing.T, s shelf, ref Reference) {
			s.putSignature(ref, s.sign(t, right, payloadOf(ref.ref.Reference, typ)))
		}, true},
		"a referrer": {func(t *testing.T, s shelf, ref Reference) {
			m := s.sign(t, right, payloadOf(ref.ref.Reference, typ))
			d := ocispec.Descriptor{
				MediaType: ocispec.MediaTypeImageManifest, Digest: digest.FromBytes(m), Size: int64(len(m)), ArtifactType: typeReferrer,
			}
			s.Stored[ocitest.DigestBytes(m)], s.Types[ocitest.DigestBytes(m)] = m, ocispec.MediaTypeImageManifest
			index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{d}}
			index.SchemaVersion = 2
			text, err := json.Marshal(index)
			require.NoError(t, err)
			name := "referrers/" + ref.ref.Reference
			s.Stored[name], s.Types[name] = text, ocispec.MediaTypeImageIndex
		}, true},
		"no signature": {func(*testing.T, shelf, Reference) {}, false},
		"a signature by another key": {func(t *testing.T, s shelf, ref Reference) {
			s.putSignature(ref, s.sign(t, other, payloadOf(ref.ref.Reference, typ)))
		}, false},
		"a signature of another artifact": {func(t *testing.T, s shelf, ref Reference) {
			s.putSignature(ref, s.sign(t, right, payloadOf("sha256:"+strings.Repeat("0", 64), typ)))
		}, false},
		"a payload of another type": {func(t *testing.T, s shelf, ref Reference) {
			s.putSignature(ref, s.sign(t, right, payloadOf(ref.ref.Reference, "something else")))
		}, false},
		"a signature that is not base64": {func(t *testing.T, s shelf, ref Reference) {
			m := s.sign(t, right, payloadOf(ref.ref.Reference, typ))
			s.putSignature(ref, []byte(strings.Replace(string(m), `signature":"`, `signature":"!`, 1)))
		}, false},
		"a manifest that is not JSON": {func(_ *testing.T, s shelf, ref Reference) { s.putSignature(ref, []byte("hello")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			ref, err := Push(t.Context(), s.ref(t, ":v1"), plain, whole)
			require.NoError(t, err)
			c.signature(t, s, ref)
			o := Options{PlainHTTP: true, Store: t.TempDir(), CosignKeys: []CosignKey{key}}
			got, err := Pull(t.Context(), ref, o)
			assert.Equal(t, c.valid, VerifyStored(ref, o))
			if !c.valid {
				require.ErrorIs(t, err, ErrUnsigned)
				entries, err := os.ReadDir(o.Store)
				require.NoError(t, err)
				assert.Empty(t, entries, "nothing of it is kept")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, whole, got)

			asked := s.CountRequests()
			_, err = Pull(t.Context(), ref, o)
			require.NoError(t, err)
			assert.Equal(t, asked, s.CountRequests(), "the stored signature is checked without the registry")
			_, stranger := newSigner(t)
			o.CosignKeys = []CosignKey{stranger}
			_, err = Pull(t.Context(), ref, o)
			require.ErrorIs(t, err, ErrUnsigned, "a key that is no longer listed does not count")
		})
	}
}

func TestOnlyPublicKeysOfCosignAreAccepted(t *testing.T) {
	right, _ := newSigner(t)
	wide, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	edwards, _, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	good := formatPublic(t, &right.PublicKey)
	for says, text := range map[string]string{
		"not one public key in PEM": "hello",
		"not one public key":        good + good,
		"cannot be read":            string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})),
		"not ECDSA on P-256":        formatPublic(t, &wide.PublicKey),
		"not ECDSA":                 formatPublic(t, edwards),
	} {
		_, err := ParseCosignKey(text)
		assert.ErrorContains(t, err, says)
	}
}

func TestTheStoreKeepsWhatIsNamedOrLockedAndSomeSpareArtifacts(t *testing.T) {
	s := newShelf(t)
	o := Options{PlainHTTP: true, Store: t.TempDir()}
	var refs []Reference
	for k := range 6 {
		ref, err := Push(t.Context(), s.ref(t, ""), plain, []File{{"x.wasm", fmt.Appendf(nil, "\x00asm%d", k)}})
		require.NoError(t, err)
		_, err = Pull(t.Context(), ref, o)
		require.NoError(t, err)
		at := time.Unix(1e9+int64(k), 0) // the later, the newer
		require.NoError(t, os.Chtimes(findFolder(o.Store, ref), at, at))
		refs = append(refs, ref)
	}
	require.NoError(t, os.WriteFile(filepath.Join(o.Store, "note"), nil, 0o600))
	pins, ok := ReadPins(o.Store, refs[1])
	require.True(t, ok)
	locked := func(file, digest string) bool { return file == "x.wasm" && digest == pins["x.wasm"] }
	require.NoError(t, Prune(o.Store, refs[:1], 2, locked))
	for k, ref := range refs {
		_, kept := ReadPins(o.Store, ref)
		assert.Equal(t, map[int]bool{0: true, 1: true, 4: true, 5: true}[k], kept, "artifact %d", k)
	}
	assert.FileExists(t, filepath.Join(o.Store, "note"))
	unlocked := func(string, string) bool { return false }
	require.NoError(t, Prune(o.Store, nil, 0, unlocked))
	_, kept := ReadPins(o.Store, refs[0])
	assert.True(t, kept, "a process named it within a day")
	at := time.Now().Add(-25 * time.Hour)
	require.NoError(t, os.Chtimes(findFolder(o.Store, refs[0]), at, at))
	require.NoError(t, Prune(o.Store, nil, 0, unlocked))
	entries, err := os.ReadDir(o.Store)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	require.NoError(t, Prune(filepath.Join(o.Store, "nothing"), nil, 0, locked))
}
