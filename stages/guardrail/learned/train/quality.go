package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/stages/guardrail"
)

// share is how many of some texts raised an alarm.
type share struct{ hits, n int }

func (s *share) add(hit bool) {
	if s.n++; hit {
		s.hits++
	}
}

// String gives the share with its Wilson interval of 95 %.
func (s *share) String() string {
	if s.n == 0 {
		return "none"
	}
	const z = 1.96
	n, p := float64(s.n), float64(s.hits)/float64(s.n)
	mid, wide := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return fmt.Sprintf("%6.2f %%  (%5.2f to %5.2f)  %d of %d", 100*p, 100*(mid-wide)/(1+z*z/n), 100*(mid+wide)/(1+z*z/n), s.hits, s.n)
}

// printQuality prints what the default attack detectors find in the project's own cases, and how often they are wrong on
// those trees of this machine that the model has not learned from.
func printQuality(dir string) error {
	s, err := guardrail.NewNamedScannerOf("prompt_injection", "jailbreak")
	if err != nil {
		return err
	}
	cases, err := readLines(filepath.Join(dir, "testdata/cases.jsonl.gz"))
	if err != nil {
		return err
	}
	table := map[string]*share{}
	add := func(key string, hit bool) {
		if table[key] == nil {
			table[key] = new(share)
		}
		table[key].add(hit)
	}
	for _, line := range cases {
		var c struct{ Set, Label, Text string }
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		add("own cases, "+c.Label+", "+c.Set, s.Scan(c.Text).Hit)
	}
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	env := strings.Fields(string(out))
	for _, tree := range trees(env[0], env[1]) {
		for kind, texts := range heldOut(tree.dir, tree.depth) {
			for _, t := range texts {
				add(fmt.Sprintf("ordinary, %s, %5d bytes", kind, (len(t)+500)/1000*1000), s.Scan(t).Hit)
			}
		}
	}
	for _, key := range sortedKeys(table) {
		fmt.Printf("%-40s %s\n", key, table[key])
	}
	return nil
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

// heldOut returns texts of 4,000 and 16,000 bytes, by kind, of the packages below a folder that are not learned from: at most
// eight of a package, kind and length.
func heldOut(root string, depth int) map[string][]string {
	texts, taken := map[string][]string{}, map[string]int{}
	r := rand.New(rand.NewPCG(31, 32))
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		parts := strings.Split(rel, "/")
		from, _, _ := strings.Cut(strings.Join(parts[:min(depth, len(parts))], "/"), "@")
		kind := kindOf(path)
		if kind == "" || half(from) == 0 || strings.HasPrefix(rel, "cache/") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || len(b) > 1<<20 || !utf8.Valid(b) {
			return nil
		}
		for _, size := range []int{4000, 16000} {
			key := fmt.Sprint(from, kind, size)
			if len(b) < size || taken[key] >= 8 {
				continue
			}
			taken[key]++
			at := r.IntN(len(b) - size + 1)
			texts[kind] = append(texts[kind], strings.ToValidUTF8(string(b[at:at+size]), " "))
		}
		return nil
	})
	return texts
}
