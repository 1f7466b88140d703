package plugins

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm"
)

var (
	digestA = strings.Repeat("a1", 32)
	digestB = strings.Repeat("b2", 32)
)

func TestALockIsWrittenAndReadAgain(t *testing.T) {
	l := new(Lock)
	l.Pin("b.wasm", digestA, "b 1", false)
	l.Pin("a.wasm", digestB, "", false)
	l.Pin("b.wasm", digestB, "b 2", true)
	want := "# headgate plugins.lock 1\n\n" + digestB + "  a.wasm\n\n# b 1\n" + digestA + "  b.wasm\n\n# b 2\n" + digestB + "  b.wasm\n"
	assert.Equal(t, want, string(l.Format()))
	again, err := ParseLock([]byte(want))
	require.NoError(t, err)
	assert.Equal(t, want, string(again.Format()), "notes stay")
	assert.Equal(t, []string{"a.wasm", "b.wasm"}, again.Files())
	assert.Equal(t, []string{digestA, digestB}, again.ListDigests("b.wasm"))
	assert.True(t, again.Has("b.wasm", digestA))
	assert.False(t, again.Has("a.wasm", digestA))
	again.Pin("b.wasm", digestB, "b 2", false)
	assert.Equal(t, []string{digestB}, again.ListDigests("b.wasm"), "only the new version may run")
	again.Unpin("b.wasm")
	assert.Equal(t, []string{"a.wasm"}, again.Files())
}

func TestALockMayBeWrittenByHand(t *testing.T) {
	l, err := ParseLock([]byte("# looked at on Monday\r\n\r\n" + strings.ToUpper(digestA) + " *a.wasm\n   \n" + digestB + "    b.wasm  \n"))
	require.NoError(t, err)
	assert.True(t, l.Has("a.wasm", digestA))
	assert.True(t, l.Has("b.wasm", digestB))
}

func TestALockThatIsNoneSaysWhatToChange(t *testing.T) {
	for text, says := range map[string]string{
		"x":                                           "line 1: write <sha256 in hex>, two blanks, and the file",
		"\n" + digestA:                                "line 2: write",
		digestA[:62] + "  a.wasm":                     "line 1: write",
		digestA[:62] + "zz  a.wasm":                   "line 1: write",
		digestA + "  ../a.wasm":                       `line 1: "../a.wasm" is not the name of a file in this folder`,
		digestA + "  .hidden.wasm":                    "is not the name",
		"# headgate plugins.lock 2\n":                 `line 1: it is of format "2", this gateway reads format 1`,
		strings.Repeat("#", 70_000):                   "a line that is too long",
		digestA + "  a.wasm\n" + digestA + "  a.wasm": "line 2: the same digest of a.wasm is listed twice",
	} {
		_, err := ParseLock([]byte(text))
		require.ErrorContains(t, err, "plugins.lock", text)
		require.ErrorContains(t, err, says)
	}
}

func TestTheLockIsOneOfSha256sum(t *testing.T) {
	program, err := exec.LookPath("sha256sum")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "sha256sum is missing, and CI must not skip this")
		t.Skip("SKIPPED: there is no sha256sum here")
	}
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	l := new(Lock)
	l.Pin(file, DigestBytes(sample(t, 1)), "employee-id 1", false)
	put(t, dir, LockFile, l.Format())
	cmd := exec.Command(program, "--check", "--strict", LockFile)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestDecisionsAreReadAndBadOnesSayWhatToChange(t *testing.T) {
	list := []Decision{{true, "a.wasm", digestA}, {false, "a.wasm", digestB}, {true, "a  b.wasm", digestA}}
	got, err := ParseDecisions(FormatDecisions(list))
	require.NoError(t, err)
	assert.Equal(t, list, got)
	for text, says := range map[string]string{
		"promote a.wasm":                                                "line 1: not three words",
		"promote " + digestA + " ":                                      "line 1: not three words",
		"\nallow " + digestA + " a.wasm":                                `line 2: "allow" is not a decision`,
		"promote " + digestA[:60] + " a.wasm":                           "the second word is not a digest",
		"reject " + digestA + " a/b.wasm":                               "the third word is not the name",
		"reject " + digestA + " a.wasm\npromote " + digestA + " a.wasm": "line 2: this version was decided about before",
		strings.Repeat("x", 70_000):                                     "too long",
	} {
		_, err := ParseDecisions([]byte(text))
		require.ErrorContains(t, err, "plugins.decisions", text)
		require.ErrorContains(t, err, says)
	}
}

func FuzzALockThatIsReadIsWrittenTheSame(f *testing.F) {
	f.Add([]byte("# headgate plugins.lock 1\n\n# a 1\n" + digestA + "  a.wasm\n"))
	f.Add([]byte(digestA + " *a.wasm\n\n#x\n" + digestB + "  a.wasm"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseLock(text)
		if err != nil {
			return
		}
		once := l.Format()
		again, err := ParseLock(once)
		require.NoError(t, err, "%q", once)
		require.True(t, bytes.Equal(once, again.Format()), "%q", once)
		require.Equal(t, l.Files(), again.Files())
		for _, name := range l.Files() {
			require.Equal(t, l.ListDigests(name), again.ListDigests(name))
		}
	})
}

// The note above an entry is the module's own name and version.
func TestTheNoteOfAModuleDoesNotSpoilTheLock(t *testing.T) {
	l := new(Lock)
	l.Pin("a.wasm", digestA, "headgate plugins.lock 2", false)
	again, err := ParseLock(l.Format())
	require.NoError(t, err)
	assert.True(t, again.Has("a.wasm", digestA))
}

func TestANameThatCouldMakeALineOfItsOwnIsRefused(t *testing.T) {
	for _, name := range []string{"a\n" + digestB + "  evil.wasm", "a\r.wasm", " a.wasm", "a\t.wasm", ".a.wasm", "a/b.wasm", "a\xff.wasm"} {
		dir := t.TempDir()
		if !strings.Contains(name, "/") {
			put(t, dir, name, sample(t, 1))
		}
		assert.Empty(t, openDir(t, Options{Dir: dir, Trust: TrustOpen}).Names(), "%q", name)
		_, err := InspectModule(dir, name, nil)
		require.ErrorContains(t, err, "the name starts", "%q", name)
		_, err = openDir(t, Options{Dir: dir, Trust: TrustOpen}).OpenStage(t.Context(), name, nil, wasm.Limits{}, Deps{})
		require.ErrorContains(t, err, "must be the name", "%q", name)
	}
}
