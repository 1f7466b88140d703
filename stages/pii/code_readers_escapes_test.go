package pii

import (
	"strings"
	"testing"
)

// A reader compared the rules with those of a day before and found these secrets, which the reading of escapes had hidden.
func TestAKeyWithAnEscapeIsStillFound(t *testing.T) {
	assertFinds(t, Options{}, `
		{"api_key":"sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\/Yd5Hs"}|API_KEY sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\/Yd5Hs
		{"Authorization":"Bearer Xk9fK2mPq8Zt4Lx7Wv1R\/n3Bc6Yd5Hs"}|API_KEY Xk9fK2mPq8Zt4Lx7Wv1R\/n3Bc6Yd5Hs
		{"access_token":"Xk9fK2mPq8Zt4L\/x7Wv1Rn3Bc6"}|API_KEY Xk9fK2mPq8Zt4L\/x7Wv1Rn3Bc6
		"{\"api_key\":\"sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\\\/Yd5Hs\"}"|API_KEY sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\\\/Yd5Hs
		api_key=sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\&next=1|API_KEY sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
		token=Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\\server|API_KEY Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
		deploy --api-key Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\&x|API_KEY Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
		deploy --password hunter2\!x|PASSWORD hunter2\!x
		deploy --password hunter2x\(x|PASSWORD hunter2x`)
}

func TestAPasswordBeforeALongTextEndsAtItsFirstEscape(t *testing.T) {
	lines := strings.ReplaceAll(`
		password=hunter2xx\LONG|PASSWORD hunter2xx
		{"pw":"set PASSWORD=Hunter2xyz\\C:/x/LONG"}|PASSWORD Hunter2xyz
		api_key=sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6\&LONG|API_KEY sk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
		deploy --password hunter2xx\&LONG|PASSWORD hunter2xx
		the password is hunter2xx\&LONG|PASSWORD hunter2xx`, "LONG", strings.Repeat("a/b7c-", 55))
	assertFinds(t, Options{}, lines)
}
