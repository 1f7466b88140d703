package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/sdk"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// kinds are the kinds of plugins that have templates.
var kinds = []string{abi.KindDetector, abi.KindStage}

// New creates a folder, named like the plugin, in an existing folder. It contains the manifest, the source, the cases and
// all dependencies of the source, and works unchanged.
func New(below, name, lang, kind string) (files []string, err error) {
	content, err := buildContent(name, lang, kind)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(below, name)
	if err = os.Mkdir(dir, 0o755); err != nil { // source code
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s already exists: choose another name, or remove it", name)
		}
		return nil, fmt.Errorf("create the folder: %w", err)
	}
	for file, text := range content {
		to := filepath.Join(dir, filepath.FromSlash(file))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil { // source code
			err = os.WriteFile(to, text, 0o644) // source code
		}
		if err != nil {
			return nil, fmt.Errorf("write the plugin: %w", err)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files, nil
}

// buildContent returns the files of a new plugin, by path.
func buildContent(name, lang, kind string) (map[string][]byte, error) {
	if kind == kindWebhook || kind == kindProcess {
		p, err := findProgram(kind, lang)
		if err == nil {
			err = checkName(name)
		}
		if err != nil {
			return nil, err
		}
		return p.buildProject(name)
	}
	l, err := findLanguage(lang)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("unknown kind %q; write %s", kind, joinWithOr(Kinds()))
	}
	if err = checkName(name); err != nil {
		return nil, err
	}
	return l.buildProject(name, kind)
}

// checkName refuses a text that cannot be the name of a plugin and a folder.
func checkName(name string) error {
	alnum := func(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
	ok := name != "" && len(name) <= 64 && alnum(name[0]) && alnum(name[len(name)-1])
	for i := 0; ok && i < len(name); i++ {
		ok = alnum(name[i]) || strings.IndexByte(".-_", name[i]) >= 0
	}
	if !ok {
		return fmt.Errorf(
			"%q cannot be the name of a plugin: write 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first and last",
			name,
		)
	}
	return nil
}

// buildProject returns the files of a new plugin, by path.
func (l language) buildProject(name, kind string) (map[string][]byte, error) {
	out := map[string][]byte{}
	fill := strings.NewReplacer("@NAME@", name, "@LANGUAGE@", l.title, "@NEEDS@", l.needs, "@ENTRY@", l.entry, "@KIND@", kind)
	add := func(to, from string) error {
		text, err := sdk.Files.ReadFile("templates/" + from)
		if err != nil {
			return fmt.Errorf("read the template: %w", err)
		}
		out[to] = []byte(fill.Replace(string(text)))
		return nil
	}
	list := map[string]string{
		"README.md":          kind + "/README.md",
		"manifest.yaml":      kind + "/manifest.yaml",
		name + ".cases.yaml": kind + "/cases.yaml",
		".gitignore":         "common/gitignore",
		l.entry:              kind + "/" + l.entry,
	}
	switch l.name {
	case "go":
		delete(list, l.entry)
		list[l.entry], list["go.mod"] = kind+"/main.go.txt", "common/go.mod.txt"
		list["headgate/go.mod"] = "common/headgate.mod.txt"
	case "rust":
		list["Cargo.toml"] = "common/Cargo.toml"
	case "assemblyscript":
		list["package.json"], list["tsconfig.json"] = "common/package.json", "common/tsconfig.json"
	}
	for to, from := range list {
		if err := add(to, from); err != nil {
			return nil, err
		}
	}
	if l.sdk == "" {
		return out, addGoFiles(out)
	}
	text, err := sdk.Files.ReadFile(l.sdk)
	if err != nil {
		return nil, fmt.Errorf("read the SDK: %w", err)
	}
	out[path.Base(l.sdk)] = text
	return out, nil
}

// addGoFiles adds the packages that a Go plugin imports, as a separate module: the plugin's go.mod replaces the published
// module by it.
func addGoFiles(out map[string][]byte) error {
	for _, tree := range []struct {
		files fs.FS
		from  string
		to    string
	}{
		{sdk.Files, "guest", "headgate/sdk/guest"},
		{sdk.Files, "guest/stream", "headgate/sdk/guest/stream"},
		{wasm.ABISource, "abi", "headgate/wasm/abi"},
	} {
		names, err := fs.Glob(tree.files, tree.from+"/*.go")
		if err != nil {
			return fmt.Errorf("list the Go package: %w", err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(tree.files, name)
			if err != nil {
				return fmt.Errorf("read the Go package: %w", err)
			}
			out[path.Join(tree.to, path.Base(name))] = text
		}
	}
	return nil
}
