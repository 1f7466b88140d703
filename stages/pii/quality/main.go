// Command quality prints what the pii stage finds in the Go, npm and Python packages of this machine, by kind of text: the table
// of docs/pii.md. Half of the packages, by a hash of their name, are held out: rules are tuned with the other half. With
// folders as arguments it reads the packages in them instead, all of which count as held out: draw those at random once the rules are
// committed, and judge the findings of -list held by hand, as docs/pii.md says.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/headgate-dev/headgate/stages/pii"
)

func main() {
	list := flag.String("list", "", "write the findings of one `half` as JSON lines instead, to judge a sample by hand: tuned or held")
	dir := flag.String("dir", "stages/pii", "`folder` of the pii stage")
	update := flag.Bool("figures", false, "write the figures of the repository's own files, which a test compares")
	verbose := flag.Bool("misses", false, "also write what is missed or wrong in testdata/contexts.txt")
	flag.Parse()
	misses := io.Discard
	if *verbose {
		misses = os.Stderr
	}
	err := printCases(os.Stdout, misses, *dir, *update, *list != "" || flag.NArg() > 0)
	if err == nil && !*update {
		err = runCommand(os.Stdout, *list, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

// printCases prints the figures of the repository's own files, or writes them to figuresFile if update is set. It does nothing if skip is
// set: other texts are asked for.
func printCases(out, misses io.Writer, dir string, update, skip bool) error {
	if skip {
		return nil
	}
	t, err := measureCases(dir, misses)
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(filepath.Join(dir, figuresFile), t.Format(), 0o644)
	}
	for _, kind := range t.ListKinds() {
		_, _ = fmt.Fprintf(out, "%-44s %s\n", kind, t[kind])
	}
	return nil
}

// A finding is what -list writes.
type finding struct {
	Tree    string  `json:"tree"`
	Kind    string  `json:"kind"`
	Package string  `json:"package"`
	File    string  `json:"file"`
	Type    string  `json:"type"`
	Score   float32 `json:"score"`
	Text    string  `json:"text"`
	Context string  `json:"context"`
}

// A count has the bytes and the findings of one kind of text in one half of a tree.
type count struct {
	bytes int
	types map[string]int
}

func runCommand(out io.Writer, list string, folders []string) error {
	if list != "" && list != "tuned" && list != "held" {
		return fmt.Errorf("-list %q: write tuned or held", list)
	}
	e, err := pii.NewEngine(pii.Options{})
	if err != nil {
		return err
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if list == "" {
		_, _ = fmt.Fprintln(out, "| tree | half | kind | MB | type | findings | per MB |\n|---|---|---|---|---|---|---|")
	}
	for _, t := range findTrees(folders) {
		halves := map[string]map[string]*count{"tuned": {}, "held": {}}
		var found []pii.Match
		err := t.visitFiles(func(pkg, path, text string) {
			half, kind := "tuned", classifyPath(path)
			if len(folders) > 0 || isHeldOut(pkg) {
				half = "held"
			}
			c := halves[half][kind]
			if c == nil {
				c = &count{types: map[string]int{}}
				halves[half][kind] = c
			}
			c.bytes += len(text)
			found = e.Detect(found[:0], text)
			for _, m := range found {
				c.types[m.Type]++
				if list == half {
					_ = lines.Encode(finding{t.name, kind, pkg, path, m.Type, m.Score, text[m.Start:m.End], quoteMatch(text, m)})
				}
			}
		})
		if err != nil {
			return err
		}
		if list == "" {
			for _, half := range []string{"tuned", "held"} {
				for _, kind := range slices.Sorted(maps.Keys(halves[half])) {
					halves[half][kind].print(out, t.name, half, kind)
				}
			}
		}
	}
	return nil
}

// quoteMatch returns a match with some text on both sides.
func quoteMatch(text string, m pii.Match) string {
	return text[max(0, m.Start-60):min(len(text), m.End+40)]
}

func (c *count) print(out io.Writer, tree, half, kind string) {
	mb := float64(c.bytes) / 1e6
	if len(c.types) == 0 {
		_, _ = fmt.Fprintf(out, "| %s | %s | %s | %.1f | | 0 | 0 |\n", tree, half, kind, mb)
	}
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		_, _ = fmt.Fprintf(out, "| %s | %s | %s | %.1f | %s | %d | %.2f |\n", tree, half, kind, mb, name, c.types[name], float64(c.types[name])/mb)
	}
}
