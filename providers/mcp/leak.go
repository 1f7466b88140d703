package mcp

import (
	"bytes"
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// minCredential is the length of the shortest value that is searched for in answers: shorter values occur by chance.
const minCredential = 12

// listSecrets returns the credentials in the headers of a server, without schemes such as Bearer.
func listSecrets(header []upstream.Field) (secrets [][]byte) {
	for _, f := range header {
		if !isCredential(f.Name) {
			continue
		}
		value := strings.TrimSpace(f.Value)
		if value = value[strings.LastIndexByte(value, ' ')+1:]; len(value) >= minCredential {
			secrets = append(secrets, []byte(value))
		}
	}
	return secrets
}

// isCredential reports whether a header is known to hold a credential. Other headers hold harmless values such as names of environments.
func isCredential(header string) bool {
	low := strings.ToLower(header)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password", "credential"} {
		if strings.Contains(low, part) {
			return true
		}
	}
	return false
}

// CheckLeak refuses a message that repeats a credential which the gateway has sent: tools that show the headers of a request
// would hand it to whoever may call them.
func (v *Server) CheckLeak(ctx context.Context, data []byte) error {
	if a, ok := v.client.(*Authorized); ok {
		if err := a.checkLeak(ctx, data); err != nil {
			return err
		}
	}
	return checkSecrets(v.secrets, data)
}

func checkSecrets(secrets [][]byte, data []byte) error {
	for _, secret := range secrets {
		if bytes.Contains(data, secret) {
			return ErrCredential
		}
	}
	return nil
}

// reserveMemory reserves the memory of an answer of n bytes.
func reserveMemory(m *Message, n int) error {
	if m.Reserve == nil {
		return nil
	}
	return m.Reserve(int64(n))
}
