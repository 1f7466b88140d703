package foreign

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// Found is what links found of one label in one phase, in the order in which they found it first. It never holds the text.
type Found struct {
	Link  string  `json:"link"`
	Type  string  `json:"type"`
	Kind  string  `json:"kind"`  // pii, detector or policy
	Phase string  `json:"phase"` // request or response
	Count int     `json:"count"`
	Score float32 `json:"score"` // the highest
}

// maxFound bounds the entries that are shown: more labels than this in one exchange tell nothing more.
const maxFound = 256

// ListFindings returns what the links have found so far. Links in shadow mode do not count, because nothing may depend on them.
func ListFindings(x *core.Exchange) []Found {
	out := []Found{}
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Shadow {
			continue
		}
		one := Found{Link: f.Link, Type: f.Label, Kind: classifyFinding(f), Phase: f.Phase.String()}
		at := 0
		for at < len(out) && (out[at].Type != one.Type || out[at].Link != one.Link || out[at].Kind != one.Kind || out[at].Phase != one.Phase) {
			at++
		}
		if at == len(out) {
			if at == maxFound {
				continue
			}
			out = append(out, one)
		}
		out[at].Count++
		out[at].Score = max(out[at].Score, f.Score)
	}
	return out
}

func classifyFinding(f *core.Finding) string {
	switch {
	case f.Kind == core.FoundPolicy:
		return "policy"
	case f.IsPII():
		return "pii"
	}
	return "detector"
}

// FormatFindings returns Findings as a JSON array.
func FormatFindings(x *core.Exchange) []byte { return encodeJSON(ListFindings(x)) }

// FormatPrice returns a price as a JSON object, or nothing if it is unknown. Parts that cost the same as another are
// spelled out.
func FormatPrice(p *price.Price) []byte {
	if p == nil {
		return nil
	}
	or := func(n, other int64) int64 {
		if n < 0 {
			return other
		}
		return n
	}
	input, output := p.PerToken()
	return encodeJSON(struct {
		ID        string `json:"id"`
		Input     int64  `json:"input"`
		Output    int64  `json:"output"`
		Cached    int64  `json:"cached"`
		Written   int64  `json:"written"`
		Reasoning int64  `json:"reasoning"`
		// The most that one token costs, rounded up: what a reservation counts with.
		InputToken  int64 `json:"input_token"`
		OutputToken int64 `json:"output_token"`
	}{p.ID, p.Input, p.Output, or(p.Cached, p.Input), or(p.Written, p.Input), or(p.Reasoning, p.Output), input, output})
}

// counted is the part of a budget that limits money, or tokens.
type counted struct {
	Limit int64 `json:"limit"`
	Spent int64 `json:"spent"`
	Left  int64 `json:"left"`
}

// FormatAmounts returns budgets as a JSON array.
func FormatAmounts(all []spending.Amount) []byte {
	type budget struct {
		ID     string   `json:"id"`
		Name   string   `json:"name"`
		Period string   `json:"period,omitempty"`
		Soft   int64    `json:"soft,omitempty"` // per cent
		Starts int64    `json:"starts"`         // ms since 1970
		Ends   int64    `json:"ends"`
		Money  *counted `json:"money,omitempty"` // 1e-10 USD
		Tokens *counted `json:"tokens,omitempty"`
	}
	out := make([]budget, len(all))
	for i := range all {
		a := &all[i]
		out[i] = budget{ID: a.ID, Name: a.Name, Period: a.Period, Soft: a.Soft, Starts: a.Start.UnixMilli(), Ends: a.End.UnixMilli()}
		if a.Money {
			out[i].Money = &counted{a.Limit, a.Spent, a.Left}
		}
		if a.Counts {
			out[i].Tokens = &counted{a.Tokens, a.SpentTokens, a.LeftTokens}
		}
	}
	return encodeJSON(out)
}

func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // only of plain values, so it cannot fail
	}
	return b
}
