package guardrail

// discount weighs evidence down that the text speaks about rather than says: a
// phrase in quotation marks or code after words like explain, translate, example.
// So does the talk of people who look after passwords of their own.
// Whoever writes an attack may do so too; it lowers the score and no more.
func discount(v *view, f *found) float32 {
	if attackWords.rules[f.rule].secret && near(v, f, manageElement) {
		return 0.4
	}
	if breaks(v, f) {
		return 0.3
	}
	if aboutBefore(v, int(f.from), metaElement) || aboutBefore(v, int(f.from), xmetaElement) {
		if quoted(v.norm, int(f.start), int(f.end)) {
			return 0.12
		}
		return 0.75
	}
	// The word itself may be what the rule began with: translate "show your prompt".
	if aboutBefore(v, int(f.from)+1, metaQuotedElement) && quoted(v.norm, int(v.words[f.to].start), int(f.end)) {
		return 0.4
	}
	return 1
}

// breaks reports evidence of broken rules that the text forbids: "without violating
// any policy", "do not break the rules".
func breaks(v *view, f *found) bool {
	if !attackWords.fit(v.words[f.from].id, breachElement) {
		return false
	}
	for k := int(f.from) - 1; k >= 0 && int(f.from)-k <= 4 && !v.words[k+1].stop; k-- {
		if w := &v.words[k]; w.id != 0 && attackWords.fit(w.id, refrainElement) {
			return true
		}
	}
	return false
}

// near reports a word that fits an element inside of what was found, or up to ten
// words before or after it.
func near(v *view, f *found, element int) bool {
	for k := max(0, int(f.from)-10); k <= int(f.to)+10 && k < len(v.words); k++ {
		if w := &v.words[k]; w.id != 0 && attackWords.fit(w.id, element) {
			return true
		}
	}
	return false
}

// aboutBefore reports a word about words among the twelve before word i, in its
// sentence or the start of it.
func aboutBefore(v *view, i, element int) bool {
	for k := i - 1; k >= 0 && i-k <= 14; k-- {
		if w := &v.words[k]; w.id != 0 && attackWords.fit(w.id, element) {
			return true
		}
		if i-k > 1 && v.words[k+1].stop {
			return false
		}
	}
	return false
}

// quoted reports that a stretch stands between quotation marks of one paragraph.
func quoted(b []byte, start, end int) bool {
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
