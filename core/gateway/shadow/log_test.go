package shadow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
)

// redactor replaces a word by a type.
type redactor struct {
	word, with string
	err        error
}

func (r redactor) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	text := x.Request.ReadText(0)
	for at := 0; ; {
		i := strings.Index(text[at:], r.word)
		if i < 0 {
			return v, r.err
		}
		v.Action = core.Rewrite
		v.Edits = append(v.Edits, core.Edit{Start: at + i, End: at + i + len(r.word), Type: r.with})
		at += i + len(r.word)
	}
}

// judge is one exchange with a text in which a link finds a word.
func judge(l *shadow.Log, id, text, word, label string) {
	judgeSince(l, time.Now(), id, text, word, label)
}

// judgeSince is judge of an exchange that was received at a time.
func judgeSince(l *shadow.Log, received time.Time, id, text, word, label string) {
	x := &core.Exchange{ID: id, Received: received, Principal: &core.Principal{Tenant: "acme"}, Head: core.Head{Model: "m"}}
	x.Request.AddText(core.Segment{Role: core.RoleUser, Part: -1}, text)
	v := core.Verdict{Action: core.Block}
	if at := strings.Index(text, word); at >= 0 {
		v.Findings = []core.Finding{{Label: label, Start: at, End: at + len(word)}}
	} else {
		v.Action = core.Pass
	}
	l.Watch(x, "words", core.Request, &x.Request, &v)
	x.Visits = []core.Visit{{Link: "words", Shadow: true, Action: v.Action}, {Link: "words", Phase: core.Response, Shadow: true, Action: core.Pass}}
	for _, f := range v.Findings {
		f.Link, f.Shadow = "words", true
		x.Findings = append(x.Findings, f)
	}
	l.Add(x)
}

func open(t *testing.T, most int, all ...core.Stage) *shadow.Log {
	l := shadow.Open()
	t.Cleanup(l.Close)
	l.SetLimit(most)
	if all != nil {
		l.SetRedactors(all)
	}
	return l
}

func TestAContextIsRedactedBeforeItIsKept(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for _, c := range []struct{ name, text, word, label, before, match, after string }{
		{"the words around it stay", "a mate in two moves", "mate", "chess", "a ", "mate", " in two moves"},
		{"a value beside it is replaced", "ann@example.com has a mate", "mate", "chess", "[EMAIL] has a ", "mate", ""},
		{"a value that it cuts is replaced whole", "write ann@example.com now", "example", "chess", "write ", "[EMAIL]", " now"},
		{"it contains a value", "tell ann@example.com of it", "tell ann@example.com of", "chess", "", "tell [EMAIL] of", " it"},
		{"it is personal data that no redactor knows", "staff E-4711 asks", "E-4711", "EMPLOYEE", "staff ", "[EMPLOYEE]", " asks"},
		{"long texts are cut at whole runes", long + "mate" + long, "mate", "chess", "…" + strings.Repeat("ä", 60), "mate", strings.Repeat("ä", 60) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := open(t, 10, redactor{word: "ann@example.com", with: "EMAIL"})
				judge(l, "x1", c.text, c.word, c.label)
				synctest.Wait()
				r, ok := l.Read("words")
				require.True(t, ok)
				require.Len(t, r.Examples, 1)
				e := r.Examples[0]
				assert.Equal(t, []string{c.before, c.match, c.after}, []string{e.Before, e.Match, e.After})
				assert.Equal(t, []string{"x1", "acme", "m", c.label}, []string{e.Exchange, e.Tenant, e.Model, e.Label})
				l.Close()
			})
		})
	}
}

func TestATextThatCannotBeRedactedIsNotKept(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []core.Stage
		text string
	}{
		{"a redactor fails", []core.Stage{redactor{word: "x"}, redactor{err: errors.New("broken"), word: "y"}}, "a mate"},
		{"there are no redactors yet", nil, "a mate"},
		{"the text is too long", []core.Stage{redactor{word: "xx"}}, "a mate" + strings.Repeat(" ", 64<<10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := open(t, 10, c.all...)
				judge(l, "x1", c.text, "mate", "chess")
				synctest.Wait()
				r, _ := l.Read("words")
				require.Len(t, r.Examples, 1)
				assert.False(t, r.Examples[0].HasContext)
				assert.Empty(t, r.Examples[0].Text())
				l.Close()
			})
		})
	}
}

func TestExchangesAreCountedOnceByLabel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, 2, redactor{word: "-"})
		judge(l, "1", "a mate", "mate", "chess")
		judge(l, "2", "nothing", "mate", "chess")
		judge(l, "3", "a bond", "bond", "money")
		judge(l, "4", "a mate", "mate", "chess")
		synctest.Wait()
		r, _ := l.Read("words")
		assert.EqualValues(t, 4, r.Judged)
		assert.EqualValues(t, 3, r.Stopped)
		assert.Equal(t, []shadow.LabelCount{{Label: "chess", Count: 2}, {Label: "money", Count: 1}}, r.Labels)
		require.Len(t, r.Examples, 2, "the oldest is gone")
		assert.Equal(t, "4", r.Examples[0].Exchange)

		assert.True(t, l.Mark("words", r.Examples[1].Number, shadow.MarkWrong))
		assert.False(t, l.Mark("words", 1, shadow.MarkWrong), "it is gone")
		assert.False(t, l.Mark("nothing", 1, shadow.MarkWrong))
		judge(l, "5", "a mate", "mate", "chess")
		synctest.Wait()
		r, _ = l.Read("words")
		require.Len(t, r.Examples, 2)
		assert.Equal(t, []string{"5", "3"}, []string{r.Examples[0].Exchange, r.Examples[1].Exchange}, "a marked one is kept longer")
		assert.Equal(t, shadow.LabelCount{Label: "money", Count: 1, Wrong: 1}, r.Labels[1])

		l.Clear("words")
		_, ok := l.Read("words")
		assert.False(t, ok)
		judge(l, "6", "a mate", "mate", "chess")
		synctest.Wait()
		l.SetLimit(0)
		_, ok = l.Read("words")
		assert.False(t, ok, "it is off")
		judge(l, "7", "a mate", "mate", "chess")
		synctest.Wait()
		_, ok = l.Read("words")
		assert.False(t, ok)
		l.Close()
	})
}

func TestResultsAreOfTheSettingsThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, 2, redactor{word: "-"})
		l.SetLinks(map[string]string{"words": "a", "other": "a"})
		for _, c := range []struct {
			does  string
			links map[string]string
			kept  bool
		}{
			{"the same settings", map[string]string{"words": "a", "other": "b"}, true},
			{"other settings", map[string]string{"words": "b", "other": "b"}, false},
			{"the link is removed", map[string]string{"other": "b"}, false},
			{"a link outside the chain's list", map[string]string{"other": "c"}, true},
			{"the link is added", map[string]string{"words": "b"}, false},
		} {
			l.Clear("words")
			received := time.Now()
			judgeSince(l, received, "1", "a mate", "mate", "chess")
			time.Sleep(time.Second) // of the test's clock
			l.SetLinks(c.links)
			_, ok := l.Read("words")
			assert.Equal(t, c.kept, ok, c.does)
			judgeSince(l, received, "2", "a mate", "mate", "chess")
			synctest.Wait()
			r, ok := l.Read("words")
			assert.Equal(t, c.kept, ok, "%s: an exchange of the settings before ends", c.does)
			judge(l, "3", "a mate", "mate", "chess")
			synctest.Wait()
			was := r.Judged
			r, _ = l.Read("words")
			assert.Equal(t, was+1, r.Judged, c.does)
			assert.Equal(t, "3", r.Examples[0].Exchange, c.does)
		}
		l.Close()
	})
}

func TestLinksThatAreEnforcedAndStreamsHaveNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, 10, redactor{word: "-"})
		l.Add(&core.Exchange{ID: "1", Visits: []core.Visit{{Link: "words", Action: core.Block}}})
		_, ok := l.Read("words")
		assert.False(t, ok)
		l.Add(&core.Exchange{
			ID: "2", Visits: []core.Visit{{Link: "words", Shadow: true, Phase: core.Response, Action: core.Pass}},
			Findings: []core.Finding{{Link: "words", Shadow: true, Label: "chess", Segment: -1, Phase: core.Response}},
		})
		r, ok := l.Read("words")
		require.True(t, ok)
		require.Len(t, r.Examples, 1)
		assert.True(t, r.Examples[0].Streamed)
		assert.False(t, r.Examples[0].HasContext)
		l.Close()
	})
	var none *shadow.Log
	none.Add(&core.Exchange{})
	none.Watch(&core.Exchange{}, "words", core.Request, &core.Payload{}, &core.Verdict{})
	none.Clear("words")
	none.SetLimit(1)
	none.Close()
	assert.False(t, none.Mark("words", 1, ""))
}
