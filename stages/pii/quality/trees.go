package main

import (
	"compress/gzip"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A tree is a collection of public packages on this machine.
type tree struct {
	name  string
	roots []string
}

// Bounds that keep one large package from speaking for its tree.
const (
	fileMax    = 512 << 10
	packageMax = 4 << 20
)

// textKinds are the names of files that hold text that people read and write.
var textKinds = strings.Fields(`.go .mod .py .pyi .js .mjs .cjs .ts .tsx .jsx .md .rst .txt .json .yaml .yml .toml .cfg .ini .sh .html .css
	.proto .c .h .cc .s .sql .java .rb .rs .tmpl .xml .pm .pl .pod .Debian .log`)

// kinds are the kinds of text by the ends of names of files; all others are "other".
var kinds = map[string]string{
	".go": "Go", ".py": "Python", ".pyi": "Python", ".md": "Markdown", ".rst": "documents", ".txt": "documents", ".html": "documents",
	".pod": "documents", ".Debian": "documents", "": "documents", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".ts": "JavaScript", ".tsx": "JavaScript", ".jsx": "JavaScript", ".json": "JSON", ".sh": "shell", ".log": "logs",
}

func classifyPath(path string) string {
	if kind, ok := kinds[filepath.Ext(strings.TrimSuffix(path, ".gz"))]; ok {
		return kind
	}
	return "other"
}

// findTrees returns the Go, npm and Python packages of this machine, as far as its tools name them, or the given folders.
func findTrees(folders []string) []tree {
	if len(folders) > 0 {
		var trees []tree
		for _, dir := range folders {
			trees = append(trees, tree{filepath.Base(dir), []string{dir}})
		}
		return trees
	}
	trees := []tree{
		{"Go", []string{runTool("go", "env", "GOMODCACHE"), filepath.Join(runTool("go", "env", "GOROOT"), "src")}},
		{"npm", []string{runTool("npm", "root", "-g")}},
		{"Python", []string{runTool("python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])")}},
		{"Debian", []string{"/usr/share/doc", "/usr/share/perl", "/usr/lib/python3/dist-packages", "/usr/include"}},
		{"manuals", []string{"/usr/share/man"}},
	}
	for i := range trees {
		trees[i].roots = slices.DeleteFunc(trees[i].roots, func(dir string) bool {
			info, err := os.Stat(dir)
			return dir == "" || err != nil || !info.IsDir()
		})
	}
	return trees
}

// runTool returns the first line that a program prints, "" if it fails.
func runTool(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// findPackage names the package of a file below a root of a tree. All versions of a Go module are one package.
func findPackage(tree, rel string) string {
	parts := strings.Split(filepath.ToSlash(rel), "/")
	switch tree {
	case "Go", "mod":
		for i, p := range parts {
			if name, _, versioned := strings.Cut(p, "@"); versioned {
				return strings.Join(append(parts[:i:i], name), "/")
			}
		}
	case "npm", "node_modules":
		for i := len(parts) - 2; i >= 0; i-- {
			if parts[i] == "node_modules" {
				parts = parts[i+1:]
				break
			}
		}
		if strings.HasPrefix(parts[0], "@") && len(parts) > 1 {
			return parts[0] + "/" + parts[1]
		}
	case "Python":
		if parts[0] == "site-packages" && len(parts) > 1 {
			parts = parts[1:]
		}
	}
	if tree == "manuals" { // man1/ls.1.gz
		return filepath.Base(rel)
	}
	return strings.TrimSuffix(parts[0], ".py")
}

// isHeldOut reports whether a package belongs to the half that rules are not tuned on.
func isHeldOut(pkg string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(pkg)) // a hash never fails
	return h.Sum32()>>7&1 == 1
}

// readText returns the content of a file, unpacked if it is compressed, or an error.
func readText(path string) ([]byte, error) {
	if filepath.Ext(path) != ".gz" {
		return os.ReadFile(path)
	}
	if !strings.HasPrefix(path, "/usr/share/") {
		return nil, fs.ErrInvalid // data of a test, not a text
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, fileMax))
}

// visitFiles calls f with the text files of a tree, at most packageMax of each package.
func (t tree) visitFiles(f func(pkg, path, text string)) error {
	size := map[string]int{}
	for _, root := range t.roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // an unreadable folder does not end the walk
			}
			rel, _ := filepath.Rel(root, path)
			if d.IsDir() {
				if t.name == "Go" && rel == "cache" || d.Name() == "__pycache__" {
					return filepath.SkipDir
				}
				return nil
			}
			kind := filepath.Ext(strings.TrimSuffix(path, ".gz"))
			if !d.Type().IsRegular() || t.name != "manuals" && kind != "" && !slices.Contains(textKinds, kind) {
				return nil
			}
			pkg := findPackage(t.name, rel)
			if info, err := d.Info(); err != nil || info.Size() > fileMax || size[pkg]+int(info.Size()) > packageMax {
				return nil // the file has gone
			}
			text, err := readText(path)
			if err != nil || !utf8.Valid(text) || slices.Contains(text, 0) {
				return nil // no text
			}
			size[pkg] += len(text)
			f(pkg, path, string(text))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
