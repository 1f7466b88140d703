package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

func init() {
	acts["follows"] = func() { sdk.Serve(follows{}) }
	acts["digests"] = func() { sdk.Serve(digests{}) }
}

// follows is a plugin that follows streams, and does what the text says.
type follows struct{}

func (follows) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name:        "follows",
		Phases:      []core.Phase{core.Response},
		Texts:       []string{"assistant"},
		Fields:      []string{"finish"},
		StreamBytes: 8,
	}
}

func (follows) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (follows) Stream(_ context.Context, x *core.Exchange, _ any) (core.StreamFilter, error) {
	return &followsFilter{x: x}, nil
}

type followsFilter struct {
	x    *core.Exchange
	seen []string
}

func (f *followsFilter) Follows() bool { return true }

func (f *followsFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	if w.Sent != len(w.Text) || w.New != 0 {
		return core.Verdict{}, 0, errors.New("a window of a follower was not sent")
	}
	f.seen = append(f.seen, w.Text)
	v := core.Verdict{Action: core.Pass, Keep: []byte(strings.Join(f.seen, "|"))}
	switch {
	case strings.Contains(w.Text, "EDIT"):
		v.Action, v.Edits = core.Rewrite, []core.Edit{{Start: len(w.Text), End: len(w.Text), With: "x"}}
	case strings.Contains(w.Text, "HOLD"):
		return v, 1, nil
	case strings.Contains(w.Text, "BLOCK"):
		v.Action, v.Err = core.Block, &core.Error{Kind: core.ContentFiltered}
	case strings.Contains(w.Text, "FIND"):
		v.Findings = []core.Finding{{Label: "found", Kind: core.FoundDetector, Start: 1, End: 3, Score: 1}}
	}
	return v, 0, nil
}

func (f *followsFilter) End(context.Context) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass, Keep: []byte(strings.Join(f.seen, "|") + "|" + f.x.Finish)}, nil
}

func (*followsFilter) Close(context.Context) error { return nil }

func TestAPluginThatFollowsIsShownWhatWasSent(t *testing.T) {
	c := chainOf(t, plug(t, "follows").stage(t), chain.FaultBlocks)
	got, e, x := streamAnswer(t, c, []string{"one ", "two ", "three ", "FIND"})
	require.Nil(t, e)
	assert.Equal(t, "one two three FIND", got)
	require.Len(t, x.Findings, 1)
	assert.Equal(
		t,
		core.Finding{Link: "follows", Label: "found", Kind: core.FoundDetector, Phase: core.Response, Segment: -1, Score: 1},
		x.Findings[0],
		"it has no place in a window that the plugin did not see",
	)

	st := plug(t, "follows").stage(t)
	ctx := context.Background()
	y := &core.Exchange{}
	filter, err := st.Stream(ctx, y, nil)
	require.NoError(t, err)
	for _, text := range []string{"one ", "two", " three", ""} {
		_, hold, err := filter.Check(
			ctx,
			core.Window{Part: core.Part{Kind: core.KindText}, Text: "sent " + text, Sent: 5, New: 5, Last: text == ""},
		)
		require.NoError(t, err)
		assert.Zero(t, hold)
	}
	y.Finish = "stop"
	v, err := filter.(core.Ender).End(ctx)
	require.NoError(t, err)
	assert.Equal(t, "one two three||stop", string(v.Keep.(*own).kept), "in pieces of the requested size; the last may be empty")
	require.NoError(t, filter.Close(ctx))
}

func TestAPluginThatFollowsMayBlockAndNeitherEditNorHold(t *testing.T) {
	c := chainOf(t, plug(t, "follows").stage(t), chain.FaultBlocks)
	for text, code := range map[string]string{
		"this is BLOCK": core.CodeContentFilter, "this is EDIT": core.CodeGuardUnavailable, "this is HOLD": core.CodeGuardUnavailable,
	} {
		_, e, _ := streamAnswer(t, c, []string{text})
		require.NotNil(t, e, text)
		assert.Equal(t, code, e.Code, text)
	}
}

// digests is a plugin that repeats the digest it receives.
type digests struct{}

func (digests) Manifest() sdk.Manifest {
	return sdk.Manifest{Name: "digests", Phases: []core.Phase{core.Request}, Fields: []string{"digest", "task"}}
}

func (digests) Check(ctx context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	return core.Verdict{Action: core.Answer, Reply: sdk.Text(sdk.DigestOf(ctx) + strings.Repeat("!", int(x.Head.Task)))}, nil
}

// buildAnswer returns a readable answer with a text.
func buildAnswer(_ *core.Exchange, text string) (*core.Payload, error) {
	return &core.Payload{Raw: []byte("said: " + text)}, nil
}

func TestAPluginAnswersWithATextAndIsToldTheDigestOfTheBodyAsItIs(t *testing.T) {
	st := plug(t, "digests", func(s *Spec) { s.Answer = buildAnswer }).stage(t)
	words := plug(t, "words").stage(t)
	c, err := chain.New([]chain.Link{
		{Name: "words", Stage: words, Phases: words.Phases(), Mode: chain.Enforce},
		{Name: "digests", Stage: st, Phases: st.Phases(), Mode: chain.Enforce},
	}, mint{})
	require.NoError(t, err)
	for _, text := range []string{"nothing", "PROJECT-APOLLO"} {
		x := request(t, user(text))
		d := c.RunRequest(context.Background(), x)
		require.Equal(t, core.Answer, d.Action, "%v", d.Err)
		changed := user(strings.Replace(text, "PROJECT-APOLLO", "<PROJECT:PROJECT-APOLLO>", 1))
		if changed != user(text) {
			changed = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(changed)
		}
		sum := sha256.Sum256([]byte(changed))
		assert.Equal(t, "said: "+hex.EncodeToString(sum[:]), string(d.Reply.Raw), text)
	}
	x := request(t, user("nothing"))
	x.Head.Task = llm.TaskEmbed
	d := c.RunRequest(context.Background(), x)
	assert.True(t, strings.HasSuffix(string(d.Reply.Raw), "!"), "the task is passed")
}

func TestATextThatNothingCanBeMadeOfIsNoVerdict(t *testing.T) {
	for says, c := range map[string]struct {
		body   string
		answer foreign.Answerer
	}{
		"cannot be turned into a reply": {"hello", nil},
		"not UTF-8":                     {"\xff", buildAnswer},
		"no words":                      {"hello", func(*core.Exchange, string) (*core.Payload, error) { return nil, errors.New("no words") }},
	} {
		r := reader{phase: core.Request, answer: c.answer}
		var v core.Verdict
		assert.Contains(
			t,
			r.read(&pb.Verdict{Action: pb.Action_ACTION_ANSWER, Reply: &pb.Reply{Body: []byte(c.body), ContentType: "text/plain"}}, &v),
			says,
		)
	}
}
