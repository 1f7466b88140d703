//go:build !wasip1

package guest

import (
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Trial is an exchange for ordinary tests of a stage: the fields and texts that the stage may see, and its results. It
// replaces the host without the host's checks, and its clock stands still, so rates do not recover. Test against the real
// host with the conformance suite and headgate plugin test.
type Trial struct {
	Fields map[abi.Field]string // the granted fields
	Texts  []TrialText

	// Results of the last call.
	Denied   *Denial
	Response string
	Edits    []TrialEdit
	Redacted []TrialEdit // With is the type
	Model    string
	Tokens   int64
	Notes    [][2]string // headers and labels, with their values
	TrialPowers

	// State that calls share.
	Kept   []byte
	Values map[string][]byte // of the state
	Taken  map[string]int64  // by the key of the limit
	holds  []([]Limit)
	Down   bool // the store does not answer
	Full   bool // the plugin has reached the limit of counters
}

// TrialText is a text of a Trial.
type TrialText struct {
	Text
	Value string
}

// Denial holds the arguments of Deny.
type Denial struct {
	Code, Message string
	Retry         time.Duration
	Never         bool // DenyForGood
}

// TrialEdit holds the arguments of Edit.
type TrialEdit struct {
	Text, Start, End int
	With             string
}

var trial = new(Trial)

// Run calls the stage. It clears the results of the last call, but not what the stage kept.
func (t *Trial) Run(p Phase) error {
	t.Denied, t.Response, t.Edits, t.Redacted, t.Notes, t.Model, t.Tokens = nil, "", nil, nil, nil, "", 0
	t.forget()
	t.phase = p
	trial = t
	defer func() { trial = new(Trial) }()
	return RunStage(p)
}

// Held is the number of holds that are not settled.
func (t *Trial) Held() (n int) {
	for _, h := range t.holds {
		if h != nil {
			n++
		}
	}
	return n
}

func findAddress(string) uint32 { return 0 }

func field(id uint32, to []byte) uint32 {
	v, ok := trial.Fields[abi.Field(id)]
	if !ok {
		return abi.NotGranted
	}
	copy(to, v)
	return uint32(len(v))
}

func segCount() uint32 { return uint32(len(trial.Texts)) }

func segInfo(i uint32) uint64 {
	t := trial.Texts[i]
	s := abi.SegInfo{Role: t.Role, Kind: t.Kind, Source: t.Source, Len: uint32(len(t.Value))}
	if t.Joined {
		s.Flags = abi.SegJoined
	}
	return abi.PackSeg(s)
}

func segRead(i, off uint32, to []byte) uint32 { return uint32(copy(to, trial.Texts[i].Value[off:])) }

func deny(code, message string, retry uint32) {
	wait := time.Duration(retry&^abi.NoRetry) * time.Millisecond
	trial.Denied = &Denial{Code: code, Message: message, Retry: wait, Never: retry&abi.NoRetry != 0}
}

func respond(text string) { trial.Response = text }

func edit(i, start, end uint32, with string) {
	trial.Edits = append(trial.Edits, TrialEdit{Text: int(i), Start: int(start), End: int(end), With: with})
}

func redact(i, start, end uint32, typ string) {
	trial.Redacted = append(trial.Redacted, TrialEdit{Text: int(i), Start: int(start), End: int(end), With: typ})
}

func setModel(model string) { trial.Model = model }

func capTokens(n int64) { trial.Tokens = n }

func annotate(key, value string) { trial.Notes = append(trial.Notes, [2]string{key, value}) }

func keepSet(b []byte) { trial.Kept = append([]byte(nil), b...) }

func keepGet(to []byte) uint32 {
	copy(to, trial.Kept)
	return uint32(len(trial.Kept))
}

func take(limits []Limit, records []byte) int64 {
	if trial.Down {
		return abi.TakeFailed
	}
	if trial.Full {
		return abi.TakeFull
	}
	if trial.Taken == nil {
		trial.Taken = map[string]int64{}
	}
	hold := int64(len(trial.holds) + 1)
	for i := range limits {
		l := &limits[i]
		r := abi.GetLimit(records[i*abi.LimitSize:])
		r.Left = l.Max - trial.Taken[formatScopeKey(l.Key)]
		if l.Cost > r.Left {
			r.Flags, r.Wait, hold = abi.LimitShort, l.Period.Milliseconds(), abi.TakeShort
		}
		abi.PutLimit(records[i*abi.LimitSize:], &r)
	}
	if hold == abi.TakeShort {
		return hold
	}
	for i := range limits {
		trial.Taken[formatScopeKey(limits[i].Key)] += limits[i].Cost
		r := abi.GetLimit(records[i*abi.LimitSize:])
		r.Left -= limits[i].Cost
		abi.PutLimit(records[i*abi.LimitSize:], &r)
	}
	held := append([]Limit(nil), limits...)
	for i := range held {
		held[i].Key = formatScopeKey(held[i].Key)
	}
	trial.holds = append(trial.holds, held)
	return hold
}

func settle(hold int64, used []int64) uint32 {
	if hold < 1 || hold > int64(len(trial.holds)) || trial.holds[hold-1] == nil {
		return abi.NoValue
	}
	for i, l := range trial.holds[hold-1] {
		trial.Taken[l.Key] -= l.Cost
		if l.Kind != Concurrent {
			trial.Taken[l.Key] += used[i]
		}
	}
	trial.holds[hold-1] = nil
	if trial.Down {
		return abi.Unavailable
	}
	return 0
}

func stateGet(key string, to []byte) uint32 {
	v, ok := trial.Values[formatScopeKey(key)]
	switch {
	case trial.Down:
		return abi.Unavailable
	case !ok:
		return abi.NoValue
	}
	copy(to, v)
	return uint32(len(v))
}

func statePut(key string, value []byte, ttl int64) uint32 {
	if trial.Down {
		return abi.Unavailable
	}
	if trial.Values == nil {
		trial.Values = map[string][]byte{}
	}
	key = formatScopeKey(key)
	if trial.Values[key] = append([]byte(nil), value...); ttl == 0 {
		delete(trial.Values, key)
	}
	return 0
}
