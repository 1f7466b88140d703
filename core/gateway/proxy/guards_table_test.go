package proxy_test

import (
	"fmt"
	"strings"
	"sync"
)

// parity collects the results of TestEveryGuardSeesEveryPlace.
type parity struct {
	mu   sync.Mutex
	seen map[string]bool // guard, side, shape, place, manner
}

func newParity() *parity { return &parity{seen: map[string]bool{}} }

func (p *parity) note(parts ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[fmt.Sprintln(parts...)] = true
}

// complete reports whether every cell was run.
func (p *parity) complete() bool {
	for _, g := range guards {
		for _, c := range askings() {
			for _, m := range c.manners() {
				if !p.seen[fmt.Sprintln(g.name, "request", c.shape, c.place, m)] {
					return false
				}
			}
		}
		for _, c := range tellings() {
			if !p.seen[fmt.Sprintln(g.name, "answer", c.shape, c.place, c.manner)] {
				return false
			}
		}
	}
	return true
}

// String renders the page docs/parity.md.
func (p *parity) String() string {
	var b strings.Builder
	b.WriteString(
		"# Where each guard looks\n\nMade by `TestEveryGuardSeesEveryPlace` (`go generate ./core/gateway/proxy`): a value is planted in each place of each client shape, once as a whole and once\n" +
			"streamed, where the shape has streams. `w` says that the guard stopped it in the whole request or answer, `s` in the streamed one; without the guard the same\n" +
			"value got through. A dash: the shape has no such place.\n",
	)
	shapes, places := []string{}, []string{}
	cells := map[string]string{}
	add := func(list *[]string, v string) {
		for _, e := range *list {
			if e == v {
				return
			}
		}
		*list = append(*list, v)
	}
	for _, side := range []string{"request", "answer"} {
		shapes, places = shapes[:0], places[:0]
		clear(cells)
		put := func(shape, place string, m manner) {
			add(&shapes, shape)
			add(&places, place)
			for _, g := range guards {
				k := g.name + "/" + shape + "/" + place
				if letter := string(m)[:1]; p.seen[fmt.Sprintln(g.name, side, shape, place, m)] && !strings.Contains(cells[k], letter) {
					cells[k] += letter
				}
			}
		}
		if side == "request" {
			for _, c := range askings() {
				for _, m := range c.manners() {
					put(c.shape, c.place, m)
				}
			}
		} else {
			for _, c := range tellings() {
				put(c.shape, c.place, c.manner)
			}
		}
		for _, g := range guards {
			fmt.Fprintf(
				&b,
				"\n## %s, in the %s\n\n| shape | %s |\n|---|%s\n",
				g.name,
				side,
				strings.Join(places, " | "),
				strings.Repeat("---|", len(places)),
			)
			for _, s := range shapes {
				fmt.Fprintf(&b, "| %s |", s)
				for _, pl := range places {
					cell := cells[g.name+"/"+s+"/"+pl]
					if cell == "" {
						cell = "–"
					}
					fmt.Fprintf(&b, " %s |", cell)
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}
