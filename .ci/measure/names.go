package main

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// bare lists words that must not name a function: a function does something, so its name is a verb.
var bare = splitWords(`told said came come gone found over one none way more kept made done left held sent asked shown seen heard given taken
	brought known grown drawn born lost met paid meant felt fits fit whole next other others such own same each again once late early here
	there these those what who which where`)

// joining lists prepositions, conjunctions, pronouns and adverbs: words that join others and say nothing alone. A call
// such as of(x) or because(p) hides what the function does.
var joining = splitWords(`about above after against ago all alone along also although always among and any apart around as aside at away back
	because before behind below beneath beside besides between beyond both but by during each either else every everything exactly except
	few finally for from hence him his how if in inside instead into it its itself just like many me most much near neither never nobody
	none nor not nothing now of off on onto or otherwise ours out outside over past per perhaps several she since so some somebody
	something soon than that their them then they this through thus till to together too toward towards under unless until unto up upon
	us versus via we when whereas whether while whom whose why with within without yet you your`)

// participle matches a bare participle, and a noun with what befell it: accessDenied.
var participle = regexp.MustCompile(`^[a-z]+(ed|en|Denied)$`)

// countBareNames returns a measure of the functions and methods, exported ones too, that are named by a participle or a
// joining word and do not return a bool alone: those of tests, or the others.
func countBareNames(tests bool) func(*tree) (int, []string) {
	return func(t *tree) (int, []string) {
		places := listBareNames(t, tests)
		return len(places), places
	}
}

// listBareNames lists the functions that countBareNames counts.
func listBareNames(t *tree, tests bool) (places []string) {
	for _, f := range t.files {
		if f.test != tests {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || isPredicate(fn) {
				continue
			}
			if isForced(f.folder, fn.Name.Name) || kept[f.folder+" "+fn.Name.Name] {
				continue
			}
			if name := lowerFirst(fn.Name.Name); bare[name] || joining[name] || participle.MatchString(name) && !verbs[name] {
				places = append(places, fmt.Sprintf("%s:%d: %s", f.name, t.fset.Position(fn.Pos()).Line, name))
			}
		}
	}
	return places
}

// verbs lists verbs, and the nouns of accessors, that end like participles.
var verbs = splitWords(`embed feed seed shed shred need speed proceed exceed succeed open listen reopen strengthen flatten shorten widen happen
	screen len token`)

// forced lists the names that an interface of a library or a documented contract asks for: hclog.Logger (Named,
// ResetNamed, With), context.Context (Done), upstream.Body (Buffered, as bufio has it), core.Settlement (Settled),
// core.FindingsReader (Inform), iterators, which are asked for what is next (tools.Answer, scanners), and clocks, which are
// asked for Now, or now in tests, as package time is.
var forced = splitWords("Named ResetNamed With Done Buffered Settled Informed Next Now now")

// kept lists exceptions from the rule: the interface of the SDK, which the tests and guests of plugin authors call; the
// operators of the lint rules, which read as sentences with them; and accessors that every package reaches: a visit's
// time, what usage remains without a part, where a scanner stands, and the placeholders of a set.
var kept = collectPairs(`
	core At
	core/body/nested Inside
	core/body/placeholder All
	sdk/guest Kept
	sdk/guest Held
	sdk/stagetest Whole
	sdk/stagetest Streamed
	sdk/stagetest/cases Failed
`)

// isForced reports whether a name is forced in a folder: only plugins/process implements hclog.Logger.
func isForced(folder, name string) bool {
	return forced[name] && (name != "Named" && name != "With" || folder == "plugins/process")
}

// collectPairs reads lines of a folder and the name of a function in it.
func collectPairs(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func isPredicate(fn *ast.FuncDecl) bool {
	r := fn.Type.Results
	if r == nil || len(r.List) != 1 || len(r.List[0].Names) > 1 {
		return false
	}
	id, ok := r.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}

func splitWords(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// linters are those that .golangci.yml turns on and that a line may be exempted from.
var linters = splitWords("errcheck gocyclo govet lll staticcheck testifylint unconvert unused depguard")

var nolint = regexp.MustCompile(`//nolint:([a-z0-9,]+)`)

// countIdleNolint counts exemptions from linters that do not run: nolintlint does not see them.
func countIdleNolint(t *tree) (int, []string) {
	var places []string
	for _, f := range t.files {
		for i, line := range strings.Split(f.text, "\n") {
			m := nolint.FindStringSubmatch(line)
			if m == nil || strings.Contains(line, "`") {
				continue
			}
			for name := range strings.SplitSeq(m[1], ",") {
				if !linters[name] {
					places = append(places, fmt.Sprintf("%s:%d: %s", f.name, i+1, name))
				}
			}
		}
	}
	return len(places), places
}
