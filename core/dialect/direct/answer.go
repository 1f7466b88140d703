package direct

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var (
	errNotObject = errors.New("the answer is not a JSON object")
	errNotText   = errors.New("the answer is not text in UTF-8")
)

// Accept reports whether an answer of a media type can be read, and its form.
func (s *Shape) Accept(x *core.Exchange, contentType string) (Form, bool) {
	n := scan.FindNotes[notes](x)
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch media = strings.TrimSpace(media); {
	case s.sound && x.Head.Stream && media == "text/event-stream":
		n.form = Events
	case s.sound:
		return Bytes, strings.HasPrefix(media, "audio/") || media == "application/octet-stream"
	case media == "application/json":
		n.form = JSON
	case s.task == llm.TaskTranscribe && isPlainText(media):
		n.form = Text
	default:
		return 0, false
	}
	return n.form, true
}

func isPlainText(media string) bool {
	return strings.HasPrefix(media, "text/") && media != "text/event-stream" || media == "application/x-subrip"
}

// ScanResponse validates an answer, finds its texts and reads its usage.
func (s *Shape) ScanResponse(x *core.Exchange) error {
	n := scan.FindNotes[notes](x)
	switch n.form {
	case Bytes:
		return nil
	case Text:
		if !utf8.Valid(x.Response.Raw) {
			return errNotText
		}
		addTranscript(&x.Response)
		x.Usage = llm.Usage{}
		return nil
	}
	a := answer{Response: scan.NewResponse(x)}
	if err := scan.OpenObject(a.S, a.Doc, errNotObject); err != nil {
		return err
	}
	for a.S.Next() {
		a.readMember(string(a.S.Key()))
	}
	a.S.End()
	if err := a.S.Err(); err != nil {
		return err
	}
	x.Usage = a.usage
	s.completeUnits(x, n, &a)
	return nil
}

// completeUnits fills in the units that the answer implies: each element of a list of pictures is one. What a provider
// reports in tokens may still be priced in units, so these are estimated.
func (s *Shape) completeUnits(x *core.Exchange, n *notes, a *answer) {
	u := &x.Usage
	if s.task == llm.TaskDraw && a.elements > 0 {
		u.Units.Images, u.Reported = a.elements, true
	}
	if u.Reported && u.Units == (llm.Units{}) && s.units != nil {
		u.Units = s.units(x, n)
	}
}

// answer is the state of the scan of an answer.
type answer struct {
	scan.Response
	usage    llm.Usage
	elements int64 // of data
}

// place is that of all texts of an answer.
var place = scan.Place{Role: core.RoleAssistant, Kind: core.KindText, Part: -1}

func (a *answer) readMember(key string) {
	switch key {
	case "text":
		a.addText(key, false)
	case "data":
		if a.S.Kind() != splice.Array {
			a.addLeaves(key)
			return
		}
		for a.S.Enter(); a.S.Next(); a.elements++ {
			a.addLeaves(key)
		}
	case "segments":
		a.readSegments()
	case "words", "logprobs": // they repeat the text
		a.addTied()
	case "duration":
		a.addSeconds()
	case "usage", "meta", "billed_units":
		a.readUsage()
	default:
		a.addLeaves(key)
	}
}

func (a *answer) addLeaves(key string) { leaves.Add(&a.X.Response, a.S, a.Doc, key, place) }

// addText adds a string as a text. joined is true if it continues the text before it.
func (a *answer) addText(key string, joined bool) {
	if a.S.Kind() != splice.String {
		a.addLeaves(key)
		return
	}
	at, _ := a.S.String()
	if a.S.Err() == nil && at.Len() > 0 {
		a.X.Response.Segments = append(a.X.Response.Segments, core.Segment{
			Role: core.RoleAssistant, Kind: core.KindText, Depth: 1, Part: -1, Field: key, Span: at, Joined: joined,
		})
	}
}

func (a *answer) addTied() {
	a.S.Kind()
	from := a.S.Pos()
	a.S.Skip()
	if a.S.Err() == nil {
		a.X.Response.Tied = append(a.X.Response.Tied, core.Repetition{Span: splice.Span{Start: from, End: a.S.Pos()}})
	}
}

// readSegments reads the pieces of a transcript. Their texts are judged as one, because a value may lie in two of them.
func (a *answer) readSegments() {
	if a.S.Kind() != splice.Array {
		a.addLeaves("segments")
		return
	}
	a.S.Enter()
	first := len(a.X.Response.Segments)
	for a.S.Next() {
		if a.S.Kind() != splice.Object {
			a.addLeaves("segments")
			continue
		}
		a.S.Enter()
		for a.S.Next() {
			switch key := string(a.S.Key()); key {
			case "text":
				a.addText("segments", len(a.X.Response.Segments) > first)
			case "tokens", "words":
				a.addTied()
			default:
				a.addLeaves(key)
			}
		}
	}
}

// addSeconds reads a number of seconds of sound.
func (a *answer) addSeconds() {
	n := scan.ReadNumber(a.S, a.Doc)
	if n == "" { // Mistral and some others spell it as a string, which carries no more than a number
		return
	}
	seconds, err := strconv.ParseFloat(string(n), 64)
	const longest = 1 << 30
	if err != nil || !(seconds >= 0) {
		return
	}
	a.usage.Reported = true
	a.usage.Units.Millis = max(a.usage.Units.Millis, int64(min(seconds, longest)*1000+0.5))
}

// readUsage reads the counts of an object, and of the objects in it, whose names differ between vendors.
func (a *answer) readUsage() {
	if a.S.Kind() != splice.Object {
		a.S.Skip()
		return
	}
	a.S.Enter()
	u, total := &a.usage, int64(0)
	for a.S.Next() {
		switch key := string(a.S.Key()); key {
		case "input_tokens", "prompt_tokens":
			u.Input, u.Reported = scan.ReadCount(a.S, a.Doc), true
		case "output_tokens", "completion_tokens":
			u.Output, u.Reported = scan.ReadCount(a.S, a.Doc), true
		case "total_tokens":
			total, u.Reported = scan.ReadCount(a.S, a.Doc), true
		case "image_tokens", "audio_tokens":
			u.Media = scan.ReadCount(a.S, a.Doc)
		case "cached_tokens":
			u.Cached = scan.ReadCount(a.S, a.Doc)
		case "search_units":
			u.Units.Searches, u.Reported = scan.ReadCount(a.S, a.Doc), true
		case "seconds", "prompt_audio_seconds", "audio_seconds":
			a.addSeconds()
		case "input_tokens_details", "input_token_details", "prompt_tokens_details", "billed_units":
			a.readUsage()
		default:
			a.S.Skip()
		}
	}
	if u.Input == 0 && total > u.Output {
		u.Input = total - u.Output
	}
}
