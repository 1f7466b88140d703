package config

import (
	"path/filepath"
	"strings"
)

// checkTokenExchange checks how a server's credential is obtained.
func checkTokenExchange(c *checker, path string, s MCPServer) {
	t := s.TokenExchange
	if !c.isWritten(path) && t.URL == "" {
		return
	}
	switch {
	case s.Command != "":
		c.addProblem(path, "is not for a program", "remove it, or write the credential into env")
		return
	case s.FromOpenAPI.Document != "":
		c.addProblem(path, "is not for a server from an OpenAPI document", "remove it, or write the credential into headers")
		return
	}
	if t.URL == "" {
		c.addProblem(path+".url", "is missing", "write the token endpoint, such as url: https://idp.example.com/oauth2/token")
	} else {
		c.checkPeerURL(path+".url", t.URL, s.AllowPrivate, "https://idp.example.com/oauth2/token")
	}
	switch {
	case t.Subject == MCPSubjectUser && t.SubjectTokenFile != "":
		c.addProblem(path+".subject_token_file", "is not for `subject: user`", "remove it: each caller sends the token of its user")
	case t.Subject == MCPSubjectUser:
	case t.SubjectTokenFile == "":
		c.addProblem(path+".subject_token_file", "is missing", "name the file with the gateway's own token")
	case !filepath.IsAbs(t.SubjectTokenFile):
		c.addProblem(path+".subject_token_file", "is not an absolute path", "write it from the root, such as /var/run/secrets/tokens/headgate")
	}
	if (t.ClientID == "") != (t.ClientSecret == "") {
		c.addProblem(path+".client_secret", "goes with client_id", "write both, or neither")
	}
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			c.addProblem(joinPath(strings.TrimSuffix(path, ".token_exchange")+".headers", name), "is set by token_exchange", "remove one of them")
		}
	}
}
