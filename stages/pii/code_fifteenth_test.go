package pii

import "testing"

// Each row is of a class that was wrong in the fifteenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheFifteenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{"UID:19970901T130000Z-123401@example.com", "ORGANIZER:kim19970901@example.com", "kim19970901@example.com"},
		{`ATTACH:CID:part3.msg.1@example.com`, `cid: kim.l3@example.com`, "kim.l3@example.com"},
		{`uid = "4mm2ak3in2j3pllqdk1ubtbp9p@google.com"`, `mail = "4mm2ak3in2j3pllqdk1ubtbp9p@google.com"`, "4mm2ak3in2j3pllqdk1ubtbp9p@google.com"},
		{"MESSAGE-ID:&lt;id3456789012@example.com&gt;", "FROM:&lt;kim3456789012@example.com&gt;", "kim3456789012@example.com"},
		{`"source": "0000014fbe1c09cf-7cb9f704-7531-4e53-89a1-5fa9744f5eb6-000000@amazonses.com"`, `"source": "kim-7cb9f704@amazonses.com"`, "kim-7cb9f704@amazonses.com"},
		{`assert wa.realm == "testrealm@host.com"`, `assert wa.mail == "testrealm@host.com"`, "testrealm@host.com"},
		{`requestType = "auth-agent-req@openssh.com"`, `mail = "openssh@openssh.com"`, "openssh@openssh.com"},
		{`"value":"5090364081358261697"`, "use 6228486481358261697", "6228486481358261697"},
		{"<X509SerialNumber>6366313205909069094</X509SerialNumber>", "<CardNumber>6366313205909069094</CardNumber>", "6366313205909069094"},
		{"delete the surface identified by 'surfaceId'.", "CREATE USER kim IDENTIFIED BY 'surfaceId'", "surfaceId"},
		{`{"password":"se***23"}`, `{"password":"tiger7***23"}`, "tiger7***23"},
		{"// vcenter.password: base64 string", "// vcenter.password: base64", "base64"},
		{"password: HMAC-SHA1 signed password derived from it", "password: HMAC-SHX1", "HMAC-SHX1"},
		{`mock.assert_any_call("  on: 2025550143")`, `call("  on: 2025550143")`, "2025550143"},
		{`# call it\n '0111101111 000100 0111100 111 1101'`, `# call it\n '0111101111 000100 (202) 555-0143'`, "(202) 555-0143"},
		{`E:"Opera Mobile",F:{A:1287100800,B:1300752000}`, `"mobile":{number:2025550143}`, "2025550143"},
		{`pluginVersion = '29.0.0.171'`, `pluginServer = '29.0.0.171'`, "29.0.0.171"},
		{`types-setuptools = "^67.2.0.1"`, `allow = "^10.2.0.1"`, "10.2.0.1"},
		{"http://localhost:1337@8675309", "http://localhost:1337a@8675309", "localhost:1337a"},
		{`Id="SignatureTimeStamp-1-Token">MIIOZwYJKoZIhvcNAQcCoIIOWDCCDlQCAQMxDzANBglghkgBZQMEAgEF`, `Token">xIIOZwYJKoZIhvcNAQccoIIOWDCCDlQCAQMxDzANBglghkgBZQMEAgEF`, "xIIOZwYJKoZIhvcNAQccoIIOWDCCDlQCAQMxDzANBglghkgBZQMEAgEF"},
		{"<ByKey>9cpWdJbojAeA6Y00VSt4FAd2yco=</ByKey>", "<ApiKey>9cpWdJbojAeA6Y00VSt4FAd2yco=</ApiKey>", "9cpWdJbojAeA6Y00VSt4FAd2yco="},
		{"MODEL_KEY: nightly_ci/hugging_face/Phi-3.5-mini-instruct-Q4_K_M", "MODEL_KEY: nightly_c1/hugging_face/Xq7-Zk9pLw2mNb8vRt5y", "nightly_c1/hugging_face/Xq7-Zk9pLw2mNb8vRt5y"},
		{"t.NO_AUTH=t.SOCKS5_CUSTOM_AUTH_END=t.SOCKS5_CUSTOM_AUTH_START=t.SOCKS_IN", `t.API_KEY="zq7KxP2mLw9rTb4nVc8sJd3f"`, "zq7KxP2mLw9rTb4nVc8sJd3f"},
		{`"confirm_password": "Confirmer"`, `"confirm_password": "Confirmer7"`, "Confirmer7"},
		{`phone mask: "+7 (999) 999-99-99"`, `phone mask: "+7 (999) 999-95-90"`, "+7 (999) 999-95-90"},
		{"W_O=Vh.T,W_Q=U@S.sqrt(),W_K", "W_O=Vh.T,W_Q=U@S.com(),W_K", "U@S.com"},
		{"facture n° 2024-00539", "tél. 2024-555-0539", "2024-555-0539"},
		{"Requirement 12.6.7.15: the system shall", "Server 12.6.7.15: the system shall", "12.6.7.15"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheFifteenthSetHideNoSecrets(t *testing.T) {
	assertFinds(t, Options{}, `
		uid: kim.larsen1990@example.org|EMAIL kim.larsen1990@example.org
		uid=kim@example.org|EMAIL kim@example.org
		related-to: kim.larsen1990@example.org|EMAIL kim.larsen1990@example.org
		cid:kim@example.org|EMAIL kim@example.org
		placid:kim1@example.org|EMAIL kim1@example.org
		KIMT123456@example.org|EMAIL KIMT123456@example.org
		Content-ID mail: <kim.larsen1990@example.org>|EMAIL kim.larsen1990@example.org
		From: &lt;kim.larsen1990@example.org&gt;|EMAIL kim.larsen1990@example.org
		realm: kim@realm.example.org|EMAIL kim@realm.example.org
		kim@openssh.com.example.org|EMAIL kim@openssh.com.example.org
		123e4567-kim@example.org|EMAIL 123e4567-kim@example.org
		pan 6366313205909069094|CREDIT_CARD 6366313205909069094
		card: 5090364081358261697|CREDIT_CARD 5090364081358261697
		6212345678901234567890 6250941006528599|CREDIT_CARD 6250941006528599
		ALTER USER kim IDENTIFIED BY 'tigerLily'|PASSWORD tigerLily
		grant all to 'kim' identified by 'tigerLily'|PASSWORD tigerLily
		the user is identified by 'tiger7'|PASSWORD tiger7
		password="a***secret"|PASSWORD a***secret
		password="P@ss***w0rd!"|PASSWORD P@ss***w0rd!
		password: base64x string|PASSWORD base64x
		password: hmac-tiger7 please|PASSWORD hmac-tiger7
		call 202-555-0143|PHONE 202-555-0143
		call_me("202-555-0143")|PHONE 202-555-0143
		phone 010-1111-0101 and 202-555-0143|PHONE 202-555-0143
		{phone:2025550143}|PHONE 2025550143
		version server 29.0.0.171 port|IP_ADDRESS 29.0.0.171
		allow ~ 29.1.7.171|IP_ADDRESS 29.1.7.171
		http://localhost:s3cret@db|URL_CREDENTIALS localhost:s3cret
		http://kim:1337@db|URL_CREDENTIALS kim:1337
		ftp://10.0.0.1:hunter2@db.example.org|URL_CREDENTIALS 10.0.0.1:hunter2
		private_key = MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGB|API_KEY MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGB
		api_key = nightly_ci/Zk9pLw2mNb8vRt5y/x7Qw3|API_KEY nightly_ci/Zk9pLw2mNb8vRt5y/x7Qw3
		secret = t.k3yQ9z=x.Zk9pLw2mNb8vRt5y|API_KEY t.k3yQ9z=x.Zk9pLw2mNb8vRt5y`)
}
