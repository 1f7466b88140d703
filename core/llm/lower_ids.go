package llm

import (
	"slices"
	"strconv"
)

// makeIDsDistinct gives calls that repeat an earlier call's id, and their results, another id: some models call everything
// "call_1", and some providers refuse that. It returns from itself if no id repeats.
func makeIDsDistinct(from []Message) []Message {
	taken, again := map[string]bool{}, false
	for i := range from {
		for k := range from[i].Parts {
			if p := &from[i].Parts[k]; p.Kind == CallPart && p.Call.ID != "" {
				again = again || taken[p.Call.ID]
				taken[p.Call.ID] = true
			}
		}
	}
	if !again {
		return from
	}
	to, sent := slices.Clone(from), map[string]string{} // by the client's id, that of its last call
	for i := range to {
		to[i].Parts = slices.Clone(to[i].Parts)
		for k := range to[i].Parts {
			switch p := &to[i].Parts[k]; {
			case p.Kind == CallPart && p.Call.ID != "":
				c := *p.Call
				if _, used := sent[c.ID]; used {
					c.ID = makeUnusedID(c.ID, taken)
				}
				sent[p.Call.ID], p.Call = c.ID, &c
			case p.Kind == ResultPart && sent[p.Result.CallID] != "":
				r := *p.Result
				r.CallID, p.Result = sent[r.CallID], &r
			}
		}
	}
	return to
}

// makeUnusedID returns an unused id.
func makeUnusedID(id string, taken map[string]bool) string {
	for n := 2; ; n++ {
		if made := id + "_" + strconv.Itoa(n); !taken[made] {
			taken[made] = true
			return made
		}
	}
}
