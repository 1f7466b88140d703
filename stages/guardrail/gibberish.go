package guardrail

import "strings"

// gibberish finds random letters: words that no Latin-written language would spell,
// by their pairs of consonants, share of vowels and entropy. Long identifiers, hashes
// and names look the same; short texts and other scripts are not judged.
type gibberish struct{}

func newGibberish(*detectorSettings, *engine) (detector, error) { return gibberish{}, nil }

// minJudged is how many letters of judged words a text needs.
const minJudged = 14

func (gibberish) detect(c *check, dst []finding) []finding {
	judged, odd := 0, 0
	c.v.ensureWords()
	for i := range c.v.words {
		w := &c.v.words[i]
		n := int(w.end - w.start)
		if !c.w.pace.spendSteps(n) {
			return dst
		}
		if n < 4 || c.v.norm[w.start] >= 0x80 {
			continue
		}
		judged += n
		if isUnpronounceable(c.v.norm[w.start:w.end]) {
			odd += n
		}
	}
	if judged >= minJudged && odd > 0 {
		dst = append(dst, finding{end: len(c.v.raw), score: float32(odd) / float32(judged)})
	}
	return dst
}

// isUnpronounceable judges one word in lower case.
func isUnpronounceable(w []byte) bool {
	vowels, run, longest, letters, odd := 0, 0, 0, 0, 0
	for i, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
			letters++
			run = 0
		default:
			if c-'a' < 26 {
				letters++
				if i > 0 && w[i-1]-'a' < 26 && run > 0 && usualPairs[w[i-1]-'a']>>(c-'a')&1 == 0 {
					odd++
				}
			}
			run++
			longest = max(longest, run)
		}
	}
	if letters == 0 {
		return false
	}
	if len(w) > 20 && computeEntropy(string(w)) > 3.5 && (letters < len(w) || odd > 1) {
		return true
	}
	return longest >= 5 && odd > 0 || longest >= 7 || odd >= 2 || vowels*6 < len(w) || vowels*6 > len(w)*5
}

// usualPairs has for each consonant those that follow it, in one word or where two are
// joined, in the languages of Europe that are written in Latin letters.
var usualPairs = func() (t [26]uint32) {
	for _, p := range strings.Fields(`bb bc bd bf bg bh bj bk bl bm bn bp br bs bt bv bw bz cc cd ch ck cl cm cn cr cs ct cz dc dd df dg dh dj dl dm dn dp dr ds dt dv dw dz
		ff fg fh fl fm fn fr fs ft gb gd gg gh gk gl gm gn gp gr gs gt gw gz hb hd hf hg hj
		hk hl hm hn hp hr hs ht hv hw hz jk jl jn js kb kd kf kg kh kk kl km kn kr ks kt kw kz
		lb lc ld lf lg lh lj lk ll lm ln lp lr ls lt lv lw lz mb mc md mf mg mh mk ml mm
		mn mp mr ms mt mw mz nb nc nd nf ng nh nj nk nl nm nn np nq nr ns nt nv nw nx nz
		pb pd pf pg ph pk pl pm pn pp pr ps pt pw rb rc rd rf rg rh rj rk rl rm rn rp
		rq rr rs rt rv rw rx rz sb sc sd sf sg sh sk sl sm sn sp sq sr ss st sv sw sz
		tb tc td tf tg th tk tl tm tn tp tr ts tt tv tw tz vd vh vj vl vn vr vs vz wb wd wh wk wl wm wn wr ws wt wz xc xh xp xt zb zd zg zh zk zl zm zn zr zs zt zw zz`) {
		t[p[0]-'a'] |= 1 << (p[1] - 'a')
	}
	return t
}()
