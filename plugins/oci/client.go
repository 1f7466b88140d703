package oci

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Options are how a registry is reached.
type Options struct {
	// User and Password are sent to the registry when it asks for them. Optional.
	User, Password string
	// PlainHTTP is for a registry without TLS, such as one on this machine.
	PlainHTTP bool
	// Store is a folder that keeps what was pulled. What it holds is verified each time. Optional.
	Store string
	// CosignKeys are public keys, by one of which cosign must have signed the artifact. Optional.
	CosignKeys []CosignKey
	// Timeout is the time limit of one request; a minute by default.
	Timeout time.Duration
}

// errOtherHost says that a registry sent the client elsewhere. It does not name the place, which the registry chose.
var errOtherHost = errors.New(
	"the registry refers to another host for its content or its tokens, which is not called; use a registry that serves both itself",
)

// onlyHost is a transport that reaches one host by one scheme: what a registry answers must not choose whom this machine calls.
type onlyHost struct {
	host, scheme string
	next         http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *onlyHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != t.host || r.URL.Scheme != t.scheme {
		return nil, errOtherHost
	}
	return t.next.RoundTrip(r)
}

// openRepository returns the repository of a reference.
func openRepository(r Reference, o Options) (*remote.Repository, error) {
	repo, err := remote.NewRepository(r.ref.Registry + "/" + r.ref.Repository)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	scheme := "https"
	if o.PlainHTTP {
		scheme = "http"
	}
	repo.PlainHTTP = o.PlainHTTP
	client := &auth.Client{
		Client: &http.Client{
			Timeout:   timeout,
			Transport: &onlyHost{r.ref.Host(), scheme, http.DefaultTransport},
		},
		Cache: auth.NewCache(),
	}
	client.SetUserAgent("headgate")
	if o.User != "" {
		client.Credential = auth.StaticCredential(r.ref.Registry, auth.Credential{Username: o.User, Password: o.Password})
	}
	repo.Client = client
	return repo, nil
}
