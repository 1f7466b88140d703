package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodeAndShellsAreNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"PWD=/home/kim/project", `cmd.Env = append(cmd.Env, "PWD="+dir)`, `docker run --rm -v "$PWD":/app -w /app image`, `Setenv("PWD", "/tmp")`,
		"const password = await prompt('Password')", "if (req.body.password === user.password) {", "user.password = req.body.password;",
		"password: Optional[str] = None,", "login(user=user, password=password_of_user)", "self.passwd = config['password']", "password := args[3]",
		"\tPassword: c.Password,\n", "const password = this.options.proxy.password || ''", `"IAMUserChangePassword": "arn:aws:iam::aws:policy/x"`,
		`"parse-passwd": "^1.0.0"`, `invalidPassword = "incorrect-password"`, "user_pass = '%s:%s' % (user, pw)", `FTINTRP_W_D:  "FTINTRP.W.D",`,
		"PrivateKey: testRSA2048PrivateKey,", "expectedSecretKey: secretKey32,", `"result_key": "AssetBundleExportJobSummaryList"`,
		`"AWS::KMS::Key": "2b447c471bc70388"`, `"key": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"`,
		`"ClientToken": "5236cffc-ee13-4a32-bb5b-388d9da09d96"`, "AccountIDKey = `s3_disable_express_session_auth`", `"S3Key": "AKIAIOSFODNN7EXAMPLE"`,
		"s.setUserArenaChunkToFault()", "the password is wrong", "if the password is required,", "Credential=AKIDEXAMPLE/20110909/us-east-1/host/aws4_request, x",
	} {
		for _, m := range e.Detect(nil, text) {
			assert.Falsef(t, secret(m.Type), "%s %q in %s", m.Type, text[m.Start:m.End], text)
		}
	}
}

func TestSecretsInCodeAndShellsAreFound(t *testing.T) {
	e := engine(t, Options{})
	for text, want := range map[string]string{
		`password = "hunter2"`: "hunter2", "PASSWORD=hunter2x\n": "hunter2x", `db.connect(password="swordfish")`: "swordfish",
		"host=db user=app password=sesame sslmode=off": "sesame", "Server=x;Password=sesame;": "sesame", "pwd=tr0ub4dor&3": "tr0ub4dor&3",
		`"api_key": "f62e5bcda4fae4f82370da0c6f20697b8f8447ef"`: "f62e5bcda4fae4f82370da0c6f20697b8f8447ef", "SENDGRID_KEY=q8Zr2LmX0vTn4KpW9sBd": "q8Zr2LmX0vTn4KpW9sBd",
		"CREATE USER app IDENTIFIED BY 'tiger7';": "tiger7", `ALTER ROLE app WITH PASSWORD 'sesame!'`: "sesame!", "my password is tr0ub4dor.": "tr0ub4dor",
		"Password is 'Xy7!abc', thanks": "Xy7!abc", "vck_" + randomKey(40): "vck_" + randomKey(40), "use ctx7sk-3c2a9f7e-51b0-4d8c-9e6f-7a1b2c3d4e5f": "ctx7sk-3c2a9f7e-51b0-4d8c-9e6f-7a1b2c3d4e5f",
		"Authorization: SSWS 00QCjAl4MlVxWPXMabcdefghijklmnoSSXfaXWFWF5": "00QCjAl4MlVxWPXMabcdefghijklmnoSSXfaXWFWF5", "EAAZ" + randomKey(120): "EAAZ" + randomKey(120),
		`{"key": "q8Zr2LmX0vTn4KpW9sBd"}`: "q8Zr2LmX0vTn4KpW9sBd",
	} {
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, text[m.Start:m.End])
		}
		assert.Equal(t, []string{want}, got, text)
	}
}

// randomKey makes n letters and digits, the same each time.
func randomKey(n int) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b, x := make([]byte, n), uint32(7)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = chars[(x>>8)%uint32(len(chars))]
	}
	return string(b)
}

func TestNumbersInCodeAreNoCardsOrAddresses(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"int64(6715870808026712034), // Int63()", "Rational(385045107874520059, 390625000000000000))", "org-4747474747474747,bucket-4242424242424242:m",
		`"arn:aws:iam::867139942017:role/x"`, "# 31.7.8.3: Vector Loads", "// 12.1.1.4 handle codings", `src := "s[::]+"`, `"11.5.9.0.sb00039210.r1"`,
		"82e81795| CALL 18344066(PC)", "v 10.1.2.3 is out",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
	for _, text := range []string{`{"v": "10.1.2.3"}`, "v = 81.2.69.142", `"v":"81.2.69.142"`, "aadhaar 867139942017", "card-4539824553459855", "4539824553459855, 5425709660906571"} {
		assert.NotEmpty(t, e.Detect(nil, text), text)
	}
}
