package guardrail

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

type gcase struct{ ID, Source, Set, Category, Label, Text, Note string }

func readGuard(t testing.TB) (out []gcase) {
	f, err := os.Open("/work/shared/data/guard_cases.jsonl.gz")
	if err != nil {
		t.Skip(err)
	}
	z, _ := gzip.NewReader(f)
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var c gcase
		_ = json.Unmarshal(sc.Bytes(), &c)
		out = append(out, c)
	}
	return
}

func groupOf(c gcase) uint64 {
	if i := strings.Index(c.Note, "made from "); i >= 0 {
		return hash64(c.Note[i+10:])
	}
	t := strings.ToLower(c.Text)
	if c.Set == "indirect" {
		return hash64(c.Category)
	}
	return hash64(t[:min(len(t), 25)])
}

func TestDbg(t *testing.T) {
	auto := newAutomaton(attackWords.literals)
	a := &attackScan{lex: attackWords}
	var v view
	own := ownSamples(t, 8)
	for i := range own {
		own[i].featurize(a, &v, auto)
	}
	var cs []gcase = readGuard(t)
	ids := map[string]uint64{}
	for _, c := range cs {
		ids[c.ID] = groupOf(c)
	}
	dev := make([]sample, len(cs))
	for i, c := range cs {
		g := groupOf(c)
		if j := strings.Index(c.Note, "made from "); j >= 0 {
			if x, ok := ids[c.Note[j+10:]]; ok {
				g = x
			}
		}
		dev[i] = sample{text: c.Text, attack: c.Label == "attack", group: g, source: c.Source}
		if c.Set == "wild" {
			dev[i].label = labelJailbreak
		}
		dev[i].featurize(a, &v, auto)
	}
	const K = 5
	thr := 0.5
	tab := map[string][2]int{}
	tabx := map[float64][4]int{}
	for f := range K {
		if os.Getenv("MODE") == "rules" {
			a.model = nil
		} else {
			var tr []*sample
			for i := range own {
				tr = append(tr, &own[i])
			}
			for i := range dev {
				if int(dev[i].group%K) == f && os.Getenv("MODE") != "in" {
					continue
				}
				if cs[i].Set == "obfuscated" || dev[i].attack && dev[i].hand[0] < -3 && dev[i].hand[1] < -3 {
					continue
				}
				tr = append(tr, &dev[i])
			}
			var hs [labels]*head
			for k := range hs {
				hs[k] = train(tr, k, len(attackWords.rules))
			}
			a.model = quantize(hs)
			if f == 0 {
				fmt.Println("bias", hs[0].bias, hs[0].hand, hs[1].bias, hs[1].hand)
			}
		}
		for i, c := range cs {
			if int(dev[i].group%K) != f {
				continue
			}
			v.read(c.Text)
			v.hits = auto.scan(v.hits[:0], v.norm)
			attackWords.name(&v, 0)
			r := a.run(&v, auto, 0)
			s := max(r.score[0], r.score[1])
			hit := float64(s) >= thr
			for _, th := range []float64{.3, .4, .45, .5, .55, .6, .65, .7, .8} {
				x := tabx[th]
				if float64(s) >= th {
					switch {
					case c.Label == "benign":
						x[0]++
					case c.Set == "direct":
						x[1]++
					case c.Set == "wild":
						x[2]++
					case c.Set == "obfuscated":
						x[3]++
					}
				}
				tabx[th] = x
			}
			for _, k := range []string{c.Label + "/" + c.Set, c.Label + "/" + c.Set + "/" + strings.Split(c.Source, ":")[0]} {
				x := tab[k]
				x[1]++
				if hit {
					x[0]++
				}
				tab[k] = x
			}
			if os.Getenv("SHOW") == "fp" && c.Label == "benign" && s > 0.3 || os.Getenv("SHOW") == "fn" && c.Label != "benign" && !hit {
				var rs []string
				for _, f := range attackWords.match(nil, &v) {
					rs = append(rs, fmt.Sprintf("%v*%.2f:%q", f.score, discount(&v, &f), v.norm[f.start:f.end]))
				}
				txt := c.Text
				if len(txt) > 330 {
					txt = txt[:150] + " … " + txt[len(txt)-180:]
				}
				fmt.Printf("%.2f %.2f %s/%s %q\n      %v\n", r.score[0], r.score[1], c.Set, c.Category, txt, rs)
			}
		}
	}
	var ks []string
	for k := range tab {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		fmt.Printf("%-40s %3d/%3d %.3f\n", k, tab[k][0], tab[k][1], float64(tab[k][0])/float64(tab[k][1]))
	}
	for _, th := range []float64{.3, .4, .45, .5, .55, .6, .65, .7, .8} {
		x := tabx[th]
		fmt.Printf("t=%.2f benign %d %.3f direct %.3f wild %.3f obf %.3f\n", th, x[0], float64(x[0])/265, float64(x[1])/79, float64(x[2])/37, float64(x[3])/49)
	}
}
