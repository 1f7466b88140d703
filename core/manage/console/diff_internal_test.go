package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// formatUnified formats a comparison as diff -u does.
func formatUnified(d diff) string {
	var b strings.Builder
	for i, h := range d.Hunks {
		if i > 0 {
			b.WriteString("@\n")
		}
		for _, r := range h {
			switch {
			case !r.Changed:
				b.WriteString(" " + r.New.Text + "\n")
				continue
			case r.Old != nil:
				b.WriteString("-" + r.Old.Text + "\n")
			}
			if r.New != nil {
				b.WriteString("+" + r.New.Text + "\n")
			}
		}
	}
	return b.String()
}

func TestTheLinesThatDifferAreFound(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":                    {"a\nb\n", "a\nb\n", ""},
		"an inserted line":           {"a\nc\n", "a\nb\nc\n", " a\n+b\n c\n"},
		"a deleted line":             {"a\nb\nc", "a\nc", " a\n-b\n c\n"},
		"a changed line":             {"a\nb\nc", "a\nB\nc", " a\n-b\n+B\n c\n"},
		"only insertions":            {"", "a\nb", "+a\n+b\n"},
		"only deletions":             {"a\nb", "", "-a\n-b\n"},
		"distant lines are left out": {"1\n2\n3\n4\n5\n6", "1\n2\n3\n4\n5\nsix", " 3\n 4\n 5\n-6\n+six\n"},
		"two places":                 {"a\n1\n2\n3\n4\n5\n6\n7\nb", "A\n1\n2\n3\n4\n5\n6\n7\nB", "-a\n+A\n 1\n 2\n 3\n@\n 5\n 6\n 7\n-b\n+B\n"},
		"adjacent hunks":             {"a\n1\n2\n3\n4\nb", "A\n1\n2\n3\n4\nB", "-a\n+A\n 1\n 2\n 3\n 4\n-b\n+B\n"},
		"lines move":                 {"a\nb\nc", "b\nc\na", "-a\n b\n c\n+a\n"},
		"a line break of two bytes":  {"a\r\nb\r\n", "a\nb", ""},
		"an empty line counts":       {"a\n\nb", "a\nb", " a\n-\n b\n"},
	} {
		d := diffTexts(c.before, c.after)
		assert.Equal(t, c.want, formatUnified(d), name)
		assert.Equal(t, c.want == "", d.Same(), name)
	}
}

func TestTextsThatAreFarApartAreToldWhole(t *testing.T) {
	before, after := strings.Repeat("a\n", 1200), strings.Repeat("b\n", 1200)
	d := diffTexts("same\n"+before, "same\n"+after)
	assert.Equal(t, 1200, d.Added)
	assert.Equal(t, 1200, d.Removed)
	assert.Len(t, d.Hunks, 1)
}

func FuzzADiffLosesNothing(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, before, after string) {
		a, b := splitLines(before), splitLines(after)
		i, j := 0, 0
		for _, m := range findCommonLines(a, b) {
			assert.GreaterOrEqual(t, m[0], i)
			assert.GreaterOrEqual(t, m[1], j)
			assert.Equal(t, a[m[0]], b[m[1]])
			i, j = m[0]+1, m[1]+1
		}
		d := diffTexts(before, after)
		assert.Equal(t, len(b)-len(a), d.Added-d.Removed)
		for _, h := range d.Hunks {
			for _, r := range h {
				if r.Old != nil {
					assert.Equal(t, a[r.Old.Number-1], r.Old.Text)
				}
				if r.New != nil {
					assert.Equal(t, b[r.New.Number-1], r.New.Text)
				}
			}
		}
	})
}
