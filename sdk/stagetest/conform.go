package stagetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// Suite configures the conformance tests: how to create the stage, and texts that show its effect.
type Suite struct {
	// New returns a new stage. The suite closes it.
	New func(t testing.TB) core.Stage
	// Texts are texts to which the stage reacts, and some to which it does not. The suite adds empty, long and strange
	// ones.
	Texts []string
	// Phases are the stage's phases.
	Phases []core.Phase
	// Patience is how long a call may continue after its caller has left; 0 means 30 s. It is not a performance target: it
	// tells a call that is slow on a loaded machine from one that hangs.
	Patience time.Duration
}

// strange are texts that every stage must survive.
var strange = []string{
	"", " ", "\x00\x01\x7f", "\u00e9\u0301 \U0001F600 \u202Eabc\u202C \uFFFD", strings.Repeat("a", 10_000),
	strings.Repeat("é", 100_000), "{{PII_EMAIL_0123456789abcdef}}", "{{PII_EMAIL_0123", `{"a":"\\u00e9"}`, strings.Repeat("{", 500),
}

// listShortTexts are the texts that are not long, for rules that run a stage many times.
func (s *Suite) listShortTexts() (out []string) {
	for _, text := range s.listTexts() {
		if len(text) <= 2000 {
			out = append(out, text)
		}
	}
	return out
}

func (s *Suite) listTexts() []string { return append(append([]string(nil), s.Texts...), strange...) }

// rule is one rule of the contract. Its check only uses methods of t, so that a test can show it failing.
type rule struct {
	name  string
	check func(t testing.TB, s *Suite)
	// none returns why the rule does not apply to the stage. If nil, it applies to all stages.
	none func(t testing.TB, s *Suite) string
}

// rules lists all rules; for each, a stage in broken_stages_test.go breaks it.
var rules = []rule{
	{"every verdict is one, and the same text gets the same one", checkRepeats, nil},
	{"a stage does not change what it is shown", checkReadsOnly, nil},
	{"a stage does not retain what it is shown", checkKeepsNothing, nil},
	{"what a stage keeps for one exchange is not another's", checkKeepsApart, nil},
	{"many callers at once get what one gets", checkParallel, nil},
	{"a caller that has left gets an answer or an error, and no panic", testLeftBehind, nil},
	{"a body without text passes", checkEmpty, nil},
	{"findings and edits lie in the texts of the body", checkSeveralTexts, nil},
	{"no text of the exchange is in what the client is told", checkSilence, nil},
	{"what a stage remembers of a text changes nothing of what it says", checkRemembers, explainMemorySkip},
	{"the end of an exchange can be told of any exchange", testFinish, explainFinishSkip},
	{"any chopping of a stream gives the result of the whole", testChoppedStream, explainStreamSkip},
	{"streams and their parts do not mix", testStreamsApart, explainStreamSkip},
	{"a stream may be cut off anywhere", testCutOff, explainStreamSkip},
	{"a closed stage has let go without an error", testClose, explainCloseSkip},
}

// Conform tests the stage against the contract of core.Stage, and of core.StreamStage, core.Finisher and core.Closer if it
// implements them. Each rule runs on a new stage. It returns the result of each rule, in order.
func Conform(t *testing.T, s Suite) []Held {
	t.Helper()
	all := make([]Held, 0, len(rules))
	for _, r := range rules {
		h := Held{Rule: r.name}
		t.Run(r.name, func(t *testing.T) {
			if r.none != nil {
				h.None = r.none(t, &s)
			}
			r.check(t, &s)
			h.Holds = h.None == "" && !t.Failed()
		})
		all = append(all, h)
	}
	return all
}

// makeStage returns a stage whose panics fail the test and which is closed at its end.
func (s *Suite) makeStage(t testing.TB) *guardedStage {
	t.Helper()
	st := &guardedStage{t: t, Stage: s.New(t)}
	t.Cleanup(func() {
		if c, ok := st.Stage.(core.Closer); ok && !st.shut {
			require.NoError(t, c.Close(context.Background()))
		}
	})
	return st
}

// requireReturn runs a call that must end.
func (s *Suite) requireReturn(t testing.TB, what string, call func()) {
	t.Helper()
	patience := s.Patience
	if patience == 0 {
		patience = 30 * time.Second
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		require.Fail(t, what+" does not end")
	}
}
