package admin

import (
	"strings"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
)

// pagerDutyKey is the length of an integration key of PagerDuty's Events API v2.
const pagerDutyKey = 32

// setAddress sets the URL and the sealed secret of a new webhook according to its format.
func (s Webhooks) setAddress(w *store.Webhook, url, secret string) error {
	switch {
	case outbox.HidesURL(w.Format):
		if secret != "" {
			return newSpareSecretError()
		}
		if url == "" {
			return newMissingFieldError("url")
		}
		return s.hideURL(w, "url", url)
	case w.Format == outbox.FormatPagerDuty:
		if url == "" {
			url = outbox.PagerDutyURL
		}
		if err := checkIntegrationKey(secret); err != nil {
			return err
		}
	case url == "":
		return newMissingFieldError("url")
	case secret == "":
		return newMissingFieldError("secret")
	default:
		if err := checkSecret(secret); err != nil {
			return err
		}
	}
	w.URL = url
	s.seal(w, secret)
	return nil
}

// newSpareSecretError returns the error of a secret for a webhook whose URL is the credential.
func newSpareSecretError() error {
	return newInvalidValueError("secret", "omit it: the URL of an incoming webhook is the credential, and is stored sealed")
}

// setURL changes the URL. The API shows only a part of a hidden URL, and keeps the URL if a client sends that part
// back.
func (s Webhooks) setURL(w *store.Webhook, url string) error {
	switch {
	case url == w.URL:
		return nil
	case outbox.HidesURL(w.Format):
		return s.hideURL(w, "url", url)
	case w.Format == outbox.FormatPagerDuty:
		return newInvalidValueError("url", "create a new webhook instead: otherwise the new address would receive the stored integration key")
	}
	w.URL = url
	return nil
}

// sealRotation checks the new secret of a webhook. If the URL is hidden, the URL is the secret.
func (s Webhooks) sealRotation(w *store.Webhook, secret string) error {
	switch {
	case outbox.HidesURL(w.Format):
		return s.hideURL(w, "secret", secret)
	case w.Format == outbox.FormatPagerDuty:
		return checkIntegrationKey(secret)
	}
	return checkSecret(secret)
}

// hideURL checks a URL that is a credential, seals it, and keeps its host for display. field is its name in the
// request.
func (s Webhooks) hideURL(w *store.Webhook, field, url string) error {
	if strings.HasSuffix(url, "/…") { // an export contains only this part
		return newInvalidValueError(field, "write the whole URL; only its host is shown")
	}
	if err := s.svc.Subscribers.CheckURL(url); err != nil {
		return newInvalidValueError(field, "%s", err)
	}
	w.URL = outbox.MaskURL(url)
	s.seal(w, url)
	return nil
}

func (s Webhooks) seal(w *store.Webhook, secret string) {
	w.Secret = s.svc.WebhookBox.Seal([]byte(secret), outbox.FormatSecretContext(w.ID))
}

func checkIntegrationKey(key string) error {
	if len(key) != pagerDutyKey || strings.ContainsFunc(key, func(c rune) bool { return c > '~' || c <= ' ' }) {
		return newInvalidValueError("secret", "write the integration key of a service's Events API v2, %d letters and digits", pagerDutyKey)
	}
	return nil
}
