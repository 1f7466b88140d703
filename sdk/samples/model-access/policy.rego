# Which tenant may use which models, and how long an answer may be. Both are the link's
# settings; a model is named by how it begins:
#
#   settings: {models: {acme: [gpt-, o3]}, most_tokens: 4096}
package headgate

import rego.v1

default decision := {"allow": true}

decision := {"allow": false, "reason": concat("; ", sort(refusals)), "labels": ["model_refused"]} if {
	count(refusals) > 0
}

refusals contains sprintf("the tenant %s must not use the model %s", [input.tenant, input.model]) if {
	beginnings := data.settings.models[input.tenant]
	not any_begins(beginnings)
}

refusals contains sprintf("an answer may have at most %d tokens", [data.settings.most_tokens]) if {
	input.max_tokens > data.settings.most_tokens
}

any_begins(beginnings) if {
	some beginning in beginnings
	startswith(input.model, beginning)
}
