package guardrail

// codesApart is how many bytes may lie between two long codes of one text.
const codesApart = 400

// judgeLongCodes judges text that long words of a long text encode: runs of base64, base32 or hexadecimal digits. It
// reads only the words that the gate has noted, because nearly all blocks of code have one; judgeEncodedBlocks handles
// blocks with many short codes.
func (a *attackScan) judgeLongCodes(v *view, out *attack) {
	a.decoded = a.decoded[:0]
	kind, first, last := plain, 0, 0 // of the decoded text that is not judged yet
	judge := func() {
		if kind != plain {
			a.judgeDecoded(v, out, kind, first, last)
			a.decoded, kind = a.decoded[:0], plain
		}
	}
	for i, until := 0, 0; i < len(a.blocks) && !v.pace.isStopped(); i++ {
		from, to := a.blocks[i].Long()
		if to == 0 || a.blocks[i].Encodes() {
			continue
		}
		if from, to = v.findRawSpan(from, to); from < until {
			from = until
		}
		for from > until && base64Class[v.raw[from-1]] != 0 {
			from-- // a run can extend over signs that do not belong to words
		}
		for from < to {
			if base64Class[v.raw[from]] == 0 {
				from++
				continue
			}
			start, all := from, uint8(0)
			for from < len(v.raw) && base64Class[v.raw[from]] != 0 {
				all |= base64Class[v.raw[from]]
				from++
			}
			v.pace.spendSteps(from - start)
			if from-start < minCoded {
				continue
			}
			if start-last > codesApart || len(a.decoded) >= maxDecoded {
				judge()
			}
			n, found := len(a.decoded), plain
			if a.decoded, found = appendLongRun(a.decoded, v.raw[start:from], all); found != plain {
				if kind == plain {
					first = start
				}
				kind, last = found, from
				a.decoded = append(a.decoded, '.', ' ')
			} else {
				a.decoded = a.decoded[:n]
			}
		}
		until = from
	}
	judge()
}

// isCodable reports whether a run may be encoded text, by its first characters, so that names and paths are not decoded. It
// is true for all that appendDecoded decodes, see TestARunThatIsNotCodableIsNotDecoded.
func isCodable(run string, all uint8) bool {
	if all&base64Lower == 0 && len(run) >= 24 || isHexRun(run[:minCoded]) {
		return true
	}
	if all&base64Upper == 0 || all&base64Lower == 0 || all&base64Other == 0 && len(run) < 24 {
		return false
	}
	var first [minCoded / 4 * 3]byte
	for i := range minCoded / 4 {
		x := uint32(0)
		for k := range 4 {
			x = x<<6 | uint32(base64Value[run[4*i+k]])
		}
		first[3*i], first[3*i+1], first[3*i+2] = byte(x>>16), byte(x>>8), byte(x)
	}
	for i, c := range first {
		if isControl(c) && c != 0 { // of UTF-16, every second byte is 0
			return false
		}
		if c >= 0x80 && c < 0xc0 && (i == 0 || first[i-1] < 0x80) || c > 0xf4 {
			return false
		}
	}
	return true
}

// base64Value has the six bits of each character, in both alphabets.
var base64Value = func() (b [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		b[c] = byte(i)
	}
	b['-'], b['_'] = 62, 63
	return b
}()
