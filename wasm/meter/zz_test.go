package meter

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestZZ(t *testing.T) {
	for _, f := range []string{"/tmp/gg/go.wasm", "testdata/scan.wasm"} {
		src, _ := os.ReadFile(f)
		dbg = nil
		_, err := Rewrite(src, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(dbg, func(a, b [4]int) int { return b[0] - a[0] })
		fmt.Println(f, len(dbg))
		for _, q := range []int{0, 1, 2, 5, 10, 50, 100, 500, 1000, 2000, 3000} {
			if q < len(dbg) {
				fmt.Println("  rank", q, "slots", dbg[q][0], "units", 1+dbg[q][0]*8/frameUnit, "body", dbg[q][1], "checks", dbg[q][2], "calls", dbg[q][3])
			}
		}
		sum, n := 0, 0
		for _, d := range dbg {
			sum += d[2]
			n += d[1]
		}
		fmt.Println("checks", sum, "bytes", n)
	}
}
