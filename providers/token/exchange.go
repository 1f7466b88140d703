package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Exchange obtains a token for one audience in exchange for a token of the gateway's own, or of a user (RFC 8693). The gateway's is
// in a file that its issuer replaces, such as the token of a Kubernetes service account.
type Exchange struct {
	URL          string // of the token endpoint
	ClientID     string // optional: the client does not authenticate
	ClientSecret string
	SubjectFile  string
	Subject      string // the token of a user, instead of the gateway's own in SubjectFile
	SubjectType  string // such as jwt, the end of urn:ietf:params:oauth:token-type:jwt
	Audience     string // optional, as are the others below
	Resource     string
	Scope        string
}

const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	tokenTypeURN  = "urn:ietf:params:oauth:token-type:"
	maxSubject    = 64 << 10
	exchangeName  = "the token endpoint"
)

// NewFetch asks the endpoint for a token with client, which must not follow redirects. Errors repeat nothing of the request, and
// of the answer only an error code of OAuth.
func (e Exchange) NewFetch(client *http.Client) Fetch {
	return func(ctx context.Context) (Token, error) {
		subject := e.Subject
		if subject == "" {
			var err error
			if subject, err = readSubject(e.SubjectFile); err != nil {
				return Token{}, err
			}
		}
		r, err := e.newRequest(ctx, subject)
		if err != nil {
			return Token{}, &Error{Reason: "the address of " + exchangeName + " is not a URL"}
		}
		asked := time.Now()
		res, err := client.Do(r)
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				err = context.DeadlineExceeded
			}
			return Token{}, describeFailure(exchangeName, errors.Join(ctx.Err(), err))
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(res.Body, maxTokenAnswer))
		if err != nil {
			return Token{}, describeFailure(exchangeName, ctx.Err())
		}
		return readExchanged(res, body, asked)
	}
}

// readSubject reads the gateway's own token.
func readSubject(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", &Error{Reason: "the file with the subject token cannot be read", Err: err}
	}
	defer func() { _ = f.Close() }() // read-only
	b, err := io.ReadAll(io.LimitReader(f, maxSubject+1))
	subject := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		return "", &Error{Reason: "the file with the subject token cannot be read", Err: err}
	case subject == "" || len(b) > maxSubject:
		return "", &Error{Reason: fmt.Sprintf("the file with the subject token must hold 1 to %d bytes", maxSubject)}
	}
	return subject, nil
}

// newRequest returns the request of RFC 8693, section 2.1. A client authenticates as RFC 6749, section 2.3.1, says.
func (e Exchange) newRequest(ctx context.Context, subject string) (*http.Request, error) {
	form := url.Values{
		"grant_type": {exchangeGrant}, "subject_token": {subject}, "subject_token_type": {tokenTypeURN + e.SubjectType},
		"requested_token_type": {tokenTypeURN + "access_token"},
	}
	for name, value := range map[string]string{"audience": e.Audience, "resource": e.Resource, "scope": e.Scope} {
		if value != "" {
			form.Set(name, value)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if e.ClientID != "" {
		r.SetBasicAuth(url.QueryEscape(e.ClientID), url.QueryEscape(e.ClientSecret))
	}
	return r, nil
}

// readExchanged reads the answer of RFC 8693, section 2.2.
func readExchanged(res *http.Response, body []byte, asked time.Time) (Token, error) {
	var answer struct {
		Token  string `json:"access_token"`
		Issued string `json:"issued_token_type"`
		Type   string `json:"token_type"`
		Life   int64  `json:"expires_in"`
		Error  string `json:"error"`
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	readable := media == "application/json" && json.Unmarshal(body, &answer) == nil
	switch {
	case res.StatusCode != http.StatusOK:
		reason := fmt.Sprintf("%s answered %d", exchangeName, res.StatusCode)
		if readable && oauthCode.MatchString(answer.Error) {
			reason += " (" + answer.Error + ")"
		}
		return Token{}, &Error{Reason: reason}
	case !readable:
		return Token{}, &Error{Reason: exchangeName + " answered with something else than JSON"}
	case answer.Token == "" || strings.ContainsFunc(answer.Token, func(c rune) bool { return c <= ' ' || c > '~' }):
		return Token{}, &Error{Reason: exchangeName + " returned no token that a header can hold"}
	case !strings.EqualFold(answer.Type, "Bearer"):
		return Token{}, &Error{Reason: exchangeName + " returned a token that is not a bearer token"}
	case answer.Issued != tokenTypeURN+"access_token" && answer.Issued != tokenTypeURN+"jwt":
		return Token{}, &Error{Reason: exchangeName + " issued another kind of token than an access token"}
	case answer.Life < 0:
		return Token{}, &Error{Reason: exchangeName + " returned a token that has expired"}
	}
	t := Token{Value: answer.Token}
	if answer.Life > 0 {
		t.Expires = asked.Add(time.Duration(min(answer.Life, maxLife)) * time.Second)
	}
	return t, nil
}

// maxLife is the longest time in seconds for which an exchanged token is kept.
const maxLife = 24 * 3600
