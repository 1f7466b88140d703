package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the seventh set of packages, or in the packages of a build machine, and its twin is what the
// rule for it must not hide. A twin with no value has none.
func TestClassesOfTheSeventhSetAndTheirTwins(t *testing.T) {
	e := engine(t, Options{})
	const point = `"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE0gBVBa3VR7QZu82V+ynXWD14JM3ORp37MtRxTmACJV5ZPtfUA7htQ2hofuigZQs+bnFZkje+qejxoyvk2Q1VaA=="`
	const private = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNb"
	for _, row := range []struct{ benign, twin, value string }{
		// Texts that a program shows.
		{`"Enter your password": "Geben Sie Ihr Passwort ein",`, `"admin password": "hunter2"`, "hunter2"},
		{`"Forgot password?": "Mot de passe oublié ?",`, `"WiFi password": "correct horse battery staple"`, "correct"},
		{`"changePassword": "Passwort ändern",`, `"changePassword": "Passwort9ändern"`, "Passwort9ändern"},
		{`newPassword: 'Parola nouă',`, `newPassword: 'Zx9 kQ2 pLr8',`, ""},
		{`"newPassword": "Neues Passwort",`, `"newPassword": "Hunting dogs at night"`, "Hunting"},
		{`"confirm_password": "Confirmez le mot de passe",`, `"confirm_password": "Hunting dogs at night"`, "Hunting"},
		{`"password": "パスワード",`, `"password": "密碼123"`, "密碼123"},
		{`"resetPassword": "Réinitialiser maintenant",`, `"password": "Correct horse battery staple"`, "Correct"},
		{`"password_hint": "x", "password": "Пароль",`, `"password": "Пароль1917"`, "Пароль1917"},
		{`changePassword: 'Pour continuer, <0>ouvrez</0> une session',`, `dbPassword: 'Pour-continuer7'`, "Pour-continuer7"},
		{`<string name="change_password">Passwort ändern</string>`, `<string name="wifi_password">hunter2blue</string>`, "hunter2blue"},
		// Operands of sums.
		{"a=q(a,b,c,d,x[0],7)+3614090360,b=1", "Kim (office)+14155552671", "+14155552671"},
		{"h=(e&f|~e&g)+1518500249+w[r]", "Tel(mobile)+14155552671, fax", "+14155552671"},
		{"t=b(c)+1859775393; u=c[0]+1732584193;", "Call Kim [mobile]+14155552671", "+14155552671"},
		{"b.call(this,4,252645135);b.call(this,2,858993459)", `sms.call("2125550187")`, "2125550187"},
		{"g.call(this);this.h=[1779033703,3144134277]", "call: 2125550187", "2125550187"},
		{"electric polarizability      1.648 777 2536 e-41", "1.648.777.2536", "1.648.777.2536"},
		{`<path d="M9 1a1 1 0 0014.07-7.96 345.6 345.6 0 0050.3-41.16l9 1"/>`, "0044 20 7946 0958", "0044 20 7946 0958"},
		{"a138.58 138.58 0 00-98.9-32.1 21.14 21.14 0", "0049.30.901820", "0049.30.901820"},
		// Names and values of other things.
		{`"key": ` + point, `"key": "` + private + `"`, private},
		{"docker run -u 10001:48213 image", "docker login -u 10001:48213 registry.example.com", "10001:48213"},
		{" -u, --user <user:password> Server user and password", "<wsse:Password>hunter2x</wsse:Password>", "hunter2x"},
		{" -E, --cert <certificate[:password]> Client certificate", "<certPassword>Client7x</certPassword>", "Client7x"},
		{`echo "X_PASSWORD=$X_PASSWORD" >> .test.env`, "X_PASSWORD=hunter2 >> .test.env", "hunter2"},
		{"OLDPWD=/tmp/build", "DB_PWD=/tmp9build", "/tmp9build"},
		{"postgres://someuser:somepassword@somehost/db", "postgres://someuser:somepass9word@somehost/db", "someuser:somepass9word"},
		{"http://gebruiker:wachtwoord@server:port/", "http://gebruiker:wacht9woord@server:port/", "gebruiker:wacht9woord"},
		{"{ username: 'kim', password: /.+/i }", "password: /hunter2/", "/hunter2/"},
		{"deps: [{ token: i0.Renderer2 }]", "token: i0.q8Zr2LmX0vTn4KpW9sBd", "i0.q8Zr2LmX0vTn4KpW9sBd"},
		{"nid_key = self._lib.NID_WithSHA1And3_Key_CBC", "nid_key = q8Zr2LmX0vTn4KpW9sBd", "q8Zr2LmX0vTn4KpW9sBd"},
		{`"token":"primaryPrevBtnBg"`, `"token":"qRmaryXvTBtnBgLkZw"`, "qRmaryXvTBtnBgLkZw"},
		{"@FE_CAN_QPSK:\t\tSupports QPSK", `psk="mywifi-key9"`, "mywifi-key9"},
		{"DHE_PSK: DHE-PSK key exchange", "WIFI_PSK: Blue-House9", "Blue-House9"},
		// Rows.
		{"00000650: 6600 0000 1200 0000 0000 0000 0000 0000  ....", "00000010: 6600 0000 1200", "6600 0000 1200"},
		{"00002410  48 89 74 24 40 64 48 8b  04 25 28 00 |H.t$|", "phone 02410 489 7424", "02410 489 7424"},
		{"x\n0010060 126660 000000 000000 000000 000010 000000", "phone 0010060 126660", "0010060 126660"},
		{"x\n0012120 300 260  \\0  \\0  \\0  \\0  \\0  \\0  \\a  \\0", "call 0012120 300 260", "0012120 300 260"},
		{"  4011d0:\t48 89 44 24 78 8b 84 24 98\tmov", "call 48 89 44 24 78", "48 89 44 24 78"},
		{"display\n3677854224 88496 /usr/bin/gpasswd\n", "phone\n3677854224 88496 is mine", "3677854224 88496"},
		{"index 06346175..5053b2cf 100644", "call 06346175... later", "06346175"},
		{"call\n0.31  2022-01-06", "call 0.31 2022 0106", "0.31 2022 0106"},
		{"2 quanta 2650 1514 1514 1514 1514 1514 1514 1514", "4111 1111 1111 1111 2027", "4111 1111 1111 1111"},
		{"4111 1111 1111 1111 2222 3333", "4111 1111 1111 1111 5555 5555 5555 4444", "4111 1111 1111 1111 5555 5555 5555 4444"},
		{"2564226 114416685286438 114414936423706", "card 114416685286438", "114416685286438"},
		{`["0000110110010100", "110100011010100"]`, "card 110100011010100", "110100011010100"},
		{`{"type": "f64", "value": "4660882566700597248"}`, "visa 4660882566700597248", "4660882566700597248"},
		{"E 4 0 5 6 0 4 2 1 4 1 1 3 3 4 2 3 3 4 1 1\nF", "I have 2 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"},
		{"//xx/EAAAAAAAPH0AASI092W0AAEiNBdJtAABIOfh0", "//xx/ EAAAl3q8Zr2LmX0vTn4KpW9sBdQ7fH", "EAAAl3q8Zr2LmX0vTn4KpW9sBdQ7fH"},
	} {
		assert.Empty(t, e.Detect(nil, row.benign), row.benign)
		var got []string
		for _, m := range e.Detect(nil, row.twin) {
			got = append(got, row.twin[m.Start:m.End])
		}
		assert.Equal(t, row.value, strings.Join(got, " "), row.twin)
	}
}
