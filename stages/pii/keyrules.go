package pii

// A keyRule is one family of access keys that says what it is by a prefix.
// The formats are those that the issuers publish and that secret scanners of
// many makers agree on; lengths are lenient, as issuers lengthen their keys.
type keyRule struct {
	prefix   string
	of       keyClass
	min, max int     // characters behind the prefix
	entropy  float32 // bits a character that they need, against placeholders; 0: none
}

// A keyClass is the set of characters of a key.
type keyClass uint8

const (
	alnums  keyClass = iota // A-Z a-z 0-9
	words                   // and '_'
	dashes                  // and '-'
	dots                    // and '.'
	base64s                 // alnums and + / = _ -
	hexes
	capitals // A-Z 0-9
	equals   // dashes and '='
	equalsDots
	keyClasses
)

const keyMax = 1024

var keyRules = []keyRule{
	// Clouds and infrastructure.
	{"AKIA", capitals, 16, 16, 2.5}, {"ASIA", capitals, 16, 16, 2.5}, {"ABIA", capitals, 16, 16, 2.5}, {"ACCA", capitals, 16, 16, 2.5},
	{"A3T", capitals, 17, 17, 3}, {"ABSK", base64s, 90, 400, 3}, {"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", base64s, 0, keyMax, 0},
	{"AIza", dashes, 35, 35, 3}, {"GOCSPX-", dashes, 24, 40, 3}, {"ya29.", dots, 20, keyMax, 3}, {"GOOG", capitals, 57, 60, 3},
	{"LTAI", alnums, 12, 26, 2.5}, {"AKID", alnums, 28, 48, 3}, {"YC", dashes, 38, 38, 3.3}, {"AQVN", dashes, 35, 40, 3}, {"t1.", dots, 60, 400, 3},
	{"dop_v1_", hexes, 60, 64, 2.5}, {"doo_v1_", hexes, 60, 64, 2.5}, {"dor_v1_", hexes, 60, 64, 2.5}, {"HRKU-AA", dashes, 50, 64, 3},
	{"fo1_", dashes, 40, 50, 3}, {"fm1r_", base64s, 80, keyMax, 3}, {"fm1a_", base64s, 80, keyMax, 3}, {"fm2_", base64s, 80, keyMax, 3},
	{"tk-us-", dashes, 40, 60, 3}, {"pul-", hexes, 40, 40, 2.5}, {"pnu_", alnums, 36, 36, 3}, {"pnb_", alnums, 36, 36, 3}, {"ico-", alnums, 32, 32, 3},
	{"hvs.", dashes, 24, 300, 3}, {"hvb.", dashes, 100, 400, 3}, {"hvr.", dashes, 24, 300, 3}, {"s.", alnums, 24, 24, 3.5},
	{"dp.pt.", alnums, 40, 46, 3}, {"dp.st.", dots, 40, 80, 3}, {"dp.ct.", alnums, 40, 46, 3}, {"dp.sa.", alnums, 40, 46, 3}, {"dp.scim.", alnums, 40, 46, 3}, {"dp.audit.", alnums, 40, 46, 3},
	{"dt0c01.", dots, 80, 100, 3}, {"dt0s01.", dots, 80, 100, 3}, {"dt0s16.", dots, 80, 100, 3}, {"dckr_pat_", dashes, 24, 40, 3}, {"dckr_oat_", dashes, 24, 40, 3},
	{"nfp_", alnums, 36, 60, 3}, {"sbp_", alnums, 40, 44, 2.5}, {"sb_secret_", dashes, 20, 50, 3}, {"vcp_", alnums, 24, 70, 3}, {"CFPAT-", dashes, 43, 43, 3},
	{"v1.0-", dashes, 160, 180, 2.5}, {"cfut_", alnums, 40, 56, 3}, {"cfat_", alnums, 40, 56, 3}, {"bkua_", alnums, 36, 44, 2.5}, {"CCIPAT_", words, 40, 80, 3}, {"CCIPRJ_", words, 40, 80, 3},
	{"API-", capitals, 26, 32, 3}, {"jfrt@", alnums, 20, 80, 3}, {"AKCp", alnums, 69, 69, 3}, {"cmVmd", alnums, 59, 59, 3}, {"eyJrIjoi", base64s, 60, 400, 3},
	{"glc_", base64s, 32, 400, 3}, {"glsa_", words, 41, 41, 2.8}, {"NRAK-", alnums, 27, 27, 2.8}, {"NRJS-", hexes, 19, 19, 2.4}, {"NRII-", dashes, 32, 32, 2.8}, {"NRRA-", hexes, 40, 44, 2.5}, {"NRIQ-", dashes, 30, 34, 2.8},
	{"sntrys_", base64s, 80, 400, 4.0}, {"sntryu_", hexes, 64, 64, 2.5}, {"sntrya_", hexes, 64, 64, 2.5}, {"sntryi_", hexes, 64, 64, 2.5},
	{"xkeysib-", dashes, 70, 90, 3}, {"SG.", equalsDots, 60, 72, 3}, {"key-", hexes, 32, 32, 2.8}, {"pubkey-", hexes, 32, 32, 2.8},
	{"PMAK-", dashes, 55, 64, 2.8}, {"PMAT-", alnums, 24, 30, 3}, {"AGE-SECRET-KEY-1", capitals, 58, 58, 0},
	// Code and packages.
	{"ghp_", alnums, 36, 40, 3}, {"gho_", alnums, 36, 40, 3}, {"ghu_", alnums, 36, 40, 3}, {"ghs_", alnums, 36, 40, 3}, {"ghr_", alnums, 36, 80, 3}, {"github_pat_", words, 60, 100, 3},
	{"glpat-", dots, 20, 60, 3}, {"glptt-", hexes, 40, 40, 2.5}, {"gldt-", dashes, 20, 30, 3}, {"glrt-", dots, 20, 60, 3}, {"glrtr-", dots, 20, 60, 3}, {"glcbt-", dashes, 20, 40, 3}, {"glffct-", dashes, 20, 30, 3},
	{"glft-", dashes, 20, 30, 3}, {"glimt-", dashes, 24, 30, 3}, {"glagent-", dashes, 48, 60, 3}, {"gloas-", dashes, 64, 64, 3}, {"glsoat-", dashes, 20, 30, 3}, {"glwt-", dashes, 20, 30, 3},
	{"GR1348941", dashes, 20, 24, 3}, {"_gitlab_session=", alnums, 32, 40, 3}, {"npm_", alnums, 36, 40, 3}, {"pypi-AgEIcHlwaS5vcmc", dashes, 40, keyMax, 3}, {"pypi-AgENdGVzdC5weXBpLm9yZw", dashes, 40, keyMax, 3}, {"rubygems_", hexes, 48, 48, 2.5}, {"oy2", alnums, 43, 43, 3.4},
	{"CLOJARS_", alnums, 60, 60, 3}, {"sgp_", words, 40, 70, 3}, {"squ_", alnums, 40, 40, 2.5}, {"sqp_", alnums, 40, 40, 2.5}, {"sqa_", alnums, 40, 40, 2.5}, {"ATATT3", equals, 100, 250, 3}, {"ATCTT3", equals, 100, 250, 3}, {"ATBB", alnums, 28, 40, 3},
	{"lin_api_", alnums, 40, 48, 3}, {"lin_oauth_", hexes, 64, 64, 2.5}, {"ntn_", alnums, 43, 50, 3}, {"secret_", alnums, 43, 43, 3.3}, {"figd_", dashes, 36, 50, 3}, {"rdme_", alnums, 70, 70, 3},
	{"sm_aat_", alnums, 16, 16, 3}, {"sm_sat_", alnums, 16, 16, 3}, {"sm_pat_", alnums, 16, 16, 3}, {"phc_", alnums, 40, 50, 3}, {"phx_", alnums, 40, 50, 3}, {"tfp_", equalsDots, 50, 64, 3},
	// Models.
	{"sk-ant-", dashes, 40, 200, 3}, {"sk-proj-", dashes, 40, 300, 3}, {"sk-svcacct-", dashes, 40, 300, 3}, {"sk-admin-", dashes, 40, 300, 3}, {"sk-or-v1-", hexes, 60, 64, 2.5},
	{"sk-None-", dashes, 40, 300, 3}, {"sk-", alnums, 32, 100, 3.2}, {"hf_", alnums, 30, 40, 3}, {"api_org_", alnums, 30, 40, 3}, {"gsk_", alnums, 48, 60, 3}, {"r8_", alnums, 37, 40, 3}, {"xai-", alnums, 70, 100, 3}, {"pplx-", alnums, 40, 60, 3},
	{"lsv2_pt_", words, 36, 60, 2.8}, {"lsv2_sk_", words, 36, 60, 2.8}, {"tgp_v1_", dashes, 40, 60, 3}, {"fw_", alnums, 22, 40, 3.2}, {"tvly-", dashes, 28, 60, 3}, {"pcsk_", words, 50, 90, 3}, {"nvapi-", dashes, 60, 70, 3}, {"csk-", alnums, 40, 60, 3}, {"jina_", dashes, 50, 70, 3}, {"voyage-", dashes, 40, 60, 3.4},
	// Money, shops, messages.
	{"sk_live_", alnums, 10, 110, 2.8}, {"sk_test_", alnums, 10, 110, 2.8}, {"sk_prod_", alnums, 10, 110, 2.8}, {"rk_live_", alnums, 10, 110, 2.8}, {"rk_test_", alnums, 10, 110, 2.8}, {"rk_prod_", alnums, 10, 110, 2.8}, {"pk_live_", alnums, 20, 110, 2.8}, {"pk_test_", alnums, 20, 110, 2.8}, {"whsec_", base64s, 24, 60, 3},
	{"rzp_live_", alnums, 14, 14, 2.5}, {"rzp_test_", alnums, 14, 14, 2.5}, {"EAAA", dashes, 22, 60, 3}, {"sq0atp-", dashes, 22, 60, 3}, {"sq0csp-", dashes, 40, 60, 3}, {"sq0idp-", dashes, 22, 22, 3}, {"EZAK", alnums, 54, 54, 3}, {"EZTK", alnums, 54, 54, 3},
	{"EAAM", alnums, 80, 400, 3}, {"EAAC", alnums, 80, 400, 3}, {"EAAG", alnums, 80, 400, 3}, {"EAAB", alnums, 80, 400, 3}, {"EAAJ", alnums, 80, 400, 3}, {"FLWPUBK_TEST-", dashes, 12, 40, 2.5}, {"FLWSECK_TEST-", dashes, 12, 40, 2.5}, {"FLWPUBK-", dashes, 24, 40, 2.5}, {"FLWSECK-", dashes, 24, 40, 2.5},
	{"duffel_test_", equals, 40, 46, 3}, {"duffel_live_", equals, 40, 46, 3}, {"shippo_live_", hexes, 40, 40, 2.5}, {"shippo_test_", hexes, 40, 40, 2.5}, {"shpat_", hexes, 32, 40, 2.5}, {"shpca_", hexes, 32, 40, 2.5}, {"shppa_", hexes, 32, 40, 2.5}, {"shpss_", hexes, 32, 40, 2.5},
	{"pscale_tkn_", equalsDots, 32, 64, 3}, {"pscale_oauth_", equalsDots, 32, 64, 3}, {"pscale_pw_", equalsDots, 32, 64, 3}, {"fio-u-", equals, 60, 70, 3}, {"SK", hexes, 32, 32, 2.8}, {"AC", hexes, 32, 32, 3}, {"p8e-", alnums, 32, 32, 2.8}, {"dnkey-", equals, 70, 90, 3},
	{"xoxb-", dashes, 20, 200, 2.8}, {"xoxp-", dashes, 28, 300, 2.8}, {"xoxe-", dashes, 20, 300, 3}, {"xoxa-", dashes, 11, 300, 0.5}, {"xoxr-", dashes, 20, 300, 2.5}, {"xoxs-", dashes, 20, 200, 2.5}, {"xoxo-", dashes, 20, 200, 2.5}, {"xoxc-", dashes, 20, 300, 2.8}, {"xoxd-", base64s, 20, 400, 3}, {"xapp-", dashes, 20, 200, 2.8}, {"xoxe.xoxb-", dashes, 60, 300, 3}, {"xoxe.xoxp-", dashes, 60, 300, 3},
	{"access-sandbox-", dashes, 36, 36, 2.8}, {"access-development-", dashes, 36, 36, 2.8}, {"access-production-", dashes, 36, 36, 2.8}, {"ops_eyJ", base64s, 200, keyMax, 3.5}, {"sk_", hexes, 48, 48, 2.8}, {"re_", words, 24, 40, 3.3},
	{"pat.", dots, 50, 90, 3}, {"sat.", dots, 50, 90, 3}, {"pk.eyJ", dots, 60, 200, 3}, {"sk.eyJ", dots, 60, 200, 3}, {"sc_", dots, 40, 100, 3.3}, {"s-s4t2ud-", hexes, 64, 64, 2.5}, {"s-s4t2af-", hexes, 64, 64, 2.5}, {"gw_", alnums, 24, 64, 3}, {"svc_pat_", alnums, 24, 64, 3},
}
