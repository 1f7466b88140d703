package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What people write and what code says differ in little. Each row was lost to a rule that was made for code.
func TestWhatPeopleWriteCarelesslyIsFound(t *testing.T) {
	e := engine(t, Options{})
	for text, want := range map[string]string{
		"Server=db;User Id=sa;Password=Zx9-DbPwd!;":     "Zx9-DbPwd!",
		"Password=NewDbPwd1;":                           "NewDbPwd1",
		"Password=Winter2024Passwort;":                  "Winter2024Passwort",
		"Pwd=MinhaSenha!;":                              "MinhaSenha!",
		"{password: Zx9-DbPwd!, user: sa}":              "Zx9-DbPwd!",
		"the wifi password: sunny-mountain for guests":  "sunny-mountain",
		"Password: Blue-House thanks":                   "Blue-House",
		"passwort: blauer-himmel fuer das WLAN":         "blauer-himmel",
		"call any time 415 555 2671":                    "415 555 2671",
		"you can call me at any time, 020 7946 0958":    "020 7946 0958",
		"Call me any time 4155552671":                   "4155552671",
		"call me on any date 2025550143":                "2025550143",
		`setenv("DB_PASSWORD", "Hunter2-TopSecret")`:    "Hunter2-TopSecret",
		`os.Setenv("DB_PASSWORD", "Zx9!Kq2-MasterKey")`: "Zx9!Kq2-MasterKey",
		`cfg.set("password","Tr0ub4dor-key")`:           "Tr0ub4dor-key",
		`password="+kX9mQ2pLr8vT"`:                      "+kX9mQ2pLr8vT",
		`password: "+Winter2024"`:                       "+Winter2024",
		"ssn=123.45.6789":                               "123.45.6789",
		"src_ip<=203.0.113.77 and port<=80":             "203.0.113.77",
		`password="aX9${kQ2pLr8vT"`:                     "aX9${kQ2pLr8vT",
		"password=$ecr3t[9!Kx":                          "$ecr3t[9!Kx",
		"password=_S3cr3t{9}Kx":                         "_S3cr3t{9",
		"auth=first.middle.last.dept:Secret1234567":     "first.middle.last.dept:Secret1234567",
		"?m=+14155552671":                               "+14155552671",
		`password="My_Dog_Rex(2024"`:                    "My_Dog_Rex(2024",
		`password="Summer_Rain_Falls(99)"`:              "Summer_Rain_Falls(99",
		"api_key: __q8Zr2LmX0vTn4KpW9sBd__":             "__q8Zr2LmX0vTn4KpW9sBd__",
	} {
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, text[m.Start:m.End])
		}
		assert.Equal(t, []string{want}, got, text)
	}
}
