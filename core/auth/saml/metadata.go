package saml

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/crewjam/saml"
	xrv "github.com/mattermost/xml-roundtrip-validator"

	"github.com/headgate-dev/headgate/core/auth/sso"
)

const (
	maxMetadata  = 4 << 20 // bytes; federations publish larger ones, of all their members
	fetchTimeout = 10 * time.Second
	metadataAge  = time.Hour
	retryEvery   = 10 * time.Second
)

// idp caches the metadata of the identity provider. It fetches an address on first use, so that the gateway starts without
// the identity provider, and keeps the last metadata while the provider is unavailable.
type idp struct {
	address string // empty for a file, which was read at the start
	client  *http.Client
	now     func() time.Time
	report  func(error)

	mu      sync.Mutex // held during a fetch: concurrent sign-ins wait for the same answer
	last    *saml.EntityDescriptor
	fetched time.Time
	tried   time.Time
}

func newIDP(o Options) (*idp, error) {
	d := &idp{client: o.Client, now: o.Now, report: o.Report}
	if strings.Contains(o.Metadata, "://") {
		if err := sso.CheckURL(o.Metadata); err != nil {
			return nil, fmt.Errorf("metadata %w", err)
		}
		d.address = o.Metadata
		return d, nil
	}
	text, err := os.ReadFile(o.Metadata)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if d.last, err = parseMetadata(text, o.Now()); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return d, nil
}

// loadMetadata returns the metadata of the identity provider.
func (d *idp) loadMetadata(ctx context.Context) (*saml.EntityDescriptor, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if d.address != "" && (d.last == nil || now.Sub(d.fetched) >= metadataAge) && (d.tried.IsZero() || now.Sub(d.tried) >= retryEvery) {
		d.tried = now
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		got, err := d.fetch(ctx, now)
		if err != nil {
			d.report(fmt.Errorf("the metadata of the identity provider could not be read; the last ones stay in use: %w", err))
		} else {
			d.last, d.fetched = got, now
		}
	}
	switch {
	case d.last == nil:
		return nil, errors.New("the identity provider's metadata have not been read yet")
	case !d.last.ValidUntil.IsZero() && !now.Before(d.last.ValidUntil):
		return nil, errors.New("the identity provider's metadata have expired")
	}
	return d.last, nil
}

func (d *idp) fetch(ctx context.Context, now time.Time) (_ *saml.EntityDescriptor, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer has status %d", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata+1))
	if err != nil {
		return nil, err
	}
	return parseMetadata(text, now)
}

// parseMetadata parses the metadata of one identity provider, alone or in a list.
func parseMetadata(text []byte, now time.Time) (*saml.EntityDescriptor, error) {
	if len(text) > maxMetadata {
		return nil, errors.New("the metadata are larger than 4 MiB")
	}
	if err := xrv.Validate(bytes.NewReader(text)); err != nil {
		return nil, errors.New("the metadata are not XML")
	}
	var one saml.EntityDescriptor
	if xml.Unmarshal(text, &one) != nil {
		var many saml.EntitiesDescriptor
		if xml.Unmarshal(text, &many) != nil {
			return nil, errors.New("the metadata are not SAML metadata: the root is neither EntityDescriptor nor EntitiesDescriptor")
		}
		found := 0
		for _, e := range many.EntityDescriptors {
			if len(e.IDPSSODescriptors) > 0 {
				one = e
				found++
			}
		}
		if found != 1 {
			return nil, fmt.Errorf("the metadata describe %d identity providers, but must describe one", found)
		}
	}
	return &one, checkValidity(&one, now)
}

// checkValidity returns what the metadata of an identity provider lacks, or nil.
func checkValidity(d *saml.EntityDescriptor, now time.Time) error {
	sp := saml.ServiceProvider{IDPMetadata: d}
	at := sp.GetSSOBindingLocation(saml.HTTPRedirectBinding)
	u, err := url.Parse(at)
	certs := 0
	for _, s := range d.IDPSSODescriptors {
		for _, k := range s.KeyDescriptors {
			if k.Use == "" || k.Use == "signing" {
				certs += len(k.KeyInfo.X509Data.X509Certificates)
			}
		}
	}
	switch {
	case d.EntityID == "":
		return errors.New("the metadata lack an entityID; export them from the identity provider again")
	case len(d.IDPSSODescriptors) == 0:
		return errors.New("the metadata lack an identity provider (IDPSSODescriptor); use those of the identity provider, not of a service")
	case at == "":
		return errors.New("the metadata lack a SingleSignOnService with the binding HTTP-Redirect; enable it at the identity provider")
	case err != nil || sso.CheckURL(u.Scheme+"://"+u.Host) != nil || u.User != nil:
		return errors.New("the address of their SingleSignOnService must be https; http is accepted only on a loopback address")
	case certs == 0:
		return errors.New("the metadata lack a certificate for signing; export them from the identity provider again")
	case !d.ValidUntil.IsZero() && !now.Before(d.ValidUntil):
		return errors.New("the metadata have expired (validUntil)")
	}
	return nil
}
