package config

import (
	"net/url"
	"time"
)

// checkWebhook checks the settings of a webhook, and that no other link has them.
func (c *checker) checkWebhook(path string, l Link) {
	if l.Guard != "" {
		if l.Secret != "" && l.SecretSealed != "" {
			c.addProblem(path, "has both secret and secret_sealed", "keep one of them")
		}
		c.checkRemoteLimits(path, l, "guard")
	}
	if l.Webhook == "" {
		for _, key := range []string{"secret", "secret_sealed", "previous", "fail_mode", "allow_private", "allow_raw"} {
			if !c.isWritten(path+"."+key) || isOfGuard(l, key) {
				continue
			}
			what, hint := "is for webhooks", "remove it"
			switch key {
			case "fail_mode":
				hint = "write on_fault: block or on_fault: pass"
			case "allow_raw":
				what = "is for webhooks, guards, processes and guardrail plugins"
			}
			c.addProblem(path+"."+key, what, hint)
		}
		return
	}
	c.checkWebhookURL(path+".webhook", l)
	c.requireOneSecret(path, "secret", l.Secret, l.SecretSealed)
	if c.isWritten(path + ".previous") {
		c.requireOneSecret(path+".previous", "secret", l.Previous.Secret, l.Previous.SecretSealed)
		switch {
		case l.Previous.Until.IsZero():
			c.addProblem(path+".previous", "has no end", "write until: with the time from which all receivers use the new secret")
		case time.Now().After(l.Previous.Until):
			c.addWarning(path+".previous", "has expired, so its secret is no longer used", "remove it")
		}
	}
	c.checkRemoteLimits(path, l, "webhook")
	if c.isWritten(path+".fail_mode") && c.isWritten(path+".on_fault") {
		c.addProblem(path+".fail_mode", "is another name for on_fault, which is set too", "keep one of them")
	}
}

// requireOneSecret requires one secret, plain or sealed: only the signature proves who calls and who answers.
func (c *checker) requireOneSecret(path, key string, plain, sealed Secret) {
	switch {
	case plain == "" && sealed == "":
		c.addProblem(path, "has no secret", "write "+key+`: "${GUARD_SECRET}" or secret_sealed:, with 16 random characters or more`)
	case plain != "" && sealed != "":
		c.addProblem(path, "has both secret and secret_sealed", "keep one of them")
	case plain != "" && len(plain) < 16:
		c.addProblem(path+"."+key, "is shorter than 16 characters", "write a random one, such as openssl rand -hex 32 prints")
	}
}

// checkWebhookURL checks the address of a receiver. The gateway checks the IP addresses when it calls.
func (c *checker) checkWebhookURL(path string, l Link) {
	const write = "write webhook: https://host/path"
	u, err := url.Parse(l.Webhook)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https":
		c.addProblem(path, "is not an http or https URL", write)
	case u.User != nil:
		c.addProblem(path, "contains a user or password", "remove it: calls are signed with the secret")
	case u.Fragment != "":
		c.addProblem(path, "contains a fragment", write)
	case u.Scheme == "http" && !l.AllowPrivate:
		c.addProblem(
			path,
			"is plain http: texts would travel unencrypted",
			"write https://, or allow_private: true for a receiver in your own network",
		)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		c.addWarning(path, "is plain http to another machine: texts travel unencrypted", "write https://")
	case isLoopback(u.Hostname()) && !l.AllowPrivate:
		c.addProblem(path, "points to this machine", "write allow_private: true if this is intended")
	}
}

// isOfGuard reports whether a link that is not a webhook has a setting of webhooks.
func isOfGuard(l Link, key string) bool {
	switch key {
	case "secret", "secret_sealed", "allow_private":
		return l.Guard != ""
	case "allow_raw":
		return l.Guard != "" || l.Process != "" || l.GuardrailPlugins != ""
	}
	return false
}

// checkRemoteLimits warns of limits that a guard which runs elsewhere does not have.
func (c *checker) checkRemoteLimits(path string, l Link, kind string) {
	if l.Limits.Memory != 0 {
		c.addWarning(path+".limits.memory", "has no effect: a "+kind+" runs elsewhere", "remove it")
	}
	if l.Limits.Streams != 0 {
		c.addWarning(path+".limits.streams", "has no effect: it is for modules", "remove it")
	}
	if l.Limits.Fuel != 0 {
		c.addWarning(path+".limits.fuel", "has no effect: it is for modules", "remove it")
	}
}
