package offset_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// replacement replaces one part of a text.
type replacement struct {
	start, end int // bytes
	with       string
}

func tableOf(text string, list ...replacement) (t offset.Table, after string) {
	at := 0
	for _, r := range list {
		t.Add(offset.Measure([]byte(text[:r.start])), offset.Measure([]byte(text[:r.end])), offset.Measure([]byte(r.with)))
		after += text[at:r.start] + r.with
		at = r.end
	}
	return t, after + text[at:]
}

func TestAStretchOfTextIsFoundAgainAfterEdits(t *testing.T) {
	const text = "Zürich: 12, then 终 and end"
	edits := []replacement{{len("Zürich: "), len("Zürich: 12"), "ein Wert ö"}, {strings.Index(text, "终"), strings.Index(text, "终") + 3, ""}}
	table, after := tableOf(text, edits...)
	for what, c := range map[string]struct{ before, after string }{
		"before all edits":             {"Zürich", "Zürich"},
		"between two edits":            {", then ", ", then "},
		"behind all edits":             {"end", "end"},
		"exactly a replaced value":     {"12", "ein Wert ö"},
		"a replaced value and more":    {": 12,", ": ein Wert ö,"},
		"from within a replaced value": {"2, then", "ein Wert ö, then"},
		"into a replaced value":        {"Zürich: 1", "Zürich: ein Wert ö"},
		"only text that was removed":   {"终", ""},
		"all":                          {text, after},
	} {
		t.Run(what, func(t *testing.T) {
			for _, u := range []offset.Unit{offset.Bytes, offset.Runes} {
				at := strings.Index(text, c.before)
				from := offset.Measure([]byte(text[:at])).Count(u)
				to := offset.Measure([]byte(text[:at+len(c.before)])).Count(u)
				isFrom, isTo := table.Shift(from, u, false), table.Shift(to, u, true)
				assert.Equal(t, c.after, cut(after, u, isFrom, isTo))
				if strings.HasSuffix(what, "edits") || strings.HasPrefix(what, "exactly") {
					undo := table.Invert()
					assert.Equal(t, c.before, cut(text, u, undo.Shift(isFrom, u, false), undo.Shift(isTo, u, true)), "and back")
				}
			}
		})
	}
}

// cut returns the text between two offsets.
func cut(text string, u offset.Unit, from, to int) string {
	if u == offset.Runes {
		return string([]rune(text)[from:to])
	}
	return text[from:to]
}

func TestOffsetsBehindMoreEditsThanATableKeepsStayRight(t *testing.T) {
	const edits, end = 10_000, "the end"
	text := strings.Repeat("aé", edits) + end
	var list []replacement
	for i := range edits {
		list = append(list, replacement{3 * i, 3*i + 1, strings.Repeat("x", rand.N(4))})
	}
	table, after := tableOf(text, list...)
	for _, u := range []offset.Unit{offset.Bytes, offset.Runes} {
		from := offset.Measure([]byte(text[:len(text)-len(end)])).Count(u)
		all := offset.Measure([]byte(text)).Count(u)
		assert.Equal(t, end, cut(after, u, table.Shift(from, u, false), table.Shift(all, u, true)))
		start := table.Shift(0, u, false)
		assert.Equal(t, after, cut(after, u, start, table.Shift(all, u, true)))
	}
}

func TestTextThatIsInsertedBesideAStretchDoesNotLengthenIt(t *testing.T) {
	const text = "ab cd ef"
	ends := replacement{5, 5, " [1]"} // behind "cd"
	begins := replacement{3, 3, "<b>"}
	for what, c := range map[string]struct {
		edits []replacement
		want  string
	}{
		"behind it":                          {[]replacement{ends}, "cd"},
		"before it":                          {[]replacement{begins}, "cd"},
		"on both sides":                      {[]replacement{begins, ends}, "cd"},
		"twice behind it":                    {[]replacement{ends, ends}, "cd"},
		"behind its end, which was replaced": {[]replacement{{4, 5, "xyz"}, ends}, "cxyz"},
		"within it":                          {[]replacement{{4, 4, "-"}}, "c-d"},
	} {
		t.Run(what, func(t *testing.T) {
			table, after := tableOf(text, c.edits...)
			for _, u := range []offset.Unit{offset.Bytes, offset.Runes} {
				assert.Equal(t, c.want, cut(after, u, table.Shift(3, u, false), table.Shift(5, u, true)))
			}
		})
	}
}

func TestMergedEditsKeepTheOffsetsAroundThemRight(t *testing.T) {
	const text = "a 1 b 2 c"
	table, after := tableOf(text, replacement{2, 3, "one"}, replacement{6, 7, "two"})
	assert.Equal(t, 2, table.Len())
	assert.Equal(t, 1, table.Merge())
	assert.Equal(t, 1, table.Len())
	assert.Zero(t, table.Merge())
	assert.Equal(t, "a ", cut(after, offset.Bytes, table.Shift(0, offset.Bytes, false), table.Shift(2, offset.Bytes, true)))
	assert.Equal(t, "one b two", cut(after, offset.Bytes, table.Shift(4, offset.Bytes, false), table.Shift(5, offset.Bytes, true)))
	assert.Equal(t, " c", cut(after, offset.Bytes, table.Shift(7, offset.Bytes, false), table.Shift(9, offset.Bytes, true)))
}

func TestOnlyPlainSmallNumbersAreOffsets(t *testing.T) {
	for digits, want := range map[string]bool{
		"0": true, "17": true, "999999999": true, "1000000000": false, "-1": false, "1.5": false, "1e3": false, "1E3": false, "": false,
	} {
		n := offset.Number{At: splice.Span{Start: 1, End: 1 + len(digits)}}
		_, ok := n.Read([]byte(":" + digits + ","))
		assert.Equal(t, want, ok, digits)
	}
}

func TestADocumentMayNameAnOffset(t *testing.T) {
	for name, c := range map[string]struct {
		doc string
		may bool
	}{
		"as it is":                              {`{"start_index":1}`, true},
		"the second name":                       {`{"end_index":1}`, true},
		"with a letter as an escape":            {`{"st\u0061rt_index":1}`, true},
		"with the underscore as an escape":      {`{"start\u005Findex":1}`, true},
		"behind an escape of another kind":      {`{"a":"\u003c\u00e9","\u0073tart_index":1}`, true},
		"not at all":                            {`{"text":"an index that starts"}`, false},
		"with escapes of what names never hold": {`{"text":"\u003cb\u003e \u00e9 \u2028"}`, false},
		"with an escape that is cut off":        {`{"text":"\u00`, false},
		"in nothing":                            {``, false},
	} {
		assert.Equal(t, c.may, offset.MayName([]byte(c.doc), "start_index", "end_index"), name)
	}
}
