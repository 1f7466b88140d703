package mcp

import (
	"bytes"
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
// would hand it to whoever may call them. Tokens of users are known to the answers that they were sent for.
func (v *Server) CheckLeak(data []byte) error {
	if a, ok := v.client.(*Authorized); ok && a.own != nil {
		if err := a.own.checkLeak(data); err != nil {
			return err
		}
	}
	return checkSecrets(v.secrets, data)
}

// checkLeak refuses a message of the answer that repeats a credential.
func (a *Answer) checkLeak(data []byte) error {
	if err := a.sent.checkLeak(data); err != nil {
		return err
	}
	return a.server.CheckLeak(data)
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
