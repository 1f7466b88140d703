package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// figuresFile holds the figures of the repository's own files, which a test compares with the measured figures.
const figuresFile = "testdata/figures.txt"

const figuresHead = "# Alarms and texts by kind, of files in this repository. make quality-figures writes them; a test fails if what is\n" +
	"# measured leaves the 95 % interval of these figures to the worse side.\n"

// formatFigures formats a table as text.
func (t table) formatFigures() []byte {
	var b bytes.Buffer
	b.WriteString(figuresHead)
	for _, key := range sortKeys(t) {
		fmt.Fprintf(&b, "%d\t%d\t%s\n", t[key].hits, t[key].n, key)
	}
	return b.Bytes()
}

// readFigures reads a table.
func readFigures(path string) (table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := table{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: %q is not alarms, texts and a kind", path, line)
		}
		hits, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t[f[2]] = &share{hits, n}
	}
	return t, nil
}

// compare returns a line for each kind with significantly fewer hits, or more false alarms, than the known share, and for
// each kind whose texts have changed.
func (t table) compare(known table) (worse []string) {
	for _, key := range sortKeys(known) {
		was, is := known[key], t[key]
		if is == nil || is.n != was.n {
			worse = append(worse, fmt.Sprintf("%s: the texts have changed; run make quality-figures", key))
			continue
		}
		low, high := was.computeInterval()
		p := float64(is.hits) / float64(is.n)
		attack := strings.Contains(key, "attack") || strings.Contains(key, "embedded")
		if attack && p < low || !attack && p > high {
			worse = append(worse, fmt.Sprintf("%s: %v, was %v", key, is, was))
		}
	}
	for _, key := range sortKeys(t) {
		if known[key] == nil {
			worse = append(worse, key+": has no figure")
		}
	}
	return worse
}
