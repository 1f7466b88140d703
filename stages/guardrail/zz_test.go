package guardrail

import (
	"fmt"
	"testing"
)

func TestZZ(t *testing.T) {
	own, _, auto := samplesFor(t, nil)
	const folds = 5
	a, v := &attackScan{lex: attackWords}, new(view)
	seen := map[uint64][3]int{}
	ex := map[uint64]string{}
	for f := range uint64(folds) {
		var all []*sample
		for i := range own {
			if own[i].group%folds != f {
				all = append(all, &own[i])
			}
		}
		a.model = fit(all)
		for i := range own {
			if own[i].group%folds != f {
				continue
			}
			x := seen[own[i].group]
			x[0]++
			if own[i].attack {
				x[2] = 1
			}
			if a.score(v, auto, own[i].text) >= attackThreshold {
				x[1]++
				if !own[i].attack {
					ex[own[i].group] = own[i].text
				}
			} else if own[i].attack {
				ex[own[i].group] = own[i].text
			}
			seen[own[i].group] = x
		}
	}
	for g, x := range seen {
		if x[2] == 0 && x[1] > 0 {
			fmt.Println("ALARM", x[1], x[0], ex[g])
		}
		if x[2] == 1 && x[1] == 0 {
			fmt.Println("MISS", x[1], x[0], ex[g])
		}
	}
}
