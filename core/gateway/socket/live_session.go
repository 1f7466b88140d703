package socket

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// sessionSettings are settings of a session as its client has written them. The provider's differ: it never creates a response
// unasked, because no budget would cover it and no guard would judge the speech that it answers.
type sessionSettings struct {
	instructions, tools, choice json.RawMessage
	creates                     bool            // turns of the client's speech are answered
	turns                       bool            // the provider detects turns
	detection                   json.RawMessage // as sent to the provider; nil if not set
	transcription               json.RawMessage // nil if the client wants no transcripts
	written                     int64           // the most tokens of a response; 0: not set
	rate                        int64           // bytes of a second of sound, in the smallest format that the session had
}

// ourTranscription is set where guards judge what is said: a client could spoil its own with a prompt or a language.
const ourTranscription = `{"model":"gpt-4o-mini-transcribe"}`

const (
	null          = "null"
	ownEvent      = "hg_session" // the id of our own update of the session
	ourDetection  = `{"type":"server_vad","create_response":false,"interrupt_response":true}`
	detectionName = "turn_detection"
)

// prepare tells the provider, before anything else, not to create responses unasked.
func (l *live) prepare(ctx context.Context) bool {
	session := members{}
	if e := l.setAudioInput(session); e != nil {
		return false
	}
	if !l.beta {
		session["type"] = json.RawMessage(`"realtime"`)
	}
	event, err := encodePlain(map[string]any{"type": "session.update", "event_id": ownEvent, "session": session})
	l.own++
	return err == nil && l.write(ctx, event)
}

// followGuards lets guards that a reload has turned on judge what is said from now on. A session that has taken sound before
// ends: no guard has heard it, and the provider does not transcribe it any more. It returns false if the session must end.
func (l *live) followGuards(ctx context.Context) bool {
	if l.judged || !l.isJudging() {
		return true
	}
	if !l.heard.any {
		return l.prepare(ctx)
	}
	l.refuse(ctx, "", &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable,
		Public: "the guards of the gateway have changed, and have not judged the sound of this session; open another session",
	})
	l.close(websocket.StatusServiceRestart, "the guards have changed; open another session")
	return false
}

// isJudging reports whether guards judge what the client says.
func (l *live) isJudging() bool { return l.s.o.Judges() }

// readInner returns an object in a session, which is created if it is missing.
func readInner(m members, name string) (members, *core.Error) {
	in, err := readMembers(m[name])
	if err != nil {
		return nil, scan.NewInvalid(name, strconv.Quote(name)+" must be an object")
	}
	return in, nil
}

// setAudioInput sets how the provider detects turns and whether it transcribes, in the form that the client speaks.
// What the client has written about both is read first.
func (l *live) setAudioInput(session members) *core.Error {
	if l.beta {
		return l.setInput(session, "input_audio_transcription", "input_audio_format")
	}
	audio, e := readInner(session, "audio")
	if e != nil {
		return e
	}
	input, e := readInner(audio, "input")
	if e != nil {
		return e
	}
	if e := l.setInput(input, "transcription", "format"); e != nil {
		return e
	}
	var err error
	if audio["input"], err = input.encode(); err == nil {
		session["audio"], err = audio.encode()
	}
	if err != nil {
		return core.ConvertError(err)
	}
	return nil
}

func (l *live) setInput(input members, transcription, format string) *core.Error {
	if v := input[detectionName]; v != nil {
		if e := l.readDetection(v); e != nil {
			return e
		}
	}
	input[detectionName] = l.wish.detection
	if v := input[transcription]; v != nil {
		if _, err := readMembers(v); err != nil {
			return scan.NewInvalid(transcription, strconv.Quote(transcription)+" must be an object or null")
		}
		if l.wish.transcription = v; string(v) == null {
			l.wish.transcription = nil
		}
	}
	switch {
	case l.isJudging():
		input[transcription], l.judged = json.RawMessage(ourTranscription), true
	case l.wish.transcription != nil:
		input[transcription] = l.wish.transcription
	}
	if v := input[format]; v != nil { // it never increases: the provider may refuse the update
		l.wish.rate = min(l.wish.rate, readRate(v))
	}
	return nil
}

// readDetection reads how the client wants turns detected.
func (l *live) readDetection(v json.RawMessage) *core.Error {
	if string(v) == null {
		l.wish.turns, l.wish.detection = false, v
		return nil
	}
	m, err := readMembers(v)
	if err != nil {
		return scan.NewInvalid(detectionName, `"turn_detection" must be an object or null`)
	}
	if t := m["idle_timeout_ms"]; t != nil && string(t) != null {
		return scan.NewUnsupportedError("turn_detection.idle_timeout_ms",
			`"idle_timeout_ms" is not supported: the provider would answer without a question that guards have judged`)
	}
	l.wish.turns, l.wish.creates = true, string(m["create_response"]) != "false"
	m["create_response"] = json.RawMessage("false")
	out, err := m.encode()
	if err != nil {
		return core.ConvertError(err)
	}
	l.wish.detection = out
	return nil
}

// relaySession passes on the session as the client has configured it.
func (l *live) relaySession(ctx context.Context, ev []byte, typ string) bool {
	if l.own > 0 && typ == "session.updated" {
		l.own--
		return true
	}
	m, err := readMembers(ev)
	if err != nil {
		return false
	}
	session, err := readMembers(m["session"])
	if err != nil {
		return false
	}
	session["model"], err = encodePlain(l.model)
	if err != nil {
		return false
	}
	for name, v := range map[string]json.RawMessage{
		"instructions": l.wish.instructions, "tools": l.wish.tools, "tool_choice": l.wish.choice,
	} {
		if v != nil {
			session[name] = v
		}
	}
	if l.beta {
		l.restoreInput(session, "input_audio_transcription")
	} else if audio, e := readInner(session, "audio"); e == nil {
		if input, e := readInner(audio, "input"); e == nil && len(input) > 0 {
			l.restoreInput(input, "transcription")
			if audio["input"], err = input.encode(); err == nil {
				session["audio"], err = audio.encode()
			}
		}
	}
	if err == nil {
		m["session"], err = session.encode()
	}
	out, failed := m.encode()
	return err == nil && failed == nil && l.send(ctx, out)
}

// restoreInput shows the client its own settings instead of the corrected ones.
func (l *live) restoreInput(input members, transcription string) {
	if m, err := readMembers(input[detectionName]); err == nil && len(m) > 0 {
		m["create_response"] = json.RawMessage(strconv.FormatBool(l.wish.creates))
		if out, err := m.encode(); err == nil {
			input[detectionName] = out
		}
	}
	l.writes = input[transcription] != nil && string(input[transcription]) != null
	if input[transcription] != nil {
		if input[transcription] = l.wish.transcription; l.wish.transcription == nil {
			input[transcription] = json.RawMessage(null)
		}
	}
}
