package providers

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Keys and time of AWS's published test suite for Signature Version 4.
const (
	suiteID     = "AKIDEXAMPLE"
	suiteSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	suiteDate   = "20150830T123600Z"
)

// received is a call as the server reads it from the connection.
type received struct {
	method, path, query string
	header              map[string]string // lower case
	body                string
}

// signature returns the signature that AWS's documentation tells servers to compute. It is written from that text, not
// from the signer, and verified with AWS's own vectors below.
func signature(r received, signed []string, secret, scope string) string {
	canonical := []string{r.method, encodeAgain(r.path), r.query}
	for _, name := range signed {
		canonical = append(canonical, name+":"+strings.TrimSpace(r.header[name]))
	}
	canonical = append(canonical, "", strings.Join(signed, ";"), hash(r.body))
	key := []byte("AWS4" + secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	text := "AWS4-HMAC-SHA256\n" + r.header["x-amz-date"] + "\n" + scope + "\n" + hash(strings.Join(canonical, "\n"))
	return hex.EncodeToString(mac(key, text))
}

// encodeAgain encodes the path once more after it was encoded for sending, which is the rule for every service except
// S3.
func encodeAgain(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func TestTheVerifierAgreesWithTheVectorsThatAWSPublishes(t *testing.T) {
	host := map[string]string{"host": "example.amazonaws.com", "x-amz-date": suiteDate}
	form := map[string]string{"host": "example.amazonaws.com", "x-amz-date": suiteDate, "content-type": "application/x-www-form-urlencoded"}
	const scope = "20150830/us-east-1/service/aws4_request"
	for name, c := range map[string]struct {
		r      received
		signed []string
		want   string
	}{
		"get-vanilla": {
			received{"GET", "/", "", host, ""},
			[]string{"host", "x-amz-date"},
			"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		},
		"post-vanilla": {
			received{"POST", "/", "", host, ""},
			[]string{"host", "x-amz-date"},
			"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
		},
		"post-x-www-form-urlencoded": {
			received{"POST", "/", "", form, "Param1=value1"},
			[]string{"content-type", "host", "x-amz-date"},
			"ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
		},
	} {
		assert.Equal(t, c.want, signature(c.r, c.signed, suiteSecret, scope), name)
	}
}

// signedBedrock returns a provider whose calls carry the suite's time.
func signedBedrock(t testing.TB, s Settings) *hosted {
	s.Name, s.Type = "bedrock", "bedrock"
	p := newProvider(t, s).(*hosted)
	require.NotNil(t, p.sign)
	at, err := time.Parse("20060102T150405Z", suiteDate)
	require.NoError(t, err)
	signer := newSigner(awsKeys{s.AccessKeyID, s.SecretAccessKey, s.SessionToken}, s.Region)
	signer.now = func() time.Time { return at }
	p.sign = signer.sign
	return p
}

func field(r *upstream.Request, name string) string {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

func TestASignedCallIsWhatAWSComputes(t *testing.T) {
	for name, c := range map[string]struct {
		model, base, session, body string
		stream                     bool
	}{
		"a model":           {model: "amazon.nova-lite-v1:0", body: `{"messages":[]}`},
		"a stream":          {model: "amazon.nova-lite-v1:0", body: `{"messages":[]}`, stream: true},
		"an ARN":            {model: "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.anthropic.claude-x-v1:0", body: `{"a":"ü"}`},
		"temporary keys":    {model: "m", session: "session+token/=", body: `{}`},
		"another address":   {model: "m", base: "https://vpce.example:8443/p%2Fq", body: `{}`},
		"the default port":  {model: "m", base: "https://vpce.example:443", body: `{}`},
		"a name with space": {model: "my model", body: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := signedBedrock(t, Settings{
				Region: "eu-central-1", BaseURL: c.base, AccessKeyID: suiteID, SecretAccessKey: suiteSecret, SessionToken: c.session,
				Header: []upstream.Field{{Name: "X-Proxy", Value: "added, not signed"}},
			})
			x := exchange(openAIChat, c.model, c.stream)
			x.Target.Wire = bedrockConverse
			r := &upstream.Request{Body: []byte(c.body)}
			require.NoError(t, p.NewRequest(x, r))
			sent := received{"POST", r.URL.EscapedPath(), r.URL.RawQuery, map[string]string{
				"host": strings.TrimSuffix(r.URL.Host, ":443"), "content-length": fmt.Sprint(len(c.body)),
			}, c.body}
			for _, f := range r.Header {
				sent.header[strings.ToLower(f.Name)] = f.Value
			}
			authorization := field(r, "Authorization")
			rest, ok := strings.CutPrefix(
				authorization,
				"AWS4-HMAC-SHA256 Credential="+suiteID+"/20150830/eu-central-1/bedrock/aws4_request, SignedHeaders=",
			)
			require.True(t, ok, authorization)
			list, got, ok := strings.Cut(rest, ", Signature=")
			require.True(t, ok)
			signed := strings.Split(list, ";")
			for _, must := range []string{"host", "content-type", "x-amz-date"} {
				assert.Contains(t, signed, must)
			}
			assert.Equal(t, c.session != "", slices.Contains(signed, "x-amz-security-token"))
			assert.Equal(t, c.session, field(r, "X-Amz-Security-Token"))
			assert.Equal(t, signature(sent, signed, suiteSecret, "20150830/eu-central-1/bedrock/aws4_request"), got)
			assert.NotContains(t, fmt.Sprint(r.URL, r.Header), suiteSecret)
		})
	}
}

// The signature must cover what is sent: the path's escapes, the host with its port and the length, with either
// transport.
func TestAServerFindsTheSignatureOfWhatItReceives(t *testing.T) {
	calls := make(chan received, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a truncated body shows as a wrong signature
		path, query, _ := strings.Cut(r.RequestURI, "?")
		got := received{r.Method, path, query, map[string]string{"host": r.Host, "content-length": fmt.Sprint(r.ContentLength)}, string(body)}
		for name, v := range r.Header {
			got.header[strings.ToLower(name)] = strings.Join(v, ",")
		}
		calls <- got
	}))
	defer server.Close()
	other, err := upstream.NewTransport(upstream.TransportOptions{})
	require.NoError(t, err)
	for name, client := range map[string]upstream.Client{"lean": upstream.NewLean(upstream.LeanOptions{}), "http": other} {
		t.Run(name, func(t *testing.T) {
			defer func() { assert.NoError(t, client.Close()) }()
			p := signedBedrock(
				t,
				Settings{Region: "eu-central-1", BaseURL: server.URL + "/p%2Fq", AccessKeyID: suiteID, SecretAccessKey: suiteSecret, SessionToken: "t"},
			)
			x := exchange(openAIChat, "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.x-v1:0 ü", true)
			x.Target.Wire = bedrockConverse
			r := &upstream.Request{Body: []byte(`{"messages":[{"role":"user","content":[{"text":"ü"}]}]}`)}
			require.NoError(t, p.NewRequest(x, r))
			res, err := client.Do(context.Background(), r)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			got := <-calls
			assert.Equal(
				t,
				"/p%2Fq/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Feu.x-v1%3A0%20%C3%BC/converse-stream",
				got.path,
			)
			list, sent, ok := strings.Cut(got.header["authorization"], ", Signature=")
			require.True(t, ok)
			_, list, _ = strings.Cut(list, "SignedHeaders=")
			assert.Equal(t, signature(got, strings.Split(list, ";"), suiteSecret, "20150830/eu-central-1/bedrock/aws4_request"), sent)
		})
	}
}

func BenchmarkSignedRequest(b *testing.B) {
	p := signedBedrock(b, Settings{Region: "eu-central-1", AccessKeyID: suiteID, SecretAccessKey: suiteSecret})
	x := exchange(openAIChat, "amazon.nova-lite-v1:0", true)
	x.Target.Wire = bedrockConverse
	r := &upstream.Request{Body: make([]byte, 10<<10)}
	b.ReportAllocs()
	for range b.N {
		if err := p.NewRequest(x, r); err != nil {
			b.Fatal(err)
		}
	}
}
