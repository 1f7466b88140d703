package pii

import "testing"

// Each twin is a secret or an address that a rule against wrong findings had hidden, beside what the rule is for.
func TestRulesAgainstWrongFindingsHideNoSecrets(t *testing.T) {
	assertTwins(t, []twinRow{
		// Users and passwords that are words.
		{"x://AppID:MasterKey@Hostname", "redis://:MasterKey@host", ":MasterKey"},
		{"twilio://AccountSid:AuthToken@FromPhoneNo", "redis://:AuthToken@cache:6379", ":AuthToken"},
		{"x://client_id:client_secret@host", "redis://:my_secret@h", ":my_secret"},
		{"x://AccountName:AccessToken@host", "amqp://:TopSecret@h", ":TopSecret"},
		{"x://AppUser:SecretKey@host", "postgres://Admin:SuperPass@db.example/prod", "Admin:SuperPass"},
		{"x://UserID:ApiKey@host", "mongodb://Root:TopSecret@10.0.0.5", "Root:TopSecret 10.0.0.5"},
		{"x://AppID:AppKey@host", "postgres://AppUser:TopSecret@db.example/prod", "AppUser:TopSecret"},
		{"run --user=system:kube-proxy", "curl -u system:manager https://db", "system:manager"},
		{"run --user=system:serviceaccount:dev:build", "curl -u system:correct-horse https://db", "system:correct-horse"},
		{"run --user=system:node-problem-detector", "run --user=system:correcthorse", "system:correcthorse"},

		// Stand-ins that begin what people choose.
		{`password: MyPass`, "password: MyPass2024!", "MyPass2024!"},
		{`DB_PASSWORD="mypass"`, `DB_PASSWORD="7719-PW-4482"`, "7719-PW-4482"},
		{"password=pw", "password=Pw!2024#88", "Pw!2024#88"},
		{"curl -u kim:mypass https://a.example", "curl -u kim:83#19pW!4470 https://a.example", "kim:83#19pW!4470"},
		{"postgres://kim:pw@db.example", "postgres://kim:Pw-8842719@db.example", "kim:Pw-8842719"},
		{
			"https://maker.ifttt.com/trigger/DOOR_OPENED/with/key/YOUR_KEY_HERE",
			"https://maker.ifttt.com/trigger/DOOR_OPENED/with/key/a3nHB7gA9TfBQSqJAHklod",
			"https://maker.ifttt.com/trigger/DOOR_OPENED/with/key/a3nHB7gA9TfBQSqJAHklod",
		},
		{
			"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX/",
			"https://hooks.slack.com/services/T00000000/B00000000/a3nHB7gA9TfBQSqJAHklodXz/",
			"https://hooks.slack.com/services/T00000000/B00000000/a3nHB7gA9TfBQSqJAHklodXz/",
		},

		// Addresses behind URLs, and before colons.
		{"http://kim@work:pass@intranet.example.org", "See http://intranet author:anna.smith@example.org", "anna.smith@example.org"},
		{"ssh://owner@example.org", "http://wiki owner:anna@example.org", "anna@example.org"},
		{"ssh://kim:x@example.com", "http://localhost mail:kim@example.com", "kim@example.com"},
		{"http://user@$HOST:pass@example.com", "http://$HOST:$PORT kim@example.com", "kim@example.com"},
		{"$ scp anna.smith@example.com:sales/support .", "anna.smith@example.com:sales/support", "anna.smith@example.com"},
		{"`rsync -a anna@example.com:sales/support .`", "I use rsync.\nanna@example.com:sales/support", "anna@example.com"},

		// Labels, flags and tags.
		{`"password": "Skeleton key to the door"`, `"password": "Skeleton key to d00r#7719!"`, "Skeleton"},
		{`"password": "Main key (PEM)"`, `"password": "Main key (R7!kQ2#zz)"`, "Main key (R7!kQ2#zz)"},
		{`"password": "Battery Service Key"`, `"password": "Correct Horse Battery Key"`, "Correct"},
		{`cmd.MarkFlagsRequiredTogether("db-password", "db-user")`, `vault.save("db-password", "correct-horse-battery-staple")`, "correct-horse-battery-staple"},
		{`cmd.MarkFlagsOneRequired("db-password", "db-file")`, `vault.create("db-password", "correct-horse")`, "correct-horse"},
		{`arg.conflicts_with("db-password", "db-file")`, `vault.register("db-password", "correct-horse")`, "correct-horse"},
		{`arg.requires("db-password", "db-file")`, `vault.login("db-password", "correct-horse")`, "correct-horse"},
		{`arg.overrides_with("db-password", "db-file")`, `vault.connect("db-password", "correct-horse")`, "correct-horse"},
		{"PASS <password> during registration", "<Password> swordfish </Password>", "swordfish"},

		// Values with an '&'.
		{"?DB_PASSWORD=null&a=Qq9#x2", "DB_PASSWORD=Zk7!x&a=Qq9#x2", "Zk7!x&a=Qq9#x2"},
		{"?user=kim&amp;password=none&amp;a=Qq9", "?user=kim&amp;password=hunter2&amp;a=Qq9", "hunter2"},
		{"api_key=none&page=2", "api_key=q8Zr2LmX0vTn4KpW9sBd&page=2", "q8Zr2LmX0vTn4KpW9sBd"},

		// Addresses behind names in capitals, and comparisons.
		{"host of MS-PSRP 2.2.4.1", "CLIENT-IP 5.9.12.34", "5.9.12.34"},
		{"host of ECMA-262 8.4.4.1", "SRC-IP 8.8.4.4", "8.8.4.4"},
		{"host of ISO-9899 6.7.2.1", "MS-HOST 5.9.12.34", "5.9.12.34"},
		{"range >= 2.4.0.0", "range >= 203.0.113.10", "203.0.113.10"},
		{"range >=24.1.0.2", "range <= 10.20.30.40", "10.20.30.40"},
	})
}
