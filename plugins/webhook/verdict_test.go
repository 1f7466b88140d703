package webhook

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// signs answers every call with a status, a type and a body, correctly signed.
func signs(status int, kind, body string) http.Handler {
	v := &webhook.Verifier{Secrets: []string{secret}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		call, err := v.Verify(r.Header, b)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set(webhook.HeaderSignature, call.Sign([]byte(body)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func TestAReplyThatIsNoVerdictIsAFault(t *testing.T) {
	const js = "application/json"
	for _, c := range []struct {
		name         string
		status       int
		kind, body   string
		fault        core.Fault
		why          string
		alsoAccepted bool
	}{
		{name: "broken JSON", status: 200, kind: js, body: `{"version":1,"action":"` + canary, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "two values", status: 200, kind: js, body: `{"version":1,"action":"pass"}{}`, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "an unknown key", status: 200, kind: js, body: `{"version":1,"action":"pass","` + canary + `":1}`, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "a key in another case", status: 200, kind: js, body: `{"version":1,"action":"block","Action":"pass"}`, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "a key twice", status: 200, kind: js, body: `{"version":1,"action":"block","action":"pass"}`, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "no version", status: 200, kind: js, body: `{"action":"pass"}`, fault: core.FaultVerdict, why: "not of version 1"},
		{name: "no action", status: 200, kind: js, body: `{"version":1}`, fault: core.FaultVerdict, why: "no known action"},
		{name: "an unknown action", status: 200, kind: js, body: `{"version":1,"action":"` + canary + `"}`, fault: core.FaultVerdict, why: "no known action"},
		{name: "null", status: 200, kind: js, body: `null`, fault: core.FaultVerdict, why: "not of version 1"},
		{name: "nothing", status: 200, kind: js, body: ``, fault: core.FaultVerdict, why: "not a verdict"},
		{name: "a pass with findings", status: 200, kind: js, body: reports(`"pass"`, `"start":0,"end":1,"label":"a"`), fault: core.FaultVerdict, why: "replies flag"},
		{name: "a redaction of nothing", status: 200, kind: js, body: `{"version":1,"action":"redact"}`, fault: core.FaultVerdict, why: "nothing"},
		{name: "an unknown unit", status: 200, kind: js, body: `{"version":1,"action":"pass","unit":"utf32"}`, fault: core.FaultVerdict, why: "unit"},
		{name: "a segment that does not exist", status: 200, kind: js, body: strings.Replace(reports(`"flag"`, `"start":0,"end":1,"label":"a"`), `"segment":0`, `"segment":1`, 1), fault: core.FaultVerdict, why: "segment"},
		{name: "an empty span", status: 200, kind: js, body: reports(`"flag"`, `"start":1,"end":1,"label":"a"`), fault: core.FaultVerdict, why: "empty"},
		{name: "a span beyond the text", status: 200, kind: js, body: reports(`"flag"`, `"start":1,"end":100,"label":"a"`), fault: core.FaultVerdict, why: "outside"},
		{name: "a span before the text", status: 200, kind: js, body: reports(`"flag"`, `"start":-1,"end":1,"label":"a"`), fault: core.FaultVerdict, why: "outside"},
		{name: "a span that cuts a character", status: 200, kind: js, body: reports(`"redact"`, `"start":0,"end":2,"label":"a"`), fault: core.FaultVerdict, why: "splits a character"},
		{name: "a label with a blank", status: 200, kind: js, body: reports(`"flag"`, `"start":0,"end":1,"label":"`+canary+` x"`), fault: core.FaultVerdict, why: "label"},
		{name: "a finding without a label", status: 200, kind: js, body: reports(`"flag"`, `"start":0,"end":1`), fault: core.FaultVerdict, why: "label"},
		{name: "a score above 1", status: 200, kind: js, body: reports(`"flag"`, `"start":0,"end":1,"label":"a","score":1.5`), fault: core.FaultVerdict, why: "score"},
		{name: "a replacement that is too long", status: 200, kind: js, body: reports(`"redact"`, `"start":0,"end":1,"label":"a","with":"`+strings.Repeat("x", remote.MaxWith+1)+`"`), fault: core.FaultVerdict, why: "replacement"},
		{name: "too many findings", status: 200, kind: js, body: `{"version":1,"action":"flag","findings":[` + strings.Repeat(`{"segment":0,"start":0,"end":1,"label":"a"},`, remote.MaxFindings) + `{"segment":0,"start":0,"end":1,"label":"a"}]}`, fault: core.FaultVerdict, why: "more than"},
		{name: "a reply that is too large", status: 200, kind: js, body: strings.Repeat(" ", maxReply) + `{"version":1,"action":"pass"}`, fault: core.FaultABI, why: "larger than"},
		{name: "another content type", status: 200, kind: "text/html", body: `{"version":1,"action":"pass"}`, fault: core.FaultABI, why: "application/json"},
		{name: "a redirect", status: 307, kind: js, body: `{"version":1,"action":"pass"}`, fault: core.FaultError, why: "redirects are not followed"},
		{name: "an error", status: 500, kind: js, body: canary, fault: core.FaultError, why: "status 500"},
		{name: "another success", status: 204, kind: js, body: "", fault: core.FaultError, why: "status 204"},
		{name: "a charset beside the content type", status: 200, kind: js + "; charset=utf-8", body: `{"version":1,"action":"pass"}`, alsoAccepted: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serves(t, new(receiver), signs(c.status, c.kind, c.body)).link(t)
			v, err := check(s, "aé "+canary)
			if c.alsoAccepted {
				require.NoError(t, err)
				return
			}
			checkFault(t, err, c.fault, c.why)
			assert.Empty(t, v)
		})
	}
}

// reports returns a verdict with one finding in the first segment.
func reports(action, finding string) string {
	return `{"version":1,"action":` + action + `,"findings":[{"segment":0,` + finding + `}]}`
}

func TestAReplyMustBeSignedForThisVeryCall(t *testing.T) {
	const body = `{"version":1,"action":"pass"}`
	reply := func(sign func(r *http.Request, b []byte) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			if s := sign(r, b); s != "" {
				w.Header().Set(webhook.HeaderSignature, s)
			}
			_, _ = io.WriteString(w, body)
		})
	}
	at := func(r *http.Request) (n int64) {
		for _, c := range r.Header.Get(webhook.HeaderTimestamp) {
			n = n*10 + int64(c-'0')
		}
		return n
	}
	for name, sign := range map[string]func(r *http.Request, b []byte) string{
		"unsigned": func(*http.Request, []byte) string { return "" },
		"under another key": func(r *http.Request, _ []byte) string {
			return webhook.Sign("another secret of a stranger", webhook.Reply, at(r), r.Header.Get(webhook.HeaderNonce), []byte(body))
		},
		"of another call": func(r *http.Request, _ []byte) string {
			return webhook.Sign(secret, webhook.Reply, at(r), strings.Repeat("0", 32), []byte(body))
		},
		"of another body": func(r *http.Request, _ []byte) string {
			return webhook.Sign(secret, webhook.Reply, at(r), r.Header.Get(webhook.HeaderNonce), []byte(body+" "))
		},
		"as a call": func(r *http.Request, _ []byte) string {
			return webhook.Sign(secret, webhook.Call, at(r), r.Header.Get(webhook.HeaderNonce), []byte(body))
		},
		"the call's, mirrored": func(r *http.Request, _ []byte) string { return r.Header.Get(webhook.HeaderSignature) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := check(serves(t, new(receiver), reply(sign)).link(t), canary)
			checkFault(t, err, core.FaultABI, "signature")
		})
	}
	_, err := check(serves(t, new(receiver), reply(func(r *http.Request, _ []byte) string {
		return webhook.Sign(secret, webhook.Reply, at(r), r.Header.Get(webhook.HeaderNonce), []byte(body))
	})).link(t), canary)
	require.NoError(t, err, "the valid signature is accepted")
}
