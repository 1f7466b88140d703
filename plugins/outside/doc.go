// Package outside calls guards of vendors in their documented wire forms: Presidio, text classification servers,
// OpenAI's moderations, Lakera, Azure's Prompt Shields and text analysis, Amazon Bedrock's guardrails and Google's
// Model Armor; and judge models behind the gateway's own providers. Each is a [remote.Asker]; package remote does the
// rest. Each vendor has a file with its wire form and a link to the page that documents it.
package outside
