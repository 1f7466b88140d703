package wasm

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// onOperation runs code, which leaves a result, if the operation is op and the text starts with '!' or is empty; otherwise it finds
// nothing.
func onOperation(op uint32, code []byte) []byte {
	return cat(
		[]byte{0x20, 3}, i32c(15), []byte{0x71}, i32c(int32(op)), []byte{0x47, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b},
		[]byte{0x20, 2, 0x04, 0x40, 0x20, 1, 0x2d, 0, 0}, i32c('!'), []byte{0x47, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b, 0x0b},
		code,
	)
}

// streaming returns a guest that has hg_stream only and reports the spans when it receives text that starts with '!'.
func streaming(op uint32, spans ...abi.Span) guest {
	g := reporting(spans...)
	g.nodetect, g.detect = true, nil
	g.stream = onOperation(op, i64c(abi.Pack(spansAt, uint32(len(g.data)))))
	return g
}

func TestHostileStreamsEndInTheRightFaultAndTheNextAnswerIsServed(t *testing.T) {
	mark := func(at uint32) abi.Span { return abi.Span{Start: at, End: at, Label: abi.LabelDecided} }
	stream := func(op uint32, code []byte) guest { return guest{nodetect: true, stream: onOperation(op, code)} }
	for _, c := range []struct {
		name  string
		guest guest
		texts []string
		want  core.Fault
	}{
		{"an endless loop in a push", stream(abi.StreamPush, cat(loop(nil), unreachable)), []string{"!"}, core.FaultTimeout},
		{"an endless loop at the close", loopsAtTheEnd(), []string{"!", ""}, core.FaultTimeout},
		{"a trap in a later push", stream(abi.StreamPush, unreachable), []string{"calm", "!"}, core.FaultTrap},
		{"a guest that says it failed", stream(abi.StreamPush, i64c(abi.BytesError)), []string{"!"}, core.FaultError},
		{"a result that is not a number of records", stream(abi.StreamPush, i64c(abi.Pack(0, 7))), []string{"!"}, core.FaultABI},
		{"a result outside the memory", stream(abi.StreamPush, i64c(abi.Pack(0xFFFFFF00, 16))), []string{"!"}, core.FaultABI},
		{"a mark beyond the text", streaming(abi.StreamPush, mark(11)), []string{"!123456789"}, core.FaultABI},
		{"a mark with a length", streaming(abi.StreamPush, abi.Span{Start: 1, End: 2, Label: abi.LabelDecided}), []string{"!123456789"}, core.FaultABI},
		{"a mark that is not the last record", streaming(abi.StreamPush, mark(1), span(2, 3, 0, 1)), []string{"!123456789"}, core.FaultABI},
		{"a span beyond the text that is held", streaming(abi.StreamPush, span(1, 8, 0, 1), mark(9)), []string{"!123456789", "!1"}, core.FaultABI},
		{"a span in text that was let go by length", func() guest {
			g := streaming(abi.StreamPush, span(2, 4, 0, 1))
			g.manifest = `{"name":"x","kind":"detector","labels":["a"],"max_match":10}`
			return g
		}(), []string{"calm", strings.Repeat("calm", 10), "!1"}, core.FaultABI},
		{"a span inside a character", streaming(abi.StreamPush, span(6, 9, 0, 1)), []string{"!2345€6789"}, core.FaultABI},
		{"a label that does not exist", streaming(abi.StreamPush, span(0, 1, 2, 1)), []string{"!123456789"}, core.FaultABI},
		{"more than can be reported", streaming(abi.StreamPush, span(0, 1, abi.LabelOverflow, 1)), []string{"!123456789"}, core.FaultError},
		{"an opening with a result other than 0 or 1", guest{nodetect: true, stream: cat( // 2 from the tenth part on
			[]byte{0x20, 0}, i32c(9), []byte{0x4b, 0xad}, i64c(2), []byte{0x7e},
		)}, []string{"calm"}, core.FaultABI},
	} {
		t.Run(c.name, func(t *testing.T) {
			timeout := 10 * time.Second
			if c.want == core.FaultTimeout {
				timeout = 30 * time.Millisecond
			}
			v := loadModule(t, LoadOptions{Source: c.guest.bytes(), Name: "hostile.wasm", Limits: Limits{Timeout: timeout}})
			require.True(t, v.Acquire())
			st, err := NewStage(v, "link", Settings{Action: "redact"})
			require.NoError(t, err)
			defer func() { assert.NoError(t, st.Close(context.Background())) }()
			ctx := context.Background()
			f, err := st.Stream(ctx, &core.Exchange{}, nil)
			require.NoError(t, err)
			if strings.HasPrefix(c.name, "an opening") {
				for part := range int32(9) {
					w := window("calm", true)
					w.Part.Index = part
					_, _, err = f.Check(ctx, w)
					require.NoError(t, err)
				}
			}
			text := ""
			for k, piece := range c.texts {
				w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text + piece, New: len(text), Last: piece == ""}
				text = w.Text
				var hold int
				if _, hold, err = f.Check(ctx, w); err != nil {
					assert.Equal(t, len(c.texts)-1, k)
					break
				}
				text = text[len(text)-hold:]
			}
			require.Error(t, err)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.want, e.Fault(), err.Error())
			assert.NotContains(t, err.Error(), "2345", "no text of the answer in an error")
			assert.Equal(t, map[core.Fault]uint64{c.want: 1}, v.Stats().Faults)
			assert.Zero(t, v.Stats().Instances, "an instance that failed is closed")
			assert.Zero(t, v.Stats().Streams)
			require.NoError(t, f.Close(ctx))

			f, err = st.Stream(ctx, &core.Exchange{}, nil)
			require.NoError(t, err)
			_, _, err = f.Check(ctx, window("calm", false))
			require.NoError(t, err, "the next answer is served")
			require.NoError(t, f.Close(ctx))
		})
	}
}

// loopsAtTheEnd returns a guest that loops when a part ends that began with '!'.
func loopsAtTheEnd() guest {
	operation := func(op uint32) []byte {
		return cat([]byte{0x20, 3}, i32c(15), []byte{0x71}, i32c(int32(op)), []byte{0x46, 0x04, 0x40})
	}
	return guest{nodetect: true, stream: cat(
		operation(abi.StreamPush), i32c(3000), []byte{0x20, 1, 0x2d, 0, 0, 0x3a, 0, 0, 0x0b},
		operation(abi.StreamClose), i32c(3000), []byte{0x2d, 0, 0}, i32c('!'), []byte{0x46, 0x04, 0x40}, loop(nil), []byte{0x0b, 0x0b},
		i64c(0),
	)}
}

func TestWhatAGuestReportsAndNeverLetsBeDecidedIsBounded(t *testing.T) {
	spans := make([]abi.Span, 1000)
	for k := range spans {
		spans[k] = span(0, 1, 0, 1)
	}
	st := stageOf(t, streaming(abi.StreamPush, spans...).bytes(), Settings{Action: "redact"})
	f, err := st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	text := ""
	for range 4 {
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text + "!", New: len(text)}
		text = w.Text
		_, _, err = f.Check(context.Background(), w)
		require.NoError(t, err)
	}
	_, _, err = f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: text + "!", New: len(text)})
	require.ErrorContains(t, err, "more than it can report")
	require.NoError(t, f.Close(context.Background()))
}

func TestAPartThatAGuestDoesNotWantToSeePasses(t *testing.T) {
	st := stageOf(t, guest{nodetect: true, stream: cat( // 1 for an opening, a trap for everything else
		[]byte{0x20, 3}, i32c(15), []byte{0x71}, i32c(int32(abi.StreamOpen)), []byte{0x47, 0x04, 0x40}, unreachable, end, i64c(1),
	)}.bytes(), Settings{Action: "redact"})
	f, err := st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	for _, last := range []bool{false, true} {
		v, hold, err := f.Check(context.Background(), window("text", last))
		require.NoError(t, err)
		assert.Equal(t, core.Pass, v.Action)
		assert.Zero(t, hold)
	}
	require.NoError(t, f.Close(context.Background()))
	assert.Equal(t, 1, st.v.Stats().Instances)
}

func TestAVersionWaitsForItsStreamsBeforeItCloses(t *testing.T) {
	v, err := Load(
		context.Background(),
		LoadOptions{Source: repetition(t), Name: "repetition.wasm", Limits: Limits{Timeout: 10 * time.Second}},
	)
	require.NoError(t, err)
	st, err := NewStage(v, "link", Settings{})
	require.NoError(t, err)
	f, err := st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	var closing sync.WaitGroup
	closing.Go(func() { assert.NoError(t, st.Close(context.Background())) })
	require.Eventually(t, v.pool.isClosed, time.Minute, time.Millisecond)
	_, _, err = f.Check(context.Background(), window("an answer that is still streaming", true))
	require.NoError(t, err)
	select {
	case <-v.CloseSignal():
		assert.Fail(t, "it closed under a stream")
	default:
	}
	_, err = st.Stream(context.Background(), &core.Exchange{}, nil)
	require.ErrorContains(t, err, "closed")
	require.NoError(t, f.Close(context.Background()))
	closing.Wait()
	<-v.CloseSignal()
	assert.Zero(t, v.Stats().Instances)
	assert.Zero(t, v.Stats().Memory)
}

func (p *pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
