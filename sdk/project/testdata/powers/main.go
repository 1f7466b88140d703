package main

import (
	"errors"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() { guest.Stage(judge) }

func main() {}

func judge(p guest.Phase) error {
	if p == guest.Response {
		value, ok, err := guest.Restore("{{PII_NAME_0123456789abcdef}}")
		if ok && value == "Ann" {
			guest.Retry(abi.RoleUser, "ask Ann")
		}
		return err
	}
	if address, _ := guest.Field(abi.FieldAddress); address != "" {
		guest.RespondBody([]byte(address))
		return nil
	}
	guest.Rule("team.limit", "the limit of the team")
	guest.Route("other-model", "", 1)
	_, _, err := guest.Call("absent", "/", nil)
	if !errors.Is(err, guest.ErrNotGranted) || guest.Scope("shared:other") == nil {
		return nil
	}
	status, answer, err := guest.Call("guard", "/v1/x?a=b", []byte("hi"))
	if err == nil && status == 207 && guest.Scope("shared:team") == nil && guest.Threshold("team", 80) == nil {
		guest.Header("x-out", string(answer))
	}
	return nil
}
