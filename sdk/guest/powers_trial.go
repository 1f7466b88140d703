//go:build !wasip1

package guest

import "github.com/headgate-dev/headgate/wasm/abi"

// TrialPowers are the parts of a Trial that only some stages use.
type TrialPowers struct {
	// Scopes are the words that the link grants; Granted are the answers of upstreams, by upstream and path; Placeholders are the
	// values of the caller's placeholders.
	Scopes       map[string]bool
	Granted      map[string]TrialAnswer
	Placeholders map[string]string

	// Results of the last call.
	Rules      [][2]string // ids and reasons
	Retries    []TrialMessage
	Body       []byte
	Routes     []TrialRoute
	Thresholds map[string]int
	Called     []string // upstream, path and body

	// Request is the body of the request, Answer that of the answer: Body returns it in the phase Finish if KeepAnswer was called with
	// room for it.
	Request, Answer []byte
	// Most is what KeepAnswer was called with.
	Most int
	// RedactedPlaces are those of RedactFound, and Withheld says that Withhold was called.
	RedactedPlaces []int
	Withheld       bool

	scope  string
	answer []byte
	phase  Phase
}

// TrialAnswer is the answer of an upstream. A status of 0 is a failure.
type TrialAnswer struct {
	Status int
	Body   string
}

// TrialMessage holds the arguments of Retry.
type TrialMessage struct {
	Role uint8
	Text string
}

// TrialRoute holds the arguments of Route.
type TrialRoute struct {
	Model, Region string
	Weight        uint32
}

// forget clears the results of the last call.
func (t *TrialPowers) forget() {
	*t = TrialPowers{
		Scopes: t.Scopes, Granted: t.Granted, Placeholders: t.Placeholders, Request: t.Request, Answer: t.Answer, Most: t.Most,
	}
}

func rule(id, reason string) { trial.Rules = append(trial.Rules, [2]string{id, reason}) }

func retry(role uint32, text string) {
	trial.Retries = append(trial.Retries, TrialMessage{Role: uint8(role), Text: text})
}

func respondBody(body []byte) { trial.Body = append([]byte(nil), body...) }

func route(model, region string, weight uint32) {
	trial.Routes = append(trial.Routes, TrialRoute{Model: model, Region: region, Weight: weight})
}

func stateScope(word string) uint32 {
	if word != "" && !trial.Scopes[word] {
		return abi.NotGranted
	}
	trial.scope = word
	return 0
}

// formatScopeKey returns the key that a Trial uses for a key in the chosen scope.
func formatScopeKey(key string) string {
	if trial.scope == "" {
		return key
	}
	return trial.scope + "/" + key
}

func threshold(name string, percent uint32) uint32 {
	if trial.Thresholds == nil {
		trial.Thresholds = map[string]int{}
	}
	trial.Thresholds[name] = int(percent)
	return 0
}

func hostCall(upstream, path string, body []byte) int64 {
	trial.Called = append(trial.Called, upstream+" "+path+" "+string(body))
	a, ok := trial.Granted[upstream+path]
	switch {
	case !ok:
		return abi.CallNotGranted
	case a.Status == 0:
		return abi.CallFailed
	}
	trial.answer = []byte(a.Body)
	return abi.PackCall(uint32(a.Status), uint32(len(a.Body)))
}

func callRead(off uint32, to []byte) uint32 { return uint32(copy(to, trial.answer[off:])) }

func redactFound(place uint32) uint32 {
	trial.RedactedPlaces = append(trial.RedactedPlaces, int(place))
	return 0
}

func withhold() { trial.Withheld = true }

func restore(token string, to []byte) uint32 {
	v, ok := trial.Placeholders[token]
	if !ok {
		return abi.NoValue
	}
	copy(to, v)
	return uint32(len(v))
}

func answerKeep(most uint32) { trial.Most = int(most) }

func bodyRead(to []byte) uint32 {
	b := trial.Request
	if trial.phase == Finish {
		if b = trial.Answer; len(b) > trial.Most {
			b = nil
		}
	}
	if len(b) == 0 {
		return abi.NoValue
	}
	copy(to, b)
	return uint32(len(b))
}
