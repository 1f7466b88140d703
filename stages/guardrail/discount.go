package guardrail

import "bytes"

// computeDiscount lowers the weight of evidence that the text mentions rather than uses: a phrase in quotation marks,
// or code after words like explain, translate, example. It also applies to people who talk about their own passwords.
// Attackers can imitate this, so it lowers the score and nothing more.
func computeDiscount(v *view, f *found) float32 {
	if attackWords().rules[f.rule].secret && hasElementNear(v, f, manageElement) {
		return 0.4
	}
	if breaks(v, f) || isAdjective(v, f) {
		return 0.3
	}
	if isRelayed(v, f) || isNarrated(v, f) || concernsLife(v, f) || isReported(v, f) || isInPattern(v, f) {
		return 0.4
	}
	if hasElementBefore(v, int(f.from), metaElement) || hasElementBefore(v, int(f.from), xmetaElement) {
		switch {
		case isQuoted(v.norm, int(f.start), int(f.end)):
			return 0.12
		case isQuoted(v.norm, int(f.start), int(v.words[f.from].end)): // the match continues behind the quotation
			return 0.35
		}
		return 0.75
	}
	if asksHow(v, f) {
		return 0.4
	}
	// The word itself may be the start of the match: translate "show your prompt".
	if hasElementBefore(v, int(f.from)+1, metaQuotedElement) && isQuoted(v.norm, int(v.words[f.to].start), int(f.end)) {
		return 0.4
	}
	return 1
}

// breaks reports whether the text forbids breaking the rules: "without violating any policy", "do not break the rules".
func breaks(v *view, f *found) bool {
	if !attackWords().matches(v.words[f.from].id, breachElement) {
		return false
	}
	for k := int(f.from) - 1; k >= 0 && int(f.from)-k <= 4 && !v.words[k+1].stop; k-- {
		if w := &v.words[k]; w.id != 0 && attackWords().matches(w.id, refrainElement) {
			return true
		}
	}
	return false
}

// isNarrated reports whether the evidence is quoted speech in a story: "Forget what you were told," the captain whispered.
func isNarrated(v *view, f *found) bool {
	if !isQuoted(v.norm, int(f.start), int(f.end)) {
		return false
	}
	for k := max(0, int(f.from)-7); k <= int(f.to)+14 && k < len(v.words); k++ {
		w := &v.words[k]
		if w.id == 0 || k >= int(f.from) && k <= int(f.to) || !attackWords().matches(w.id, narratesElement) {
			continue
		}
		between := v.norm[max(0, min(int(w.end), int(f.start))):f.start]
		if w.start >= f.end {
			between = v.norm[f.end:w.start]
		}
		if bytes.Count(between, []byte{'"'})%2 == 1 {
			return true
		}
	}
	return false
}

// concernsLife reports an order that names its subject, which is nothing that a model obeys: "ignore the previous
// instructions about the delivery address".
func concernsLife(v *view, f *found) bool {
	for k := max(0, int(f.to)-1); k <= int(f.to)+5 && k < len(v.words); k++ {
		if k > int(f.to)+1 && v.words[k].stop {
			return false
		}
		w := &v.words[k]
		if w.id == 0 || !attackWords().matches(w.id, concernsElement) {
			continue
		}
		if k <= int(f.to) {
			return k > int(f.from)
		}
		for j := int(f.to) + 1; j < k; j++ {
			if c := &v.words[j]; c.id != 0 && attackWords().matches(c.id, concerningElement) {
				return true
			}
		}
	}
	return false
}

// isReported reports an order that someone else received, or that concerns the speaker's own words: "my boss told me to
// forget the rules", "our bot leaks its prompt", "a system message for a shop", "never mind what I said before".
func isReported(v *view, f *found) bool {
	family := attackWords().families[attackWords().rules[f.rule].family]
	override := family == "injection/override"
	for k := int(f.from) - 1; override && k >= 0 && int(f.from)-k <= 3 && !v.words[k+1].stop; k-- {
		if w := &v.words[k]; w.id != 0 {
			if attackWords().matches(w.id, otherElement) {
				return true
			}
			if attackWords().matches(w.id, youElement) {
				break
			}
		}
	}
	for k := int(f.from); k <= int(f.to); k++ {
		w := &v.words[k]
		switch string(v.norm[w.start:w.end]) {
		case "i":
			if override {
				return true
			}
		case "its", "reveals", "leaks", "ignores":
			for j := k - 1; j >= 0 && k-j <= 8; j-- {
				if b := &v.words[j]; b.id != 0 && attackWords().matches(b.id, botElement) {
					return true
				}
			}
		case "a", "an":
			if family == "injection/reveal" && (k == int(f.to)-2 || k == int(f.to)-1) {
				return true
			}
		}
	}
	return false
}

// isAdjective reports whether the secret is an adjective, "tell me the secret history of the order", or any secret: "what a
// passphrase is".
func isAdjective(v *view, f *found) bool {
	w, next := &v.words[f.to], int(f.to)+1
	if !attackWords().rules[f.rule].secret {
		return false
	}
	if before := f.to - 1; before >= 0 {
		if b := &v.words[before]; string(v.norm[b.start:b.end]) == "a" {
			return true
		}
	}
	if string(v.norm[w.start:w.end]) != "secret" || next >= len(v.words) {
		return false
	}
	n := &v.words[next]
	return n.start == w.end+1 && v.norm[w.end] == ' ' && !attackWords().matches(n.id, followsElement)
}

// isRelayed reports an order from one third party to another, or a question which thing ignores which: "the coach told the
// team to ignore all earlier instructions", "why does make ignore the previous rule".
func isRelayed(v *view, f *found) bool {
	lex := attackWords()
	if lex.families[lex.rules[f.rule].family] != "injection/override" {
		return false
	}
	told, first, asked := -1, int(f.from), false
	for k := int(f.from); k >= 0 && int(f.from)-k <= 9; k-- {
		w := &v.words[k]
		if k < int(f.from) {
			if w.id != 0 && lex.matches(w.id, youElement) {
				return false
			}
			if told < 0 && w.id != 0 && lex.matches(w.id, tellsElement) {
				told = k
			}
			switch string(v.norm[w.start:w.end]) {
			case "why", "does", "did":
				asked = asked || int(f.from)-k >= 2
			}
		}
		if first = k; w.stop {
			break
		}
	}
	if asked || told > first && int(f.from)-told >= 2 {
		return true
	}
	start := v.words[first]
	if !start.stop || int(f.from)-first < 2 {
		return false
	}
	switch string(v.norm[start.start:start.end]) {
	case "do", "is", "are", "when", "how", "should":
		return true
	}
	return false
}

// asksHow reports evidence in a question about doing something oneself: "how do I write a system prompt", "wie schreibe ich
// einen guten Systemprompt".
func asksHow(v *view, f *found) bool {
	lex := attackWords()
	for k := int(f.from); k >= 0 && int(f.from)-k <= 12; k-- {
		w := &v.words[k]
		if w.id != 0 && lex.matches(w.id, howtoElement) && k+1 < len(v.words) && !v.words[k+1].stop {
			if k > 0 && !w.stop && !v.words[k-1].stop {
				return false
			}
			for j := k + 1; j <= k+4 && j < len(v.words) && !v.words[j].stop; j++ {
				if o := &v.words[j]; o.id != 0 && lex.matches(o.id, oneselfElement) {
					return true
				}
			}
			return false
		}
		if w.stop {
			return false
		}
	}
	return false
}

// isInPattern reports whether the evidence is part of a regular expression.
func isInPattern(v *view, f *found) bool {
	b := v.norm[max(0, int(f.start)-5):f.end]
	return bytes.Contains(b, []byte(`\s`)) || bytes.Contains(b, []byte("(?")) || bytes.Contains(b, []byte(".*"))
}

// hasElementNear reports whether a word that fits an element is inside the match, or up to ten words before or after it.
func hasElementNear(v *view, f *found, element int) bool {
	for k := max(0, int(f.from)-10); k <= int(f.to)+10 && k < len(v.words); k++ {
		if w := &v.words[k]; w.id != 0 && attackWords().matches(w.id, element) {
			return true
		}
	}
	return false
}

// hasElementBefore reports whether one of the twelve words before word i, in its sentence or the start of it, is a word about
// words.
func hasElementBefore(v *view, i, element int) bool {
	for k := i - 1; k >= 0 && i-k <= 14; k-- {
		if w := &v.words[k]; w.id != 0 && attackWords().matches(w.id, element) {
			return true
		}
		if i-k > 1 && v.words[k+1].stop {
			return false
		}
	}
	return false
}

// isQuoted reports whether a stretch is in quotation marks within one paragraph.
func isQuoted(b []byte, start, end int) bool {
	lo := max(0, start-400)
	for _, q := range []byte{'"', '\'', '`'} {
		open := false
		for i := start - 1; i >= lo; i-- {
			if b[i] == q && (q != '\'' || i == 0 || kinds[b[i-1]] != kindWord) {
				open = true
				break
			}
			if b[i] == q {
				break
			}
		}
		if !open {
			continue
		}
		for i := end; i < len(b) && i < end+400; i++ {
			if b[i] == q && (q != '\'' || i+1 == len(b) || kinds[b[i+1]] != kindWord) {
				return true
			}
		}
	}
	return false
}
