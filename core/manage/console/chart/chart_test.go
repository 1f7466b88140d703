package chart_test

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/console/chart"
)

var start = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// sound asserts that markup is well-formed, that every coordinate is a number, and that it contains neither styles nor scripts.
func sound(t *testing.T, h template.HTML) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(h)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "%s", h)
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		require.NotContains(t, []string{"script", "style", "img"}, e.Name.Local)
		for _, a := range e.Attr {
			require.NotEqual(t, "style", a.Name.Local)
			require.False(t, strings.HasPrefix(a.Name.Local, "on"), a.Name.Local)
			if a.Name.Local == "d" || a.Name.Local == "x" || a.Name.Local == "y" || a.Name.Local == "width" {
				require.NotRegexp(t, `NaN|Inf|e[+-]?\d`, a.Value)
			}
		}
	}
}

func TestAChartOfNothingSaysSo(t *testing.T) {
	for _, c := range []chart.Chart{
		{Title: "Calls"},
		{Title: "Calls", Series: []chart.Series{{Name: "a"}}},
		{Title: "Calls", Series: []chart.Series{{Name: "a", Values: []float64{math.NaN(), math.Inf(1)}}}},
	} {
		for _, h := range []template.HTML{c.Lines(), c.Bars()} {
			sound(t, h)
			assert.Contains(t, string(h), "No data")
			assert.NotContains(t, string(h), "<svg")
		}
	}
	assert.Empty(t, chart.DrawSparkline("Calls", nil, nil))
	assert.Contains(t, string(chart.DrawShare("Calls", nil, nil)), "No data")
}

func TestALineIsInterruptedWhereAValueIsMissing(t *testing.T) {
	c := chart.Chart{Title: "Calls", Start: start, Step: time.Minute, Series: []chart.Series{{Name: "a", Values: []float64{
		1, 2, math.NaN(),
		4,
	}}}}
	h := string(c.Lines())
	sound(t, c.Lines())
	assert.Contains(t, h, `d="M0 75L333.33 50"/><path class="dot s1" vector-effect="non-scaling-stroke" stroke-linecap="round" d="M1000 0h0"`)
	assert.Contains(t, h, `<td class="num">–</td>`)
	assert.Contains(t, h, `data-time="2026-01-02T12:00:00Z" data-format="clock">12:00<`)
}

func TestOnePointIsADot(t *testing.T) {
	c := chart.Chart{Title: "Calls", Start: start, Step: time.Minute, Series: []chart.Series{{Name: "a", Values: []float64{3}}}, Area: true}
	sound(t, c.Lines())
	assert.Contains(t, string(c.Lines()), `d="M0 0h0"`)
}

func TestBarsStandOnEachOther(t *testing.T) {
	c := chart.Chart{Title: "Calls", Labels: []string{"x", "y"}, Series: []chart.Series{{"a", []float64{10, -5}}, {"b", []float64{10, 20}}}}
	h := string(c.Bars())
	sound(t, c.Bars())
	assert.Contains(t, h, `class="fill s1" d="M50 50h400V100h-400Z"`)
	assert.Contains(t, h, `class="fill s2" d="M50 0h400V50h-400ZM550 0h400V100h-400Z"`)
}

func TestTextStaysText(t *testing.T) {
	const bad = `"><script>alert(1)</script>`
	unit := func(float64) string { return bad }
	c := chart.Chart{Title: bad, Labels: []string{bad}, Unit: unit, Series: []chart.Series{{bad, []float64{1}}, {bad, []float64{2}}}}
	for _, h := range []template.HTML{
		c.Lines(), c.Bars(), chart.DrawSparkline(bad, []float64{1, 2}, unit),
		chart.DrawShare(bad, []chart.Part{{bad, 1}}, unit), chart.DrawBar(bad, .5),
	} {
		sound(t, h)
		assert.NotContains(t, string(h), "<script>")
	}
}

func TestUnitsAreWrittenForPeople(t *testing.T) {
	for _, c := range []struct {
		unit chart.Unit
		v    float64
		want string
	}{
		{chart.FormatCount, 0, "0"},
		{chart.FormatCount, 950, "950"},
		{chart.FormatCount, 1500, "1.5 k"},
		{chart.FormatCount, 2_340_000, "2.34 M"},
		{chart.FormatCount, math.NaN(), "–"},
		{chart.FormatDollars, 0, "$0"},
		{chart.FormatDollars, 0.00041, "$0.00041"},
		{chart.FormatDollars, 12.5, "$12.50"},
		{chart.FormatDollars, -3, "-$3.00"},
		{chart.FormatMillis, 12.25, "12.25 ms"},
		{chart.FormatMillis, 12_000, "12 s"},
		{chart.FormatPercent, 12.345, "12.3 %"},
	} {
		assert.Equal(t, c.want, c.unit(c.v))
	}
}

func TestLabelsOfTimesAreFewAndRound(t *testing.T) {
	for _, c := range []struct {
		n    int
		step time.Duration
		want string
	}{{60, time.Minute, ">12:10<"}, {48, 30 * time.Minute, ">18:00<"}, {56, 3 * time.Hour, ">Jan 5<"}, {365, 24 * time.Hour, ">"}} {
		values := make([]float64, c.n)
		h := string(chart.Chart{Title: "Calls", Start: start, Step: c.step, Series: []chart.Series{{"a", values}}}.Lines())
		assert.Contains(t, h, c.want)
		assert.LessOrEqual(t, strings.Count(h, "data-time"), 7)
		assert.Positive(t, strings.Count(h, "data-time"))
	}
}

// axisLabel matches a label below a chart: place in per cent, anchor, whether phones leave it out, and text.
var axisLabel = regexp.MustCompile(`<text x="([0-9.]+)%" y="100%" dy="-3" text-anchor="(\w+)"( class="wide")?( data-time="[^"]+" data-format="\w+")?>([^<]*)`)

func TestLabelsBelowAChartDoNotOverprintEachOther(t *testing.T) {
	const charWidth = 6.5 // px of 11 px text
	long := make([]string, 12)
	for i := range long {
		long[i] = "claude-sonnet-" + strconv.Itoa(i)
	}
	for name, c := range map[string]chart.Chart{
		"minutes of an hour":    {Start: start, Step: time.Minute, Series: []chart.Series{{"a", make([]float64, 61)}}},
		"half hours of a day":   {Start: start, Step: 30 * time.Minute, Series: []chart.Series{{"a", make([]float64, 49)}}},
		"hours of a week":       {Start: start, Step: 3 * time.Hour, Series: []chart.Series{{"a", make([]float64, 57)}}},
		"days of six weeks":     {Start: start, Step: 24 * time.Hour, Series: []chart.Series{{"a", make([]float64, 43)}}},
		"days of thirteen days": {Start: start, Step: 24 * time.Hour, Series: []chart.Series{{"a", make([]float64, 13)}}},
		"names of models":       {Labels: long, Series: []chart.Series{{"a", make([]float64, 12)}}},
		"names of three models": {Labels: long[:3], Series: []chart.Series{{"a", make([]float64, 3)}}},
	} {
		for _, h := range []template.HTML{c.Bars(), c.Lines()} {
			for _, screen := range []struct {
				width float64
				phone bool
			}{{300, true}, {440, false}} {
				end := math.Inf(-1)
				for _, m := range axisLabel.FindAllStringSubmatch(string(h), -1) {
					if m[3] != "" && screen.phone {
						continue
					}
					at, err := strconv.ParseFloat(m[1], 64)
					require.NoError(t, err)
					text := m[5]
					if strings.Contains(m[4], "clock") {
						text = "02:00 PM" // as the script writes it in some countries
					}
					wide := float64(len([]rune(text))) * charWidth
					left := at*screen.width/100 - map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[m[2]]
					assert.Greater(t, left, end, "%s at %v px: %s", name, screen.width, text)
					end = left + wide
				}
			}
		}
	}
}

func FuzzAnyFiguresMakeASoundChart(f *testing.F) {
	f.Add("a", "b", 1.0, 2.0, math.NaN(), int64(60), 4)
	f.Add("<", "\x00", math.MaxFloat64, -math.MaxFloat64, math.Inf(1), int64(-1), 1)
	f.Add("a", "b", 5e-324, 1e-300, 0.0, int64(math.MaxInt64), 3)
	f.Fuzz(func(t *testing.T, title, name string, a, b, c float64, step int64, n int) {
		values := []float64{a, b, c, a, b, c}[:max(0, min(n, 6))]
		ch := chart.Chart{
			Title: title, Start: start, Step: time.Duration(step), Series: []chart.Series{{name, values}, {title, []float64{c}}},
			Area: n%2 == 0,
		}
		sound(t, ch.Lines())
		sound(t, ch.Bars())
		ch.Labels = []string{name, title}
		sound(t, ch.Bars())
		sound(t, chart.DrawSparkline(title, values, chart.FormatDollars))
		sound(t, chart.DrawShare(title, []chart.Part{{name, a}, {title, b}, {name, c}}, chart.FormatMillis))
		sound(t, chart.DrawBar(title, a))
	})
}
