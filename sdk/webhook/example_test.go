package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

const sharedSecret = "0123456789abcdef0123456789abcdef"

// signedCall makes a call as the gateway would.
func signedCall(body string) *http.Request {
	at, nonce := time.Now().Unix(), strings.Repeat("ab", 16)
	r := httptest.NewRequest(http.MethodPost, "/check", strings.NewReader(body))
	r.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(at, 10))
	r.Header.Set(webhook.HeaderNonce, nonce)
	r.Header.Set(webhook.HeaderSignature, webhook.Sign(sharedSecret, webhook.Call, at, nonce, []byte(body)))
	return r
}

// A receiver judges texts. Handler verifies each call and signs each reply.
func ExampleHandler() {
	receiver := webhook.Handler(
		&webhook.Verifier{Secrets: []string{sharedSecret}},
		func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
			for _, s := range r.Segments {
				if strings.Contains(s.Text, "Project Atlas") {
					return &webhook.Verdict{Action: webhook.Block, Message: "Project Atlas must not leave the house."}, nil
				}
			}
			return &webhook.Verdict{Action: webhook.Pass}, nil
		},
	)

	w := httptest.NewRecorder()
	receiver.ServeHTTP(w, signedCall(`{"version": 1, "segments": [{"role": "user", "kind": "text", "text": "Project Atlas is late"}]}`))
	var verdict webhook.Verdict
	if err := json.Unmarshal(w.Body.Bytes(), &verdict); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Code, verdict.Action, verdict.Message)
	// Output: 200 block Project Atlas must not leave the house.
}

// A call is taken once: the same bytes a second time are refused.
func ExampleVerifier_Verify() {
	v := &webhook.Verifier{Secrets: []string{sharedSecret}}
	body := `{"version": 1}`
	call := signedCall(body)
	_, first := v.Verify(call.Header, []byte(body))
	_, second := v.Verify(call.Header, []byte(body))
	fmt.Println(first, second == webhook.ErrReplayed)
	// Output: <nil> true
}

// While a secret is replaced, both the new one and the old are accepted.
func ExampleVerifier_rotation() {
	v := &webhook.Verifier{Secrets: []string{"fedcba9876543210fedcba9876543210", sharedSecret}}
	body := `{"version": 1}`
	_, err := v.Verify(signedCall(body).Header, []byte(body))
	fmt.Println(err)
	// Output: <nil>
}

// A signature covers the time, the nonce, the direction and every byte of the body.
func ExampleMatches() {
	body := []byte(`{"version": 1}`)
	signature := webhook.Sign(sharedSecret, webhook.Call, 1700000000, "00ff", body)
	fmt.Println(webhook.Matches(sharedSecret, webhook.Call, 1700000000, "00ff", body, signature))
	fmt.Println(webhook.Matches(sharedSecret, webhook.Reply, 1700000000, "00ff", body, signature))
	// Output:
	// true
	// false
}
