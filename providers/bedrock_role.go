package providers

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// newAWSRole returns the fetch of the role that AWS gives to this process, according to the environment, in the order of AWS's
// own tools: a web identity, the endpoint of a container, or the machine. It returns nil if the environment names no
// source. It asks the machine only if AWS_EC2_METADATA_DISABLED is false, so that a gateway without credentials reports
// that at once.
func newAWSRole(env func(string) string, awsRegion string) (token.Fetch, error) {
	file, role := env("AWS_WEB_IDENTITY_TOKEN_FILE"), env("AWS_ROLE_ARN")
	container := env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if path := env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		container = "http://169.254.170.2" + path
	}
	switch {
	case file != "" && role != "":
		return token.AWSWebIdentity{
			Endpoint: cmp.Or(env("AWS_ENDPOINT_URL_STS"), "https://sts."+awsRegion+"."+findAWSDomain(awsRegion)),
			Role:     role, Session: cmp.Or(env("AWS_ROLE_SESSION_NAME"), "headgate"), TokenFile: file,
		}.NewFetch(newIdentityClient(false))
	case container != "":
		return token.NewAWSContainer(newIdentityClient(true), container, func() (string, error) {
			if file := env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
				b, err := os.ReadFile(file)
				return string(b), err
			}
			return env("AWS_CONTAINER_AUTHORIZATION_TOKEN"), nil
		})
	case env("AWS_EC2_METADATA_DISABLED") == "false":
		return token.NewAWSMetadata(newIdentityClient(true), env("AWS_EC2_METADATA_SERVICE_ENDPOINT"))
	}
	return nil, nil
}

// roleSigned is a client whose calls are signed with the keys of a role, which change.
type roleSigned struct {
	authorized
	region string
	last   atomic.Pointer[issuedSigner]
}

// issuedSigner is the signer for the value of a token.
type issuedSigner struct {
	value string
	*signer
}

// Do signs the call and makes it. Keys that AWS refuses are not used again.
func (c *roleSigned) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	value, err := c.tokens.Get(ctx)
	if err != nil {
		return nil, c.convertFailure(ctx, err)
	}
	s := c.last.Load()
	if s == nil || s.value != value {
		keys, err := token.ParseAWSKeys(value)
		if err != nil {
			return nil, c.convertFailure(ctx, err)
		}
		s = &issuedSigner{value, newSigner(awsKeys{keys.ID, keys.Secret, keys.Session}, c.region)}
		c.last.Store(s)
	}
	if err := s.sign(r); err != nil {
		return nil, c.convertFailure(ctx, err)
	}
	res, err := c.authorized.Client.Do(ctx, r)
	if err == nil && res.Status == http.StatusForbidden {
		c.tokens.Drop(value)
	}
	return res, err
}
