package figures

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const head = "# Hits and texts by kind, of files in this repository. make quality-figures writes them; a test fails if what is\n" +
	"# measured leaves the 95 % interval of these figures to the worse side.\n"

// Format formats a table as the text of a file of figures.
func (t Table) Format() []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, kind := range t.ListKinds() {
		fmt.Fprintf(&b, "%d\t%d\t%s\n", t[kind].Hits, t[kind].N, kind)
	}
	return b.Bytes()
}

// Read reads a file of figures.
func Read(path string) (Table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := Table{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: %q is not hits, texts and a kind", path, line)
		}
		hits, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t[f[2]] = &Share{hits, n}
	}
	return t, nil
}

// Compare returns a line for each kind whose share is significantly worse than the known one, and for each kind whose texts have changed.
// isFind reports whether hits of a kind are wanted; those of all others are false alarms.
func (t Table) Compare(known Table, isFind func(kind string) bool) (worse []string) {
	for _, kind := range known.ListKinds() {
		was, is := known[kind], t[kind]
		if is == nil || is.N != was.N {
			worse = append(worse, fmt.Sprintf("%s: the texts have changed; run make quality-figures", kind))
			continue
		}
		low, high := was.ComputeInterval()
		p := float64(is.Hits) / float64(is.N)
		if wanted := isFind(kind); wanted && p < low || !wanted && p > high {
			worse = append(worse, fmt.Sprintf("%s: %v, was %v", kind, is, was))
		}
	}
	for _, kind := range t.ListKinds() {
		if known[kind] == nil {
			worse = append(worse, kind+": has no figure")
		}
	}
	return worse
}
