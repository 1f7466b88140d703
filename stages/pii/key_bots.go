package pii

import "strings"

// findKeyWithColon recognises the keys of bots, "digits:AAletters", and the licence
// of a package server before its host.
func findKeyWithColon(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 17 && isDigitByte(t[a-1]) {
		a--
	}
	if n := i - a; n >= 5 && n <= 16 && (a == 0 || !isWordByte(t[a-1])) {
		j := i + 1
		for j < len(t) && j-i < 38 && keySet[t[j]]>>dashes&1 != 0 {
			j++
		}
		s.noteLookAhead(a, j+1)
		if j-i-1 >= 34 && j-i-1 <= 36 && t[i+1] == 'A' && !isFilled(t[i+1:j]) {
			return a, j, 0.9
		}
		return 0, 0, 0
	}
	if strings.HasPrefix(t[i:], "://") {
		return findWebhook(s, i)
	}
	if len(t)-i < 3 && strings.HasPrefix("://", t[i:]) && findSchemeStart(t, i) < i {
		s.noteLookAhead(findSchemeStart(t, i), len(t)+1)
	}
	return 0, 0, 0
}

// webhooks are addresses that anybody who knows them can post to.
var webhooks = []struct {
	host string
	min  int // characters behind
}{
	{"hooks.slack.com/services/", 30},
	{"hooks.slack.com/workflows/", 30},
	{"hooks.slack.com/triggers/", 30},
	{"discord.com/api/webhooks/", 60},
	{"discordapp.com/api/webhooks/", 60},
	{"outlook.office.com/webhook/", 60},
	{"hooks.zapier.com/hooks/", 12},
	{"maker.ifttt.com/use/", 18},
	{"maker.ifttt.com/trigger/", 30},
}

func findWebhook(s *scan, i int) (int, int, float32) {
	t, h := s.v.s, i+3
	start := findSchemeStart(t, i)
	host := h
	for host < len(t) && host-h < 40 && (isAlnum(t[host]) || t[host] == '-') {
		host++
	}
	if strings.HasPrefix(t[host:], ".webhook.office.com/webhookb2/") {
		if end := s.findURLEnd(start, host); end-host > 100 && !standsForPath(t[host+len(".webhook.office.com/webhookb2/"):end]) {
			return start, end, 0.95
		}
	}
	s.noteLookAhead(start, host+len(".webhook.office.com/webhookb2/"))
	for _, w := range webhooks {
		rest := t[h:]
		if len(rest) < len(w.host) && strings.HasPrefix(w.host, rest) {
			s.noteLookAhead(start, len(t)+1)
		}
		if !strings.HasPrefix(rest, w.host) {
			continue
		}
		j := h + len(w.host)
		for j < len(t) && j-h < 300 && (keySet[t[j]]>>dots&1 != 0 || t[j] == '/' || t[j] == '@') {
			j++
		}
		s.noteLookAhead(start, j+1)
		if j-h-len(w.host) >= w.min && !standsForPath(t[h+len(w.host):j]) {
			return start, j, 0.95
		}
	}
	// hex:hex@gems.contribsys.com
	j := h
	for j < len(t) && j-h < 18 && (class[t[j]]&isHex != 0 || t[j] == ':') {
		j++
	}
	if j-h == 17 && t[h+8] == ':' && !isFilled(t[h:j]) {
		s.noteLookAhead(start, j+30)
		if j < len(t) && t[j] == '@' && strings.Contains(t[j:min(len(t), j+26)], ".contribsys.com") {
			return h, j, 0.95
		}
	}
	return 0, 0, 0
}

// findNumberedKey recognises keys whose prefix is small letters and digits only.
func findNumberedKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 30 && isAlnum(t[a-1]) {
		a--
	}
	if a > 0 && isWordByte(t[a-1]) {
		return 0, 0, 0
	}
	if i == a && followsRefreshToken(t, i) {
		return findRefreshToken(s, i)
	}
	if !isOneOf(t[a], "d4socK") {
		return 0, 0, 0
	}
	rest := t[a:]
	for _, f := range smallPrefixes {
		if !strings.HasPrefix(rest, f.prefix) {
			if len(rest) < len(f.prefix) && strings.HasPrefix(f.prefix, rest) {
				s.noteLookAhead(a, len(t)+1)
			}
			continue
		}
		j := a + len(f.prefix)
		for j < len(t) && j-a <= 60 && keySet[t[j]]>>f.of&1 != 0 {
			j++
		}
		end := j
		if f.prefix == "dapi" && j+1 < len(t) && t[j] == '-' && isDigitByte(t[j+1]) {
			end = j + 2
		}
		s.noteLookAhead(a, j+3)
		if n := j - a - len(f.prefix); n == f.n && (j == len(t) || !isWordByte(t[j])) && computeEntropy(t[a:j]) > 2.6 {
			return a, end, 0.9
		}
	}
	return 0, 0, 0
}

// followsRefreshToken reports whether "1//" precedes the '0' at i.
func followsRefreshToken(t string, i int) bool {
	return t[i] == '0' && i >= 3 && t[i-3:i] == "1//" && (i == 3 || !isWordByte(t[i-4]))
}

// findRefreshToken recognises a refresh token of Google, "1//0" and the rest, at its '0'.
func findRefreshToken(s *scan, i int) (int, int, float32) {
	t, j := s.v.s, i+1
	for j < len(t) && j-i <= 200 && keySet[t[j]]>>dashes&1 != 0 {
		j++
	}
	s.noteLookAhead(i-3, j+1)
	if n := j - i; n < 40 || n > 200 || computeEntropy(t[i:j]) < 3.5 {
		return 0, 0, 0
	}
	return i - 3, j, 0.9
}

var smallPrefixes = []struct {
	prefix string
	of     keyClass
	n      int
}{
	{"dapi", hexes, 32},
	{"4b1d", alnums, 38},
	{"sha256~", dashes, 43},
	{"oy2", alnums, 43},
	{"dose", hexes, 32},
	{"cio", alnums, 32},
	{"K00", base64s, 28},
}
