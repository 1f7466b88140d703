package token

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

// AWSKeys are the keys of a role for a time. They are the value of a Token, in JSON.
type AWSKeys struct {
	ID      string `json:"AccessKeyId"`
	Secret  string `json:"SecretAccessKey"`
	Session string `json:"Token"`
}

// ParseAWSKeys reads the value of a token of AWS.
func ParseAWSKeys(value string) (k AWSKeys, err error) {
	err = json.Unmarshal([]byte(value), &k)
	return k, err
}

// newToken returns the token of keys.
func (k AWSKeys) newToken(expires time.Time) (Token, error) {
	if k.ID == "" || k.Secret == "" || k.Session == "" || expires.IsZero() {
		return Token{}, &Error{Reason: "the answer for the role of AWS holds no keys with an end"}
	}
	value, err := json.Marshal(k)
	return Token{Value: string(value), Expires: expires}, err
}

// NewAWSContainer returns the fetch of the role that ECS, EKS or another agent gives to a container. address is its URL;
// authorization returns the value of that header, "" for none. An address is only taken over TLS, of the machine itself, or
// of those that AWS uses, so that the environment cannot send the gateway anywhere else.
func NewAWSContainer(client *http.Client, address string, authorization func() (string, error)) (Fetch, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || !isAWSAgent(u) {
		return nil, errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI is not an address that AWS uses: https, or http on the machine itself, " +
			"169.254.170.2, 169.254.170.23 or [fd00:ec2::23]")
	}
	const who = "the container's credentials endpoint"
	return func(ctx context.Context) (Token, error) {
		auth, err := authorization()
		if err != nil {
			return Token{}, &Error{Reason: "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read", Err: err}
		}
		header := http.Header{}
		if auth = strings.TrimSpace(auth); auth != "" {
			header.Set("Authorization", auth)
		}
		body, err := askAWS(ctx, client, who, http.MethodGet, address, header, "")
		if err != nil {
			return Token{}, err
		}
		return readAWSKeys(body)
	}, nil
}

func isAWSAgent(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	if u.Scheme != "http" {
		return false
	}
	switch host := u.Hostname(); host {
	case "169.254.170.2", "169.254.170.23", "fd00:ec2::23":
		return true
	default:
		ip, err := netip.ParseAddr(host)
		return err == nil && ip.IsLoopback()
	}
}

// NewAWSMetadata returns the fetch of the role of an EC2 machine, by the second version of its metadata service. endpoint
// replaces the service's address; "" for the default.
func NewAWSMetadata(client *http.Client, endpoint string) (Fetch, error) {
	base := "http://169.254.169.254"
	if endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "http" || !isMetadataHost(u.Hostname()) {
			return nil, errors.New("AWS_EC2_METADATA_SERVICE_ENDPOINT is not the address of a metadata service")
		}
		base = strings.TrimRight(endpoint, "/")
	}
	const who = "the machine's metadata service"
	return func(ctx context.Context) (Token, error) {
		session, err := askAWS(ctx, client, who, http.MethodPut, base+"/latest/api/token",
			http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"300"}}, "")
		if err != nil {
			return Token{}, err
		}
		header := http.Header{"X-Aws-Ec2-Metadata-Token": {strings.TrimSpace(string(session))}}
		const list = "/latest/meta-data/iam/security-credentials/"
		roles, err := askAWS(ctx, client, who, http.MethodGet, base+list, header, "")
		if err != nil {
			return Token{}, err
		}
		role, _, _ := strings.Cut(strings.TrimSpace(string(roles)), "\n")
		if role == "" {
			return Token{}, &Error{Reason: "the machine has no role"}
		}
		body, err := askAWS(ctx, client, who, http.MethodGet, base+list+url.PathEscape(strings.TrimSpace(role)), header, "")
		if err != nil {
			return Token{}, err
		}
		return readAWSKeys(body)
	}, nil
}

func isMetadataHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || host == "169.254.169.254" || host == "fd00:ec2::254")
}

// AWSWebIdentity is a role that is assumed with a token that another identity provider has signed, as pods of EKS do.
type AWSWebIdentity struct {
	Endpoint  string // of STS, such as https://sts.eu-central-1.amazonaws.com
	Role      string // its ARN
	Session   string // its name in AWS's logs
	TokenFile string // which its issuer replaces
}

// NewFetch asks STS for keys of the role.
func (a AWSWebIdentity) NewFetch(client *http.Client) (Fetch, error) {
	u, err := url.Parse(a.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "https" && !isLocal(u) {
		return nil, errors.New("AWS_ENDPOINT_URL_STS is not an https URL")
	}
	return func(ctx context.Context) (Token, error) {
		signed, err := os.ReadFile(a.TokenFile)
		if err != nil {
			return Token{}, &Error{Reason: "AWS_WEB_IDENTITY_TOKEN_FILE cannot be read", Err: err}
		}
		form := url.Values{
			"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {a.Role}, "RoleSessionName": {a.Session},
			"WebIdentityToken": {strings.TrimSpace(string(signed))},
		}
		body, err := askAWS(ctx, client, "AWS's token service", http.MethodPost, a.Endpoint,
			http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/xml"}}, form.Encode())
		if err != nil {
			return Token{}, err
		}
		var answer struct {
			Keys struct {
				ID      string    `xml:"AccessKeyId"`
				Secret  string    `xml:"SecretAccessKey"`
				Session string    `xml:"SessionToken"`
				Expires time.Time `xml:"Expiration"`
			} `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
		}
		if xml.Unmarshal(body, &answer) != nil {
			return Token{}, &Error{Reason: "AWS's token service answered with something else than keys"}
		}
		k := &answer.Keys
		return AWSKeys{k.ID, k.Secret, k.Session}.newToken(k.Expires)
	}, nil
}

func isLocal(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && err == nil && ip.IsLoopback()
}

func readAWSKeys(body []byte) (Token, error) {
	var answer struct {
		AWSKeys
		Expires time.Time `json:"Expiration"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return Token{}, &Error{Reason: "the answer for the role of AWS is not JSON"}
	}
	return answer.newToken(answer.Expires)
}

// askAWS sends a request and returns the body of a success. Its errors repeat nothing of either.
func askAWS(ctx context.Context, client *http.Client, who, method, address string, header http.Header, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, &Error{Reason: "the address of " + who + " is not a URL"}
	}
	r.Header = header
	res, err := client.Do(r)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			err = context.DeadlineExceeded
		}
		return nil, describeFailure(who, errors.Join(ctx.Err(), err))
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxTokenAnswer))
	switch {
	case err != nil:
		return nil, describeFailure(who, ctx.Err())
	case res.StatusCode != http.StatusOK:
		return nil, &Error{Reason: fmt.Sprintf("%s answered %d", who, res.StatusCode)}
	}
	return answer, nil
}
