package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// window is a piece of ordinary text.
type window struct {
	Kind string `json:"kind"`
	From string `json:"from"` // the package or module
	Text string `json:"text"`
}

// chooseHalf returns the half of a package: the model never learns from texts of the second half.
func chooseHalf(from string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(from))
	return int(h.Sum32() >> 7 & 1)
}

// sampled maps a kind to the number of windows kept per package.
const sampled = 24

// collectWindows writes windows of the first half of the packages on this machine.
func collectWindows(to string) error {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	env := strings.Fields(string(out))
	var all []window
	for _, root := range listTrees(env[0], env[1]) {
		ws, err := sampleTree(root.dir, root.depth)
		if err != nil {
			return err
		}
		all = append(all, ws...)
	}
	slices.SortFunc(all, func(a, b window) int { return strings.Compare(a.Kind+a.From+a.Text, b.Kind+b.From+b.Text) })
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false)
	count := map[string]int{}
	for _, w := range all {
		count[w.Kind]++
		if err := enc.Encode(w); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Println(len(all), "windows,", b.Len(), "bytes", count)
	return os.WriteFile(to, b.Bytes(), 0o644)
}

// debianDocs has a folder for each package of Debian.
const debianDocs = "/usr/share/doc"

// tree is a folder of packages.
type tree struct {
	dir   string
	depth int // of a package below it
}

// listTrees returns the folders of ordinary text on a machine that builds this project.
func listTrees(goroot, modules string) []tree {
	return []tree{
		{goroot + "/src", 1},
		{modules, 3},
		{"/usr/lib/python3.11", 1},
		{"/usr/lib/python3/dist-packages", 1},
		{"/usr/lib/node_modules/npm/node_modules", 1},
		{debianDocs, 1},
	}
}

// readText returns the content of a text file of at most 256 KiB, decompressed, or nil.
func readText(path string, d fs.DirEntry) []byte {
	info, err := d.Info()
	if err != nil || info.Size() > 256<<10 {
		return nil
	}
	b, err := os.ReadFile(path)
	if err == nil && filepath.Ext(path) == ".gz" {
		b, err = decompressText(b)
	}
	if err != nil || !utf8.Valid(b) {
		return nil
	}
	return b
}

// decompressText returns the first 256 KiB of a compressed text, without a split last character.
func decompressText(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	b, err = io.ReadAll(io.LimitReader(z, 256<<10))
	for range min(len(b), utf8.UTFMax) {
		if utf8.Valid(b) {
			break
		}
		b = b[:len(b)-1]
	}
	return b, err
}

// sampleTree samples the packages below a folder.
func sampleTree(root string, depth int) (out []window, err error) {
	texts := map[string]map[string][]string{} // windows by package and kind
	licensed := map[string]bool{}
	var hard []window
	mined := map[string]int{}
	var reader learned.Reader
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		from := findPackage(rel, depth)
		if chooseHalf(from) != 0 || strings.HasPrefix(rel, "cache/") {
			return nil
		}
		base := filepath.Base(path)
		kind := classifyPath(path)
		isLicense := strings.HasPrefix(base, "LICEN") || base == "copyright" || base == "COPYING"
		if kind == "" && !isLicense {
			return nil
		}
		b := readText(path, d)
		if b == nil {
			return nil
		}
		if isLicense && free.Match(b) {
			licensed[from] = true
		}
		if root == debianDocs && base != "copyright" && !isPermissive(root+"/"+from+"/copyright") {
			return nil
		}
		if kind != "" && mined[from] < minedEach {
			for _, w := range collectHardWindows(&reader, string(b)) {
				if mined[from]++; !unfit.MatchString(w) {
					hard = append(hard, window{kind, from, w})
				}
			}
		}
		for _, w := range listWindows(string(b), path) {
			if texts[from] == nil {
				texts[from] = map[string][]string{}
			}
			if kind != "" && !unfit.MatchString(w) {
				texts[from][kind] = append(texts[from][kind], w)
			}
		}
		return nil
	})
	own := strings.HasPrefix(root, "/usr/lib/python3.11") || strings.HasSuffix(root, "/src") // of Python and Go, whose licences are known
	for _, w := range hard {
		if own || licensed[w.From] {
			out = append(out, w)
		}
	}
	return append(out, drawWindows(texts, licensed, own)...), err
}

// drawWindows draws windows of each kind from each package with a known licence, deterministically. own says that the
// folder belongs to Go or Python: other sources of that quality are few, so it draws more from them.
func drawWindows(texts map[string]map[string][]string, licensed map[string]bool, own bool) (out []window) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, from := range sortKeys(texts) {
		if !own && !licensed[from] {
			continue
		}
		for _, kind := range sortKeys(texts[from]) {
			ws := texts[from][kind]
			n := sampled
			switch kind {
			case "python", "javascript", "log":
				n *= 4
			}
			if own {
				n *= 3
			}
			for range min(n, len(ws)) {
				i := r.IntN(len(ws))
				out = append(out, window{kind, from, ws[i]})
				ws[i] = ws[len(ws)-1]
				ws = ws[:len(ws)-1]
			}
		}
	}
	return out
}

// A random sample has few windows that look like attacks. The previously trained model finds them.
const (
	minedEach  = 60 // windows of a package
	minedFile  = 4
	minedLogit = -2.5
)

// collectHardWindows returns windows of a text around places that the model mistakes, or nearly mistakes, for an attack.
func collectHardWindows(r *learned.Reader, text string) (out []string) {
	m, err := learned.Embedded()
	if err != nil {
		return nil // the first training
	}
	b := []byte(guardrail.Normalize(text))
	until := 0
	for _, k := range m.Gate().Scan(nil, b) {
		start, end := int(k.Start), int(k.End)
		if start < until || len(out) >= minedFile || !m.Gate().Passes([]learned.Block{k}, 0) {
			continue
		}
		if x, _, from, to := m.Score(r, b[start:end], true); x > minedLogit {
			until = min(len(b), start+to+120)
			if w := string(b[max(0, start+from-120):until]); utf8.ValidString(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// listWindows cuts a text into a few windows of about 400 bytes, at the ends of lines.
func listWindows(text, path string) (out []string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	for range min(8, 1+len(text)/1500) {
		from := r.IntN(max(1, len(text)-400))
		if k := strings.IndexByte(text[from:], '\n'); k >= 0 && k < 200 {
			from += k + 1
		}
		w := text[from:min(len(text), from+400)]
		for w != "" && !utf8.ValidString(w) {
			if utf8.RuneStart(w[0]) {
				w = w[:len(w)-1]
			} else {
				w = w[1:]
			}
		}
		if len(w) >= 60 {
			out = append(out, w)
		}
	}
	return out
}

func sortKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
