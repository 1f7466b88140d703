package sso

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/headgate-dev/headgate/core/auth"
)

// exchangeCode returns the tokens for an authorization code.
func (c *Client) exchangeCode(ctx context.Context, doc *document, b Pending, code string) (id, access string, err error) {
	if err := CheckURL(doc.Token); err != nil {
		return "", "", newUnavailableError(fmt.Errorf("discovery: token_endpoint %w", err))
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {b.Redirect}, "code_verifier": {b.Verifier},
	}
	basic := c.secret != "" && (len(doc.TokenAuth) == 0 || slices.Contains(doc.TokenAuth, "client_secret_basic"))
	if !basic {
		form.Set("client_id", c.id)
		if c.secret != "" {
			form.Set("client_secret", c.secret)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, doc.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", "", newUnavailableError(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if basic {
		req.SetBasicAuth(url.QueryEscape(c.id), url.QueryEscape(c.secret))
	}
	status, text, err := c.v.issuer.sendRequest(req)
	if err != nil {
		return "", "", newUnavailableError(err)
	}
	var answer struct {
		ID     string `json:"id_token"`
		Access string `json:"access_token"`
		Error  string `json:"error"`
	}
	bad := json.Unmarshal(text, &answer) != nil
	switch {
	case status >= http.StatusInternalServerError || bad && status != http.StatusOK:
		return "", "", newUnavailableError(fmt.Errorf("the tokens: the answer has status %d", status))
	case status == http.StatusUnauthorized || answer.Error == "invalid_client":
		return "", "", newUnavailableError(errors.New("the tokens: the identity provider does not accept client_id and client_secret"))
	case status != http.StatusOK:
		return "", "", &auth.Refusal{Reason: "the identity provider did not accept the code: " + describeCode(answer.Error)}
	case bad || answer.ID == "" || len(answer.ID) > maxDocument:
		return "", "", newUnavailableError(errors.New("the tokens: the answer contains no id token"))
	}
	return answer.ID, answer.Access, nil
}

// addUserInfo requests claims that the id token lacks: roles, which signing in requires, or a name.
func (c *Client) addUserInfo(ctx context.Context, doc *document, access string, claims jwt.MapClaims) error {
	_, roles := lookupClaim(claims, c.v.RolesClaim)
	if roles && claims["name"] != nil || doc.UserInfo == "" || access == "" {
		return nil
	}
	info, err := c.fetchUserInfo(ctx, doc, access)
	if err != nil {
		if roles {
			return nil // the claims have other names
		}
		return err
	}
	if info["sub"] != claims["sub"] {
		return &auth.Refusal{Reason: "the identity provider returned claims about another user"}
	}
	for k, v := range info {
		if _, there := claims[k]; !there {
			claims[k] = v
		}
	}
	return nil
}

// fetchUserInfo returns the issuer's claims about the user of an access token.
func (c *Client) fetchUserInfo(ctx context.Context, doc *document, access string) (map[string]any, error) {
	if err := CheckURL(doc.UserInfo); err != nil {
		return nil, newUnavailableError(fmt.Errorf("discovery: userinfo_endpoint %w", err))
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, doc.UserInfo, nil)
	if err != nil {
		return nil, newUnavailableError(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+access)
	status, text, err := c.v.issuer.sendRequest(req)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the answer has status %d", status)
	}
	info := map[string]any{}
	if err == nil && json.Unmarshal(text, &info) != nil {
		err = errors.New("the answer is not a JSON object")
	}
	if err != nil {
		return nil, newUnavailableError(fmt.Errorf("userinfo: %w", err))
	}
	return info, nil
}
