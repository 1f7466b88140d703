package project

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/sdk"
)

// Kinds of plugins that are programs.
const (
	kindWebhook = "webhook"
	kindProcess = "process"
)

// program is a template of a plugin that is a program.
type program struct {
	kind, lang, title string
	entry             string
	files             map[string]string // by name in the project: the embedded file
	needs, run, dash  string            // for README.md: prerequisites, start command, prefix of flags
}

var programs = []program{
	{
		kind: kindWebhook, lang: "go", title: "Go", entry: "main.go", run: "go run .", dash: "-",
		needs: "Needs Go 1.24 or later, and no network: what the receiver imports lies in `headgate/`.",
		files: map[string]string{
			"main.go": "webhook/sample/main.go", "go.mod": "templates/common/go.mod.txt", "headgate/go.mod": "templates/common/headgate.mod.txt",
		},
	},
	{
		kind: kindWebhook, lang: "python", title: "Python", entry: "receiver.py", run: "python3 receiver.py", dash: "--",
		needs: "Needs Python 3.9 or later, and no package.",
		files: map[string]string{
			"receiver.py": "webhook/python/receiver.py", "headgate_webhook.py": "webhook/python/headgate_webhook.py",
		},
	},
	{
		kind: kindWebhook, lang: "node", title: "JavaScript", entry: "receiver.js", run: "node receiver.js", dash: "--",
		needs: "Needs Node.js 18 or later, and no package.",
		files: map[string]string{
			"receiver.js": "webhook/node/receiver.js", "webhook.js": "webhook/node/webhook.js", "package.json": "webhook/node/package.json",
		},
	},
	{
		kind: kindProcess, lang: "node", title: "JavaScript", entry: "main.js",
		needs: "Needs Node.js 18 or later: `npm ci --ignore-scripts` in this folder, then `chmod 755 main.js`.",
		files: map[string]string{
			"main.js": "process/node/wordguard.js", "headgate.js": "process/node/headgate.js", "certificate.js": "process/node/certificate.js",
			"package.json": "process/node/package.json", "package-lock.json": "process/node/package-lock.json",
			"process.proto": "process/node/process.proto",
		},
	},
}

// Kinds lists the kinds of new projects.
func Kinds() []string { return append(slices.Clone(kinds), kindWebhook, kindProcess) }

// ProgramLanguages lists the languages of projects of the kinds webhook and process.
func ProgramLanguages(kind string) (names []string) {
	for i := range programs {
		if programs[i].kind == kind {
			names = append(names, programs[i].lang)
		}
	}
	return names
}

// findProgram returns the template of a kind in a language.
func findProgram(kind, lang string) (*program, error) {
	for i := range programs {
		if p := &programs[i]; p.kind == kind && p.lang == lang {
			return p, nil
		}
	}
	all := ProgramLanguages(kind)
	if len(all) > 1 {
		return nil, fmt.Errorf("no template exists for a %s in %q; write %s", kind, lang, joinWithOr(all))
	}
	return nil, fmt.Errorf("no template exists for a %s in %q; write %s", kind, lang, all[0])
}

// buildProject returns the files of a new program, by path.
func (p *program) buildProject(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	fill := strings.NewReplacer(
		"@NAME@", name, "@LANGUAGE@", p.title, "@NEEDS@", p.needs, "@ENTRY@", p.entry, "@RUN@", p.run, "@DASH@", p.dash, "@KIND@", p.kind,
	)
	list := maps.Clone(p.files)
	list["README.md"] = "templates/program/" + p.kind + ".md"
	list[name+".cases.yaml"] = "templates/program/" + p.kind + ".cases.yaml"
	list[".gitignore"] = "templates/common/gitignore"
	for to, from := range list {
		text, err := sdk.Files.ReadFile(from)
		if err != nil {
			return nil, fmt.Errorf("read the template: %w", err)
		}
		if strings.HasPrefix(from, "templates/") {
			text = []byte(fill.Replace(string(text)))
		}
		out[to] = text
	}
	if p.lang != "go" {
		return out, nil
	}
	names, err := fs.Glob(sdk.Files, "webhook/*.go")
	if err != nil {
		return nil, fmt.Errorf("list the Go package: %w", err)
	}
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if out["headgate/sdk/webhook/"+path.Base(file)], err = sdk.Files.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read the Go package: %w", err)
		}
	}
	return out, nil
}
