package main

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// repeated is the least number of lines that make a repetition.
const repeated = 10

// A place is a line of a file that counts: neither blank nor a comment, an import or mere punctuation.
type place struct {
	file *goFile
	line int
	at   int // index among the file's lines that count
}

// countRepeats finds runs of ten lines that occur in two places, outside tests and
// generated code. A longer run, and further runs of the same two files, count once.
func countRepeats(t *tree) (int, []string) {
	seed := maphash.MakeSeed()
	windows := map[uint64][]place{}
	for _, f := range t.files {
		if f.test || strings.HasPrefix(f.folder, "sdk/samples") || strings.HasPrefix(f.folder, "sdk/process/samples") {
			continue // samples stand alone on purpose
		}
		text, numbers := listCodeLines(f)
		for i := 0; i+repeated <= len(text); i++ {
			key := maphash.String(seed, strings.Join(text[i:i+repeated], "\n"))
			windows[key] = append(windows[key], place{f, numbers[i], i})
		}
	}
	found := map[string]string{}
	for _, places := range windows {
		for i, a := range places {
			for _, b := range places[i+1:] {
				if a.file == b.file && b.at-a.at < repeated {
					continue
				}
				key := a.file.name + " and " + b.file.name
				text := fmt.Sprintf("%s:%d and %s:%d", a.file.name, a.line, b.file.name, b.line)
				if old, ok := found[key]; !ok || text < old {
					found[key] = text
				}
			}
		}
	}
	var out []string
	for _, text := range found {
		out = append(out, text)
	}
	slices.Sort(out)
	return len(out), out
}

// listCodeLines returns the lines of a file that count, without indentation, and their numbers.
func listCodeLines(f *goFile) (text []string, numbers []int) {
	imports := false
	for i, line := range strings.Split(f.text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "import (":
			imports = true
		case imports:
			imports = line != ")"
		case line == "", strings.HasPrefix(line, "//"), strings.Trim(line, "{}()[],;") == "":
		default:
			text = append(text, line)
			numbers = append(numbers, i+1)
		}
	}
	return text, numbers
}
