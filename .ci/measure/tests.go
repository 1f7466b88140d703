package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// forEachSleep calls see for each line of a test that sleeps, with the line above it. A statement that only waits for
// time.After sleeps as well. A sleep in a synctest bubble takes no time and does not count: a sleep inside a call of
// synctest.Test, and a function that calls synctest.Wait, which panics outside of bubbles.
func forEachSleep(t *tree, see func(place, line, above string)) {
	for _, f := range t.files {
		if !f.test {
			continue
		}
		above, bubbles := "", findBubbles(t, f)
		for i, line := range strings.Split(f.text, "\n") {
			code := strings.TrimSpace(line)
			sleeps := strings.Contains(line, "time.Sleep(") || strings.HasPrefix(code, "<-time.After(")
			if sleeps && !strings.HasPrefix(code, "//") && !bubbles[i+1] {
				see(fmt.Sprintf("%s:%d", f.name, i+1), line, above)
			}
			above = line
		}
	}
}

// findBubbles returns the lines of the functions that run in bubbles.
func findBubbles(t *tree, f *goFile) map[int]bool {
	in := map[int]bool{}
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			from, to := call.Pos(), call.End() // what synctest.Test runs
			switch name := formatCallee(call); name {
			case "synctest.Wait":
				from, to = fn.Pos(), fn.End()
			case "synctest.Test":
			default:
				return true
			}
			for l := t.fset.Position(from).Line; l <= t.fset.Position(to).Line; l++ {
				in[l] = true
			}
			return true
		})
	}
	return in
}

// formatCallee returns the package and the function that a call names, or nothing.
func formatCallee(call *ast.CallExpr) string {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + s.Sel.Name
}

func countSleeps(t *tree) (int, []string) {
	var places []string
	forEachSleep(t, func(place, _, _ string) { places = append(places, place) })
	return len(places), places
}

func countBareSleeps(t *tree) (int, []string) {
	var places []string
	forEachSleep(t, func(place, line, above string) {
		if !strings.Contains(line, "//") && !strings.HasPrefix(strings.TrimSpace(above), "//") {
			places = append(places, place)
		}
	})
	return len(places), places
}

// countOutsideData counts tests that read data beside the repository: in a fresh clone they would be skipped.
func countOutsideData(t *tree) (int, []string) {
	var places []string
	for _, f := range t.files {
		if !f.test || !strings.Contains(f.text, "Skip") {
			continue
		}
		for i, line := range strings.Split(f.text, "\n") {
			if strings.Contains(line, "Skip") && strings.Contains(line, "shared") {
				places = append(places, fmt.Sprintf("%s:%d", f.name, i+1))
			}
		}
	}
	return len(places), places
}
