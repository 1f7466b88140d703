package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Timeouts of requests to the control plane.
const (
	askTimeout   = 5 * time.Second  // for the version
	fetchTimeout = 60 * time.Second // for a bundle, a file, or sending records
)

// Client calls the control plane of a node. It is safe for concurrent use.
type Client struct {
	base, secret, node string
	http               *http.Client
	sealer             *Sealer
}

// ClientOptions contains the address and the trust of the control plane.
type ClientOptions struct {
	URL, Secret, Node string
	CAFile            string // PEM; "" uses only the system's certificates
}

// NewClient returns the client of a node.
func NewClient(o ClientOptions) (*Client, error) {
	if _, err := url.Parse(o.URL); err != nil {
		return nil, errors.New("fleet.control_plane is not a URL")
	}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: askTimeout, ResponseHeaderTimeout: fetchTimeout,
	}
	if o.CAFile != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("fleet.ca_file: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, errors.New("fleet.ca_file contains no certificate")
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &Client{
		base: strings.TrimSuffix(o.URL, "/"), secret: o.Secret, node: o.Node, sealer: NewSealer(o.Secret),
		http: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Sealer returns the sealer of the fleet secret.
func (c *Client) Sealer() *Sealer { return c.sealer }

// FetchVersion returns the control plane's version. since is the version of the node.
func (c *Client) FetchVersion(ctx context.Context, since int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	b, err := c.do(ctx, http.MethodGet, "/internal/v1/config/version?since_version="+strconv.FormatInt(since, 10), "", nil, 1<<10)
	if err != nil {
		return 0, err
	}
	var v struct {
		Version *int64 `json:"version"`
	}
	if json.Unmarshal(b, &v) != nil || v.Version == nil {
		return 0, errors.New("the answer is not that of a control plane; check fleet.control_plane")
	}
	return *v.Version, nil
}

// FetchBundle fetches the changes since a version, or everything if since is 0.
func (c *Client) FetchBundle(ctx context.Context, since int64) (*Bundle, error) {
	h, body, err := c.fetchSealed(
		ctx,
		http.MethodGet,
		"/internal/v1/config/bundle?since_version="+strconv.FormatInt(since, 10),
		nil,
		purposeBundle,
	)
	if err != nil {
		return nil, err
	}
	return unpackBundle(h, body)
}

// FetchFile fetches a file of a bundle.
func (c *Client) FetchFile(ctx context.Context, f File) ([]byte, error) {
	_, b, err := c.fetchSealed(ctx, http.MethodGet, "/internal/v1/config/files/"+url.PathEscape(f.Digest), nil, purposeModule)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != f.Digest {
		return nil, fmt.Errorf("the received file %s has another digest", f.Name)
	}
	return b, nil
}

// SendRecords sends records and returns the numbers up to which the control plane has stored them. Empty records only query those.
func (c *Client) SendRecords(ctx context.Context, r *Records) (Stored, error) {
	var s Stored
	plain, err := r.pack()
	if err != nil {
		return s, err
	}
	message, err := c.sealer.seal(purposeRecords, Head{Issued: time.Now().UTC(), Node: c.node}, plain)
	if err != nil {
		return s, err
	}
	_, b, err := c.fetchSealed(ctx, http.MethodPost, "/internal/v1/records", message, purposeAnswer)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// fetchSealed requests a sealed answer and unseals it.
func (c *Client) fetchSealed(ctx context.Context, method, path string, body []byte, purpose string) (Head, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	nonce := rand.Text()
	b, err := c.do(ctx, method, path, nonce, body, maxSealed)
	if err != nil {
		return Head{}, nil, err
	}
	h, plain, err := c.sealer.unseal(purpose, b)
	if err != nil {
		return h, nil, err
	}
	if h.Nonce != nonce {
		return h, nil, errors.New("the answer belongs to another request")
	}
	return h, plain, nil
}

func (c *Client) do(ctx context.Context, method, path, nonce string, body []byte, most int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set(SecretHeader, c.secret)
	r.Header.Set(NodeHeader, c.node)
	if nonce != "" {
		r.Header.Set(NonceHeader, nonce)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // the rest of the body is not needed
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
		if res.StatusCode == http.StatusUnauthorized {
			return nil, errors.New("the control plane refuses the secret: fleet.secret differs there")
		}
		return nil, fmt.Errorf("the control plane answers with status %d", res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("the control plane's answer is larger than %d bytes", most)
	}
	return b, nil
}
