package pdf

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var created = time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC)

func sample(rows int) *Document {
	d := New(
		Options{
			Title:    "Chargeback report",
			Subtitle: "Αcme Größe · 1 to 31 October 2026",
			By:       "ada@example.com",
			Created:  created,
			Notice:   "Licence expired",
		},
	)
	d.WriteFigures([]Fact{{"Total", "USD 1,234.56"}, {"Requests", "12,345"}, {"Tokens", "99,000,000,000,000,000"}, {"Keys", "3"}})
	d.WriteFacts([]Fact{{"Tenant", "acme"}, {"Span", "from here to there"}, {"Nothing", ""}})
	d.WriteHeading("Daily")
	d.WriteParagraph(strings.Repeat("A sentence that is long enough to be broken. ", 8))
	days := Chart{
		Unit:   "USD",
		Format: func(v float64) string { return fmt.Sprintf("%.2f", v) },
		Series: []Series{{Name: "input"}, {Name: "output"}},
	}
	for i := range 31 {
		days.Labels = append(days.Labels, fmt.Sprintf("Oct %d", i+1))
		days.Series[0].Values = append(days.Series[0].Values, float64(i%7)*3)
		days.Series[1].Values = append(days.Series[1].Values, 5+float64(i%5))
	}
	d.DrawColumns(days)
	days.Series[1].Values[9], days.Series[1].Values[11] = math.NaN(), math.NaN()
	d.DrawLines(days)
	d.WriteHeading("Models")
	d.DrawBars(
		[]Bar{{"gpt-4o", 10, "USD 10.00"}, {"a model whose name is longer than there is room for it", 3, "USD 3.00"}, {"none", 0, "USD 0.00"}},
	)
	d.WriteHeading("Keys")
	t := Table{
		Columns: []Column{
			{Title: "Key", Width: 3},
			{Title: "What it is for", Width: 4, Wrap: true},
			{Title: "Cost (USD)", Width: 2, Align: Right},
		},
		Total: []string{"Total", "", "99,999.0000"},
	}
	for i := range rows {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("gw_%08d", i), strings.Repeat("words ", i%20), fmt.Sprintf("%d.1234", i*i)})
	}
	d.DrawTable(t)
	return d
}

func TestTheSameContentGivesTheSameBytes(t *testing.T) {
	var first []byte
	for range 5 {
		b, err := sample(200).Finish()
		require.NoError(t, err)
		if first == nil {
			first = b
		}
		require.True(t, bytes.Equal(first, b))
	}
	assert.True(t, bytes.HasPrefix(first, []byte("%PDF-")))
}

// Poppler reads the text back, a program independent of the writer.
func TestAReaderFindsTheTextAndThePages(t *testing.T) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err, "install poppler-utils")
		}
		t.Skip("pdftotext is not installed: install poppler-utils")
	}
	d := sample(300)
	pages := d.Pages()
	b, err := d.Finish()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "x.pdf")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	out, err := exec.Command(tool, "-layout", file, "-").CombinedOutput()
	require.NoError(t, err, "%s", out)
	text := string(out)
	for _, want := range []string{"Chargeback report", "Αcme Größe", "USD 1,234.56", "gw_00000299", "89401.1234", "99,999.0000", "by ada@example.com", "Licence expired"} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, text, fmt.Sprintf("Page 1 of %d", pages))
	assert.Contains(t, text, fmt.Sprintf("Page %d of %d", pages, pages))
	// The last piece is what stands behind the last page.
	for i, page := range strings.Split(text, "\f")[:pages] {
		assert.Contains(t, page, "Chargeback report", "page %d", i+1)
		assert.Contains(t, page, "Licence expired", "page %d", i+1)
	}
	assert.Greater(t, strings.Count(text, "What it is for"), 5, "the titles of columns stand on each page")
}

func TestTextIsCutAndBrokenWithinItsWidth(t *testing.T) {
	d := New(Options{Title: "t", Created: created})
	d.setFont(cellFont)
	for _, s := range []string{"", "short", strings.Repeat("x", 500), strings.Repeat("ä b ", 200), "日本語", "a\nb", "\x00\xff"} {
		assert.LessOrEqual(t, d.f.GetStringWidth(d.fitLine(s, 20)), 20.01, "%q", s)
		joined := ""
		for _, line := range d.wrap(s, 20) {
			assert.LessOrEqual(t, d.f.GetStringWidth(cleanText(line)), 20.01, "%q", s)
			joined += strings.ReplaceAll(line, " ", "")
		}
		whole := strings.Join(strings.Fields(cleanText(s)), "")
		assert.Equal(t, whole, cleanText(joined), "nothing is lost")
	}
}

func TestAxesHaveThreeToFiveRoundSteps(t *testing.T) {
	for _, most := range []float64{0.0001, 0.9, 1, 1.01, 3, 7.5, 10, 99, 100, 101, 12345, 1e9} {
		step, n := chooseTicks(most)
		assert.GreaterOrEqual(t, step*float64(n), most*(1-1e-6), "%v", most)
		assert.LessOrEqual(t, n, 5, "%v", most)
		assert.GreaterOrEqual(t, n, 2, "%v", most)
	}
	step, n := chooseTicks(0)
	assert.InDelta(t, 4, step*float64(n), 1e-9)
}

func TestARowThatIsLongerThanAPageDoesNotHang(t *testing.T) {
	d := New(Options{Title: "t", Created: created})
	d.DrawTable(Table{Columns: []Column{{Title: "a", Width: 1, Wrap: true}}, Rows: [][]string{{"x"}, {strings.Repeat("word ", 10_000)}, {"y"}}})
	_, err := d.Finish()
	require.NoError(t, err)
	assert.LessOrEqual(t, d.Pages(), 3)
}

func BenchmarkFiftyPages(b *testing.B) {
	for b.Loop() {
		d := New(Options{Title: "Chargeback report", Subtitle: "all tenants", Created: created})
		for d.Pages() < 50 {
			t := Table{
				Columns: []Column{
					{Title: "Key", Width: 3},
					{Title: "Model", Width: 3},
					{Title: "Requests", Width: 2, Align: Right},
					{Title: "Cost (USD)", Width: 2, Align: Right},
				},
			}
			for i := range 200 {
				t.Rows = append(t.Rows, []string{fmt.Sprintf("gw_%08d", i), "gpt-4o-mini", fmt.Sprint(i * 37), fmt.Sprintf("%d.1234", i*i)})
			}
			d.DrawTable(t)
		}
		if _, err := d.Finish(); err != nil {
			b.Fatal(err)
		}
	}
}
