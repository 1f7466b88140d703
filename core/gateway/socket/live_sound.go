package socket

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// commit is a buffer of sound that the client has committed and the provider has not confirmed.
type commit struct {
	event string // the id of the event as sent to the provider, which identifies its error
	cause string // the client's id of it
}

// commitSound passes on a commit of the client. A response that guards judge waits until the provider confirms it.
func (l *live) commitSound(ctx context.Context, ev *liveEvent) bool {
	c := commit{event: "hg_commit_" + newID(), cause: ev.id}
	event, err := encodePlain(map[string]string{"type": ev.typ, "event_id": c.event})
	if err != nil {
		return false
	}
	l.commits = append(l.commits, c)
	if l.isJudging() {
		l.deadline.Reset(transcriptLimit)
	}
	return l.write(ctx, event)
}

// popCommit removes and returns the commit whose event has this id, if any.
func (l *live) popCommit(event string) (c commit, ok bool) {
	i := slices.IndexFunc(l.commits, func(c commit) bool { return c.event == event })
	if i < 0 {
		return c, false
	}
	c = l.commits[i]
	l.commits = slices.Delete(l.commits, i, i+1)
	return c, true
}

// isHearing reports whether guards still wait for speech that a response would answer.
func (l *live) isHearing() bool {
	return len(l.waiting) > 0 || l.isJudging() && len(l.commits) > 0
}

// meanwhile is the event that a response's exchange reads if the provider has accepted sound that no guard has judged.
const meanwhile = `{"type":"error","error":{"type":"invalid_request_error","code":"` + core.CodeGuardUnavailable + `",` +
	`"message":"sound was committed before the response began, and no guard has judged it; request the response again"}}`

// cancelUnheard ends a response that the provider has not started: it would answer sound that no guard has judged. Once
// the provider starts it, relayResponse cancels it. It reports whether there was such a response.
func (l *live) cancelUnheard(ctx context.Context) bool {
	r := l.reply
	if r == nil || r.id != "" || r.finished {
		return false
	}
	l.feed(ctx, heldEvent{raw: []byte(meanwhile)})
	r.finish()
	return true
}

// checkSound refuses sound inside an item, which providers do not transcribe, where guards judge what is said. It returns
// the bytes of the sound. The transcript of sound comes from the provider alone.
func (l *live) checkSound(item members, at string) (n int64, e *core.Error) {
	for _, name := range []string{"content", "output"} {
		var parts []json.RawMessage
		if json.Unmarshal(item[name], &parts) != nil { // a text
			continue
		}
		for _, raw := range parts {
			part, err := readMembers(raw)
			if err != nil { // no object: the scan of the request judges it
				continue
			}
			var typ string
			_ = json.Unmarshal(part["type"], &typ) // the scan refuses other forms
			sound := len(part["audio"]) > 0 && string(part["audio"]) != null
			switch {
			case typ == "input_audio" && part["transcript"] != nil:
				return 0, scan.NewUnsupportedError(at, `"transcript" of sound comes from the provider; send text as "input_text"`)
			case l.isJudging() && (sound || typ == "input_audio"):
				return 0, scan.NewUnsupportedError(at, `sound in items is not transcribed, so no guard could judge it; send it with "input_audio_buffer.append"`)
			case sound:
				n += int64(len(part["audio"])) * 3 / 4
			}
		}
	}
	return n, nil
}

// checkNewID refuses the id of an existing item: guards would judge the new item instead of the existing one.
func (l *live) checkNewID(id string) *core.Error {
	if id == "" || l.items.find(id) == nil && !l.spoken[id] && !l.waiting[id] && (l.reply == nil || !slices.Contains(l.reply.made, id)) {
		return nil
	}
	return scan.NewInvalid("item.id", "an item of this session has this id already; choose another one")
}

// readRate returns the bytes of a second of sound in a format; an unknown one is taken for the smallest.
func readRate(format json.RawMessage) int64 {
	var name string
	if json.Unmarshal(format, &name) != nil {
		m, err := readMembers(format)
		if err == nil {
			_ = json.Unmarshal(m["type"], &name) // the provider refuses other forms
		}
	}
	if name == "" || name == "audio/pcm" || strings.HasPrefix(name, "pcm16") {
		return pcmRate
	}
	return g711Rate
}
