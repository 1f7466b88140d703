package pii

import "testing"

// Each row is of a class that was wrong in the sixteenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheSixteenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{`"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"`, `"token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"`, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"},
		{"authorization: EIP7702Authorization;", "authorization: EIP7702authoriz8tionX;", "EIP7702authoriz8tionX"},
		{`\nenode://7b58fb9d4fd1bef6fe89b517c4443043294d2650af2bea4c3f7c7f7f1caa@host:30303`, `\nnode://7b58fb9d4fd1bef6fe89b517c4443043294d2650af2bea4c3f7c7f7f1caa@host`, "7b58fb9d4fd1bef6fe89b517c4443043294d2650af2bea4c3f7c7f7f1caa"},
		{"// Character cell diagonals (2571-2573)", "my cell 2571-2573", "2571-2573"},
		{`cell', async () => { parseP('0123456789`, `cell is 0123456789`, "0123456789"},
		{"d=\"M9 2.475-.657.906.165 1.648.574 1.155.165.33-.248.412\"", "ips=\"1.155.165.33\"", "1.155.165.33"},
		{"d=\"M5.674-4.132.214.214\"", "ip=4.132.214.214", "4.132.214.214"},
		{`"/login?email=a&password=secret%d"`, `"/login?email=a&password=secr3t%d"`, "secr3t%d"},
		{"card\n442: \"cvc-hostd\",\n\t443: \"https\"", "card cvc 443: declined", "443"},
		{"// 0x0000:  3333 0000 0001 c200 54f5", "// at 3333 0000 0001", "3333 0000 0001"},
		{"# 00000030: 5374 7570 6964 2065 7468 6572", "nr 5374 7570 6964 and", "5374 7570 6964"},
		{"call 0000  cc 13 14 64 00 01 cc 15", "call 13 14 64 00 01", "13 14 64 00 01"},
		{"phone DECEMBER 21 19.87 87", "phone 212 555 0143", "212 555 0143"},
		{`Signature: sig1=:n8RKXkj0iseWDmC6PNSQ1GX2R9650v+lhbb6rTGoSrSSx18zmn6fPOtBx48/=:`, `api_key=:n8RKXkj0iseWDmC6PNSQ1GX2R9650v`, "n8RKXkj0iseWDmC6PNSQ1GX2R9650v"},
		{"detail?dockey=600-202502260645BIZWIRE_USPRX____20250226_BW490609-1", "detail?apikey=600-202502260645BIZWIRE_USPRX____20250226_BW490609-1", "600-202502260645BIZWIRE_USPRX____20250226_BW490609-1"},
		{"abfss://12345678-1234-1234-1234-123456789012@onelake.dfs", "https://12345678-1234-1234-1234-123456789012@onelake.dfs", "12345678-1234-1234-1234-123456789012"},
		{"{'username': 'col-md-6', 'password': 'col-md-4'}", "{'username': 'col-md-6', 'password': 'cold-md-4'}", "cold-md-4"},
		{`input[type="password"]::-webkit-input-placeholder`, `x["password"]="-webkit7-inputs"`, "-webkit7-inputs"},
		{"Molecular Cell. 9 (6): 1161–1167. doi", "cell phone: 555-1167", "555-1167"},
		{"https://k@o1.ingest.sentry.io/4504819859914752", "https://pay.example.org/4504819859914752", "4504819859914752"},
		{`"SOC_MPU_MIN_REGION_SIZE": 536870912,`, `"SOC": 536870913,`, "536870913"},
		{`"hashed_token": "34ddb39bb2a0df0c24059b3649b19c2542f7b84677ebea715dbe99661718aa11"`, `"token": "34ddb39bb2a0df0c24059b3649b19c2542f7b84677ebea715dbe99661718aa11"`, "34ddb39bb2a0df0c24059b3649b19c2542f7b84677ebea715dbe99661718aa11"},
		{"the URL git@gist.github.com/kim/6faa", "mail gitta@gist.github.com", "gitta@gist.github.com"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheSixteenthSetHideNoSecrets(t *testing.T) {
	assertFinds(t, Options{}, `
		https://x.org/api/token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4w|API_KEY EPjFWdd5AufqSSqeM2qN1xzybapC8G4w
		token: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4w"|API_KEY EPjFWdd5AufqSSqeM2qN1xzybapC8G4w
		authorization: "Zk9pLw2mNb8vRt5yAuthorization"|API_KEY Zk9pLw2mNb8vRt5yAuthorization
		cell: 202-555-0143|PHONE 202-555-0143
		my cell is 202-555-0143|PHONE 202-555-0143
		"cell": "2025550143"|PHONE 2025550143
		cell (work): 202-555-0143|PHONE 202-555-0143
		10.0.0.1-10.0.0.9|IP_ADDRESS 10.0.0.1 IP_ADDRESS 10.0.0.9
		password=secret%d7|PASSWORD secret%d7
		password="Secret%20d"|PASSWORD Secret%20d
		card 4111111111111111 cvc: 443|CREDIT_CARD 4111111111111111 CARD_CVV 443
		aadhaar 3333 0000 0001 and more|IN_AADHAAR 3333 0000 0001
		phone 12 34 56 78 90|PHONE 12 34 56 78 90
		call +1 202 555 0143 in december|PHONE +1 202 555 0143
		sig = "n8RKXkj0iseWDmC6PNSQ1GX2R9650v"|
		secret=:n8RKXkj0iseWDmC6PNSQ1GX2R9650v|API_KEY n8RKXkj0iseWDmC6PNSQ1GX2R9650v
		abfss://kim:hunter2@onelake.dfs|URL_CREDENTIALS kim:hunter2
		hashed_password: "hunter2!x"|PASSWORD hunter2!x
		password: "column-md-4"|PASSWORD column-md-4
		password = col-7Kq|PASSWORD col-7Kq
		card https://pay.example.org/4504819859914752|CREDIT_CARD 4504819859914752
		ssn 536870915|US_SSN 536870915
		doc_api_key=600x202502260645BIZWIREq7|API_KEY 600x202502260645BIZWIREq7`)
}
