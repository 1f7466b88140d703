package conflict

import (
	"cmp"
	"strings"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// findCycles finds ROUTE rules that form a circle: the target of one matches the conditions of the next. A request is
// routed only once, so it does not loop, but the result depends on the name that the client happens to use.
func (f *finder) findCycles() {
	var routes []*rule
	for _, r := range f.rules {
		if r.Action == dsl.Route && !r.vacant {
			routes = append(routes, r)
		}
	}
	leads := make([][]int, len(routes))
	for i, a := range routes {
		for j, b := range routes {
			if i == j || hasSameEffect(a, b) || !b.judges(&a.Params) {
				continue
			}
			if _, ok := findOverlapping(a.listRoutedBoxes(), b.boxes); ok {
				leads[i] = append(leads[i], j)
			}
		}
	}
	state := make([]int, len(routes)) // 1: on the path, 2: done
	var path []int
	var walk func(i int)
	walk = func(i int) {
		state[i] = 1
		path = append(path, i)
		for _, j := range leads[i] {
			switch state[j] {
			case 0:
				walk(j)
			case 1:
				f.reportCycle(routes, path, j)
			}
		}
		path = path[:len(path)-1]
		state[i] = 2
	}
	for i := range routes {
		if state[i] == 0 {
			walk(i)
		}
	}
}

func (f *finder) reportCycle(routes []*rule, path []int, from int) {
	at := 0
	for path[at] != from {
		at++
	}
	names := make([]string, 0, len(path)-at+1)
	for _, i := range path[at:] {
		names = append(names, routes[i].Label)
	}
	last := routes[path[len(path)-1]]
	f.addIssue(
		RouteCycle,
		last,
		routes[from],
		map[string]string{"route": cmp.Or(last.Params.Model, last.Params.Provider, last.Params.Region)},
		"the rules %s lead in a circle",
		strings.Join(names, ", "),
	)
}
