package process

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// FuzzVerdict reads any message as a verdict. An accepted verdict matches the texts, and gives the chain nothing that
// it could not carry out.
func FuzzVerdict(f *testing.F) {
	texts := []*pb.Segment{{Text: "héllo"}, {Text: ""}, {Text: "😀 PROJECT-APOLLO"}}
	for _, v := range []*pb.Verdict{
		{Action: pb.Action_ACTION_PASS},
		{Action: pb.Action_ACTION_REWRITE, Edits: []*pb.Edit{{Segment: 2, Start: 5, End: 19, Type: "X"}}},
		{Action: pb.Action_ACTION_BLOCK, Refusal: &pb.Refusal{Reason: 2, RetryAfterS: 3}, Findings: []*pb.Finding{{Start: 1, End: 3, Label: "a", Score: 1}}},
		{Action: pb.Action_ACTION_RETRY, Append: []*pb.Message{{Role: 2, Text: "again"}}},
		{Action: pb.Action_ACTION_ANSWER, Reply: &pb.Reply{Body: []byte("{}")}},
	} {
		b, err := proto.Marshal(v)
		require.NoError(f, err)
		for unit := range byte(3) {
			f.Add(b, unit, unit+1)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, unit, phase byte) {
		in := new(pb.Verdict)
		if proto.Unmarshal(b, in) != nil {
			t.Skip()
		}
		r := reader{unit: pb.Unit(unit % 3), phase: core.Phase(phase%3 + 1), link: "l", segments: texts, at: []int{3, 5, 7}}
		var v core.Verdict
		if wrong := r.read(in, &v); wrong != "" {
			return
		}
		where := map[int]string{3: texts[0].Text, 5: texts[1].Text, 7: texts[2].Text}
		fits := func(segment, start, end int) {
			text, ok := where[segment]
			require.True(t, ok)
			require.True(t, 0 <= start && start <= end && end <= len(text))
			assert.True(t, utf8.ValidString(text[:start]) && utf8.ValidString(text[start:end]))
		}
		for _, e := range v.Edits {
			require.Equal(t, core.Rewrite, v.Action)
			fits(e.Segment, e.Start, e.End)
		}
		for _, e := range v.Findings {
			fits(e.Segment, e.Start, e.End)
		}
		assert.NotEqual(t, core.Undecided, v.Action)
		assert.Equal(t, v.Action == core.Block || v.Action == core.Retry, v.Err != nil)
		assert.Equal(t, v.Action == core.Answer, v.Reply != nil)
		assert.Equal(t, v.Action == core.Retry, len(v.Append) > 0)
	})
}

func TestOffsetsCountInEachUnitAndNeverWithinACharacter(t *testing.T) {
	const text = "aé😀b"
	for unit, want := range map[pb.Unit]map[uint32]int{
		pb.Unit_UNIT_BYTE:  {0: 0, 1: 1, 2: -1, 3: 3, 4: -1, 7: 7, 8: 8, 9: -1},
		pb.Unit_UNIT_UTF16: {0: 0, 1: 1, 2: 3, 3: -1, 4: 7, 5: 8, 6: -1},
		pb.Unit_UNIT_RUNE:  {0: 0, 1: 1, 2: 3, 3: 7, 4: 8, 5: -1},
	} {
		for n, at := range want {
			got, ok := (&ruler{text: text, unit: unit}).findOffset(n)
			if assert.Equal(t, at >= 0, ok, "%s %d", unit, n); ok {
				assert.Equal(t, at, got, "%s %d", unit, n)
			}
		}
	}
}
