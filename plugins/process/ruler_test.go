package process

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

func TestARulerCountsLikeOneThatReadsTheWholeText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "é", "東", "😀", "\x80", "\xf0\x9f", "0123456789"}
	for range 20 {
		var b strings.Builder
		for b.Len() < 5*stride {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		text := b.String()
		for _, unit := range []pb.Unit{pb.Unit_UNIT_BYTE, pb.Unit_UNIT_UTF16, pb.Unit_UNIT_RUNE} {
			m := &ruler{text: text, unit: unit}
			for range 200 {
				n := r.IntN(len(text) + 1)
				for n < len(text) && !utf8.RuneStart(text[n]) {
					n++
				}
				want := n
				switch unit {
				case pb.Unit_UNIT_RUNE:
					want = utf8.RuneCountInString(text[:n])
				case pb.Unit_UNIT_UTF16:
					want = len(utf16.Encode([]rune(text[:n])))
				}
				require.EqualValues(t, want, m.countUnits(n), "%s %d", unit, n)
				if got, ok := m.findOffset(uint32(want)); ok {
					require.Equal(t, n, got, "%s %d", unit, want)
				} else {
					require.False(t, utf8.ValidString(text[:n]), "%s %d", unit, want)
				}
			}
			assert.Equal(t, m.countUnits(len(text))+7, m.countUnits(len(text)+7), "bytes behind the text count as one unit each")
		}
	}
}

// measureVerdict returns how many bytes of a text are read to convert a verdict's edits and findings at its end.
func measureVerdict(t *testing.T, unit pb.Unit, length, spans int) (steps int) {
	text := strings.Repeat("é", length/2)
	n := uint32(length/2 - 1)
	in := &pb.Verdict{Action: pb.Action_ACTION_REWRITE}
	for range spans {
		in.Edits = append(in.Edits, &pb.Edit{Start: n, End: n + 1})
		in.Findings = append(in.Findings, &pb.Finding{Label: "X", Start: n, End: n + 1})
	}
	r := reader{unit: unit, phase: core.Request, segments: []*pb.Segment{{Text: text}}, at: []int{0}}
	var v core.Verdict
	require.Empty(t, r.read(in, &v))
	require.Equal(t, core.Edit{Start: length - 2, End: length}, v.Edits[spans-1])
	return r.rulers[0].steps
}

func TestTwiceTheSpansInTwiceTheTextAreTwiceTheWork(t *testing.T) {
	for _, unit := range []pb.Unit{pb.Unit_UNIT_UTF16, pb.Unit_UNIT_RUNE} {
		few, many := measureVerdict(t, unit, 1<<19, maxEdits/2), measureVerdict(t, unit, 1<<20, maxEdits)
		assert.LessOrEqual(t, many, 2*few+4*stride, unit)
		assert.LessOrEqual(t, many, 1<<20+4*maxEdits*(stride+utf8.UTFMax), unit)
	}
}

// joinedParts returns a message of many parts, which are scanned as one text.
func joinedParts(t *testing.T, part string, n int) *core.Exchange {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = `{"type":"text","text":"` + part + `"}`
	}
	x := request(t, `{"model":"m","messages":[{"role":"user","content":[`+strings.Join(parts, ",")+`]}]}`)
	require.Len(t, x.Request.Segments, n)
	require.True(t, x.Request.Segments[1].Joined)
	return x
}

func listAllPlaces(ctx context.Context, x *core.Exchange) ([]*pb.Place, error) {
	a := &agreed{places: true, unit: pb.Unit_UNIT_RUNE}
	at := make([]int, len(x.Request.Segments))
	for i := range at {
		at[i] = i
	}
	return a.listPlaces(ctx, x, &x.Request, core.Request, at)
}

func TestPlacesAreCountedFromTheirSegmentInTheTextThatIsJoined(t *testing.T) {
	const token = "{{PII_EMAIL_0123456789abcdef}}"
	x := joinedParts(t, "é東😀"+token+"é", 3)
	one := len("é東😀" + token + "é")
	for _, f := range []core.Finding{
		{Segment: 2, Start: 2, End: 5, Label: "LAST"},
		{Segment: 0, Start: one + 2, End: one + 9, Label: "ACROSS"},
		{Segment: 1, Start: one - 2, End: one + 2, Label: "BOUNDARY"},
		{Segment: 1, Start: 2, End: 10, Label: "TOUCHES"},
		{Segment: 2, Start: 2, End: one + 1, Label: "OUTSIDE"},
		{Segment: 0, Start: 0, End: 2, Label: "FIRST"},
	} {
		f.Phase, f.Kind = core.Request, core.FoundPII
		x.Findings = append(x.Findings, f)
	}
	got, err := listAllPlaces(context.Background(), x)
	require.NoError(t, err)
	type span struct {
		label               string
		segment, start, end uint32
	}
	var all []span
	units := uint32(utf8.RuneCountInString("é東😀" + token + "é"))
	for _, p := range got {
		all = append(all, span{p.Label, p.Segment, p.Start, p.End})
	}
	assert.Equal(t, []span{
		{"LAST", 2, 1, 2}, {"ACROSS", 0, units + 1, units + 3}, {"BOUNDARY", 1, units - 1, units + 1}, {"FIRST", 0, 0, 1},
	}, all, "in the order of the findings")
}

func TestListingPlacesReadsAJoinedTextOnce(t *testing.T) {
	const size, parts = 4 << 10, 512
	x := joinedParts(t, strings.Repeat("é", size/2), parts)
	for i := range maxPlaces {
		segment := i % parts
		x.Findings = append(x.Findings, core.Finding{
			Phase: core.Request, Kind: core.FoundPII, Label: "X", Segment: segment, Start: 2, End: (parts - segment) * size,
		})
		x.Request.ReadText(segment)
	}
	for range maxPlaces { // a finding that is no place does not take the room of a place
		outside := core.Finding{Phase: core.Request, Kind: core.FoundPII, Label: "X", Segment: parts - 1, Start: 2, End: size + 1}
		x.Findings = append(x.Findings, outside)
	}
	slices.Reverse(x.Findings)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := listAllPlaces(context.Background(), x)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, got, maxPlaces)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*size*parts), "the text is copied twice at most, not with each finding")

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = listAllPlaces(ended, x)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTwiceThePlacesInTwiceTheTextAreTwiceTheWork(t *testing.T) {
	measure := func(length, places int) int {
		text := strings.Repeat("é", length/2)
		m := markText(text, pb.Unit_UNIT_UTF16)
		for range places {
			p := m.newPlace(&core.Finding{}, length-4, length)
			require.EqualValues(t, length/2, p.End)
		}
		return m.steps
	}
	few, many := measure(4<<20, maxPlaces/2), measure(8<<20, maxPlaces)
	assert.LessOrEqual(t, many, 2*few+4*stride)
	assert.LessOrEqual(t, many, 8<<20+2*maxPlaces*(stride+utf8.UTFMax))
}
