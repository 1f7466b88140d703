package node

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/oci"
	"github.com/headgate-dev/headgate/plugins/oci/ocitest"
	"github.com/headgate-dev/headgate/sdk/samples"
)

// shelf is a registry with an artifact, and a configuration that names it.
type shelf struct {
	*ocitest.Registry
	ref  string
	cfg  *config.Config
	arts artifacts
	told []string
	time time.Time
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{Registry: ocitest.New(t), time: time.Unix(1e9, 0)}
	s.arts.now = func() time.Time { return s.time }
	to, err := oci.ParseReference("oci://" + s.Host + "/guards/employee-id:1")
	require.NoError(t, err)
	ref, err := oci.Push(t.Context(), to, oci.Options{PlainHTTP: true}, []oci.File{{Name: samples.EmployeeIDFile, Body: samples.EmployeeID}})
	require.NoError(t, err)
	s.ref = ref.String()
	s.cfg = s.configure(filepath.Join(t.TempDir(), "plugins"), samples.EmployeeIDFile, s.ref)
	return s
}

func (s *shelf) configure(dir, file, ref string) *config.Config {
	return &config.Config{Plugins: config.Plugins{
		Dir: dir, Trust: config.TrustPinned, Artifacts: map[string]string{file: ref},
		Registries: map[string]config.PluginRegistry{s.Host: {PlainHTTP: true}},
	}}
}

// install installs the artifacts of a configuration after another one.
func (s *shelf) install(old, cfg *config.Config) (again bool, err error) {
	return s.arts.install(context.Background(), old, cfg, func(file string, err error) { s.told = append(s.told, file+": "+err.Error()) })
}

func (s *shelf) file() string { return filepath.Join(s.cfg.Plugins.Dir, samples.EmployeeIDFile) }

func TestAnArtifactIsInstalledOnceAndTrustedByItsDigest(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(nil, s.cfg)
	require.NoError(t, err)
	got, err := os.ReadFile(s.file())
	require.NoError(t, err)
	assert.Equal(t, samples.EmployeeID, got)

	asked := s.CountRequests()
	_, err = s.install(s.cfg, s.cfg)
	require.NoError(t, err)
	assert.Equal(t, asked, s.CountRequests(), "what is there is not pulled again")

	d, err := OpenPlugins(s.cfg, func(string) {}, nil)
	require.NoError(t, err)
	files := d.Files()
	require.Len(t, files, 1)
	require.NoError(t, files[0].Err, "the reference pins what plugins.lock does not list")

	require.NoError(t, os.WriteFile(s.file(), []byte("changed"), 0o600))
	assert.ErrorContains(t, d.Files()[0].Err, "is not that of the artifact that plugins.artifacts names")
	_, err = s.install(s.cfg, s.cfg)
	require.NoError(t, err)
	require.NoError(t, d.Files()[0].Err, "it is put back")
	assert.Equal(t, asked, s.CountRequests(), "from the store")
}

func TestAStoreThatWasChangedIsNotBelieved(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(nil, s.cfg)
	require.NoError(t, err)
	stored, err := filepath.Glob(filepath.Join(s.cfg.Plugins.Dir, ".artifacts", "*", samples.EmployeeIDFile))
	require.NoError(t, err)
	require.Len(t, stored, 1)
	require.NoError(t, os.WriteFile(stored[0], []byte("changed"), 0o600))
	require.NoError(t, os.Remove(s.file()))
	asked := s.CountRequests()
	_, err = s.install(s.cfg, s.cfg)
	require.NoError(t, err)
	assert.Greater(t, s.CountRequests(), asked, "it is pulled again")
	got, err := os.ReadFile(s.file())
	require.NoError(t, err)
	assert.Equal(t, samples.EmployeeID, got)
}

func TestACompanionOfAnotherVersionDoesNotStay(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(nil, s.cfg)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.file()+".yaml", []byte("name: old"), 0o600))
	_, err = s.install(s.cfg, s.cfg)
	require.NoError(t, err)
	assert.NoFileExists(t, s.file()+".yaml")
}

func TestARegistryThatIsDownRefusesWhatIsNewAndNotWhatServes(t *testing.T) {
	s := newShelf(t)
	dead := s.configure(s.cfg.Plugins.Dir, samples.EmployeeIDFile, strings.Replace(s.ref, s.Host, "127.0.0.1:1", 1))
	dead.Plugins.Registries["127.0.0.1:1"] = config.PluginRegistry{PlainHTTP: true}
	_, err := s.install(s.cfg, dead)
	require.ErrorContains(t, err, "plugins.artifacts."+samples.EmployeeIDFile+": find the artifact")
	assert.Empty(t, s.told)

	again, err := s.install(nil, dead)
	require.NoError(t, err, "a gateway starts, and the link's on_fault decides")
	assert.True(t, again)
	require.Len(t, s.told, 1)
	again, err = s.install(dead, dead)
	require.NoError(t, err)
	assert.True(t, again)
	require.Len(t, s.told, 1, "it is not asked for at once again")
	s.time = s.time.Add(pullAgain)
	_, err = s.install(dead, dead)
	require.NoError(t, err)
	require.Len(t, s.told, 2)

	_, err = s.install(dead, s.cfg)
	require.NoError(t, err, "another reference is pulled at once")
	assert.FileExists(t, s.file())
}

func TestAnArtifactUnderAnotherNameIsRefused(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(s.cfg, s.configure(s.cfg.Plugins.Dir, "other.wasm", s.ref))
	require.EqualError(t, err, "plugins.artifacts.other.wasm: the artifact holds the module "+samples.EmployeeIDFile+"; write its reference under that name")
	assert.NoFileExists(t, filepath.Join(s.cfg.Plugins.Dir, "other.wasm"))
}

func TestAnArtifactWithoutASignatureOfCosignPinsNothing(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(nil, s.cfg)
	require.NoError(t, err)
	require.NotEmpty(t, listPins(s.cfg))

	signed := s.configure(s.cfg.Plugins.Dir, samples.EmployeeIDFile, s.ref)
	signed.Plugins.CosignKeys = []string{newCosignKey(t)}
	_, err = s.install(&config.Config{}, signed)
	require.ErrorIs(t, err, oci.ErrUnsigned)
	assert.Empty(t, listPins(signed))
	d, err := OpenPlugins(signed, func(string) {}, nil)
	require.NoError(t, err)
	require.Len(t, d.Files(), 1)
	require.Error(t, d.Files()[0].Err, "the file of before is there, and is refused")
}

// newCosignKey returns a public key as cosign.pub has it. Nothing is signed with it.
func newCosignKey(t *testing.T) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func TestWithKeysOfCosignAnUnsignedArtifactRunsUnderNoTrust(t *testing.T) {
	for _, trust := range []config.Trust{config.TrustOpen, config.TrustPinned} {
		t.Run(string(trust), func(t *testing.T) {
			s := newShelf(t)
			s.cfg.Plugins.Trust = trust
			_, err := s.install(nil, s.cfg)
			require.NoError(t, err)
			lock := plugins.DigestBytes(samples.EmployeeID) + "  " + samples.EmployeeIDFile + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(s.cfg.Plugins.Dir, plugins.LockFile), []byte(lock), 0o600))
			d, err := OpenPlugins(s.cfg, func(string) {}, nil)
			require.NoError(t, err)
			require.NoError(t, d.Files()[0].Err)

			signed := s.configure(s.cfg.Plugins.Dir, samples.EmployeeIDFile, s.ref)
			signed.Plugins.Trust, signed.Plugins.CosignKeys = trust, []string{newCosignKey(t)}
			again, err := s.install(s.cfg, signed)
			require.NoError(t, err, "the reference is that of before, so the configuration applies")
			assert.True(t, again)
			rules, err := buildPluginRules(signed)
			require.NoError(t, err)
			require.NoError(t, d.SetRules(rules))
			require.ErrorContains(t, d.Files()[0].Err, "no artifact with a valid signature is known")
		})
	}
}

func TestTheCheckOfAConfigurationAcceptsTheKeysThatCosignKeysAreParsedFrom(t *testing.T) {
	good := newCosignKey(t)
	for name, key := range map[string]string{
		"a key":                              good,
		"a key with spaces around":           "\n " + good + "\n\n",
		"two keys":                           good + good,
		"text behind the key":                good + "x",
		"a block of another type":            strings.ReplaceAll(good, "PUBLIC KEY", "CERTIFICATE"),
		"a block that is none":               "hello",
		"a block whose content is not a key": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})),
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(key)
			require.NoError(t, err)
			_, _, checked := config.Load(config.Source{Default: []byte("plugins: {cosign_keys: [" + string(text) + "]}\n")})
			_, parsed := oci.ParseCosignKey(key)
			refused := checked != nil && strings.Contains(checked.Error(), "plugins.cosign_keys")
			assert.Equal(t, parsed != nil, refused, "%v", checked)
		})
	}
}

func TestTheStoreOfArtifactsShrinks(t *testing.T) {
	s := newShelf(t)
	_, err := s.install(nil, s.cfg)
	require.NoError(t, err)
	to, err := oci.ParseReference("oci://" + s.Host + "/guards/employee-id:1")
	require.NoError(t, err)
	for k := range spareArtifacts + 3 {
		ref, err := oci.Push(t.Context(), to, oci.Options{PlainHTTP: true}, []oci.File{{Name: "other.wasm", Body: []byte{byte(k)}}})
		require.NoError(t, err)
		_, err = oci.Pull(t.Context(), ref, oci.Options{PlainHTTP: true, Store: findArtifactStore(s.cfg)})
		require.NoError(t, err)
	}
	require.NoError(t, pruneArtifacts(s.cfg))
	entries, err := os.ReadDir(findArtifactStore(s.cfg))
	require.NoError(t, err)
	require.Len(t, entries, spareArtifacts+4, "another process may have stored what is new")
	for _, e := range entries {
		at := time.Now().Add(-25 * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(findArtifactStore(s.cfg), e.Name()), at, at))
	}
	require.NoError(t, pruneArtifacts(s.cfg))
	entries, err = os.ReadDir(findArtifactStore(s.cfg))
	require.NoError(t, err)
	assert.Len(t, entries, spareArtifacts+1)
	assert.NotEmpty(t, listPins(s.cfg), "what the configuration names stays")

	require.NoError(t, os.WriteFile(filepath.Join(s.cfg.Plugins.Dir, "plugins.lock"), []byte("not a lock"), 0o600))
	require.Error(t, pruneArtifacts(s.cfg), "what is locked is not known, so nothing is removed")
}
