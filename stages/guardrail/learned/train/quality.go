package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
	"github.com/headgate-dev/headgate/stages/internal/figures"
)

// printQuality prints what the default attack detectors find in the project's own cases, and how often they are wrong on
// those trees of this machine that the model has not learned from. It writes the figures of the repository's own files to
// figuresFile if update is set.
func printQuality(dir string, update bool) error {
	t, err := measureQuality(dir)
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(filepath.Join(dir, figuresFile), t.Format(), 0o644)
	}
	s, err := guardrail.NewNamedScannerOf("prompt_injection", "jailbreak")
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	env := strings.Fields(string(out))
	all := map[string][]string{}
	measure := func(kinds map[string][]string) {
		for kind, texts := range kinds {
			all[kind] = append(all[kind], texts...)
			for _, text := range texts {
				t.Add(fmt.Sprintf("ordinary, %s, %5d bytes", kind, (len(text)+500)/1000*1000), s.Scan(text).Hit)
				countGatePasses(t, "windows with a full look, "+kind, text)
			}
		}
	}
	for _, tree := range listTrees(env[0], env[1]) {
		measure(listHeldOut(tree.dir, tree.depth))
	}
	measure(collectSessions(env[0]))
	for _, key := range t.ListKinds() {
		fmt.Printf("%-44s %s\n", key, t[key])
	}
	if err := printThresholds(os.Stdout, dir, all); err != nil {
		return err
	}
	return printCost(os.Stdout, all)
}

// Sizes of the texts that measure cuts, and into which it embeds orders.
const (
	shortText = 4000
	longText  = 16000
)

// measureQuality judges texts of the repository that the model has not learned from: the project's own cases, those of
// them that are whole orders embedded in the files of the recorded session, and the files alone.
func measureQuality(dir string) (figures.Table, error) {
	s, err := guardrail.NewNamedScannerOf("prompt_injection", "jailbreak")
	if err != nil {
		return nil, err
	}
	cases, err := readLines(filepath.Join(dir, "testdata/cases.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	session, err := readLines(filepath.Join(dir, "testdata/session.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	t := figures.Table{}
	var carriers []string
	for _, line := range session {
		var call struct{ Result string }
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, err
		}
		for _, size := range []int{shortText, longText} {
			for at := 0; at+size <= len(call.Result); at += size {
				text := strings.ToValidUTF8(call.Result[at:at+size], " ")
				t.Add(fmt.Sprintf("session's files, %5d bytes", size), s.Scan(text).Hit)
				if size == shortText {
					countGatePasses(t, "windows with a full look, session's files", text)
					carriers = append(carriers, text)
				}
			}
		}
	}
	for i, line := range cases {
		var c struct{ Set, Label, Kind, Text string }
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, err
		}
		t.Add("own cases, "+c.Label+", "+c.Set, s.Scan(c.Text).Hit)
		if c.Kind != "" {
			t.Add("own cases, benign, kind "+c.Kind, s.Scan(c.Text).Hit)
		}
		if c.Label == "attack" && (c.Set == "direct" || c.Set == "wild") && len(carriers) > 0 {
			carrier := carriers[i%len(carriers)]
			at := strings.IndexByte(carrier[shortText/2:], '\n') + shortText/2 + 1
			t.Add("own cases, embedded in 4 kB, "+c.Set, s.Scan(carrier[:at]+c.Text+"\n"+carrier[at:]).Hit)
		}
	}
	return t, nil
}

// countGatePasses counts the windows of a text that pass the gate, which cause most of the cost of a text.
func countGatePasses(t figures.Table, key, text string) {
	m, err := learned.Embedded()
	if err != nil {
		return // the scanner has the same model, and has reported it
	}
	blocks := m.Gate().Scan(nil, []byte(guardrail.Normalize(text)))
	for i := range max(1, len(blocks)-1) {
		t.Add(key, m.Gate().Passes(blocks, i))
	}
}

func readLines(path string) (out [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		out = append(out, slices.Clone(sc.Bytes()))
	}
	return out, err
}

// listHeldOut returns texts of 4,000 and 16,000 bytes, by kind, of the held-out packages below a folder: at most eight per
// package, kind and length. It omits files that a training package contains too, such as a licence.
func listHeldOut(root string, depth int) map[string][]string {
	known := map[[sha256.Size]byte]bool{}
	visitFiles(root, depth, func(from, _ string, b []byte) {
		if chooseHalf(from) == 0 {
			known[sha256.Sum256(b)] = true
		}
	})
	texts, taken := map[string][]string{}, map[string]int{}
	r := rand.New(rand.NewPCG(31, 32))
	visitFiles(root, depth, func(from, kind string, b []byte) {
		if chooseHalf(from) == 0 || known[sha256.Sum256(b)] {
			return
		}
		for _, size := range []int{shortText, longText} {
			key := fmt.Sprint(from, kind, size)
			if len(b) < size || taken[key] >= 8 {
				continue
			}
			taken[key]++
			at := r.IntN(len(b) - size + 1)
			texts[kind] = append(texts[kind], strings.ToValidUTF8(string(b[at:at+size]), " "))
		}
	})
	return texts
}

// visitFiles calls visit for the texts of the packages below a folder.
func visitFiles(root string, depth int, visit func(from, kind string, b []byte)) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		kind := classifyPath(path)
		if kind == "" || strings.HasPrefix(rel, "cache/") {
			return nil
		}
		if b := readText(path, d); b != nil {
			visit(findPackage(rel, depth), kind, b)
		}
		return nil
	})
}

// findPackage returns the package of a file, without its version, by the file's path below a folder of packages.
func findPackage(rel string, depth int) string {
	parts := strings.Split(rel, "/")
	from, _, _ := strings.Cut(strings.Join(parts[:min(depth, len(parts))], "/"), "@")
	return from
}
