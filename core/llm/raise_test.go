package llm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func raiseEvents(t *testing.T, l *Lowered, in ...Event) (out []Event) {
	t.Helper()
	filter := l.Stream()
	for i := range in {
		require.NoError(t, filter(&in[i], func(ev *Event) error { out = append(out, *ev); return nil }))
	}
	return out
}

func newOpened(choice int, p Part) Event  { return Event{Kind: Opened, Choice: choice, Part: p} }
func delta(choice int, text string) Event { return Event{Kind: Delta, Choice: choice, Text: text} }

func newFinished(choice int, why Finish) Event {
	return Event{Kind: Finished, Choice: choice, Finish: why}
}

func TestAStreamedCustomCallArrivesInOneDelta(t *testing.T) {
	l := Lower(&Request{Tools: []Tool{patch(), {Name: "f"}}}, Target{})
	custom := call(Call{ID: "1", Name: "apply_patch", Kind: CustomTool})
	assert.Equal(t, []Event{
		newOpened(0, Part{Kind: TextPart}), delta(0, "t"),
		newOpened(0, custom),
		delta(1, "other choice"),
		delta(0, "a\nb"),
		newOpened(0, call(Call{ID: "2", Name: "f"})), delta(0, `{`), delta(0, `}`),
		newOpened(0, custom), delta(0, "oops"), newFinished(0, FinishTools),
		{Kind: Ended},
	}, raiseEvents(
		t, l,
		newOpened(0, Part{Kind: TextPart}), delta(0, "t"),
		newOpened(0, call(Call{ID: "1", Name: "apply_patch"})), delta(0, `{"inp`), delta(0, `ut":"a\`), delta(1, "other choice"), delta(0, `nb"}`),
		newOpened(0, call(Call{ID: "2", Name: "f"})), delta(0, `{`), delta(0, `}`),
		newOpened(0, call(Call{ID: "1", Name: "apply_patch"})), delta(0, `oops`), newFinished(0, FinishTools),
		Event{Kind: Ended},
	))
}

func TestAFailedStreamGivesNoHalfCall(t *testing.T) {
	l := Lower(&Request{Tools: []Tool{patch()}}, Target{})
	out := raiseEvents(
		t,
		l,
		newOpened(0, call(Call{Name: "apply_patch"})),
		delta(0, `{"in`),
		Event{Kind: Failed, Error: &Failure{}},
		Event{Kind: Ended},
	)
	require.Len(t, out, 3)
	assert.Equal(t, Failed, out[1].Kind)
}

func TestAnErrorOfTheReaderEndsTheFilter(t *testing.T) {
	l := Lower(&Request{Tools: []Tool{patch()}}, Target{})
	filter := l.Stream()
	fail := func(*Event) error { return assert.AnError }
	ev := newOpened(0, call(Call{Name: "apply_patch"}))
	require.ErrorIs(t, filter(&ev, fail), assert.AnError)
	ev = newFinished(0, FinishTools)
	assert.ErrorIs(t, filter(&ev, fail), assert.AnError, "the gathered text was refused")
}

func TestStreamedCallsGetTheirNamespaceBack(t *testing.T) {
	l := Lower(&Request{Tools: []Tool{{Namespace: "crm", Name: "find"}}}, Target{})
	in := newOpened(0, call(Call{ID: "1", Name: "crm__find"}))
	out := raiseEvents(t, l, in, delta(0, "{"), delta(0, "}"))
	assert.Equal(t, []Event{newOpened(0, call(Call{ID: "1", Name: "find", Namespace: "crm"})), delta(0, "{"), delta(0, "}")}, out)
	assert.Equal(t, "crm__find", in.Part.Call.Name, "the decoder's event stays")
}
