package project

import (
	"cmp"
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
	// program is the file that the gateway starts, if it is not the entry. link holds further keys of its link, and note is for README.md.
	program, link, note string
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
		kind: kindProcess, lang: "go", title: "Go", entry: "main.go", program: "guard",
		needs: "Needs Go 1.24 or later, and no network: what the guard imports lies in `headgate/`. `go build -o guard .` builds it.",
		files: map[string]string{
			"main.go": "process/light/sample/main.go", "go.mod": "templates/common/go.mod.txt",
			"headgate/go.mod": "templates/common/headgate.mod.txt",
		},
	},
	{
		kind: kindProcess, lang: "python", title: "Python", entry: "main.py", link: "plaintext: true", note: searchNote("python3"),
		needs: "Needs Python 3.9 or later with the package grpcio: `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt`, then `chmod 755 main.py`. " +
			"So that the gateway finds that Python, the link and `@NAME@.cases.yaml` need `env: {PATH: …/@NAME@/.venv/bin}`.",
		files: map[string]string{
			"main.py": "process/python/main.py", "headgate_process.py": "process/python/headgate_process.py",
			"requirements.txt": "process/python/requirements.txt",
		},
	},
	{
		kind: kindProcess, lang: "node", note: searchNote("node"), title: "JavaScript", entry: "main.js",
		needs: "Needs Node.js 18 or later: `npm ci --ignore-scripts` in this folder, then `chmod 755 main.js`.",
		files: map[string]string{
			"main.js": "process/node/wordguard.js", "headgate.js": "process/node/headgate.js", "certificate.js": "process/node/certificate.js",
			"package.json": "process/node/package.json", "package-lock.json": "process/node/package-lock.json",
			"process.proto": "process/node/process.proto",
		},
	},
}

// goPackages are the packages that programs in Go import.
var goPackages = map[string]string{kindWebhook: "webhook", kindProcess: "process/light"}

func searchNote(interpreter string) string {
	return "The gateway does not set `PATH`: if " + interpreter + " is neither in /bin nor in /usr/bin, write `env: {PATH: …}`."
}

// addLine returns a line of a block in YAML, or nothing without a text.
func addLine(indent, text string) string {
	if text == "" {
		return ""
	}
	return "\n" + indent + text
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
		"@NAME@", name, "@LANGUAGE@", p.title, "@NEEDS@", strings.ReplaceAll(p.needs, "@NAME@", name), "@ENTRY@", p.entry,
		"@PROGRAM@", cmp.Or(p.program, p.entry), "@NOTE@", p.note, "@LINK@", addLine("  ", p.link), "@CHAIN@", addLine("    ", p.link),
		"@RUN@", p.run, "@DASH@", p.dash, "@KIND@", p.kind,
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
	from := goPackages[p.kind]
	names, err := fs.Glob(sdk.Files, from+"/*.go")
	if err != nil {
		return nil, fmt.Errorf("list the Go package: %w", err)
	}
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if out["headgate/sdk/"+from+"/"+path.Base(file)], err = sdk.Files.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read the Go package: %w", err)
		}
	}
	return out, nil
}
