package oci

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins/oci/ocitest"
)

// shelf is a registry with references to it.
type shelf struct{ *ocitest.Registry }

func newShelf(t *testing.T) shelf { return shelf{ocitest.New(t)} }

func (s shelf) ref(t *testing.T, rest string) Reference {
	t.Helper()
	r, err := ParseReference("oci://" + s.Host + "/plugins/x" + rest)
	require.NoError(t, err)
	return r
}

// put stores a manifest as it is, and returns a reference to it.
func (s shelf) put(t *testing.T, m any, mediaType string) Reference {
	t.Helper()
	b, err := json.Marshal(m)
	require.NoError(t, err)
	s.Stored[ocitest.DigestBytes(b)], s.Types[ocitest.DigestBytes(b)] = b, mediaType
	return s.ref(t, "@"+ocitest.DigestBytes(b))
}

var plain = Options{PlainHTTP: true}

var whole = []File{{"x.wasm", []byte("\x00asm\x01\x00\x00\x00")}, {"x.wasm.yaml", []byte("name: x\n")}, {"x.wasm.sig", []byte("untrusted comment\n")}}

func TestWhatIsPushedIsPulledByItsDigest(t *testing.T) {
	s := newShelf(t)
	ref, err := Push(t.Context(), s.ref(t, ":v1"), plain, whole)
	require.NoError(t, err)
	require.NoError(t, ref.CheckPinned())
	got, err := Pull(t.Context(), ref, plain)
	require.NoError(t, err)
	assert.Equal(t, whole, got)
	assert.Contains(t, s.Stored, "v1", "the tag is set")

	again, err := Push(t.Context(), s.ref(t, ""), plain, whole)
	require.NoError(t, err)
	assert.Equal(t, ref, again, "the same files have the same digest")
	back, err := ParseReference(ref.String())
	require.NoError(t, err)
	assert.Equal(t, ref, back)
}

func TestARegistryThatWantsCredentialsGetsThem(t *testing.T) {
	s := newShelf(t)
	s.RequireUser("ali")
	_, err := Push(t.Context(), s.ref(t, ":v1"), plain, whole)
	require.Error(t, err)
	ref, err := Push(t.Context(), s.ref(t, ":v1"), Options{PlainHTTP: true, User: "ali", Password: "open sesame"}, whole)
	require.NoError(t, err)
	_, err = Pull(t.Context(), ref, plain)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "sesame")
}

func TestAReferenceThatDoesNotPinIsRefusedWithoutACall(t *testing.T) {
	s := newShelf(t)
	for _, rest := range []string{"", ":v1"} {
		_, err := Pull(t.Context(), s.ref(t, rest), plain)
		assert.ErrorContains(t, err, "names no digest", rest)
	}
	assert.Zero(t, s.CountRequests())
	for text, says := range map[string]string{
		"registry/x@sha256:00":                               "starts with oci://",
		"oci://https://registry/x":                           "nothing else",
		"oci://registry/x?y=z":                               "nothing else",
		"oci://user:pass@registry/x":                         "nothing else",
		"oci://registry/x@sha256:00":                         "cannot be read",
		"oci://registry/X@sha256:" + strings.Repeat("0", 64): "cannot be read",
		"oci://registry":                                     "cannot be read",
	} {
		_, err := ParseReference(text)
		assert.ErrorContains(t, err, says, text)
	}
}

func TestABadArtifactIsRefused(t *testing.T) {
	s := newShelf(t)
	layer := func(name, typ string, body []byte) ocispec.Descriptor {
		s.Stored[ocitest.DigestBytes(body)] = body
		d := ocispec.Descriptor{MediaType: typ, Size: int64(len(body)), Annotations: map[string]string{ocispec.AnnotationTitle: name}}
		d.Digest = "sha256:" + d.Digest
		require.NoError(t, json.Unmarshal([]byte(`"`+ocitest.DigestBytes(body)+`"`), &d.Digest))
		return d
	}
	artifact := func(layers ...ocispec.Descriptor) ocispec.Manifest {
		m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArtifactType, Layers: layers}
		m.SchemaVersion = 2
		return m
	}
	module := layer("x.wasm", typeModule, []byte("\x00asm"))
	huge, wrong, other := module, module, artifact(module)
	huge.Size = maxModule + 1
	wrong.Size++
	other.ArtifactType = "application/vnd.cncf.helm.config.v1+json"
	swapped := layer("x.wasm", typeModule, []byte("swapped"))
	s.Stored[swapped.Digest.String()] = []byte("changed") // of the same length
	for says, ref := range map[string]Reference{
		"has the media type":             s.put(t, artifact(module), "application/vnd.oci.image.index.v1+json"),
		", not " + ArtifactType:          s.put(t, other, ocispec.MediaTypeImageManifest),
		"holds 0 files":                  s.put(t, artifact(), ocispec.MediaTypeImageManifest),
		"holds 5 files":                  s.put(t, artifact(module, module, module, module, module), ocispec.MediaTypeImageManifest),
		"is listed twice":                s.put(t, artifact(module, module), ocispec.MediaTypeImageManifest),
		"not a module with a plain":      s.put(t, artifact(layer("../x.wasm", typeModule, []byte("a"))), ocispec.MediaTypeImageManifest),
		"does not belong":                s.put(t, artifact(module, layer("passwd", typeModule, []byte("b"))), ocispec.MediaTypeImageManifest),
		`"application/zip"; write`:       s.put(t, artifact(layer("x.wasm", "application/zip", []byte("c"))), ocispec.MediaTypeImageManifest),
		"8388609 bytes; 1 to":            s.put(t, artifact(huge), ocispec.MediaTypeImageManifest),
		"read x.wasm":                    s.put(t, artifact(wrong), ocispec.MediaTypeImageManifest),
		"read x.wasm: mismatched digest": s.put(t, artifact(swapped), ocispec.MediaTypeImageManifest),
		"at most 65536 are allowed":      s.put(t, strings.Repeat("x", maxManifest+1), ocispec.MediaTypeImageManifest),
		"find the artifact":              s.ref(t, "@sha256:"+strings.Repeat("0", 64)),
	} {
		_, err := Pull(t.Context(), ref, plain)
		assert.ErrorContains(t, err, says)
	}
}

func TestARegistryCannotSendTheClientElsewhere(t *testing.T) {
	secret := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { secret++ }))
	defer inside.Close()
	for name, h := range map[string]http.HandlerFunc{
		"by a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL+"/latest/meta-data", http.StatusTemporaryRedirect)
		},
		"by a realm of tokens": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+inside.URL+`/token",service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
	} {
		server := httptest.NewServer(h)
		ref, err := ParseReference("oci://" + strings.TrimPrefix(server.URL, "http://") + "/plugins/x@sha256:" + strings.Repeat("0", 64))
		require.NoError(t, err)
		_, err = Pull(t.Context(), ref, Options{PlainHTTP: true, User: "ali", Password: "open sesame"})
		require.ErrorIs(t, err, errOtherHost, name)
		assert.NotContains(t, err.Error(), "sesame", name)
		server.Close()
	}
	assert.Zero(t, secret)
}
