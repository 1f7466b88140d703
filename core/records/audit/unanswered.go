package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// maxUnanswered bounds the list in a report. The counts are not bounded.
const maxUnanswered = 1000

// maxExchangeTime is how long a request at the end of an open chain may wait for its response before it counts as
// unanswered. Long streams of reasoning models take most of an hour.
const maxExchangeTime = time.Hour

// UnansweredRequest is a GATEWAY_REQUEST without its GATEWAY_RESPONSE: the log does not show how the exchange ended.
type UnansweredRequest struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Exchange string    `json:"request_id"`
	// Killed is set if a gateway stopped without a shutdown after the request, which explains the missing response.
	Killed bool `json:"killed"`
}

// exchanges matches the requests of a chain with their responses.
type exchanges struct {
	open    map[string]UnansweredRequest
	list    []UnansweredRequest
	lost    int64 // unanswered in an uninterrupted chain
	killed  int64
	running int64 // possibly still under way at the end of an open chain
	closed  bool  // the gateway shut down
}

// processRecord processes the next record of the chain.
func (x *exchanges) processRecord(kind string, r *store.AuditRecord) {
	x.closed = kind == ChainClosed || x.closed && kind == ChainCheckpoint // the last checkpoint follows ChainClosed
	switch kind {
	case GatewayRequest:
		if id := findExchange(r.Payload); id != "" {
			x.open[strings.Clone(id)] = UnansweredRequest{Seq: r.Seq, At: r.Time()}
		}
	case GatewayResponse:
		delete(x.open, findExchange(r.Payload))
	}
}

// end counts the requests that were open when a gateway stopped.
func (x *exchanges) end(killed bool) {
	for id, u := range x.open {
		u.Killed = killed
		x.add(id, u)
	}
}

func (x *exchanges) add(id string, u UnansweredRequest) {
	delete(x.open, id)
	if u.Killed {
		x.killed++
	} else {
		x.lost++
	}
	u.Exchange = id
	x.list = append(x.list, u)
	if len(x.list) > 2*maxUnanswered {
		x.trim()
	}
}

// trim sorts the list and cuts it to maxUnanswered.
func (x *exchanges) trim() {
	slices.SortFunc(x.list, func(a, b UnansweredRequest) int { return cmp.Compare(a.Seq, b.Seq) })
	x.list = x.list[:min(len(x.list), maxUnanswered)]
}

// finish counts the requests that are open at the end of the chain. They may still be under way if the gateway has not
// shut down.
func (x *exchanges) finish(last time.Time) {
	for id, u := range x.open {
		if !x.closed && last.Sub(u.At) < maxExchangeTime {
			x.running++
			continue
		}
		x.add(id, u)
	}
	x.trim()
}

// findExchange returns the request_id of a payload, which is its first member, or "" if it has none.
func findExchange(payload string) string {
	const start = `{"request_id":"`
	rest, ok := strings.CutPrefix(payload, start)
	id, _, whole := strings.Cut(rest, `"`)
	if ok && whole && !strings.Contains(id, `\`) {
		return id
	}
	var p struct {
		ID string `json:"request_id"`
	}
	if json.Unmarshal([]byte(payload), &p) != nil {
		return ""
	}
	return p.ID
}
