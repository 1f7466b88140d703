package plugins

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeysThatAreNoneSayWhatTheyAre(t *testing.T) {
	k := newKey(t)
	public := string(k.PublicText())
	for text, says := range map[string]string{
		"":                             "empty",
		" \n":                          "empty",
		"RW":                           "not a public key in minisign's format",
		"hello, world":                 "not a public key",
		k.Public().String()[:54]:       "not a public key",
		"AA" + k.Public().String()[2:]: "not a public key",
		string(k.Plain()):              "secret key",
	} {
		_, err := ParseKey(text)
		require.ErrorContains(t, err, says, text)
		assert.NotContains(t, err.Error(), k.Public().String()[2:20])
	}
	got, err := ParseKey(public)
	require.NoError(t, err)
	assert.Equal(t, k.Public(), got)
	got, err = ParseKey(k.Public().String())
	require.NoError(t, err)
	assert.Equal(t, k.Public().ID(), got.ID())
	_, err = ParseKeys([]string{k.Public().String(), "x"})
	require.ErrorContains(t, err, "plugins.keys[1]")
	_, err = ParseKeys([]string{k.Public().String(), public})
	require.ErrorContains(t, err, "is listed twice")

	never := func() (string, error) { require.Fail(t, "there is no password to ask for"); return "", nil }
	for text, says := range map[string]string{
		"":                      "not a secret key",
		"nope":                  "not a secret key",
		public:                  "a public key where the secret key is needed",
		string(k.Plain()[:100]): "not a secret key",
	} {
		_, err := OpenSecretKey([]byte(text), never)
		require.ErrorContains(t, err, says, text)
	}
	same, err := OpenSecretKey(k.Plain(), never)
	require.NoError(t, err)
	assert.Equal(t, k.Public(), same.Public())
	assert.False(t, IsSealed(k.Plain()))
}

func TestASignatureThatDoesNotCountSaysWhy(t *testing.T) {
	k, body := newKey(t), []byte("some module")
	good, err := k.Sign("a.wasm", body, "reviewed by two", time.Unix(1, 0))
	require.NoError(t, err)
	keys := []Key{newKey(t).Public(), k.Public()}
	s, err := ParseSignature(good)
	require.NoError(t, err)
	require.NoError(t, s.Verify(keys, "a.wasm", body))
	assert.Equal(t, "timestamp:1\tfile:a.wasm\thashed\treviewed by two", s.Comment())
	assert.Equal(t, k.Public().ID(), s.KeyID())

	lines := strings.Split(string(good), "\n")
	join := func(change func(l []string)) []byte {
		l := append([]string{}, lines...)
		change(l)
		return []byte(strings.Join(l, "\n"))
	}
	for name, c := range map[string]struct {
		text []byte
		says string
	}{
		"empty":             {nil, "the signature is empty"},
		"bare":              {bytes.Repeat([]byte{7}, 64), "64 bare bytes"},
		"a key":             {k.PublicText(), "a public key"},
		"text":              {[]byte("signed, the management"), "four lines"},
		"cut":               {good[:60], "four lines"},
		"no comment":        {join(func(l []string) { l[0] = "hello" }), "damaged: invalid untrusted comment"},
		"no signed comment": {join(func(l []string) { l[2] = "hello" }), "damaged: invalid trusted comment"},
		"no base64":         {join(func(l []string) { l[1] = "?" }), "damaged"},
		"short":             {join(func(l []string) { l[1] = l[1][:80] }), "damaged"},
		"short comment":     {join(func(l []string) { l[3] = l[3][:80] }), "damaged"},
	} {
		_, err := ParseSignature(c.text)
		require.ErrorContains(t, err, c.says, name)
	}
	for name, c := range map[string]struct {
		text []byte
		body []byte
		file string
		says string
	}{
		"another body":                {good, []byte("other"), "a.wasm", "was changed after it was signed"},
		"another name":                {good, body, "b.wasm", `was made for "a.wasm"`},
		"another comment":             {bytes.Replace(good, []byte("reviewed by two"), []byte("reviewed by ten"), 1), body, "a.wasm", "was changed after it was signed"},
		"another name in the comment": {bytes.Replace(good, []byte("file:a.wasm"), []byte("file:b.wasm"), 1), body, "b.wasm", "was changed after it was signed"},
	} {
		s, err := ParseSignature(c.text)
		require.NoError(t, err)
		require.ErrorContains(t, s.Verify(keys, c.file, c.body), c.says, name)
	}
	require.ErrorContains(t, s.Verify(keys[:1], "a.wasm", body), "which is not listed in plugins.keys")
	require.Error(t, s.Verify(nil, "a.wasm", body))
	for _, bad := range []string{"a\tb", "a\nb"} {
		_, err := k.Sign("a.wasm", body, bad, time.Now())
		require.Error(t, err)
	}
	_, err = k.Sign("a/b.wasm", body, "", time.Now())
	require.Error(t, err)
}

// Every bit of a signature file matters, except for the comment that is marked as untrusted.
func FuzzAChangedSignatureDoesNotCount(f *testing.F) {
	k, err := GenerateKey()
	if err != nil {
		f.Fatal(err)
	}
	body := []byte("some module")
	good, err := k.Sign("a.wasm", body, "", time.Unix(1, 0))
	if err != nil {
		f.Fatal(err)
	}
	from := bytes.IndexByte(good, '\n') + 1
	f.Add(10, byte(1))
	f.Add(150, byte(0x20))
	f.Fuzz(func(t *testing.T, at int, with byte) {
		text := bytes.Clone(good)
		if at < from || at >= len(text)-1 || with == 0 {
			return
		}
		text[at] ^= with
		s, err := ParseSignature(text)
		if err != nil {
			return
		}
		same, _ := ParseSignature(good)
		if s.sig.Equal(same.sig) { // such as carriage returns in base64, which have no meaning
			return
		}
		require.Error(t, s.Verify([]Key{k.Public()}, "a.wasm", body), "%q", text)
	})
}

// theTool runs minisign, which stands for every other implementation.
func theTool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath("minisign")
	if err != nil {
		if os.Getenv("CI") == "true" {
			require.FailNow(t, "minisign is missing, and CI must not skip this")
		}
		t.Skip("SKIPPED: minisign is not installed (Debian package minisign); nothing was compared")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestMinisignAndWeTakeEachOthersSignatures(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	out, err := theTool(t, dir, "-G", "-W", "-p", "their.pub", "-s", "their.key")
	require.NoError(t, err, out)
	text, err := os.ReadFile(filepath.Join(dir, "their.pub"))
	require.NoError(t, err)
	theirs, err := ParseKey(string(text))
	require.NoError(t, err)
	ours := newKey(t)
	put(t, dir, "our.key", ours.Plain())
	put(t, dir, "our.pub", ours.PublicText())

	d := openDir(t, Options{Dir: dir, Trust: TrustSigned, Rules: Rules{Keys: []Key{theirs, ours.Public()}}})
	for _, args := range [][]string{
		{"-S", "-s", "their.key", "-m", file, "-x", file + ".sig"},
		{"-S", "-s", "their.key", "-m", file, "-x", file + ".sig", "-t", "an author's comment"},
		{"-S", "-l", "-s", "their.key", "-m", file, "-x", file + ".sig"}, // over the bytes, as before version 0.8
		{"-S", "-s", "our.key", "-m", file, "-x", file + ".sig"},
		{"-S", "-s", "their.key", "-m", file}, // beside it as .minisig
	} {
		_ = os.Remove(filepath.Join(dir, file+".sig"))
		out, err := theTool(t, dir, append(args, "-W")...)
		require.NoError(t, err, out)
		require.NoError(t, asks(t, d)(), "%v", args)
		require.Empty(t, d.Problems())
	}
	for name, k := range map[string]SecretKey{"our.pub": ours, "their.pub": secret(t, dir, "their.key")} {
		signedBy(t, dir, file, k, sample(t, 1))
		out, err := theTool(t, dir, "-V", "-p", name, "-m", file, "-x", file+".sig")
		require.NoError(t, err, out)
		assert.Contains(t, out, "Signature and comment signature verified")
		assert.Contains(t, out, "file:"+file)
		require.NoError(t, asks(t, d)())
	}
	put(t, dir, file, sample(t, 2))
	_, err = theTool(t, dir, "-V", "-p", "their.pub", "-m", file, "-x", file+".sig")
	require.Error(t, err, "and neither accepts one that does not match")
}

func secret(t *testing.T, dir, name string) SecretKey {
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	k, err := OpenSecretKey(text, nil)
	require.NoError(t, err)
	return k
}
