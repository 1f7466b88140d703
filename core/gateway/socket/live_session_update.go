package socket

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// updateSession judges an update of the session, corrects it and passes it on.
func (l *live) updateSession(ctx context.Context, ev *liveEvent) bool {
	session, err := readMembers(ev.m["session"])
	e := checkNames(ev.m, "session")
	if err != nil || len(session) == 0 {
		e = scan.NewInvalid("session", `"session" must be an object with settings`)
	}
	before := l.wish
	if e == nil {
		e = l.correctSession(session)
	}
	if e != nil {
		l.wish = before
		return l.refuse(ctx, ev.id, e)
	}
	t := &texts{}
	if err := t.loadMembers(session); err != nil {
		return l.refuse(ctx, ev.id, core.ConvertError(err))
	}
	w := l.runExchange(ctx, t, &eventLine{live: l, compose: func(said *texts) ([]byte, error) {
		out, update := members{}, members{}
		for name, value := range ev.m {
			out[name] = value
		}
		for name, value := range session {
			update[name] = value
		}
		err := said.writeMembers(update)
		if err == nil {
			out["session"], err = update.encode()
		}
		if err != nil {
			return nil, err
		}
		return out.encode()
	}})
	if w != nil {
		l.wish = before
		return l.sendRefusal(ctx, ev.id, w)
	}
	for name, into := range map[string]*json.RawMessage{
		"instructions": &l.wish.instructions, "tools": &l.wish.tools, "tool_choice": &l.wish.choice,
	} {
		if v := session[name]; v != nil {
			*into = v
		}
	}
	return true
}

// correctSession refuses settings that the gateway cannot govern, and sets those that it needs.
func (l *live) correctSession(session members) *core.Error {
	if e := l.checkForm(session); e != nil {
		return e
	}
	if v := session["type"]; v != nil && string(v) != `"realtime"` {
		return scan.NewUnsupportedError("session.type", refused["transcription_session.update"])
	}
	var model string
	if v := session["model"]; v != nil && (json.Unmarshal(v, &model) != nil || model != l.model) {
		return scan.NewInvalid("session.model", "the model of a session cannot change; open another session")
	}
	delete(session, "model")
	if v := session["prompt"]; v != nil && string(v) != null {
		return scan.NewUnsupportedError("session.prompt", "prompts that are stored at the provider are not supported: no guard can judge them")
	}
	if v := session["tracing"]; v != nil && string(v) != null && string(v) != `"auto"` {
		return scan.NewUnsupportedError("session.tracing", `"tracing" must be null or "auto"`)
	}
	for _, name := range []string{"max_output_tokens", "max_response_output_tokens"} {
		if v := session[name]; v != nil {
			l.wish.written = readLimit(v)
		}
	}
	if e := checkTools(session["tools"]); e != nil {
		return e
	}
	return l.setAudioInput(session)
}

// betaSettings are settings of sessions that the form before 2025-08 alone has, with their names in the current form.
var betaSettings = map[string]string{
	"modalities": "output_modalities", "voice": "audio.output.voice", "speed": "audio.output.speed", "temperature": "",
	"input_audio_format": "audio.input.format", "output_audio_format": "audio.output.format", detectionName: "audio.input." + detectionName,
	"input_audio_transcription": "audio.input.transcription", "input_audio_noise_reduction": "audio.input.noise_reduction",
	"max_response_output_tokens": "max_output_tokens",
}

// currentSettings are settings of sessions that the current form alone has, with their names in the form before.
var currentSettings = map[string]string{
	"audio": "input_audio_format, input_audio_transcription, turn_detection, voice", "output_modalities": "modalities",
	"max_output_tokens": "max_response_output_tokens",
}

// checkForm refuses settings of the form that the session does not speak: the gateway corrects those of one form alone, and a
// provider that reads both would detect turns and answer them as the client likes.
func (l *live) checkForm(session members) *core.Error {
	others, form := betaSettings, "the beta's form of sessions (`OpenAI-Beta: realtime=v1`)"
	if l.beta {
		others, form = currentSettings, "the current form of sessions, without the header `OpenAI-Beta`"
	}
	for name := range session {
		instead, ok := others[name]
		if !ok {
			continue
		}
		why := strconv.Quote(name) + " belongs to " + form
		if instead != "" {
			why += "; here it is called " + instead
		}
		return scan.NewUnsupportedError("session."+name, why)
	}
	return nil
}

// readLimit returns a limit of tokens; 0: none.
func readLimit(v json.RawMessage) (n int64) {
	if json.Unmarshal(v, &n) != nil || n < 0 { // "inf"
		return 0
	}
	return n
}

// checkTools refuses tools that the provider would run.
func checkTools(v json.RawMessage) *core.Error {
	var tools []json.RawMessage
	if v == nil || json.Unmarshal(v, &tools) != nil { // the scan of the request refuses other forms
		return nil
	}
	for _, raw := range tools {
		var typ string
		tool, err := readMembers(raw) // with exact names, as the provider reads them
		if err != nil || json.Unmarshal(tool["type"], &typ) != nil || typ != "function" {
			return scan.NewUnsupportedError("tools", `tools of a session must be of the type "function": others run at the provider, where no guard sees them`)
		}
	}
	return nil
}
