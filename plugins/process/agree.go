package process

import (
	"context"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// agreed is a plugin's description of itself, and the part of its requests that is granted.
type agreed struct {
	name, version               string
	phases                      core.Phases
	fields, texts, capabilities []string
	unit                        pb.Unit
	streams, finish             bool
	state, body, places         bool
	streamBytes                 int

	told  told
	shown [core.RoleTool + 1][core.KindOther + 1]bool // texts by role and kind
}

func (a *agreed) equals(b *agreed) bool {
	return a.name == b.name && a.version == b.version && a.phases == b.phases && a.unit == b.unit && a.streams == b.streams &&
		a.finish == b.finish && a.streamBytes == b.streamBytes && slices.Equal(a.fields, b.fields) && slices.Equal(a.texts, b.texts) &&
		slices.Equal(a.capabilities, b.capabilities)
}

// maxStreamBytes is the largest amount of stream text, in bytes, that a plugin may wait for before it judges.
const maxStreamBytes = 16 << 10

// checkHello checks a plugin's description of itself against the operator's grant.
func (p *process) checkHello(h *pb.Hello) (agreed, *Error) {
	a := agreed{
		name: h.Name, version: h.Version, unit: h.Unit, streams: h.Streams, finish: h.Finish, streamBytes: int(h.StreamBytes),
	}
	wrong := ""
	switch {
	case !isValidName(h.Name):
		wrong = "the plugin's name is not of small letters, digits and hyphens, 63 at most"
	case h.Version == "" || len(h.Version) > 63 || h.Version != remote.CleanText(h.Version, 63):
		wrong = "the plugin's version is missing, too long, or not printable"
	case len(h.Phases) == 0:
		wrong = "the plugin names no phase"
	case h.Unit < 0 || h.Unit > pb.Unit_UNIT_RUNE:
		wrong = "its offsets have an unknown unit"
	case h.StreamBytes > maxStreamBytes:
		wrong = "the plugin has streams wait for more than 16 KiB"
	}
	for _, ph := range h.Phases {
		if ph < pb.Phase_PHASE_REQUEST || ph > pb.Phase_PHASE_RESPONSE {
			wrong = "the plugin names an unknown phase"
			break
		}
		a.phases |= core.NewPhaseSet(core.Phase(ph))
	}
	for _, one := range []struct {
		what        string
		asks, known []string
	}{{"field", h.Fields, pb.Fields}, {"text", h.Texts, pb.Texts}, {"capability", h.Capabilities, pb.Capabilities}} {
		if slices.ContainsFunc(one.asks, func(s string) bool { return !slices.Contains(one.known, s) }) {
			wrong = "the plugin asks for an unknown " + one.what + "; known are: " + strings.Join(one.known, ", ")
		}
	}
	if wrong != "" {
		return a, p.newFault(OutcomeHandshake, "the plugin's Hello is invalid: %s", wrong)
	}
	g := &p.spec.Grant
	a.fields, a.texts = intersectFields(h.Fields, g.Fields), intersectFields(h.Texts, g.Text)
	a.capabilities = intersectFields(h.Capabilities, g.Capabilities)
	if p.spec.State == nil { // there is no store
		a.capabilities = slices.DeleteFunc(a.capabilities, func(c string) bool { return c == pb.CapabilityState })
	}
	a.state = slices.Contains(a.capabilities, pb.CapabilityState)
	a.body = slices.Contains(a.capabilities, pb.CapabilityBody) && len(a.texts) == len(pb.Texts)
	a.places = slices.Contains(a.fields, pb.FieldPlaces)
	a.told = buildFieldSet(a.fields)
	for r := range a.shown {
		for k := range a.shown[r] {
			a.shown[r][k] = slices.Contains(a.texts, nameSource(core.Role(r), core.SegmentKind(k)))
		}
	}
	return a, nil
}

// intersectFields returns what is both requested and granted, each once. A nil list of grants allows everything.
func intersectFields(asks, grants []string) (out []string) {
	for _, s := range asks {
		if (grants == nil || slices.Contains(grants, s)) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func isValidName(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// configure sends the plugin its settings and waits until it has accepted them.
func (s *session) configure(ctx context.Context) *Error {
	a := &s.p.agreed
	r, err := s.ask(ctx, context.Background(), noKey, &pb.FromHost{Body: &pb.FromHost_Configure{Configure: &pb.Configure{
		Link: s.p.spec.Link, Config: s.p.config, Fields: a.fields, Texts: a.texts, Capabilities: a.capabilities, MaxMessage: pb.MaxMessage,
		Scopes: s.p.spec.Grant.Scopes, Upstreams: s.p.spec.Grant.Upstreams,
	}}}, help{})
	switch {
	case err != nil && ctx.Err() != nil:
		return s.newSlowError()
	case err != nil:
		return s.newEarlyExitError()
	case r.GetFailed() != nil:
		s.p.out.writeLine([]byte(r.GetFailed().Reason))
		return s.p.newFault(OutcomeRefused, "the plugin refuses its settings; the log has its message")
	case r.GetReady() == nil:
		return s.p.newFault(OutcomeGarbage, "the plugin answered Configure with something that is not Ready")
	}
	return nil
}
