package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// maxUnanswered bounds the list of a report; the counts go on.
const maxUnanswered = 1000

// longestExchange is how long a request at the end of an open chain may wait for its response before it counts as
// unanswered: long streams of reasoning models take the better part of an hour.
const longestExchange = time.Hour

// Unanswered is a GATEWAY_REQUEST without its GATEWAY_RESPONSE: how the exchange ended is not recorded.
type Unanswered struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Exchange string    `json:"request_id"`
	// Killed is set if a gateway ended without a shutdown after the request, which explains it.
	Killed bool `json:"killed"`
}

// exchanges follows the exchanges of a chain from their requests to their responses.
type exchanges struct {
	open    map[string]Unanswered
	list    []Unanswered
	lost    int64 // in a chain that was not interrupted
	killed  int64
	running int64 // at the end of a chain that is still open
	closed  bool  // the gateway has shut down
}

// record looks at the next record of the chain.
func (x *exchanges) record(kind string, r *store.AuditRecord) {
	x.closed = kind == ChainClosed || x.closed && kind == ChainCheckpoint // the last checkpoint follows the end
	switch kind {
	case GatewayRequest:
		if id := exchangeOf(r.Payload); id != "" {
			x.open[strings.Clone(id)] = Unanswered{Seq: r.Seq, At: r.Time()}
		}
	case GatewayResponse:
		delete(x.open, exchangeOf(r.Payload))
	}
}

// end counts the requests that are open where a gateway has ended.
func (x *exchanges) end(killed bool) {
	for id, u := range x.open {
		u.Killed = killed
		x.add(id, u)
	}
}

func (x *exchanges) add(id string, u Unanswered) {
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

// trim sorts the list and keeps its beginning.
func (x *exchanges) trim() {
	slices.SortFunc(x.list, func(a, b Unanswered) int { return cmp.Compare(a.Seq, b.Seq) })
	x.list = x.list[:min(len(x.list), maxUnanswered)]
}

// finish counts what is open at the end of the chain: it may be under way if the gateway has not shut down.
func (x *exchanges) finish(last time.Time) {
	for id, u := range x.open {
		if !x.closed && last.Sub(u.At) < longestExchange {
			x.running++
			continue
		}
		x.add(id, u)
	}
	x.trim()
}

// exchangeOf returns the request_id of a payload, which is its first member; "" if there is none.
func exchangeOf(payload string) string {
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
