package guardrail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDbgOwn(t *testing.T) {
	auto := newAutomaton(attackWords.literals)
	a := &attackScan{lex: attackWords}
	var v view
	own := ownSamples(t, 6)
	miss := map[uint64]bool{}
	var n, hit [2]int
	for _, s := range own {
		v.read(s.text)
		v.hits = auto.scan(v.hits[:0], v.norm)
		attackWords.name(&v, 0)
		r := a.run(&v, auto, 0)
		sc := max(r.score[0], r.score[1])
		k := 0
		if s.attack {
			k = 1
		}
		n[k]++
		if sc >= 0.5 {
			hit[k]++
		}
		if (sc >= .5) != s.attack && !miss[s.group] {
			miss[s.group] = true
			var rs []string
			for _, f := range attackWords.match(nil, &v) {
				rs = append(rs, fmt.Sprintf("%v:%q", f.score, v.norm[f.start:f.end]))
			}
			fmt.Printf("%v %.2f %.2f %q %v\n", s.attack, r.score[0], r.score[1], s.text, rs)
		}
	}
	fmt.Println("benign", hit[0], n[0], "attack", hit[1], n[1])
}

func TestDbgDocs(t *testing.T) {
	auto := newAutomaton(attackWords.literals)
	a := &attackScan{lex: attackWords}
	if os.Getenv("MODEL") != "" {
		a.model, _ = readWeights(weightsFile, rulesSum(), len(attackWords.rules))
	}
	var v view
	n, hits := 0, 0
	seen := map[string]int{}
	for _, root := range []string{"/root/go/pkg/mod", "/usr/share/doc", "/usr/local/go/doc", "/usr/share/perl"} {
		_ = filepath.Walk(root, func(p string, i os.FileInfo, err error) error {
			if err != nil || i.IsDir() || n > 60000 {
				return nil
			}
			if e := strings.ToLower(filepath.Ext(p)); e != ".md" && e != ".txt" && e != ".rst" && e != ".pod" {
				return nil
			}
			b, _ := os.ReadFile(p)
			for _, para := range strings.Split(string(b), "\n\n") {
				if len(para) < 40 || len(para) > 3000 {
					continue
				}
				if seen[para]++; seen[para] > 1 {
					continue
				}
				n++
				v.read(para)
				v.hits = auto.scan(v.hits[:0], v.norm)
				attackWords.name(&v, 0)
				r := a.run(&v, auto, 0)
				if sc := max(r.score[0], r.score[1]); sc >= 0.5 {
					hits++
					if hits%max(1, hits/60) == 0 {
						var rs []string
						for _, f := range attackWords.match(nil, &v) {
							rs = append(rs, fmt.Sprintf("%v:%q", f.score, v.norm[f.start:f.end]))
						}
						fmt.Printf("%.2f %.2f h%d %s %q\n", r.score[0], r.score[1], r.hidden, rs, para[:min(len(para), 100)])
					}
				}
			}
			return nil
		})
	}
	fmt.Println("docs", hits, n)
}
