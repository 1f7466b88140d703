package process

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// Defaults of a link.
const (
	DefaultTimeout      = time.Second      // of one call
	DefaultStartTimeout = 10 * time.Second // from the start until it is ready
	DefaultCalls        = 64               // at once
)

// Spec configures the plugin of a link.
type Spec struct {
	// Link is the name in the chain. It is also part of the names of the plugin's state.
	Link string
	// File is the executable, within the plugins folder.
	File string
	Args []string
	// Env is the complete environment, as NAME=value.
	Env []string
	// SHA256 is the digest of the file in hex. Optional: without it, any file that the host trusts may run.
	SHA256 string
	// Config is passed to the plugin as JSON. Optional.
	Config core.Settings
	// Grant is the part of the plugin's requests that is granted. A nil list grants all of them.
	Grant foreign.Grant
	// Plaintext turns off TLS on the stream, for plugins that cannot create certificates. The socket must then be
	// closed to all other users.
	Plaintext bool
	// Timeout limits one call, StartTimeout the start. 0 means the default.
	Timeout, StartTimeout time.Duration
	// Calls limits the concurrent calls. 0 means DefaultCalls.
	Calls int
	// State stores the state of plugins with the capability state. Optional.
	State core.State
	// Answer turns texts into replies. Optional: without it, the plugin cannot answer with a text.
	Answer foreign.Answerer
	// Services are what the gateway offers besides.
	Services foreign.Services
	// Silent says that the link's verdicts change nothing: it emits no events, and has its own counters in shared scopes.
	Silent bool
}

// complete sets defaults, validates the rest and returns the settings as JSON.
func (s *Spec) complete() ([]byte, error) {
	for _, word := range s.Grant.Scopes {
		if _, err := foreign.ParseScope(word); err != nil {
			return nil, fmt.Errorf("grant.scopes: %q: %w", remote.CleanText(word, 80), err)
		}
	}
	if s.Timeout <= 0 {
		s.Timeout = DefaultTimeout
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = DefaultStartTimeout
	}
	if s.Calls <= 0 {
		s.Calls = DefaultCalls
	}
	s.SHA256 = strings.ToLower(s.SHA256)
	if raw, err := hex.DecodeString(s.SHA256); s.SHA256 != "" && (err != nil || len(raw) != sha256.Size) {
		return nil, errors.New("sha256: is not a SHA-256 digest; write the 64 hex digits that sha256sum prints")
	}
	if s.Config == nil {
		return nil, nil
	}
	var block map[string]any
	if err := s.Config.Decode(&block); err != nil {
		return nil, err // names the file and the line
	}
	if len(block) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(block)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return text, nil
}

// formatKey identifies a process: its file and all of its settings.
func (s *Spec) formatKey(digest string, config []byte) string {
	h := sha256.New()
	write := func(parts ...string) {
		_, _ = fmt.Fprintf(h, "%d:", len(parts)) // a hash accepts any write
		for _, p := range parts {
			_, _ = fmt.Fprintf(h, "%d:%s", len(p), p)
		}
	}
	write(s.Link, s.File, digest, string(config), fmt.Sprint(s.Plaintext, s.StartTimeout))
	write(s.Args...)
	write(slices.Sorted(slices.Values(s.Env))...)
	for _, list := range [][]string{s.Grant.Fields, s.Grant.Text, s.Grant.Capabilities, s.Grant.Scopes, s.Grant.Upstreams} {
		write(fmt.Sprint(list == nil))
		write(list...)
	}
	return string(h.Sum(nil))
}
