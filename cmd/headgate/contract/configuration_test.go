package contract_test

// configuration is the file of a variant of the gateway.
func configuration(variant, database, upstream, issuer, licenceKey string) string {
	text := `server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
log: {level: info}
store: {url: "` + database + `"}
providers:
  mock: {}
  real: {type: openai, api_key: sk-contract-provider-key, base_url: "` + upstream + `"}
routes:
  - {model_pattern: "mock-*", providers: [{provider: mock}]}
  - {model_pattern: "real-*", providers: [{provider: real}]}
  - {model_pattern: "text-embedding-mock", providers: [{provider: mock}]}
tenants:
  - {id: default, keys: [{name: dev, key: ` + fileKey + `, scopes: []}]}
plugins: {dir: plugins, trust: open}
license: {keys: ["` + licenceKey + `"]}
chain:
  - stage: policy
  - stage: budget
  - stage: pii
`
	if variant != unlicensed {
		text += "  - stage: cache\n"
	}
	switch variant {
	case unchecked:
		text += "headgate: {flightdeck: {security: {rbac: {enabled: false}}}}\n"
	case federated:
		text += "admin: {auth: {oidc: {issuer: \"" + issuer + "\"}}}\n"
	}
	if variant != unlicensed {
		text += "webhooks: {allow_private: true}\n"
		text += "gateway: {internal: {secret: " + internalSecret + "}}\n"
	}
	return text
}
