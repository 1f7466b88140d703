// Command measure prints what .ci/house limits: how large the kernel and package main are,
// how many methods a type has, which lines occur in two places, which files of a package
// need each other, and so on. It exits with 1 if a limit is exceeded.
//
// The limits are in the table below, each beside its measure. A measure over its limit has a second bound, the current
// figure: the measure fails when the tree gets worse. Lower the bound when it gets better. Raising either needs a reason
// in the commit message.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
)

// A measure is one figure of the tree.
type measure struct {
	name  string
	limit int
	today int  // the bound while the limit is not met; 0 if it is
	least bool // the limit is a minimum
	count func(t *tree) (int, []string)
}

var measures = []measure{
	{"folders directly below core", 14, 0, false, countCoreFolders},
	{"lines of package core", 1200, 0, false, countLines("core")},
	{"exported names of package core", 150, 0, false, countExported("core")},
	{"lines of package main", 4000, 0, false, countLines("cmd/headgate")},
	{"methods of the largest type", 60, 0, false, countMethods},
	{"types of the entity that has the most, without those that say why", 3, 0, false, countEntityTypes},
	{"pairs of places that share ten or more lines", 10, 0, false, countRepeats},
	{"files of core that need each other", 0, 0, false, countFileCycles("core")},
	{"files of core/chain that need each other", 0, 0, false, countFileCycles("core/chain")},
	{"functions named by a participle or a joining word", 0, 0, false, countBareNames(false)},
	{"functions of tests named by a participle or a joining word", 0, 0, false, countBareNames(true)},
	{"functions that do not begin with a verb", 0, 0, false, countVerbless},
	{"doc comments of functions that begin with another name", 0, 0, false, countForeignComments},
	{"sleeps in tests", 10, 0, false, countSleeps},
	{"sleeps in tests without a reason beside them", 0, 0, false, countBareSleeps},
	{"tests that are skipped without data from outside the repository", 0, 0, false, countOutsideData},
	{"nolint comments for linters that do not run", 0, 0, false, countIdleNolint},
	{"cyclomatic complexity of a function", 30, 0, false, countComplexity},
	{"commits without a body among the last 50", 0, 0, false, countBareCommits},
	{"lines of the longest file", 300, 0, false, countLongestFile},
	{"lines of the README", 150, 0, false, countReadme},
	{"screenshots", 20, 0, false, countScreenshots},
	{"runnable examples", 36, 0, true, countExamples},
}

func main() {
	root := flag.String("root", ".", "the root of the module")
	verbose := flag.Bool("v", false, "list the places behind every figure, not only behind those that exceed their limit")
	flag.Parse()
	t, err := readTree(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := false
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, m := range measures {
		n, places := m.count(t)
		limit, mark, bound := m.limit, "", "at most"
		if m.today != 0 {
			limit, mark = m.today, fmt.Sprintf("  (%d today)", m.today)
		}
		bad := n > limit && !m.least || n < limit && m.least
		if bad {
			mark, failed = mark+"  <- exceeded", true
		}
		if m.least {
			bound = "at least"
		}
		fmt.Fprintf(w, "%s\t%d\t%s %d%s\n", m.name, n, bound, m.limit, mark)
		if bad || *verbose {
			for i, p := range places {
				if i == 20 && !*verbose {
					fmt.Fprintf(w, "    and %d more: .ci/house -v lists them\n", len(places)-i)
					break
				}
				fmt.Fprintf(w, "    %s\n", p)
			}
		}
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}
