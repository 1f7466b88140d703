package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText returns text as a single line of letters that the fonts have.
func cleanText(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || !hasGlyph(r):
			return '\u25a1'
		}
		return r
	}, s)
}

// hasGlyph reports whether the fonts have the letter.
func hasGlyph(r rune) bool {
	for _, span := range [...][2]rune{
		{0x20, 0x7e},
		{0xa0, 0x24f},
		{0x370, 0x3ff},
		{0x400, 0x52f},
		{0x1e00, 0x1eff},
		{0x2010, 0x2027},
		{0x2030, 0x203a},
		{0x20a0, 0x20bf},
		{0x2116, 0x2116},
		{0x2122, 0x2122},
		{0x2190, 0x2193},
		{0x2212, 0x2212},
		{0x2248, 0x2248},
		{0x2260, 0x2260},
		{0x2264, 0x2265},
		{0x25a0, 0x25a1},
		{0x25cf, 0x25cf},
	} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// drawText draws a line at a point of its baseline.
func (d *Document) drawText(x, y float64, s string) { d.f.Text(x, y, cleanText(s)) }

// drawRight draws a line that ends at x.
func (d *Document) drawRight(x, y float64, s string) {
	s = cleanText(s)
	d.f.Text(x-d.f.GetStringWidth(s), y, s)
}

// fitLine truncates a line to a width, with an ellipsis.
func (d *Document) fitLine(s string, w float64) string {
	s = cleanText(s)
	if d.f.GetStringWidth(s) <= w {
		return s
	}
	runes := []rune(s)
	low, high := 0, len(runes) // low runes fit, high runes do not
	for low+1 < high {
		if mid := (low + high) / 2; d.f.GetStringWidth(string(runes[:mid])+"…") <= w {
			low = mid
		} else {
			high = mid
		}
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…"
}

// wrap breaks text into lines of a width in the current font, at spaces and within words that are longer than a line.
func (d *Document) wrap(s string, w float64) []string {
	if s == "" {
		return nil
	}
	if !strings.Contains(s, "\n") && d.f.GetStringWidth(cleanText(s)) <= w {
		return []string{s}
	}
	var lines []string
	for paragraph := range strings.SplitSeq(s, "\n") {
		line := ""
		for _, word := range strings.Fields(cleanText(paragraph)) {
			longer := word
			if line != "" {
				longer = line + " " + word
			}
			if d.f.GetStringWidth(longer) <= w {
				line = longer
				continue
			}
			if line != "" {
				lines = append(lines, line)
			}
			for line = word; d.f.GetStringWidth(line) > w; {
				n := d.measurePrefix(line, w)
				lines, line = append(lines, line[:n]), line[n:]
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// measurePrefix returns how many bytes of s fit into a width; at least one letter.
func (d *Document) measurePrefix(s string, w float64) int {
	n := 0
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		if n > 0 && d.f.GetStringWidth(s[:end]) > w {
			break
		}
		n = end
	}
	return n
}
