package providers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// signer signs calls with AWS's Signature Version 4.
type signer struct {
	v4     *v4.Signer
	keys   aws.Credentials
	region string
	now    func() time.Time
}

func newSigner(k awsKeys, region string) *signer {
	return &signer{
		v4: v4.NewSigner(), region: region, now: time.Now,
		keys: aws.Credentials{AccessKeyID: k.id, SecretAccessKey: k.secret, SessionToken: k.session},
	}
}

// sign adds the signature, which covers the body and its content type.
func (s *signer) sign(r *upstream.Request) error {
	call := http.Request{
		Method: r.Method, URL: r.URL, Host: r.URL.Host, ContentLength: int64(len(r.Body)),
		Header: http.Header{"Content-Type": {"application/json"}},
	}
	sum := sha256.Sum256(r.Body)
	if err := s.v4.SignHTTP(context.Background(), s.keys, &call, hex.EncodeToString(sum[:]), "bedrock", s.region, s.now()); err != nil {
		return fmt.Errorf("sign the call: %w", err)
	}
	for _, name := range []string{"X-Amz-Date", "X-Amz-Security-Token", "Authorization"} {
		if v := call.Header.Get(name); v != "" {
			r.Header = append(r.Header, upstream.Field{Name: name, Value: v})
		}
	}
	return nil
}
